//! Keyed digests, for everything that might contain a secret. They can't be computed or guessed without the installation's key.
//!
//! Plain hashes of short passwords can be brute-forced by anyone who sees them, and inventories, releases and annotations are visible to
//! more people than Secrets. The key is random, created once per installation, and known only to the controller.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;

use crate::revision::CanonicalError;

/// The key of an installation.
#[derive(Clone, PartialEq, Eq)]
pub struct DigestKey([u8; Self::LENGTH]);

/// Purpose of a digest, so that a digest for one purpose never matches another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// An applied object.
    Applied,
    /// Our fields of an object, as stored by the server.
    Kept,
    /// A value entered for a secret parameter.
    SecretInput,
}

impl DigestKey {
    /// Length of a key in bytes.
    pub const LENGTH: usize = 32;

    /// Creates a key from random bytes.
    pub fn new(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// Loads a stored key. Returns `None` if it has the wrong length.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the hex-encoded HMAC-SHA-256 of the purpose and the canonical JSON (RFC 8785) of the value.
    ///
    /// # Errors
    /// If the value contains a number that RFC 8785 can't represent.
    pub fn digest(&self, purpose: Purpose, value: &impl Serialize) -> Result<String, CanonicalError> {
        let bytes = serde_json_canonicalizer::to_vec(value).map_err(|error| CanonicalError::new(&error))?;
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key of any length");
        mac.update(purpose.name().as_bytes());
        mac.update(&[0]);
        mac.update(&bytes);
        Ok(hex::encode(mac.finalize().into_bytes()))
    }
}

impl Purpose {
    /// Names must never change because stored digests depend on them.
    fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Kept => "kept",
            Self::SecretInput => "secret-input",
        }
    }
}

impl fmt::Debug for DigestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DigestKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{DigestKey, Purpose};

    /// `printf 'secret-input\0"hunter22"' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…07`
    const GOLDEN: &str = "ce10a8a74ede17c20f3c0b41fc95b35779847a3b251dce9b9f794f642583e0a0";

    #[test]
    fn golden() {
        let key = DigestKey::new([7; 32]);
        assert_eq!(key.digest(Purpose::SecretInput, &"hunter22").unwrap(), GOLDEN);
    }

    #[test]
    fn key_and_purpose_decide() {
        let (one, other) = (DigestKey::new([1; 32]), DigestKey::new([2; 32]));
        let value = json!({"b": 1.0, "a": "x"});
        let digest = one.digest(Purpose::Applied, &value).unwrap();
        assert_eq!(one.digest(Purpose::Applied, &json!({"a": "x", "b": 1})).unwrap(), digest);
        assert_ne!(other.digest(Purpose::Applied, &value).unwrap(), digest);
        assert_ne!(one.digest(Purpose::Kept, &value).unwrap(), digest);
        assert_eq!(format!("{one:?}"), "DigestKey(…)");
        assert!(DigestKey::from_slice(&[1; 31]).is_none());
    }
}
