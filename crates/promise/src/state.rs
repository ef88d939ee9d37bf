//! State of a request, shared by rows, facets, filters, counts and the home page.

use serde::{Deserialize, Serialize};

use crate::api::{CandidateState, Phase, PromiseRequestStatus};

/// State of a request: its phase, or the state of its approval while nothing is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RequestState {
    /// The controller hasn't processed it yet.
    Pending,
    /// It waits for an approver.
    AwaitingApproval,
    /// An approver requested changes, and the requester has to edit it.
    ChangesRequested,
    /// It is being created.
    Provisioning,
    /// It is healthy.
    Ready,
    /// A change is being rolled out.
    Updating,
    /// It is running, but unhealthy.
    Degraded,
    /// It can't go on without a change.
    Failed,
    /// A policy or an approver refused it.
    Rejected,
    /// The approval expired.
    Expired,
    /// The requester withdrew it.
    Withdrawn,
    /// It is being deleted.
    Deleting,
}

impl RequestState {
    /// All states, in the order in which pages list them.
    pub const ALL: [Self; 12] = [
        Self::Pending,
        Self::AwaitingApproval,
        Self::ChangesRequested,
        Self::Provisioning,
        Self::Ready,
        Self::Updating,
        Self::Degraded,
        Self::Failed,
        Self::Rejected,
        Self::Expired,
        Self::Withdrawn,
        Self::Deleting,
    ];

    /// Returns the value used for filters in URLs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::AwaitingApproval => "AwaitingApproval",
            Self::ChangesRequested => "ChangesRequested",
            Self::Provisioning => "Provisioning",
            Self::Ready => "Ready",
            Self::Updating => "Updating",
            Self::Degraded => "Degraded",
            Self::Failed => "Failed",
            Self::Rejected => "Rejected",
            Self::Expired => "Expired",
            Self::Withdrawn => "Withdrawn",
            Self::Deleting => "Deleting",
        }
    }
}

/// A change of a running instance that isn't accepted. The last accepted release keeps running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ChangeState {
    /// It waits for an approver.
    AwaitingApproval,
    /// An approver requested changes.
    ChangesRequested,
    /// It waits for the window of a policy.
    AwaitingWindow,
    /// An approver rejected it.
    Rejected,
    /// The approval expired.
    Expired,
    /// The requester withdrew it.
    Withdrawn,
}

impl ChangeState {
    /// All states, in the order in which pages list them.
    pub const ALL: [Self; 6] =
        [Self::AwaitingApproval, Self::ChangesRequested, Self::AwaitingWindow, Self::Rejected, Self::Expired, Self::Withdrawn];

    /// Returns the value used for filters in URLs.
    pub fn word(self) -> &'static str {
        match self {
            Self::AwaitingApproval => "ChangeAwaitingApproval",
            Self::AwaitingWindow => "ChangeAwaitingWindow",
            // The requester has to do the same, whether something is running or not.
            Self::ChangesRequested => "ChangesRequested",
            Self::Rejected => "ChangeRejected",
            Self::Expired => "ChangeExpired",
            Self::Withdrawn => "ChangeWithdrawn",
        }
    }

    fn of(state: CandidateState) -> Option<Self> {
        match state {
            CandidateState::AwaitingApproval => Some(Self::AwaitingApproval),
            CandidateState::AwaitingWindow => Some(Self::AwaitingWindow),
            CandidateState::ChangesRequested => Some(Self::ChangesRequested),
            CandidateState::Rejected => Some(Self::Rejected),
            CandidateState::Expired => Some(Self::Expired),
            CandidateState::Withdrawn => Some(Self::Withdrawn),
            CandidateState::Evaluating | CandidateState::Accepted | CandidateState::Failed => None,
        }
    }
}

/// State of a request and of its pending change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestStates {
    /// State of the request itself.
    pub state: RequestState,
    /// State of the pending change of a running instance.
    pub change: Option<ChangeState>,
}

impl RequestStates {
    /// Returns the states for this status, which is absent before the controller has processed the request. A deleted request is being
    /// deleted, whatever its status says.
    pub fn of(status: Option<&PromiseRequestStatus>, deleted: bool) -> Self {
        if deleted {
            return Self { state: RequestState::Deleting, change: None };
        }
        let Some(status) = status else { return Self { state: RequestState::Pending, change: None } };
        let undecided = status.candidate.as_ref().and_then(|candidate| ChangeState::of(candidate.state));
        if status.current.is_some() {
            return Self { state: settled(status.phase), change: undecided };
        }
        // The candidate is more specific than these two phases. In any other phase the request isn't waiting for it.
        let state = match undecided.filter(|_| matches!(status.phase, Phase::AwaitingApproval | Phase::Rejected)) {
            Some(ChangeState::ChangesRequested) => RequestState::ChangesRequested,
            Some(ChangeState::Expired) => RequestState::Expired,
            Some(ChangeState::Withdrawn) => RequestState::Withdrawn,
            Some(ChangeState::AwaitingApproval | ChangeState::AwaitingWindow | ChangeState::Rejected) | None => settled(status.phase),
        };
        Self { state, change: None }
    }

    /// Whether the request, or a change of it, waits for approvers.
    pub fn awaits_approval(self) -> bool {
        self.state == RequestState::AwaitingApproval || self.change == Some(ChangeState::AwaitingApproval)
    }

    /// Returns the values by which filters find it.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        [Some(self.state.word()), self.change.map(ChangeState::word)].into_iter().flatten()
    }
}

fn settled(phase: Phase) -> RequestState {
    match phase {
        Phase::Pending => RequestState::Pending,
        Phase::AwaitingApproval => RequestState::AwaitingApproval,
        Phase::Provisioning => RequestState::Provisioning,
        Phase::Ready => RequestState::Ready,
        Phase::Degraded => RequestState::Degraded,
        Phase::Updating => RequestState::Updating,
        Phase::Failed => RequestState::Failed,
        Phase::Rejected => RequestState::Rejected,
        Phase::Deleting => RequestState::Deleting,
    }
}

/// Returns the label of the state with the given filter value, or the value itself if no state has it.
pub fn state_label(word: &str) -> &str {
    RequestState::ALL
        .into_iter()
        .find(|state| state.word() == word)
        .map(RequestState::label)
        .or_else(|| ChangeState::ALL.into_iter().find(|change| change.word() == word).map(ChangeState::label))
        .unwrap_or(word)
}

impl RequestState {
    /// Returns the label shown on pages.
    pub fn label(self) -> &'static str {
        match self {
            Self::AwaitingApproval => "Awaiting approval",
            Self::ChangesRequested => "Changes requested",
            other => other.word(),
        }
    }
}

impl ChangeState {
    /// Returns the label shown on pages.
    pub fn label(self) -> &'static str {
        match self {
            Self::AwaitingApproval => "Change awaiting approval",
            Self::AwaitingWindow => "Change awaiting window",
            Self::ChangesRequested => "Changes requested",
            Self::Rejected => "Change rejected",
            Self::Expired => "Change expired",
            Self::Withdrawn => "Change withdrawn",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::api::{CandidateStatus, CurrentStatus};

    fn status(phase: Phase, candidate: Option<CandidateState>, runs: bool) -> PromiseRequestStatus {
        PromiseRequestStatus {
            phase,
            candidate: candidate.map(|state| CandidateStatus { state, ..CandidateStatus::default() }),
            current: runs.then(CurrentStatus::default),
            ..PromiseRequestStatus::default()
        }
    }

    fn of(phase: Phase, candidate: Option<CandidateState>, runs: bool) -> (RequestState, Option<ChangeState>) {
        let RequestStates { state, change } = RequestStates::of(Some(&status(phase, candidate, runs)), false);
        (state, change)
    }

    #[test]
    fn a_new_request_is_called_by_how_far_its_approval_is() {
        for (phase, candidate, state) in [
            (Phase::AwaitingApproval, CandidateState::AwaitingApproval, RequestState::AwaitingApproval),
            (Phase::AwaitingApproval, CandidateState::ChangesRequested, RequestState::ChangesRequested),
            (Phase::Rejected, CandidateState::Rejected, RequestState::Rejected),
            (Phase::Rejected, CandidateState::Expired, RequestState::Expired),
            (Phase::Rejected, CandidateState::Withdrawn, RequestState::Withdrawn),
            (Phase::Failed, CandidateState::Expired, RequestState::Failed),
            (Phase::Provisioning, CandidateState::Accepted, RequestState::Provisioning),
        ] {
            assert_eq!(of(phase, Some(candidate), false), (state, None), "{phase:?} {candidate:?}");
        }
        assert_eq!(of(Phase::Rejected, None, false), (RequestState::Rejected, None), "by a policy");
        assert_eq!(RequestStates::of(None, false).state, RequestState::Pending);
    }

    #[test]
    fn a_change_that_is_not_accepted_stands_beside_what_runs() {
        for (candidate, change) in [
            (CandidateState::AwaitingApproval, Some(ChangeState::AwaitingApproval)),
            (CandidateState::ChangesRequested, Some(ChangeState::ChangesRequested)),
            (CandidateState::AwaitingWindow, Some(ChangeState::AwaitingWindow)),
            (CandidateState::Withdrawn, Some(ChangeState::Withdrawn)),
            (CandidateState::Accepted, None),
        ] {
            assert_eq!(of(Phase::Ready, Some(candidate), true), (RequestState::Ready, change), "{candidate:?}");
        }
        let waiting = RequestStates::of(Some(&status(Phase::Degraded, Some(CandidateState::AwaitingApproval), true)), false);
        assert!(waiting.awaits_approval());
        assert_eq!(waiting.words().collect::<Vec<_>>(), ["Degraded", "ChangeAwaitingApproval"]);
        let deleted = RequestStates::of(Some(&status(Phase::Ready, Some(CandidateState::AwaitingApproval), true)), true);
        assert_eq!((deleted.state, deleted.change), (RequestState::Deleting, None));
    }

    #[test]
    fn every_word_of_a_filter_has_a_label_of_its_own() {
        let words: BTreeSet<&str> =
            RequestState::ALL.map(RequestState::word).into_iter().chain(ChangeState::ALL.map(ChangeState::word)).collect();
        let labels: BTreeSet<&str> = words.iter().map(|word| state_label(word)).collect();
        assert_eq!((words.len(), labels.len()), (17, 17), "changes that an approver asked for are found together");
        assert_eq!(state_label("Nonsense"), "Nonsense");
    }
}
