//! Counts the calls to servers, and how long their responses take to begin. Addresses aren't recorded: there is one per object.

use http::{Method, Request, Response};
use kube::client::Body;
use tokio::time::Instant;
use tower::BoxError;
use tracing::{Span, field};

use crate::trace::{TRACES, pass_on};

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
    span: Span,
}

impl Call {
    /// Begins a call, whose request names the trace that it belongs to.
    pub(super) fn begin(server: ServerKind, request: &mut Request<Body>, is_watch: bool) -> Self {
        let verb = verb(request.method(), is_watch);
        let span = tracing::info_span!(
            target: TRACES,
            "call",
            otel.name = field::Empty,
            otel.kind = "client",
            otel.status_code = field::Empty,
            server = server.word(),
            verb,
            http.response.status_code = field::Empty,
        );
        if !span.is_disabled() {
            span.record("otel.name", format!("{} {verb}", server.word()));
            pass_on(&span, request.headers_mut());
        }
        Self { server, verb, begun: Instant::now(), span }
    }

    /// Returns the span of the call.
    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Records the outcome: the status of the response, or `none` without one.
    pub(super) fn end(self, outcome: &Result<Response<Body>, BoxError>) {
        let code = outcome.as_ref().map_or_else(|_| "none".to_owned(), |response| response.status().as_u16().to_string());
        match outcome {
            Ok(response) => self.span.record("http.response.status_code", i64::from(response.status().as_u16())),
            Err(_) => self.span.record("otel.status_code", "ERROR"),
        };
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
