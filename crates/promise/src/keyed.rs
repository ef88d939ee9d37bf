//! Digests that nobody without the installation's key can make or guess: of everything in which a secret may stand.
//!
//! Plain hashes of a short password can be tried out by whoever sees them, and inventories, releases and annotations are seen by
//! more people than Secrets are. The key is random, made once per installation, and kept by the controller alone.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;

use crate::revision::CanonicalError;

/// The key of an installation.
#[derive(Clone, PartialEq, Eq)]
pub struct DigestKey([u8; Self::LENGTH]);

/// What a digest is for, so that one can never stand for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// An object as it is applied.
    Applied,
    /// Our fields of an object as the server keeps them.
    Kept,
    /// A value that somebody typed into a secret parameter.
    SecretInput,
}

impl DigestKey {
    /// Bytes of a key.
    pub const LENGTH: usize = 32;

    /// A key of random bytes.
    pub fn new(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// A key as it was kept; `None` when it has another length.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Hex HMAC-SHA-256 over the purpose and the RFC 8785 form of anything.
    ///
    /// # Errors
    /// A number beyond what RFC 8785 can write.
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
    /// Names never change: kept digests were made with them.
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
