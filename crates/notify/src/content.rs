//! What notifications are about and why people get them, with arguments. [`crate::texts`] words both.

use promise::api::Decision;
use promise::ledger::{Cause, Month, Warning};
use promise::notify::Event;

/// What a notification is about. People are named as texts name them.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Approvers have to decide.
    ApprovalNeeded(Question),
    /// They still have to.
    Reminder(Question),
    /// An approver decided.
    Decided {
        /// Name of the request.
        request: String,
        /// The approver.
        by: String,
        /// The decision.
        decision: Decision,
        /// The approver's comment.
        comment: Option<String>,
    },
    /// An approver used the emergency override.
    Overridden {
        /// Name of the request.
        request: String,
        /// The approver.
        by: String,
        /// The approver's comment.
        comment: Option<String>,
    },
    /// The content changed since the recipient decided.
    ChangedSinceDecision {
        /// Name of the request.
        request: String,
        /// Why the decision doesn't count, as the status says it; can be empty.
        why: String,
    },
    /// Something happened to a request.
    Outcome {
        /// Name of the request.
        request: String,
        /// What happened.
        outcome: Outcome,
    },
    /// A user added a comment.
    Comment {
        /// Name of the request.
        request: String,
        /// The author.
        by: String,
        /// The comment, if the recipient can read it.
        comment: Option<String>,
    },
    /// A budget fills up.
    Budget(BudgetWarning),
}

/// A question to approvers.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Name of the request.
    pub request: String,
    /// Title of the promise, or else its name.
    pub promise: String,
    /// Path of the workspace.
    pub workspace: String,
    /// The requester, if known.
    pub requester: Option<String>,
    /// RFC 3339 time at which the question expires.
    pub expires_at: Option<String>,
}

/// What happened to a request. The texts are status sentences without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All approvals were given.
    Accepted,
    /// The approval expired.
    Expired,
    /// Policies refuse it, as this status sentence says.
    Refused(String),
    /// It is healthy.
    Ready,
    /// It failed, as this status sentence says.
    Failed(String),
    /// It is no longer healthy, as this status sentence says.
    Degraded(String),
    /// It is healthy, but a change can't be applied, as this status sentence says.
    NotChanged(String),
    /// Its policies changed.
    Outdated,
    /// It expires at this RFC 3339 time.
    ExpiresSoon(String),
    /// It has expired, and is deleted at this RFC 3339 time.
    Ended(String),
    /// It is being deleted because it expired.
    DeletedAfterExpiry,
    /// It is being deleted.
    Deleting,
}

/// A budget that fills up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetWarning {
    /// Title of the policy or promise that sets it.
    pub title: String,
    /// Whether it is a rule of a promise and counts the instances of that promise.
    pub own: bool,
    /// Path of the workspace whose costs it counts.
    pub workspace: String,
    /// Whether it also counts everything below that workspace.
    pub below: bool,
    /// Currency of the amounts.
    pub currency: String,
    /// The month.
    pub month: Month,
    /// The amounts, and which of them is the reason.
    pub warning: Warning,
}

/// What sets an approval rule. Policies and promises are named by their titles, where they have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// A policy.
    Policy(String),
    /// A promise.
    Promise(String),
    /// Unknown; the name of the rule itself.
    Rule(String),
}

/// Why a recipient gets a notification.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// The recipient is the requester.
    Requester {
        /// Name of the request.
        request: String,
        /// Path of the workspace.
        workspace: String,
    },
    /// The recipient is an approver of a rule.
    Approver {
        /// What sets the rule.
        of: RuleSource,
        /// Path of the workspace of the rule.
        workspace: String,
    },
    /// The recipient is an approver of a request that others comment on.
    ApproverOf {
        /// Name of the request.
        request: String,
        /// Path of the workspace of the rule.
        workspace: String,
    },
    /// The recipient decided for a rule.
    DecidedFor {
        /// What sets the rule.
        of: RuleSource,
        /// Path of the workspace of the rule.
        workspace: String,
    },
    /// The recipient decided on a request.
    Decided {
        /// Name of the request.
        request: String,
    },
    /// The recipient commented before.
    Commented {
        /// Name of the request.
        request: String,
    },
    /// The recipient is a delegate of an approver who is away.
    Delegate {
        /// The approver.
        person: String,
    },
    /// A budget names the recipient.
    Budget {
        /// Whether the budget is a rule of a promise.
        own: bool,
        /// Name of the policy or promise.
        name: String,
        /// Path of its workspace.
        workspace: String,
    },
}

impl Because {
    /// Whether its text names the workspace at this path.
    pub fn names_workspace(&self, path: &str) -> bool {
        match self {
            Self::Requester { workspace, .. }
            | Self::Approver { workspace, .. }
            | Self::ApproverOf { workspace, .. }
            | Self::DecidedFor { workspace, .. }
            | Self::Budget { workspace, .. } => workspace == path,
            Self::Decided { .. } | Self::Commented { .. } | Self::Delegate { .. } => false,
        }
    }
}

impl Content {
    /// Returns the event, by which people choose how to receive it.
    pub fn event(&self) -> Event {
        match self {
            Self::ApprovalNeeded(_) => Event::ApprovalNeeded,
            Self::Reminder(_) => Event::Reminder,
            Self::Decided { decision: Decision::Approve, .. } => Event::Approved,
            Self::Decided { decision: Decision::Reject, .. } => Event::Rejected,
            Self::Decided { decision: Decision::RequestChanges, .. } => Event::ChangesRequested,
            Self::Decided { decision: Decision::Skip, .. } | Self::Overridden { .. } => Event::Emergency,
            Self::ChangedSinceDecision { .. } => Event::DecisionVoid,
            Self::Outcome { outcome, .. } => outcome.event(),
            Self::Comment { .. } => Event::Comment,
            Self::Budget(BudgetWarning { warning: Warning { cause: Cause::Threshold(_), .. }, .. }) => Event::BudgetThreshold,
            Self::Budget(BudgetWarning { warning: Warning { cause: Cause::Forecast, .. }, .. }) => Event::BudgetForecast,
        }
    }
}

impl Outcome {
    fn event(&self) -> Event {
        match self {
            Self::Accepted => Event::Accepted,
            Self::Expired => Event::Expired,
            Self::Refused(_) => Event::Refused,
            Self::Ready => Event::Ready,
            Self::Failed(_) => Event::Failed,
            Self::Degraded(_) | Self::NotChanged(_) => Event::Degraded,
            Self::Outdated => Event::Outdated,
            Self::ExpiresSoon(_) | Self::Ended(_) => Event::ExpiresSoon,
            Self::Deleting | Self::DeletedAfterExpiry => Event::Deleting,
        }
    }
}
