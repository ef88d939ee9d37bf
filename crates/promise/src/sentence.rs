//! The status sentence of a request: what it waits for, who has to act, since when, and what happens next. Types and texts only; the
//! browser uses it.

use serde::{Deserialize, Serialize};

use crate::api::{CandidateState, Phase, PromiseRequestStatus, PromiseSpec, WaitingKind, WaitingOn, WaitingReason};
use crate::approval;
use crate::people::PeopleNames;

/// Who has to act next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Actor {
    /// No one: there is nothing to do.
    #[default]
    NoOne,
    /// The requester.
    Requester,
    /// Approvers.
    Approvers,
    /// The team that publishes the promise.
    PromiseTeam,
    /// People who operate the platform.
    PlatformTeam,
    /// The platform itself.
    Platform,
    /// Other requests, which have to free quota or budget.
    Capacity,
}

/// The sentence and its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusSentence {
    /// Who has to act.
    pub who: Actor,
    /// The sentence, without a full stop.
    pub what: String,
    /// RFC 3339 time since when. The page shows it as a duration.
    pub since: Option<String>,
    /// What usually comes next, as a sentence without a full stop.
    pub next: Option<String>,
    /// Type of what the request is waiting for.
    pub kind: WaitingKind,
}

impl StatusSentence {
    /// Whether the requester has to do something.
    pub fn is_requesters(&self) -> bool {
        self.who == Actor::Requester
    }

    /// Returns what the request waits for, for the column of a list. Empty if nothing is left to do: its state says that already.
    pub fn waiting_for(&self) -> &str {
        if self.who == Actor::NoOne { "" } else { &self.what }
    }
}

/// Returns what a request with this status is waiting for. `None` means that no status has been written yet.
pub fn status_sentence(status: Option<&PromiseRequestStatus>) -> StatusSentence {
    let Some(status) = status else {
        return StatusSentence {
            who: Actor::Platform,
            what: "The controller hasn't seen this request yet".into(),
            since: None,
            next: Some("This usually takes less than a second".into()),
            kind: WaitingKind::Controller,
        };
    };
    let waiting = status.waiting_on.as_ref().filter(|waiting| waiting.kind != WaitingKind::Nothing);
    let (who, next) = match waiting {
        Some(waiting) => next(status.phase, waiting),
        None => next_of_phase(status.phase),
    };
    StatusSentence {
        who,
        what: sentence(status.phase, waiting),
        since: waiting.and_then(|waiting| waiting.since.clone()).or_else(|| settled_since(status)),
        next: next.map(str::to_owned),
        kind: waiting.map_or(WaitingKind::Nothing, |waiting| waiting.kind),
    }
}

/// Like [`status_sentence`], for a page: people are named as elsewhere on the page, fields by their labels in the promise, and steps for
/// programs are left out. `requester` is the username.
pub fn status_sentence_for_people(
    status: Option<&PromiseRequestStatus>,
    requester: Option<&str>,
    names: &PeopleNames,
    promise: &PromiseSpec,
) -> StatusSentence {
    let decision = status.and_then(|status| {
        let waiting = status.waiting_on.as_ref()?;
        let state = status.candidate.as_ref().map(|candidate| candidate.state);
        match (waiting.reason, state) {
            (WaitingReason::ChangesRequested, _) | (WaitingReason::NotApproved, Some(CandidateState::Rejected)) => {
                approval::objected(&status.approvals, names, promise)
            }
            (WaitingReason::NotApproved, Some(CandidateState::Withdrawn)) => {
                requester.map(|who| approval::withdrew(names.of(who)).trim_end_matches('.').to_owned())
            }
            _ => None,
        }
    });
    let plain = status_sentence(status);
    StatusSentence { what: decision.unwrap_or(plain.what), ..plain }
}

/// Returns only the sentence. A message is complete as the controller wrote it: if it begins with the name of a user, group or resource, that
/// name isn't capitalized.
pub fn sentence(phase: Phase, waiting: Option<&WaitingOn>) -> String {
    let message = waiting.map(|waiting| waiting.message.as_str()).filter(|message| !message.is_empty());
    message.unwrap_or_else(|| settled(phase)).to_owned()
}

fn next(phase: Phase, waiting: &WaitingOn) -> (Actor, Option<&'static str>) {
    const EDIT: &str = "Edit the request. It's checked again immediately";
    match waiting.reason {
        WaitingReason::InvalidPromise => {
            (Actor::PromiseTeam, Some("The team needs to publish a version that works. Then edit the request to use it"))
        }
        WaitingReason::PoliciesNotVisible | WaitingReason::RecordMissing => (Actor::PlatformTeam, None),
        WaitingReason::ApprovalNeeded if phase == Phase::AwaitingApproval => (Actor::Approvers, Some("Provisioning starts after approval")),
        WaitingReason::ApprovalNeeded => (Actor::Approvers, Some("The change is applied after approval")),
        WaitingReason::ChangeWindow if waiting.kind == WaitingKind::Person => {
            (Actor::PlatformTeam, Some("The owners of these policies need to choose windows that overlap. Or someone overrides a policy"))
        }
        WaitingReason::ChangeWindow => (Actor::Platform, Some("The change is carried out automatically when the window opens")),
        WaitingReason::Expired => (Actor::Requester, Some("Renew the request, or delete it if it is no longer needed")),
        WaitingReason::StepFailed if phase == Phase::Deleting => (Actor::Requester, Some("Retry the step to continue the deletion")),
        WaitingReason::StepFailed => (Actor::Requester, Some("Retry the step, or edit the request")),
        WaitingReason::RolledBack => (Actor::Requester, Some("Edit or retry the change")),
        WaitingReason::HeldByFinalizer => {
            (Actor::PlatformTeam, Some("The team that runs this controller needs to find out why it doesn't remove the finalizer"))
        }
        WaitingReason::Paused => (Actor::Requester, Some("Resume the request to continue")),
        _ => match waiting.kind {
            WaitingKind::Person => (Actor::Requester, Some(EDIT)),
            WaitingKind::Step if phase == Phase::Failed => (Actor::Requester, Some("Edit the request, or contact the promise's team")),
            WaitingKind::Step | WaitingKind::Controller | WaitingKind::Nothing if phase == Phase::Deleting => next_of_phase(phase),
            WaitingKind::Step | WaitingKind::Controller | WaitingKind::Nothing if phase == Phase::Degraded && is_stuck(waiting.reason) => {
                next_of_phase(phase)
            }
            WaitingKind::Step | WaitingKind::Controller | WaitingKind::Nothing => (Actor::Platform, Some("You don't need to do anything")),
            WaitingKind::Capacity => (Actor::Capacity, Some("The request continues as soon as there is room")),
        },
    }
}

fn next_of_phase(phase: Phase) -> (Actor, Option<&'static str>) {
    match phase {
        Phase::Ready => (Actor::NoOne, None),
        Phase::Failed | Phase::Rejected => (Actor::Requester, Some("Edit the request. It's checked again immediately")),
        // What ran and broke rarely recovers on its own.
        Phase::Degraded => (Actor::Requester, Some("Check the resources. Then edit the request, or contact the promise's team")),
        Phase::Deleting => (Actor::Platform, Some("The request disappears when all its resources are deleted")),
        _ => (Actor::Platform, None),
    }
}

/// Whether nothing is in progress that could end the wait.
fn is_stuck(reason: WaitingReason) -> bool {
    matches!(reason, WaitingReason::Unhealthy | WaitingReason::Retrying | WaitingReason::Dependency | WaitingReason::Unknown)
}

fn settled(phase: Phase) -> &'static str {
    match phase {
        Phase::Ready => "Ready to use",
        Phase::Pending => "The controller is checking this request",
        Phase::AwaitingApproval => "Waiting for approval",
        Phase::Provisioning => "Creating resources",
        Phase::Degraded => "Running, but some resources aren't healthy",
        Phase::Updating => "Rolling out a change",
        Phase::Failed => "Stopped. The request needs a change to continue",
        Phase::Rejected => "Rejected",
        Phase::Deleting => "Deleting resources",
    }
}

fn settled_since(status: &PromiseRequestStatus) -> Option<String> {
    let healthy = status.conditions.iter().find(|condition| condition.r#type == "Healthy")?;
    healthy.last_transition_time.clone().filter(|_| status.phase == Phase::Ready)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence_of(phase: Phase, kind: WaitingKind, reason: WaitingReason) -> StatusSentence {
        let waiting_on = (kind != WaitingKind::Nothing).then(|| WaitingOn::new(kind, reason, "Deployment web isn't healthy yet"));
        status_sentence(Some(&PromiseRequestStatus { phase, waiting_on, ..PromiseRequestStatus::default() }))
    }

    #[test]
    fn a_degraded_request_has_a_next_step_for_its_requester() {
        for (kind, reason) in [
            (WaitingKind::Step, WaitingReason::Unhealthy),
            (WaitingKind::Controller, WaitingReason::Retrying),
            (WaitingKind::Nothing, WaitingReason::Unknown),
        ] {
            let sentence = sentence_of(Phase::Degraded, kind, reason);
            let next = sentence.next.as_deref();
            assert!(sentence.is_requesters(), "{sentence:?}");
            assert_eq!(next, Some("Check the resources. Then edit the request, or contact the promise's team"), "{reason:?}");
        }
    }

    #[test]
    fn what_is_in_progress_needs_nothing_from_the_requester() {
        for (phase, kind, reason) in [
            (Phase::Degraded, WaitingKind::Step, WaitingReason::StepRunning),
            (Phase::Degraded, WaitingKind::Controller, WaitingReason::Applying),
            (Phase::Provisioning, WaitingKind::Step, WaitingReason::Unhealthy),
            (Phase::Updating, WaitingKind::Step, WaitingReason::Unhealthy),
        ] {
            let sentence = sentence_of(phase, kind, reason);
            assert_eq!((sentence.who, sentence.next.as_deref()), (Actor::Platform, Some("You don't need to do anything")), "{reason:?}");
        }
    }
}
