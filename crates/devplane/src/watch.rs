//! Watches (apiserver `storage/cacher`, `endpoints/handlers/watch.go`).
//!
//! A watch holds nothing but its place in the history and a piece of the events of one step; long objects are shared by all watches. A client that reads too slowly falls out of the
//! history and gets `410 Expired`; others do not notice it.

mod moved;

use std::{collections::VecDeque, convert::Infallible, pin::Pin, sync::Arc, time::Duration, vec};

use axum::body::Body;
use bytes::Bytes;
use futures::Stream;
use http::{HeaderValue, Response, header};
use serde_json::{Value, json};
use tokio::time::{Instant, Interval, MissedTickBehavior, Sleep};
use tokio_stream::StreamExt;

use crate::{
    http::{
        answer::PIECE,
        media::{Encoding, Transform},
        panics,
    },
    objects::{
        Call, convert,
        list::{options, parse_version, wait_for},
    },
    protobuf,
    registry::GroupResource,
    selectors::Selection,
    status::ApiError,
    store::{Change, Follower, HistoryGap, Key, Range, Stored},
    table,
    virtual_view::Judge,
    watches::OpenWatch,
};

/// A watch without `timeoutSeconds` ends after this time; the real server takes 30 to 60 minutes.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(45 * 60);
/// What no watch outlasts, whatever it asks for: times far ahead cannot be told as a moment.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// How much text is made of changes before somebody takes it.
const STEP: usize = 32 << 10;
/// From this size on the text of an object is not copied for each watch.
const SHARED: usize = 8 << 10;

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
    let (store, storage, range) = (call.state.store.clone(), call.resource.storage.clone(), call.selected_range(&selection));
    let send_initial = query.flag("sendInitialEvents");
    if send_initial && version > store.revision() {
        wait_for(&call, version).await?;
    }
    let start = if send_initial || (version == 0 && !query.has("sendInitialEvents")) {
        let (listed, revision) = store.list(&storage, &range).await;
        let initial = shown(&call, listed, revision)?;
        Start { initial, revision, mark_end: send_initial && bookmarks }
    } else if version == 0 {
        Start { initial: Vec::new(), revision: store.revision(), mark_end: false }
    } else {
        Start { initial: Vec::new(), revision: version, mark_end: false }
    };
    let follower = store.follow(start.revision);
    let watch = Watch { call, selection, range, bookmarks, _open: open };
    let stream = panics::cut_off(stream(watch, start, follower, timeout));
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

/// The listed objects that the view of the request shows.
fn shown(call: &Call, listed: Vec<(Key, Stored)>, revision: u64) -> Result<Vec<(Key, Stored)>, ApiError> {
    let mut shown = Vec::with_capacity(listed.len());
    for (key, stored) in listed {
        let judge = call.view.at(&key.cluster, revision).map_err(|gap| ApiError::expired(gap.to_string()))?;
        if judge(&call.resource, &key, &stored) {
            shown.push((key, stored));
        }
    }
    Ok(shown)
}

fn stream(watch: Watch, start: Start, follower: Follower, timeout: Duration) -> impl Stream<Item = Bytes> {
    let initial = Initial { items: start.initial.into_iter(), mark: start.mark_end.then_some(start.revision), first: true };
    let every = watch.call.state.bookmarks;
    let mut bookmarks = tokio::time::interval_at(Instant::now() + every, every);
    bookmarks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let running = Running {
        watch,
        initial: (!timeout.is_zero()).then_some(initial),
        changes: Vec::new().into_iter(),
        told: Chunks::default(),
        follower,
        deadline: Box::pin(tokio::time::sleep(timeout)),
        bookmarks,
        is_over: false,
    };
    futures::stream::unfold(running, |mut running| async move { running.next().await.map(|chunk| (chunk, running)) })
        // Empty chunks would end the body of HTTP/1.1 for some clients.
        .filter(|text: &Bytes| !text.is_empty())
}

/// A watch under way. One that is not read holds one piece of text and the changes of one step, which has a limit in bytes.
struct Running {
    watch: Watch,
    initial: Option<Initial>,
    /// Changes that are still to be told.
    changes: vec::IntoIter<Arc<Change>>,
    /// What is told of them.
    told: Chunks,
    follower: Follower,
    deadline: Pin<Box<Sleep>>,
    /// One for the whole watch: what others change does not put a bookmark off.
    bookmarks: Interval,
    is_over: bool,
}

impl Running {
    /// The next part of the answer.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(chunk) = self.told.next() {
                return Some(chunk);
            }
            if self.is_over {
                return None;
            }
            if let Some(text) = self.initial.as_mut().and_then(|initial| initial.next(&self.watch)) {
                return Some(text);
            }
            self.initial = None;
            if self.changes.len() > 0 {
                while self.told.bytes() < STEP
                    && let Some(change) = self.changes.next()
                {
                    if let Err(gap) = self.watch.tell(&change, &mut self.told) {
                        self.is_over = true;
                        self.told.text.extend_from_slice(&self.watch.expired(gap));
                        break;
                    }
                }
                continue;
            }
            let followed = self.watch.followed();
            let next = tokio::select! {
                biased;
                () = &mut self.deadline => return None,
                _ = self.bookmarks.tick(), if self.watch.bookmarks => None,
                next = self.follower.next(&followed) => Some(next),
            };
            match next {
                None => return Some(self.watch.bookmark(self.follower.rest(&followed), false)),
                Some(Ok(changes)) => self.changes = changes.into_iter(),
                Some(Err(gap)) => {
                    self.is_over = true;
                    return Some(self.watch.expired(gap));
                }
            }
        }
    }
}

/// Text on its way: small parts are copied together, large ones are shared with whoever else tells them.
#[derive(Default)]
struct Chunks {
    ready: VecDeque<Bytes>,
    text: Vec<u8>,
}

impl Chunks {
    fn push_shared(&mut self, part: Bytes) {
        if part.len() < SHARED {
            return self.text.extend_from_slice(&part);
        }
        self.cut();
        self.ready.push_back(part);
    }

    fn cut(&mut self) {
        if !self.text.is_empty() {
            self.ready.push_back(std::mem::take(&mut self.text).into());
        }
    }

    /// How many bytes wait to be taken.
    fn bytes(&self) -> usize {
        self.text.len() + self.ready.iter().map(Bytes::len).sum::<usize>()
    }

    fn next(&mut self) -> Option<Bytes> {
        self.ready.pop_front().or_else(|| (!self.text.is_empty()).then(|| std::mem::take(&mut self.text).into()))
    }
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
            if watch.selects(&key, &stored) {
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
    /// The resources whose changes say what is to be told.
    fn followed(&self) -> Vec<GroupResource> {
        let own = &self.call.resource.storage;
        let sources = self.call.view.sources().iter().filter(|source| *source != own);
        std::iter::once(own).chain(sources).cloned().collect()
    }

    fn selects(&self, key: &Key, stored: &Stored) -> bool {
        self.range.contains(key) && self.call.passes(&self.selection, key, stored)
    }

    fn shows(&self, key: &Key, stored: &Stored, judge: &Judge) -> bool {
        self.selects(key, stored) && judge(&self.call.resource, key, stored)
    }

    fn tell(&self, change: &Change, told: &mut Chunks) -> Result<(), HistoryGap> {
        if change.resource == self.call.resource.storage && self.range.contains(&change.key) {
            self.tell_change(change, told)?;
        }
        if self.call.view.is_moved_by(change) {
            self.tell_moved(change, told)?;
        }
        Ok(())
    }

    /// Tells a change as it was seen when it was made: the view may have become another one since.
    fn tell_change(&self, change: &Change, told: &mut Chunks) -> Result<(), HistoryGap> {
        let (cluster, revision) = (&change.key.cluster, change.revision);
        let (before, after) = (self.call.view.at(cluster, revision - 1)?, self.call.view.at(cluster, revision)?);
        let old = change.old.as_ref().filter(|old| self.shows(&change.key, old, &before));
        let new = change.new.as_ref().filter(|new| self.shows(&change.key, new, &after));
        match (old, new) {
            (None, None) => {}
            (None, Some(new)) => self.share_stored(told, "ADDED", new),
            (Some(_), Some(new)) => self.share_stored(told, "MODIFIED", new),
            // What leaves is told as it was while it belonged, under the version of the change. One that is gone has that text already.
            (Some(_), None) if change.last.is_some() => {
                let last = Stored { revision, json: change.json().clone() };
                self.share_stored(told, "DELETED", &last);
            }
            (Some(old), None) => self.share_stored(told, "DELETED", &old.told_under(revision)),
        }
        Ok(())
    }

    /// Writes an event about a stored object, whose text is shared if it is long.
    fn share_stored(&self, told: &mut Chunks, kind: &str, stored: &Stored) {
        let call = &self.call;
        let is_json = (call.format.transform, call.format.encoding) == (Transform::None, Encoding::Json);
        let Some((head, rest)) = is_json.then(|| convert::shared(&call.resource, &call.api_version, stored)).flatten() else {
            return self.push_stored(&mut told.text, kind, stored, false);
        };
        for part in [br#"{"type":""#, kind.as_bytes(), br#"","object":"#, &head] {
            told.text.extend_from_slice(part);
        }
        told.push_shared(rest);
        told.text.extend_from_slice(b"}\n");
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
