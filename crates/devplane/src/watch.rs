//! Watches (apiserver `storage/cacher`, `endpoints/handlers/watch.go`).
//!
//! A watch holds nothing but its place in the history and the events of one step. A client that reads too slowly falls out of the
//! history and gets `410 Expired`; others do not notice it.

use std::{convert::Infallible, sync::Arc, time::Duration, vec};

use axum::body::Body;
use bytes::Bytes;
use futures::Stream;
use http::{HeaderValue, Response, header};
use serde_json::{Value, json};
use tokio_stream::StreamExt;

use crate::{
    http::{
        answer::PIECE,
        media::{Encoding, Transform},
    },
    objects::{
        Call, convert,
        list::{options, parse_version, wait_for},
    },
    protobuf,
    selectors::Selection,
    status::ApiError,
    store::{Change, Follower, HistoryGap, Key, Range, Stored},
    table,
    watches::OpenWatch,
};

/// A watch without `timeoutSeconds` ends after this time; the real server takes 30 to 60 minutes.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(45 * 60);
/// What no watch outlasts, whatever it asks for: times far ahead cannot be told as a moment.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// How often a client that asked for bookmarks gets one.
const BOOKMARKS: Duration = Duration::from_secs(60);

/// What a watch lets through, and how.
struct Watch {
    call: Call,
    selection: Selection,
    range: Range,
    bookmarks: bool,
    _open: OpenWatch,
}

/// Where a watch begins.
struct Start {
    /// Objects that are told as ADDED first.
    initial: Vec<(Key, Stored)>,
    /// Changes after this revision follow.
    revision: u64,
    /// Whether a bookmark tells the end of the initial objects.
    mark_end: bool,
}

/// Answers a watch.
pub async fn answer(call: Call) -> Result<Response<Body>, ApiError> {
    let query = &call.query;
    options::check_watch(query)?;
    let open = call.state.watches.open(&call.attributes.user.name)?;
    let version = parse_version(query.get("resourceVersion")).map_err(|text| ApiError::of(500, "", text))?;
    let bookmarks = query.flag("allowWatchBookmarks");
    // A watch that may take less than no time is over before its first event.
    let timeout = match options::number(query, "timeoutSeconds")? {
        None | Some(0) => DEFAULT_TIMEOUT,
        Some(seconds) => Duration::from_secs(u64::try_from(seconds).unwrap_or_default()).min(LONGEST),
    };
    let mut selection = call.selection()?;
    // A watch of one object by its path (`/watch/…/NAME`) is one by its name, as which it was authorised (apiserver
    // `endpoints/handlers/get.go`).
    let name = call.attributes.name.as_str();
    if !name.is_empty() && selection.fields.is_empty() {
        selection.fields.push(("metadata.name".into(), true, name.to_owned()));
    } else if !name.is_empty() && selection.exact("metadata.name") != Some(name) {
        return Err(ApiError::bad_request("fieldSelector metadata.name doesn't match requested name"));
    }
    let encoding = call.format.encoding;
    let (store, storage, range) = (call.state.store.clone(), call.resource.storage.clone(), call.range());
    let send_initial = query.flag("sendInitialEvents");
    if send_initial && version > store.revision() {
        wait_for(&call, version).await?;
    }
    let start = if send_initial || (version == 0 && !query.has("sendInitialEvents")) {
        let (initial, revision) = store.list(&storage, &range).await;
        Start { initial, revision, mark_end: send_initial && bookmarks }
    } else if version == 0 {
        Start { initial: Vec::new(), revision: store.revision(), mark_end: false }
    } else {
        Start { initial: Vec::new(), revision: version, mark_end: false }
    };
    let follower = store.follow(start.revision);
    let watch = Watch { call, selection, range, bookmarks, _open: open };
    let stream = stream(watch, start, follower, timeout);
    let mut response = Response::new(Body::from_stream(stream.map(Ok::<Bytes, Infallible>)));
    let content_type = match encoding {
        Encoding::Json => "application/json",
        Encoding::Yaml => "application/yaml;stream=watch",
        Encoding::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
    };
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    Ok(response)
}

fn stream(watch: Watch, start: Start, follower: Follower, timeout: Duration) -> impl Stream<Item = Bytes> {
    let deadline = Box::pin(tokio::time::sleep(timeout));
    let initial = Initial { items: start.initial.into_iter(), mark: start.mark_end.then_some(start.revision), first: true };
    let initial = (!timeout.is_zero()).then_some(initial);
    let state = Some((watch, initial, follower, deadline));
    futures::stream::unfold(state, |state| async move {
        let (watch, mut initial, mut follower, mut deadline) = state?;
        if let Some(text) = initial.as_mut().and_then(|initial| initial.next(&watch)) {
            return Some((text, Some((watch, initial, follower, deadline))));
        }
        let resource = watch.call.resource.storage.clone();
        let next = tokio::select! {
            biased;
            () = &mut deadline => return None,
            next = follower.next(Some(&resource)) => Some(next),
            () = tokio::time::sleep(BOOKMARKS), if watch.bookmarks => None,
        };
        Some(match next {
            None => (watch.bookmark(follower.rest(&resource), false), Some((watch, None, follower, deadline))),
            Some(Ok(changes)) => (watch.tell(&changes), Some((watch, None, follower, deadline))),
            Some(Err(gap)) => (watch.expired(gap), None),
        })
    })
    // Empty chunks would end the body of HTTP/1.1 for some clients.
    .filter(|text: &Bytes| !text.is_empty())
}

/// The initial objects of a watch that are still to be told.
struct Initial {
    items: vec::IntoIter<(Key, Stored)>,
    /// The version of the bookmark that ends them.
    mark: Option<u64>,
    /// Whether none was told yet.
    first: bool,
}

impl Initial {
    /// The next piece of them; none when they are told.
    fn next(&mut self, watch: &Watch) -> Option<Bytes> {
        let mut text = Vec::new();
        for (key, stored) in self.items.by_ref() {
            if watch.shows(&key, &stored) {
                watch.push_stored(&mut text, "ADDED", &stored, std::mem::take(&mut self.first));
            }
            if text.len() >= PIECE {
                return Some(text.into());
            }
        }
        text.extend_from_slice(&self.mark.take().map(|revision| watch.bookmark(revision, true)).unwrap_or_default());
        (!text.is_empty()).then(|| text.into())
    }
}

impl Watch {
    fn shows(&self, key: &Key, stored: &Stored) -> bool {
        self.range.contains(key) && self.call.view.shows(&self.call.resource, key, stored) && self.call.passes(&self.selection, key, stored)
    }

    fn tell(&self, changes: &[Arc<Change>]) -> Bytes {
        let mut text = Vec::new();
        for change in changes.iter().filter(|change| self.range.contains(&change.key)) {
            let old = change.old.as_ref().filter(|old| self.shows(&change.key, old));
            let new = change.new.as_ref().filter(|new| self.shows(&change.key, new));
            match (old, new) {
                (None, None) => {}
                (None, Some(new)) => self.push_stored(&mut text, "ADDED", new, false),
                (Some(_), Some(new)) => self.push_stored(&mut text, "MODIFIED", new, false),
                // What leaves is told as it was while it belonged, under the version of the change.
                (Some(old), None) => self.push_stored(&mut text, "DELETED", &old.told_under(change.revision), false),
            }
        }
        text.into()
    }

    /// Writes an event about a stored object. As JSON it costs a copy: thousands may watch the same object.
    fn push_stored(&self, text: &mut Vec<u8>, kind: &str, stored: &Stored, first: bool) {
        let call = &self.call;
        if (call.format.transform, call.format.encoding) != (Transform::None, Encoding::Json) {
            return self.push(text, kind, self.form(call.shown(stored), first));
        }
        text.reserve(stored.json.len() + 64);
        for part in [r#"{"type":""#, kind, r#"","object":"#] {
            text.extend_from_slice(part.as_bytes());
        }
        convert::append(text, &call.resource, &call.api_version, stored);
        text.extend_from_slice(b"}\n");
    }

    /// The object in the form that the client asked for; columns only once.
    fn form(&self, object: Value, first: bool) -> Value {
        match self.call.format.transform {
            Transform::None => object,
            Transform::Partial | Transform::PartialList => table::partial(&object, self.call.format.meta_version),
            Transform::Table => {
                let mut table = table::of_object(&self.call, &object).unwrap_or_default();
                if !first {
                    table["columnDefinitions"] = Value::Null;
                }
                table
            }
        }
    }

    fn bookmark(&self, revision: u64, end: bool) -> Bytes {
        let resource = &self.call.resource;
        let mut object =
            json!({"kind": resource.kind, "apiVersion": resource.api_version(), "metadata": {"resourceVersion": revision.to_string()}});
        if end {
            object["metadata"]["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let object = match self.call.format.transform {
            Transform::None => object,
            _ => self.form(object, false),
        };
        let mut text = Vec::new();
        self.push(&mut text, "BOOKMARK", object);
        text.into()
    }

    fn expired(&self, gap: HistoryGap) -> Bytes {
        let mut text = Vec::new();
        self.push(&mut text, "ERROR", ApiError::expired(gap.to_string()).to_status());
        text.into()
    }

    fn push(&self, text: &mut Vec<u8>, kind: &str, object: Value) {
        let event = json!({"type": kind, "object": object});
        match self.call.format.encoding {
            Encoding::Json => {
                text.extend_from_slice(event.to_string().as_bytes());
                text.push(b'\n');
            }
            Encoding::Yaml => {
                text.extend_from_slice(b"---\n");
                text.extend_from_slice(&crate::http::answer::yaml(&event));
            }
            Encoding::Protobuf => text.extend_from_slice(&protobuf::encode_event(kind, &event["object"]).unwrap_or_default()),
        }
    }
}
