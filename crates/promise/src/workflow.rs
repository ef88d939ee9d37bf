//! Workflows: which step runs next, and what follows from what it found (`domain.md` 6). Pure.
//!
//! A promise without a workflow applies its objects in the order of their references. With one, the controller calls [`advance`] with what
//! it observed, until nothing changes: it writes the state of the steps, carries out the [`Task`]s, and passes in their [`Done`] results.
//! State lives in the status of the request, and is written before anything is sent. So after a crash the same call is made again, with the
//! same idempotency key.
//!
//! To add a type of step, add its field to [`crate::api::Step`], its [`compile::Action`] and its arm in [`progress`], and, if it needs the
//! controller, a [`Task`] with its executor in `cluster::controller::steps`.

mod advance;
mod call;
mod check;
mod compile;
mod decisions;
mod job;
mod key;
mod planned;
mod progress;
mod references;
mod remove;
mod required;
mod run;
mod skip;
#[cfg(test)]
mod tests;
mod undo;
mod words;

use jiff::SignedDuration;
use serde_json::Value;

pub use advance::{Advanced, Input, advance};
pub(crate) use check::{check, check_action};
pub use compile::{CompiledWorkflow, CompiledWorkflows};
pub(crate) use compile::{compile, compile_action};
pub use decisions::{
    StepDecision, StepQuestion, allows_requester, asks_about_first, asks_about_run, asks_about_step, asks_about_steps, step_in_question,
};
pub use job::{JobInputs, ObservedJob, WantedJob, is_ended};
pub use planned::{PlannedStep, StepEffect, planned};
pub(crate) use references::check_references;
pub use required::{provenance, required_steps};
pub use run::{Run, name_of};
pub use skip::{SkipEffect, skip_effect, skip_hash};
pub use words::{action_label, failed, step_label, waits, waits_for_undo};

use crate::api::{HttpMethod, StepReason};

/// What a step asks the controller to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Call an Endpoint.
    Http(HttpTask),
    /// Apply objects without storing them.
    DryRun {
        /// Id of the step.
        step: String,
        /// Ids of the resources.
        resources: Vec<String>,
    },
    /// Read the result of a Job that ended.
    JobResult(JobResultTask),
    /// Change fields of an object of the request, as an action.
    Patch {
        /// Id of the step.
        step: String,
        /// Id of the resource.
        resource: String,
        /// The fields.
        merge: Value,
    },
    /// Delete objects, as an action.
    Delete {
        /// Id of the step.
        step: String,
        /// uids of the objects.
        uids: Vec<String>,
    },
}

impl Task {
    /// Returns the id of the step.
    pub fn step(&self) -> &str {
        match self {
            Self::Http(call) => &call.step,
            Self::DryRun { step, .. } | Self::Patch { step, .. } | Self::Delete { step, .. } => step,
            Self::JobResult(task) => &task.step,
        }
    }
}

/// A call of an Endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpTask {
    /// Id of the step.
    pub step: String,
    /// Name of the Endpoint in the promise's home.
    pub endpoint: String,
    /// Method.
    pub method: HttpMethod,
    /// Path below the Endpoint's URL.
    pub path: String,
    /// JSON body.
    pub body: Option<Value>,
    /// The same for every attempt that means the same effect.
    pub idempotency_key: String,
    /// How long the call can take, if the step has a timeout.
    pub within: Option<SignedDuration>,
}

/// What is read of a Job that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobResultTask {
    /// Id of the step.
    pub step: String,
    /// Name of the ConfigMap with its result. `None` if that is its termination message.
    pub config_map: Option<String>,
    /// Number of the last lines of its log.
    pub log_lines: u32,
}

/// What came of a [`Task`].
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// An Endpoint answered.
    Answer(Answer),
    /// The servers would take the objects or, for an action, have taken the change.
    Accepted,
    /// A Job ended.
    JobResult {
        /// Its result: JSON, or text. Null if it has none.
        result: Value,
        /// The last lines of its log.
        log: Vec<String>,
    },
    /// It failed.
    Failed(TaskFailure),
}

/// The answer of an Endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// JSON body, or its text.
    pub body: Value,
}

/// Why a task failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFailure {
    /// Reason.
    pub reason: StepReason,
    /// Explanation, as a sentence.
    pub message: String,
}
