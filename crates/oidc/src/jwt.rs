//! The parts of a JSON Web Token (RFC 7515, compact serialization), before or after it is verified.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Value;

/// What the header says about the signature.
#[derive(Debug, Deserialize)]
pub(crate) struct Header {
    pub(crate) alg: String,
    #[serde(default)]
    pub(crate) kid: Option<String>,
    #[serde(default)]
    pub(crate) typ: Option<String>,
    #[serde(default)]
    pub(crate) crit: Option<Value>,
}

/// A token taken apart. Nothing about it is verified.
pub(crate) struct Parts<'a> {
    pub(crate) header: Header,
    pub(crate) claims: Value,
    /// What is signed.
    pub(crate) signed: &'a str,
    pub(crate) signature: Vec<u8>,
}

impl<'a> Parts<'a> {
    /// Takes a token apart; `None` if it isn't one.
    pub(crate) fn of(token: &'a str) -> Option<Self> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
        Some(Self {
            header: serde_json::from_slice(&decoded(header)?).ok()?,
            claims: serde_json::from_slice(&decoded(claims)?).ok()?,
            signed,
            signature: decoded(signature)?,
        })
    }

    /// Returns a claim that is text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.claims.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// Returns a claim that is a time, in seconds.
    pub(crate) fn second(&self, name: &str) -> Option<i64> {
        let value = self.claims.get(name)?;
        // A NumericDate can have a fraction (RFC 7519, section 2).
        value.as_i64().or_else(|| value.as_f64().filter(|second| second.is_finite()).map(|second| second as i64))
    }
}
