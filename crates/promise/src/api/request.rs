//! Requests: the desired state and the status (`domain.md` 3).

use std::collections::BTreeMap;

use super::waiting::WaitingOn;
use super::workflow::{StepStatus, WorkflowStatus};
use serde_json::Value;

use super::inventory::InventoryItem;

/// Desired state of a request.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseRequestSpec {
    /// Promise to request.
    pub promise: PromiseRef,
    /// Parameters, as defined by the promise's schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::atomic_object"))]
    pub parameters: Option<Value>,
    /// Newer versions that are rolled out automatically.
    #[serde(default)]
    pub upgrade: UpgradePolicy,
    /// What happens to the objects when the request is deleted.
    #[serde(default)]
    pub deletion_policy: DeletionPolicy,
    /// RFC 3339 time at which the request expires. Its owner can renew it for 72 hours by entering a later time. Then it is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::time"))]
    pub expires_at: Option<String>,
    /// Whether the request is paused. No changes are made while it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// Reason for the request, shown to approvers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// User who created the request. Set by admission at creation; any value sent is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester: Option<Requester>,
}

/// A reference to a promise.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseRef {
    /// Name of the promise.
    pub name: String,
    /// Path of the promise's home workspace. Empty on plain Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Version constraint. Empty selects the newest published version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// A user who created a request or decided on it.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Requester {
    /// User name, as authenticated by the server.
    pub username: String,
    /// Groups, as authenticated by the server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Logical cluster of a ServiceAccount, whose name is unique only within it. Absent for people, and on plain Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// Newer versions that are rolled out automatically.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum UpgradePolicy {
    /// None.
    #[default]
    Manual,
    /// Patch releases.
    Patch,
    /// Minor releases.
    Minor,
}

/// What happens to the objects when a request is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub enum DeletionPolicy {
    /// The objects are deleted.
    #[default]
    Delete,
    /// The objects remain and are no longer managed.
    Orphan,
}

/// Observed state of a request. Written only by the controller.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseRequestStatus {
    /// Generation that this status describes.
    #[serde(default)]
    pub observed_generation: i64,
    /// Summary of the status in one word.
    #[serde(default)]
    pub phase: Phase,
    /// Conditions: `Ready`, `Accepted`, `PoliciesSatisfied`, `Approved`, `Applied`, `Healthy`, `DriftFree` and `PolicyOutdated`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// What the request is waiting for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// Release that is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<CurrentStatus>,
    /// Release that will run next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<CandidateStatus>,
    /// Approval rules for the candidate. Once it is accepted, for the current release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<super::approval::ApprovalStatus>,
    /// Most recent question to approvers, as long as the request still wants the same content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<super::approval::QuestionStatus>,
    /// Outcome of every policy rule that applies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<PolicyOutcome>,
    /// Most recent run of a workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowStatus>,
    /// Steps of that workflow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepStatus>,
    /// Outputs of steps that outputs of the promise read, by step and name, from the last run that succeeded and had the step.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub step_outputs: BTreeMap<String, BTreeMap<String, Value>>,
    /// Schedules of policies that run actions of the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<super::schedule::ScheduleStatus>,
    /// Every object that was created for the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inventory: Vec<InventoryItem>,
    /// Values that the requester receives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputStatus>,
    /// Changes under the present policies and prices. Absent if there are none. They are never rolled out automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated: Option<super::outdated::OutdatedStatus>,
    /// Price of the current release, or of the candidate if nothing runs yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostStatus>,
}

impl PromiseRequestStatus {
    /// Whether the content with this hash is the candidate, in this state.
    pub fn has_candidate(&self, content_hash: &str, state: CandidateState) -> bool {
        self.candidate.as_ref().is_some_and(|candidate| candidate.state == state && candidate.content_hash == content_hash)
    }
}

/// Summary of the status of a request, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Phase {
    /// The controller hasn't processed the request yet.
    #[default]
    Pending,
    /// Waiting for an approver.
    AwaitingApproval,
    /// Being created for the first time.
    Provisioning,
    /// Healthy.
    Ready,
    /// No longer healthy.
    Degraded,
    /// A candidate is being rolled out.
    Updating,
    /// Needs a change to continue.
    Failed,
    /// Refused by a policy or an approver.
    Rejected,
    /// Being deleted.
    Deleting,
}

/// A Kubernetes condition.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Type of the condition.
    pub r#type: String,
    /// Whether the condition is true.
    #[serde(default)]
    pub status: ConditionStatus,
    /// Machine-readable reason in CamelCase.
    pub reason: String,
    /// Human-readable message, as a sentence.
    #[serde(default)]
    pub message: String,
    /// Generation that the condition describes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// RFC 3339 time of the last change of `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<String>,
}

impl Condition {
    /// Whether there is a true condition of this type.
    pub fn is_true(conditions: &[Self], name: &str) -> bool {
        conditions.iter().any(|condition| condition.r#type == name && condition.status == ConditionStatus::True)
    }
}

/// Status of a condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub enum ConditionStatus {
    /// Not known.
    #[default]
    Unknown,
    /// True.
    True,
    /// False.
    False,
}

/// The running release.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CurrentStatus {
    /// Name of the PromiseRelease.
    pub release: String,
    /// Version of the promise.
    pub version: String,
    /// Name of the PromiseRevision.
    pub revision: String,
    /// Logical cluster id of the home workspace of the revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Hex-encoded SHA-256 of the content. If the release is lost, only a release with the same content replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// RFC 3339 time since which it is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// RFC 3339 time at which it was accepted, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<String>,
    /// RFC 3339 time at which it was `Ready` for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_at: Option<String>,
    /// Generation of the request that last matched the content of this release. As long as the generation stays the same, changes elsewhere
    /// don't create a new release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// RFC 3339 time at which the request expires, as it was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// The release that will run next.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CandidateStatus {
    /// Name of the PromiseRelease.
    pub release: String,
    /// Version of the promise.
    pub version: String,
    /// Name of the PromiseRevision.
    pub revision: String,
    /// Logical cluster id of the home workspace of the revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Hex-encoded SHA-256 of the content (`domain.md` 3).
    pub content_hash: String,
    /// State of the candidate.
    #[serde(default)]
    pub state: CandidateState,
    /// Reason why it wasn't accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Generation of the request that the release was created from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// RFC 3339 time at which it became the candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// RFC 3339 time at which it was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<String>,
    /// Whether policies changed after approvers decided against it. The decision stands until the requester edits or resubmits the request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub policies_changed: bool,
}

impl CandidateStatus {
    /// Whether approvers can decide on it now. Once policies have changed, a decision against it stands until it is resubmitted.
    pub fn is_open(&self) -> bool {
        self.state.is_open() && !self.policies_changed
    }
}

/// State of a candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum CandidateState {
    /// Being evaluated.
    #[default]
    Evaluating,
    /// Waiting for an approver.
    AwaitingApproval,
    /// An approver requested changes. The requester has to edit or resubmit the request.
    ChangesRequested,
    /// Approved as far as that is required, and waiting for the window of a policy.
    AwaitingWindow,
    /// Being rolled out.
    Accepted,
    /// An approver rejected it.
    Rejected,
    /// The approval expired without a decision.
    Expired,
    /// The requester withdrew it.
    Withdrawn,
    /// Couldn't be rolled out.
    Failed,
}

impl CandidateState {
    /// Whether someone can decide on it. Approvers who requested changes can still approve it as it is, and a window can be overridden.
    pub fn is_open(self) -> bool {
        matches!(self, Self::AwaitingApproval | Self::ChangesRequested | Self::AwaitingWindow)
    }

    /// Whether it ended without an approval. The requester then has to edit or resubmit the request.
    pub fn is_negative(self) -> bool {
        matches!(self, Self::ChangesRequested | Self::Rejected | Self::Expired | Self::Withdrawn)
    }
}

/// Outcome of one policy rule.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyOutcome {
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace that defines the rule.
    pub source: String,
    /// Team that owns the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// What happens when the rule is violated.
    #[serde(default)]
    pub enforcement: super::policy::Enforcement,
    /// What the rule did.
    #[serde(default)]
    pub result: PolicyResult,
    /// Paths of the parameters concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Explanation, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What a policy rule did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PolicyResult {
    /// Passed.
    #[default]
    Passed,
    /// Set a parameter to a fixed value.
    Set,
    /// Set the default value of a parameter.
    Defaulted,
    /// Restricted the values of a parameter.
    Constrained,
    /// Merged fields into objects.
    Injected,
    /// Violated. The request was accepted with a warning.
    Warned,
    /// Violated. The request was refused.
    Denied,
}

/// A value that the requester receives.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutputStatus {
    /// Name of the output.
    pub name: String,
    /// Value of the output, unless it is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::value"))]
    pub value: Option<Value>,
    /// Reference to the Secret that holds a secret value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretKeyRef>,
}

/// Reference to a key of a Secret in the request's namespace.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretKeyRef {
    /// Name of the Secret.
    pub name: String,
    /// Key in the data of the Secret.
    pub key: String,
}

/// A price.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CostStatus {
    /// Monthly amount, as a decimal. Absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monthly: Option<String>,
    /// ISO 4217 code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// How the price was calculated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<String>,
}
