//! Requests to a provider: TLS, no redirects, small answers, and an end to waiting.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, header};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper_util::rt::TokioIo;
use openidconnect::url::Url;
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::address::is_secure;

/// How long a request can take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest answer, in bytes.
const ANSWER: usize = 1024 * 1024;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// What is sent could be read by others.
    #[error("{0} isn't an https:// address")]
    Insecure(String),
    /// The address can't be used.
    #[error("{0} isn't a valid address")]
    Address(String),
    /// There is no connection, or it isn't trusted.
    #[error("{host}: {source}")]
    Connection {
        /// Host and port.
        host: String,
        /// What the system says.
        source: io::Error,
    },
    /// The connection broke off.
    #[error("{host} closed the connection")]
    Closed {
        /// Host and port.
        host: String,
        /// What was missing.
        #[source]
        source: hyper::Error,
    },
    /// The answer is too large.
    #[error("the answer of {0} is larger than 1 MiB")]
    TooLarge(String),
    /// The body broke off.
    #[error("the answer of {0} broke off")]
    Interrupted(String),
    /// It takes too long.
    #[error("{0} doesn't respond")]
    Slow(String),
}

/// Sends requests to one provider.
pub struct HttpClient {
    /// Certificates in PEM format; those of this machine if absent.
    ca: Option<String>,
    /// Created for the first request, because reading the machine's certificates takes a moment.
    tls: OnceLock<Arc<ClientConfig>>,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpClient")
    }
}

/// Returns the certificates in a PEM text.
pub(crate) fn certificates(pem: &str) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem.as_bytes()).filter_map(Result::ok).collect()
}

impl HttpClient {
    pub fn new(ca: Option<String>) -> Self {
        Self { ca, tls: OnceLock::new() }
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let address = request.uri().to_string();
        let url = Url::parse(&address).map_err(|_| HttpError::Address(address.clone()))?;
        if !is_secure(&url) {
            return Err(HttpError::Insecure(address));
        }
        let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = url.port_or_known_default().unwrap_or(443);
        let slow = || HttpError::Slow(format!("{host}:{port}"));
        tokio::time::timeout(PATIENCE, self.exchanged(&url, &host, port, request)).await.map_err(|_| slow())?
    }

    async fn exchanged(&self, url: &Url, host: &str, port: u16, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let failed = |source| HttpError::Connection { host: format!("{host}:{port}"), source };
        let request = prepared(url, request)?;
        let stream = TcpStream::connect((host, port)).await.map_err(failed)?;
        if url.scheme() == "http" {
            return exchanged(stream, host, request).await;
        }
        let server = ServerName::try_from(host.to_owned()).map_err(|_| HttpError::Address(url.to_string()))?;
        exchanged(TlsConnector::from(self.tls()).connect(server, stream).await.map_err(failed)?, host, request).await
    }

    fn tls(&self) -> Arc<ClientConfig> {
        let made = || {
            let mut roots = RootCertStore::empty();
            match &self.ca {
                Some(ca) => drop(roots.add_parsable_certificates(certificates(ca))),
                None => {
                    let found = rustls_native_certs::load_native_certs();
                    for error in &found.errors {
                        tracing::warn!(%error, "a certificate of this machine cannot be read");
                    }
                    roots.add_parsable_certificates(found.certs);
                }
            }
            let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider())).with_safe_default_protocol_versions();
            #[expect(clippy::expect_used, reason = "ring has the default versions of TLS")]
            let builder = builder.expect("ring has the default versions of TLS");
            Arc::new(builder.with_root_certificates(roots).with_no_client_auth())
        };
        self.tls.get_or_init(made).clone()
    }
}

impl<'c> AsyncHttpClient<'c> for HttpClient {
    type Error = HttpError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

/// Returns the request as it is sent over a connection: with the path alone, and the host in a header.
fn prepared(url: &Url, request: HttpRequest) -> Result<Request<Full<Bytes>>, HttpError> {
    let wrong = || HttpError::Address(url.to_string());
    let (mut parts, body) = request.into_parts();
    let authority = parts.uri.authority().ok_or_else(wrong)?.as_str().parse().map_err(|_| wrong())?;
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).parse().map_err(|_| wrong())?;
    parts.uri = path;
    parts.headers.insert(header::HOST, authority);
    let agent = header::HeaderValue::from_static(concat!("opm-portal/", env!("CARGO_PKG_VERSION")));
    parts.headers.insert(header::USER_AGENT, agent);
    Ok(Request::from_parts(parts, Full::new(Bytes::from(body))))
}

/// Sends a request over an open connection and reads the answer.
async fn exchanged(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    host: &str,
    request: Request<Full<Bytes>>,
) -> Result<HttpResponse, HttpError> {
    let closed = |source| HttpError::Closed { host: host.to_owned(), source };
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(closed)?;
    let asking = async {
        let (parts, body) = sender.send_request(request).await.map_err(closed)?.into_parts();
        let body = Limited::new(body, ANSWER).collect().await.map_err(|error| {
            if error.is::<LengthLimitError>() { HttpError::TooLarge(host.to_owned()) } else { HttpError::Interrupted(host.to_owned()) }
        })?;
        Ok(Response::from_parts(parts, body.to_bytes().to_vec()))
    };
    tokio::pin!(asking);
    tokio::select! {
        answer = &mut asking => answer,
        // The connection can end before the answer is read completely from it.
        _ = connection => asking.await,
    }
}
