//! Our labels and annotations on every object: its owner, its id in the promise, and what was applied.

use serde_json::{Map, Value};

use super::facts::{Desired, Key, Subject};
use crate::keyed::{DigestKey, Purpose};
use crate::names;
use crate::revision::CanonicalError;

/// Reason why a rendered object can't be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarkError {
    /// It has no apiVersion, kind or name.
    #[error("the resource {id} has no apiVersion, kind or metadata.name")]
    Unidentified {
        /// Resource id.
        id: String,
    },
    /// It has no canonical form.
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
}

impl Desired {
    /// Returns a rendered object with our labels and the keyed digest of its content.
    ///
    /// # Errors
    /// If the object has no apiVersion, kind or name, or contains numbers without a canonical form.
    pub fn marked(
        digests: &DigestKey,
        request: &Subject,
        id: &str,
        destination: Option<&str>,
        stage: u32,
        mut object: Value,
    ) -> Result<Self, MarkError> {
        let unidentified = || MarkError::Unidentified { id: id.to_owned() };
        let key = Key::of_object(destination, &object).ok_or_else(unidentified)?;
        let hash = digests.digest(Purpose::Applied, &object)?;
        let metadata = object["metadata"].as_object_mut().ok_or_else(unidentified)?;
        let labels = part(metadata, "labels");
        labels.insert(names::REQUEST_UID_LABEL.to_owned(), request.uid.clone().into());
        labels.insert(names::RESOURCE_ID_LABEL.to_owned(), label_value(id).into());
        // Names can be longer than labels. The uid above identifies the request; the name is only for display.
        labels.insert(names::REQUEST_NAME_LABEL.to_owned(), label_value(&request.name).into());
        part(metadata, "annotations").insert(names::HASH_ANNOTATION.to_owned(), hash.clone().into());
        Ok(Self { id: id.to_owned(), key, object, stage, hash, once: false })
    }
}

/// Returns the labels or annotations. A value that isn't an object is replaced because the server would refuse it.
fn part<'m>(metadata: &'m mut Map<String, Value>, name: &str) -> &'m mut Map<String, Value> {
    if !metadata.get(name).is_some_and(Value::is_object) {
        metadata.insert(name.to_owned(), Value::Object(Map::new()));
    }
    #[expect(clippy::expect_used, reason = "an object was put there just above")]
    metadata.get_mut(name).and_then(Value::as_object_mut).expect("an object")
}

/// Shortens a text to at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
pub(crate) fn label_value(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.') { letter } else { '-' })
        .take(63)
        .collect();
    text.trim_matches(|letter: char| !letter.is_ascii_alphanumeric()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::label_value;
    use crate::keyed::DigestKey;
    use crate::names;
    use crate::plan::{Desired, Subject};
    use serde_json::json;

    #[test]
    fn marks_whose_it_is_and_what_was_applied() {
        let key = DigestKey::new([1; 32]);
        let request = Subject { uid: "u-1".into(), name: "orders".into(), ..Subject::default() };
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "labels": {"app": "y"}}});
        let one = Desired::marked(&key, &request, "workers[3]", Some("sandbox"), 2, object.clone()).unwrap();
        let labels = &one.object["metadata"]["labels"];
        assert_eq!((labels["app"].as_str(), labels[names::REQUEST_UID_LABEL].as_str()), (Some("y"), Some("u-1")));
        assert_eq!(labels[names::RESOURCE_ID_LABEL], "workers-3");
        assert_eq!(one.object["metadata"]["annotations"][names::HASH_ANNOTATION], one.hash.as_str());
        let again = Desired::marked(&key, &request, "workers[3]", Some("sandbox"), 2, object).unwrap();
        assert_eq!(one, again);
        assert!(Desired::marked(&key, &request, "x", None, 0, json!({"kind": "ConfigMap"})).is_err());
    }

    #[test]
    fn label_values_are_always_allowed() {
        assert_eq!(label_value("workers[12]"), "workers-12");
        assert_eq!(label_value(&"a".repeat(80)).len(), 63);
        assert_eq!(label_value("[]"), "");
    }
}
