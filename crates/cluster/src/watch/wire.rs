//! Lists and watches as a server sends them, each object decoded on its own.
//!
//! A server accepts objects that are nested deeper than a JSON decoder goes. If they were decoded together, one such object would keep all
//! others from being read. Fields that are only skipped can be nested to any depth.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::io;
use std::pin::Pin;

use futures::{AsyncBufRead, AsyncBufReadExt};
use kube::api::{DynamicObject, ListMeta, ListParams, ObjectMeta, Request, WatchParams};
use kube::core::{ApiResource, Status};
use kube::{Client, Error, Resource};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// How many causes of an error are examined, in case they form a cycle.
const CAUSES: usize = 16;

/// Objects of one kind at one place.
pub(super) struct Collection {
    client: Client,
    request: Request,
}

impl Collection {
    /// Creates the collection. Without a namespace it covers all namespaces.
    pub(super) fn new(client: Client, resource: &ApiResource, namespace: Option<&str>) -> Self {
        Self { client, request: Request::new(DynamicObject::url_path(resource, namespace)) }
    }

    /// Returns the text of a [`Page`]. `kube` would log all of it if it can't be decoded.
    pub(super) async fn list(&self, params: &ListParams) -> Result<String, Error> {
        let request = self.request.list(params).map_err(Error::BuildRequest)?;
        self.client.request_text(request).await
    }

    /// Opens a watch.
    pub(super) async fn watch(&self, params: &WatchParams, version: &str) -> Result<Events, Error> {
        let request = self.request.watch(params, version).map_err(Error::BuildRequest)?;
        let body = self.client.request_stream(request).await?;
        Ok(Events { body: Box::pin(body) })
    }
}

/// One page of a list. Its objects aren't decoded yet.
#[derive(Deserialize)]
pub(super) struct Page<'a> {
    /// The version, and how to continue.
    #[serde(default)]
    pub metadata: ListMeta,
    /// The objects.
    #[serde(borrow, deserialize_with = "items")]
    pub items: Vec<&'a RawValue>,
}

impl<'a> Page<'a> {
    /// Parses the text of a page.
    pub(super) fn parse(text: &'a str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(Error::SerdeError)
    }
}

/// Some servers write `null` for an empty list. A response without items isn't a list.
fn items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'de RawValue>, D::Error> {
    let items: Option<Vec<&'de RawValue>> = Deserialize::deserialize(deserializer)?;
    Ok(items.unwrap_or_default())
}

/// An object of a list or of an event.
pub(super) struct Item {
    /// The object. With a fault it contains only what could be decoded.
    pub object: DynamicObject,
    /// Why it can't be decoded as a whole.
    pub fault: Option<Category>,
}

impl Item {
    /// Decodes an object.
    pub(super) fn decode(raw: &RawValue) -> Self {
        match serde_json::from_str(raw.get()) {
            Ok(object) => Self { object, fault: None },
            Err(error) => Self { object: in_part(raw), fault: Some(error.classify()) },
        }
    }
}

/// Returns an object without the fields that can't be decoded. In metadata, spec and status only their own fields are left out.
fn in_part(raw: &RawValue) -> DynamicObject {
    let part = |raw: &RawValue| whole(raw).or_else(|| fields(raw, whole).map(Value::Object));
    let mut data = fields(raw, part).unwrap_or_default();
    let metadata: Option<ObjectMeta> = data.remove("metadata").and_then(|metadata| serde_json::from_value(metadata).ok());
    DynamicObject { types: None, metadata: metadata.unwrap_or_default(), data: Value::Object(data) }
}

fn fields(raw: &RawValue, decode: impl Fn(&RawValue) -> Option<Value>) -> Option<Map<String, Value>> {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(raw.get()).ok()?;
    Some(fields.into_iter().filter_map(|(name, field)| Some((name, decode(field)?))).collect())
}

fn whole(raw: &RawValue) -> Option<Value> {
    serde_json::from_str(raw.get()).ok()
}

/// An event of a watch.
pub(super) enum Event {
    /// An object appeared or changed.
    Changed(Item),
    /// An object was deleted.
    Deleted(Item),
    /// Everything up to this version was reported.
    Bookmark(String),
}

/// The events of an open watch.
pub(super) struct Events {
    body: Pin<Box<dyn AsyncBufRead + Send>>,
}

impl Events {
    /// Returns the next event; `None` when the watch has ended.
    pub(super) async fn next(&mut self) -> Option<Result<Event, Error>> {
        loop {
            let mut line = Vec::new();
            match self.body.read_until(b'\n', &mut line).await {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) if breaks_off(&error) => return None,
                Err(error) => return Some(Err(Error::ReadEvents(error))),
            }
            if let Some(event) = event(&line).transpose() {
                return Some(event);
            }
        }
    }
}

/// One line of a watch. Its object isn't decoded yet.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type")]
    change: Change,
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Change {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
}

/// Returns the event of a line; `None` if it reports nothing.
fn event(line: &[u8]) -> Result<Option<Event>, Error> {
    let envelope: Envelope<'_> = match serde_json::from_slice(line) {
        Ok(envelope) => envelope,
        // A watch might end in the middle of a line.
        Err(error) if error.is_eof() => return Ok(None),
        Err(error) => return Err(refusal(line).unwrap_or(Error::SerdeError(error))),
    };
    Ok(match envelope.change {
        Change::Added | Change::Modified => Some(Event::Changed(Item::decode(envelope.object))),
        Change::Deleted => Some(Event::Deleted(Item::decode(envelope.object))),
        Change::Bookmark => Item::decode(envelope.object).object.metadata.resource_version.map(Event::Bookmark),
        Change::Error => {
            let status: Status = serde_json::from_str(envelope.object.get()).map_err(Error::SerdeError)?;
            return Err(Error::Api(Box::new(status)));
        }
    })
}

/// Returns the error that a server sends without an event around it.
fn refusal(line: &[u8]) -> Option<Error> {
    let status: Status = serde_json::from_slice(line).ok()?;
    Some(Error::Api(Box::new(status)))
}

/// Checks whether the connection ended without notice. That happens to long responses, and the watch continues with the next one.
fn breaks_off(error: &io::Error) -> bool {
    let first: Option<&(dyn StdError + 'static)> = Some(error);
    let mut causes = std::iter::successors(first, |&cause| cause.source()).take(CAUSES);
    causes.any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|cause| cause.kind() == io::ErrorKind::UnexpectedEof))
}

#[cfg(test)]
mod tests {
    use std::io;

    use kube::Error;

    use super::{Event, Page, breaks_off, event};

    fn nested(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn what_is_nested_too_deeply_still_says_what_it_is() {
        // The owners of fields are nested as deeply as the fields.
        let metadata = format!(r#"{{"name":"a","resourceVersion":"7","managedFields":[{{"fieldsV1":{}}}]}}"#, nested(9_000));
        let object = format!(r#"{{"kind":"A","metadata":{metadata},"spec":{{"size":1,"parameters":{}}}}}"#, nested(9_000));
        let line = format!("{{\"type\":\"MODIFIED\",\"object\":{object}}}\n");
        let Ok(Some(Event::Changed(item))) = event(line.as_bytes()) else { panic!("a change") };
        assert!(item.fault.is_some());
        assert_eq!((item.object.metadata.name.as_deref(), item.object.metadata.resource_version.as_deref()), (Some("a"), Some("7")));
        assert_eq!(item.object.data, serde_json::json!({"kind": "A", "spec": {"size": 1}}));
    }

    #[test]
    fn lines_that_are_no_changes() {
        let bookmark = event(br#"{"type":"BOOKMARK","object":{"kind":"A","metadata":{"resourceVersion":"9"}}}"#);
        assert!(matches!(bookmark, Ok(Some(Event::Bookmark(version))) if version == "9"));
        let status = r#"{"kind":"Status","code":410,"reason":"Expired","message":"too old"}"#;
        for line in [format!(r#"{{"type":"ERROR","object":{status}}}"#), status.to_owned()] {
            assert!(matches!(event(line.as_bytes()), Err(Error::Api(status)) if status.code == 410), "{line}");
        }
        for line in ["\n", r#"{"type":"ADDED","object":{"kind":"#] {
            assert!(matches!(event(line.as_bytes()), Ok(None)), "{line}");
        }
        assert!(matches!(event(br#"{"type":"ADDED","object":}"#), Err(Error::SerdeError(_))));
    }

    #[test]
    fn a_list_without_items_is_none() {
        assert!(Page::parse(r#"{"kind":"AList","metadata":{"resourceVersion":"1"},"items":null}"#).unwrap().items.is_empty());
        assert!(Page::parse(r#"{"kind":"Status","metadata":{}}"#).is_err());
    }

    #[test]
    fn a_connection_that_ends_without_a_word_is_told_from_a_broken_one() {
        let ended = |kind: io::ErrorKind| io::Error::other(Error::Service(Box::new(io::Error::new(kind, "closed"))));
        assert!(breaks_off(&ended(io::ErrorKind::UnexpectedEof)));
        assert!(!breaks_off(&ended(io::ErrorKind::ConnectionReset)));
    }
}
