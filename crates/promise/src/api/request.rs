//! What somebody wants, and how it goes (`domain.md` 3).

use serde_json::Value;

use super::inventory::InventoryItem;

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseRequestSpec {
    /// Which promise.
    pub promise: PromiseRef,
    /// Values for the promise's schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::atomic_object"))]
    pub parameters: Option<Value>,
    /// Which newer versions are taken without asking.
    #[serde(default)]
    pub upgrade: UpgradePolicy,
    /// What deletion does to the objects.
    #[serde(default)]
    pub deletion_policy: DeletionPolicy,
    /// RFC 3339 time at which it ends; not enforced yet, so a request that names one is not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::time"))]
    pub expires_at: Option<String>,
    /// No changes are made while set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// Shown to approvers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Stamped by admission at creation, whatever was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester: Option<Requester>,
}

/// A reference to a promise.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseRef {
    /// Name.
    pub name: String,
    /// Path of its home; empty on plain Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Constraint; empty means newest published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Who asked, or decided.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Requester {
    /// As the plane authenticated it.
    pub username: String,
    /// As the plane authenticated them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Logical cluster of a ServiceAccount, whose name is unique only together with it. Absent for people, and on plain Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// Which newer versions are taken without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
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

/// What deletion does to the objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum DeletionPolicy {
    /// Removes them.
    #[default]
    Delete,
    /// Hands them over unmanaged.
    Orphan,
}

/// How a request goes; written by the controller only.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseRequestStatus {
    /// Generation this status is about.
    #[serde(default)]
    pub observed_generation: i64,
    /// One word.
    #[serde(default)]
    pub phase: Phase,
    /// Ready, Accepted, PoliciesSatisfied, Approved, Applied, Healthy, DriftFree, PolicyOutdated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Who holds the ball.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// What runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<CurrentStatus>,
    /// What is meant to run next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<CandidateStatus>,
    /// Rules that ask for approval of the candidate; of the current release, once it is accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<super::approval::ApprovalStatus>,
    /// What people were asked last, while that is still what the request wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<super::approval::QuestionStatus>,
    /// Every rule that had a say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<PolicyOutcome>,
    /// Steps of the workflow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepStatus>,
    /// Every object made for the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inventory: Vec<InventoryItem>,
    /// What the requester gets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputStatus>,
    /// What would change under the rules and prices of today; absent when nothing would. Nothing of it is rolled out by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated: Option<super::outdated::OutdatedStatus>,
    /// Price of the current release; of the candidate before anything runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostStatus>,
}

/// One word for how a request goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Phase {
    /// Nothing was done yet.
    #[default]
    Pending,
    /// A person decides.
    AwaitingApproval,
    /// Being made for the first time.
    Provisioning,
    /// Healthy.
    Ready,
    /// Made, and no longer healthy.
    Degraded,
    /// A candidate is being rolled out.
    Updating,
    /// Cannot go on without a change.
    Failed,
    /// Refused by policy or person.
    Rejected,
    /// Being removed.
    Deleting,
}

/// A Kubernetes condition.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Name.
    pub r#type: String,
    /// Whether it holds.
    #[serde(default)]
    pub status: ConditionStatus,
    /// Machine word in CamelCase.
    pub reason: String,
    /// A sentence.
    #[serde(default)]
    pub message: String,
    /// Generation it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// RFC 3339 time of the last change of `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<String>,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum ConditionStatus {
    /// Not known.
    #[default]
    Unknown,
    /// Holds.
    True,
    /// Does not hold.
    False,
}

/// Who holds the ball.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingOn {
    /// Sort of thing.
    #[serde(default)]
    pub kind: WaitingKind,
    /// A sentence without a full stop.
    #[serde(default)]
    pub what: String,
    /// RFC 3339 time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Sort of thing a request waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum WaitingKind {
    /// Nothing.
    #[default]
    Nothing,
    /// A decision.
    Person,
    /// A step that runs.
    Step,
    /// The controller.
    Controller,
    /// Room.
    Capacity,
}

/// The release that runs.
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
    /// Logical cluster id of the home that the revision lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Hex SHA-256 of its content: where the release is lost, only the same content takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// RFC 3339 time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// RFC 3339 time at which it was accepted, where that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<String>,
    /// RFC 3339 time at which it was Ready for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_at: Option<String>,
    /// Generation of the request that it was last found to be the content of; until that changes, nothing that others edit makes another
    /// release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
}

/// The release that is meant to run next.
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
    /// Logical cluster id of the home that the revision lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Hex SHA-256 (`domain.md` 3).
    pub content_hash: String,
    /// How far it got.
    #[serde(default)]
    pub state: CandidateState,
    /// Why, when it did not get through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Generation of the request that it is the content of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// RFC 3339 time since which it is the candidate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// RFC 3339 time at which it was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<String>,
    /// Whether policies changed since people decided against it. The decision stands until the requester edits or resubmits the request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub policies_changed: bool,
}

impl CandidateStatus {
    /// Whether approvers can decide about it now. What they decided against stands once policies changed, until it is resubmitted.
    pub fn is_open(&self) -> bool {
        self.state.is_open() && !self.policies_changed
    }
}

/// How far a candidate got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum CandidateState {
    /// Being checked.
    #[default]
    Evaluating,
    /// A person decides.
    AwaitingApproval,
    /// An approver wants it changed: the requester edits or resubmits it.
    ChangesRequested,
    /// Being rolled out.
    Accepted,
    /// An approver rejected it.
    Rejected,
    /// Nobody decided in time.
    Expired,
    /// The requester withdrew it.
    Withdrawn,
    /// Could not be rolled out.
    Failed,
}

impl CandidateState {
    /// Whether approvers can decide about it: those who asked for changes can approve it as it is.
    pub fn is_open(self) -> bool {
        matches!(self, Self::AwaitingApproval | Self::ChangesRequested)
    }

    /// Whether it ended without an approval, so that the requester edits or resubmits the request.
    pub fn is_negative(self) -> bool {
        matches!(self, Self::ChangesRequested | Self::Rejected | Self::Expired | Self::Withdrawn)
    }
}

/// What one rule did.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyOutcome {
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace where it is set.
    pub source: String,
    /// Team that set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// What a violation does.
    #[serde(default)]
    pub enforcement: super::policy::Enforcement,
    /// What happened.
    #[serde(default)]
    pub result: PolicyResult,
    /// Parameters concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// A sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What a rule did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PolicyResult {
    /// Nothing to say.
    #[default]
    Passed,
    /// Fixed a value.
    Set,
    /// Proposed a value.
    Defaulted,
    /// Narrowed a value.
    Constrained,
    /// Merged into objects.
    Injected,
    /// Violated; let pass.
    Warned,
    /// Violated; refused.
    Denied,
}

/// One step of a workflow.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StepStatus {
    /// Id.
    pub id: String,
    /// How far it got.
    #[serde(default)]
    pub phase: StepPhase,
    /// How often it was tried.
    #[serde(default)]
    pub attempts: u32,
    /// RFC 3339 time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// RFC 3339 time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// A sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How far a step got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum StepPhase {
    /// Not reached yet.
    #[default]
    Pending,
    /// Being done.
    Running,
    /// Done.
    Succeeded,
    /// Gave up.
    Failed,
    /// Not needed.
    Skipped,
}

/// Something the requester gets.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutputStatus {
    /// Name.
    pub name: String,
    /// Value, unless secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::value"))]
    pub value: Option<Value>,
    /// Where a secret value is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretKeyRef>,
}

/// A key of a Secret beside the request.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretKeyRef {
    /// Name of the Secret.
    pub name: String,
    /// Key in its data.
    pub key: String,
}

/// A price.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CostStatus {
    /// Decimal amount; absent means unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monthly: Option<String>,
    /// ISO 4217 code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// What it is computed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<String>,
}
