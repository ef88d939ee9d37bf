//! Calls to servers that are neither the control plane nor a Destination: webhooks, and Endpoints of workflows.
//!
//! A host is resolved once, all of its addresses are checked before one is used, and the connection goes to an address that was checked.
//! Redirects aren't followed, proxies of the environment aren't used, and only the beginning of an answer is read.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// How long establishing a connection can take.
const CONNECT: Duration = Duration::from_secs(5);

/// Returns the addresses of a host and port.
type Resolve = Arc<dyn Fn(String, u16) -> BoxFuture<'static, std::io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// Calls servers.
#[derive(Clone)]
pub struct Outbound {
    /// Created for the first call that needs it, because reading the machine's certificates takes a moment.
    system: Arc<OnceLock<Arc<ClientConfig>>>,
    resolve: Resolve,
}

/// A server to call.
#[derive(Clone, Copy, Debug)]
pub struct Server<'a> {
    /// Name, or address without brackets.
    pub host: &'a str,
    /// Port.
    pub port: u16,
    /// How its identity is verified.
    pub trust: Trust<'a>,
}

/// Certificates to verify servers with.
#[derive(Clone, Debug)]
pub struct Roots(Arc<ClientConfig>);

/// How the identity of a server is verified.
#[derive(Clone, Copy, Debug)]
pub enum Trust<'a> {
    /// It isn't, and nothing is encrypted.
    Plain,
    /// With the certificates of the machine.
    System,
    /// With these certificates.
    Roots(&'a Roots),
}

/// The beginning of a server's answer.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The body.
    pub body: Result<Bytes, BodyError>,
}

/// Why a body isn't known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It is larger than what is read.
    TooLarge,
    /// The connection ended before it was complete.
    Closed,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// The host has no address.
    Unresolved,
    /// The host has an address that isn't allowed, so none of them is used.
    NotAllowed(IpAddr),
    /// No address accepts connections.
    Unreachable,
    /// The host isn't one that certificates can name.
    InvalidHost,
    /// The server's certificate isn't accepted; the error of the TLS library.
    Untrusted(String),
    /// The connection ended before there was an answer.
    Closed,
}

impl Default for Outbound {
    fn default() -> Self {
        Self::resolving(Arc::new(|host, port| Box::pin(async move { Ok(lookup_host((host, port)).await?.collect()) })))
    }
}

impl fmt::Debug for Outbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbound").finish_non_exhaustive()
    }
}

impl Outbound {
    /// Creates it with another way to find addresses.
    pub(crate) fn resolving(resolve: Resolve) -> Self {
        Self { system: Arc::default(), resolve }
    }

    /// Sends a request whose target is a path, to an address that `allows` accepts, and reads at most `most` bytes of the answer. There is
    /// no time limit except for establishing the connection.
    ///
    /// # Errors
    /// If there is no answer.
    pub async fn send(
        &self,
        server: &Server<'_>,
        allows: impl Fn(IpAddr) -> bool,
        request: Request<Full<Bytes>>,
        most: usize,
    ) -> Result<Answer, CallError> {
        let tls = match server.trust {
            Trust::Plain => None,
            Trust::System => Some(self.system()),
            Trust::Roots(roots) => Some(roots.0.clone()),
        };
        let found = (self.resolve)(server.host.to_owned(), server.port).await.map_err(|_| CallError::Unresolved)?;
        let addresses = checked(found, allows)?;
        let stream = tokio::time::timeout(CONNECT, TcpStream::connect(addresses.as_slice())).await;
        let stream = stream.map_err(|_| CallError::Unreachable)?.map_err(|_| CallError::Unreachable)?;
        let Some(tls) = tls else { return exchanged(stream, request, most).await };
        let name = ServerName::try_from(server.host.to_owned()).map_err(|_| CallError::InvalidHost)?;
        match TlsConnector::from(tls).connect(name, stream).await {
            Ok(stream) => exchanged(stream, request, most).await,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Err(CallError::Untrusted(error.to_string())),
            Err(_) => Err(CallError::Closed),
        }
    }

    fn system(&self) -> Arc<ClientConfig> {
        let made = || {
            let mut roots = RootCertStore::empty();
            let found = rustls_native_certs::load_native_certs();
            for error in &found.errors {
                tracing::warn!(%error, "a certificate of this machine cannot be read");
            }
            roots.add_parsable_certificates(found.certs);
            config(roots)
        };
        self.system.get_or_init(made).clone()
    }
}

impl Roots {
    /// Reads certificates in PEM format. `None` if there is none, or one of them can't be read.
    pub fn parse(pem: &str) -> Option<Self> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
            roots.add(certificate.ok()?).ok()?;
        }
        (!roots.is_empty()).then(|| Self(config(roots)))
    }
}

fn config(roots: RootCertStore) -> Arc<ClientConfig> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions();
    #[expect(clippy::expect_used, reason = "ring has the default versions of TLS")]
    let builder = builder.expect("ring has the default versions of TLS");
    Arc::new(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Returns the addresses of a host if all of them are allowed.
fn checked(found: Vec<SocketAddr>, allows: impl Fn(IpAddr) -> bool) -> Result<Vec<SocketAddr>, CallError> {
    match found.iter().find(|address| !allows(address.ip())) {
        Some(address) => Err(CallError::NotAllowed(address.ip())),
        None if found.is_empty() => Err(CallError::Unresolved),
        None => Ok(found),
    }
}

/// Sends the request over an open connection.
async fn exchanged(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
    most: usize,
) -> Result<Answer, CallError> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|_| CallError::Closed)?;
    let asking = async {
        let answer = sender.send_request(request).await.map_err(|_| CallError::Closed)?;
        let status = answer.status();
        let body = match Limited::new(answer.into_body(), most).collect().await {
            Ok(body) => Ok(body.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
            Err(_) => Err(BodyError::Closed),
        };
        Ok(Answer { status, body })
    };
    tokio::pin!(asking);
    tokio::select! {
        answer = &mut asking => answer,
        // The connection ends with the response; until then the response is what counts.
        _ = connection => asking.await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_that_must_not_be_refuses_the_host() {
        let at = |texts: &[&str]| texts.iter().map(|text| SocketAddr::new(text.parse().unwrap(), 443)).collect::<Vec<_>>();
        let found = || at(&["8.8.8.8", "10.0.0.1"]);
        assert_eq!(checked(found(), promise::address::is_public), Err(CallError::NotAllowed(found()[1].ip())));
        assert_eq!(checked(found(), |_| true), Ok(found()));
        assert_eq!(checked(Vec::new(), |_| true), Err(CallError::Unresolved));
    }

    #[tokio::test]
    async fn what_looks_like_a_name_is_looked_at_as_the_address_that_it_is() {
        for host in ["127.0.0.1", "::1", "localhost"] {
            let server = Server { host, port: 443, trust: Trust::Plain };
            let answer = Outbound::default().send(&server, promise::address::is_public, Request::default(), 0).await;
            assert!(matches!(answer, Err(CallError::NotAllowed(_))), "{host}: {answer:?}");
        }
    }
}
