//! The status of an Approval, read back from the status of its request, which lists every decision that it has taken into account.
//!
//! The request is authoritative, so an Approval never claims to count if it doesn't. Approvals that no request lists, because they name
//! something that isn't in question, get a status by comparison.

use super::{concerns, is_for, words};
use crate::api::{
    ApprovalSpec, ApprovalStatus, ApprovedRequest, CandidateState, Decision, DecisionReason, DecisionState, DecisionStatus, GivenApproval,
    PromiseRequestStatus, StepKind, StepPhase, StepStatus,
};

/// An Approval as read from the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written<'a> {
    /// Name of the Approval.
    pub name: &'a str,
    /// Logical cluster id of its workspace.
    pub cluster: &'a str,
    /// Its spec.
    pub spec: &'a ApprovalSpec,
    /// Its present status.
    pub before: Option<&'a DecisionStatus>,
}

/// The request with the uid that an Approval names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestInQuestion<'a> {
    /// Reference to the request. Its cluster is always set.
    pub request: &'a ApprovedRequest,
    /// Its last status.
    pub status: &'a PromiseRequestStatus,
    /// Steps of its actions.
    pub steps: &'a [StepStatus],
}

/// The outcome of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// State of the decision.
    pub state: DecisionState,
    /// Reason why it doesn't count.
    pub reason: Option<DecisionReason>,
    /// Reason for the state, as a sentence.
    pub message: String,
    /// Whether the request lists the decision. Otherwise the outcome comes from a comparison with a status that might be out of date.
    pub heard: bool,
}

/// Returns the outcome of a decision. Returns nothing until its request has taken it into account, and if its status doesn't change.
pub fn verdict(written: &Written<'_>, asked: Option<&RequestInQuestion<'_>>) -> Option<Verdict> {
    let named = &written.spec.request;
    let Some(RequestInQuestion { request, status, steps }) = asked else {
        let place = format!("{}/{}", named.namespace, named.name);
        return over(written, DecisionReason::RequestNotFound, format!("There is no request {place} with the uid {}.", named.uid));
    };
    if !concerns(written.spec, request) {
        let place = format!("{}/{}", request.namespace, request.name);
        let why = format!("The request with the uid {} is {place}, but this decision names another one.", named.uid);
        return over(written, DecisionReason::OtherRequest, why);
    }
    let of_rule = |line: &&ApprovalStatus| is_for(&line.rule, &line.cluster, &line.cluster, written.spec);
    let of_steps = || steps.iter().chain(&status.steps).filter_map(|step| step.approval.as_deref());
    let lines = || status.approvals.iter().chain(of_steps()).filter(of_rule);
    let here = || lines().filter(|line| line.cluster == written.cluster);
    if let Some(given) = here().flat_map(|line| &line.given).filter(|given| given.approval == written.name).max_by_key(|given| given.state)
    {
        return Some(Verdict { state: given.state, reason: given.reason, message: message(given, written.spec), heard: true });
    }
    let is_in_question = |step: &StepStatus| {
        let (is_named, is_asked) = (is_of(step, written), step.content_hash.as_ref() == Some(&written.spec.content_hash));
        match written.spec.decision {
            Decision::Skip => is_named && is_asked,
            _ => {
                let is_for_line = |line: &ApprovalStatus| is_for(&line.rule, &line.cluster, written.cluster, written.spec);
                let waits = step.kind == StepKind::Approve && step.phase == StepPhase::Running;
                waits && (is_named || is_asked) && step.approval.as_deref().is_some_and(is_for_line)
            }
        }
    };
    // The step will take it into account shortly.
    if steps.iter().chain(&status.steps).any(is_in_question) {
        return None;
    }
    let thing = words::thing(&written.spec.rule);
    if let (Some(line), None) = (lines().next(), here().next()) {
        let why = format!("Decisions for {thing} belong in {}, where it is set. This one is elsewhere.", line.source);
        return over(written, DecisionReason::OtherWorkspace, why);
    }
    if here().next().is_none() {
        // A refused request asks no one. Decisions on the content that it wants count again afterwards.
        let pauses = status.approvals.is_empty() && status.question.as_ref().is_some_and(|q| q.content_hash == written.spec.content_hash);
        let why = format!("No rule {} of {thing} requires approval of {} now.", written.spec.rule.name, request.name);
        return if pauses { None } else { over(written, DecisionReason::NoSuchRule, why) };
    }
    match &status.candidate {
        // The request will take it into account shortly.
        Some(candidate) if candidate.state != CandidateState::Accepted => None,
        _ => {
            let asks = here().flat_map(|line| &line.given).find(|given| given.state == DecisionState::Counts);
            let decided = asks.map(|given| given.content_hash.as_str()).unwrap_or_default();
            if decided == written.spec.content_hash {
                let why = format!("{} was already decided. No approval is pending.", request.name);
                return over(written, DecisionReason::AlreadyDecided, why);
            }
            let hash = words::short(&written.spec.content_hash);
            let why = format!("This decision is for content {hash}, but no approval of {} is pending.", request.name);
            over(written, DecisionReason::NothingPending, why)
        }
    }
}

/// Whether a decision names the rule of a step: that of the policy that requires the step, or of the promise that has it.
fn is_of(step: &StepStatus, written: &Written<'_>) -> bool {
    let rule = &written.spec.rule;
    match &step.policy {
        Some(policy) => policy.approval_rule() == *rule && policy.cluster == written.cluster,
        None => rule.promise.is_some() && rule.name == step.id,
    }
}

/// Returns the outcome of a decision that doesn't count or no longer counts. Returns nothing if its status already says so with a reason of
/// its own.
fn over(written: &Written<'_>, reason: DecisionReason, message: String) -> Option<Verdict> {
    let state = match written.before.map(|before| before.state) {
        Some(DecisionState::Void | DecisionState::Superseded) => return None,
        Some(DecisionState::Counts) => DecisionState::Superseded,
        Some(DecisionState::Pending) | None => DecisionState::Void,
    };
    Some(Verdict { state, reason: Some(reason), message, heard: false })
}

fn message(given: &GivenApproval, spec: &ApprovalSpec) -> String {
    if let Some(why) = &given.void {
        return why.clone();
    }
    let thing = words::thing(&spec.rule);
    match (spec.emergency, spec.decision) {
        (_, Decision::Skip) => "Counts: the step is skipped.".to_owned(),
        (true, _) => format!("Counts as an override for {thing}."),
        (false, Decision::Approve) => format!("Counts for the rule {} of {thing}.", spec.rule.name),
        (false, Decision::Reject) => "Counts: it is rejected.".to_owned(),
        (false, Decision::RequestChanges) => "Counts: the requester has to make changes.".to_owned(),
    }
}
