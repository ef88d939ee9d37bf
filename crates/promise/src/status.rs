//! Computes the status of a request from observations (`domain.md` 3).
//!
//! Only times are carried over: every call computes the complete status, and a time is kept from the previous status if what it dates
//! didn't change. The same observation gives the same status, so it is written only if it differs.

mod conditions;
mod held;
mod milestones;
mod phase;
mod waiting;

use crate::api::{
    ApprovalStatus, CandidateState, CandidateStatus, Condition, CostStatus, CurrentStatus, OutdatedStatus, OutputStatus, Phase,
    PolicyOutcome, PromiseRequestStatus, QuestionStatus, ReleaseRevision, WaitingOn,
};
use crate::expiry::Expiry;
use crate::plan::Plan;
use crate::problem::Problem;
use crate::workflow::Run;

pub use conditions::held_back;
pub use held::{Missing, held};
pub use milestones::{Milestone, MilestoneReason, deprovision_skipped, ended, left_behind, milestones, put_back};

/// Inputs of a status.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation<'a> {
    /// Generation of the observed request.
    pub generation: i64,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// Reasons why the request itself can't be accepted: unknown promise, invalid parameters. Empty if accepted.
    pub problems: &'a [Problem],
    /// Reasons why policies refuse it. Empty if satisfied, unless `policies_unknown`.
    pub refusals: &'a [String],
    /// Reason why not all policies are visible, as a sentence. Nothing new is accepted then.
    pub policies_unknown: Option<&'a str>,
    /// Outcome of every rule.
    pub outcomes: &'a [PolicyOutcome],
    /// Whether only a limit or budget prevents it: it is accepted once there is room.
    pub full: bool,
    /// Changes under the present policies.
    pub outdated: Option<&'a OutdatedStatus>,
    /// Approval rules for the candidate. Nothing if they weren't evaluated again, and the previous status still applies.
    pub approvals: Option<&'a [ApprovalStatus]>,
    /// The present or most recent question to approvers.
    pub question: Option<&'a QuestionStatus>,
    /// Who the candidate waits for, for `waitingOn`.
    pub decides: Option<&'a WaitingOn>,
    /// The running release.
    pub current: Option<ReleaseFacts<'a>>,
    /// The release to run next, if it is a different one.
    pub candidate: Option<ReleaseFacts<'a>>,
    /// The next actions and the observed objects.
    pub plan: Option<&'a Plan>,
    /// Reason why a Destination is no longer the one that has the objects, as a sentence: nothing is created elsewhere.
    pub moved: Option<&'a str>,
    /// An action that the server or a Destination refused, as a sentence.
    pub failure: Option<&'a str>,
    /// The run of the workflow.
    pub run: Option<&'a Run>,
    /// Outputs known so far.
    pub outputs: &'a [OutputStatus],
    /// Price of the request.
    pub cost: Option<&'a CostStatus>,
    /// When the accepted release expired, if it did.
    pub expired: Option<Expiry>,
}

/// A release, as described in the status.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReleaseFacts<'a> {
    /// Name of the PromiseRelease.
    pub name: &'a str,
    /// Version of the promise.
    pub version: &'a str,
    /// Revision.
    pub revision: &'a ReleaseRevision,
    /// Hash of its content.
    pub content_hash: &'a str,
    /// Generation of the request that the release was created from.
    pub generation: i64,
    /// RFC 3339 time at which it expires.
    pub expires_at: Option<&'a str>,
    /// State of a candidate. Ignored for the current release.
    pub state: CandidateState,
    /// Reason why it wasn't accepted.
    pub message: Option<&'a str>,
    /// Whether policies changed after approvers decided against it.
    pub policies_changed: bool,
}

/// Computes the complete status. `now` is an RFC 3339 time, used only where something changed.
pub fn compute(previous: Option<&PromiseRequestStatus>, seen: &Observation<'_>, now: &str) -> PromiseRequestStatus {
    let blank = PromiseRequestStatus::default();
    let previous = previous.unwrap_or(&blank);
    let phase = phase::of(previous, seen, now);
    let waiting_on = waiting::of(previous, seen, now);
    let conditions = conditions::all(previous, seen, phase, waiting_on.as_ref(), now);
    let inventory = seen.plan.map_or_else(|| previous.inventory.clone(), |plan| plan.inventory.clone());
    PromiseRequestStatus {
        observed_generation: seen.generation,
        phase,
        waiting_on,
        current: seen.current.map(|release| current(previous, release, phase, &conditions, now)),
        conditions,
        candidate: seen.candidate.map(|release| candidate(previous, seen, release, now)),
        approvals: conditions::approvals(previous, seen).to_vec(),
        question: seen.question.cloned(),
        policies: seen.outcomes.to_vec(),
        workflow: seen.run.map(|run| run.status.clone()),
        steps: seen.run.map(|run| run.steps.clone()).unwrap_or_default(),
        // They depend on the release; see [`crate::lifecycle::status`].
        step_outputs: previous.step_outputs.clone(),
        // They have facts of their own; see [`crate::schedule`].
        schedules: previous.schedules.clone(),
        inventory,
        outputs: seen.outputs.to_vec(),
        outdated: seen.outdated.cloned(),
        cost: seen.cost.cloned(),
    }
}

fn current(previous: &PromiseRequestStatus, release: ReleaseFacts<'_>, phase: Phase, said: &[Condition], now: &str) -> CurrentStatus {
    let kept = previous.current.as_ref().filter(|kept| kept.release == release.name);
    let accepted_at = match kept {
        Some(kept) => kept.accepted_at.clone(),
        None => accepted_at(previous, release, now),
    };
    // If the time of acceptance wasn't recorded, it might have been Ready before: the last change of its health is all that is known.
    let turned = if accepted_at.is_some() { None } else { turned_healthy(said) };
    let first = (phase == Phase::Ready).then(|| turned.unwrap_or_else(|| now.to_owned()));
    CurrentStatus {
        release: release.name.to_owned(),
        version: release.version.to_owned(),
        revision: release.revision.name.clone(),
        home: Some(release.revision.cluster.clone()),
        content_hash: Some(release.content_hash.to_owned()),
        since: kept.and_then(|kept| kept.since.clone()).or_else(|| Some(now.to_owned())),
        accepted_at,
        ready_at: kept.and_then(|kept| kept.ready_at.clone()).or(first),
        generation: Some(release.generation),
        expires_at: release.expires_at.map(str::to_owned),
    }
}

/// Returns when a release was accepted: as recorded for its candidate, or now if it wasn't accepted before.
fn accepted_at(previous: &PromiseRequestStatus, release: ReleaseFacts<'_>, now: &str) -> Option<String> {
    let accepted = |kept: &&CandidateStatus| kept.release == release.name && kept.state == CandidateState::Accepted;
    match previous.candidate.as_ref().filter(accepted) {
        Some(kept) => kept.accepted_at.clone(),
        None => Some(now.to_owned()),
    }
}

fn turned_healthy(conditions: &[Condition]) -> Option<String> {
    conditions.iter().find(|condition| condition.r#type == "Healthy")?.last_transition_time.clone()
}

fn candidate(previous: &PromiseRequestStatus, seen: &Observation<'_>, release: ReleaseFacts<'_>, now: &str) -> CandidateStatus {
    // As long as approvers are asked about a release, it stays the candidate.
    let asked = seen.question.filter(|question| question.content_hash == release.content_hash && release.state != CandidateState::Accepted);
    let same = |kept: &&CandidateStatus| kept.release == release.name && kept.generation == Some(release.generation);
    let kept = previous.candidate.as_ref().filter(same).and_then(|kept| kept.since.clone());
    let kept = asked.map(|question| question.since.clone()).or(kept);
    CandidateStatus {
        release: release.name.to_owned(),
        version: release.version.to_owned(),
        revision: release.revision.name.clone(),
        home: Some(release.revision.cluster.clone()),
        content_hash: release.content_hash.to_owned(),
        state: release.state,
        message: release.message.map(str::to_owned),
        generation: Some(release.generation),
        since: kept.or_else(|| Some(now.to_owned())),
        accepted_at: if release.state == CandidateState::Accepted { accepted_at(previous, release, now) } else { None },
        policies_changed: release.policies_changed,
    }
}

#[cfg(test)]
mod tests;
