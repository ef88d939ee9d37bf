//! Protection against foreign sites: every unsafe request must come from our own pages, and with a session it must carry the form token.
//!
//! Origin and `Sec-Fetch-Site` are set by the browser and cannot be set by a script. The form token is derived from the session cookie, which
//! no other site can read; it stays valid across restarts, and a leaked token does not reveal the cookie.
//! Signing in has no session yet: there the token belongs to a cookie that comes with the sign-in page.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http::{HeaderMap, Method, Request, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use promise::Error;
use sha2::{Digest as _, Sha256};

/// Name of the form field with the token.
pub const FORM_FIELD: &str = "_token";
/// Header with the token, for requests that scripts make.
pub const HEADER: &str = "x-form-token";
/// Largest body of an unsafe request, in bytes.
pub const MAX_BODY: usize = 1024 * 1024;
/// Largest one of somebody who is not signed in: a name and a token.
pub const MAX_ANONYMOUS: usize = 16 * 1024;
/// How long it may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

/// The token that forms of the session of `cookie` carry.
pub fn form_token(cookie: &str) -> String {
    hex::encode(Sha256::new().chain_update("opm-portal form token\n").chain_update(cookie).finalize())
}

/// Whether a request may change something as far as its method goes.
pub fn is_unsafe(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Checks that the browser says that one of our own pages sent the request. `authority` is host and port, as the request names us.
///
/// # Errors
/// [`Error::Denied`] with a sentence.
pub fn check_origin(headers: &HeaderMap, authority: &str) -> Result<(), Error> {
    let denied = |why: &str| Err(Error::Denied { why: why.to_owned() });
    let site = headers.get("sec-fetch-site").map(|value| value.as_bytes());
    if let Some(site) = site
        && site != b"same-origin"
        && site != b"none"
    {
        return denied("this request came from another site; open the page here and send it again");
    }
    match headers.get(header::ORIGIN).map(|value| value.to_str().unwrap_or_default()) {
        Some(origin) if origin.split_once("://").is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(authority)) => Ok(()),
        Some(_) => denied("this request came from another site; open the page here and send it again"),
        None if site == Some(b"same-origin") => Ok(()),
        None => denied("this request does not say which page it came from (header Origin)"),
    }
}

/// Checks the form token, and gives the request back with its body read, of which `most` bytes are taken.
///
/// # Errors
/// [`Error::Denied`] when the token is absent or of another session, [`Error::Invalid`] when the body is too large.
pub async fn check_token(request: Request<Body>, cookie: &str, most: usize) -> Result<Request<Body>, Error> {
    let expected = form_token(cookie);
    let (parts, body) = request.into_parts();
    let bytes = read(body, most, PATIENCE).await?;
    if let Some(token) = parts.headers.get(HEADER) {
        let passes = same(token.as_bytes(), expected.as_bytes());
        return if passes { Ok(Request::from_parts(parts, Body::from(bytes))) } else { Err(stale()) };
    }
    let is_form = parts
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.starts_with("application/x-www-form-urlencoded"));
    let found =
        is_form && form_urlencoded::parse(&bytes).any(|(name, value)| name == FORM_FIELD && same(value.as_bytes(), expected.as_bytes()));
    if found { Ok(Request::from_parts(parts, Body::from(bytes))) } else { Err(stale()) }
}

async fn read(body: Body, most: usize, patience: Duration) -> Result<Bytes, Error> {
    let Ok(body) = tokio::time::timeout(patience, Limited::new(body, most).collect()).await else {
        return Err(Error::Busy { message: "the form took too long to arrive; send it again".to_owned() });
    };
    match body {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Error::Invalid {
            problems: vec![promise::Problem {
                path: String::new(),
                message: format!("This is more than the {} that this form may send.", size(most)),
            }],
        }),
        Err(error) => {
            tracing::debug!(%error, "the body of a request broke off");
            Err(Error::Busy { message: "the request broke off; send it again".to_owned() })
        }
    }
}

fn size(bytes: usize) -> String {
    if bytes >= 1024 * 1024 { format!("{} MiB", bytes / (1024 * 1024)) } else { format!("{} KiB", bytes / 1024) }
}

fn stale() -> Error {
    Error::Denied { why: "this form belongs to another session; open the page again and send it from there".to_owned() }
}

/// Compares without telling by its duration where the difference is.
fn same(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len() && left.iter().zip(right).fold(0, |difference, (l, r)| difference | (l ^ r)) == 0
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

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
            assert_eq!(check_origin(&headers(pass), ours), Ok(()), "{pass:?}");
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
            assert!(check_origin(&headers(refused), ours).is_err(), "{refused:?}");
        }
    }

    fn post(content_type: &str, body: String) -> Request<Body> {
        Request::post("/").header("content-type", content_type).body(Body::from(body)).unwrap()
    }

    #[tokio::test]
    async fn the_token_of_the_session_passes_and_the_body_stays_whole() {
        let cookie = "c".repeat(64);
        let body = format!("name=a&{FORM_FIELD}={}", form_token(&cookie));
        let request = check_token(post("application/x-www-form-urlencoded", body.clone()), &cookie, MAX_BODY).await.unwrap();
        assert_eq!(request.into_body().collect().await.unwrap().to_bytes(), body);
        let mut scripted = post("application/json", "{}".into());
        scripted.headers_mut().insert(HEADER, form_token(&cookie).parse().unwrap());
        assert!(check_token(scripted, &cookie, MAX_BODY).await.is_ok());
    }

    #[tokio::test]
    async fn a_body_that_never_ends_is_given_up() {
        let endless = Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
        assert!(matches!(read(endless, MAX_BODY, Duration::from_millis(1)).await, Err(Error::Busy { .. })));
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
            assert!(matches!(check_token(post(content_type, body), &cookie, MAX_BODY).await, Err(Error::Denied { .. })));
        }
        let large = "x".repeat(MAX_BODY + 1);
        assert!(matches!(check_token(post("text/plain", large), &cookie, MAX_BODY).await, Err(Error::Invalid { .. })));
        let short = "x".repeat(MAX_ANONYMOUS + 1);
        assert!(matches!(check_token(post("text/plain", short), &cookie, MAX_ANONYMOUS).await, Err(Error::Invalid { .. })));
    }
}
