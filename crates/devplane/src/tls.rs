//! TLS on loopback for `kubectl`: it sends no token over plain HTTP. The authority is made once and kept in the data directory.
//! Source: none upstream: kube-apiserver is given its certificates.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::http::connection::{self, Patience};
use crate::private;

/// Why TLS cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The address is taken or not ours.
    #[error("the plane can't listen on {address}: {source}; choose another address")]
    Listen {
        /// Address asked for.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The authority's files cannot be used.
    #[error("the certificate authority in {path} can't be used ({detail}): remove the file to create a new one")]
    Authority {
        /// The file.
        path: PathBuf,
        /// Why.
        detail: String,
    },
}

/// A bound listener with its certificate.
pub struct Listener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
    /// The authority in PEM, for kubeconfig files.
    pub authority_pem: String,
}

/// Binds an address. The authority is read from the directory, or made there; without a directory it lives as long as the process.
///
/// # Errors
/// When the address cannot be bound or the files cannot be used.
pub async fn listen(address: SocketAddr, directory: Option<&Path>) -> Result<Listener, TlsError> {
    let listener = TcpListener::bind(address).await.map_err(|source| TlsError::Listen { address, source })?;
    over(listener, directory)
}

/// As [`listen`], over a listener that is bound already: its port may have to be known before the plane opens.
///
/// # Errors
/// When the files cannot be used.
pub fn over(listener: TcpListener, directory: Option<&Path>) -> Result<Listener, TlsError> {
    let (authority_pem, issuer) = authority(directory)?;
    let failed = |detail: String| TlsError::Authority { path: directory.unwrap_or(Path::new("memory")).join(AUTHORITY), detail };
    let address = listener.local_addr().map_err(|error| failed(error.to_string()))?;
    let (chain, key) = certificate(&issuer, address).map_err(|error| failed(error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![chain], key))
        .map_err(|error| failed(error.to_string()))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Listener { listener, acceptor: TlsAcceptor::from(Arc::new(config)), authority_pem })
}

/// Name of the authority's certificate in the data directory.
const AUTHORITY: &str = "ca.crt";
/// Name of the authority's key in the data directory.
const AUTHORITY_KEY: &str = "ca.key";

fn authority(directory: Option<&Path>) -> Result<(String, Issuer<'static, KeyPair>), TlsError> {
    let failed = |path: &Path, detail: String| TlsError::Authority { path: path.into(), detail };
    let Some(directory) = directory else {
        let (pem, key) = new_authority().map_err(|error| failed(Path::new("memory"), error.to_string()))?;
        return Ok((pem, Issuer::new(authority_params(), key)));
    };
    let (certificate, key) = (directory.join(AUTHORITY), directory.join(AUTHORITY_KEY));
    private::folder(directory).map_err(|error| failed(directory, error.to_string()))?;
    let is_there = certificate.exists() && key.exists();
    private::file(&key).map_err(|error| failed(&key, error.to_string()))?;
    if !is_there {
        let (pem, pair) = new_authority().map_err(|error| failed(&certificate, error.to_string()))?;
        std::fs::write(&key, pair.serialize_pem()).map_err(|error| failed(&key, error.to_string()))?;
        std::fs::write(&certificate, &pem).map_err(|error| failed(&certificate, error.to_string()))?;
    }
    let pem = std::fs::read_to_string(&certificate).map_err(|error| failed(&certificate, error.to_string()))?;
    let pair = std::fs::read_to_string(&key).map_err(|error| failed(&key, error.to_string()))?;
    let pair = KeyPair::from_pem(&pair).map_err(|error| failed(&key, error.to_string()))?;
    // What is signed names the authority and its key; the rest of its certificate is not needed for that.
    Ok((pem, Issuer::new(authority_params(), pair)))
}

/// The authority is the same at every start: its name and rights stand here, its key in a file.
fn authority_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.distinguished_name.push(DnType::CommonName, "development plane");
    params
}

fn new_authority() -> Result<(String, KeyPair), rcgen::Error> {
    let key = KeyPair::generate()?;
    Ok((authority_params().self_signed(&key)?.pem(), key))
}

fn certificate(
    issuer: &Issuer<'static, KeyPair>,
    address: SocketAddr,
) -> Result<(CertificateDer<'static>, PrivateKeyDer<'static>), rcgen::Error> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    if !address.ip().is_loopback() && !address.ip().is_unspecified() {
        names.push(address.ip().to_string());
    }
    let mut params = CertificateParams::new(names)?;
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    // Not the name of the authority: OpenSSL takes a certificate whose subject is its issuer for self-signed, and trusts no authority for it.
    params.distinguished_name.push(DnType::CommonName, "development plane server");
    let key = KeyPair::generate()?;
    let signed = params.signed_by(&key, issuer)?;
    Ok((signed.der().clone(), PrivatePkcs8KeyDer::from(key.serialize_der()).into()))
}

impl Listener {
    /// The address that was bound: the port may have been chosen by the system.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until told to stop; open connections get no new requests then.
    pub async fn serve(self, router: Router, shutdown: CancellationToken) {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let next = async {
                let place = places.clone().acquire_owned().await.map_err(io::Error::other)?;
                Ok::<_, io::Error>((self.listener.accept().await?.0, place))
            };
            let accepted = tokio::select! {
                () = shutdown.cancelled() => return,
                accepted = next => accepted,
            };
            match accepted {
                Ok((stream, place)) => {
                    // Small answers to small requests: waiting for more would cost 40 ms each.
                    let _ = stream.set_nodelay(true);
                    tokio::spawn(connection(stream, place, self.acceptor.clone(), router.clone(), shutdown.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection to the plane was not accepted");
                    // Out of file descriptors, most likely: others must be closed first.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }
}

/// Connections at the same time; more wait until one is closed.
const CONNECTIONS: usize = 8192;
/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

async fn connection(stream: TcpStream, _place: OwnedSemaphorePermit, acceptor: TlsAcceptor, router: Router, shutdown: CancellationToken) {
    match tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => {
            let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            connection::serve(stream, http2, router, &shutdown, Patience::default()).await;
        }
        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake with the plane failed"),
        Err(_) => tracing::debug!("a TLS handshake with the plane took too long"),
    }
}
