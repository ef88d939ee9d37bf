//! The status of a request, computed from what was observed (`domain.md` 3).
//!
//! Nothing is remembered but times: every call builds the whole status anew, and a time is kept from the previous one where
//! what it dates did not change. The same observation gives the same status, so it is written only when it differs.

mod ball;
mod conditions;
mod held;
mod milestones;
mod phase;

use crate::api::{
    ApprovalStatus, CandidateState, CandidateStatus, Condition, CostStatus, CurrentStatus, OutdatedStatus, OutputStatus, Phase,
    PolicyOutcome, PromiseRequestStatus, QuestionStatus, ReleaseRevision, StepStatus,
};
use crate::error::Problem;
use crate::fulfil::Plan;

pub use conditions::held_back;
pub use held::{Missing, held};
pub use milestones::{Milestone, milestones, put_back};

/// Everything that a status is computed from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation<'a> {
    /// Generation of the request that was looked at.
    pub generation: i64,
    /// Whether it is being deleted.
    pub deleting: bool,
    /// Why the request itself cannot be accepted: unknown promise, parameters that do not fit. Empty: accepted.
    pub problems: &'a [Problem],
    /// Why policies refuse it. Empty: satisfied, unless `policies_unknown`.
    pub refusals: &'a [String],
    /// Why the policies could not all be seen, as a sentence: nothing new is accepted then.
    pub policies_unknown: Option<&'a str>,
    /// What every rule did.
    pub outcomes: &'a [PolicyOutcome],
    /// Whether nothing but a cap stands in the way: it is accepted when there is room.
    pub full: bool,
    /// What would change under the rules of today.
    pub outdated: Option<&'a OutdatedStatus>,
    /// Rules that ask for approval of the candidate; nothing when nobody asked anew, and what was said before holds.
    pub approvals: Option<&'a [ApprovalStatus]>,
    /// What they are asked, or were asked last.
    pub question: Option<&'a QuestionStatus>,
    /// Who decides about the candidate, for `waitingOn`.
    pub decides: Option<&'a str>,
    /// The release that runs.
    pub current: Option<ReleaseFacts<'a>>,
    /// The release that is meant to run next, when it is another one.
    pub candidate: Option<ReleaseFacts<'a>>,
    /// What is to be done and what is there.
    pub plan: Option<&'a Plan>,
    /// A Destination is no longer the one that objects were made at, as a sentence: nothing is made elsewhere.
    pub moved: Option<&'a str>,
    /// An action that the plane or a Destination refused, as a sentence.
    pub failure: Option<&'a str>,
    /// Steps of the workflow.
    pub steps: &'a [StepStatus],
    /// Outputs that are known so far.
    pub outputs: &'a [OutputStatus],
    /// Price.
    pub cost: Option<&'a CostStatus>,
}

/// What the status says about a release.
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
    /// Generation of the request that it is the content of.
    pub generation: i64,
    /// How far it got; of no meaning for the current one.
    pub state: CandidateState,
    /// Why, when it did not get through.
    pub message: Option<&'a str>,
    /// Whether policies changed since people decided against it.
    pub policies_changed: bool,
}

/// The status, whole. `now` is RFC 3339 and is used only where something changed.
pub fn compute(previous: Option<&PromiseRequestStatus>, seen: &Observation<'_>, now: &str) -> PromiseRequestStatus {
    let blank = PromiseRequestStatus::default();
    let previous = previous.unwrap_or(&blank);
    let phase = phase::of(previous, seen, now);
    let waiting_on = ball::waiting(previous, seen, now);
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
        steps: seen.steps.to_vec(),
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
    // Where the acceptance was not kept, it may have been Ready before: the last turn of its health is all that is known.
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
    }
}

/// When a release was accepted: as its candidate says, or now, if it was not accepted before.
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
    // What people decide about is the candidate for as long as they are asked about it.
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
