//! One word for how a request goes.

use super::Observation;
use crate::api::{CandidateState, Health, Phase, PromiseRequestStatus};
use crate::fulfil::Hold;

pub(super) fn of(previous: &PromiseRequestStatus, seen: &Observation<'_>) -> Phase {
    if seen.deleting {
        return Phase::Deleting;
    }
    let running = seen.current.is_some();
    if let Some(candidate) = seen.candidate {
        match candidate.state {
            CandidateState::AwaitingApproval if !running => return Phase::AwaitingApproval,
            CandidateState::Rejected | CandidateState::Expired if !running => return Phase::Rejected,
            CandidateState::Failed if !running => return Phase::Failed,
            _ => {}
        }
    }
    // A refusal of something new says nothing about what runs: that goes on as it is.
    if !running && !seen.problems.is_empty() {
        return Phase::Failed;
    }
    if !running && !seen.refusals.is_empty() {
        return Phase::Rejected;
    }
    let Some(plan) = seen.plan.filter(|_| running || accepted(seen)) else {
        return Phase::Pending;
    };
    if seen.failure.is_some() || plan.holds.iter().any(|hold| matches!(hold, Hold::Foreign { .. })) {
        return if was_up(previous) { Phase::Degraded } else { Phase::Failed };
    }
    if plan.applied && plan.healthy {
        return Phase::Ready;
    }
    if running && accepted(seen) && !broken(plan) {
        return Phase::Updating;
    }
    // Drift that is put back while everything works is told by its own condition.
    if was_up(previous) && plan.healthy && plan.holds.is_empty() && !plan.drift.is_empty() {
        return Phase::Ready;
    }
    if was_up(previous) {
        let same_release = previous.current.as_ref().map(|current| current.release.as_str()) == seen.current.map(|release| release.name);
        return match (previous.phase, same_release) {
            (Phase::Updating, true) | (_, false) if !broken(plan) => Phase::Updating,
            _ => Phase::Degraded,
        };
    }
    if broken(plan) { Phase::Failed } else { Phase::Provisioning }
}

fn accepted(seen: &Observation<'_>) -> bool {
    seen.candidate.is_some_and(|candidate| candidate.state == CandidateState::Accepted)
}

/// Whether it was ready once: what goes wrong then is a degradation.
fn was_up(previous: &PromiseRequestStatus) -> bool {
    matches!(previous.phase, Phase::Ready | Phase::Degraded | Phase::Updating)
}

fn broken(plan: &crate::fulfil::Plan) -> bool {
    plan.inventory.iter().any(|item| item.health == Health::Degraded)
}
