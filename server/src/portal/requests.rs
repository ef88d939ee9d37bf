//! The port [`Requests`]: the requests of a workspace, their form, and their results.

pub(super) mod activity;
pub(super) mod adds;
pub(super) mod attention;
pub(crate) mod cheaper;
mod comparison;
pub(super) mod decisions;
pub(super) mod detail;
pub(crate) mod following;
pub(super) mod form;
mod given;
pub(crate) mod index;
mod kept;
mod list;
pub(crate) mod listing;
mod narrow;
mod owners;
mod posting;
pub(super) mod preflight_panel;
mod presets;
mod prices;
mod records;
pub(crate) mod references;
mod related;
mod releases;
pub(super) mod required;
mod revealing;
pub(super) mod rows;
mod schedules;
mod source;
mod terms;
pub(super) mod timeline;
pub(super) mod upgrading;
pub(super) mod walk;
pub(super) mod workflow;

use app::backend::{FormOf, Pairs, Requests};
use app::view::{AddsPage, FormOutcome, GoneView, ReleasesPage, RequestForm, RequestPage, RequestPart, RequestQuery, RequestsPage};
use async_trait::async_trait;
use promise::Result;

pub(crate) use self::posting::input::MANIFEST;
use super::place::Workspace;
use crate::portal::Caller;

#[async_trait]
impl Requests for Caller {
    async fn requests(&self, workspace: &str, query: &RequestQuery) -> Result<RequestsPage> {
        let workspace = self.entered(workspace).await?;
        list::page(self, workspace.as_ref(), query).await
    }

    async fn requests_csv(&self, workspace: &str, query: &RequestQuery) -> Result<String> {
        let workspace = self.entered(workspace).await?;
        list::file(self, workspace.as_ref(), query).await
    }

    async fn request(&self, workspace: &str, namespace: &str, name: &str, part: RequestPart) -> Result<RequestPage> {
        let workspace = self.enter(workspace).await?;
        detail::page(self, &workspace, namespace, name, part).await
    }

    async fn form(&self, workspace: &str, form: FormOf<'_>, draft: Option<&str>) -> Result<RequestForm> {
        let workspace = self.enter(workspace).await?;
        form::page(self, &workspace, form, draft).await
    }

    async fn preflight(&self, workspace: &str, form: FormOf<'_>, pairs: &Pairs) -> Result<RequestForm> {
        let workspace = self.enter(workspace).await?;
        posting::preflight(self, &workspace, form, pairs).await
    }

    async fn adds(&self, workspace: &str, form: FormOf<'_>, draft: Option<&str>) -> Result<AddsPage> {
        let workspace = self.enter(workspace).await?;
        adds::of_form(self, &workspace, form, draft).await
    }

    async fn added(&self, workspace: &str, namespace: &str, name: &str) -> Result<AddsPage> {
        let workspace = self.enter(workspace).await?;
        adds::of_request(self, &workspace, namespace, name).await
    }

    async fn releases(&self, workspace: &str, namespace: &str, name: &str, compared: (&str, &str)) -> Result<ReleasesPage> {
        let workspace = self.enter(workspace).await?;
        releases::page(self, &workspace, namespace, name, compared).await
    }

    async fn roll_out(&self, workspace: &str, namespace: &str, name: &str, digest: &str) -> Result<()> {
        let workspace = self.enter(workspace).await?;
        decisions::roll_out(self, &workspace, namespace, name, digest).await
    }

    async fn retry_workflow(&self, workspace: &str, namespace: &str, name: &str, attempt: u32) -> Result<()> {
        let workspace = self.enter(workspace).await?;
        workflow::retry(self, &workspace, namespace, name, Some(attempt)).await
    }

    async fn cancel_workflow(&self, workspace: &str, namespace: &str, name: &str, attempt: u32) -> Result<()> {
        let workspace = self.enter(workspace).await?;
        workflow::cancel(self, &workspace, namespace, name, Some(attempt)).await
    }

    async fn post(&self, workspace: &str, form: FormOf<'_>, pairs: &Pairs) -> Result<FormOutcome> {
        let workspace = self.enter(workspace).await?;
        posting::post(self, &workspace, form, pairs).await
    }

    async fn delete(&self, workspace: &str, namespace: &str, name: &str, confirmation: &str) -> Result<()> {
        let workspace = self.enter(workspace).await?;
        self.remove_request(&workspace, namespace, name, confirmation).await
    }

    async fn gone(&self, workspace: &str, namespace: &str, name: &str) -> Result<Option<GoneView>> {
        let workspace = self.enter(workspace).await?;
        activity::gone(self, &workspace, namespace, name).await
    }

    async fn reveal(&self, workspace: &str, namespace: &str, name: &str, output: &str) -> Result<String> {
        let workspace = self.enter(workspace).await?;
        revealing::grant(self, &workspace, namespace, name, output).await
    }

    async fn revealed(&self, workspace: &str, namespace: &str, name: &str, output: &str, grant: &str) -> Result<Option<String>> {
        let workspace = self.enter(workspace).await?;
        revealing::value(self, &workspace, namespace, name, (output, grant)).await
    }
}

impl Caller {
    /// Enters a workspace. `None` for the empty path, which stands for all workspaces.
    async fn entered(&self, workspace: &str) -> Result<Option<Workspace>> {
        if workspace.is_empty() { Ok(None) } else { self.enter(workspace).await.map(Some) }
    }
}
