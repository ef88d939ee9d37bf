//! Opening the embedded plane with everybody whom it is to know.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use cluster::Endpoint;
use devplane::tls::{self, Listener, TlsError};
use devplane::{Options, Plane, Storage};

use super::kubeconfig::Server;
use super::{Folder, Identities};
use crate::clock::Clock;

/// An open plane and where its TLS listener will be.
pub struct Embedded {
    /// The plane.
    pub plane: Plane,
    /// The way to it inside this process: the same router, tokens and checks as from outside.
    pub endpoint: Endpoint,
    /// Bound, and not yet answering.
    pub listener: Listener,
    /// Where it is, and who vouches for it.
    pub server: Server,
}

/// Why the plane cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// Its port is taken, or its certificates cannot be used.
    #[error("{0} (choose another port with --plane-port, 0 for any)")]
    Listen(TlsError),
    /// The system does not say where it listens.
    #[error("the plane's address")]
    Address(#[source] io::Error),
    /// The plane does not open.
    #[error("the embedded plane cannot be opened")]
    Open(#[from] devplane::OpenError),
}

/// Opens the plane of `folder`.
///
/// # Errors
/// The port is taken, or the stored objects cannot be read.
pub async fn open(folder: &Folder, address: SocketAddr, identities: &Identities, clock: Arc<dyn Clock>) -> Result<Embedded, EmbeddedError> {
    let listener = tls::listen(address, Some(&folder.tls())).await.map_err(EmbeddedError::Listen)?;
    let url = format!("https://{}", listener.local_addr().map_err(EmbeddedError::Address)?);
    let storage = if folder.is_temporary() { Storage::Memory } else { Storage::Directory(folder.plane()) };
    let tokens = identities.all().iter().map(|identity| devplane::Token {
        token: identity.token.expose().to_string(),
        username: identity.name.clone(),
        uid: identity.name.clone(),
        groups: identity.groups.clone(),
    });
    let options = Options { clock: self::clock(&clock), ..Options::new(storage, tokens.collect(), url.clone()) };
    let server = Server { url, ca: listener.authority_pem.clone() };
    let plane = Plane::open(options)?;
    let endpoint = Endpoint::in_process("the embedded plane", plane.router());
    Ok(Embedded { plane, endpoint, listener, server })
}

/// The portal's clock, as the plane asks for it.
pub fn clock(clock: &Arc<dyn Clock>) -> Arc<dyn devplane::Clock> {
    Arc::new(PlaneClock(clock.clone()))
}

struct PlaneClock(Arc<dyn Clock>);

impl devplane::Clock for PlaneClock {
    fn now(&self) -> jiff::Timestamp {
        self.0.now()
    }
}
