//! The tower service that says who asks and where.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderName, HeaderValue, RETRY_AFTER};
use http::{Method, Request, Response, StatusCode, Uri};
use kube::client::Body;
use tower::{BoxError, Service, ServiceExt};

use super::Token;
use super::stall::Stall;

/// Whom a client acts as.
const IMPERSONATE_USER: HeaderName = HeaderName::from_static("impersonate-user");
/// [`promise::names::IMPERSONATED_BY_EXTRA`], as a header names it.
const IMPERSONATED_BY: HeaderName = HeaderName::from_static("impersonate-extra-platform.opmodel.dev%2fimpersonated-by");
/// How often a request is sent again while the plane answers 429; it does so for about a second after a binding.
const ATTEMPTS: u32 = 5;
/// Longest wait before one repetition, whatever the plane asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// How long a server may take to begin its answer to a question; a watch begins its answer at once.
const PATIENCE: Duration = Duration::from_secs(15);
/// The same for a write: admission webhooks have 30 s at most.
const PATIENCE_FOR_WRITES: Duration = Duration::from_secs(40);

/// Puts a path prefix and a bearer token before every request.
#[derive(Clone)]
pub struct Authorized<S> {
    inner: S,
    prefix: String,
    token: Option<Token>,
    acts_as: Vec<(HeaderName, HeaderValue)>,
}

/// Whom a client acts as, where that is somebody else than the token says.
#[derive(Clone, Copy)]
pub struct ActsAs<'a> {
    /// User name.
    pub user: &'a str,
    /// Who acts so, in [`promise::names::IMPERSONATED_BY_EXTRA`].
    pub by: Option<&'static str>,
}

impl<S> Authorized<S> {
    /// Without a token the transport authenticates, for example by certificate.
    pub fn new(inner: S, token: Option<&Token>, prefix: String, acts_as: Option<ActsAs<'_>>) -> Self {
        // A name that no header can hold becomes an empty one, which the plane refuses.
        let user = |acts_as: ActsAs<'_>| (IMPERSONATE_USER, HeaderValue::try_from(acts_as.user).unwrap_or(HeaderValue::from_static("")));
        let by = acts_as.and_then(|acts_as| acts_as.by).map(|by| (IMPERSONATED_BY, HeaderValue::from_static(by)));
        Self { inner, prefix, token: token.cloned(), acts_as: acts_as.map(user).into_iter().chain(by).collect() }
    }

    fn prepare(&self, request: &mut Request<Body>) -> Result<(), BoxError> {
        let path = request.uri().path_and_query().map_or("/", |p| p.as_str());
        if request.uri().path().split('/').any(leads_elsewhere) {
            return Err(format!("a name must not be a relative path: {path}").into());
        }
        *request.uri_mut() = Uri::try_from(format!("{}{path}", self.prefix))?;
        // Whoever builds requests further up must not be able to act as somebody else.
        let own: Vec<HeaderName> = request.headers().keys().filter(|name| speaks_for(name)).cloned().collect();
        for name in own {
            request.headers_mut().remove(name);
        }
        if let Some(token) = &self.token {
            request.headers_mut().insert(AUTHORIZATION, token.header());
        }
        request.headers_mut().extend(self.acts_as.iter().cloned());
        Ok(())
    }
}

impl<S> Service<Request<Body>> for Authorized<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Stall<Body>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        // Each call waits for a clone of its own, see below.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        if let Err(error) = self.prepare(&mut request) {
            return Box::pin(std::future::ready(Err(error)));
        }
        let inner = self.inner.clone();
        let is_watch = is_watch(request.uri());
        Box::pin(async move {
            for _ in 1..ATTEMPTS {
                let Some(again) = copy(&request) else { break };
                let response = answer(inner.clone(), request).await?;
                if response.status() != StatusCode::TOO_MANY_REQUESTS {
                    return Ok(response.map(|body| Stall::new(body, is_watch)));
                }
                tokio::time::sleep(wait(&response)).await;
                request = again;
            }
            Ok(answer(inner, request).await?.map(|body| Stall::new(body, is_watch)))
        })
    }
}

/// Whether a request asks for changes as they come.
fn is_watch(uri: &Uri) -> bool {
    uri.query().unwrap_or_default().split('&').any(|pair| matches!(pair, "watch=true" | "watch=1"))
}

/// Whether a segment of a path is more than a name: servers take away its escapes before they look at it.
fn leads_elsewhere(segment: &str) -> bool {
    let decoded = segment.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/");
    decoded == "." || decoded == ".." || decoded.contains('/')
}

/// Whether a header says who asks.
fn speaks_for(name: &HeaderName) -> bool {
    *name == AUTHORIZATION || name.as_str().starts_with("impersonate-") || name.as_str().starts_with("x-remote-")
}

/// The answer, once its head is there; see [`Stall`] for the rest. A server that takes connections
/// and says nothing must not keep anybody for ever.
async fn answer<S>(server: S, request: Request<Body>) -> Result<Response<Body>, BoxError>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = BoxError>,
{
    let patience = if request.method() == Method::GET { PATIENCE } else { PATIENCE_FOR_WRITES };
    tokio::time::timeout(patience, server.oneshot(request)).await.map_err(|_| format!("no answer within {} seconds", patience.as_secs()))?
}

fn wait(response: &Response<Body>) -> Duration {
    let asked = response.headers().get(RETRY_AFTER).and_then(|v| v.to_str().ok()).and_then(|v| v.parse().ok());
    asked.map_or(Duration::from_millis(100), Duration::from_secs).min(LONGEST_WAIT)
}

fn copy(request: &Request<Body>) -> Option<Request<Body>> {
    let mut copy = Request::new(request.body().try_clone()?);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    Some(copy)
}
