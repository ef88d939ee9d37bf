//! Outgoing webhooks: only to configured receivers, signed, without redirects, to an address that was resolved once and checked.
//!
//! Headers and signature follow Standard Webhooks: `webhook-id`, `webhook-timestamp` in seconds, and `webhook-signature`, which is `v1,`
//! followed by the Base64 of HMAC-SHA256 over `<id>.<timestamp>.<body>`.

mod body;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use cluster::outbound::{CallError, Outbound, Server, Trust};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{Request, StatusCode, header};
use http_body_util::Full;
use jiff::Timestamp;
use promise::address::is_public;
use sha2::Sha256;
use store::Delivery;

use crate::config::Webhook;
use crate::failure::{Failure, FailureReason};

/// Bytes of a response that are read so that the other side can finish properly; they are ignored.
const ANSWER: usize = 16 * 1024;

/// Sends messages to webhooks.
#[derive(Default)]
pub(super) struct Courier {
    outbound: Outbound,
}

impl Courier {
    /// Sends one message at `now`; `base` is the base URL of its links.
    pub async fn send(&self, hook: &Webhook, base: &str, delivery: &Delivery, now: Timestamp) -> Result<(), Failure> {
        let body = body::of(hook.format, base, delivery);
        let request = request(hook, &delivery.id, now.as_second(), body)?;
        let host = hook.url.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let secure = hook.url.scheme_str() == Some("https");
        let port = hook.url.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let server = Server { host, port, trust: if secure { Trust::System } else { Trust::Plain } };
        let answer = self.outbound.send(&server, |address| hook.allow_private || is_public(address), request, ANSWER).await;
        answered(hook, answer.map_err(|error| failed(hook, host, error))?.status)
    }
}

/// Says why there is no response. Only what someone has to fix isn't tried again.
fn failed(hook: &Webhook, host: &str, error: CallError) -> Failure {
    let (name, host) = (hook.name.clone(), host.to_owned());
    match error {
        CallError::Unresolved => Failure::Later(FailureReason::Unresolved { host }),
        CallError::NotAllowed(address) => Failure::Never(FailureReason::Private { host, address }),
        CallError::Unreachable => Failure::Later(FailureReason::Unreachable { name }),
        CallError::InvalidHost => Failure::Never(FailureReason::NoHost { name }),
        CallError::Untrusted(error) => Failure::Later(FailureReason::Untrusted { name, error }),
        CallError::Closed => Failure::Later(FailureReason::Closed { name }),
    }
}

/// Interprets the response. A redirect is a failure, because redirects are never followed.
fn answered(hook: &Webhook, status: StatusCode) -> Result<(), Failure> {
    if status.is_success() {
        return Ok(());
    }
    let (name, code) = (hook.name.clone(), status.as_u16());
    Err(match status {
        StatusCode::GONE => Failure::Never(FailureReason::Responded { name, status: code }),
        _ if status.is_redirection() => Failure::Never(FailureReason::Redirected { name, status: code }),
        _ => Failure::Later(FailureReason::Responded { name, status: code }),
    })
}

/// Builds the signed request.
fn request(hook: &Webhook, id: &str, second: i64, body: String) -> Result<Request<Full<Bytes>>, Failure> {
    let authority = hook.url.authority().map(|authority| authority.as_str()).unwrap_or_default();
    let path = hook.url.path_and_query().map_or("/", |path| path.as_str());
    let mut request = Request::post(path)
        .header(header::HOST, authority)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::USER_AGENT, concat!("opm-portal/", env!("CARGO_PKG_VERSION")))
        .header("webhook-id", id)
        .header("webhook-timestamp", second);
    if let Some(secret) = &hook.secret {
        request = request.header("webhook-signature", signature(secret, id, second, &body));
    }
    request.body(Full::new(Bytes::from(body))).map_err(|_| Failure::Never(FailureReason::InvalidAddress { name: hook.name.clone() }))
}

/// Returns the signature of a message.
fn signature(secret: &[u8], id: &str, second: i64, body: &str) -> String {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(format!("{id}.{second}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;

    use super::{STANDARD, signature};

    #[test]
    fn the_signature_is_that_of_standard_webhooks() {
        // The specification's example, in which the key is the Base64 of these bytes.
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signed = signature(&secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
