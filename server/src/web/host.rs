//! Checks the Host header: a foreign name that resolves to our address (DNS rebinding) would make its pages share our origin.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, Uri, header};
use std::sync::Arc;

/// Names under which the portal can be reached.
#[derive(Clone, Debug)]
pub struct Hosts(Arc<[String]>);

impl Hosts {
    /// Allows loopback names, and the host (and port) of the public address.
    pub fn new(public_authority: Option<&str>) -> Self {
        let loopback = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        Self(loopback.into_iter().chain(public_authority.map(str::to_ascii_lowercase)).collect())
    }

    /// Checks whether a request can use this authority. Loopback names can have any port (a port can't be rebound); the public address must
    /// match completely.
    fn allow(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        let host = match authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
            _ => authority.as_str(),
        };
        let (loopback, public) = self.0.split_at(3);
        loopback.iter().any(|name| name == host) || public.contains(&authority)
    }
}

/// Checks whether a request uses a name of this machine.
pub fn is_loopback(headers: &HeaderMap) -> bool {
    authority(headers, &Uri::default()).is_some_and(|authority| Hosts::new(None).allow(authority))
}

/// Returns host and port under which a request addresses us.
pub fn authority<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    headers.get(header::HOST).and_then(|value| value.to_str().ok()).or_else(|| uri.authority().map(http::uri::Authority::as_str))
}

/// Refuses requests for any other host.
pub async fn check(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    match authority(request.headers(), request.uri()) {
        Some(authority) if hosts.allow(authority) => next.run(request).await,
        _ => (StatusCode::MISDIRECTED_REQUEST, "the portal isn't served under this host name\n").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_the_public_name_pass() {
        let hosts = Hosts::new(Some("Portal.example.org:8443"));
        for pass in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "[::1]", "portal.example.org:8443"] {
            assert!(hosts.allow(pass), "{pass}");
        }
        for refused in
            ["", "evil.example", "localhost.evil.example:8080", "portal.example.org", "127.0.0.1.nip.io", "localhost:80:80", "a@localhost"]
        {
            assert!(!hosts.allow(refused), "{refused}");
        }
    }
}
