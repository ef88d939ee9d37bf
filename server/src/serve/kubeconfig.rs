//! The server of the operator's kubeconfig, as the ground of the portal.
//!
//! The operator's own rights are used for one thing alone: tokens of the portal's own two identities. What people do is asked with their tokens.

use cluster::endpoint::{Issued, Own, OwnError, ServiceAccount};
use cluster::install::SYSTEM_NAMESPACE;
use cluster::{Scope, Token, Topology, WorkspacePath};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ground::Ground;
use super::{Edges, ServeError, cluster_clock};
use crate::auth::doors::Way;
use crate::config::{OnServer, PlaneKind};
use crate::install::remedy;
use crate::plane::identity::{CONTROLLER, PORTAL};

/// Connects to the server, finds out what it is, and gets tokens of the portal's identities.
///
/// # Errors
/// The kubeconfig cannot be used, or the server does not give the tokens.
pub async fn open(
    server: &OnServer,
    trusted_homes: &[WorkspacePath],
    edges: &Edges,
    tasks: &TaskTracker,
    shutdown: &CancellationToken,
) -> Result<Ground, ServeError> {
    let own = Own::open(server.kubeconfig.as_deref(), server.context.as_deref()).await?;
    let topology = topology(&own, &server.provider).await.map_err(|error| refused(&own, server, trusted_homes, &error.to_string()))?;
    let identities = Identities { own: &own, topology: &topology, edges, tasks, shutdown, server, trusted_homes };
    let (portal, controller) = (identities.token(PORTAL).await?, identities.token(CONTROLLER).await?);
    let trusted_homes = if trusted_homes.is_empty() { topology.default_homes().unwrap_or_default() } else { trusted_homes.to_vec() };
    Ok(Ground {
        plane: PlaneKind::Kubeconfig,
        account: account(&topology),
        endpoint: own.endpoint(&topology),
        topology,
        portal,
        controller,
        trusted_homes,
        way: Way::Tokens,
    })
}

/// What a server is; on kcp with the provider workspace that the operator names.
///
/// # Errors
/// The server does not answer.
pub async fn topology(own: &Own, provider: &WorkspacePath) -> promise::Result<Topology> {
    Ok(match Topology::detect(&own.operator, &own.credential).await? {
        Topology::Workspaces { .. } => Topology::Workspaces { provider: provider.clone() },
        Topology::Namespaces => Topology::Namespaces,
    })
}

/// Where everybody may ask who they are: on kcp everybody may enter root, and the server itself is no workspace.
fn account(topology: &Topology) -> Scope {
    match topology {
        Topology::Workspaces { .. } => Scope::Workspace(WorkspacePath::root()),
        Topology::Namespaces => Scope::Root,
    }
}

/// How the portal holds one of its own identities.
pub enum Held {
    /// By the token of the context of its name.
    Context(Token),
    /// As the ServiceAccount of its name: the operator asks for its tokens.
    Account(ServiceAccount, Issued),
}

impl Held {
    /// The token of an identity of ours: of the context of its name, else of the ServiceAccount of its name, which lives on Kubernetes in the
    /// cluster and on kcp in the provider workspace.
    ///
    /// # Errors
    /// The user of the context has no token, or the server does not give one of the ServiceAccount.
    pub async fn open(own: &Own, topology: &Topology, name: &str) -> Result<Self, HeldError> {
        if let Some(token) = own.token_of(name)? {
            return Ok(Self::Context(token));
        }
        let account = ServiceAccount { namespace: SYSTEM_NAMESPACE.to_owned(), name: name.to_owned() };
        let issued = account.issue(&own.client_at(topology, &topology.own())).await.map_err(HeldError::Account)?;
        Ok(Self::Account(account, issued))
    }

    /// The token, as long as it is good.
    pub fn token(&self) -> &Token {
        match self {
            Self::Context(token) => token,
            Self::Account(_, issued) => &issued.token,
        }
    }
}

/// Why there is no token of an identity of ours.
#[derive(Debug, thiserror::Error)]
pub enum HeldError {
    /// Its context.
    #[error(transparent)]
    Context(#[from] OwnError),
    /// Its ServiceAccount.
    #[error("{0}")]
    Account(promise::Error),
}

struct Identities<'a> {
    own: &'a Own,
    topology: &'a Topology,
    edges: &'a Edges,
    tasks: &'a TaskTracker,
    shutdown: &'a CancellationToken,
    server: &'a OnServer,
    trusted_homes: &'a [WorkspacePath],
}

impl Identities<'_> {
    /// The token of an identity of ours, kept good until the end.
    async fn token(&self, name: &str) -> Result<Token, ServeError> {
        let held = Held::open(self.own, self.topology, name).await.map_err(|error| match error {
            HeldError::Context(error) => error.into(),
            HeldError::Account(error) => {
                let whose = self.topology.own_object("ServiceAccount", name);
                let why = format!("there is no context {name}, and no token for the {whose}: {error}");
                refused(self.own, self.server, self.trusted_homes, &why)
            }
        })?;
        let token = held.token().clone();
        if let Held::Account(account, issued) = held {
            let client = self.own.client_at(self.topology, &self.topology.own());
            self.tasks.spawn(account.keep(client, issued, cluster_clock(self.edges), self.shutdown.clone()));
        }
        Ok(token)
    }
}

fn refused(own: &Own, server: &OnServer, trusted_homes: &[WorkspacePath], why: &str) -> ServeError {
    let context = own.context.clone();
    let doctor = remedy::command("opm-portal doctor", server, &context, trusted_homes);
    ServeError::Server { context, why: format!("{}. Run `{doctor}` to see what is missing", why.trim_end_matches('.')) }
}
