//! One decision about one content (`domain.md` 7), what became of it, and what a request says about those who decide.

use super::policy::{Approvers, FIRST_STAGE};
use super::request::Requester;
use super::required::Required;

/// A decision of one person about one rule, for exactly one content of one request. It never changes: whoever thinks otherwise later
/// writes another one.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalSpec {
    /// Which request.
    pub request: ApprovedRequest,
    /// Which rule asked for it. The Approval lies in the workspace of its policy or promise and counts nowhere else.
    pub rule: ApprovalRule,
    /// Hash of the content that was decided about; it stands in the request's status. Another content has another one.
    pub content_hash: String,
    /// What was decided.
    pub decision: Decision,
    /// Whether the glass is broken: it approves for every rule of the policy or promise at once, whatever their stage and however many they
    /// ask for. It takes the right `override` instead of `approve`, and a comment; everybody is told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub emergency: bool,
    /// Why, for the requester.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Parameters that the comment is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Who decided. Stamped by admission at creation, whatever was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Requester>,
}

/// A request, named across workspaces.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovedRequest {
    /// Logical cluster id of its workspace; on plain Kubernetes absent, because there is one cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid: a request that is deleted and made again under the same name is another one.
    pub uid: String,
}

/// A rule that asks for approval: of a policy, or of a promise itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRule {
    /// Name of the Policy, unless it is a rule of a promise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Name of the Promise, for its own rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<String>,
    /// Name of the rule.
    pub name: String,
}

/// What was decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// It may be made.
    Approve,
    /// It may not.
    Reject,
    /// Not like this: the requester should change something. It is also what an unsaid decision is taken for.
    #[default]
    RequestChanges,
}

/// What became of a decision; written by the controller only.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DecisionStatus {
    /// One word.
    pub state: DecisionState,
    /// Why, as a sentence.
    #[serde(default)]
    pub message: String,
    /// RFC 3339 time at which that was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
}

/// What became of a decision, in a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DecisionState {
    /// It does not count, and never did.
    Void,
    /// It does not count any more: something newer took its place.
    Superseded,
    /// It may come to count: its stage has not come, or it is not known whether its author may decide.
    #[default]
    Pending,
    /// It counts.
    Counts,
}

/// What a request says about one rule that asks for approval.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalStatus {
    /// The rule, as an Approval names it.
    pub rule: ApprovalRule,
    /// Path of the workspace where it is set, which is where its Approvals lie.
    pub source: String,
    /// Logical cluster id of that workspace.
    pub cluster: String,
    /// Team that set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Who is told and can decide, with the permission `approve` on the policy or promise.
    #[serde(default, skip_serializing_if = "Approvers::is_empty")]
    pub approvers: Approvers,
    /// How many people must agree, or `all` that are named.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::required::schema"))]
    pub required: Required,
    /// Whose turn it is: it is asked once every rule of a lower stage is answered.
    #[serde(default = "first_stage")]
    pub stage: u32,
    /// Of `all` that are named, those who have not agreed yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Decisions, oldest first: all about the present content, and the last ones about others, which do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GivenApproval>,
    /// How far it is.
    #[serde(default)]
    pub state: ApprovalState,
    /// Whether an approver of another rule of this request can approve this one too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_person: bool,
    /// RFC 3339 time at which the question expires if nobody decides; absent before its stage is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

fn first_stage() -> u32 {
    FIRST_STAGE
}

/// A decision about a request, and what became of it.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GivenApproval {
    /// User name of who decided.
    pub by: String,
    /// Logical cluster of a ServiceAccount that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_cluster: Option<String>,
    /// RFC 3339 time at which it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Name of the Approval.
    pub approval: String,
    /// What was decided.
    #[serde(default)]
    pub decision: Decision,
    /// Whether the glass was broken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub emergency: bool,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Parameters that the comment is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Hash of the content that was decided about.
    #[serde(default)]
    pub content_hash: String,
    /// What became of it.
    #[serde(default)]
    pub state: DecisionState,
    /// Why it does not count, as a sentence; absent when it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
}

/// How far one approval is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ApprovalState {
    /// Too few have decided.
    #[default]
    Waiting,
    /// Enough agree.
    Approved,
    /// Somebody turned it down.
    Rejected,
    /// Somebody asks for changes.
    ChangesRequested,
    /// Nobody is asked yet: rules of an earlier stage are open.
    Queued,
}

/// What people are asked about, or were asked last: one content, from one moment on.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct QuestionStatus {
    /// Hash of the content.
    pub content_hash: String,
    /// RFC 3339 time since which it is asked. When it was turned down or has expired, whoever may edit the request asks again by writing this
    /// into the annotation `platform.opmodel.dev/ask-again`.
    pub since: String,
    /// Generation of the request that was last seen while it was open: an edit after its end asks again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// Decisions about the same content that answered an earlier question, and do not count for this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<AnsweredQuestion>,
}

/// Which decisions answered an earlier question about the same content: all that were written before a moment of the plane's clock, and some
/// of that moment.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AnsweredQuestion {
    /// RFC 3339 time at which the plane wrote the last of them.
    pub until: String,
    /// Names of those that it wrote at this very time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<String>,
}
