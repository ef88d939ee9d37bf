//! Spans for traces: calls to API servers and reconciles. What becomes of them is up to the process; without a subscriber for their target they
//! cost nothing.

use std::sync::OnceLock;

use http::HeaderMap;
use tracing::Span;

/// Target of the spans that are traces. Other spans are of the log.
pub const TRACES: &str = "opm_trace";

/// Writes the trace of a span into the headers of a request.
type Propagator = fn(&Span, &mut HeaderMap);

static PROPAGATOR: OnceLock<Propagator> = OnceLock::new();

/// Has each call to an API server name its trace. The first propagator of the process counts.
pub fn propagate(propagator: Propagator) {
    let _ = PROPAGATOR.set(propagator);
}

/// Names the trace of a span in the headers of a call.
pub(crate) fn pass_on(span: &Span, headers: &mut HeaderMap) {
    if let Some(propagator) = PROPAGATOR.get()
        && !span.is_disabled()
    {
        propagator(span, headers);
    }
}
