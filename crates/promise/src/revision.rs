//! Identity of a published version: hash and name of a PromiseRevision (`domain.md` 2).

use sha2::{Digest, Sha256};

use crate::api::{Lifecycle, Presentation, PromiseSpec};

/// Number of hex digits of the hash in the name: enough that two specs with the same ones can't be found deliberately.
const NAMED_LETTERS: usize = 32;
/// Maximum length of an object name.
const LONGEST_NAME: usize = 253;

/// Reason why a value has no canonical form: a number that JSON can't represent exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it can't be stored exactly: {0}")]
pub struct CanonicalError(String);

impl CanonicalError {
    pub(crate) fn new(error: &serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// Returns the hex-encoded SHA-256 of the operative part of a spec in canonical JSON (RFC 8785). Key order and the notation of numbers
/// don't matter.
///
/// # Errors
/// If the content contains a number that RFC 8785 can't represent.
pub fn hash(spec: &PromiseSpec) -> Result<String, CanonicalError> {
    digest(&what_runs(spec))
}

/// Returns a spec without its presentation and lifecycle, which change without a new version and don't affect instances.
pub fn what_runs(spec: &PromiseSpec) -> PromiseSpec {
    PromiseSpec { lifecycle: Lifecycle::default(), deprecation: None, presentation: Presentation::default(), ..spec.clone() }
}

/// Returns the name of the PromiseRevision, `<promise>-<32 hex letters>`, where `hash` comes from [`hash`]. The name locates a revision.
/// The full hash in the revision proves that it is the right one.
pub fn name(promise: &str, hash: &str) -> String {
    let letters = hash.get(..NAMED_LETTERS).unwrap_or(hash);
    let promise: String = promise.chars().take(LONGEST_NAME - 1 - NAMED_LETTERS).collect();
    format!("{promise}-{letters}")
}

/// Returns the hex-encoded SHA-256 of a value in canonical JSON (RFC 8785).
///
/// # Errors
/// If the value contains a number that RFC 8785 can't represent.
pub fn digest(value: &impl serde::Serialize) -> Result<String, CanonicalError> {
    let bytes = serde_json_canonicalizer::to_vec(value).map_err(|error| CanonicalError::new(&error))?;
    Ok(hex::encode(Sha256::digest(bytes)))
}

#[cfg(test)]
mod tests {
    use super::{digest, hash, name};
    use crate::api::PromiseSpec;
    use serde_json::{Value, json};

    #[test]
    fn order_and_number_writing_do_not_count() {
        let one: Value = serde_json::from_str(r#"{"a": 1, "b": [1.0, 2.50, 1e3]}"#).unwrap();
        let other: Value = serde_json::from_str(r#"{"b": [1, 2.5, 1000], "a": 1.0}"#).unwrap();
        assert_eq!(digest(&one), digest(&other));
        assert_ne!(digest(&json!({"a": "1"})), digest(&json!({"a": 1})));
    }

    #[test]
    fn golden() {
        // SHA-256 of `{"a":1,"b":"ü"}`, computed externally with sha256sum.
        assert_eq!(digest(&json!({"b": "ü", "a": 1.0})).unwrap(), GOLDEN);
        let spec = PromiseSpec { version: "1.2.0".into(), ..PromiseSpec::default() };
        let hash = hash(&spec).unwrap();
        assert_eq!(name("postgresql", &hash), format!("postgresql-{}", &hash[..32]));
    }

    #[test]
    fn a_name_is_never_too_long_for_an_object() {
        let hash = hash(&PromiseSpec::default()).unwrap();
        let long = name(&"p".repeat(253), &hash);
        assert_eq!(long.len(), 253);
        assert!(long.ends_with(&hash[..32]));
    }

    #[test]
    fn presentation_and_lifecycle_are_not_part_of_what_runs_and_everything_else_is() {
        let spec: PromiseSpec = serde_json::from_value(json!({"version": "1.0.0", "lifecycle": "published"})).unwrap();
        let with = |change: Value| {
            let mut changed = serde_json::to_value(&spec).unwrap();
            changed.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            hash(&serde_json::from_value(changed).unwrap()).unwrap()
        };
        for same in [
            json!({"lifecycle": "deprecated", "deprecation": {"message": "Use redis instead.", "replacedBy": "redis"}}),
            json!({"lifecycle": "retired"}),
            json!({"presentation": {"displayName": "Valkey", "summary": "A cache", "tags": ["cache"]}}),
            json!({"presentation": {"changelog": [{"version": "1.0.0", "changes": ["The first version."]}]}}),
        ] {
            assert_eq!(with(same.clone()), hash(&spec).unwrap(), "{same}");
        }
        for other in [
            json!({"version": "1.0.1"}),
            json!({"visibility": "descendants"}),
            json!({"parameters": {"type": "object"}}),
            json!({"implementation": {"resources": [{"id": "a", "template": {"kind": "A"}}]}}),
            json!({"cost": {"currency": "EUR"}}),
        ] {
            assert_ne!(with(other.clone()), hash(&spec).unwrap(), "{other}");
        }
    }

    const GOLDEN: &str = "1a59e522e02ce50ad2c27c11a6d30f8667489c199580627fe9e3e33e2b0e91d5";
}
