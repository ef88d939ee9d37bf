//! Notification events of requests, and the settings with which users choose how to receive them. Types and texts only.
//!
//! Events are derived from the state of the cluster and never stored: the same state always gives the same events.

mod away;
mod settings;

use serde::{Deserialize, Serialize};

pub use away::Away;
pub use settings::{Digest, MailRule, Quiet, Rhythm, Rule, Settings, clock};

/// An event that users are notified about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Event {
    /// An approver has to decide.
    ApprovalNeeded,
    /// The decision is still open.
    Reminder,
    /// An approver approved.
    Approved,
    /// An approver rejected it.
    Rejected,
    /// An approver requested changes.
    ChangesRequested,
    /// The content changed since the recipient decided.
    DecisionVoid,
    /// An approver used the emergency override.
    Emergency,
    /// All approvals were given.
    Accepted,
    /// The approval expired.
    Expired,
    /// Policies refuse it.
    Refused,
    /// It is healthy.
    Ready,
    /// It failed.
    Failed,
    /// It is no longer healthy.
    Degraded,
    /// Its policies changed.
    Outdated,
    /// It expires soon, or has expired.
    ExpiresSoon,
    /// It is being deleted.
    Deleting,
    /// A user added a comment.
    Comment,
    /// A budget reached one of its thresholds.
    BudgetThreshold,
    /// The forecast for the month exceeds a budget.
    BudgetForecast,
}

impl Event {
    /// All values.
    pub const ALL: [Self; 19] = [
        Self::ApprovalNeeded,
        Self::Reminder,
        Self::Approved,
        Self::Rejected,
        Self::ChangesRequested,
        Self::DecisionVoid,
        Self::Emergency,
        Self::Accepted,
        Self::Expired,
        Self::Refused,
        Self::Ready,
        Self::Failed,
        Self::Degraded,
        Self::Outdated,
        Self::ExpiresSoon,
        Self::Deleting,
        Self::Comment,
        Self::BudgetThreshold,
        Self::BudgetForecast,
    ];

    /// Returns the identifier used in the database, in webhooks and in the operator's configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::ApprovalNeeded => "approvalNeeded",
            Self::Reminder => "reminder",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::ChangesRequested => "changesRequested",
            Self::DecisionVoid => "decisionVoid",
            Self::Emergency => "emergency",
            Self::Accepted => "accepted",
            Self::Expired => "expired",
            Self::Refused => "refused",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Degraded => "degraded",
            Self::Outdated => "outdated",
            Self::ExpiresSoon => "expiresSoon",
            Self::Deleting => "deleting",
            Self::Comment => "comment",
            Self::BudgetThreshold => "budgetThreshold",
            Self::BudgetForecast => "budgetForecast",
        }
    }

    /// Returns the event with this identifier.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.word() == word)
    }

    /// Returns the category whose setting applies.
    pub fn sort(self) -> Sort {
        match self {
            Self::ApprovalNeeded | Self::Reminder | Self::ChangesRequested | Self::DecisionVoid | Self::Emergency | Self::ExpiresSoon => {
                Sort::Waits
            }
            Self::Approved | Self::Rejected | Self::Accepted | Self::Expired | Self::Comment => Sort::Decisions,
            Self::Refused | Self::Failed | Self::Degraded => Sort::Trouble,
            Self::Ready | Self::Outdated | Self::Deleting => Sort::Progress,
            Self::BudgetThreshold | Self::BudgetForecast => Sort::Budget,
        }
    }
}

/// Categories of events. Each has one setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Sort {
    /// Something is waiting for the user.
    Waits,
    /// Others decided on the user's request.
    Decisions,
    /// Something of the user's isn't working.
    Trouble,
    /// Something of the user's made progress.
    Progress,
    /// Cost and budgets.
    Budget,
}

impl Sort {
    /// All categories, in the order shown.
    pub const ALL: [Self; 5] = [Self::Waits, Self::Decisions, Self::Trouble, Self::Progress, Self::Budget];

    /// Returns the identifier, also used for field names.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waits => "waits",
            Self::Decisions => "decisions",
            Self::Trouble => "trouble",
            Self::Progress => "progress",
            Self::Budget => "budget",
        }
    }

    /// Returns the display label.
    pub fn title(self) -> &'static str {
        match self {
            Self::Waits => "Needs my attention",
            Self::Decisions => "Decisions on my requests",
            Self::Trouble => "Problems with my instances",
            Self::Progress => "Progress of my requests",
            Self::Budget => "Budgets",
        }
    }

    /// Returns a description of the events in the category.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Waits => "approvals, reminders, changes requested from me, requests that expire",
            Self::Decisions => "approved, rejected, expired, commented",
            Self::Trouble => "refused, failed, degraded; once, then only when it changes",
            Self::Progress => "ready, policies changed, being deleted",
            Self::Budget => "each threshold, and a forecast above it, once a month",
        }
    }

    /// Whether it is always shown in the portal, so that no task for the user gets lost.
    pub fn is_always_shown(self) -> bool {
        matches!(self, Self::Waits | Self::Trouble)
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Sort};

    #[test]
    fn words_name_one_event_and_are_those_of_serde() {
        for event in Event::ALL {
            assert_eq!(Event::parse(event.word()), Some(event));
            assert_eq!(serde_json::to_value(event).unwrap(), event.word());
        }
        for sort in Sort::ALL {
            assert_eq!(serde_json::to_value(sort).unwrap(), sort.word());
            assert!(Event::ALL.iter().any(|event| event.sort() == sort), "{sort:?}");
        }
    }
}
