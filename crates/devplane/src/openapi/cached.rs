//! Documents that need not be made or sent again (kube-openapi `handler3`): entity tags, and indexes that are remembered.
//!
//! An index names the hash of every document, so that making one means making all of them; clients ask for it at every command.

use std::sync::{Arc, Weak};

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::{
    http::{
        answer::{Answer, Content},
        media::Format,
        query::Query,
    },
    registry::Resource,
};

/// The resources of a cluster or of a virtual workspace, as they are remembered.
type Resources = Vec<Arc<Resource>>;

/// Indexes of what has not changed since.
#[derive(Default)]
pub struct Indexes(Mutex<Vec<(Weak<Resources>, Bytes)>>);

impl Indexes {
    /// The index of what a cluster or a virtual workspace serves.
    pub(super) fn index(&self, resources: &Arc<Resources>) -> Bytes {
        let known = self.0.lock().iter().find(|(of, _)| of.as_ptr() == Arc::as_ptr(resources)).map(|(_, index)| index.clone());
        if let Some(index) = known {
            return index;
        }
        let all: Vec<&Resource> = resources.iter().map(|resource| &**resource).collect();
        let index = Bytes::from(super::index(&all).to_string());
        let mut indexes = self.0.lock();
        indexes.retain(|(of, _)| of.strong_count() > 0);
        indexes.push((Arc::downgrade(resources), index.clone()));
        index
    }
}

/// The hash of a document, as its URL and its tag have it.
pub(super) fn hash(text: &[u8]) -> String {
    hex::encode_upper(Sha256::digest(text))
}

/// A document, or the word that the client has it already.
pub(super) fn respond(content_type: &'static str, text: Bytes, query: &Query, headers: &HeaderMap) -> Response<Body> {
    let hash = hash(&text);
    let tag = format!("\"{hash}\"");
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_known = known.split(',').any(|known| known.trim().trim_start_matches("W/") == tag);
    let content = if is_known { Content::Empty } else { Content::Text(content_type, text) };
    let mut response = Answer { code: 200, content, warnings: Vec::new() }.into_response(Format::default(), headers, !is_known);
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    // What is asked for by its content never changes.
    if query.get("hash") == hash {
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("public, immutable"));
    }
    response
}
