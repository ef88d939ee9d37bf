//! Observing: where everything that a release wants goes, what exists, and whether it is healthy.

use std::collections::BTreeSet;

use promise::api::{InventoryItem, WorkflowName};
use promise::lifecycle::Chosen;
use promise::plan::{Action, Facts, Key as ObjectKey, Pending, Plan, Seen, job_id, plan};

use super::{BUDGET, Reconciliation, jobs};
use crate::controller::failure::{Failure, FailureCause};
use crate::controller::places::{KnownInputs, Places, Unplaced};
use crate::controller::render::{self, Rendered, RenderedObject};
use crate::controller::{inputs, outputs};

impl Reconciliation<'_> {
    /// Determines the place of every rendered object, and reads what exists.
    async fn facts(&mut self, rendered: &Rendered, places: &mut Places, wanted: &Chosen) -> Facts {
        let subject = self.subject();
        let mut pending: Vec<Pending> = rendered.pending.clone();
        let mut desired = Vec::new();
        let mut refused = Vec::new();
        let accepted = inputs::accepted(&wanted.release);
        // Stage 0 belongs to the namespaces that everything else is created in.
        let staged = rendered.objects.iter().map(|object| (object.clone(), object.stage + 1));
        let mut objects: Vec<(RenderedObject, u32)> = staged.collect();
        let last = objects.iter().map(|(_, stage)| *stage).max().unwrap_or_default();
        let jobs = self.jobs(Some(wanted)).await;
        desired.extend(jobs.kept);
        objects.extend(jobs.rendered.into_iter().map(|job| (job, last + 1)));
        for (object, stage) in &objects {
            let stage = *stage;
            match places.desired(self.ctx, &subject, object, stage, KnownInputs { accepted: &accepted, seen: &self.seen }).await {
                Ok(placed) => desired.push(jobs::once(placed)),
                Err(Unplaced::Refused(cause)) => {
                    refused.push(cause);
                    pending.push(Pending { id: object.id.clone(), stage, waits_for: "a place where it can be created".to_owned() });
                }
                Err(Unplaced::Changed(secret)) => {
                    let waits_for = format!("the change to the Secret {secret} to be accepted");
                    pending.push(Pending { id: object.id.clone(), stage, waits_for });
                }
                Err(Unplaced::Unknown(why)) => {
                    if self.failure.is_none() {
                        self.fails(Failure::not_now(why));
                    }
                    pending.push(Pending { id: object.id.clone(), stage, waits_for: "its destination to respond".to_owned() });
                }
            }
        }
        let is_refused = !refused.is_empty();
        if is_refused {
            self.fails(Failure::lasting(FailureCause::Several(refused)));
        }
        self.ids.extend(desired.iter().map(|desired| (desired.key.clone(), desired.id.clone())));
        self.outputs.clone_from(&rendered.outputs);
        if !is_refused {
            let copied = outputs::copied(self.ctx, &subject, places, &rendered.secrets, &desired, &self.seen, &accepted).await;
            self.awaiting_outputs = !copied.pending.is_empty();
            self.outputs.extend(copied.outputs);
            pending.extend(copied.pending);
            desired.extend(copied.desired);
            desired.splice(0..0, places.namespaces(self.ctx, &subject));
        } else {
            // Half of a release is worse than none: nothing new is created while something must not go where it should.
            let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
            desired.retain(|desired| inventory.iter().any(|item| item.id == desired.id));
        }
        self.keep_namespaces(&mut desired);
        self.moved = places.moved().cloned();
        self.release.clone_from(&wanted.name);
        self.stages = desired.iter().map(|desired| (desired.key.clone(), desired.stage)).collect();
        if self.is_withdrawn {
            (desired, pending) = (Vec::new(), Vec::new());
        }
        let mut facts = Facts {
            request: subject,
            desired: Some(desired),
            pending,
            closed: self.closed(wanted),
            unfinished: wanted.compiled.workflows().get(WorkflowName::Deprovision).is_some(),
            budget: BUDGET,
            destinations: places.identities(),
            now: self.ctx.clock.now().as_second(),
            ..Facts::default()
        };
        self.refresh(&mut facts, places, wanted).await;
        facts
    }

    /// Updates the facts with what exists by now, and what the request says of it.
    pub(super) async fn refresh(&mut self, facts: &mut Facts, places: &Places, wanted: &Chosen) {
        facts.request = self.subject();
        facts.inventory = self.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default();
        self.observe(facts, places).await;
        self.judge(wanted).await;
        facts.seen.clone_from(&self.seen);
        facts.answered.clone_from(&self.answered);
        facts.repaired.clone_from(&self.repaired);
        facts.restless = self.ctx.changes.waits(self.key, &wanted.name, facts.now);
    }

    /// Judges the health of every observed object, including the promise's own expressions.
    async fn judge(&mut self, wanted: &Chosen) {
        let (compiled, context) = (wanted.compiled.clone(), wanted.context.clone());
        let parameters = wanted.release.parameters.clone().unwrap_or_default();
        let (mut seen, ids) = (std::mem::take(&mut self.seen), self.ids.clone());
        let now = self.ctx.clock.now().as_second();
        let judged = self.ctx.evaluate(move || {
            let mut again: Option<i64> = None;
            for (key, seen) in &mut seen {
                if let Seen::Present { object, health, message } = seen {
                    let id = ids.get(key).map(String::as_str).unwrap_or_default();
                    let verdict = render::health(&compiled, id, object, &parameters, &context, now);
                    again = again.into_iter().chain(verdict.again).min();
                    (*health, *message) = (verdict.health, verdict.message);
                }
            }
            (seen, again)
        });
        match judged.await {
            Ok(judged) => (self.seen, self.judged_again) = judged,
            Err(why) => self.fails(why.into()),
        }
    }

    /// Observes every object that wasn't observed in this reconcile yet, and watches its kind from now on.
    pub(in crate::controller) async fn observe(&mut self, facts: &Facts, places: &Places) {
        self.observe_objects(facts.to_observe(), places).await;
    }

    /// Observes what was created before, so that expressions know it from the start.
    pub(super) async fn observe_inventory(&mut self, places: &Places) {
        let inventory = self.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default();
        self.ids = inventory.iter().map(|item| (ObjectKey::of_item(item), item.id.clone())).collect();
        self.observe_objects(self.ids.keys().cloned().collect(), places).await;
    }

    async fn observe_objects(&mut self, keys: BTreeSet<ObjectKey>, places: &Places) {
        let open: Vec<ObjectKey> = keys.into_iter().filter(|key| !self.seen.contains_key(key)).collect();
        let shown = self.shown();
        self.look(open, &shown, places).await;
    }

    /// Plans what the release wants. What the plan would write or remove is read first, so that nothing is done because of what only watches
    /// showed. `None` if the release can't be rendered.
    pub(super) async fn planned(&mut self, wanted: &Chosen, places: &mut Places) -> Option<(Facts, Plan)> {
        loop {
            let rendered = self.rendered(wanted).await?;
            let facts = self.facts(&rendered, places, wanted).await;
            let plan = plan(&facts, &self.ctx.digests);
            // What was read isn't read again, so this ends.
            if !self.confirm(&plan.actions, places).await {
                return Some((facts, plan));
            }
        }
    }

    /// Reads what the actions of a plan are about, as far as only watches showed it: they might be behind, and an object might belong to
    /// someone else by now. Returns whether there was something to read, so that a plan has to be made of it first.
    ///
    /// What is no longer wanted goes once everything else is healthy, so before anything is removed, everything is read.
    async fn confirm(&mut self, actions: &[Action], places: &Places) -> bool {
        let about = |action: &Action| match action {
            Action::Apply { key, .. } | Action::Delete { key, .. } | Action::Orphan { key, .. } => Some(key.clone()),
            Action::AddFinalizer | Action::Record { .. } | Action::RemoveFinalizer => None,
        };
        let removes = actions.iter().any(|action| matches!(action, Action::Delete { .. } | Action::Orphan { .. }));
        let open: Vec<ObjectKey> = if removes {
            self.unconfirmed.iter().cloned().collect()
        } else {
            actions.iter().filter_map(about).filter(|key| self.unconfirmed.contains(key)).collect()
        };
        let is_open = !open.is_empty();
        self.look(open, &BTreeSet::new(), places).await;
        is_open
    }

    /// Returns the objects for which it is enough what watches show: those that were created before, of a request that is only kept as it
    /// is.
    ///
    /// - While a workflow runs, what is observed decides about steps and their deadlines.
    /// - In a deletion, every object is about to be deleted or handed over, and what is missing counts as done.
    /// - A Job exists only for its step, which ends with it.
    /// - An object that wasn't created yet might exist and belong to someone else, whose objects no watch shows.
    /// - Where the cluster of a Destination couldn't be identified, only reading shows whether it is still the same one.
    fn shown(&self) -> BTreeSet<ObjectKey> {
        if self.request.metadata.deletion_timestamp.is_some() || self.run.as_ref().is_some_and(|run| !run.is_over()) {
            return BTreeSet::new();
        }
        let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        let is_identified = |item: &InventoryItem| item.destination_id.as_ref().is_some_and(|id| id.server.is_some());
        let is_shown = |item: &&InventoryItem| {
            item.uid.is_some() && !item.id.starts_with(&job_id("")) && (item.destination.is_none() || is_identified(item))
        };
        inventory.iter().filter(is_shown).map(ObjectKey::of_item).collect()
    }
}
