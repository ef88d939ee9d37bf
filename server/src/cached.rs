//! Answers what clients can keep and ask for again, pages and lists of the REST API: with 304 if nothing on them changed, and without making
//! them again within a moment in which nothing changed at all.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use promise::Error;

use crate::error::HttpProblem;
use crate::portal::{Caller, Portal};
use crate::sign_in::Visitor;
use crate::web::response_cache::{Edition, Key, is_unchanged, not_modified, response};

/// `Cache-Control` of what a client's own cache can have, if it asks each time whether it is still right.
pub(crate) const REVALIDATED: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Answers a request from the responses that are kept, or keeps the answer. Behind the gate: the session or token is verified before anything
/// is answered.
pub(crate) async fn answer(State(portal): State<Arc<Portal>>, mut request: Request, next: Next) -> Response {
    let (Method::GET, Some(Visitor::Person(caller))) = (request.method().clone(), request.extensions().get::<Visitor>()) else {
        return next.run(request).await;
    };
    // Before the handler reads anything, so that a change during it counts as one.
    let (edition, now) = (edition(&portal, caller), portal.clock.now());
    let address = request.uri().path_and_query().map_or("/", |address| address.as_str());
    let key = Key::of(caller.session(), address, request.headers());
    if let Some(kept) = portal.responses.get(&key, edition, now, request.headers()) {
        metrics::counter!("opm_response_cache_requests_total", "result" => "hit").increment(1);
        return kept;
    }
    metrics::counter!("opm_response_cache_requests_total", "result" => "miss").increment(1);
    // The answer is made in full and kept even if this client has it: the next request for it is answered without making it.
    let asked = conditions(request.headers_mut());
    let made = next.run(request).await;
    let keeps = made.status() == StatusCode::OK
        && made.headers().get(header::CACHE_CONTROL) == Some(&REVALIDATED)
        // A response that sets a cookie is sent in full, too: a proxy can drop the cookie of a 304.
        && !made.headers().contains_key(header::SET_COOKIE);
    if !keeps {
        return made;
    }
    let (parts, body) = made.into_parts();
    let Ok(body) = whole(body).await else { return HttpProblem(Error::Internal).into_response() };
    portal.responses.keep(key, &parts.headers, &body, edition, now);
    if is_unchanged(&asked, parts.headers.get(header::ETAG)) {
        return not_modified(&parts.headers);
    }
    response(parts.status, parts.headers, body)
}

/// Takes the headers off a request that name what the client has.
fn conditions(headers: &mut HeaderMap) -> HeaderMap {
    let asked = headers.get_all(header::IF_NONE_MATCH).iter().map(|tag| (header::IF_NONE_MATCH, tag.clone())).collect();
    headers.remove(header::IF_NONE_MATCH);
    asked
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
pub(crate) async fn whole(body: Body) -> Result<Bytes, axum::Error> {
    to_bytes(body, usize::MAX).await
}
