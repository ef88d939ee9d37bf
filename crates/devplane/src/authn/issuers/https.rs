//! Reads documents of issuers over TLS: one `GET` at a time, with a limit on time and size. Redirects aren't followed.
//! Source: apiserver `plugin/pkg/authenticator/token/oidc/oidc.go` (`New`) for whose certificates are trusted.

use std::{io, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_util::task::AbortOnDropHandle;

/// The largest document.
const MAX_BYTES: usize = 1 << 20;

/// Why a document can't be read.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The address isn't one of https.
    #[error("the address must begin with https:// and name a host")]
    Address,
    /// No connection.
    #[error("can't connect: {0}")]
    Connect(io::Error),
    /// No TLS, such as for an unknown authority.
    #[error("can't open a TLS connection: {0}")]
    Tls(io::Error),
    /// No answer that can be read.
    #[error("the answer can't be read: {0}")]
    Http(#[from] hyper::Error),
    /// Another answer than 200.
    #[error("the answer is {0}")]
    Status(StatusCode),
    /// Too large, or cut off.
    #[error("the answer is cut off or larger than {} KiB", MAX_BYTES >> 10)]
    Body,
    /// Too slow.
    #[error("no complete answer after {} seconds", .0.as_secs_f64())]
    Slow(Duration),
}

/// A client that trusts certain authorities.
#[derive(Clone)]
pub struct Client {
    tls: TlsConnector,
    patience: Duration,
}

impl Client {
    /// A client that trusts these authorities. A document may take as long as `patience`, from the name of the host to the last byte.
    ///
    /// # Errors
    /// If TLS can't be set up.
    pub fn trusting(roots: RootCertStore, patience: Duration) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        Ok(Self { tls: Arc::new(builder.with_root_certificates(roots).with_no_client_auth()).into(), patience })
    }

    /// A document and the headers that came with it.
    ///
    /// # Errors
    /// If it can't be read in time.
    pub async fn get(&self, address: &Uri) -> Result<(HeaderMap, Bytes), FetchError> {
        tokio::time::timeout(self.patience, self.read(address)).await.unwrap_or(Err(FetchError::Slow(self.patience)))
    }

    async fn read(&self, address: &Uri) -> Result<(HeaderMap, Bytes), FetchError> {
        let authority = address.authority().filter(|_| address.scheme_str() == Some("https")).ok_or(FetchError::Address)?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(host.clone()).map_err(|_| FetchError::Address)?;
        let stream = TcpStream::connect((host, authority.port_u16().unwrap_or(443))).await.map_err(FetchError::Connect)?;
        let stream = self.tls.connect(name, stream).await.map_err(FetchError::Tls)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let _connection = AbortOnDropHandle::new(tokio::spawn(connection));
        let path = address.path_and_query().map_or("/", |path| path.as_str());
        let request = Request::get(path).header(header::HOST, authority.as_str()).header(header::ACCEPT, "application/json");
        let request = request.body(Empty::<Bytes>::new()).map_err(|_| FetchError::Address)?;
        let response = sender.send_request(request).await?;
        if response.status() != StatusCode::OK {
            return Err(FetchError::Status(response.status()));
        }
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, MAX_BYTES).collect().await.map_err(|_| FetchError::Body)?;
        Ok((parts.headers, body.to_bytes()))
    }
}

/// The authorities that the machine trusts.
pub fn of_machine() -> RootCertStore {
    let found = rustls_native_certs::load_native_certs();
    for error in found.errors {
        tracing::warn!(%error, "certificates of the machine can't be read");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    roots
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    async fn fetched(address: &str) -> Result<(HeaderMap, Bytes), FetchError> {
        let client = Client::trusting(RootCertStore::empty(), Duration::from_millis(50)).unwrap();
        client.get(&address.parse().unwrap()).await
    }

    #[tokio::test]
    async fn an_issuer_that_never_answers_costs_no_more_than_the_limit() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        // It takes connections and says nothing.
        assert!(matches!(fetched(&format!("https://127.0.0.1:{port}/")).await, Err(FetchError::Slow(_))));
        drop(listener);
        assert!(matches!(fetched(&format!("https://127.0.0.1:{port}/")).await, Err(FetchError::Connect(_))));
    }

    #[tokio::test]
    async fn only_tls_counts() {
        for address in ["http://127.0.0.1/", "/keys", "https://bad host".replace(' ', "_").as_str()] {
            assert!(matches!(fetched(address).await, Err(FetchError::Address)), "{address}");
        }
    }
}
