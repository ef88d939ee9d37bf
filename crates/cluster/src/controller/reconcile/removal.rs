//! The workflow of a deletion.

use std::collections::BTreeSet;

use promise::api::{DeletionPolicy, WorkflowName, WorkflowPhase};
use promise::lifecycle::Chosen;
use promise::plan::{Facts, Key as ObjectKey, Plan, resource_of};
use promise::status::{Missing, deprovision_skipped};
use promise::workflow::Run;

use super::Reconciliation;
use super::stepping::{Advance, Subject};
use crate::controller::decide::{Decision, recalled};
use crate::controller::failure::FailureCause;
use crate::controller::places::Places;
use crate::watch::Key;
use crate::workspaces::ClusterId;

impl Reconciliation<'_> {
    /// Finds or starts the workflow of a deletion, and returns the release whose promise has it. A rollback that isn't done comes first: what
    /// its steps did outside is undone. What is handed over isn't removed, so no step runs then.
    pub(super) async fn begin_removal(&mut self, policy: DeletionPolicy) -> Result<Option<Chosen>, FailureCause> {
        let last = self.run.take();
        let taken_back = last.clone().filter(Run::is_taken_back);
        let known = last.filter(|run| run.status.name == WorkflowName::Deprovision || is_rolling_back(run));
        let is_over = known.as_ref().is_some_and(Run::is_over);
        let has_begun = known.is_some();
        self.run = known;
        if is_over || policy == DeletionPolicy::Orphan {
            self.run = self.run.take().filter(|run| !is_rolling_back(run));
            return Ok(None);
        }
        let choice = match recalled(self.ctx, &self.releases, self.key, &self.request).await {
            Ok(choice) => choice,
            // Without the release nothing is known of its steps, and a deletion must not stay forever.
            Err(lost) if lost.missing == Missing::Gone => {
                if has_begun || self.might_have_steps() {
                    tracing::warn!(request = %self.key, why = %lost.cause, "removed without the steps of its promise");
                    self.note(vec![deprovision_skipped()]);
                }
                // Nothing failed, and nothing can be retried.
                self.run = None;
                return Ok(None);
            }
            Err(lost) => return Err(lost.cause),
        };
        let is_undone = |next: &Chosen| taken_back.as_ref().is_some_and(|run| run.status.release == next.name);
        let wanted = match &self.run {
            Some(run) => choice.named(&run.status.release),
            None if choice.next.as_ref().is_some_and(is_undone) => choice.current.as_ref(),
            None => choice.wanted(),
        };
        let name = self.run.as_ref().map_or(WorkflowName::Deprovision, |run| run.status.name);
        let with_steps = wanted.cloned().and_then(|release| Some((release.compiled.workflows().get(name)?.clone(), release)));
        let Some((workflow, release)) = with_steps else {
            // The status still has to name the release that was rolled back. Otherwise its deletion steps would run in the next reconcile.
            self.run = taken_back.filter(|run| !is_rolling_back(run));
            return Ok(None);
        };
        if !has_begun {
            let last = self.request.status.as_ref().and_then(|status| status.workflow.as_ref());
            let run = Run::start(&workflow, WorkflowName::Deprovision, &release.name, last, &self.ctx.now());
            self.run = Some(run.counted_past(self.named_attempts()));
        }
        let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        self.ids = inventory.iter().map(|item| (ObjectKey::of_item(item), item.id.clone())).collect();
        Ok(Some(release))
    }

    /// Checks whether a version of the promise that the status names might have steps for a deletion. One that is gone might have.
    fn might_have_steps(&self) -> bool {
        let Some(status) = &self.request.status else { return false };
        let current = status.current.as_ref().map(|current| (&current.revision, &current.home));
        let candidate = status.candidate.as_ref().map(|candidate| (&candidate.revision, &candidate.home));
        current.into_iter().chain(candidate).any(|(revision, home)| {
            let home = home.as_deref().and_then(|home| ClusterId::parse(home).ok());
            let known = home.and_then(|home| self.ctx.world.revisions.get(&Key::cluster_scoped(&home, revision)));
            known.is_none_or(|known| known.spec.spec.workflows.get(WorkflowName::Deprovision).is_some())
        })
    }

    /// Keeps objects until a step deletes them, or all steps are done.
    pub(super) fn close(&self, release: Option<&Chosen>, facts: &mut Facts) {
        let (Some(release), Some(run)) = (release, &self.run) else { return };
        let Some(workflow) = release.compiled.workflows().get(run.status.name) else { return };
        let ids = facts.inventory.iter().map(|item| resource_of(&item.id));
        facts.closed = if is_rolling_back(run) { ids.map(str::to_owned).collect() } else { run.closed(workflow, ids) };
        facts.unfinished = !run.is_over();
    }

    /// Advances the workflow of a deletion.
    pub(super) async fn advance_removal(
        &mut self,
        release: Option<&Chosen>,
        places: &Places,
        decision: &Decision,
        (facts, plan): (&Facts, Option<&Plan>),
    ) -> Result<Advance, kube::Error> {
        let (Some(release), Some(plan)) = (release, plan) else { return Ok(Advance::Waits) };
        let remaining: BTreeSet<String> = plan.inventory.iter().map(|item| resource_of(&item.id).to_owned()).collect();
        let subject = Subject { release, can_roll_back: false, remaining };
        self.advance(&subject, places, decision, (facts, plan)).await
    }
}

fn is_rolling_back(run: &Run) -> bool {
    run.status.phase == WorkflowPhase::RollingBack
}
