//! Approvals and decisions.

use serde::{Deserialize, Serialize};

use super::page::Amount;
use super::request::RequestApproval;
use crate::api::Decision;
use crate::risk::Risk;

/// A request that waits for the caller's decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalItem {
    /// Path of the request's workspace.
    pub workspace: String,
    /// Namespace of the request.
    pub namespace: String,
    /// Name of the request.
    pub name: String,
    /// uid of the request.
    pub uid: String,
    /// Name of the promise.
    pub promise: String,
    /// Requested version.
    pub version: String,
    /// Whether it changes a running instance.
    pub change: bool,
    /// Username of the requester.
    pub owner: String,
    /// Why the requester wants it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Id of the step that waits for approvers, if they decide about a step of a workflow or action instead of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Name of the run, if it is a step of an action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Hash of the content to decide on, which the decision has to name.
    pub content_hash: String,
    /// RFC 3339 time since when it is waiting.
    pub since: String,
    /// RFC 3339 time at which the approval expires. Absent if it doesn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Estimated monthly cost after approval. Absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Amount>,
    /// Risk.
    pub risk: Risk,
    /// Reasons for the risk, a few words each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risk_reasons: Vec<String>,
    /// Rules that the caller can decide on now.
    pub rules: Vec<RequestApproval>,
}

/// A decision on a request, for exactly the content that the caller saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecisionBody {
    /// Id of the rule. Can be omitted if only one waits for the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Hash of the content that the caller saw.
    pub content_hash: String,
    /// The decision.
    pub decision: Decision,
    /// Why. Required unless it approves without overriding.
    #[serde(default, alias = "reason", skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Whether it overrides all other approvers in an emergency.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub emergency: bool,
    /// Paths of the parameters that should change, such as `.size`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}

/// A skip of a step that failed or waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkipBody {
    /// Why.
    #[serde(alias = "reason")]
    pub comment: String,
    /// `contentHash` of the step that the caller saw. If it is absent, the step is skipped as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
}

/// A decision that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DecisionReceipt {
    /// Id of the rule.
    pub rule: String,
    /// Hash of the content that was decided on.
    pub content_hash: String,
    /// The decision.
    pub decision: Decision,
}
