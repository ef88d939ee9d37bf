//! Answers pages that browsers can keep and ask for again: with 304 if nothing on them changed, and without rendering them again within a
//! moment in which nothing changed at all.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use promise::Error;
use sha2::{Digest as _, Sha256};

use crate::error::HttpProblem;
use crate::portal::{Caller, Portal};
use crate::sign_in::Visitor;
use crate::web::page_cache::{Edition, Key, is_unchanged, not_modified, response};

/// The person's own cache can have the page, and asks each time whether it is still right.
const REVALIDATED: HeaderValue = HeaderValue::from_static("private, no-cache");
/// What a page depends on besides its address.
const VARY: HeaderValue = HeaderValue::from_static("cookie, accept-language");
/// Hexadecimal digits of an entity tag.
const DIGITS: usize = 32;

/// Answers a request from the pages that are kept, or keeps the answer. Behind the gate: the session is verified before anything is
/// answered.
pub(crate) async fn answer(State(portal): State<Arc<Portal>>, mut request: Request, next: Next) -> Response {
    let (Method::GET, Some(Visitor::Person(caller))) = (request.method().clone(), request.extensions().get::<Visitor>()) else {
        return next.run(request).await;
    };
    // Before the page reads anything, so that a change during it counts as one.
    let (edition, now) = (edition(&portal, caller), portal.clock.now());
    let address = request.uri().path_and_query().map_or("/", |address| address.as_str());
    let key = Key::of(caller.session(), address, request.headers());
    if let Some(kept) = portal.pages.get(&key, edition, now, request.headers()) {
        metrics::counter!("opm_page_cache_requests_total", "result" => "hit").increment(1);
        return kept;
    }
    metrics::counter!("opm_page_cache_requests_total", "result" => "miss").increment(1);
    // The page is rendered in full and kept even if this browser has it: the next request for it is answered without rendering.
    let asked = conditions(request.headers_mut());
    let rendered = next.run(request).await;
    let keeps = rendered.status() == StatusCode::OK
        && rendered.headers().get(header::CACHE_CONTROL) == Some(&REVALIDATED)
        // A response that sets a cookie is sent in full, too: a proxy can drop the cookie of a 304.
        && !rendered.headers().contains_key(header::SET_COOKIE);
    if !keeps {
        return rendered;
    }
    let (parts, body) = rendered.into_parts();
    let Ok(body) = whole(body).await else { return HttpProblem(Error::Internal).into_response() };
    portal.pages.keep(key, &parts.headers, &body, edition, now);
    if is_unchanged(&asked, parts.headers.get(header::ETAG)) {
        return not_modified(&parts.headers);
    }
    response(parts.status, parts.headers, body)
}

/// Takes the headers off a request that name what the browser has.
fn conditions(headers: &mut HeaderMap) -> HeaderMap {
    let asked = headers.get_all(header::IF_NONE_MATCH).iter().map(|tag| (header::IF_NONE_MATCH, tag.clone())).collect();
    headers.remove(header::IF_NONE_MATCH);
    asked
}

/// Names the state of a rendered page by an entity tag. `nonce` is new in each response and changes nothing.
pub(super) async fn revalidated(rendered: Response, nonce: &str) -> Response {
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

fn edition(portal: &Portal, caller: &Caller) -> Edition {
    Edition {
        world: portal.world.version(),
        notifications: portal.notify.edition(&caller.identity().person),
        writes: portal.writes.load(Ordering::Acquire),
        session: caller.session_edition(),
    }
}

/// Returns a body that is in memory already.
async fn whole(body: Body) -> Result<Bytes, axum::Error> {
    to_bytes(body, usize::MAX).await
}

/// Returns the digest of a page without its nonce.
fn digest(page: &[u8], nonce: &str) -> String {
    let page = String::from_utf8_lossy(page);
    let digest = page.split(nonce).fold(Sha256::new(), |digest, part| digest.chain_update(part));
    let mut digest = hex::encode(digest.finalize());
    digest.truncate(DIGITS);
    digest
}
