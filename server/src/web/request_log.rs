//! One id per request, on every log line about it and in the response header `x-request-id`; one log line per answered request.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderValue, Method};
use tracing::Instrument as _;

use super::listen::Peer;
use crate::clock::Clock;
use crate::traces;

/// The id of a request, as in the log and the header `x-request-id`.
#[derive(Clone, Debug)]
pub struct RequestId(pub Arc<str>);

/// What the log needs from the portal.
#[derive(Clone)]
pub struct Log {
    /// For durations.
    pub clock: Arc<dyn Clock>,
    /// For ids.
    pub random: Arc<dyn store::Random>,
    /// Whether the other end of a connection is a proxy of the operator, which is believed to name the trace of a request.
    pub is_proxy: Arc<dyn Fn(&Peer) -> bool + Send + Sync>,
}

/// Assigns the request id and writes the log line. Query strings are left out because they contain what people search for.
pub async fn record(State(log): State<Log>, mut request: Request, next: Next) -> Response {
    let mut bytes = [0; 8];
    log.random.fill(&mut bytes);
    let id = hex::encode(bytes);
    request.extensions_mut().insert(RequestId(Arc::from(id.as_str())));
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().map(|route| route.as_str().to_owned());
    let from = request.extensions().get::<Peer>().filter(|peer| (log.is_proxy)(peer)).map(|_| request.headers());
    let trace = traces::request(&method, route.as_deref(), from);
    let span = trace.in_scope(|| tracing::info_span!("request", %id));
    let begun = log.clock.now();
    let mut response = next.run(request).instrument(span.clone()).instrument(trace.clone()).await;
    let milliseconds = (log.clock.now().as_microsecond() - begun.as_microsecond()) as f64 / 1000.0;
    let status = response.status().as_u16();
    traces::answered(&trace, status);
    measure(&method, route.as_deref(), status, milliseconds);
    span.in_scope(|| {
        if response.status().is_server_error() {
            tracing::warn!(%method, path, route, status, milliseconds, "{method} {path} {status}");
        } else {
            tracing::debug!(%method, path, route, status, milliseconds, "{method} {path} {status}");
        }
    });
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}

/// Counts a request by the pattern of its route. Paths would be one series per workspace and request.
fn measure(method: &Method, route: Option<&str>, status: u16, milliseconds: f64) {
    let route = route.unwrap_or("none").to_owned();
    let method = traces::method_name(method);
    metrics::histogram!("opm_http_request_duration_seconds", "route" => route.clone()).record(milliseconds / 1000.0);
    metrics::counter!("opm_http_requests_total", "method" => method, "route" => route, "code" => status.to_string()).increment(1);
}
