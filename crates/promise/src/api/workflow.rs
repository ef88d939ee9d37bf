//! Workflows of a promise and the state of their steps (`domain.md` 6).

use std::collections::BTreeMap;

use serde_json::Value;

use super::approval::ApprovalStatus;
use super::approve_step::{ApproveStep, StepPolicy};
use super::endpoint::HttpMethod;
use super::job::JobStep;
use super::step::{StepKind, StepPhase, StepReason};

/// Workflows of a promise. Without one, the objects are applied in the order of their references.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Workflows {
    /// Steps that create a request's first release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provision: Option<Workflow>,
    /// Steps that roll out each later release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<Workflow>,
    /// Steps of a deletion. Whatever remains after them is deleted in reverse order of creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprovision: Option<Workflow>,
}

impl Workflows {
    /// Checks whether there is none.
    pub fn is_empty(&self) -> bool {
        WorkflowName::ALL.iter().all(|name| self.get(*name).is_none())
    }

    /// Returns a workflow by its name.
    pub fn get(&self, name: WorkflowName) -> Option<&Workflow> {
        match name {
            WorkflowName::Provision => self.provision.as_ref(),
            WorkflowName::Upgrade => self.upgrade.as_ref(),
            WorkflowName::Deprovision => self.deprovision.as_ref(),
            WorkflowName::Action => None,
        }
    }

    /// Returns the workflows with their references alone, without steps.
    pub fn references(self) -> Self {
        let reference = |workflow: Workflow| Some(Workflow { reference: Some(workflow.reference?), steps: Vec::new() });
        Self {
            provision: self.provision.and_then(reference),
            upgrade: self.upgrade.and_then(reference),
            deprovision: self.deprovision.and_then(reference),
        }
    }

    /// Returns the names of the PromiseWorkflows that they refer to.
    pub fn referred(&self) -> impl Iterator<Item = (WorkflowName, &str)> {
        WorkflowName::ALL.into_iter().filter_map(move |name| Some((name, self.get(name)?.reference.as_deref()?)))
    }
}

/// When a workflow runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum WorkflowName {
    /// For the first release of a request.
    #[default]
    Provision,
    /// For each later release.
    Upgrade,
    /// When the request is deleted.
    Deprovision,
    /// When someone runs an action.
    Action,
}

impl WorkflowName {
    /// Those that a promise has of its own accord; actions have names of their own.
    pub const ALL: [Self; 3] = [Self::Provision, Self::Upgrade, Self::Deprovision];

    /// The name of the field in a promise.
    pub fn word(self) -> &'static str {
        match self {
            Self::Provision => "provision",
            Self::Upgrade => "upgrade",
            Self::Deprovision => "deprovision",
            Self::Action => "action",
        }
    }
}

/// A graph of steps. Steps that don't depend on each other run in parallel.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Workflow {
    /// Name of a PromiseWorkflow in the promise's home, instead of steps. A published version contains the steps that it had then.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Steps of the workflow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// One step of a workflow. Exactly one of `validate`, `capacity`, `apply`, `wait`, `delete`, `request`, `http`, `job`, `patch`
/// and `approve` is set.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Id that is unique within the workflow, `[a-z][a-zA-Z0-9]*`.
    pub id: String,
    /// Title for people. If absent, the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Expression for whether the step runs. If absent, it always runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Ids of the steps that have to finish first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Longest duration of one attempt, such as `30m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// Further attempts after a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// What happens after the last attempt failed.
    #[serde(default, skip_serializing_if = "OnFailure::is_fail")]
    pub on_failure: OnFailure,
    /// Checks an expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validate: Option<ValidateStep>,
    /// Checks that the servers would take objects now: quota, permissions and admission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<ResourcesStep>,
    /// Applies objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply: Option<ResourcesStep>,
    /// Waits until objects are healthy, or until an expression is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<WaitStep>,
    /// Deletes objects, in a `deprovision` workflow or an action. An action can delete objects of the request: the controller re-creates them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete: Option<ResourcesStep>,
    /// Applies requests for other promises, and waits until they are ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ResourcesStep>,
    /// Calls an Endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpStep>,
    /// Runs a Job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobStep>,
    /// Changes fields of an object of the request, in an action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<PatchStep>,
    /// Waits until approvers have decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<ApproveStep>,
}

impl Step {
    /// Returns the kind of the step. The first one counts if several are set, which [`crate::publish`] refuses.
    pub fn kind(&self) -> StepKind {
        let kinds = [
            (self.validate.is_some(), StepKind::Validate),
            (self.capacity.is_some(), StepKind::Capacity),
            (self.apply.is_some(), StepKind::Apply),
            (self.wait.is_some(), StepKind::Wait),
            (self.delete.is_some(), StepKind::Delete),
            (self.request.is_some(), StepKind::Request),
            (self.http.is_some(), StepKind::Http),
            (self.job.is_some(), StepKind::Job),
            (self.patch.is_some(), StepKind::Patch),
            (self.approve.is_some(), StepKind::Approve),
        ];
        kinds.into_iter().find_map(|(is_set, kind)| is_set.then_some(kind)).unwrap_or_default()
    }
}

/// Further attempts of a step.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// Number of attempts after the first one, at most 20.
    pub limit: u32,
    /// Pause before the second attempt, such as `10s`. Each further pause is twice as long, up to one hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff: Option<String>,
}

/// What happens after the last attempt of a step failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum OnFailure {
    /// The workflow stops. Someone can retry the step.
    #[default]
    Fail,
    /// The workflow continues as if the step had succeeded.
    Continue,
    /// The objects return to the former release, and steps with `undo` are undone in reverse order.
    Rollback,
}

impl OnFailure {
    /// Checks whether it is the default.
    pub fn is_fail(&self) -> bool {
        *self == Self::Fail
    }
}

/// A check.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ValidateStep {
    /// Expression that has to be true.
    pub expression: String,
    /// What is wrong if it is false, in one sentence.
    pub message: String,
}

/// Objects that a step is about.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResourcesStep {
    /// Ids of resources of the implementation.
    pub resources: Vec<String>,
}

/// What a step waits for.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitStep {
    /// Ids of resources that have to be healthy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// Expression that has to be true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// Fields that an action sets in an object of the request. All other fields stay.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PatchStep {
    /// Id of a resource of the implementation.
    pub resource: String,
    /// The fields. It can contain expressions.
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub merge: Value,
}

/// A call of an Endpoint.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HttpStep {
    /// Name of the Endpoint in the promise's home.
    pub endpoint: String,
    /// What is sent.
    #[serde(flatten)]
    pub call: HttpRequest,
    /// Expression over `answer` for whether the answer is as expected. If absent, its status has to be from 200 to 299.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// Values that later steps can read as `steps.<id>.<name>`, as expressions over `answer`. They are stored in the status of the request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, String>,
    /// Calls that follow until the answer is as expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll: Option<HttpPoll>,
    /// The call that undoes the step in a rollback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<HttpRequest>,
}

/// What is sent to an Endpoint.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HttpRequest {
    /// Method. If absent, `GET`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<HttpMethod>,
    /// Path below the Endpoint's URL. It can contain expressions.
    pub path: String,
    /// JSON body. It can contain expressions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::value"))]
    pub body: Option<Value>,
}

/// Calls that are repeated until the answer is as expected.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct HttpPoll {
    /// Path below the Endpoint's URL. It can contain expressions, and the step's own outputs as `steps.<id>.<name>`.
    pub path: String,
    /// Expression over `answer` for whether it is finished.
    pub until: String,
    /// Expression over `answer` for whether it failed for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_when: Option<String>,
    /// What to report if it failed for good, in one sentence. It can contain expressions over `answer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Pause between two calls, from `2s` to `1h`. If absent, `15s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// Further outputs, from the last answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, String>,
}

/// The run of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkflowStatus {
    /// Which workflow it is.
    pub name: WorkflowName,
    /// Name of the PromiseRelease that it rolls out or, for a deletion, that it removes.
    pub release: String,
    /// State of the run.
    #[serde(default)]
    pub phase: WorkflowPhase,
    /// Number of the run: that of its first attempt.
    #[serde(default)]
    pub run: u32,
    /// Number of the attempt, counted over all runs of the request. A retry names the attempt that failed.
    #[serde(default)]
    pub attempt: u32,
    /// RFC 3339 time at which it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// RFC 3339 time at which it finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
}

impl WorkflowStatus {
    /// Checks whether someone retries this attempt. `annotation` is the value of the annotation for that.
    pub fn is_retried(&self, annotation: Option<&str>) -> bool {
        self.is_named(annotation)
    }

    /// Checks whether someone cancels this attempt. `annotation` is the value of the annotation for that.
    pub fn is_cancelled(&self, annotation: Option<&str>) -> bool {
        self.phase == WorkflowPhase::Running && self.is_named(annotation)
    }

    fn is_named(&self, annotation: Option<&str>) -> bool {
        annotation.is_some_and(|attempt| attempt.trim() == self.attempt.to_string())
    }
}

/// State of the run of a workflow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub enum WorkflowPhase {
    /// Steps are running, or about to.
    #[default]
    Running,
    /// All steps finished.
    Succeeded,
    /// A step failed. It can be retried.
    Failed,
    /// A step failed, and the request returns to its former release.
    RollingBack,
    /// The request has returned to its former release.
    RolledBack,
}

/// One step of a workflow that runs or ran.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StepStatus {
    /// Id of the step.
    pub id: String,
    /// Title of the step, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Type of the step.
    #[serde(default)]
    pub kind: StepKind,
    /// State of the step.
    #[serde(default)]
    pub phase: StepPhase,
    /// Number of attempts.
    #[serde(default)]
    pub attempts: u32,
    /// RFC 3339 time at which the last attempt started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// RFC 3339 time at which the step finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// RFC 3339 time of the next attempt, if the step waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// Machine-readable reason of the last failure, or of what it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<StepReason>,
    /// Explanation, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Number of times that it started over after a final answer. Calls of the same round have the same idempotency key.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub round: u32,
    /// Whether the first call of an `http` step was made and might have had its effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub called: bool,
    /// Whether the first call of an `http` step was answered, and only its polls follow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub answered: bool,
    /// Whether a rollback undid it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// How often a rollback tried to undo it without success. Pauses double up to five minutes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undo_attempts: u32,
    /// Whether someone decided that it isn't undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undo_skipped: bool,
    /// Why it isn't undone, or not yet, as sentences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo_message: Option<String>,
    /// What Approvals have to name as `contentHash` to decide about the step or to skip it: while an `approve` step runs, while any step
    /// runs or failed that can be skipped, and while it can't be undone. Another run, and the next attempt after a rejection, has another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// Who can decide about an `approve` step, and all decisions about the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "utoipa", schema(value_type = Option<Object>))]
    pub approval: Option<Box<ApprovalStatus>>,
    /// The rule of a policy that requires the step. Absent for steps of the promise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "utoipa", schema(value_type = Option<Object>))]
    pub policy: Option<Box<StepPolicy>>,
    /// Values that later steps can read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub outputs: BTreeMap<String, Value>,
    /// The last lines of the log of its Job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

impl StepStatus {
    /// Checks whether the step has begun to call an Endpoint and isn't done with it: it waits for an answer or its next attempt, failed, or
    /// couldn't be undone.
    pub fn is_calling(&self) -> bool {
        let is_open = matches!(self.phase, StepPhase::Pending | StepPhase::Running | StepPhase::Failed);
        self.kind == StepKind::Http && (is_open && self.started_at.is_some() || self.waits_for_undo())
    }

    /// Checks whether a rollback tried to undo the step without success, and will try again.
    pub fn waits_for_undo(&self) -> bool {
        self.undo_attempts > 0 && !self.undone && !self.undo_skipped
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
