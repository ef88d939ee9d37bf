//! Addresses with a slash at their end: they redirect to the same address without it, which is the only one that has a route.

use app::routes::{page, safe_redirect};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::{Method, Uri};

/// Redirects requests that read to the address without the slash at its end.
pub async fn redirect(request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    match without_slash(request.uri()).filter(|_| reads) {
        Some(address) => Redirect::permanent(&address).into_response(),
        None => next.run(request).await,
    }
}

/// Returns the address without the slashes at the end of its path, with its query. `None` if it has none, or if what remains would lead to
/// another host.
fn without_slash(uri: &Uri) -> Option<String> {
    let path = uri.path().strip_suffix('/')?.trim_end_matches('/');
    let address = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    // Home is where addresses lead that aren't safe.
    (!path.is_empty() && safe_redirect(&address) != page::HOME).then_some(address)
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn;
    use http::{StatusCode, header};
    use tower::ServiceExt as _;

    use super::*;

    #[test]
    fn only_the_slash_at_the_end_goes() {
        for (given, expected) in [
            ("/w/root:acme:shop/", Some("/w/root:acme:shop")),
            ("/requests//?q=a/&page=2", Some("/requests?q=a/&page=2")),
            ("/requests", None),
            ("/requests?q=a/", None),
            ("/", None),
            ("/?q=a", None),
            ("//", None),
            ("//evil.com/", None),
            ("///evil.com/", None),
            ("//evil.com/?q=a", None),
        ] {
            assert_eq!(without_slash(&given.parse().unwrap()).as_deref(), expected, "{given}");
        }
    }

    #[tokio::test]
    async fn what_reads_is_redirected_and_what_writes_is_not() {
        let app: Router = Router::new().fallback(async || StatusCode::NOT_FOUND).layer(from_fn(redirect));
        for (method, status, location) in [
            (Method::GET, StatusCode::PERMANENT_REDIRECT, Some("/requests?q=a")),
            (Method::HEAD, StatusCode::PERMANENT_REDIRECT, Some("/requests?q=a")),
            (Method::POST, StatusCode::NOT_FOUND, None),
        ] {
            let request = Request::builder().method(&method).uri("/requests/?q=a").body(Body::empty()).unwrap();
            let answer = app.clone().oneshot(request).await.unwrap();
            assert_eq!(answer.status(), status, "{method}");
            assert_eq!(answer.headers().get(header::LOCATION).map(|value| value.to_str().unwrap()), location, "{method}");
        }
    }
}
