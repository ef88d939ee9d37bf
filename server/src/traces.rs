//! Traces for OpenTelemetry: requests of people and programs, calls to API servers and reconciles, sent by OTLP over HTTP.
//!
//! They are configured by the environment variables of the OpenTelemetry specification alone; without an endpoint nothing is recorded or sent.
//! Only spans under the target [`TRACES`] are traces: the log's own spans and lines stay in the log. A span has the pattern of a route, a method
//! and a status, never an address, a query, a person or a value.

use std::time::Duration;

use http::{HeaderMap, Method};
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry::{KeyValue, global};
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HeaderExtractor, HeaderInjector, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::Handle;
use tracing::{Span, Subscriber, field};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

pub use cluster::trace::TRACES;

/// Name of the service, unless the environment names it.
const SERVICE: &str = "opm-portal";
/// What the SDK calls a service without a name.
const UNNAMED: &str = "unknown_service";
/// How long sending can take. The exporter has a shorter limit of its own, which the environment sets.
const PATIENCE: Duration = Duration::from_secs(30);
/// Variables that name an endpoint, the one for traces first.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// Why traces can't be sent.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
    /// A variable has a value that can't be used.
    #[error("the OTEL_… environment variables can't be used: {0}")]
    Exporter(#[from] ExporterBuildError),
    /// The protocol isn't supported.
    #[error("OTEL_EXPORTER_OTLP_PROTOCOL: traces are sent as http/protobuf; remove the variable, or set it to that")]
    Protocol,
    /// There is no TLS.
    #[error("traces can't be sent: {0}")]
    Tls(#[from] rustls::Error),
}

/// Traces that are recorded and sent.
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts sending traces if the environment names an endpoint. Call it in the runtime that sends them.
    ///
    /// # Errors
    /// If a variable has a value that can't be used.
    pub fn from_environment() -> Result<Option<Self>, TracesError> {
        let is_off = variable("OTEL_SDK_DISABLED").eq_ignore_ascii_case("true") || variable("OTEL_TRACES_EXPORTER") == "none";
        if is_off || ENDPOINTS.iter().all(|name| variable(name).is_empty()) {
            return Ok(None);
        }
        let protocols = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"].map(variable);
        if protocols.into_iter().find(|protocol| !protocol.is_empty()).is_some_and(|protocol| protocol != "http/protobuf") {
            return Err(TracesError::Protocol);
        }
        let exporter = SpanExporter::builder().with_http().with_http_client(OnRuntime::new()?).build()?;
        let resource = Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
        let named = Resource::builder().build().get(&"service.name".into()).is_some_and(|name| !name.as_str().starts_with(UNNAMED));
        let resource = if named { resource } else { resource.with_service_name(SERVICE) };
        // What others say about their traces is only read if the operator says so: anyone can write a header.
        if variable("OTEL_PROPAGATORS").split(',').any(|name| name.trim() == "tracecontext") {
            global::set_text_map_propagator(TraceContextPropagator::new());
        }
        cluster::trace::propagate(pass_on);
        Ok(Some(Self(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build())))
    }

    /// Returns what records the spans.
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + 'static + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync + 'static,
    {
        let layer = tracing_opentelemetry::layer().with_tracer(self.0.tracer(SERVICE));
        let layer = layer.with_location(false).with_threads(false).with_target(false).with_level(false).with_tracked_inactivity(false);
        layer.with_filter(filter_fn(|metadata| metadata.is_span() && metadata.target() == TRACES))
    }

    /// Sends what is left.
    pub fn close(self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "OpenTelemetry is configured by the environment alone, which its SDK reads as well")]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Begins the span of a request that was sent to the portal. `from` has the headers of one whose sender is trusted to name the trace that it
/// belongs to.
pub fn request(method: &Method, route: Option<&str>, from: Option<&HeaderMap>) -> Span {
    let span = tracing::info_span!(
        target: TRACES,
        "request",
        otel.name = field::Empty,
        otel.kind = "server",
        otel.status_code = field::Empty,
        http.request.method = method_name(method),
        http.route = route,
        http.response.status_code = field::Empty,
    );
    if span.is_disabled() {
        return span;
    }
    match route {
        Some(route) => span.record("otel.name", format!("{} {route}", method_name(method))),
        None => span.record("otel.name", method_name(method)),
    };
    if let Some(headers) = from {
        let parent = global::get_text_map_propagator(|propagator| propagator.extract(&HeaderExtractor(headers)));
        if parent.span().span_context().is_valid()
            && let Err(error) = span.set_parent(parent)
        {
            tracing::debug!(%error, "the trace of a request could not be continued");
        }
    }
    span
}

/// Ends the span of a request with the status of its response.
pub fn answered(span: &Span, status: u16) {
    span.record("http.response.status_code", i64::from(status));
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
}

/// Returns the method as OpenTelemetry's semantic conventions name it: anyone can make up others.
pub fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "_OTHER",
    }
}

/// Names the trace of a call to an API server (W3C Trace Context).
fn pass_on(span: &Span, headers: &mut HeaderMap) {
    TraceContextPropagator::new().inject_context(&span.context(), &mut HeaderInjector(headers));
}

/// Sends from the runtime: the exporter has a thread of its own.
#[derive(Debug)]
struct OnRuntime {
    client: HyperClient<HttpsConnector<HttpConnector>>,
    runtime: Handle,
}

impl OnRuntime {
    fn new() -> Result<Self, TracesError> {
        let tls = ClientConfig::builder_with_provider(ring::default_provider().into()).with_safe_default_protocol_versions()?;
        // A machine without certificates can still send to a collector without TLS.
        let tls = match tls.clone().with_native_roots() {
            Ok(tls) => tls,
            Err(error) => {
                tracing::warn!(%error, "this machine has no certificates, so traces can be sent to http:// endpoints only");
                tls.with_root_certificates(RootCertStore::empty())
            }
        };
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls.with_no_client_auth()).https_or_http().enable_http1().build();
        Ok(Self { client: HyperClient::new(connector, PATIENCE, None), runtime: Handle::current() })
    }
}

#[async_trait::async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        self.runtime.spawn(async move { client.send_bytes(request).await }).await?
    }
}

#[cfg(test)]
mod tests;
