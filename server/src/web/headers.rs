//! Security headers on every answer. Pages bring their own content security policy with a nonce; everything else gets one that allows nothing.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue, header};

const ALWAYS: [(HeaderName, HeaderValue); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox");

/// Content security policy of a page whose inline scripts carry `nonce`.
///
/// `wasm-unsafe-eval` lets our own WebAssembly compile; styles come from our own files, so no `style` attributes.
pub fn page_policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// Adds what is not there yet.
pub async fn set(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.entry(name).or_insert(value);
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(NOTHING);
    // What a page shows is one person's; assets say otherwise themselves.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
