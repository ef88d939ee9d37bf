//! The port [`Platform`]: policies, what they affect, and their YAML. Only what the user can read or is offered is counted and named.

mod detail;
mod editor;
mod effect;
mod history;
mod hits;
pub(in crate::portal) mod list;
mod locate;
pub(in crate::portal) mod overview;
mod parse;
mod parts;
mod preview;
pub(in crate::portal) mod promise_list;
mod promises;
mod switch;
pub(in crate::portal) mod text;
mod tryout;

use app::backend::{Platform, PolicyText, PreviewText, Sample};
use app::view::{
    OverviewPage, OverviewQuery, PoliciesPage, PoliciesQuery, PolicyForm, PolicyFormOutcome, PolicyPage, PromisePreview, PromisesPage,
    PromisesQuery,
};
use async_trait::async_trait;
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::Result;

use super::place::TOGETHER;
use super::requests::walk::Turns;
use super::rights::Right;
use crate::portal::Caller;

#[async_trait]
impl Platform for Caller {
    async fn governs(&self) -> Result<bool> {
        let places = self.governing_places().into_iter().map(|(_, cluster)| cluster).collect();
        self.may_in_any(&Turns::begin(), places, &Right::policy("list", "")).await
    }

    async fn overview(&self, query: &OverviewQuery) -> Result<OverviewPage> {
        overview::page(self, query).await
    }

    async fn promises(&self, query: &PromisesQuery) -> Result<PromisesPage> {
        promise_list::page(self, query).await
    }

    async fn promise_preview(&self, draft: Option<&str>, of: Option<(&str, &str)>) -> Result<PromisePreview> {
        preview::page(self, draft, of).await
    }

    async fn preview_promise(&self, typed: &PreviewText) -> Result<String> {
        preview::save(self, typed).await
    }

    async fn policies(&self, query: &PoliciesQuery) -> Result<PoliciesPage> {
        list::page(self, query).await
    }

    async fn policy(&self, workspace: &str, name: &str, from: &str, sample: Option<&Sample>) -> Result<PolicyPage> {
        detail::page(self, workspace, name, from, sample).await
    }

    async fn policy_form(&self, workspace: &str, name: Option<&str>, draft: Option<&str>, rule: Option<usize>) -> Result<PolicyForm> {
        text::open(self, workspace, name, draft, rule).await
    }

    async fn policy_preflight(&self, typed: &PolicyText) -> Result<PolicyForm> {
        text::preflight(self, typed).await
    }

    async fn write_policy(&self, typed: &PolicyText) -> Result<PolicyFormOutcome> {
        text::post(self, typed).await
    }

    async fn switch_policy(&self, workspace: &str, name: &str, disabled: bool) -> Result<()> {
        switch::switch(self, workspace, name, disabled).await
    }

    async fn delete_policy(&self, workspace: &str, name: &str, confirmation: &str) -> Result<()> {
        switch::delete(self, workspace, name, confirmation).await
    }
}

impl Caller {
    /// Returns the workspaces that contain policies, and the trusted homes, which can contain some.
    pub(super) fn governing_places(&self) -> Vec<(WorkspacePath, ClusterId)> {
        let portal = self.portal();
        let tree = portal.world.tree();
        let homes = portal.trusted_homes.iter().filter_map(|path| Some((path.clone(), tree.cluster(path)?)));
        let policies = portal.world.policies.snapshot();
        let holding = policies.keys().filter_map(|key| Some((tree.path(&key.cluster)?, key.cluster.clone())));
        let mut places: Vec<(WorkspacePath, ClusterId)> = homes.chain(holding).collect();
        places.sort();
        places.dedup();
        places
    }

    /// Returns those of `places` in which the user has permission for this verb on policies.
    pub(super) async fn with_policies(
        &self,
        places: Vec<(WorkspacePath, ClusterId)>,
        verb: &'static str,
    ) -> Result<Vec<(WorkspacePath, ClusterId)>> {
        let asked = stream::iter(places).map(|(path, cluster)| async move {
            let may = self.may(&cluster, Right::policy(verb, "")).await?;
            Ok::<_, promise::Error>(may.then_some((path, cluster)))
        });
        let answers: Vec<Option<(WorkspacePath, ClusterId)>> = asked.buffered(TOGETHER).try_collect().await?;
        Ok(answers.into_iter().flatten().collect())
    }
}
