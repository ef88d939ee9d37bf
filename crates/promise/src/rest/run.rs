//! Day-2 actions of a request, and their runs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{ActionOutputStatus, ActionPhase, FormHints, StepStatus, WaitingOn, WorkflowStatus};

/// An action of the version of its promise that a request runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActionItem {
    /// Name of the action.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// What it does, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether people are asked to confirm it.
    pub confirm: bool,
    /// Whether you can run it now.
    pub available: bool,
    /// Why not, as a sentence. Absent if you can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Schema of its parameters: OpenAPI v3.
    pub parameters: Value,
    /// How its form is presented.
    #[serde(default, skip_serializing_if = "FormHints::is_empty")]
    pub form: FormHints,
}

/// What to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunBody {
    /// Parameters, as the schema of the action has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
}

/// A run of an action: a PromiseAction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    /// Name.
    pub name: String,
    /// Name of the action.
    pub action: String,
    /// State.
    pub phase: ActionPhase,
    /// Username of the person who started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester: Option<String>,
    /// RFC 3339 time of its creation.
    pub created: String,
    /// RFC 3339 time at which it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
}

/// A run of an action, with its steps and outputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunDetail {
    /// What lists have.
    #[serde(flatten)]
    pub summary: RunSummary,
    /// Parameters, as they were sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    /// Whether someone asked to cancel it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancel: bool,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// Why it was refused or failed, or how it ended, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Name of the release of the request that it runs against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// The run of its steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowStatus>,
    /// Its steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepStatus>,
    /// Values that it returned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<ActionOutputStatus>,
}
