//! The actions of a request, and whether the user can run them.

use std::sync::Arc;

use app::view::ActionLine;
use cluster::kinds::{PromiseRequest, PromiseRevision};
use kube::ResourceExt as _;
use promise::action::{may_run, not_allowed};
use promise::api::{ActionSpec, PromiseSpec};
use promise::{ConflictReason, DeniedReason, Error, Result};

use crate::portal::Caller;
use crate::portal::known::home;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;

/// The promise as a request uses it.
pub(super) struct Used(Arc<PromiseRevision>);

impl Used {
    /// Returns the promise that a request uses. `None` before anything runs.
    pub(super) fn by(caller: &Caller, request: &PromiseRequest) -> Option<Self> {
        request.status.as_ref()?.current.as_ref()?;
        caller.taken(request).map(Self)
    }

    /// Returns the hash of the revision.
    pub(super) fn hash(&self) -> &str {
        &self.0.spec.hash
    }

    /// Returns the spec of the promise.
    pub(super) fn spec(&self) -> &PromiseSpec {
        &self.0.spec.spec
    }
}

/// Returns the actions of the version that a request runs, each with whether the user can run it.
pub(in crate::portal) async fn offers(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> Result<Vec<ActionLine>> {
    let Some(used) = Used::by(caller, request) else { return Ok(Vec::new()) };
    let mut lines = Vec::new();
    for (name, action) in &used.spec().actions {
        let allowed = runnable(caller, workspace, request, name, action).await?;
        lines.push(line(name, action, allowed));
    }
    Ok(lines)
}

/// Returns an action of the promise for a page.
pub(super) fn line(name: &str, action: &ActionSpec, allowed: std::result::Result<(), Error>) -> ActionLine {
    ActionLine {
        name: name.to_owned(),
        title: action.title(name).to_owned(),
        description: action.description.clone().unwrap_or_default(),
        allowed,
    }
}

/// Returns why the user can't run an action now, if so.
///
/// # Errors
/// If the control plane doesn't respond.
pub(super) async fn runnable(
    caller: &Caller,
    workspace: &Workspace,
    request: &PromiseRequest,
    name: &str,
    action: &ActionSpec,
) -> Result<std::result::Result<(), Error>> {
    let namespace = request.namespace().unwrap_or_default();
    if !caller.may(&workspace.cluster, Right::runs("create", &namespace)).await? {
        return Ok(Err(denied(workspace)));
    }
    let of = home(&caller.portal().world, request).map(|home| home.to_string()).unwrap_or_default();
    let person = caller.identity();
    if !may_run(action, &person.person, &person.groups, &of) {
        return Ok(Err(DeniedReason::NotAllowedToRun { people: not_allowed(action, name) }.into()));
    }
    if request.metadata.deletion_timestamp.is_some() {
        return Ok(Err(ConflictReason::BeingDeleted.into()));
    }
    Ok(Ok(()))
}

/// Returns that the user can't write runs in a workspace.
pub(super) fn denied(workspace: &Workspace) -> Error {
    DeniedReason::RunActions { workspace: workspace.path.to_string(), owner: workspace.whom_to_ask() }.into()
}
