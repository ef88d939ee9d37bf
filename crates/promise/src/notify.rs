//! What people are told about requests, and the rules by which each of them chooses how. Types and wording only.
//!
//! Events are found in the state of the cluster, never remembered: whoever looks twice at the same state finds the same events.

mod away;
mod settings;

use serde::{Deserialize, Serialize};

pub use away::Away;
pub use settings::{Digest, MailRule, Quiet, Rhythm, Rule, Settings, clock};

/// Something that people are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Event {
    /// A decision is asked of an approver.
    ApprovalNeeded,
    /// It is still asked.
    Reminder,
    /// Somebody approved.
    Approved,
    /// Somebody turned it down.
    Rejected,
    /// Somebody asks the requester to change it.
    ChangesRequested,
    /// What somebody decided about is another content by now.
    DecisionVoid,
    /// Somebody approved by the right for emergencies.
    Emergency,
    /// Everybody agreed.
    Accepted,
    /// Nobody decided in time.
    Expired,
    /// Policies refuse it.
    Refused,
    /// It works.
    Ready,
    /// It cannot be made.
    Failed,
    /// It no longer works as it should.
    Degraded,
    /// Its rules changed.
    Outdated,
    /// It is being removed.
    Deleting,
    /// Somebody wrote a comment.
    Comment,
    /// A budget reached one of its thresholds.
    BudgetThreshold,
    /// The forecast of the month is beyond a budget.
    BudgetForecast,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 18] = [
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
        Self::Deleting,
        Self::Comment,
        Self::BudgetThreshold,
        Self::BudgetForecast,
    ];

    /// The word for machines: it stands in the database, in webhooks and in the operator's configuration.
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
            Self::Deleting => "deleting",
            Self::Comment => "comment",
            Self::BudgetThreshold => "budgetThreshold",
            Self::BudgetForecast => "budgetForecast",
        }
    }

    /// The event of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.word() == word)
    }

    /// Under which rule it falls.
    pub fn sort(self) -> Sort {
        match self {
            Self::ApprovalNeeded | Self::Reminder | Self::ChangesRequested | Self::DecisionVoid | Self::Emergency => Sort::Waits,
            Self::Approved | Self::Rejected | Self::Accepted | Self::Expired | Self::Comment => Sort::Decisions,
            Self::Refused | Self::Failed | Self::Degraded => Sort::Trouble,
            Self::Ready | Self::Outdated | Self::Deleting => Sort::Progress,
            Self::BudgetThreshold | Self::BudgetForecast => Sort::Budget,
        }
    }
}

/// Events that one rule decides about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Sort {
    /// Something waits for the person.
    Waits,
    /// Others decided about what the person asked for.
    Decisions,
    /// Something of the person does not work.
    Trouble,
    /// Something of the person goes on.
    Progress,
    /// Money.
    Budget,
}

impl Sort {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Waits, Self::Decisions, Self::Trouble, Self::Progress, Self::Budget];

    /// The word for machines and names of fields.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waits => "waits",
            Self::Decisions => "decisions",
            Self::Trouble => "trouble",
            Self::Progress => "progress",
            Self::Budget => "budget",
        }
    }

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Waits => "Something waits for me",
            Self::Decisions => "Somebody decides about my request",
            Self::Trouble => "My instance is in trouble",
            Self::Progress => "My request moves on",
            Self::Budget => "A budget fills up",
        }
    }

    /// What belongs to it.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Waits => "an approval, a reminder, a change that is asked of me",
            Self::Decisions => "approved, turned down, expired, commented",
            Self::Trouble => "refused, failed, degraded; once, again only when it changes",
            Self::Progress => "ready, under older rules, being removed",
            Self::Budget => "each threshold, and a forecast beyond it, once a month",
        }
    }

    /// Whether it is always shown in the portal: what needs the person must not get lost.
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
