//! Approval decisions (`domain.md` 7): the decision on one content, its outcome, and the approval status of a request.

use super::policy::{Approvers, FIRST_STAGE};
use super::request::Requester;
use super::required::Required;

/// One person's decision on one approval rule, for exactly one content of one request. It is immutable: to change a decision, create
/// another Approval.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalSpec {
    /// Request that was decided on.
    pub request: ApprovedRequest,
    /// Approval rule that this decision answers. The Approval must be in the workspace of the rule's policy or promise; it is ignored
    /// anywhere else.
    pub rule: ApprovalRule,
    /// Hash of the content that was decided on, as shown in the request's status. Different content has a different hash.
    pub content_hash: String,
    /// The decision.
    pub decision: Decision,
    /// Whether this is an emergency override: it approves every rule of the policy or promise at once, regardless of stage and number of
    /// required approvals. It needs the permission `override` instead of `approve`, and a comment. Everyone involved is notified.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub emergency: bool,
    /// Reason for the decision, shown to the requester.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Parameters that the comment refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// User who decided. Set by admission at creation; any value sent is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Requester>,
}

/// Reference to a request that is unique across workspaces.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovedRequest {
    /// Logical cluster id of the request's workspace. Absent on plain Kubernetes, where there is only one cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Namespace of the request.
    pub namespace: String,
    /// Name of the request.
    pub name: String,
    /// uid of the request. A request that is deleted and re-created under the same name has a different uid.
    pub uid: String,
}

/// A rule that requires approval, defined by a policy or by a promise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRule {
    /// Name of the Policy that defines the rule. Absent for a promise's own rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Name of the Promise, for a promise's own rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<String>,
    /// Name of the rule.
    pub name: String,
}

/// Decision of an approver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// Approved.
    Approve,
    /// Rejected.
    Reject,
    /// The workflow continues without a step that failed or waits. It needs the permission `override` on the promise instead of `approve`,
    /// and a comment.
    Skip,
    /// The requester should change something. Also the default if no decision is given.
    #[default]
    RequestChanges,
}

/// Outcome of a decision. Written only by the controller.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DecisionStatus {
    /// State of the decision.
    pub state: DecisionState,
    /// Reason why the decision doesn't count. Absent if it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<DecisionReason>,
    /// Reason for the state, as a sentence.
    #[serde(default)]
    pub message: String,
    /// RFC 3339 time at which the state was determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
}

/// State of a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum DecisionState {
    /// The decision doesn't count and never did.
    Void,
    /// The decision no longer counts because something newer replaced it.
    Superseded,
    /// The decision might count later: its stage hasn't started yet, or it isn't known whether its author can decide.
    #[default]
    Pending,
    /// The decision counts.
    Counts,
}

/// Reason why a decision doesn't count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub enum DecisionReason {
    /// The request doesn't have the content that the decision is about.
    OtherContent,
    /// The content that the decision is about has changed since.
    FormerContent,
    /// Approval of the same content was requested again afterwards.
    EarlierQuestion,
    /// Admission didn't record the author.
    NotStamped,
    /// An override can only approve.
    OverrideMustApprove,
    /// An override needs a comment.
    OverrideWithoutComment,
    /// The author requested it, and the rule needs someone else.
    OwnRequest,
    /// The author changed it last, and the rule needs someone else.
    OwnChange,
    /// The requester is unknown, and the rule needs someone else.
    RequesterUnknown,
    /// The approval had expired.
    Late,
    /// The rule doesn't name the author as an approver.
    NotAnApprover,
    /// The author doesn't have permission to decide.
    NotPermitted,
    /// It isn't known whether the author has permission to decide.
    PermissionUnknown,
    /// An earlier stage isn't approved yet.
    StageNotOpen,
    /// The author decided again later.
    DecidedAgain,
    /// The author approved another rule of the request, and this rule needs another person.
    ApprovedElsewhere,
    /// There is no request with this uid.
    RequestNotFound,
    /// The uid belongs to a request of another name or workspace.
    OtherRequest,
    /// Decisions about the rule belong in the workspace of the rule.
    OtherWorkspace,
    /// No such rule applies to the request.
    NoSuchRule,
    /// The content was already decided.
    AlreadyDecided,
    /// No approval is pending.
    NothingPending,
    /// Only steps of workflows can be skipped, and only some.
    NotSkippable,
    /// An unknown reason, from a newer version.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Status of one approval rule of a request.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalStatus {
    /// The rule, in the form that Approvals use to reference it.
    pub rule: ApprovalRule,
    /// Path of the workspace that defines the rule. Its Approvals are in that workspace.
    pub source: String,
    /// Logical cluster id of that workspace.
    pub cluster: String,
    /// Team that owns the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Users and groups that are notified and can decide. They need the permission `approve` on the policy or promise.
    #[serde(default, skip_serializing_if = "Approvers::is_empty")]
    pub approvers: Approvers,
    /// Number of approvals required, or `all` for every named approver.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::required::schema"))]
    pub required: Required,
    /// Stage of the rule. Approvers are asked once every rule of a lower stage is answered.
    #[serde(default = "first_stage")]
    pub stage: u32,
    /// With `all`, the named approvers who haven't approved yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Decisions, oldest first: all on the present content, and the most recent ones on earlier content, which don't count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GivenApproval>,
    /// State of the approval.
    #[serde(default)]
    pub state: ApprovalState,
    /// Whether an approver of another rule of this request can also approve this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_person: bool,
    /// RFC 3339 time at which the approval expires if it isn't decided. Absent until its stage starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Whether the rule is a window, which needs no approval and can be overridden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub window: bool,
    /// RFC 3339 time at which the change is carried out, while it waits for a window. Absent if the windows have no common time in the
    /// next five weeks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens_at: Option<String>,
}

fn first_stage() -> u32 {
    FIRST_STAGE
}

/// A decision on a request and its outcome.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GivenApproval {
    /// User name of the approver who decided.
    pub by: String,
    /// Logical cluster of the approver, if it is a ServiceAccount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_cluster: Option<String>,
    /// RFC 3339 time at which the decision was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Name of the Approval.
    pub approval: String,
    /// The decision.
    #[serde(default)]
    pub decision: Decision,
    /// Whether it is an emergency override.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub emergency: bool,
    /// Reason for the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Parameters that the comment refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Hash of the content that was decided on.
    #[serde(default)]
    pub content_hash: String,
    /// State of the decision.
    #[serde(default)]
    pub state: DecisionState,
    /// Reason why the decision doesn't count. Absent if it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<DecisionReason>,
    /// Reason why the decision doesn't count, as a sentence. Absent if it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
}

/// State of one approval rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ApprovalState {
    /// Approvals are missing.
    #[default]
    Waiting,
    /// Enough approvers approved.
    Approved,
    /// An approver rejected it.
    Rejected,
    /// An approver requested changes.
    ChangesRequested,
    /// No one has been asked yet because rules of an earlier stage are open.
    Queued,
    /// No approval is required. The change waits until the window of the policy opens, or someone overrides the policy.
    AwaitingWindow,
}

/// The current or most recent question to approvers: one content, starting at one time.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuestionStatus {
    /// Hash of the content in question.
    pub content_hash: String,
    /// RFC 3339 time at which approvers were asked. If the question was rejected or has expired, anyone who can edit the request asks again
    /// by writing this value into the annotation `platform.opmodel.dev/ask-again`.
    pub since: String,
    /// Generation of the request that was last observed while the question was open. An edit after its end asks again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// Decisions on the same content that answered an earlier question. They don't count for this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<AnsweredQuestion>,
}

/// The decisions that answered an earlier question about the same content: all that were created before a given time on the server's clock,
/// and some that were created at that time.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AnsweredQuestion {
    /// RFC 3339 time at which the server created the last of them.
    pub until: String,
    /// Names of the Approvals that the server created at exactly that time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<String>,
}
