//! The port [`Runs`]: day-2 actions of requests, and their runs. A run is a PromiseAction next to its request, and everything is read and
//! written as the user.

mod before;
mod commands;
mod form;
mod history;
pub(crate) mod index;
mod list;
mod offers;
mod one;
mod records;
mod rules;

use app::backend::{ActionOf, Pairs, RunOf, Runs};
use app::view::{ActionForm, ActionOutcome, RunPage, RunsPage};
use async_trait::async_trait;
use promise::Result;

pub(in crate::portal) use self::before::policy_link;
pub(crate) use self::commands::RunCommand;
pub(in crate::portal) use self::commands::read;
pub(in crate::portal) use self::history::history;
pub(in crate::portal) use self::offers::offers;
pub(in crate::portal) use self::one::{title, values};
use crate::portal::Caller;

#[async_trait]
impl Runs for Caller {
    async fn action_form(&self, workspace: &str, of: ActionOf<'_>, draft: Option<&str>) -> Result<ActionForm> {
        let workspace = self.enter(workspace).await?;
        form::page(self, &workspace, of, draft).await
    }

    async fn run_action(&self, workspace: &str, of: ActionOf<'_>, pairs: &Pairs) -> Result<ActionOutcome> {
        let workspace = self.enter(workspace).await?;
        form::post(self, &workspace, of, pairs).await
    }

    async fn runs(&self, workspace: &str, namespace: &str, request: &str, page: usize) -> Result<RunsPage> {
        let workspace = self.enter(workspace).await?;
        list::page(self, &workspace, (namespace, request), page).await
    }

    async fn run(&self, workspace: &str, of: RunOf<'_>) -> Result<RunPage> {
        let workspace = self.enter(workspace).await?;
        one::page(self, &workspace, of).await
    }

    async fn cancel_run(&self, workspace: &str, of: RunOf<'_>) -> Result<()> {
        let workspace = self.enter(workspace).await?;
        commands::cancel(self, &workspace, of).await.map(drop)
    }

    async fn retry_run(&self, workspace: &str, of: RunOf<'_>, attempt: u32) -> Result<()> {
        let workspace = self.enter(workspace).await?;
        commands::retry(self, &workspace, of, Some(attempt)).await.map(drop)
    }
}
