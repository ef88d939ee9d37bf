//! Security headers of every response. Pages bring their own content security policy with a nonce; everything else gets one that allows
//! nothing.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode, header};

const ALWAYS: [(HeaderName, HeaderValue); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ),
];

const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox");

/// Returns the content security policy of a page whose inline scripts carry `nonce`.
///
/// `wasm-unsafe-eval` lets our own WebAssembly compile; styles come from our own files, so no `style` attributes.
pub fn page_policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// HSTS: for one year, browsers that have visited the portal connect only over TLS.
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Adds missing headers. `secure` says whether people reach the portal by `https://`.
///
/// A 304 has no content security policy: the browser applies its headers to the page that it has, whose policy names the nonce of its
/// scripts (RFC 9111, section 4.3.4).
pub async fn set(State(secure): State<bool>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let status = response.status();
    let headers = response.headers_mut();
    if secure {
        headers.entry(header::STRICT_TRANSPORT_SECURITY).or_insert(STRICT_TRANSPORT);
    }
    for (name, value) in ALWAYS {
        headers.entry(name).or_insert(value);
    }
    if status != StatusCode::NOT_MODIFIED {
        headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(NOTHING);
    }
    // A page's content belongs to one person; assets set their own caching.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn only_a_portal_behind_tls_says_that_browsers_must_come_that_way() {
        for secure in [true, false] {
            let app: Router = Router::new().fallback(async || "page").layer(from_fn_with_state(secure, set));
            let answer = app.oneshot(Request::get("/").body(Body::empty()).unwrap()).await.unwrap();
            let told = answer.headers().get(header::STRICT_TRANSPORT_SECURITY);
            assert_eq!(told.is_some_and(|value| value.as_bytes().starts_with(b"max-age=")), secure);
        }
    }
}
