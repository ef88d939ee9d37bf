//! Requests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::page::Amount;
use crate::api::{
    ApprovalState, Approvers, Condition, GivenApproval, Health, OutdatedStatus, OutputFormat, PolicyOutcome, PromiseRequestSpec, Required,
    ScheduleStatus, SecretKeyRef, StepStatus, WaitingOn, WaitingReason, WorkflowStatus,
};

pub use crate::sentence::Actor;
pub use crate::state::{ChangeState, RequestState};

/// A request in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestSummary {
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// uid of the object.
    pub uid: String,
    /// Name of the promise.
    pub promise: String,
    /// Path of the promise's home workspace. Absent on plain Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Running version, or else the next one, or else the requested one. Empty if none is known yet.
    pub version: String,
    /// State.
    pub state: RequestState,
    /// State of a pending change of a running instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ChangeState>,
    /// Why it is waiting. Absent if it isn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<WaitingReason>,
    /// Who has to act next.
    pub actor: Actor,
    /// What it is waiting for, as a sentence without a full stop.
    pub message: String,
    /// RFC 3339 time since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Username of the requester.
    pub owner: String,
    /// Project that its label names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Labels that people set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Estimated monthly cost. Absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Amount>,
    /// RFC 3339 time of creation.
    pub created: String,
}

/// A request with its state in detail. It never contains the values of secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestDetail {
    /// The same as in a list.
    #[serde(flatten)]
    pub summary: RequestSummary,
    /// Generation of the spec.
    pub generation: i64,
    /// Generation that the state describes.
    pub observed_generation: i64,
    /// Version of the object on the control plane.
    pub resource_version: String,
    /// What is requested. Secret parameters are references.
    pub spec: PromiseRequestSpec,
    /// What it is waiting for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// What usually comes next, as a sentence without a full stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The release that is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<RunningRelease>,
    /// The last run of a workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowStatus>,
    /// Steps of that workflow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepStatus>,
    /// Schedules of policies that run its actions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<ScheduleStatus>,
    /// Objects that were created for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<RequestResource>,
    /// Values that the requester receives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<RequestOutput>,
    /// Hash of the content that waits for approval, which a decision has to name. Absent if nothing waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// Approval rules: of what waits for approval, or else of what is running.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<RequestApproval>,
    /// Outcome of every policy rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<PolicyOutcome>,
    /// Changes under the present policies and prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated: Option<OutdatedStatus>,
}

/// Returns the name of an edition of a request. It differs as soon as the spec changes, or another request has the same name.
pub fn edition(generation: i64, uid: &str) -> String {
    format!("{generation}-{uid}")
}

impl RequestDetail {
    /// Returns the edition of the spec, with which ETags of it begin.
    pub fn edition(&self) -> String {
        edition(self.generation, &self.summary.uid)
    }

    /// Whether it is running as requested: nothing is in progress, and no change is pending.
    pub fn is_ready(&self) -> bool {
        self.summary.state == RequestState::Ready && self.summary.change.is_none() && self.observed_generation >= self.generation
    }
}

/// The release that is running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunningRelease {
    /// Name of the PromiseRelease.
    pub release: String,
    /// Version of the promise.
    pub version: String,
    /// RFC 3339 time since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// RFC 3339 time at which the request expires. It can be renewed for 72 hours afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// An object that was created for a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestResource {
    /// Resource id in the promise.
    pub id: String,
    /// Kind.
    pub kind: String,
    /// API group and version.
    pub api_version: String,
    /// Namespace. Absent for cluster-scoped kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
    /// Name of the Destination. Absent for the request's workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// Whether the server accepted it.
    pub applied: bool,
    /// Health.
    pub health: Health,
    /// Why it isn't healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// An output of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestOutput {
    /// Name.
    pub name: String,
    /// Description in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is a secret.
    pub secret: bool,
    /// Whether its value exists, even if it isn't shown.
    pub available: bool,
    /// The value. Always absent for a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Where a secret value is kept: in the namespace of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretKeyRef>,
    /// What the value is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<OutputFormat>,
}

/// An approval rule of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestApproval {
    /// Id of the rule, as decisions name it.
    pub rule: String,
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule in the policy.
    pub name: String,
    /// Whether it is the promise's own rule.
    pub own: bool,
    /// Path of the workspace that defines it.
    pub source: String,
    /// Users and groups who are asked.
    pub approvers: Approvers,
    /// Number of approvals required, or `all`.
    #[cfg_attr(feature = "utoipa", schema(value_type = Value))]
    pub required: Required,
    /// Stage of the rule, starting at 1.
    pub stage: u32,
    /// State.
    pub state: ApprovalState,
    /// RFC 3339 time at which it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// RFC 3339 time at which the change is carried out, while it waits for the window of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens_at: Option<String>,
    /// Decisions, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GivenApproval>,
    /// Whether the caller can decide now.
    pub can_decide: bool,
}

/// Data of the event `gone`, the last one of a watch: the request no longer exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestGone {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}
