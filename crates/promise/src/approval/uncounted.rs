//! Why a decision doesn't count, with arguments. [`super::words`] words it.

use crate::api::{ApprovalRule, Approvers, DecisionReason};

/// Why a decision doesn't count, or doesn't count yet. People are named by their usernames, workspaces by their paths.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Uncounted {
    /// It is about content that the request doesn't have.
    OtherContent { request: String, decided: String, asked: String },
    /// It is about content that has changed since.
    FormerContent { request: String, decided: String, asked: String },
    /// It was made before approval of the same content was requested again.
    EarlierQuestion,
    /// Its author isn't known, because admission didn't stamp it.
    NotStamped,
    /// It skips something that isn't a step.
    NotSkippable { request: String },
    /// An override must be an approval.
    OverrideMustApprove,
    /// An override needs a comment.
    OverrideWithoutComment,
    /// Its author requested the content.
    OwnRequest { who: String },
    /// Its author changed the content last.
    OwnChange { who: String },
    /// The requester isn't known, so it might be the author.
    RequesterUnknown,
    /// It was made after the approval expired.
    Late { who: String },
    /// The rule doesn't name its author.
    NotAnApprover { who: String, approvers: Approvers },
    /// Its author doesn't have the permission.
    NotPermitted { who: String, emergency: bool, rule: ApprovalRule, workspace: String },
    /// The check of the permission failed, with the reason as a sentence.
    PermissionUnknown { why: String },
    /// The permission hasn't been checked yet.
    PermissionNotChecked { who: String, emergency: bool, rule: ApprovalRule },
    /// An earlier stage isn't approved yet.
    StageNotOpen { after: u32 },
    /// Its author decided again later.
    DecidedAgain { who: String },
    /// Its author approved another rule of the same request.
    ApprovedElsewhere { who: String, rule: ApprovalRule, stage: u32 },
}

impl Uncounted {
    pub(super) fn reason(&self) -> DecisionReason {
        match self {
            Self::OtherContent { .. } => DecisionReason::OtherContent,
            Self::FormerContent { .. } => DecisionReason::FormerContent,
            Self::EarlierQuestion => DecisionReason::EarlierQuestion,
            Self::NotStamped => DecisionReason::NotStamped,
            Self::NotSkippable { .. } => DecisionReason::NotSkippable,
            Self::OverrideMustApprove => DecisionReason::OverrideMustApprove,
            Self::OverrideWithoutComment => DecisionReason::OverrideWithoutComment,
            Self::OwnRequest { .. } => DecisionReason::OwnRequest,
            Self::OwnChange { .. } => DecisionReason::OwnChange,
            Self::RequesterUnknown => DecisionReason::RequesterUnknown,
            Self::Late { .. } => DecisionReason::Late,
            Self::NotAnApprover { .. } => DecisionReason::NotAnApprover,
            Self::NotPermitted { .. } => DecisionReason::NotPermitted,
            Self::PermissionUnknown { .. } | Self::PermissionNotChecked { .. } => DecisionReason::PermissionUnknown,
            Self::StageNotOpen { .. } => DecisionReason::StageNotOpen,
            Self::DecidedAgain { .. } => DecisionReason::DecidedAgain,
            Self::ApprovedElsewhere { .. } => DecisionReason::ApprovedElsewhere,
        }
    }
}
