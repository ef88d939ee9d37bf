//! The upgrade of a request as it is: without a form, with the same checks, and written by the same function as an upgrade in the form.

use cluster::kinds::PromiseRequest;
use cluster::{ClusterId, WorkspacePath};
use promise::path::Path;
use promise::rollout::{self, Obstacle, Readiness};
use promise::wording::{label, lower_first};
use promise::{DeniedReason, Error, Problem, Result};

use super::form::{self, Opened};
use super::{rows, terms};
use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;
use crate::portal::submit::{Submission, edition};

/// An upgrade that can be written.
struct Upgrade {
    opened: Opened,
    submission: Submission,
    edition: String,
}

/// What became of an upgrade that was to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::portal) enum Upgraded {
    /// The request selects the version, now or since before.
    Requested,
    /// Nothing was written.
    Blocked(Obstacle),
}

impl Caller {
    /// Checks whether a request can be upgraded to a version as it is.
    ///
    /// # Errors
    /// If the user can't read the request, too much is being checked, or the control plane doesn't respond.
    pub(in crate::portal) async fn check_upgrade(
        &self,
        workspace: &Workspace,
        namespace: &str,
        name: &str,
        version: &str,
    ) -> Result<Readiness> {
        let request = self.read_request(workspace, namespace, name).await?;
        checked(self, workspace, &request, version).await.map(|(readiness, _)| readiness)
    }

    /// Upgrades the request with this uid to a version, if it can be upgraded as it is. Only the version constraint changes, and values that
    /// the version has no field for.
    ///
    /// # Errors
    /// If the user can't read the request, someone else changes it at the same time, too much is being checked, or the control plane refuses
    /// it or doesn't respond.
    pub(in crate::portal) async fn upgrade_request(
        &self,
        workspace: &Workspace,
        (namespace, name, uid): (&str, &str, &str),
        version: &str,
    ) -> Result<Upgraded> {
        let request = self.read_request(workspace, namespace, name).await?;
        if request.metadata.uid.as_deref() != Some(uid) {
            return Err(Error::NotFound { what: format!("request {name}") });
        }
        if request.metadata.deletion_timestamp.is_none() && self.selects(&request, version) {
            return Ok(Upgraded::Requested);
        }
        let (readiness, upgrade) = checked(self, workspace, &request, version).await?;
        match (readiness, upgrade) {
            (Readiness::Blocked(obstacle), _) => Ok(Upgraded::Blocked(obstacle)),
            (Readiness::Ready(_), Some(upgrade)) => {
                let Upgrade { opened, submission, edition } = upgrade;
                self.change_request(workspace, &opened.offered, &submission, &edition).await?;
                Ok(Upgraded::Requested)
            }
            (Readiness::There | Readiness::Ready(_), _) => Ok(Upgraded::Requested),
        }
    }

    /// Checks whether the spec of a request selects a version of its promise.
    pub(in crate::portal) fn selects(&self, request: &PromiseRequest, version: &str) -> bool {
        let reference = &request.spec.promise;
        let world = &self.portal().world;
        let home = match reference.workspace.as_deref() {
            Some(home) => WorkspacePath::parse(home).ok().and_then(|home| world.tree().cluster(&home)),
            // The home that its release comes from.
            None => request.status.as_ref().and_then(|status| ClusterId::parse(status.current.as_ref()?.home.as_ref()?).ok()),
        };
        let Some(home) = home else { return false };
        let constraint = reference.version.as_deref().unwrap_or_default();
        let found = world.revision_for(&home, &reference.name, constraint, running(request), request.spec.upgrade);
        found.is_ok_and(|(_, revision)| revision.spec.version == version)
    }
}

/// Returns the version that runs.
fn running(request: &PromiseRequest) -> Option<&str> {
    Some(request.status.as_ref()?.current.as_ref()?.version.as_str())
}

/// Returns whether a request can be upgraded, and its upgrade if it can.
async fn checked(caller: &Caller, workspace: &Workspace, request: &PromiseRequest, version: &str) -> Result<(Readiness, Option<Upgrade>)> {
    if let Some(known) = rollout::unjudged(rows::states(request), request.spec.paused, running(request), version) {
        return Ok((known, None));
    }
    let namespace = request.metadata.namespace.as_deref().unwrap_or_default();
    let name = request.metadata.name.as_deref().unwrap_or_default();
    if !caller.may(&workspace.cluster, Right::request("patch", namespace, name)).await? {
        let why = DeniedReason::ChangeRequest { workspace: None };
        return Ok((Readiness::Blocked(Obstacle::Denied { why: Error::from(why).to_string() }), None));
    }
    let mut opened = match form::open_for(caller, workspace, request).await {
        Ok(opened) => opened,
        Err(error @ (Error::NotFound { .. } | Error::Denied { .. } | Error::Busy { .. })) => {
            return Ok((Readiness::Blocked(Obstacle::Unknown { why: error.to_string() }), None));
        }
        Err(error) => return Err(error),
    };
    let Some(typed) = terms::start_of_version(caller, workspace, &mut opened, version)? else {
        return Ok((Readiness::Blocked(Obstacle::Unpublished), None));
    };
    let submission = opened.submission(&typed);
    let lost = terms::lost(caller, &opened);
    let checked = caller.preflight(workspace, &opened.offered, &submission).await?;
    if !submission.awaited.is_empty() {
        // Secrets are entered in the form.
        let problems: Vec<Problem> = submission.awaited.iter().map(|path| missing(&opened, path)).collect();
        let total = problems.len();
        return Ok((Readiness::Blocked(Obstacle::Input { problems, total }), None));
    }
    let edition = edition(request);
    Ok((rollout::judged(&checked, lost), Some(Upgrade { opened, submission, edition })))
}

/// A secret that the version requires and the request doesn't have.
fn missing(opened: &Opened, path: &str) -> Problem {
    let label = Path::parse(path).map_or_else(|_| path.to_owned(), |path| lower_first(&label(&opened.spec, &path)));
    Problem { path: format!(".parameters{path}"), message: format!("Enter {label}.") }
}
