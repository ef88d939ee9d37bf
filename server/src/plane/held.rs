//! The portal's own identities on the server of a kubeconfig.

use std::sync::Arc;

use cluster::endpoint::{ContextToken, Issued, Own, OwnError, ServiceAccount};
use cluster::install::SYSTEM_NAMESPACE;
use cluster::{Clock, Token, Topology, WorkspacePath};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Returns the topology of a server; on kcp, with the provider workspace that the operator names.
///
/// # Errors
/// If the server doesn't respond.
pub async fn topology(own: &Own, provider: &WorkspacePath) -> promise::Result<Topology> {
    Ok(match Topology::detect(&own.operator, &own.credential).await? {
        Topology::Workspaces { .. } => Topology::Workspaces { provider: provider.clone() },
        Topology::Namespaces => Topology::Namespaces,
    })
}

/// How the portal authenticates as one of its own identities.
pub enum Held {
    /// With the token of the context with its name.
    Context(ContextToken),
    /// As the ServiceAccount with its name, for which the operator requests tokens.
    Account(ServiceAccount, Issued),
}

impl Held {
    /// Opens one of the portal's identities: the context with its name, or else the ServiceAccount with its name, which on Kubernetes lives
    /// in the cluster and on kcp in the provider workspace.
    ///
    /// # Errors
    /// If the context's user has no token, or the server doesn't issue one for the ServiceAccount.
    pub async fn open(own: &Own, topology: &Topology, name: &str) -> Result<Self, HeldError> {
        if let Some(token) = own.token_of(name)? {
            return Ok(Self::Context(token));
        }
        let account = ServiceAccount { namespace: SYSTEM_NAMESPACE.to_owned(), name: name.to_owned() };
        let issued = account.issue(&own.client_at(topology, &topology.own())).await.map_err(HeldError::Account)?;
        Ok(Self::Account(account, issued))
    }

    /// Returns the token, which is valid for a limited time.
    pub fn token(&self) -> &Token {
        match self {
            Self::Context(context) => &context.token,
            Self::Account(_, issued) => &issued.token,
        }
    }

    /// Renews the token until shutdown: from its file, or as the operator.
    pub fn keep(self, own: &Own, topology: &Topology, clock: Arc<dyn Clock>, tasks: &TaskTracker, shutdown: &CancellationToken) {
        match self {
            Self::Context(context) => tasks.spawn(context.keep(shutdown.clone())),
            Self::Account(account, issued) => {
                tasks.spawn(account.keep(own.client_at(topology, &topology.own()), issued, clock, shutdown.clone()))
            }
        };
    }
}

/// Why there is no token for one of the portal's identities.
#[derive(Debug, thiserror::Error)]
pub enum HeldError {
    /// The context with its name can't be used.
    #[error(transparent)]
    Context(#[from] OwnError),
    /// The server doesn't issue a token for its ServiceAccount.
    #[error("{0}")]
    Account(promise::Error),
}
