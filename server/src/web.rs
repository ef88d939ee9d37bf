//! What applies to every response: host check, headers, request ids and log lines, assets, redirects of addresses with a slash at the end.

pub mod assets;
pub mod body;
pub mod headers;
pub mod host;
pub mod listen;
pub mod pairs;
pub mod request_log;
pub mod response_cache;
pub mod site;
pub mod slash;

use http::{HeaderMap, header};

/// Checks whether the client is a browser that displays pages.
pub fn takes_page(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains("text/html"))
}
