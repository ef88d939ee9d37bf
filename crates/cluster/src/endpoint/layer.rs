//! The tower service that adds identity and path prefix to requests.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderName, HeaderValue, RETRY_AFTER};
use http::{Method, Request, Response, StatusCode, Uri};
use kube::client::Body;
use tower::{BoxError, Service, ServiceExt};
use tracing::Instrument as _;

use super::Token;
use super::calls::{Call, ServerKind};
use super::stall::Stall;

/// The user that a client acts as.
const IMPERSONATE_USER: HeaderName = HeaderName::from_static("impersonate-user");
/// One of that user's groups.
const IMPERSONATE_GROUP: HeaderName = HeaderName::from_static("impersonate-group");
/// [`promise::names::IMPERSONATED_BY_EXTRA`] as the name of a header.
const IMPERSONATED_BY: HeaderName = HeaderName::from_static("impersonate-extra-platform.opmodel.dev%2fimpersonated-by");
/// How often a request is sent while the control plane answers 429, which it does for about a second after a binding.
const ATTEMPTS: u32 = 5;
/// Longest pause before a retry, whatever the control plane asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// How long a server can take to start its response to a read. Watches start their response at once.
const PATIENCE: Duration = Duration::from_secs(15);
/// The same for a write: admission webhooks have at most 30 s.
const PATIENCE_FOR_WRITES: Duration = Duration::from_secs(40);

/// Adds a path prefix and a bearer token to every request.
#[derive(Clone)]
pub struct Authorized<S> {
    inner: S,
    server: ServerKind,
    prefix: String,
    token: Option<Token>,
    acts_as: Vec<(HeaderName, HeaderValue)>,
}

/// The user that a client acts as, if it isn't the token's own user.
#[derive(Clone, Copy)]
pub struct ActsAs<'a> {
    /// User name.
    pub user: &'a str,
    /// The component that impersonates, for [`promise::names::IMPERSONATED_BY_EXTRA`].
    pub by: Option<&'static str>,
}

impl<S> Authorized<S> {
    /// Creates the service. Without a token the transport authenticates, for example with a client certificate.
    pub fn new(inner: S, server: ServerKind, token: Option<&Token>, prefix: String, acts_as: Option<ActsAs<'_>>) -> Self {
        // A name that doesn't fit in a header becomes an empty one, which the control plane refuses.
        let user = |acts_as: ActsAs<'_>| (IMPERSONATE_USER, HeaderValue::try_from(acts_as.user).unwrap_or(HeaderValue::from_static("")));
        let by = acts_as.and_then(|acts_as| acts_as.by).map(|by| (IMPERSONATED_BY, HeaderValue::from_static(by)));
        // Whom a client is created for counts instead of whom its token acts as.
        let of_token = token.and_then(Token::acts_as).filter(|_| acts_as.is_none());
        let person = of_token.into_iter().flat_map(|(user, groups)| {
            let groups = groups.iter().map(|group| (IMPERSONATE_GROUP, group.clone()));
            std::iter::once((IMPERSONATE_USER, user.clone())).chain(groups)
        });
        let acts_as = acts_as.map(user).into_iter().chain(by).chain(person).collect();
        Self { inner, server, prefix, token: token.cloned(), acts_as }
    }

    fn prepare(&self, request: &mut Request<Body>) -> Result<(), BoxError> {
        let path = request.uri().path_and_query().map_or("/", |p| p.as_str());
        if request.uri().path().split('/').any(leads_elsewhere) {
            return Err(format!("a name can't be a relative path: {path}").into());
        }
        *request.uri_mut() = Uri::try_from(format!("{}{path}", self.prefix))?;
        // Code that builds requests further up must not be able to act as another user.
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
        // Each call waits for its own clone, see below.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        if let Err(error) = self.prepare(&mut request) {
            return Box::pin(std::future::ready(Err(error)));
        }
        let (inner, server) = (self.inner.clone(), self.server);
        let is_watch = is_watch(request.uri());
        Box::pin(async move {
            for _ in 1..ATTEMPTS {
                let Some(again) = copy(&request) else { break };
                let response = answer(inner.clone(), server, request, is_watch).await?;
                if response.status() != StatusCode::TOO_MANY_REQUESTS {
                    return Ok(response.map(|body| Stall::new(body, is_watch)));
                }
                tokio::time::sleep(wait(&response)).await;
                request = again;
            }
            Ok(answer(inner, server, request, is_watch).await?.map(|body| Stall::new(body, is_watch)))
        })
    }
}

/// Checks whether a request is a watch.
fn is_watch(uri: &Uri) -> bool {
    uri.query().unwrap_or_default().split('&').any(|pair| matches!(pair, "watch=true" | "watch=1"))
}

/// Checks whether a path segment is more than a name. Servers unescape segments before they interpret them.
fn leads_elsewhere(segment: &str) -> bool {
    let decoded = segment.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/");
    decoded == "." || decoded == ".." || decoded.contains('/')
}

/// Checks whether a header carries an identity.
fn speaks_for(name: &HeaderName) -> bool {
    *name == AUTHORIZATION || name.as_str().starts_with("impersonate-") || name.as_str().starts_with("x-remote-")
}

/// Returns the response once its head has arrived; see [`Stall`] for the body. A server that accepts connections and never responds must
/// not block callers forever.
async fn answer<S>(service: S, server: ServerKind, mut request: Request<Body>, is_watch: bool) -> Result<Response<Body>, BoxError>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = BoxError>,
{
    let patience = if request.method() == Method::GET { PATIENCE } else { PATIENCE_FOR_WRITES };
    let call = Call::begin(server, &mut request, is_watch);
    let outcome = match tokio::time::timeout(patience, service.oneshot(request).instrument(call.span())).await {
        Ok(outcome) => outcome,
        Err(_) => Err(format!("no response within {} seconds", patience.as_secs()).into()),
    };
    call.end(&outcome);
    outcome
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
