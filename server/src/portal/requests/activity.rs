//! What people did with a request that the request itself doesn't record: secrets they revealed, and its deletion.

use app::view::{GoneView, Happening, HappeningState};
use promise::Result;
use promise::wording::humanise;
use store::{Activity, ActivityKind, ActivityTarget};

use super::detail::deed;
use crate::portal::Caller;
use crate::portal::caller::database;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;
use crate::portal::write::{WriteOperation, WriteTarget};

/// A request, for its activity.
#[derive(Clone, Copy)]
pub(in crate::portal) struct Of<'a> {
    /// The workspace.
    pub(in crate::portal) workspace: &'a Workspace,
    /// Namespace.
    pub(in crate::portal) namespace: &'a str,
    /// Name.
    pub(in crate::portal) name: &'a str,
    /// uid.
    pub(in crate::portal) uid: &'a str,
}

impl Caller {
    /// Notes what this user did.
    ///
    /// # Errors
    /// If the audit log can't be written. What is noted beside it is for the page of the request: if that fails, nothing is stopped.
    pub(in crate::portal) async fn note(&self, of: Of<'_>, kind: ActivityKind, detail: &str) -> Result<()> {
        let portal = self.portal();
        let operation = match kind {
            ActivityKind::Revealed => WriteOperation::RevealOutput,
            ActivityKind::Deleted => WriteOperation::NoteDeletion,
        };
        let cluster = &of.workspace.cluster;
        let write = self.write(operation, WriteTarget::namespaced("PromiseRequest", cluster, of.namespace, of.name));
        let target = ActivityTarget { cluster: cluster.as_str(), namespace: of.namespace, name: of.name, uid: of.uid };
        let (id, person, now) = (self.new_draft_id(), &*self.identity().person, portal.clock.now());
        match write.remember(portal.store.add_activity(&id, target, person, (kind, detail), now), |()| true).await {
            Ok(()) => Ok(()),
            Err(error @ store::Error::NotAudited) => Err(database(&error)),
            Err(error) => {
                tracing::warn!(%error, "the activity of a request could not be noted");
                Ok(())
            }
        }
    }

    /// Returns what is noted about the requests that have or had this name, oldest first. Empty if the database doesn't respond.
    async fn noted(&self, workspace: &Workspace, namespace: &str, name: &str) -> Vec<Activity> {
        let noted = self.portal().store.activity(workspace.cluster.as_str(), namespace, name).await;
        noted.inspect_err(|error| tracing::warn!(%error, "the activity of a request cannot be read")).unwrap_or_default()
    }
}

/// Returns the noted activity of one request as entries of its history.
pub(super) async fn of(caller: &Caller, of: Of<'_>) -> Vec<Happening> {
    let noted = caller.noted(of.workspace, of.namespace, of.name).await;
    let of_request = noted.into_iter().filter(|activity| activity.uid == of.uid && activity.kind == ActivityKind::Revealed);
    let entry = |activity: Activity| {
        let who = promise::identity::username_of(&activity.person);
        let revealed = deed(activity.at.to_string(), format!("{} revealed", humanise(&activity.detail)), who, HappeningState::Done);
        Happening { no_change: true, ..revealed }
    };
    of_request.map(entry).collect()
}

/// Returns who last deleted a request of this name, for users who can list requests there. `None` if no one did through the portal.
pub(super) async fn gone(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str) -> Result<Option<GoneView>> {
    if !workspace.namespaces.has(namespace) || !caller.may(&workspace.cluster, Right::requests("list", namespace)).await? {
        return Ok(None);
    }
    let noted = caller.portal().store.activity(workspace.cluster.as_str(), namespace, name).await.map_err(|error| database(&error))?;
    let last = noted.into_iter().rev().find(|activity| activity.kind == ActivityKind::Deleted);
    Ok(last.map(|activity| GoneView {
        by: promise::identity::username_of(&activity.person).to_owned(),
        at: activity.at.to_string(),
        promise: activity.detail,
    }))
}
