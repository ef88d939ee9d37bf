//! One decision about one content (`domain.md` 7).

use super::request::Requester;

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
    /// Who is told. Who may decide is said by the right `approve` on the policy or promise.
    #[serde(default, skip_serializing_if = "super::policy::Approvers::is_empty")]
    pub approvers: super::policy::Approvers,
    /// How many people must agree.
    pub required: u32,
    /// Decisions about the present content, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GivenApproval>,
    /// How far it is.
    #[serde(default)]
    pub state: ApprovalState,
    /// RFC 3339 time at which the candidate expires if nobody decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// A decision about the present content.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GivenApproval {
    /// User name of who decided.
    pub by: String,
    /// RFC 3339 time at which it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Name of the Approval.
    pub approval: String,
    /// What was decided.
    #[serde(default)]
    pub decision: Decision,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
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
}
