//! Steps that wait for approvers.

use super::approval::ApprovalRule;
use super::policy::{Approve, Approvers};
use super::required::Required;

/// Approvers who have to decide before a workflow continues. Their decisions are Approvals in the promise's home.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ApproveStep {
    /// Users and groups who can decide. They also need the permission `approve` on the promise. If absent, anyone with that permission can
    /// decide.
    #[serde(default, skip_serializing_if = "Approvers::is_empty")]
    pub approvers: Approvers,
    /// Number of approvals required, or `all` for every named approver. One if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::required::schema"))]
    pub required: Option<Required>,
    /// Whether the requester can decide.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_approval: bool,
    /// What to check before deciding, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The rule of a policy that requires an `approve` step of a run of an action, as it was when the run started. Decisions about the step are
/// Approvals in the workspace of the policy.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StepPolicy {
    /// Name of the Policy.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace that sets the policy.
    pub source: String,
    /// Logical cluster id of that workspace.
    pub cluster: String,
    /// Display name of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Team that owns the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Purpose of the policy, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the rule requires, without its condition.
    #[serde(default)]
    pub approve: Approve,
}

impl StepPolicy {
    /// Returns the rule in the form that Approvals use to reference it.
    pub fn approval_rule(&self) -> ApprovalRule {
        ApprovalRule { policy: Some(self.policy.clone()), promise: None, name: self.rule.clone() }
    }
}

impl ApproveStep {
    /// Returns the rule by which decisions about the step are judged.
    pub fn rule(&self) -> Approve {
        Approve { approvers: self.approvers.clone(), required: self.required, self_approval: self.self_approval, ..Approve::default() }
    }
}
