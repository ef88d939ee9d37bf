//! Identity of a published version: hash and name of a PromiseRevision (`domain.md` 2).

use sha2::{Digest, Sha256};

use crate::api::PromiseSpec;

/// How many hex letters of the hash stand in the name.
const NAMED_LETTERS: usize = 10;

/// Why something has no canonical form: a number that JSON cannot hold exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has no canonical form: {0}")]
pub struct CanonicalError(String);

impl CanonicalError {
    pub(crate) fn new(error: &serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// Hex SHA-256 over the RFC 8785 form of a spec: key order and the writing of numbers do not count.
///
/// # Errors
/// A number beyond what RFC 8785 can write.
pub fn hash(spec: &PromiseSpec) -> Result<String, CanonicalError> {
    digest(spec)
}

/// Name of the PromiseRevision, `<promise>-<10 hex letters>`; `hash` comes from [`hash`].
pub fn name(promise: &str, hash: &str) -> String {
    let letters = hash.get(..NAMED_LETTERS).unwrap_or(hash);
    format!("{promise}-{letters}")
}

/// Hex SHA-256 over the RFC 8785 form of anything.
///
/// # Errors
/// A number beyond what RFC 8785 can write.
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
        // SHA-256 of `{"a":1,"b":"ü"}`, computed outside with sha256sum.
        assert_eq!(digest(&json!({"b": "ü", "a": 1.0})).unwrap(), GOLDEN);
        let spec = PromiseSpec { version: "1.2.0".into(), ..PromiseSpec::default() };
        let hash = hash(&spec).unwrap();
        assert_eq!(name("postgresql", &hash), format!("postgresql-{}", &hash[..10]));
    }

    const GOLDEN: &str = "1a59e522e02ce50ad2c27c11a6d30f8667489c199580627fe9e3e33e2b0e91d5";
}
