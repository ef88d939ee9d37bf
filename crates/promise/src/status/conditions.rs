//! The conditions of a request, always complete and in the same order.

use super::{Observation, ReleaseFacts, waiting};
use crate::api::{
    ApprovalState, ApprovalStatus, CandidateState, CandidateStatus, Condition, ConditionStatus, Health, Phase, PromiseRequestStatus,
    WaitingOn, WorkflowPhase,
};
use crate::approval::is_emergency;
use crate::plan::Hold;
use crate::sentence::sentence;
use crate::wording::{all_of, counted};
use crate::workflow::{self, Run};

/// Conditions that must be true before anything is created for the request.
const DECIDED: [&str; 3] = ["Accepted", POLICIES_SATISFIED, "Approved"];
/// Whether the accepted release is applied.
pub(super) const APPLIED: &str = "Applied";
/// Whether policies allow the request.
pub(super) const POLICIES_SATISFIED: &str = "PoliciesSatisfied";
/// Whether no one else changed the objects.
pub(super) const DRIFT_FREE: &str = "DriftFree";
/// Reason if nothing but limits and budgets refuses the request.
pub(super) const NO_ROOM: &str = "NoRoom";
/// Reason while objects are deleted.
pub(super) const DELETING: &str = "Deleting";
/// Reason if something prevents the deletion.
pub(super) const DELETION_BLOCKED: &str = "DeletionBlocked";
/// Reason if something else keeps changing the objects.
pub(super) const CONTESTED: &str = "Contested";
/// Reasons why an accepted release can't be applied.
const HELD_BACK: [&str; 3] = ["Refused", "Conflict", STEP_FAILED];
/// Reason if a step of the workflow failed.
const STEP_FAILED: &str = "StepFailed";
/// Reason if the created objects can't be read.
const UNREACHABLE: &str = "Unreachable";
/// Appended to a decision that stands although policies changed.
const POLICIES_CHANGED: &str = " Policies changed since then; the decision stands until the request is edited or resubmitted.";

/// Returns why an accepted change can't be applied: a Destination refuses it, the object already exists and belongs to someone else, or a
/// step of the workflow failed.
/// What is running isn't affected. Returns `None` if nothing is held back.
pub fn held_back(status: &PromiseRequestStatus) -> Option<&Condition> {
    status.conditions.iter().find(|condition| condition.r#type == APPLIED && HELD_BACK.contains(&&*condition.reason))
}

/// Computes all conditions. `phase` and `waiting_on` are those of the same observation.
pub(super) fn all(
    previous: &PromiseRequestStatus,
    seen: &Observation<'_>,
    phase: Phase,
    waiting_on: Option<&WaitingOn>,
    now: &str,
) -> Vec<Condition> {
    let others = [
        ("Accepted", accepted(seen)),
        (POLICIES_SATISFIED, policies(seen)),
        ("Approved", approved(previous, seen)),
        (APPLIED, applied(seen)),
        ("Healthy", healthy(seen)),
        (DRIFT_FREE, drift_free(seen)),
        ("PolicyOutdated", outdated(seen)),
    ];
    let ready = ready(seen, phase, waiting_on, &others);
    let all = std::iter::once(("Ready", ready)).chain(others);
    all.map(|(name, said)| dated(previous, name, said, seen.generation, now)).collect()
}

struct Said {
    status: ConditionStatus,
    reason: &'static str,
    message: String,
}

fn said(status: ConditionStatus, reason: &'static str, message: impl Into<String>) -> Said {
    Said { status, reason, message: message.into() }
}

fn dated(previous: &PromiseRequestStatus, name: &str, said: Said, generation: i64, now: &str) -> Condition {
    let kept = previous.conditions.iter().find(|condition| condition.r#type == name && condition.status == said.status);
    Condition {
        r#type: name.to_owned(),
        status: said.status,
        reason: said.reason.to_owned(),
        message: said.message,
        observed_generation: Some(generation),
        last_transition_time: kept.and_then(|condition| condition.last_transition_time.clone()).or_else(|| Some(now.to_owned())),
    }
}

/// Whether the present content of the request is in place and healthy. This is what `kubectl wait --for=condition=Ready` checks, and every
/// tool that knows conditions but not our kinds.
///
/// True exactly if the phase is Ready and the running release matches the present generation. If an edit is invalid, refused, waiting for
/// approval or rejected, the phase stays Ready because it describes what is running. This condition is then False, with the reason of the
/// condition that holds the edit back: tools that wait after an edit must not be told that it is in place. The same applies to an accepted
/// edit that the server or a Destination refuses, while everything created before is healthy. Only the spec counts: a newer version of the
/// promise or a changed rule that waits for approval leaves it True. `Healthy` is whether the running release is healthy, regardless of
/// later edits.
///
/// Unknown if `Applied` and `Healthy` are, because the created objects can't be read and no problem is known.
fn ready(seen: &Observation<'_>, phase: Phase, waiting_on: Option<&WaitingOn>, others: &[(&'static str, Said)]) -> Said {
    if phase != Phase::Ready {
        let message = sentence(phase, waiting_on);
        return match is_out_of_sight(others) {
            true => said(ConditionStatus::Unknown, UNREACHABLE, message),
            false => said(ConditionStatus::False, word(phase), message),
        };
    }
    let is_held_back = |name: &str, other: &Said| name == APPLIED && HELD_BACK.contains(&other.reason);
    if let Some((_, applied)) = others.iter().find(|(name, other)| is_held_back(name, other)) {
        return said(ConditionStatus::False, applied.reason, sentence(phase, waiting_on));
    }
    if is_of_this_generation(seen) {
        return said(ConditionStatus::True, "Ready", "Ready to use");
    }
    let held = others.iter().find(|(name, other)| DECIDED.contains(name) && other.status != ConditionStatus::True);
    let reason = held.map_or(word(Phase::Pending), |(_, other)| other.reason);
    said(ConditionStatus::False, reason, sentence(Phase::Pending, waiting::of_edit(seen).as_ref()))
}

/// Whether the release that the phase describes matches the present generation.
fn is_of_this_generation(seen: &Observation<'_>) -> bool {
    let next = seen.candidate.filter(|candidate| candidate.state == CandidateState::Accepted);
    next.or(seen.current).is_some_and(|release| release.generation == seen.generation)
}

/// Whether something can't be read, and no problem is known with the rest.
fn is_out_of_sight(others: &[(&'static str, Said)]) -> bool {
    let unknown = others.iter().any(|(name, other)| *name == "Healthy" && other.status == ConditionStatus::Unknown);
    unknown && others.iter().any(|(_, other)| other.reason == UNREACHABLE)
}

/// Returns a phase as a reason.
fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Pending => "Pending",
        Phase::AwaitingApproval => "AwaitingApproval",
        Phase::Provisioning => "Provisioning",
        Phase::Ready => "Ready",
        Phase::Degraded => "Degraded",
        Phase::Updating => "Updating",
        Phase::Failed => "Failed",
        Phase::Rejected => "Rejected",
        Phase::Deleting => "Deleting",
    }
}

fn accepted(seen: &Observation<'_>) -> Said {
    match seen.problems {
        [] => said(ConditionStatus::True, "Valid", "The request is valid"),
        problems => {
            let texts: Vec<String> = problems
                .iter()
                .map(
                    |problem| {
                        if problem.path.is_empty() { problem.message.clone() } else { format!("{}: {}", problem.path, problem.message) }
                    },
                )
                .collect();
            said(ConditionStatus::False, "Invalid", texts.join(" "))
        }
    }
}

fn policies(seen: &Observation<'_>) -> Said {
    if let Some(why) = seen.policies_unknown {
        return said(ConditionStatus::Unknown, "PoliciesNotVisible", why);
    }
    if !seen.problems.is_empty() {
        return said(ConditionStatus::Unknown, "NotEvaluated", "Policies are evaluated once the request is valid");
    }
    match seen.refusals {
        [] => said(ConditionStatus::True, "Satisfied", format!("{} evaluated", counted(seen.outcomes.len() as u64, "rule"))),
        refusals => said(ConditionStatus::False, if seen.full { NO_ROOM } else { "Refused" }, refusals.join(" ")),
    }
}

/// Returns what is known about approvals. For an earlier candidate only its approval is kept, as long as its objects exist.
pub(super) fn approvals<'a>(previous: &'a PromiseRequestStatus, seen: &Observation<'a>) -> &'a [ApprovalStatus] {
    let ended = |candidate: &CandidateStatus| candidate.state.is_negative();
    let agreed = previous.approvals.iter().all(|approval| approval.state == ApprovalState::Approved)
        && !previous.candidate.as_ref().is_some_and(ended);
    seen.approvals.unwrap_or(if agreed { &previous.approvals } else { &[] })
}

fn approved(previous: &PromiseRequestStatus, seen: &Observation<'_>) -> Said {
    let approvals = approvals(previous, seen);
    let negative = |reason, candidate: ReleaseFacts<'_>, otherwise: &str| {
        let mut message = candidate.message.unwrap_or(otherwise).to_owned();
        if candidate.policies_changed {
            message.push_str(POLICIES_CHANGED);
        }
        said(ConditionStatus::False, reason, message)
    };
    match seen.candidate.map(|candidate| (candidate.state, candidate)) {
        Some((CandidateState::AwaitingApproval, candidate)) => negative("AwaitingApproval", candidate, "Waiting for approval"),
        Some((CandidateState::ChangesRequested, candidate)) => negative("ChangesRequested", candidate, "An approver requested changes"),
        Some((CandidateState::AwaitingWindow, candidate)) => negative("AwaitingWindow", candidate, "Waiting for a window"),
        Some((CandidateState::Rejected, candidate)) => negative("Rejected", candidate, "An approver rejected this request"),
        Some((CandidateState::Expired, candidate)) => negative("Expired", candidate, "The approval expired before anyone decided"),
        Some((CandidateState::Withdrawn, candidate)) => negative("Withdrawn", candidate, "The requester withdrew this request"),
        _ if !seen.problems.is_empty() || !seen.refusals.is_empty() || seen.policies_unknown.is_some() => {
            said(ConditionStatus::Unknown, "NotEvaluated", "Approval is requested once the request is valid and allowed by policies")
        }
        _ if !approvals.is_empty() && approvals.iter().all(|approval| approval.state == ApprovalState::Approved) => {
            let reason = if approvals.iter().any(is_emergency) { "EmergencyApproved" } else { "Approved" };
            said(ConditionStatus::True, reason, crate::approval::approved(approvals))
        }
        _ => said(ConditionStatus::True, "NotRequired", "No rule requires approval"),
    }
}

fn applied(seen: &Observation<'_>) -> Said {
    let Some(plan) = seen.plan else {
        return said(ConditionStatus::Unknown, "NotStarted", "No resources have been created yet");
    };
    if seen.deleting {
        let unreachable = plan.holds.iter().find_map(|hold| match hold {
            Hold::Unreachable { message, .. } => Some(message.as_str()),
            _ => None,
        });
        if let Some(why) = seen.failure.or(unreachable) {
            return said(ConditionStatus::False, DELETION_BLOCKED, why);
        }
        return said(ConditionStatus::False, DELETING, format!("{} left", counted(plan.inventory.len() as u64, "object")));
    }
    if let Some(why) = seen.moved {
        return said(ConditionStatus::False, "Moved", why);
    }
    if let Some(failure) = seen.failure {
        return said(ConditionStatus::False, "Refused", failure);
    }
    for hold in &plan.holds {
        match hold {
            Hold::Foreign { message, .. } => return said(ConditionStatus::False, "Conflict", message),
            Hold::Unreachable { message, .. } => return said(ConditionStatus::Unknown, UNREACHABLE, message),
            Hold::Paused if !plan.applied => {
                return said(ConditionStatus::False, "Paused", "Paused: no changes are made until the request is resumed");
            }
            _ => {}
        }
    }
    if let Some(step) = seen.run.filter(|run| run.status.phase == WorkflowPhase::Failed).and_then(Run::failed) {
        return said(ConditionStatus::False, STEP_FAILED, workflow::failed(step));
    }
    if plan.applied {
        return said(ConditionStatus::True, "Applied", format!("{} applied", counted(plan.inventory.len() as u64, "object")));
    }
    let waits: Vec<String> = plan
        .holds
        .iter()
        .filter_map(|hold| match hold {
            Hold::NotYet { id, waits_for } => Some(format!("{id} waits for {waits_for}")),
            _ => None,
        })
        .collect();
    if waits.is_empty() {
        said(ConditionStatus::False, "Applying", "Creating resources")
    } else {
        said(ConditionStatus::False, "Waiting", all_of(&waits))
    }
}

fn healthy(seen: &Observation<'_>) -> Said {
    let Some(plan) = seen.plan.filter(|plan| !plan.inventory.is_empty() || plan.healthy) else {
        return said(ConditionStatus::Unknown, "NothingThere", "No resources have been created yet");
    };
    let with = |health: Health| plan.inventory.iter().find(|item| item.health == health);
    let told = |item: &crate::api::InventoryItem, else_say: &str| {
        format!("{} {}: {}", item.kind, item.name, item.message.as_deref().unwrap_or(else_say))
    };
    if let Some(item) = with(Health::Degraded) {
        said(ConditionStatus::False, "Degraded", told(item, "not working"))
    } else if let Some(item) = with(Health::Missing) {
        said(ConditionStatus::False, "Missing", told(item, "missing"))
    } else if let Some(item) = with(Health::Progressing) {
        said(ConditionStatus::False, "Progressing", told(item, "in progress"))
    } else if let Some(item) = with(Health::Unknown) {
        said(ConditionStatus::Unknown, "Unknown", told(item, "health unknown"))
    } else if plan.healthy {
        said(ConditionStatus::True, "Healthy", format!("{} healthy", counted(plan.inventory.len() as u64, "object")))
    } else {
        said(ConditionStatus::False, "Progressing", "More resources will be created")
    }
}

fn drift_free(seen: &Observation<'_>) -> Said {
    match seen.plan {
        None => said(ConditionStatus::Unknown, "NotStarted", "No resources have been created yet"),
        Some(plan) if !plan.drift.is_empty() => said(
            ConditionStatus::False,
            "Drifted",
            format!("Something else changed {}. The controller is restoring it", paths(&plan.drift)),
        ),
        Some(plan) if !plan.contested.is_empty() => said(
            ConditionStatus::False,
            CONTESTED,
            format!(
                "Something else keeps changing {}, so it is restored less and less often. Find out who changes it, or ask the promise's team to \
                 leave it out of the template",
                paths(&plan.contested)
            ),
        ),
        Some(plan) if !plan.kept_otherwise.is_empty() => said(
            ConditionStatus::True,
            "AsKept",
            format!("No drift. The server stores {} in a different form", paths(&plan.kept_otherwise)),
        ),
        Some(_) => said(ConditionStatus::True, "AsApplied", "No drift"),
    }
}

fn paths(of: &[(String, String)]) -> String {
    all_of(&of.iter().map(|(id, path)| format!("{path} of {id}")).collect::<Vec<_>>())
}

fn outdated(seen: &Observation<'_>) -> Said {
    match seen.outdated {
        Some(outdated) if outdated.rules.is_empty() => said(ConditionStatus::True, "PricesChanged", crate::outdated::summary(outdated)),
        Some(outdated) => said(ConditionStatus::True, "PoliciesChanged", crate::outdated::summary(outdated)),
        None => said(ConditionStatus::False, "UpToDate", "The running release was accepted under the current policies"),
    }
}
