//! Query parameters and headers of calls.

use std::collections::BTreeMap;

use axum::extract::FromRequestParts;
use http::HeaderMap;
use http::header::{HeaderName, IF_MATCH};
use http::request::Parts;
use promise::{Error, Problem, Result};

use super::fields::Fields;
use crate::error::HttpProblem;
use crate::portal::manifest::Precondition;
use crate::portal::once::IdempotencyKey;
use crate::portal::slices::Slice;

/// Name of the header with an idempotency key.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The query of a call. A parameter that is sent twice, and one with an invalid value, is refused.
pub(crate) struct Parameters(BTreeMap<String, String>);

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = HttpProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> std::result::Result<Self, HttpProblem> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default())?)
    }
}

fn invalid(message: String) -> Error {
    Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
}

impl Parameters {
    fn parse(query: &str) -> Result<Self> {
        let mut found = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let name = name.into_owned();
            if found.contains_key(&name) {
                return Err(invalid(format!("Send the query parameter {name} once.")));
            }
            found.insert(name, value.into_owned());
        }
        Ok(Self(found))
    }

    /// Returns a parameter. `None` if it isn't sent.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns a parameter, or an empty text.
    pub(super) fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or_default().to_owned()
    }

    /// Returns a flag.
    ///
    /// # Errors
    /// If it is neither `true` nor `false`.
    pub(super) fn flag(&self, name: &str) -> Result<bool> {
        match self.get(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(invalid(format!("Send {name}=true or {name}=false, not {other:?}."))),
        }
    }

    /// Returns the part of a list that is wanted.
    ///
    /// # Errors
    /// If `limit` or `continue` is invalid.
    pub(super) fn slice(&self) -> Result<Slice> {
        Slice::of(self.get("limit"), self.get("continue"))
    }

    /// Returns the fields that are wanted.
    ///
    /// # Errors
    /// If `fields` is invalid.
    pub(super) fn fields(&self) -> Result<Fields> {
        Fields::parse(self.get("fields").unwrap_or_default())
    }
}

/// Returns the only value of a header.
fn header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| invalid(format!("Send the header {name} in ASCII."))),
        (Some(_), Some(_)) => Err(invalid(format!("Send the header {name} once."))),
    }
}

/// Returns the idempotency key of the call that consists of these parts.
///
/// # Errors
/// If the key is invalid.
pub(super) fn idempotency_key(headers: &HeaderMap, call: &[&[u8]]) -> Result<Option<IdempotencyKey>> {
    header(headers, &IDEMPOTENCY_KEY)?.map(|key| IdempotencyKey::of(key, call)).transpose()
}

/// Returns the editions that `If-Match` names. An ETag of a request begins with its edition; what follows depends on its state, which
/// other clients and the controller change all the time.
///
/// # Errors
/// If the header isn't a list of ETags.
pub(super) fn precondition(headers: &HeaderMap) -> Result<Precondition> {
    let Some(text) = header(headers, &IF_MATCH)? else { return Ok(Precondition::None) };
    if text.trim() == "*" {
        return Ok(Precondition::Any);
    }
    let edition = |tag: &str| {
        let tag = tag.trim().strip_prefix('"')?.strip_suffix('"')?;
        Some(tag.split('.').next().unwrap_or(tag).to_owned())
    };
    let editions: Option<Vec<String>> = text.split(',').map(edition).collect();
    editions.map(Precondition::Editions).ok_or_else(|| invalid("Send the ETag in If-Match as you got it, with its quotes.".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_sent_once_and_flags_are_flags() {
        let sent = Parameters::parse("q=a%20b&mine=true&below=false&fields=name").unwrap();
        assert_eq!((sent.get("q"), sent.text("absent").as_str()), (Some("a b"), ""));
        assert_eq!((sent.flag("mine"), sent.flag("below"), sent.flag("absent")), (Ok(true), Ok(false), Ok(false)));
        assert!(Parameters::parse("mine=1").unwrap().flag("mine").is_err());
        assert!(Parameters::parse("q=a&q=b").is_err());
    }

    #[test]
    fn an_etag_names_an_edition() {
        let of = |value: &str| precondition(&[(IF_MATCH, value.parse().unwrap())].into_iter().collect());
        let editions = |known: &[&str]| Ok(Precondition::Editions(known.iter().map(|one| (*one).to_owned()).collect()));
        assert_eq!(precondition(&HeaderMap::new()), Ok(Precondition::None));
        assert_eq!(of("*"), Ok(Precondition::Any));
        assert_eq!(of("\"2-u1.abc\""), editions(&["2-u1"]));
        assert_eq!(of("\"2-u1\", \"3-u1.abc\""), editions(&["2-u1", "3-u1"]));
        for wrong in ["2-u1", "W/\"2-u1\"", "\"", ""] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
