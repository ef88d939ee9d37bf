//! Day-2 actions of requests, and their runs.

use async_trait::async_trait;
use promise::Result;

use super::Pairs;
use crate::view::{ActionForm, ActionOutcome, RunPage, RunsPage};

/// Identifies an action of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionOf<'a> {
    /// Namespace of the request.
    pub namespace: &'a str,
    /// Name of the request.
    pub request: &'a str,
    /// Name of the action in the promise.
    pub action: &'a str,
}

/// Identifies a run of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOf<'a> {
    /// Namespace of the request.
    pub namespace: &'a str,
    /// Name of the request.
    pub request: &'a str,
    /// Name of the run.
    pub run: &'a str,
}

/// Day-2 actions of requests. A run is a PromiseAction next to its request.
#[async_trait]
pub trait Runs: Send + Sync {
    /// Returns the form of an action with the values of a draft. A draft of another user counts as none.
    async fn action_form(&self, workspace: &str, of: ActionOf<'_>, draft: Option<&str>) -> Result<ActionForm>;
    /// Handles a posted form: its `_op` says whether to change the form or to run the action, as the user.
    async fn run_action(&self, workspace: &str, of: ActionOf<'_>, pairs: &Pairs) -> Result<ActionOutcome>;
    /// Returns a page of the runs of a request.
    async fn runs(&self, workspace: &str, namespace: &str, request: &str, page: usize) -> Result<RunsPage>;
    /// Returns one run.
    async fn run(&self, workspace: &str, of: RunOf<'_>) -> Result<RunPage>;
    /// Cancels a run that isn't over.
    async fn cancel_run(&self, workspace: &str, of: RunOf<'_>) -> Result<()>;
    /// Retries a run whose attempt of this number failed.
    async fn retry_run(&self, workspace: &str, of: RunOf<'_>, attempt: u32) -> Result<()>;
}
