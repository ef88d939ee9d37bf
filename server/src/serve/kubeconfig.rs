//! The server of the operator's kubeconfig, as the portal's plane.
//!
//! The operator's own permissions are used only to get tokens for the portal's two identities. People's requests use people's own tokens.

use cluster::endpoint::Own;
use cluster::{Token, Topology, WorkspacePath};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ground::Ground;
use super::{Edges, ServeError, cluster_clock};
use crate::config::{OnServer, PlaneKind};
use crate::install::remedy;
use crate::plane::held::{Held, HeldError, topology};
use crate::plane::identity::{CONTROLLER, PORTAL};

/// What this process runs, and so which identities it needs.
pub struct Roles {
    /// Pages.
    pub web: bool,
    /// The controller.
    pub controller: bool,
}

/// Connects to the server, detects its kind, and gets tokens for those of the portal's identities that this process needs: the portal's
/// pods can run without the controller's credential, and the other way round.
///
/// # Errors
/// If the kubeconfig can't be used, or the server doesn't issue the tokens.
pub async fn open(
    server: &OnServer,
    trusted_homes: &[WorkspacePath],
    roles: &Roles,
    edges: &Edges,
    tasks: &TaskTracker,
    shutdown: &CancellationToken,
) -> Result<Ground, ServeError> {
    let own = Own::open(server.kubeconfig.as_deref(), server.context.as_deref()).await?;
    let topology = topology(&own, &server.provider).await.map_err(|error| refused(&own, server, trusted_homes, &error.to_string()))?;
    let identities = Identities { own: &own, topology: &topology, edges, tasks, shutdown, server, trusted_homes };
    let controller = if roles.controller { Some(identities.token(CONTROLLER).await?) } else { None };
    let portal = match &controller {
        // A process without pages needs no other identity.
        Some(controller) if !roles.web => controller.clone(),
        _ => identities.token(PORTAL).await?,
    };
    let trusted_homes = if trusted_homes.is_empty() { topology.default_homes().unwrap_or_default() } else { trusted_homes.to_vec() };
    Ok(Ground {
        plane: PlaneKind::Kubeconfig,
        endpoint: own.endpoint(&topology),
        topology,
        portal,
        controller,
        trusted_homes,
        people: Vec::new(),
    })
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
    /// Returns the token of one of the portal's identities, renewed until shutdown.
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
        held.keep(self.own, self.topology, cluster_clock(self.edges), self.tasks, self.shutdown);
        Ok(token)
    }
}

fn refused(own: &Own, server: &OnServer, trusted_homes: &[WorkspacePath], why: &str) -> ServeError {
    let context = own.context.clone();
    let doctor = remedy::command("opm-portal doctor", server, &context, trusted_homes);
    ServeError::Server { context, why: format!("{}. Run `{doctor}` to see what is missing", why.trim_end_matches('.')) }
}
