//! One word for how a request goes.

use jiff::{SignedDuration, Timestamp};

use super::Observation;
use crate::api::{CandidateState, Health, Phase, PromiseRequestStatus};
use crate::fulfil::Hold;

/// How long after a release came into force what is on its way belongs to that change, and is no outage.
const ROLL_OUT: SignedDuration = SignedDuration::from_mins(10);

pub(super) fn of(previous: &PromiseRequestStatus, seen: &Observation<'_>, now: &str) -> Phase {
    if seen.deleting {
        return Phase::Deleting;
    }
    let running = seen.current.is_some();
    if let Some(candidate) = seen.candidate {
        match candidate.state {
            CandidateState::AwaitingApproval | CandidateState::ChangesRequested if !running => return Phase::AwaitingApproval,
            CandidateState::Rejected | CandidateState::Expired | CandidateState::Withdrawn if !running => return Phase::Rejected,
            CandidateState::Failed if !running => return Phase::Failed,
            _ => {}
        }
    }
    // A refusal of something new says nothing about what runs: that goes on as it is.
    if !running && !seen.problems.is_empty() {
        return Phase::Failed;
    }
    if !running && !seen.refusals.is_empty() {
        // What only lacks room is queued.
        return if seen.full { Phase::Pending } else { Phase::Rejected };
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
        let rolls_out = previous.phase == Phase::Updating || !same_release || came_lately(previous, now);
        return if rolls_out && !broken(plan) { Phase::Updating } else { Phase::Degraded };
    }
    if broken(plan) { Phase::Failed } else { Phase::Provisioning }
}

fn accepted(seen: &Observation<'_>) -> bool {
    seen.candidate.is_some_and(|candidate| candidate.state == CandidateState::Accepted)
}

/// Whether the release that runs came into force a short while ago. Operators that restart something for a change may begin with that only
/// after everything looked done.
fn came_lately(previous: &PromiseRequestStatus, now: &str) -> bool {
    let time = |text: &str| text.parse::<Timestamp>().ok();
    let since = previous.current.as_ref().and_then(|current| time(current.since.as_deref()?));
    since.zip(time(now)).is_some_and(|(since, now)| now.duration_since(since).abs() < ROLL_OUT)
}

/// Whether it was ready once: what goes wrong then is a degradation.
fn was_up(previous: &PromiseRequestStatus) -> bool {
    matches!(previous.phase, Phase::Ready | Phase::Degraded | Phase::Updating)
}

fn broken(plan: &crate::fulfil::Plan) -> bool {
    plan.inventory.iter().any(|item| item.health == Health::Degraded)
}
