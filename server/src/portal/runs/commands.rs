//! What users do with runs: start, cancel, retry.

use app::backend::RunOf;
use cluster::error::PlaneResult as _;
use cluster::kinds::{Export, PromiseAction};
use kube::{Api, ResourceExt as _};
use promise::api::{ActionPhase, PromiseActionStatus};
use promise::{ConflictReason, DeniedReason, Error, Result, names};
use serde_json::{Value, json};

use super::offers::denied;
use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::reads::is_object_name;
use crate::portal::rights::Right;
use crate::portal::write::{WriteOperation, WriteTarget};

/// What a program does with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunCommand {
    /// Cancels it.
    Cancel,
    /// Retries its failed steps.
    Retry,
}

/// Kind of runs.
const KIND: &str = "PromiseAction";

/// Reads a run of a request. The result is the same whether it doesn't exist or the user can't read it.
pub(in crate::portal) async fn read(caller: &Caller, workspace: &Workspace, of: RunOf<'_>) -> Result<PromiseAction> {
    let what = format!("run {}", of.run);
    if !is_object_name(of.namespace) || !is_object_name(of.run) || !workspace.namespaces.has(of.namespace) {
        return Err(Error::NotFound { what });
    }
    let api: Api<PromiseAction> = Api::namespaced(caller.client(&workspace.cluster), of.namespace);
    match api.get(of.run).await.about(&what) {
        Ok(run) if run.spec.request == of.request => caller.genuine(Export::Requests, workspace, what).map(|()| run),
        Ok(_) | Err(Error::Denied { .. } | Error::NotFound { .. } | Error::NotEnabled { .. }) => Err(Error::NotFound { what }),
        Err(error) => Err(error),
    }
}

/// Creates a run, as the user. One of the same name that the user created before for the same action is this one.
pub(super) async fn create(caller: &Caller, workspace: &Workspace, run: PromiseAction) -> Result<()> {
    let (name, namespace) = (run.name_any(), run.namespace().unwrap_or_default());
    let what = format!("run {name}");
    let api: Api<PromiseAction> = Api::namespaced(caller.client(&workspace.cluster), &namespace);
    let mut write = caller.write(WriteOperation::RunAction, WriteTarget::namespaced(KIND, &workspace.cluster, &namespace, &name));
    match write.create(&api, &run).await.about(&what) {
        Ok(_) => Ok(()),
        Err(Error::Conflict { reason: ConflictReason::AlreadyExists { .. } }) => {
            let there = read(caller, workspace, RunOf { namespace: &namespace, request: &run.spec.request, run: &name }).await?;
            let is_mine = there.spec.requester.as_ref().is_some_and(|requester| requester.may_be(&caller.identity().stamp()));
            let is_own = is_mine && there.spec.action == run.spec.action;
            if is_own { Ok(()) } else { Err(ConflictReason::AlreadyExists { what }.into()) }
        }
        Err(error) => Err(in_words(error, workspace)),
    }
}

/// Words a missing permission as pages do. Other errors stay as they are.
fn in_words(error: Error, workspace: &Workspace) -> Error {
    match error {
        Error::Denied { reason: DeniedReason::Authorizer { .. } } => denied(workspace),
        other => other,
    }
}

/// Returns whether the user can cancel or retry a run.
pub(super) async fn changeable(caller: &Caller, workspace: &Workspace, of: RunOf<'_>) -> Result<std::result::Result<(), Error>> {
    let may = caller.may(&workspace.cluster, Right::run("patch", of.namespace, of.run)).await?;
    Ok(if may { Ok(()) } else { Err(denied(workspace)) })
}

/// Returns the attempt that failed, while it can be retried.
pub(super) fn failed_attempt(status: &PromiseActionStatus) -> Option<u32> {
    status.workflow.as_ref().filter(|_| status.phase == ActionPhase::Failed).map(|run| run.attempt)
}

/// Cancels a run that isn't over, as the user.
pub(super) async fn cancel(caller: &Caller, workspace: &Workspace, of: RunOf<'_>) -> Result<PromiseAction> {
    let run = read(caller, workspace, of).await?;
    changeable(caller, workspace, of).await??;
    if run.status.as_ref().is_some_and(|status| status.phase.is_over()) {
        return Err(ConflictReason::NothingRuns.into());
    }
    patch(caller, workspace, of, WriteOperation::CancelRun, &json!({"spec": {"cancel": true}})).await
}

/// Retries a run that failed, as the user. `attempt` is the one that the user saw fail; `None` for whatever failed last.
pub(super) async fn retry(caller: &Caller, workspace: &Workspace, of: RunOf<'_>, attempt: Option<u32>) -> Result<PromiseAction> {
    let run = read(caller, workspace, of).await?;
    changeable(caller, workspace, of).await??;
    let failed = run.status.as_ref().and_then(failed_attempt).filter(|at| attempt.is_none_or(|seen| seen == *at));
    let failed = failed.ok_or(ConflictReason::NothingFailed)?;
    let named = json!({"metadata": {"annotations": {names::RETRY_ANNOTATION: failed.to_string()}}});
    patch(caller, workspace, of, WriteOperation::RetryRun, &named).await
}

async fn patch(caller: &Caller, workspace: &Workspace, of: RunOf<'_>, operation: WriteOperation, patch: &Value) -> Result<PromiseAction> {
    let api: Api<PromiseAction> = Api::namespaced(caller.client(&workspace.cluster), of.namespace);
    let mut write = caller.write(operation, WriteTarget::namespaced(KIND, &workspace.cluster, of.namespace, of.run));
    write.merge(&api, of.run, patch).await.about(&format!("run {}", of.run)).map_err(|error| in_words(error, workspace))
}
