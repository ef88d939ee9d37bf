//! Counts the calls to servers, and how long their responses take to begin. Addresses aren't recorded: there is one per object.

use http::{Method, Request, Response};
use kube::client::Body;
use tokio::time::Instant;
use tower::BoxError;

/// The kind of server that an endpoint leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerKind {
    /// The control plane, or one of its shards.
    Plane,
    /// The cluster of a Destination.
    Destination,
}

impl ServerKind {
    fn word(self) -> &'static str {
        match self {
            Self::Plane => "plane",
            Self::Destination => "destination",
        }
    }
}

/// A call that has begun.
pub(super) struct Call {
    server: ServerKind,
    verb: &'static str,
    begun: Instant,
}

impl Call {
    pub(super) fn begin(server: ServerKind, request: &Request<Body>, is_watch: bool) -> Self {
        Self { server, verb: verb(request.method(), is_watch), begun: Instant::now() }
    }

    /// Records the outcome: the status of the response, or `none` without one.
    pub(super) fn end(self, outcome: &Result<Response<Body>, BoxError>) {
        let code = outcome.as_ref().map_or_else(|_| "none".to_owned(), |response| response.status().as_u16().to_string());
        let server = self.server.word();
        metrics::counter!("opm_plane_requests_total", "server" => server, "verb" => self.verb, "code" => code).increment(1);
        metrics::histogram!("opm_plane_request_duration_seconds", "server" => server, "verb" => self.verb)
            .record(self.begun.elapsed().as_secs_f64());
    }
}

fn verb(method: &Method, is_watch: bool) -> &'static str {
    match *method {
        _ if is_watch => "watch",
        Method::GET => "get",
        Method::POST => "post",
        Method::PUT => "put",
        Method::PATCH => "patch",
        Method::DELETE => "delete",
        _ => "other",
    }
}
