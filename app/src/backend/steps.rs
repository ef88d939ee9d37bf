//! Steps of workflows that people skip.

use async_trait::async_trait;
use promise::Result;

use crate::view::SkipPage;

/// Identifies a step of the workflow of a request, or of a run of one of its actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepOf<'a> {
    /// Namespace of the request.
    pub namespace: &'a str,
    /// Name of the request.
    pub request: &'a str,
    /// Name of the run; `None` for the workflow of the request itself.
    pub run: Option<&'a str>,
    /// Id of the step.
    pub step: &'a str,
}

/// Steps of workflows. A skip is an Approval in the workspace of the promise.
#[async_trait]
pub trait Steps: Send + Sync {
    /// Returns what a skip of a step means, and whether the user can skip it.
    async fn step_to_skip(&self, workspace: &str, of: StepOf<'_>) -> Result<SkipPage>;
    /// Skips the step that the user saw, identified by `hash`. A conflict means that it can't be skipped any more.
    async fn skip_step(&self, workspace: &str, of: StepOf<'_>, hash: &str, comment: &str) -> Result<()>;
}
