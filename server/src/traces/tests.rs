use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::response::Response as Answer;
use cluster::{Endpoint, Scope, Token};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;

/// The trace and the span that a request names (W3C Trace Context).
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SPAN: &str = "b7ad6b7169203331";

/// Reads a ConfigMap from a plane while handling a request with these headers. Returns the trace ID and span ID that the plane receives.
async fn received_in(from: Option<&HeaderMap>) -> (String, String) {
    let seen = Arc::new(Mutex::new(None));
    let note = seen.clone();
    let service = tower::service_fn(move |request: Request<kube::client::Body>| {
        let header = request.headers().get("traceparent").map(|value| value.to_str().unwrap().to_owned());
        *note.lock().unwrap() = header;
        let body = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#;
        async move { Ok::<_, Infallible>(Answer::new(axum::body::Body::from(body))) }
    });
    let client = Endpoint::in_process("the plane", service).client(&Token::new("t"), &Scope::Root);
    let read = async { Api::<ConfigMap>::namespaced(client, "default").get("a").await.unwrap() };
    read.instrument(request(&Method::GET, Some("/w/{workspace}"), from)).await;
    let header = seen.lock().unwrap().take().expect("the call names its trace");
    let [version, trace, span, sampled] = header.split('-').collect::<Vec<_>>()[..] else { panic!("{header}") };
    assert_eq!((version, sampled), ("00", "01"), "{header}");
    (trace.to_owned(), span.to_owned())
}

#[tokio::test]
async fn the_plane_is_told_the_trace_of_the_request_that_calls_it() {
    global::set_text_map_propagator(TraceContextPropagator::new());
    cluster::trace::propagate(pass_on);
    let traces = Traces(SdkTracerProvider::builder().build());
    let _subscriber = tracing::subscriber::set_default(tracing_subscriber::registry().with(traces.layer()));

    let headers = HeaderMap::from_iter([("traceparent".parse().unwrap(), format!("00-{TRACE}-{SPAN}-01").parse().unwrap())]);
    let (trace, span) = received_in(Some(&headers)).await;
    assert_eq!(trace, TRACE);
    assert_ne!(span, SPAN, "the call is a span of its own");

    // A sender that isn't trusted names nothing, and each request has a trace of its own.
    let (one, other) = (received_in(None).await.0, received_in(None).await.0);
    assert!(one != other && one != TRACE && other != TRACE, "{one} {other}");
}
