//! Entries for the activity of a request, derived from two consecutive statuses, so that writing the same status again, such as after a
//! restart, adds none.

use super::conditions::{APPLIED, CONTESTED, DELETING, DELETION_BLOCKED, DRIFT_FREE, NO_ROOM, POLICIES_SATISFIED};
use crate::api::{
    ApprovalRule, ApprovalStatus, CandidateState, Condition, ConditionStatus, Decision, DecisionState, GivenApproval, OutdatedRule,
    OutdatedStatus, Phase, PromiseRequestStatus, WaitingKind, WaitingOn, WaitingReason,
};
use crate::expiry::{Expiry, minute};
use crate::plan::{Key, Why};
use crate::wording::counted;

/// Something that happened to a request, once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Milestone {
    /// What happened.
    pub reason: MilestoneReason,
    /// Message, as a sentence. It contains nothing that isn't in the status.
    pub message: String,
}

/// What happened to a request: the reasons of its Events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MilestoneReason {
    /// Approvers have to decide.
    ApprovalNeeded,
    /// All approvals were given.
    Approved,
    /// One approval overrode all others.
    ApprovalOverridden,
    /// An approver requested changes.
    ChangesRequested,
    /// An approver rejected it.
    Rejected,
    /// The approval expired.
    Expired,
    /// It was accepted as a release.
    Accepted,
    /// It is accepted once there is room.
    Queued,
    /// It is invalid, or policies refuse it.
    Refused,
    /// Policies changed since it was accepted.
    PolicyOutdated,
    /// All its objects were applied.
    Applied,
    /// It is healthy.
    Ready,
    /// A change can't be applied, and the running release continues.
    UpdateFailed,
    /// It is no longer healthy.
    Degraded,
    /// It never became healthy.
    Failed,
    /// Something else changed or deleted an object, which was restored.
    DriftCorrected,
    /// Something else keeps changing an object.
    Contested,
    /// It has expired.
    RequestExpired,
    /// It was deleted because it had expired.
    DeletedAfterExpiry,
    /// Its deletion started.
    Deleting,
    /// Its deletion waits for an object.
    DeletionWaits,
    /// Its deletion can't continue.
    DeletionBlocked,
    /// Objects stay at a Destination after its deletion.
    LeftBehind,
    /// Its deletion runs none of the promise's steps, because they are no longer known.
    DeprovisionSkipped,
}

impl MilestoneReason {
    /// Returns the reason in CamelCase.
    pub fn word(self) -> &'static str {
        match self {
            Self::ApprovalNeeded => "ApprovalNeeded",
            Self::Approved => "Approved",
            Self::ApprovalOverridden => "ApprovalOverridden",
            Self::ChangesRequested => "ChangesRequested",
            Self::Rejected => "Rejected",
            Self::Expired => "Expired",
            Self::Accepted => "Accepted",
            Self::Queued => "Queued",
            Self::Refused => "Refused",
            Self::PolicyOutdated => "PolicyOutdated",
            Self::Applied => "Applied",
            Self::Ready => "Ready",
            Self::UpdateFailed => "UpdateFailed",
            Self::Degraded => "Degraded",
            Self::Failed => "Failed",
            Self::DriftCorrected => "DriftCorrected",
            Self::Contested => "Contested",
            Self::RequestExpired => "RequestExpired",
            Self::DeletedAfterExpiry => "DeletedAfterExpiry",
            Self::Deleting => "Deleting",
            Self::DeletionWaits => "DeletionWaits",
            Self::DeletionBlocked => "DeletionBlocked",
            Self::LeftBehind => "LeftBehind",
            Self::DeprovisionSkipped => "DeprovisionSkipped",
        }
    }

    /// Whether it needs attention.
    pub fn is_warning(self) -> bool {
        match self {
            Self::ApprovalNeeded
            | Self::Approved
            | Self::Accepted
            | Self::Queued
            | Self::PolicyOutdated
            | Self::Applied
            | Self::Ready
            | Self::Deleting
            | Self::DeletionWaits => false,
            Self::ApprovalOverridden
            | Self::ChangesRequested
            | Self::Rejected
            | Self::Expired
            | Self::Refused
            | Self::UpdateFailed
            | Self::Degraded
            | Self::Failed
            | Self::DriftCorrected
            | Self::Contested
            | Self::RequestExpired
            | Self::DeletedAfterExpiry
            | Self::DeletionBlocked
            | Self::LeftBehind
            | Self::DeprovisionSkipped => true,
        }
    }
}

/// Returns what happened between two statuses of a request, in order. `before` is absent if there was no status.
pub fn milestones(before: Option<&PromiseRequestStatus>, after: &PromiseRequestStatus) -> Vec<Milestone> {
    let blank = PromiseRequestStatus::default();
    let before = before.unwrap_or(&blank);
    if after.phase == Phase::Deleting {
        return [deleting(before, after), deletion_waits(before, after), deletion_blocked(before, after)].into_iter().flatten().collect();
    }
    [
        refused(before, after),
        queued(before, after),
        overridden(before, after),
        approval(before, after),
        accepted(before, after),
        outdated(before, after),
        applied(before, after),
        failed(before, after),
        held_back(before, after),
        degraded(before, after),
        ready(before, after),
        contested(before, after),
        expired(before, after),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the entry for an object that something else changed or deleted and that was restored. No status contains this: most drift is
/// repaired before one is written. `known` is whether the object existed before. Returns `None` if applying it restored nothing.
pub fn put_back(key: &Key, why: Why, known: bool) -> Option<Milestone> {
    let whose = key.destination.as_ref().map(|name| format!(" at {name}")).unwrap_or_default();
    match why {
        Why::Drift => {
            Some(milestone(MilestoneReason::DriftCorrected, &format!("Something else changed {key}{whose}. The controller restored it")))
        }
        Why::Create if known => {
            Some(milestone(MilestoneReason::DriftCorrected, &format!("Something else deleted {key}{whose}. The controller re-created it")))
        }
        Why::Create | Why::Change | Why::Adopt => None,
    }
}

fn accepted(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let (release, version) = in_force(after)?;
    let known = in_force(before).is_some_and(|(known, _)| known == release);
    (!known).then(|| milestone(MilestoneReason::Accepted, &format!("Accepted as release {release} with version {version} of the promise")))
}

/// Adds questions to approvers, and their decisions.
fn approval(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let Condition { reason, message, .. } = condition(after, "Approved")?;
    let same_reason = condition(before, "Approved").is_some_and(|known| known.reason == *reason);
    // The same answers about different content are new as well.
    let content = |status: &PromiseRequestStatus| status.candidate.as_ref().map(|candidate| candidate.content_hash.clone());
    let same_content = content(before) == content(after);
    let same = match reason.as_str() {
        "Approved" | "EmergencyApproved" => approvers(before) == approvers(after),
        _ => same_content && answers(before) == answers(after),
    };
    // A decision that stands although policies changed isn't new.
    let marked = after.candidate.as_ref().is_some_and(|candidate| candidate.policies_changed) && same_content;
    if same_reason && (same || marked) {
        return None;
    }
    match reason.as_str() {
        "AwaitingApproval" => Some(milestone(MilestoneReason::ApprovalNeeded, message)),
        "Approved" | "EmergencyApproved" => Some(milestone(MilestoneReason::Approved, message)),
        "ChangesRequested" => Some(milestone(MilestoneReason::ChangesRequested, message)),
        "Rejected" => Some(milestone(MilestoneReason::Rejected, message)),
        "Expired" => Some(milestone(MilestoneReason::Expired, message)),
        _ => None,
    }
}

/// Returns the Approvals that count, for each rule.
fn approvers(status: &PromiseRequestStatus) -> Vec<(&ApprovalRule, Vec<&str>)> {
    let counts = |given: &&GivenApproval| given.state == DecisionState::Counts && given.decision == Decision::Approve;
    let lines = status.approvals.iter();
    lines.map(|line| (&line.rule, line.given.iter().filter(counts).map(|given| given.approval.as_str()).collect())).collect()
}

/// Returns who is asked and what they answered, for each rule, without the texts about it.
fn answers(status: &PromiseRequestStatus) -> Vec<ApprovalStatus> {
    let is_current = |given: &&GivenApproval| given.state != DecisionState::Superseded;
    let wordless = |given: &GivenApproval| GivenApproval { void: None, ..given.clone() };
    let of = |line: &ApprovalStatus| {
        let given = line.given.iter().filter(is_current).map(wordless).collect();
        ApprovalStatus { given, expires_at: None, opens_at: None, ..line.clone() }
    };
    status.approvals.iter().map(of).collect()
}

/// Adds an override: one approval instead of all others.
fn overridden(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    fn overrides(status: &PromiseRequestStatus) -> impl Iterator<Item = (bool, &GivenApproval)> {
        let given = status.approvals.iter().flat_map(|approval| approval.given.iter().map(|given| (approval.window, given)));
        given.filter(|(_, given)| given.emergency && given.state == DecisionState::Counts)
    }
    let known: Vec<&str> = overrides(before).map(|(_, given)| given.approval.as_str()).collect();
    let (is_window, given) = overrides(after).find(|(_, given)| !known.contains(&given.approval.as_str()))?;
    let overrode = if is_window { "overrode the window" } else { "overrode all other approvers" };
    let why = given.comment.as_deref().unwrap_or_default();
    Some(milestone(MilestoneReason::ApprovalOverridden, &format!("{} {overrode} with the Approval {}: {why}", given.by, given.approval)))
}

fn outdated(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let now = condition(after, "PolicyOutdated").filter(|condition| condition.status == ConditionStatus::True)?;
    (policy_changes(before) != policy_changes(after)).then(|| milestone(MilestoneReason::PolicyOutdated, &now.message))
}

/// Returns which policies and prices changed, without the texts about it, and whether the request would be refused.
fn policy_changes(status: &PromiseRequestStatus) -> Option<(OutdatedStatus, bool)> {
    let wordless = |rule: &OutdatedRule| OutdatedRule { sentence: None, ..rule.clone() };
    let outdated = status.outdated.as_ref()?;
    let rules = outdated.rules.iter().map(wordless).collect();
    Some((OutdatedStatus { rules, refusals: Vec::new(), ..outdated.clone() }, !outdated.refusals.is_empty()))
}

fn refused(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let why = why_refused(after)?;
    (why_refused(before) != Some(why)).then(|| milestone(MilestoneReason::Refused, why))
}

fn queued(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let why = why_queued(after)?;
    (why_queued(before) != Some(why)).then(|| milestone(MilestoneReason::Queued, why))
}

fn applied(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let now = condition(after, APPLIED).filter(|condition| condition.status == ConditionStatus::True)?;
    let (release, _) = in_force(after)?;
    let known = is_true(before, APPLIED) && in_force(before).is_some_and(|(known, _)| known == release);
    (!known).then(|| milestone(MilestoneReason::Applied, &format!("Applied release {release}: {}", now.message)))
}

fn failed(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    // Invalid parameters are reported as a refusal.
    if after.phase != Phase::Failed || why_refused(after).is_some() {
        return None;
    }
    // Health messages contain counts that change; a failed apply is a new event only with a new reason.
    let another = before.phase != Phase::Failed || why_not_applied(after).is_some_and(|why| why_not_applied(before) != Some(why));
    another.then(|| milestone(MilestoneReason::Failed, trouble(after)))
}

/// Adds an accepted change that can't be applied, while the running release continues.
fn held_back(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let why = why_not_applied(after).filter(|_| after.phase == Phase::Ready)?;
    (why_not_applied(before) != Some(why)).then(|| milestone(MilestoneReason::UpdateFailed, why))
}

fn degraded(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    (after.phase == Phase::Degraded && before.phase != Phase::Degraded).then(|| milestone(MilestoneReason::Degraded, trouble(after)))
}

fn ready(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let current = after.current.as_ref().filter(|_| after.phase == Phase::Ready && why_not_applied(after).is_none())?;
    let known = before.phase == Phase::Ready && before.current.as_ref().is_some_and(|known| known.release == current.release);
    (!known).then(|| milestone(MilestoneReason::Ready, &format!("Release {} is ready to use", current.release)))
}

fn contested(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let why = |status| condition(status, DRIFT_FREE).filter(|condition| condition.reason == CONTESTED);
    let now = why(after)?;
    why(before).is_none().then(|| milestone(MilestoneReason::Contested, &now.message))
}

fn expired(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let waits = |status: &PromiseRequestStatus| status.waiting_on.clone().filter(|waits| waits.reason == WaitingReason::Expired);
    let time = |status: &PromiseRequestStatus| status.current.as_ref().map(|current| (current.release.clone(), current.expires_at.clone()));
    let now = waits(after)?;
    let known = waits(before).is_some() && time(before) == time(after);
    (!known).then(|| milestone(MilestoneReason::RequestExpired, &now.message))
}

/// Returns the entry for a deletion that runs none of the promise's steps, because its release or the version of the promise no longer
/// exists. No status contains this.
pub fn deprovision_skipped() -> Milestone {
    milestone(
        MilestoneReason::DeprovisionSkipped,
        "The steps of the promise for a deletion are skipped, because the release that names them no longer exists",
    )
}

/// Returns the entry for objects that stay at a Destination that no longer exists. No status contains this.
pub fn left_behind(destination: &str, objects: usize) -> Milestone {
    let count = counted(objects as u64, "object");
    let text = format!("The destination {destination} no longer exists; {count} that might still be there can't be removed");
    milestone(MilestoneReason::LeftBehind, &text)
}

/// Returns the entry for a request that the controller deletes because it expired.
pub fn ended(expiry: Expiry) -> Milestone {
    milestone(MilestoneReason::DeletedAfterExpiry, &format!("Deleted because it expired on {} and wasn't renewed", minute(expiry.at)))
}

fn deleting(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let left = condition(after, APPLIED).filter(|condition| condition.reason == DELETING).map(|condition| condition.message.as_str());
    let left = left.map(|left| format!(": {left}")).unwrap_or_default();
    (before.phase != Phase::Deleting).then(|| milestone(MilestoneReason::Deleting, &format!("Deletion started{left}")))
}

fn deletion_waits(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let what = waits_for_step(after)?;
    let known = before.phase == Phase::Deleting && waits_for_step(before).is_some_and(|known| known.is_same(what));
    (!known).then(|| milestone(MilestoneReason::DeletionWaits, &what.message))
}

fn deletion_blocked(before: &PromiseRequestStatus, after: &PromiseRequestStatus) -> Option<Milestone> {
    let why = why_blocked(after)?;
    (why_blocked(before) != Some(why)).then(|| milestone(MilestoneReason::DeletionBlocked, why))
}

/// Returns name and version of the release that is being rolled out, or else of the running one.
fn in_force(status: &PromiseRequestStatus) -> Option<(&str, &str)> {
    let candidate = status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::Accepted);
    let candidate = candidate.map(|candidate| (candidate.release.as_str(), candidate.version.as_str()));
    candidate.or_else(|| status.current.as_ref().map(|current| (current.release.as_str(), current.version.as_str())))
}

fn why_refused(status: &PromiseRequestStatus) -> Option<&str> {
    let is_queued = why_queued(status).is_some();
    said_no(status, "Accepted").or_else(|| said_no(status, POLICIES_SATISFIED).filter(|_| !is_queued))
}

/// Returns why a request is queued: it is accepted once there is room.
fn why_queued(status: &PromiseRequestStatus) -> Option<&str> {
    condition(status, POLICIES_SATISFIED).filter(|condition| condition.reason == NO_ROOM).map(|condition| condition.message.as_str())
}

fn why_not_applied(status: &PromiseRequestStatus) -> Option<&str> {
    super::held_back(status).map(|condition| condition.message.as_str())
}

fn why_blocked(status: &PromiseRequestStatus) -> Option<&str> {
    condition(status, APPLIED).filter(|condition| condition.reason == DELETION_BLOCKED).map(|condition| condition.message.as_str())
}

fn waits_for_step(status: &PromiseRequestStatus) -> Option<&WaitingOn> {
    status.waiting_on.as_ref().filter(|waits| waits.kind == WaitingKind::Step)
}

/// Returns why an accepted release isn't running as it should.
fn trouble(status: &PromiseRequestStatus) -> &str {
    let reasons = || [why_not_applied(status), said_no(status, "Healthy"), said_no(status, APPLIED)].into_iter().flatten();
    reasons().next().unwrap_or("Not working, for an unknown reason")
}

fn said_no<'s>(status: &'s PromiseRequestStatus, name: &str) -> Option<&'s str> {
    condition(status, name).filter(|condition| condition.status == ConditionStatus::False).map(|condition| condition.message.as_str())
}

fn is_true(status: &PromiseRequestStatus, name: &str) -> bool {
    condition(status, name).is_some_and(|condition| condition.status == ConditionStatus::True)
}

fn condition<'s>(status: &'s PromiseRequestStatus, name: &str) -> Option<&'s Condition> {
    status.conditions.iter().find(|condition| condition.r#type == name)
}

fn milestone(reason: MilestoneReason, text: &str) -> Milestone {
    Milestone { reason, message: sentence(text) }
}

fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

#[cfg(test)]
mod tests;
