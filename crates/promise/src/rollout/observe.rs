//! What a request says about its upgrade.

use jiff::Timestamp;

use super::MemberReason;
use crate::api::{ConditionStatus, PromiseRequestStatus};
use crate::state::{ChangeState, RequestState, RequestStates};
use crate::status::held_back;

/// Conditions that are False if a change is refused.
const REFUSALS: [&str; 2] = ["Accepted", "PoliciesSatisfied"];
/// Whether the present generation of the spec is in place and healthy.
const READY: &str = "Ready";

/// A request, as far as an upgrade needs it.
#[derive(Clone, Copy, Debug)]
pub struct Sighting<'a> {
    /// Its status.
    pub status: Option<&'a PromiseRequestStatus>,
    /// Its generation.
    pub generation: i64,
    /// Whether it is being deleted.
    pub is_deleted: bool,
    /// Whether its spec selects the new version.
    pub selects_version: bool,
    /// The new version.
    pub version: &'a str,
}

/// What became of an upgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// The request no longer exists.
    Gone,
    /// Its spec doesn't select the new version.
    NotRequested,
    /// It isn't ready yet.
    InProgress {
        /// When it was accepted, if it was.
        accepted: Option<Timestamp>,
    },
    /// It waits for approvers, or for the window of a policy.
    AwaitingApproval,
    /// It is ready on the new version.
    Ready,
    /// It won't get ready without a person.
    Failed(MemberReason),
}

impl Observed {
    /// Returns what a request says.
    pub fn of(seen: &Sighting<'_>) -> Self {
        if seen.is_deleted {
            return Self::Gone;
        }
        if !seen.selects_version {
            return Self::NotRequested;
        }
        // A status of an earlier generation is about the former version.
        let Some(status) = seen.status.filter(|status| status.observed_generation >= seen.generation) else {
            return Self::InProgress { accepted: None };
        };
        let states = RequestStates::of(Some(status), false);
        if states.awaits_approval() || states.change == Some(ChangeState::AwaitingWindow) {
            return Self::AwaitingApproval;
        }
        let undecided = match states.state {
            RequestState::Rejected => Some(ChangeState::Rejected),
            RequestState::ChangesRequested => Some(ChangeState::ChangesRequested),
            RequestState::Expired => Some(ChangeState::Expired),
            RequestState::Withdrawn => Some(ChangeState::Withdrawn),
            _ => states.change,
        };
        let condition = |name: &str| status.conditions.iter().find(|condition| condition.r#type == name);
        let refusal = REFUSALS.into_iter().filter_map(condition).find(|condition| condition.status == ConditionStatus::False);
        if let Some(refusal) = refusal.or_else(|| held_back(status)) {
            return Self::Failed(MemberReason::Refused { message: refusal.message.clone() });
        }
        if let Some(change) = undecided {
            return Self::Failed(MemberReason::NotApproved(change));
        }
        let ready = condition(READY);
        let current = status.current.as_ref().filter(|current| current.version == seen.version);
        if states.state == RequestState::Failed {
            return Self::Failed(MemberReason::Failed { message: ready.map(|ready| ready.message.clone()).unwrap_or_default() });
        }
        if current.is_some() && ready.is_some_and(|ready| ready.status == ConditionStatus::True) {
            return Self::Ready;
        }
        Self::InProgress { accepted: current.and_then(|current| current.accepted_at.as_deref()?.parse().ok()) }
    }
}
