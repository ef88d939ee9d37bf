//! The workflow of a request: its steps, another attempt, and its cancellation.

use app::view::{StepLine, WorkflowView};
use cluster::error::PlaneResult as _;
use cluster::kinds::PromiseRequest;
use kube::Api;
use promise::api::{CandidateState, PromiseRequestStatus, StepStatus, WorkflowPhase};
use promise::{ConflictReason, DeniedOperation, DeniedReason, Result, names};
use serde_json::json;

use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;
use crate::portal::write::{WriteOperation, WriteTarget};

/// Returns the last run, if the promise has a workflow.
pub(super) fn of(status: &PromiseRequestStatus) -> Option<WorkflowView> {
    let run = status.workflow.as_ref()?;
    let steps = status.steps.iter().map(line).collect();
    Some(WorkflowView { name: run.name, phase: run.phase, steps, retry: failed_attempt(status), cancel: running_attempt(status) })
}

/// Returns a step as pages show it.
pub(in crate::portal) fn line(step: &StepStatus) -> StepLine {
    StepLine {
        id: step.id.clone(),
        title: step.title.clone().unwrap_or_default(),
        kind: step.kind,
        phase: step.phase,
        attempts: step.attempts,
        started: step.started_at.clone().unwrap_or_default(),
        finished: step.finished_at.clone().unwrap_or_default(),
        next: step.next_at.clone().unwrap_or_default(),
        message: step.undo_message.clone().or_else(|| step.message.clone()).unwrap_or_default(),
        policy: None,
        undone: step.undone,
        log: step.log.clone(),
        skip: None,
        review: None,
    }
}

/// Returns the attempt that failed, while it can be retried.
fn failed_attempt(status: &PromiseRequestStatus) -> Option<u32> {
    let run = status.workflow.as_ref()?;
    let is_failed = match run.phase {
        WorkflowPhase::Failed => true,
        WorkflowPhase::RolledBack => status.candidate.as_ref().is_some_and(|candidate| candidate.state == CandidateState::Failed),
        WorkflowPhase::Running | WorkflowPhase::Succeeded | WorkflowPhase::RollingBack => false,
    };
    is_failed.then_some(run.attempt)
}

/// Returns the attempt that is running, while it can be cancelled.
fn running_attempt(status: &PromiseRequestStatus) -> Option<u32> {
    let run = status.workflow.as_ref()?;
    (run.phase == WorkflowPhase::Running).then_some(run.attempt)
}

/// Cancels the steps that run, as the person. `attempt` is the one that the person saw run; `None` for whatever runs.
pub(in crate::portal) async fn cancel(
    caller: &Caller,
    workspace: &Workspace,
    namespace: &str,
    name: &str,
    attempt: Option<u32>,
) -> Result<()> {
    let request = changeable(caller, workspace, namespace, name).await?;
    let running = request.status.as_ref().and_then(running_attempt).filter(|at| attempt.is_none_or(|seen| seen == *at));
    let running = running.ok_or(ConflictReason::NothingRuns)?;
    annotate(caller, workspace, (namespace, name), WriteOperation::CancelWorkflow, (names::CANCEL_ANNOTATION, running)).await
}

/// Retries the failed steps, as the person. `attempt` is the one that the person saw fail; `None` for whatever failed last.
pub(in crate::portal) async fn retry(
    caller: &Caller,
    workspace: &Workspace,
    namespace: &str,
    name: &str,
    attempt: Option<u32>,
) -> Result<()> {
    let request = changeable(caller, workspace, namespace, name).await?;
    let failed = request.status.as_ref().and_then(failed_attempt).filter(|at| attempt.is_none_or(|seen| seen == *at));
    let failed = failed.ok_or(ConflictReason::NothingFailed)?;
    annotate(caller, workspace, (namespace, name), WriteOperation::RetryWorkflow, (names::RETRY_ANNOTATION, failed)).await
}

/// Returns a request that the person can change.
async fn changeable(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str) -> Result<PromiseRequest> {
    let request = caller.read_request(workspace, namespace, name).await?;
    if !caller.may(&workspace.cluster, Right::request("patch", namespace, name)).await? {
        let (workspace, owner) = (workspace.path.to_string(), workspace.whom_to_ask());
        return Err(DeniedReason::WriteRequests { operation: DeniedOperation::Change, workspace, owner }.into());
    }
    Ok(request)
}

/// Names an attempt in an annotation of a request.
async fn annotate(
    caller: &Caller,
    workspace: &Workspace,
    (namespace, name): (&str, &str),
    operation: WriteOperation,
    (annotation, attempt): (&str, u32),
) -> Result<()> {
    let api: Api<PromiseRequest> = Api::namespaced(caller.client(&workspace.cluster), namespace);
    let patch = json!({"metadata": {"annotations": {annotation: attempt.to_string()}}});
    let target = WriteTarget::namespaced("PromiseRequest", &workspace.cluster, namespace, name);
    let mut write = caller.write(operation, target);
    write.merge(&api, name, &patch).await.map(drop).about(&format!("request {name}"))
}
