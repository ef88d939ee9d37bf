//! Whether and when an action can start.

use serde_json::Value;

use super::{form, words};
use crate::api::{
    ActionPhase, ActionSpec, Approvers, CandidateState, PromiseActionSpec, PromiseActionStatus, PromiseRequestStatus, PromiseSpec,
    Requester, WaitingKind, WaitingOn, WaitingReason, WorkflowPhase,
};
use crate::context::Context;
use crate::identity::PersonId;
use crate::policy::Effective;
use crate::resolve::resolve;

/// Checks whether a person can run an action. `home` is the id of the promise's home workspace.
pub fn may_run(action: &ActionSpec, person: &PersonId, groups: &[String], home: &str) -> bool {
    action.allowed.as_ref().is_none_or(|allowed| {
        let people = Approvers { users: allowed.users.clone(), groups: allowed.groups.clone() };
        people.include(person, home, groups)
    })
}

/// Returns why a person can't run an action, as a sentence with those who can.
pub fn not_allowed(action: &ActionSpec, name: &str) -> String {
    let people: Vec<&str> =
        action.allowed.iter().flat_map(|allowed| allowed.groups.iter().chain(&allowed.users)).map(String::as_str).collect();
    words::not_allowed(action.title(name), &people)
}

/// Returns the parameters of a run with their defaults.
///
/// # Errors
/// If they don't match the schema of the action, with a sentence for each problem.
pub fn accepted(
    spec: &PromiseSpec,
    action: &ActionSpec,
    parameters: Option<&Value>,
    context: &Context,
) -> Result<Value, Vec<crate::Problem>> {
    let resolved = resolve(&form(spec, action), parameters.unwrap_or(&Value::Null), None, &Effective::default(), context);
    if resolved.problems.is_empty() { Ok(resolved.parameters) } else { Err(resolved.problems) }
}

/// Returns what an action waits for before it can start on a request. `generation` is that of the request.
pub fn waits_for_request(status: Option<&PromiseRequestStatus>, generation: i64) -> Option<WaitingOn> {
    let waiting = |message: String| Some(WaitingOn::new(WaitingKind::Controller, WaitingReason::RolloutRunning, message));
    let Some(status) = status.filter(|status| status.current.is_some()) else { return waiting(words::not_running()) };
    if status.observed_generation < generation {
        return waiting(words::edited());
    }
    let is_accepted = status.candidate.as_ref().is_some_and(|candidate| candidate.state == CandidateState::Accepted);
    let is_running = status.workflow.as_ref().is_some_and(|run| matches!(run.phase, WorkflowPhase::Running | WorkflowPhase::RollingBack));
    if is_accepted || is_running { waiting(words::rollout()) } else { None }
}

/// A run of an action of the same request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Name of the PromiseAction.
    pub name: String,
    /// Name of the action.
    pub action: String,
    /// RFC 3339 time at which it was created.
    pub created: String,
    /// State of the run.
    pub phase: ActionPhase,
    /// Who created it.
    pub requester: Option<Requester>,
    /// Whether it waits for the windows of policies, or for approvals that they require. Others don't wait for it meanwhile.
    pub held: bool,
}

impl Turn {
    /// Returns the turn of a run. `created` is the RFC 3339 time at which it was created.
    pub fn of(name: String, created: String, spec: &PromiseActionSpec, status: Option<&PromiseActionStatus>) -> Self {
        Self {
            name,
            action: spec.action.clone(),
            created,
            phase: phase_in_queue(status),
            requester: spec.requester.clone(),
            held: is_held(status) || awaits_approval(status),
        }
    }
}

/// Returns what a run waits for before it can start: its request, or its turn among the runs of the request. `request` is the status of the
/// request, and `generation` that of its spec.
pub fn waits_to_start(request: Option<&PromiseRequestStatus>, generation: i64, own: &Turn, others: &[Turn]) -> Option<WaitingOn> {
    waits_for_request(request, generation).or_else(|| waits_for_turn(own, others))
}

/// Returns the state of a run as the other runs of its request see it. One that waits for approvals that policies require, or is approved
/// and waits for windows or its turn, is still pending: none of the steps of the action has begun. What it waits for tells it apart, because
/// caches don't keep the steps.
pub fn phase_in_queue(status: Option<&PromiseActionStatus>) -> ActionPhase {
    let Some(status) = status else { return ActionPhase::default() };
    // It is recorded before others are let through, and removed before the first step begins.
    let is_queued =
        status.phase == ActionPhase::Running && status.waiting_on.as_ref().is_some_and(|waiting| is_before_steps(waiting.reason));
    if is_queued { ActionPhase::Pending } else { status.phase }
}

/// Checks whether a run that policies require approvals of waits for this reason before its first step. Steps wait for other reasons.
pub(super) fn is_before_steps(reason: WaitingReason) -> bool {
    use WaitingReason::{ChangeWindow, OtherAction, RolloutRunning, RunApprovalNeeded};
    matches!(reason, RunApprovalNeeded | ChangeWindow | OtherAction | RolloutRunning)
}

/// Checks whether a run waits for the windows of policies.
pub fn is_held(status: Option<&PromiseActionStatus>) -> bool {
    let waiting = status.and_then(|status| status.waiting_on.as_ref());
    waiting.is_some_and(|waiting| waiting.reason == WaitingReason::ChangeWindow)
}

/// Checks whether a run waits for approvals that policies require.
fn awaits_approval(status: Option<&PromiseActionStatus>) -> bool {
    let waiting = status.and_then(|status| status.waiting_on.as_ref());
    waiting.is_some_and(|waiting| waiting.reason == WaitingReason::RunApprovalNeeded)
}

/// Checks whether the other runs of the request don't wait for a run that was created before: it waits for windows or for approvals that
/// policies require, or for its turn after it was approved.
pub fn yields_turn(status: Option<&PromiseActionStatus>) -> bool {
    let is_queued =
        status.is_some_and(|status| status.phase == ActionPhase::Running && phase_in_queue(Some(status)) == ActionPhase::Pending);
    is_held(status) || is_queued
}

/// Returns what a run waits for among others of the same request: one that runs, or one that was created before.
pub fn waits_for_turn(own: &Turn, others: &[Turn]) -> Option<WaitingOn> {
    let order = |turn: &Turn| (turn.created.clone(), turn.name.clone());
    let open = others.iter().filter(|turn| turn.name != own.name && !turn.phase.is_over());
    let is_before = |turn: &&Turn| turn.phase == ActionPhase::Running || (!turn.held && order(turn) < order(own));
    let first = open.filter(is_before).min_by_key(|turn| (turn.phase != ActionPhase::Running, order(turn)))?;
    let who = first.requester.as_ref().map(|requester| requester.username.clone());
    let message = words::another(&first.action, &first.name, who.as_deref());
    let waiting = WaitingOn::new(WaitingKind::Step, WaitingReason::OtherAction, message);
    Some(WaitingOn { object: Some(first.name.clone()), who: who.into_iter().collect(), ..waiting })
}
