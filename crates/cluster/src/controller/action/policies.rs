//! What policies for actions say about a run: before it starts, and about its time once it is approved.

use std::time::Duration;

use promise::Problem;
use promise::api::Approve;
use promise::lifecycle::Chosen;
use promise::policy::{PolicySource, Refusal, Ruling, RunFacts, RunHold, RunVerdict, Target, hold_run, judge_run};
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
        // Approvers can decide while windows are closed. After that, windows are checked again.
        let Some(wait) = wait.filter(|_| approvals.is_empty()) else { return Ok(approvals) };
        let hold = RunHold::of(&wait);
        let left = self.left(&hold);
        Err(Begun::Held(hold.waiting, left))
    }

    /// Returns why an approved run can't begin its first step now, if windows are closed. The error says why that isn't known now.
    pub(super) async fn hold(&self, request: &PromiseRequest, chosen: &Chosen) -> Result<Option<RunHold>, FailureCause> {
        let (action, now) = (self.action.spec.action.clone(), self.ctx.clock.now());
        self.by_policies(request, chosen, move |sources| hold_run(sources, &action, now)).await
    }

    /// Returns after which time windows open that hold a run.
    pub(super) fn left(&self, hold: &RunHold) -> Option<Duration> {
        let left = hold.opens.map(|opens| opens.duration_since(self.ctx.clock.now()).as_secs().max(0).unsigned_abs() + 1);
        left.map(Duration::from_secs)
    }

    /// Judges the run. The error says why it isn't known now which policies apply.
    async fn judged(&self, request: &PromiseRequest, pinned: &Pinned) -> Result<RunVerdict, FailureCause> {
        let (context, action) = (pinned.chosen.context.clone(), self.action.spec.action.clone());
        let (parameters, now) = (pinned.chosen.release.parameters.clone(), self.ctx.clock.now());
        let judge = move |sources: &[PolicySource]| {
            let parameters = parameters.as_ref().unwrap_or(&Value::Null);
            judge_run(sources, &RunFacts { action: &action, parameters, context: &context, now })
        };
        self.by_policies(request, &pinned.chosen, judge).await
    }

    /// Evaluates something with the policies that apply to the promise of a release. The error says why it isn't known now which they are.
    async fn by_policies<T: Send + 'static>(
        &self,
        request: &PromiseRequest,
        chosen: &Chosen,
        judge: impl FnOnce(&[PolicySource]) -> T + Send + 'static,
    ) -> Result<T, FailureCause> {
        let lineage = lineage(self.ctx, &self.key.cluster)?;
        let revision = self.ctx.world.revision_of(&chosen.release.revision);
        let revision = revision.ok_or(ReleaseFailure::RevisionUnread)?;
        let (book, world, homes, revisions) =
            (self.ctx.policies.clone(), self.ctx.world.clone(), self.ctx.trusted.clone(), self.ctx.compiled.clone());
        let (home, trusted, promise) = (chosen.home.clone(), chosen.trusted, request.spec.promise.name.clone());
        let evaluate = move || {
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
            judge(&book.read(&world, &homes).gather(&target, &revisions.reading(&revision.spec.hash, spec, trusted)))
        };
        self.ctx.evaluate(evaluate).await
    }
}
