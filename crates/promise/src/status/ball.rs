//! Who holds the ball: computed from what was observed, never from what was planned.

use super::Observation;
use crate::api::{CandidateState, Phase, PromiseRequestStatus, WaitingKind, WaitingOn};
use crate::error::Problem;
use crate::fulfil::{Hold, Plan};
use crate::sentence::{APPROVER, AUTHORS, REQUESTER, ball};
use crate::wording::upper_first;

pub(super) fn waiting(previous: &PromiseRequestStatus, seen: &Observation<'_>, now: &str) -> Option<WaitingOn> {
    let (kind, what) = told(seen)?;
    let kept = previous.waiting_on.as_ref().filter(|kept| kept.kind == kind && same_matter(&kept.what, &what));
    let since = kept.and_then(|kept| kept.since.clone()).or_else(|| Some(now.to_owned()));
    Some(WaitingOn { kind, what, since })
}

/// Who holds the ball of an edit that does not run, while what was accepted before does: it is waited for as if it were a new request.
pub(super) fn of_edit(seen: &Observation<'_>) -> Option<WaitingOn> {
    let (kind, what) = told(&Observation { current: None, ..seen.clone() })?;
    Some(WaitingOn { kind, what, since: None })
}

/// The sentence on top of the page of a request, for whoever reads its object: a person who holds the ball is named and not addressed.
pub(super) fn sentence(phase: Phase, waiting: Option<WaitingOn>) -> String {
    match waiting {
        Some(waiting) if waiting.kind == WaitingKind::Person => upper_first(&waiting.what),
        waiting_on => ball(Some(&PromiseRequestStatus { phase, waiting_on, ..PromiseRequestStatus::default() })).what,
    }
}

/// A count or a detail after the colon may change while one still waits for the same thing. Other approvers are another matter.
fn same_matter(before: &str, after: &str) -> bool {
    let matter = |text: &str| text.strip_prefix(APPROVER).unwrap_or(text).split(':').next().unwrap_or_default().to_owned();
    matter(before) == matter(after)
}

/// A fault in what the promise makes of parameters that fit its schema is not the requester's to mend.
fn is_of_the_promise(problem: &Problem) -> bool {
    [".implementation", ".outputs"].iter().any(|part| problem.path.starts_with(part))
}

fn told(seen: &Observation<'_>) -> Option<(WaitingKind, String)> {
    if seen.deleting {
        if let Some(failure) = seen.failure {
            return Some(tries_again(failure));
        }
        return Some(seen.plan.map_or((WaitingKind::Controller, "the controller removes what was made".to_owned()), removal));
    }
    if let Some(problem) = seen.problems.first() {
        let who = if is_of_the_promise(problem) { AUTHORS } else { REQUESTER };
        return Some((WaitingKind::Person, format!("{who}{}", problem.message.trim_end_matches('.'))));
    }
    if let Some(why) = seen.policies_unknown {
        return Some((WaitingKind::Person, why.trim_end_matches('.').to_owned()));
    }
    if let Some(refusal) = seen.refusals.first() {
        let refusal = refusal.trim_end_matches('.');
        return Some(match seen.full {
            true => (WaitingKind::Capacity, refusal.to_owned()),
            false => (WaitingKind::Person, format!("{REQUESTER}{refusal}")),
        });
    }
    match seen.candidate.map(|candidate| candidate.state) {
        Some(CandidateState::AwaitingApproval) => {
            return Some((WaitingKind::Person, seen.decides.map_or_else(|| format!("{APPROVER}somebody decides"), str::to_owned)));
        }
        // The requester is waited for, whether something runs or not.
        Some(CandidateState::ChangesRequested) => {
            let why = seen.candidate.and_then(|candidate| candidate.message).unwrap_or("an approver asked for changes");
            let what = seen.decides.map_or_else(|| format!("{REQUESTER}{}", why.trim_end_matches('.')), str::to_owned);
            return Some((WaitingKind::Person, what));
        }
        Some(CandidateState::Evaluating) => return Some((WaitingKind::Controller, "the controller checks the request".to_owned())),
        // Where something runs, that goes on as it is.
        Some(CandidateState::Rejected | CandidateState::Expired | CandidateState::Withdrawn) if seen.current.is_none() => {
            let why = seen.candidate.and_then(|candidate| candidate.message).unwrap_or("nobody agreed to it");
            return Some((WaitingKind::Person, format!("{REQUESTER}{}", why.trim_end_matches('.'))));
        }
        _ => {}
    }
    if let Some(failure) = seen.failure {
        return Some(tries_again(failure));
    }
    let Some(plan) = seen.plan else {
        return Some((WaitingKind::Controller, "the controller looks at the request".to_owned()));
    };
    plan.holds
        .first()
        .map(|hold| held(hold, plan))
        .or_else(|| (!plan.actions.is_empty()).then(|| (WaitingKind::Controller, "the controller makes what was asked for".to_owned())))
}

fn tries_again(failure: &str) -> (WaitingKind, String) {
    (WaitingKind::Controller, format!("the controller tries again: {}", failure.trim_end_matches('.')))
}

fn held(hold: &Hold, plan: &Plan) -> (WaitingKind, String) {
    match hold {
        Hold::Paused => (WaitingKind::Person, "the requester resumes the request".to_owned()),
        Hold::Foreign { message, .. } => (WaitingKind::Person, format!("{REQUESTER}{}", message.trim_end_matches('.'))),
        Hold::Unreachable { message, .. } => (WaitingKind::Controller, message.trim_end_matches('.').to_owned()),
        Hold::Terminating { key, .. } => (WaitingKind::Step, format!("the old {key} is gone")),
        Hold::Unhealthy { key, message, .. } => {
            let detail = message.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
            (WaitingKind::Step, format!("{key} becomes healthy{detail}"))
        }
        Hold::NotYet { id, waits_for } => (WaitingKind::Step, format!("{id} waits for {waits_for}")),
        Hold::Budget { left } => {
            (WaitingKind::Controller, format!("the controller goes on: {left} objects are left of {}", plan.inventory.len()))
        }
    }
}

fn removal(plan: &Plan) -> (WaitingKind, String) {
    match plan.holds.first() {
        Some(Hold::Terminating { key, .. }) => (WaitingKind::Step, format!("{key} is gone")),
        Some(hold) => held(hold, plan),
        None => (WaitingKind::Controller, "the controller removes what was made".to_owned()),
    }
}
