//! What policies for actions say about a run before it starts.

use std::time::Duration;

use promise::Problem;
use promise::api::Approve;
use promise::policy::{Refusal, Ruling, RunFacts, RunVerdict, Target, judge_run};
use serde_json::Value;

use super::ActionReconciliation;
use super::start::{Begun, Pinned};
use crate::controller::decide::lineage;
use crate::controller::failure::{FailureCause, ReleaseFailure};
use crate::controller::governance::problems_in_words;
use crate::kinds::PromiseRequest;

impl ActionReconciliation<'_> {
    /// Returns the approvals that policies require of the run. The error says why they don't let it start now.
    pub(super) async fn permitted(&self, request: &PromiseRequest, pinned: &Pinned) -> Result<Vec<Ruling<Approve>>, Begun> {
        let RunVerdict { refusals, wait, approvals, .. } = self.judged(request, pinned).await.map_err(Begun::NotNow)?;
        if !refusals.is_empty() {
            let problems: Vec<Problem> = refusals.iter().map(Refusal::problem).collect();
            return Err(Begun::Denied(problems_in_words(&problems)));
        }
        let Some(wait) = wait else { return Ok(approvals) };
        let left = wait.opens.map(|opens| opens.duration_since(self.ctx.clock.now()).as_secs().max(0).unsigned_abs() + 1);
        Err(Begun::Held(wait.waiting_on(), left.map(Duration::from_secs)))
    }

    /// Judges the run. The error says why it isn't known now which policies apply.
    async fn judged(&self, request: &PromiseRequest, pinned: &Pinned) -> Result<RunVerdict, FailureCause> {
        let lineage = lineage(self.ctx, &self.key.cluster)?;
        let revision = self.ctx.world.revision_of(&pinned.chosen.release.revision);
        let revision = revision.ok_or(ReleaseFailure::RevisionUnread)?;
        let (book, world, homes, revisions) =
            (self.ctx.policies.clone(), self.ctx.world.clone(), self.ctx.trusted.clone(), self.ctx.compiled.clone());
        let (home, trusted, context) = (pinned.chosen.home.clone(), pinned.chosen.trusted, pinned.chosen.context.clone());
        let (promise, action) = (request.spec.promise.name.clone(), self.action.spec.action.clone());
        let (parameters, now) = (pinned.chosen.release.parameters.clone(), self.ctx.clock.now());
        let judge = move || {
            let spec = &revision.spec.spec;
            let here = lineage.last();
            let target = Target {
                promise: &promise,
                spec,
                home: &home.path,
                home_cluster: &home.cluster,
                home_trusted: trusted,
                workspace: &here.map(|node| node.path.to_string()).unwrap_or_default(),
                labels: &here.map(|node| node.labels.clone()).unwrap_or_default(),
                lineage: &lineage.iter().map(|node| node.cluster.to_string()).collect::<Vec<_>>(),
            };
            let sources = book.read(&world, &homes).gather(&target, &revisions.reading(&revision.spec.hash, spec, trusted));
            let parameters = parameters.as_ref().unwrap_or(&Value::Null);
            judge_run(&sources, &RunFacts { action: &action, parameters, context: &context, now })
        };
        self.ctx.evaluate(judge).await
    }
}
