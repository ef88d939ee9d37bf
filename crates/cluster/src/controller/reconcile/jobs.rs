//! The Jobs of steps: those that a run wants, and what was observed of them.

use std::collections::BTreeMap;

use kube::ResourceExt;
use promise::api::InventoryItem;
use promise::lifecycle::Chosen;
use promise::plan::{Desired, Facts, Key as ObjectKey, Seen, job_id};
use promise::render::injects;
use promise::workflow::{JobInputs, ObservedJob, WantedJob, is_ended};

use super::Reconciliation;
use crate::controller::failure::{Failure, SecretFailure};
use crate::controller::inputs;
use crate::controller::places::{KnownInputs, Places, Unplaced};
use crate::controller::render::{self, RenderedObject};

/// The Jobs of a run.
#[derive(Default)]
pub(super) struct Jobs {
    /// Those that were created.
    pub kept: Vec<Desired>,
    /// Those that are still to be created.
    pub rendered: Vec<RenderedObject>,
}

/// Marks the Job of a step: it is created once.
pub(super) fn once(desired: Desired) -> Desired {
    let once = desired.id.starts_with(&job_id(""));
    Desired { once, ..desired }
}

impl Reconciliation<'_> {
    /// Returns the Jobs that the steps of the run have or want. A step that ended keeps its Job, with its log, until the next run.
    pub(super) async fn jobs(&mut self, release: Option<&Chosen>) -> Jobs {
        let mut jobs = Jobs::default();
        let mut missing = Vec::new();
        for job in self.wanted_jobs(release) {
            let item = self.inventory().iter().find(|item| item.id == job.id && item.name == job.name);
            let was_created = item.is_some_and(|item| item.applied || item.uid.is_some());
            match item {
                Some(item) if was_created && (job.is_running || self.is_ended(item)) => jobs.kept.push(Desired::kept(item)),
                _ if job.is_running && !was_created => missing.push(job),
                _ => {}
            }
        }
        if let Some(release) = release.filter(|_| !missing.is_empty()) {
            let ids: Vec<String> = missing.iter().map(|job| job.id.clone()).collect();
            jobs.rendered = self.rendered_jobs(release, missing).await;
            let is_rendered = |id: &String| jobs.rendered.iter().any(|job| job.id == *id);
            jobs.kept.extend(ids.iter().filter(|id| !is_rendered(id)).filter_map(|id| self.unrendered(id)).collect::<Vec<_>>());
        }
        jobs
    }

    /// Returns a Job that can't be rendered now, if it might exist all the same: a controller that died might have created it, and deleting it
    /// would let it run again.
    fn unrendered(&self, id: &str) -> Option<Desired> {
        let is_absent = |item: &&InventoryItem| matches!(self.seen.get(&ObjectKey::of_item(item)), Some(Seen::Absent));
        self.inventory().iter().find(|item| item.id == id).filter(|item| !is_absent(item)).map(Desired::kept)
    }

    /// Adds the Jobs of a deletion to what is wanted, with the namespaces that they need.
    pub(super) async fn want_jobs(&mut self, release: Option<&Chosen>, facts: &mut Facts, places: &mut Places) {
        let Some(release) = release else { return };
        let jobs = self.jobs(Some(release)).await;
        let (subject, accepted) = (self.subject(), inputs::accepted(&release.release));
        let mut desired = jobs.kept;
        let stage = facts.inventory.iter().map(|item| item.stage).max().unwrap_or_default() + 1;
        for job in &jobs.rendered {
            let failure = match places.desired(self.ctx, &subject, job, stage, KnownInputs { accepted: &accepted, seen: &self.seen }).await
            {
                Ok(placed) => {
                    desired.push(once(placed));
                    continue;
                }
                Err(Unplaced::Refused(cause)) => cause.into(),
                Err(Unplaced::Changed(secret)) => Failure::lasting(SecretFailure::Changed { secret }),
                Err(Unplaced::Unknown(why)) => Failure::not_now(why),
            };
            desired.extend(self.unrendered(&job.id));
            self.fails(failure);
        }
        if !jobs.rendered.is_empty() {
            desired.splice(0..0, places.namespaces(self.ctx, &subject));
        }
        self.stages.extend(desired.iter().map(|desired| (desired.key.clone(), desired.stage)));
        self.keep_namespaces(&mut desired);
        facts.destinations = places.identities();
        facts.desired = Some(desired);
    }

    /// Keeps the namespaces of Jobs that were created: nothing else might be at their Destination.
    pub(super) fn keep_namespaces(&self, desired: &mut Vec<Desired>) {
        let namespaces: Vec<Desired> = {
            let jobs = desired.iter().filter(|desired| desired.once);
            let of = |job: &Desired| {
                let key = job.key.namespace_key()?;
                let namespace = self.inventory().iter().find(|item| ObjectKey::of_item(item).same_object(&key))?;
                let is_wanted = desired.iter().any(|desired| desired.key == ObjectKey::of_item(namespace));
                (!is_wanted).then(|| Desired::kept(namespace))
            };
            let mut namespaces: Vec<Desired> = jobs.filter_map(of).collect();
            namespaces.sort_by(|one, other| one.key.cmp(&other.key));
            namespaces.dedup_by(|one, other| one.key == other.key);
            namespaces
        };
        desired.splice(0..0, namespaces);
    }

    /// Returns what was observed of the Jobs of steps that run, by id of the step.
    pub(super) fn observed_jobs(&self, release: &Chosen, facts: &Facts) -> BTreeMap<String, ObservedJob> {
        let observed = |job: WantedJob| {
            // The Job of an earlier attempt has the same id.
            let desired = facts.desired.iter().flatten().find(|desired| desired.id == job.id && desired.key.name == job.name)?;
            let is_applied = || self.inventory().iter().any(|item| ObjectKey::of_item(item) == desired.key && item.applied);
            let observed = match self.seen.get(&desired.key)? {
                Seen::Present { object, .. } => ObservedJob::Present(object.clone()),
                Seen::Absent if is_applied() => ObservedJob::Deleted,
                Seen::Absent | Seen::Unknown { .. } => ObservedJob::Missing,
            };
            Some((job.step, observed))
        };
        self.wanted_jobs(Some(release)).into_iter().filter(|job| job.is_running).filter_map(observed).collect()
    }

    fn wanted_jobs(&self, release: Option<&Chosen>) -> Vec<WantedJob> {
        let (Some(run), Some(release)) = (&self.run, release) else { return Vec::new() };
        let workflow = release.compiled.workflows().get(run.status.name).filter(|_| run.status.release == release.name);
        workflow.map(|workflow| run.jobs(workflow, &self.request.uid().unwrap_or_default(), &self.key.name)).unwrap_or_default()
    }

    async fn rendered_jobs(&mut self, release: &Chosen, jobs: Vec<WantedJob>) -> Vec<RenderedObject> {
        let Some(run) = self.run.clone() else { return Vec::new() };
        let uid = self.request.uid().unwrap_or_default();
        let observed = render::observed(&self.seen, &self.ids, &uid);
        let (compiled, context) = (release.compiled.clone(), release.context.clone());
        let parameters = release.release.parameters.clone().unwrap_or_default();
        let rules = release.release.rules.clone();
        let rendered = self.ctx.evaluate(move || {
            let Some(workflow) = compiled.workflows().get(run.status.name) else { return Vec::new() };
            let resources = compiled.observed(&observed);
            let injects = injects(&rules);
            let inputs =
                JobInputs { workflow, uid: &uid, parameters: &parameters, context: &context, resources: &resources, injects: &injects };
            let object = |job: &WantedJob| {
                let (object, destination) = inputs.render(&run, job)?;
                Some(RenderedObject { id: job.id.clone(), resource: job.id.clone(), destination, object, stage: 0 })
            };
            jobs.iter().filter_map(object).collect()
        });
        match rendered.await {
            Ok(rendered) => rendered,
            Err(why) => {
                self.fails(why.into());
                Vec::new()
            }
        }
    }

    fn is_ended(&self, item: &InventoryItem) -> bool {
        matches!(self.seen.get(&ObjectKey::of_item(item)), Some(Seen::Present { object, .. }) if is_ended(object))
    }

    fn inventory(&self) -> &[InventoryItem] {
        self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default()
    }
}
