//! The server of the operator's kubeconfig, as the ground of the portal.
//!
//! The operator's own rights are used for one thing alone: tokens of the portal's own two identities. What people do is asked with their tokens.

use cluster::endpoint::{Own, ServiceAccount};
use cluster::install::SYSTEM_NAMESPACE;
use cluster::{Scope, Token, Topology, WorkspacePath};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ground::Ground;
use super::{Edges, ServeError, cluster_clock};
use crate::auth::doors::Way;
use crate::config::{OnServer, PlaneKind};
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
    let topology = topology(&own, &server.provider).await.map_err(|error| refused(&own, &error))?;
    let identities = Identities { own: &own, topology: &topology, edges, tasks, shutdown };
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
    Ok(match Topology::detect(&own.client()).await? {
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

struct Identities<'a> {
    own: &'a Own,
    topology: &'a Topology,
    edges: &'a Edges,
    tasks: &'a TaskTracker,
    shutdown: &'a CancellationToken,
}

impl Identities<'_> {
    /// The token of an identity of ours: of the context of its name, else, on plain Kubernetes, of the ServiceAccount of its name.
    async fn token(&self, name: &str) -> Result<Token, ServeError> {
        if let Some(token) = self.own.token_of(name)? {
            return Ok(token);
        }
        if let Topology::Workspaces { .. } = self.topology {
            let why = format!("the kubeconfig has no context {name}, whose user would be the portal's own identity of that name on kcp");
            return Err(ServeError::Server { context: self.own.context.clone(), why });
        }
        let account = ServiceAccount { namespace: SYSTEM_NAMESPACE.to_owned(), name: name.to_owned() };
        let client = self.own.client_at(self.topology, &Scope::Root);
        let issued = account.issue(&client).await.map_err(|error| refused(self.own, &error))?;
        let token = issued.token.clone();
        self.tasks.spawn(account.keep(client, issued, cluster_clock(self.edges), self.shutdown.clone()));
        Ok(token)
    }
}

fn refused(own: &Own, error: &promise::Error) -> ServeError {
    let context = own.context.clone();
    let why = format!("{}. `opm-portal doctor --context {context}` says what is missing", error.to_string().trim_end_matches('.'));
    ServeError::Server { context, why }
}
