//! Entity tags of pages that browsers can keep and ask for again.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, StatusCode, header};
use promise::Error;
use sha2::{Digest as _, Sha256};

use crate::cached::{REVALIDATED, whole};
use crate::error::HttpProblem;
use crate::web::response_cache::response;

/// What a page depends on besides its address.
const VARY: HeaderValue = HeaderValue::from_static("cookie, accept-language");
/// Hexadecimal digits of an entity tag.
const DIGITS: usize = 32;

/// Names the state of a rendered page by an entity tag. `nonce` is new in each response and changes nothing.
pub(super) async fn named(rendered: Response, nonce: &str) -> Response {
    if rendered.status() != StatusCode::OK {
        return rendered;
    }
    let (mut parts, body) = rendered.into_parts();
    let Ok(body) = whole(body).await else { return HttpProblem(Error::Internal).into_response() };
    let tag = HeaderValue::from_str(&format!("W/\"{}\"", digest(&body, nonce))).ok();
    parts.headers.insert(header::CACHE_CONTROL, REVALIDATED);
    parts.headers.append(header::VARY, VARY);
    if let Some(tag) = tag {
        parts.headers.insert(header::ETAG, tag);
    }
    response(parts.status, parts.headers, body)
}

/// Returns the digest of a page without its nonce.
fn digest(page: &[u8], nonce: &str) -> String {
    let page = String::from_utf8_lossy(page);
    let digest = page.split(nonce).fold(Sha256::new(), |digest, part| digest.chain_update(part));
    let mut digest = hex::encode(digest.finalize());
    digest.truncate(DIGITS);
    digest
}
