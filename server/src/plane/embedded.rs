//! Opens the embedded plane with all of its users.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use cluster::Endpoint;
use devplane::tls::{self, Listener, TlsError};
use devplane::{AuthenticationConfiguration, Initial, Options, Plane, Storage};

use super::kubeconfig::Server;
use super::{Folder, Identities};
use crate::clock::Clock;

/// An open plane, and the address of its TLS listener.
pub struct Embedded {
    /// The plane.
    pub plane: Plane,
    /// Endpoint within this process: the same router, tokens and checks as from outside.
    pub endpoint: Endpoint,
    /// The listener, bound but not serving yet.
    pub listener: Listener,
    /// The address, and the certificate authority.
    pub server: Server,
}

/// Why the plane can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// The port is taken, or the certificates can't be used.
    #[error("{0} (choose another port with --plane-port, 0 for any)")]
    Listen(TlsError),
    /// The listener's address can't be determined.
    #[error("the plane's address")]
    Address(#[source] io::Error),
    /// The plane can't be opened.
    #[error("the embedded plane cannot be opened")]
    Open(#[from] devplane::OpenError),
    /// What the plane begins with can't be read.
    #[error(transparent)]
    Initial(Box<dyn Error + Send + Sync>),
}

/// Opens the plane stored in `folder`. It accepts tokens of `identities`, and what `authentication` says. `initial` returns the objects that a plane at an address begins with.
///
/// # Errors
/// If the port is taken, or the stored objects can't be read.
pub async fn open<E: Error + Send + Sync + 'static>(
    folder: &Folder,
    address: SocketAddr,
    identities: &Identities,
    authentication: AuthenticationConfiguration,
    clock: Arc<dyn Clock>,
    initial: impl FnOnce(&str) -> Result<Vec<Initial>, E>,
) -> Result<Embedded, EmbeddedError> {
    let listener = tls::listen(address, Some(&folder.tls())).await.map_err(EmbeddedError::Listen)?;
    let url = format!("https://{}", listener.local_addr().map_err(EmbeddedError::Address)?);
    let storage = if folder.is_temporary() { Storage::Memory } else { Storage::Directory(folder.plane()) };
    let tokens = identities.all().iter().map(|identity| devplane::Token {
        token: identity.token.expose().to_string(),
        username: identity.name.clone(),
        uid: identity.name.clone(),
        groups: identity.groups.clone(),
    });
    let initial = initial(&url).map_err(|error| EmbeddedError::Initial(error.into()))?;
    let options = Options { authentication, clock: self::clock(&clock), initial, ..Options::new(storage, tokens.collect(), url.clone()) };
    let server = Server { url, ca: listener.authority_pem.clone() };
    let plane = Plane::open(options)?;
    let endpoint = Endpoint::in_process("the embedded plane", plane.router());
    Ok(Embedded { plane, endpoint, listener, server })
}

/// Wraps the portal's clock for the plane.
pub fn clock(clock: &Arc<dyn Clock>) -> Arc<dyn devplane::Clock> {
    Arc::new(PlaneClock(clock.clone()))
}

struct PlaneClock(Arc<dyn Clock>);

impl devplane::Clock for PlaneClock {
    fn now(&self) -> jiff::Timestamp {
        self.0.now()
    }
}
