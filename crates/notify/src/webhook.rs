//! Outgoing webhooks: only to configured receivers, signed, without redirects, to an address that was resolved once and checked.
//!
//! Headers and signature follow Standard Webhooks: `webhook-id`, `webhook-timestamp` in seconds, and `webhook-signature`, which is `v1,`
//! followed by the Base64 of HMAC-SHA256 over `<id>.<timestamp>.<body>`.

mod body;
mod place;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::rt::TokioIo;
use jiff::Timestamp;
use sha2::Sha256;
use store::Delivery;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::config::Webhook;
use crate::failure::{Failure, FailureReason};

/// How long establishing a connection can take.
const CONNECT: Duration = Duration::from_secs(5);
/// Bytes of a response that are read; they are ignored.
const ANSWER: usize = 16 * 1024;

/// Sends messages to webhooks.
#[derive(Default)]
pub(super) struct Courier {
    /// Created for the first message that needs it, because reading the machine's certificates takes a moment.
    tls: OnceLock<Arc<ClientConfig>>,
}

impl Courier {
    /// Sends one message at `now`; `base` is the base URL of its links.
    pub async fn send(&self, hook: &Webhook, base: &str, delivery: &Delivery, now: Timestamp) -> Result<(), Failure> {
        let body = body::of(hook.format, base, delivery);
        let request = request(hook, &delivery.id, now.as_second(), body)?;
        let host = hook.url.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let secure = hook.url.scheme_str() == Some("https");
        let port = hook.url.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let address = place::address(host, port, hook.allow_private).await?;
        let name = || hook.name.clone();
        let unreachable = || Failure::Later(FailureReason::Unreachable { name: name() });
        let stream =
            tokio::time::timeout(CONNECT, TcpStream::connect(address)).await.map_err(|_| unreachable())?.map_err(|_| unreachable())?;
        let status = if secure {
            let server = ServerName::try_from(host.to_owned()).map_err(|_| Failure::Never(FailureReason::NoHost { name: name() }))?;
            let stream = TlsConnector::from(self.tls()).connect(server, stream).await;
            let refused = |error: std::io::Error| Failure::Later(FailureReason::Untrusted { name: name(), error: error.to_string() });
            exchanged(stream.map_err(refused)?, request).await
        } else {
            exchanged(stream, request).await
        };
        answered(hook, status.map_err(|_| Failure::Later(FailureReason::Closed { name: name() }))?)
    }

    fn tls(&self) -> Arc<ClientConfig> {
        let made = || {
            let mut roots = RootCertStore::empty();
            let found = rustls_native_certs::load_native_certs();
            for error in &found.errors {
                tracing::warn!(%error, "a certificate of this machine cannot be read");
            }
            roots.add_parsable_certificates(found.certs);
            let provider = Arc::new(ring::default_provider());
            let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
            #[expect(clippy::expect_used, reason = "ring has the default versions of TLS")]
            let builder = builder.expect("ring has the default versions of TLS");
            Arc::new(builder.with_root_certificates(roots).with_no_client_auth())
        };
        self.tls.get_or_init(made).clone()
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

/// Sends the request over an open connection and returns the status of the response.
async fn exchanged(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
) -> Result<StatusCode, hyper::Error> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let asking = async {
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        // Read so that the other side can finish properly; the content is ignored, and only a little of it is read.
        let _ = Limited::new(answer.into_body(), ANSWER).collect().await;
        Ok(status)
    };
    tokio::pin!(asking);
    tokio::select! {
        status = &mut asking => status,
        // The connection ends with the response; until then the response is what counts.
        _ = connection => asking.await,
    }
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
