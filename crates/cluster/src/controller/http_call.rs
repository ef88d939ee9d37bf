//! Calls to servers of Endpoints, for steps of workflows.
//!
//! `promise::endpoint` has the rules, [`crate::outbound`] the connection; this module finds the Endpoint and its credential, and says in
//! known words why there is no answer. The same call can be made again: the server is given its key.

mod callable;
mod credential;
mod failure;
#[cfg(test)]
mod tests;

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, header};
use http_body_util::Full;
use promise::api::HttpMethod;
use promise::endpoint::{self, EndpointUrl, IDEMPOTENCY_KEY};
use serde_json::Value;

pub(super) use callable::{Callable, owner};
pub(super) use failure::{HttpFailure, describe};

use super::context::ControllerContext;
use crate::outbound::{Answer, BodyError, CallError, Outbound, Server, Trust};
use crate::workspaces::ClusterId;

/// How long a call can take, from finding the address to the end of the answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Largest answer, in bytes.
const LARGEST: usize = 64 * 1024;

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HttpCall {
    /// Method in capital letters.
    pub method: String,
    /// Path below the Endpoint's URL.
    pub path: String,
    /// JSON body, if there is one.
    pub body: Option<Value>,
    /// The same for every attempt of one call.
    pub idempotency_key: String,
}

/// An answer, whatever its status; redirects aren't answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HttpAnswer {
    /// The status.
    pub status: u16,
    /// The JSON, or the text if it isn't JSON; null without a body. Asterisks take the place of the credential.
    pub body: Value,
}

/// Calls the Endpoint that promises of `home` refer to by a name. `within` is how long the call can take, if that might be less than usual.
///
/// # Errors
/// If nothing was sent, or there is no answer.
pub(super) async fn call(
    ctx: &ControllerContext,
    home: &ClusterId,
    endpoint: &str,
    call: &HttpCall,
    within: Option<Duration>,
) -> Result<HttpAnswer, HttpFailure> {
    let at = ctx.world.endpoint(home, endpoint, &ctx.trusted);
    let row = callable::admitted(&ctx.world.endpoints, &ctx.world.tree(), &ctx.trusted, home, &at)?;
    let callable = Callable::of(&row.spec)?;
    // What isn't allowed is refused before its credential is read.
    let request = callable.request(call)?;
    let callable = callable.with_credential(ctx, &at).await?;
    callable.send(&ctx.outbound, request, within.map_or(TIMEOUT, |within| within.min(TIMEOUT))).await
}

impl Callable {
    /// Returns the request of a call, without the credential.
    fn request(&self, call: &HttpCall) -> Result<Request<Full<Bytes>>, HttpFailure> {
        let method = HttpMethod::parse(&call.method).filter(|method| endpoint::allows_method(&self.spec, *method));
        let method = method.ok_or_else(|| HttpFailure::Method { method: call.method.clone() })?;
        match endpoint::allows_path(&self.spec, &call.path) {
            Ok(true) => {}
            Ok(false) => return Err(HttpFailure::Path { path: call.path.clone() }),
            Err(error) => return Err(HttpFailure::InvalidPath { path: call.path.clone(), error }),
        }
        let key = HeaderValue::from_str(&call.idempotency_key).map_err(|_| HttpFailure::InvalidKey)?;
        let EndpointUrl { base, .. } = &self.url;
        let mut request = Request::builder()
            .method(method.as_str())
            .uri(format!("{base}{}", call.path))
            .header(header::HOST, self.url.authority())
            .header(header::ACCEPT, "application/json")
            .header(header::USER_AGENT, concat!("opm-portal/", env!("CARGO_PKG_VERSION")))
            .header(HeaderName::from_static(IDEMPOTENCY_KEY), key);
        if call.body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let body = call.body.as_ref().map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let invalid = |_| HttpFailure::InvalidPath { path: call.path.clone(), error: endpoint::PathError::Character };
        request.body(Full::new(body)).map_err(invalid)
    }

    async fn send(&self, outbound: &Outbound, mut request: Request<Full<Bytes>>, within: Duration) -> Result<HttpAnswer, HttpFailure> {
        if let Some(credential) = &self.credential {
            credential.authorize(request.headers_mut());
        }
        let EndpointUrl { encrypted, host, port, .. } = &self.url;
        let trust = match &self.roots {
            _ if !encrypted => Trust::Plain,
            Some(roots) => Trust::Roots(roots),
            None => Trust::System,
        };
        let (server, host) = (Server { host, port: *port, trust }, || host.clone());
        let allows = |address| endpoint::allows_address(&self.spec, &self.url, address);
        let sent = tokio::time::timeout(within, outbound.send(&server, allows, request, LARGEST)).await;
        let answer = sent.map_err(|_| HttpFailure::TimedOut { seconds: within.as_secs() })?;
        let Answer { status, body } = answer.map_err(|error| match error {
            CallError::Unresolved => HttpFailure::Unresolved { host: host() },
            CallError::NotAllowed(address) => HttpFailure::Address { host: host(), address },
            CallError::Unreachable => HttpFailure::Unreachable { host: host() },
            CallError::InvalidHost => HttpFailure::Untrusted { host: host(), error: None },
            CallError::Untrusted(error) => HttpFailure::Untrusted { host: host(), error: Some(error) },
            CallError::Closed => HttpFailure::Closed { host: host() },
        })?;
        if status.is_redirection() {
            return Err(HttpFailure::Redirected { status: status.as_u16() });
        }
        let body = body.map_err(|error| match error {
            BodyError::TooLarge => HttpFailure::TooLarge,
            BodyError::Closed => HttpFailure::Closed { host: host() },
        })?;
        let body = read(&body);
        let body = self.credential.as_ref().map_or_else(|| body.clone(), |credential| credential.masked(&body));
        Ok(HttpAnswer { status: status.as_u16(), body })
    }
}

fn read(body: &[u8]) -> Value {
    if body.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(body).unwrap_or_else(|_| String::from_utf8_lossy(body).into_owned().into())
}
