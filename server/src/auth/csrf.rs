//! CSRF protection: every unsafe request must come from our own pages and, with a session, carry the form token.
//!
//! The browser sets Origin and `Sec-Fetch-Site`, and scripts can't. The form token is derived from the session cookie, which no other site
//! can read; it stays valid across restarts, and a leaked token doesn't reveal the cookie. Before sign-in there is no session: the token
//! then belongs to a cookie that is set with the sign-in page.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http::request::Parts;
use http::{HeaderMap, Method, Request, header};
use promise::{DeniedReason, Error};
use sha2::{Digest as _, Sha256};

use crate::web::body;

/// Name of the form field that carries the token.
pub const FORM_FIELD: &str = "_token";
/// Header that carries the token in requests made by scripts.
pub const HEADER: &str = app::TOKEN_HEADER;
/// Largest body of an unsafe request, in bytes.
pub const MAX_BODY: usize = 1024 * 1024;
/// Largest body of an unsafe request with a document, in bytes. The largest definitions that people publish are 1.5 MB long, and the encoding of forms
/// adds a third.
pub const MAX_DOCUMENT: usize = 4 * 1024 * 1024;
/// Largest body of an anonymous unsafe request, in bytes: room for a name and a token.
pub const MAX_ANONYMOUS: usize = 16 * 1024;

/// Hexadecimal digits of a token: 128 bits, which no one guesses. Every page has it.
const DIGITS: usize = 32;

/// Returns the form token for the session of `cookie`.
pub fn form_token(cookie: &str) -> String {
    let mut token = hex::encode(Sha256::new().chain_update("opm-portal form token\n").chain_update(cookie).finalize());
    token.truncate(DIGITS);
    token
}

/// Checks whether a text has the form of a token. Which session it belongs to is another question.
pub fn is_token(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit))
}

/// Checks whether the method can change state.
pub fn is_unsafe(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Checks that, according to the browser, one of our own pages sent the request. `authority` is the host and port under which the request
/// addresses us; `secure` says whether people reach the portal only by `https://`.
///
/// # Errors
/// [`Error::Denied`].
pub fn check_origin(headers: &HeaderMap, authority: &str, secure: bool) -> Result<(), Error> {
    let site = headers.get("sec-fetch-site").map(|value| value.as_bytes());
    if let Some(site) = site
        && site != b"same-origin"
        && site != b"none"
    {
        return Err(DeniedReason::OtherSite.into());
    }
    let is_ours = |origin: &str| {
        let parts = origin.split_once("://");
        parts.is_some_and(|(scheme, rest)| rest.eq_ignore_ascii_case(authority) && (!secure || scheme.eq_ignore_ascii_case("https")))
    };
    match headers.get(header::ORIGIN).map(|value| value.to_str().unwrap_or_default()) {
        Some(origin) if is_ours(origin) => Ok(()),
        Some(_) => Err(DeniedReason::OtherSite.into()),
        None if site == Some(b"same-origin") => Ok(()),
        None => Err(DeniedReason::NoOrigin.into()),
    }
}

/// What came of the check of a form token.
pub enum TokenCheck {
    /// It is that of the session. The request has its body.
    Passed(Request<Body>),
    /// It is missing or belongs to another session.
    OtherSession(Parts, Bytes),
}

/// Checks the form token, and reads the body, up to `most` bytes.
///
/// # Errors
/// The errors of [`body::read`].
pub async fn check_token(request: Request<Body>, cookie: &str, most: usize, patience: Duration) -> Result<TokenCheck, Error> {
    let expected = form_token(cookie);
    let (parts, body) = request.into_parts();
    let bytes = body::read(body, most, patience).await?;
    let judged = |passes, parts, bytes| {
        if passes { TokenCheck::Passed(Request::from_parts(parts, Body::from(bytes))) } else { TokenCheck::OtherSession(parts, bytes) }
    };
    if let Some(token) = parts.headers.get(HEADER) {
        return Ok(judged(same(token.as_bytes(), expected.as_bytes()), parts, bytes));
    }
    let is_form = parts
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.starts_with("application/x-www-form-urlencoded"));
    let found =
        is_form && form_urlencoded::parse(&bytes).any(|(name, value)| name == FORM_FIELD && same(value.as_bytes(), expected.as_bytes()));
    Ok(judged(found, parts, bytes))
}

/// Compares in constant time, so that the duration doesn't reveal where the inputs differ.
fn same(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && left.iter().zip(right).fold(0, |difference, (l, r)| difference | (l ^ r)) == 0
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http_body_util::BodyExt as _;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn only_our_own_pages_pass() {
        let ours = "localhost:8080";
        for pass in [
            &[("origin", "http://localhost:8080")][..],
            &[("origin", "http://localhost:8080"), ("sec-fetch-site", "same-origin")],
            &[("sec-fetch-site", "same-origin")],
        ] {
            assert_eq!(check_origin(&headers(pass), ours, false), Ok(()), "{pass:?}");
        }
        for refused in [
            &[][..],
            &[("origin", "http://localhost:8081")],
            &[("origin", "https://evil.example")],
            &[("origin", "null")],
            &[("sec-fetch-site", "none")],
            &[("sec-fetch-site", "same-site")],
            &[("origin", "http://localhost:8080"), ("sec-fetch-site", "cross-site")],
        ] {
            assert!(check_origin(&headers(refused), ours, false).is_err(), "{refused:?}");
        }
        let of = |origin: &'static str| check_origin(&headers(&[("origin", origin)]), "portal.example", true);
        assert_eq!(of("https://portal.example"), Ok(()));
        assert!(of("http://portal.example").is_err(), "whoever writes pages there is not us");
    }

    fn post(content_type: &str, body: String) -> Request<Body> {
        Request::post("/").header("content-type", content_type).body(Body::from(body)).unwrap()
    }

    #[tokio::test]
    async fn the_token_of_the_session_passes_and_the_body_stays_whole() {
        let cookie = "c".repeat(64);
        let body = format!("name=a&{FORM_FIELD}={}", form_token(&cookie));
        let checked = check_token(post("application/x-www-form-urlencoded", body.clone()), &cookie, MAX_BODY, PATIENCE).await.unwrap();
        let TokenCheck::Passed(request) = checked else { panic!("it is the token of the session") };
        assert_eq!(request.into_body().collect().await.unwrap().to_bytes(), body);
        let mut scripted = post("application/json", "{}".into());
        scripted.headers_mut().insert(HEADER, form_token(&cookie).parse().unwrap());
        let checked = check_token(scripted, &cookie, MAX_BODY, PATIENCE).await.unwrap();
        assert!(matches!(checked, TokenCheck::Passed(_)));
    }

    #[tokio::test]
    async fn other_tokens_and_no_token_are_refused() {
        let cookie = "c".repeat(64);
        let other = format!("{FORM_FIELD}={}", form_token(&"d".repeat(64)));
        for (content_type, body) in [
            ("application/x-www-form-urlencoded", other),
            ("application/x-www-form-urlencoded", "name=a".into()),
            ("application/json", "{}".into()),
        ] {
            let checked = check_token(post(content_type, body.clone()), &cookie, MAX_BODY, PATIENCE).await.unwrap();
            let TokenCheck::OtherSession(_, kept) = checked else { panic!("{body} passes") };
            assert_eq!(kept, body, "what was typed is still there");
        }
        let large = "x".repeat(MAX_BODY + 1);
        assert!(matches!(check_token(post("text/plain", large), &cookie, MAX_BODY, PATIENCE).await, Err(Error::TooLarge { .. })));
        let short = "x".repeat(MAX_ANONYMOUS + 1);
        assert!(matches!(check_token(post("text/plain", short), &cookie, MAX_ANONYMOUS, PATIENCE).await, Err(Error::TooLarge { .. })));
    }
}
