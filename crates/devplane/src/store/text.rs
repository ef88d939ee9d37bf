//! Objects as text, in an order that lets answers be put together from parts of it.
//!
//! What differs between the answers about one object stands first: its type, then `metadata` with the version, then everything else.
//! So an object in another version of its API, an item of a list or an event costs a copy, and no reading and writing. Text in
//! another order (of files that older programs wrote) is an object all the same; whoever asks for its parts gets none and reads it.

use bytes::Bytes;
use serde_json::{Map, Value};

use super::Stored;

/// What stands between `apiVersion` and `kind`.
const KIND: &[u8] = b"\",\"kind\":\"";
/// What stands at the beginning.
const API_VERSION: &[u8] = b"{\"apiVersion\":\"";
/// What stands before the version, when the type stands before it.
const VERSION: &[u8] = b"\"metadata\":{\"resourceVersion\":\"";

/// The text of an object that has no version yet.
pub(super) struct Draft {
    text: Vec<u8>,
    /// Where the digits of the version go; none in an object without metadata.
    at: Option<usize>,
}

impl Draft {
    /// Of this object; a version that it has does not count.
    pub(super) fn of(object: &Value) -> Self {
        let Value::Object(fields) = object else { return Self { text: object.to_string().into_bytes(), at: None } };
        let (mut text, mut at) = (Vec::with_capacity(1024), None);
        text.push(b'{');
        for name in ["apiVersion", "kind"] {
            if let Some(value) = fields.get(name) {
                entry(&mut text, name, value);
            }
        }
        match fields.get("metadata") {
            Some(Value::Object(metadata)) => at = Some(versioned(&mut text, metadata)),
            Some(other) => entry(&mut text, "metadata", other),
            None => {}
        }
        for (name, value) in fields.iter().filter(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&name.as_str())) {
            entry(&mut text, name, value);
        }
        text.push(b'}');
        Self { text, at }
    }

    /// How many bytes it has without a version.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// The text with this version, in memory of just its size.
    pub(super) fn with(&self, revision: u64) -> Bytes {
        let Some(at) = self.at else { return Bytes::copy_from_slice(&self.text) };
        let (head, tail) = self.text.split_at(at);
        [head, revision.to_string().as_bytes(), tail].concat().into()
    }
}

/// Writes metadata with an empty version; answers where that goes.
fn versioned(text: &mut Vec<u8>, metadata: &Map<String, Value>) -> usize {
    separate(text);
    text.extend_from_slice(VERSION);
    let at = text.len();
    text.push(b'"');
    for (name, value) in metadata.iter().filter(|(name, _)| *name != "resourceVersion") {
        entry(text, name, value);
    }
    text.push(b'}');
    at
}

fn separate(text: &mut Vec<u8>) {
    if text.last().is_some_and(|last| *last != b'{') {
        text.push(b',');
    }
}

fn entry(text: &mut Vec<u8>, name: &str, value: &Value) {
    separate(text);
    write(text, &name);
    text.push(b':');
    write(text, value);
}

#[expect(clippy::expect_used, reason = "JSON is written into memory, and its keys are texts")]
fn write(text: &mut Vec<u8>, value: &impl serde::Serialize) {
    serde_json::to_writer(text, value).expect("memory takes everything");
}

/// The parts of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    /// `apiVersion`.
    pub api_version: &'a [u8],
    /// `kind`.
    pub kind: &'a [u8],
    /// Everything after them, from `"metadata"` on.
    pub rest: &'a [u8],
}

impl Stored {
    /// The parts of its text; none where it has to be read to know them.
    pub fn parts(&self) -> Option<Parts<'_>> {
        parts(&self.json)
    }

    /// The same object with another version in its text, as an event tells it: it is still the state of its own revision.
    pub fn told_under(&self, revision: u64) -> Self {
        Self { revision: self.revision, json: under(self, revision) }
    }

    /// Whether a name or text occurs anywhere in it. Cheap, and never wrong about what does not: most objects need not be read to
    /// know that they have no owners, or are not on their way out.
    pub fn mentions(&self, word: &str) -> bool {
        memchr::memmem::find(&self.json, word.as_bytes()).is_some()
    }
}

fn parts(text: &[u8]) -> Option<Parts<'_>> {
    let (api_version, rest) = simple(text.strip_prefix(API_VERSION)?)?;
    let (kind, rest) = simple(rest.strip_prefix(KIND)?)?;
    let rest = rest.strip_prefix(b"\",")?;
    rest.starts_with(VERSION).then_some(Parts { api_version, kind, rest })
}

/// The text up to a quote, if nothing in it is escaped, and the rest with the quote.
fn simple(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| *byte == b'"' || *byte == b'\\')?;
    (text[end] == b'"').then(|| text.split_at(end))
}

/// The same object under another version.
pub(super) fn under(stored: &Stored, revision: u64) -> Bytes {
    let spliced = stored.parts().and_then(|parts| {
        let digits = parts.rest.strip_prefix(VERSION)?;
        let tail = &digits[digits.iter().position(|byte| *byte == b'"')?..];
        let head = &stored.json[..stored.json.len() - digits.len()];
        Some([head, revision.to_string().as_bytes(), tail].concat().into())
    });
    spliced.unwrap_or_else(|| Draft::of(&stored.object()).with(revision))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::apply::arbitrary::json_object;

    fn stored(json: impl Into<Bytes>) -> Stored {
        Stored { revision: 7, json: json.into() }
    }

    #[test]
    fn parts_of_an_object() {
        let object =
            json!({"data": {"a": "1"}, "kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "x", "resourceVersion": "3"}});
        let stored = stored(Draft::of(&object).with(7));
        let parts = stored.parts().unwrap();
        assert_eq!((parts.api_version, parts.kind), (&b"v1"[..], &b"ConfigMap"[..]));
        assert_eq!(parts.rest, br#""metadata":{"resourceVersion":"7","name":"x"},"data":{"a":"1"}}"#);
        assert!(stored.mentions("\"data\"") && !stored.mentions("ownerReferences"));
    }

    #[test]
    fn text_in_another_order_has_no_parts_and_gets_its_version_all_the_same() {
        let old =
            stored(r#"{"apiVersion":"v1","data":{"metadata":{"resourceVersion":"1"}},"kind":"X","metadata":{"resourceVersion":"7"}}"#);
        assert_eq!(old.parts(), None);
        let renewed: Value = serde_json::from_slice(&under(&old, 9)).unwrap();
        assert_eq!(renewed["metadata"]["resourceVersion"], "9");
        assert_eq!(renewed["data"]["metadata"]["resourceVersion"], "1");
        assert_eq!(stored(r#"{"apiVersion":"v\"1","kind":"X","metadata":{"resourceVersion":"1"}}"#).parts(), None);
    }

    proptest! {
        #[test]
        fn text_is_the_object_under_its_version(mut object in json_object(), metadata in json_object(), typed in any::<bool>()) {
            object["metadata"] = metadata;
            if typed {
                object["apiVersion"] = "example.org/v1".into();
                object["kind"] = "Thing".into();
            }
            let first = stored(Draft::of(&object).with(7));
            object["metadata"]["resourceVersion"] = "7".into();
            prop_assert_eq!(&first.object(), &object);
            prop_assert_eq!(first.parts().is_some(), typed);
            object["metadata"]["resourceVersion"] = "123456789".into();
            let renewed = stored(under(&first, 123_456_789));
            prop_assert_eq!(renewed.object(), object);
        }

        #[test]
        fn no_text_panics(text in any::<Vec<u8>>(), revision in any::<u64>()) {
            let stored = stored(text);
            drop(under(&stored, revision));
        }
    }
}
