//! Promises for the people who write them.

use async_trait::async_trait;
use promise::Result;

use super::PromiseText;
use crate::view::{
    AuthorPage, FleetPage, FleetQuery, PromiseForm, PromiseFormOutcome, RetirePage, RolloutCommand, RolloutForm, RolloutPage,
};

/// Promises as their authors write them.
#[async_trait]
pub trait Authoring: Send + Sync {
    /// Returns the text of a promise, or the start of a new one; the text of a draft comes with the results of its check. A draft of another
    /// user counts as none.
    async fn promise_form(&self, workspace: &str, name: Option<&str>, draft: Option<&str>) -> Result<PromiseForm>;
    /// Checks or publishes a posted text, as the user.
    async fn write_promise(&self, typed: &PromiseText) -> Result<PromiseFormOutcome>;
    /// Returns what still needs a promise that is to be retired: a page of the workspaces with instances, and promises that require it.
    async fn retirement(&self, workspace: &str, name: &str, page: usize) -> Result<RetirePage>;
    /// Has a promise no longer offered, as the user.
    async fn retire_promise(&self, workspace: &str, name: &str) -> Result<()>;
}

/// Promises for their authors: their instances, and upgrades of many of them.
#[async_trait]
pub trait Fleet: Send + Sync {
    /// Returns a promise that the user can read, with its versions.
    async fn author(&self, workspace: &str, promise: &str) -> Result<AuthorPage>;
    /// Returns a page of the instances that the user can list, each checked against a version.
    async fn fleet(&self, workspace: &str, promise: &str, query: &FleetQuery) -> Result<FleetPage>;
    /// Starts to upgrade instances in waves, and returns the rollout's id.
    async fn start_rollout(&self, form: &RolloutForm) -> Result<String>;
    /// Returns a page of a rollout that the user started.
    async fn rollout(&self, workspace: &str, promise: &str, id: &str, page: usize) -> Result<RolloutPage>;
    /// Stops a rollout of the user, resumes it, or says what becomes of the failed instance at `position`.
    async fn direct_rollout(&self, id: &str, command: RolloutCommand, position: i64) -> Result<()>;
}
