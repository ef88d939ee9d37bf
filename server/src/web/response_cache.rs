//! Complete responses, kept for a moment: reloads, several tabs of a session, live pages whose content didn't change, and programs that ask
//! again and again are answered without making anything anew.
//!
//! A response is kept for one session or token and one address, for as long as nothing that this process knows has changed. It must not know
//! what a response shows, or who can see it.

use std::collections::HashMap;

use axum::body::{Body, Bytes};
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use store::SessionKey;

/// How long a response is kept although nothing changed here: permissions and other processes change responses, too.
const FRESH: SignedDuration = SignedDuration::from_secs(2);
/// Bytes of all responses.
const CAPACITY: usize = 8 << 20;
/// Bytes of one response; larger ones aren't kept.
const LARGEST: usize = 256 << 10;
/// Headers of a request that change the response, besides its address.
const VARY: [HeaderName; 3] = [header::COOKIE, header::ACCEPT_ENCODING, header::ACCEPT_LANGUAGE];

/// What a response was made from. Any change of it changes one of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edition {
    /// Changes of all caches.
    pub world: u64,
    /// Notifications of the person.
    pub notifications: u64,
    /// Changes that people made through this process.
    pub writes: u64,
    /// Changes made in the session, through any process that shares the database.
    pub session: i64,
}

/// What a response answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    session: SessionKey,
    address: String,
    headers: Vec<HeaderValue>,
}

impl Key {
    /// Returns the key for a request of a session.
    pub fn of(session: SessionKey, address: &str, headers: &HeaderMap) -> Self {
        let headers = VARY.iter().flat_map(|name| headers.get_all(name)).cloned().collect();
        Self { session, address: address.to_owned(), headers }
    }
}

/// The kept responses.
#[derive(Default)]
pub struct ResponseCache(Mutex<Responses>);

#[derive(Default)]
struct Responses {
    by_key: HashMap<Key, Kept>,
    bytes: usize,
}

struct Kept {
    headers: HeaderMap,
    body: Bytes,
    edition: Edition,
    at: Timestamp,
}

impl Kept {
    fn is(&self, edition: Edition, now: Timestamp) -> bool {
        self.edition == edition && now.duration_since(self.at) < FRESH
    }
}

impl ResponseCache {
    /// Returns the response for a request with `headers`, if one is kept.
    pub fn get(&self, key: &Key, edition: Edition, now: Timestamp, headers: &HeaderMap) -> Option<Response> {
        let responses = self.0.lock();
        let kept = responses.by_key.get(key).filter(|kept| kept.is(edition, now))?;
        Some(if is_unchanged(headers, kept.headers.get(header::ETAG)) {
            not_modified(&kept.headers)
        } else {
            response(StatusCode::OK, kept.headers.clone(), kept.body.clone())
        })
    }

    /// Keeps a response.
    pub fn keep(&self, key: Key, headers: &HeaderMap, body: &Bytes, edition: Edition, now: Timestamp) {
        if body.len() > LARGEST {
            return;
        }
        let mut responses = self.0.lock();
        if responses.bytes + body.len() > CAPACITY {
            let present = |kept: &Kept| Edition { notifications: kept.edition.notifications, session: kept.edition.session, ..edition };
            responses.by_key.retain(|_, kept| kept.is(present(kept), now));
            responses.bytes = responses.by_key.values().map(|kept| kept.body.len()).sum();
        }
        if responses.bytes + body.len() > CAPACITY {
            return;
        }
        let kept = Kept { headers: headers.clone(), body: body.clone(), edition, at: now };
        let replaced = responses.by_key.insert(key, kept).map_or(0, |old| old.body.len());
        responses.bytes = responses.bytes + body.len() - replaced;
    }
}

/// Checks whether the client has what the entity tag names (RFC 9110, section 13.1.2: the comparison is weak).
pub fn is_unchanged(headers: &HeaderMap, tag: Option<&HeaderValue>) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Some(tag) = tag.and_then(|tag| tag.to_str().ok()).map(opaque) else { return false };
    let named = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    named.flat_map(|value| value.split(',')).any(|known| opaque(known) == tag || known.trim() == "*")
}

/// Returns the response for a client that has it already. A browser keeps the content security policy that came with the page, whose nonce
/// the page's scripts carry: see `headers::set`.
pub fn not_modified(page: &HeaderMap) -> Response {
    let named = [header::ETAG, header::CACHE_CONTROL, header::VARY];
    let headers = named.iter().filter_map(|name| Some((name.clone(), page.get(name)?.clone()))).collect();
    response(StatusCode::NOT_MODIFIED, headers, Bytes::new())
}

/// Creates a response.
pub fn response(status: StatusCode, headers: HeaderMap, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDITION: Edition = Edition { world: 1, notifications: 2, writes: 3, session: 4 };

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn headers(name: HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
    }

    fn key(address: &str, cookie: &str) -> Key {
        Key::of(SessionKey::of_cookie("one"), address, &headers(header::COOKIE, cookie))
    }

    #[test]
    fn a_page_is_kept_until_something_changes_and_not_for_long() {
        let cache = ResponseCache::default();
        let tag = headers(header::ETAG, "W/\"a\"");
        cache.keep(key("/", "x"), &tag, &Bytes::from_static(b"page"), EDITION, at(100));
        let get = |key: &Key, edition, now| cache.get(key, edition, now, &HeaderMap::new()).map(|response| response.status());
        assert_eq!(get(&key("/", "x"), EDITION, at(101)), Some(StatusCode::OK));
        assert_eq!(get(&key("/", "x"), EDITION, at(102)), None, "a permission might be gone");
        assert_eq!(get(&key("/", "theme=dark"), EDITION, at(101)), None, "another theme is another page");
        assert_eq!(get(&key("/cost", "x"), EDITION, at(101)), None);
        let changed = [
            Edition { world: 2, ..EDITION },
            Edition { notifications: 3, ..EDITION },
            Edition { writes: 4, ..EDITION },
            Edition { session: 5, ..EDITION },
        ];
        for edition in changed {
            assert_eq!(get(&key("/", "x"), edition, at(101)), None, "{edition:?}");
        }
    }

    #[test]
    fn a_browser_that_has_the_page_gets_no_content_and_keeps_its_policy() {
        let cache = ResponseCache::default();
        let mut page = headers(header::ETAG, "W/\"a\"");
        page.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("script-src 'nonce-1'"));
        cache.keep(key("/", "x"), &page, &Bytes::from_static(b"page"), EDITION, at(100));
        for (known, status) in [("W/\"a\"", 304), ("\"b\", \"a\"", 304), ("*", 304), ("W/\"b\"", 200)] {
            let response = cache.get(&key("/", "x"), EDITION, at(100), &headers(header::IF_NONE_MATCH, known)).unwrap();
            assert_eq!(response.status(), status, "{known}");
            assert_eq!(response.headers().contains_key(header::CONTENT_SECURITY_POLICY), status == 200, "{known}");
        }
    }

    #[test]
    fn pages_of_the_past_make_room() {
        let cache = ResponseCache::default();
        let large = Bytes::from(vec![0; LARGEST]);
        let keep = |page: usize, now| cache.keep(key(&format!("/{page}"), "x"), &HeaderMap::new(), &large, EDITION, now);
        let kept = |page: usize, now| cache.get(&key(&format!("/{page}"), "x"), EDITION, now, &HeaderMap::new()).is_some();
        let room = CAPACITY / LARGEST;
        (0..=room).for_each(|page| keep(page, at(100)));
        assert!(kept(0, at(100)) && !kept(room, at(100)), "there is no room for the last one");
        keep(room, at(102));
        assert!(kept(room, at(102)) && cache.0.lock().bytes == LARGEST);
        cache.keep(key("/larger", "x"), &HeaderMap::new(), &Bytes::from(vec![0; LARGEST + 1]), EDITION, at(102));
        assert!(cache.get(&key("/larger", "x"), EDITION, at(102), &HeaderMap::new()).is_none());
    }
}
