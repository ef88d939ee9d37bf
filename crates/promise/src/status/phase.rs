//! The phase of a request.

use jiff::{SignedDuration, Timestamp};

use super::Observation;
use crate::api::{CandidateState, CandidateStatus, Health, InventoryItem, Phase, PromiseRequestStatus, WorkflowPhase};
use crate::plan::{Hold, Key, Plan};

/// Maximum duration of a change. After that it is stuck, and unhealthy objects are an outage.
const ROLL_OUT: SignedDuration = SignedDuration::from_mins(30);
/// Time after a release is rolled out during which new progress belongs to that change and isn't an outage.
const SETTLING: SignedDuration = SignedDuration::from_mins(10);

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
    // A refusal of an edit doesn't affect what is running.
    if !running && !seen.problems.is_empty() {
        return Phase::Failed;
    }
    if !running && !seen.refusals.is_empty() {
        // A request that only lacks room is queued.
        return if seen.full { Phase::Pending } else { Phase::Rejected };
    }
    let Some(plan) = seen.plan.filter(|_| running || accepted(seen)) else {
        return Phase::Pending;
    };
    if seen.failure.is_some() || plan.holds.iter().any(|hold| matches!(hold, Hold::Foreign { .. })) {
        // A change that can't be applied isn't an outage of what is running.
        return match was_up(previous) {
            true if running && accepted(seen) && works(previous, plan, |health| health == Health::Healthy) => Phase::Ready,
            true if running && accepted(seen) && is_recent(previous, seen, now) && works(previous, plan, is_up_or_coming) => {
                Phase::Updating
            }
            true => Phase::Degraded,
            false => Phase::Failed,
        };
    }
    if let Some(run) = seen.run.filter(|run| !matches!(run.status.phase, WorkflowPhase::Succeeded | WorkflowPhase::RolledBack)) {
        return match (run.status.phase, was_up(previous)) {
            (WorkflowPhase::Failed, true) if works(previous, plan, |health| health == Health::Healthy) => Phase::Ready,
            // Some steps take days: a ticket, for example.
            (WorkflowPhase::Running | WorkflowPhase::RollingBack, true) if !broken(plan) => Phase::Updating,
            (_, true) => Phase::Degraded,
            (WorkflowPhase::Failed, false) => Phase::Failed,
            (_, false) if broken(plan) => Phase::Failed,
            (_, false) => Phase::Provisioning,
        };
    }
    if plan.applied && plan.healthy {
        return Phase::Ready;
    }
    if running && accepted(seen) && !broken(plan) && (plan.holds.contains(&Hold::Paused) || is_recent(previous, seen, now)) {
        return Phase::Updating;
    }
    // Drift that is repaired while everything is healthy has its own condition.
    if was_up(previous) && plan.healthy && plan.holds.is_empty() && !plan.drift.is_empty() {
        return Phase::Ready;
    }
    if was_up(previous) {
        let same_release = previous.current.as_ref().map(|current| current.release.as_str()) == seen.current.map(|release| release.name);
        let rolls_out = !same_release || came_lately(previous, now);
        return if rolls_out && !broken(plan) { Phase::Updating } else { Phase::Degraded };
    }
    if broken(plan) { Phase::Failed } else { Phase::Provisioning }
}

fn accepted(seen: &Observation<'_>) -> bool {
    seen.candidate.is_some_and(|candidate| candidate.state == CandidateState::Accepted)
}

/// Whether the change that is being rolled out was accepted recently. A change that is seen for the first time was accepted just now.
fn is_recent(previous: &PromiseRequestStatus, seen: &Observation<'_>, now: &str) -> bool {
    let name = seen.candidate.map(|candidate| candidate.name);
    let same = |kept: &&CandidateStatus| kept.state == CandidateState::Accepted && Some(kept.release.as_str()) == name;
    let known = previous.candidate.as_ref().filter(same);
    let age = known.and_then(|kept| age(kept.accepted_at.as_deref().or(kept.since.as_deref()), now));
    age.is_none_or(|age| age < ROLL_OUT)
}

/// Whether the running release was rolled out recently. Operators that restart something for a change might only begin after everything
/// looked finished, and take as long as for any change.
fn came_lately(previous: &PromiseRequestStatus, now: &str) -> bool {
    let limit = if previous.phase == Phase::Updating { ROLL_OUT } else { SETTLING };
    age(previous.current.as_ref().and_then(|current| current.since.as_deref()), now).is_some_and(|age| age < limit)
}

fn age(since: Option<&str>, now: &str) -> Option<SignedDuration> {
    let (since, now): (Timestamp, Timestamp) = (since?.parse().ok()?, now.parse().ok()?);
    Some(now.duration_since(since).abs())
}

/// Whether it was ready before: a later problem is a degradation.
fn was_up(previous: &PromiseRequestStatus) -> bool {
    matches!(previous.phase, Phase::Ready | Phase::Degraded | Phase::Updating)
}

fn is_up_or_coming(health: Health) -> bool {
    matches!(health, Health::Healthy | Health::Progressing)
}

/// Whether everything that was created is as `wanted`, regardless of what is still to be created or changed. An object that existed before
/// and is missing isn't.
fn works(previous: &PromiseRequestStatus, plan: &Plan, wanted: fn(Health) -> bool) -> bool {
    let is_new = |item: &InventoryItem| {
        let key = Key::of_item(item);
        let was_there = previous.inventory.iter().any(|known| known.uid.is_some() && Key::of_item(known) == key);
        previous.phase != Phase::Degraded && !was_there
    };
    let is_fine = |item: &InventoryItem| wanted(item.health) || (item.health == Health::Missing && is_new(item));
    plan.inventory.iter().any(|item| wanted(item.health)) && plan.inventory.iter().all(is_fine)
}

fn broken(plan: &Plan) -> bool {
    plan.inventory.iter().any(|item| item.health == Health::Degraded)
}
