//! Opens the ticket system, and writes the Endpoint that leads to it into the trusted homes of a sample world.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cluster::kinds::{Endpoint as EndpointObject, Export};
use cluster::{Endpoint, Scope, Token, WorkspacePath, install};
use k8s_openapi::api::core::v1::Secret;
use kube::api::Api;
use promise::endpoint::EndpointUrl;
use promise::names;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use tokio::net::TcpListener;

use super::{NAME, PATHS, Tickets, listen, new_token};
use crate::clock::Clock;
use crate::sample::load::Loader;
use crate::sample::{SampleError, World};

/// Key of the token in the Secret.
const TOKEN: &str = "token";

/// What the ticket system is opened with.
pub struct Opening<'a> {
    /// The sample world.
    pub world: &'a World,
    /// Its plane.
    pub endpoint: &'a Endpoint,
    /// The plane's admin.
    pub admin: &'a Token,
    /// How long a ticket takes.
    pub work: Duration,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The random source.
    pub random: Arc<dyn store::Random>,
}

/// An open ticket system.
pub struct Opened {
    /// The ticket system.
    pub tickets: Arc<Tickets>,
    /// The listener, bound but not serving yet.
    pub listener: TcpListener,
    /// Its address.
    pub address: SocketAddr,
}

/// Why the ticket system can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No port of loopback can be used.
    #[error("the simulated ticket system can't listen on this machine")]
    Listen(#[from] std::io::Error),
    /// The plane refuses its objects.
    #[error(transparent)]
    Sample(#[from] SampleError),
}

/// Opens the ticket system, where it was and with the token that it had if that is known, so that a restart changes nothing.
///
/// # Errors
/// If no port can be used, or the plane refuses a write.
pub async fn open(opening: Opening<'_>) -> Result<Opened, OpenError> {
    let loader = Loader { endpoint: opening.endpoint, admin: opening.admin };
    // Anyone else's Endpoints aren't used, and without the catalog there are none.
    let has_endpoints = |path: &WorkspacePath| {
        let workspace = opening.world.workspaces.iter().find(|workspace| workspace.path == *path);
        workspace.is_some_and(|workspace| workspace.exports().any(|export| export == Export::Catalog))
    };
    let homes: Vec<&WorkspacePath> = opening.world.trusted_homes().filter(|path| has_endpoints(path)).collect();
    let (port, token) = match homes.first() {
        Some(home) => (port(&loader, home).await, token(&loader, home).await),
        None => (None, None),
    };
    let (listener, address) = listen(port).await?;
    let tickets = Tickets::new(token.unwrap_or_else(|| new_token(&*opening.random)), opening.work, opening.clock, opening.random);
    for home in homes {
        write(&loader, home, &format!("http://{address}"), tickets.token()).await?;
    }
    Ok(Opened { tickets, listener, address })
}

async fn port(loader: &Loader<'_>, home: &WorkspacePath) -> Option<u16> {
    let before = Api::<EndpointObject>::all(loader.client(home)).get(NAME).await.ok()?;
    Some(EndpointUrl::parse(&before.spec.url).ok()?.port)
}

async fn token(loader: &Loader<'_>, home: &WorkspacePath) -> Option<SecretString> {
    let before = Api::<Secret>::namespaced(loader.client(home), install::SYSTEM_NAMESPACE).get(NAME).await.ok()?;
    String::from_utf8(before.data?.remove(TOKEN)?.0).ok().map(SecretString::from)
}

async fn write(loader: &Loader<'_>, home: &WorkspacePath, url: &str, token: &SecretString) -> Result<(), SampleError> {
    let scope = Scope::Workspace(home.clone());
    let data = STANDARD.encode(token.expose_secret());
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": {TOKEN: data},
        "metadata": {"name": NAME, "namespace": install::SYSTEM_NAMESPACE, "labels": {names::SECRET_ROLE_LABEL: install::ROLE_DESTINATION}},
    });
    let endpoint = json!({
        "apiVersion": names::API_VERSION, "kind": "Endpoint", "metadata": {"name": NAME},
        "spec": {
            "title": "Ticket system (simulated)", "url": url, "paths": PATHS, "methods": ["GET", "POST"],
            "secretRef": {"namespace": install::SYSTEM_NAMESPACE, "name": NAME}, "authorization": {"type": "bearer"},
            "addresses": ["127.0.0.0/8"],
        },
    });
    loader.apply_own(&scope, &secret).await?;
    loader.apply_own(&scope, &endpoint).await
}
