//! Day-2 actions of a promise and their runs (`domain.md` 6).

use serde_json::Value;

use super::inventory::InventoryItem;
use super::promise::ResourceTemplate;
use super::request::{Condition, Requester};
use super::waiting::WaitingOn;
use super::workflow::{Step, StepStatus, WorkflowStatus};

/// Something that people do with a running request, such as a backup.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActionSpec {
    /// Display name. If absent, the name of the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the action does, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Structural OpenAPI v3 schema of the action's own parameters. The type is `object`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub parameters: Option<Value>,
    /// How the form is presented. Not part of the schema.
    #[serde(default, skip_serializing_if = "super::form::FormHints::is_empty")]
    pub form: super::form::FormHints,
    /// Who can run the action. If absent, everyone who can create a PromiseAction next to the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<AllowedPeople>,
    /// Whether people are asked to confirm before it runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirm: bool,
    /// Objects of the action itself. They are deleted with its PromiseAction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceTemplate>,
    /// Steps of the action.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Values that are stored in the status of the PromiseAction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<ActionOutput>,
}

impl ActionSpec {
    /// Checks whether a text can be the name of an action: names are part of addresses.
    pub fn is_name(text: &str) -> bool {
        text.starts_with(|first: char| first.is_ascii_lowercase())
            && text.len() <= 63
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    }

    /// Returns the name for people. `name` is the key in the promise.
    pub fn title<'a>(&'a self, name: &'a str) -> &'a str {
        self.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(name)
    }
}

/// People who can run an action.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AllowedPeople {
    /// Groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// User names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<String>,
}

/// A value that an action returns.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActionOutput {
    /// Name of the output.
    pub name: String,
    /// Description in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Expression for the value.
    pub value: String,
}

/// One run of an action.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseActionSpec {
    /// Name of the PromiseRequest in the same namespace. Immutable.
    pub request: String,
    /// Name of the action in the promise. Immutable.
    pub action: String,
    /// Parameters, as defined by the action's schema. Immutable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::atomic_object"))]
    pub parameters: Option<Value>,
    /// Whether to stop before the next step. What was done isn't undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancel: bool,
    /// User who created it. Set by admission at creation; any value sent is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester: Option<Requester>,
}

/// Observed state of a run of an action. Written only by the controller.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseActionStatus {
    /// Generation that this status describes.
    #[serde(default)]
    pub observed_generation: i64,
    /// Summary of the status in one word.
    #[serde(default)]
    pub phase: ActionPhase,
    /// Conditions: `Succeeded`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// What it is waiting for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// Why it was refused or failed, or how it ended, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Name of the PromiseRelease of the request that it runs against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// The run of its steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowStatus>,
    /// Its steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepStatus>,
    /// Objects of the action itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inventory: Vec<InventoryItem>,
    /// Values that it returned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<ActionOutputStatus>,
    /// RFC 3339 time at which it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// RFC 3339 time at which it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
}

/// A value that an action returned.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActionOutputStatus {
    /// Name of the output.
    pub name: String,
    /// Value of the output.
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::value"))]
    pub value: Value,
}

/// State of a run of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub enum ActionPhase {
    /// Not started yet.
    #[default]
    Pending,
    /// Its steps are running, or about to.
    Running,
    /// All steps finished.
    Succeeded,
    /// A step failed. It can be retried.
    Failed,
    /// It was never started: the person can't run it, or something about it is wrong.
    Refused,
    /// Someone stopped it.
    Cancelled,
}

impl ActionPhase {
    /// Checks whether nothing follows unless someone retries it.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}
