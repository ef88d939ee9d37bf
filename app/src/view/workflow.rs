//! The workflow of a request.

use promise::Error;
use promise::api::{StepKind, StepPhase, WorkflowName, WorkflowPhase};
use serde::{Deserialize, Serialize};

use super::RequestRow;

/// The run of a workflow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowView {
    /// Which workflow it is.
    pub name: WorkflowName,
    /// State of the run.
    pub phase: WorkflowPhase,
    /// Its steps, in the order of the promise.
    pub steps: Vec<StepLine>,
    /// The attempt that failed, if it can be retried.
    pub retry: Option<u32>,
    /// The attempt that is running, if it can be cancelled.
    pub cancel: Option<u32>,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepLine {
    /// Id.
    pub id: String,
    /// Title, or empty.
    pub title: String,
    /// Type.
    pub kind: StepKind,
    /// State.
    pub phase: StepPhase,
    /// Number of attempts.
    pub attempts: u32,
    /// RFC 3339 time at which the last attempt started, or empty.
    pub started: String,
    /// RFC 3339 time at which it finished, or empty.
    pub finished: String,
    /// RFC 3339 time of the next attempt, or empty.
    pub next: String,
    /// What it waits for or why it failed, as a sentence, or empty.
    pub message: String,
    /// The policy that requires it. Absent for steps of the promise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyLink>,
    /// Whether a rollback undid it.
    pub undone: bool,
    /// The last lines of the log of its Job.
    pub log: Vec<String>,
    /// Address of the page that skips it. Absent if the user can't skip it now.
    pub skip: Option<String>,
    /// Address of the page where its approvers decide. Absent if it doesn't wait for them, or the page of the request asks about it.
    pub review: Option<String>,
}

/// A policy that requires something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyLink {
    /// Display name, or its name.
    pub title: String,
    /// Path of the workspace that sets it.
    pub source: String,
    /// Address of its page.
    pub href: String,
}

/// What a skip of a step means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkipPage {
    /// The request.
    pub row: RequestRow,
    /// Name of the run of an action, or empty for the workflow of the request itself.
    pub run: String,
    /// The step.
    pub step: StepLine,
    /// What the skip is about: this step of this run. Empty if it can't be skipped now.
    pub hash: String,
    /// Steps that haven't begun and need this one.
    pub later: Vec<StepLine>,
    /// Names of the outputs that it hasn't returned.
    pub missing: Vec<String>,
    /// Whether the user can skip it, or why not.
    pub allowed: Result<(), Error>,
}
