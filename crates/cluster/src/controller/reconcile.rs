//! One reconcile of one request: observe, ask what to do, do it, report the result.

mod deprovision;
mod execute;
mod jobs;
mod look;
mod observe;
mod removal;
mod report;
mod resync;
mod schedules;
mod stepping;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kube::api::{DeleteParams, Preconditions};
use kube::{Api, ResourceExt};
use promise::api::{DestinationId, OutputStatus, ScheduleStatus, WorkflowPhase};
use promise::lifecycle::Chosen;
use promise::names;
use promise::placement::DestinationMoved;
use promise::plan::{Hold, Key as ObjectKey, Plan, Seen, Subject, plan};
use promise::status::{self, Missing, held};
use promise::visibility::Place;
use promise::workflow::{self, Run};
use tokio::task::JoinHandle;

use super::context::{ControllerContext, Work};
use super::decide::{Decision, Unloadable, decide};
use super::failure::{Failure, FailureCause, ReleaseFailure};
use super::informers::WatchedKind;
use super::inputs;
use super::object_version::ObjectVersion;
use super::places::Places;
use super::queue::Requeue;
use super::refusals::CallFailure;
use super::releases;
use super::render::{self, Rendered};
use super::write;
use crate::error::{is_conflict, is_denied, is_missing, is_unanswered};
use crate::kinds::{Export, PromiseRelease, PromiseRequest};
use crate::projection::CachedRelease;
use crate::watch::Key;
use crate::workspaces::{ClusterId, Node};

use execute::Executed;
pub(super) use look::observe;
use resync::{LOOK, resync};
use stepping::Advance;

/// Number of objects written or deleted before other keys in the queue get their turn, so that no request keeps the controller from the
/// others.
const BUDGET: usize = 50;
/// Number of plans executed in one reconcile: one for each stage of a promise, and some more.
const PLANS: usize = 40;

/// Reconciles one request.
pub async fn request(ctx: &ControllerContext, key: &Key) -> Requeue {
    let client = match ctx.targets.workspace(&key.cluster) {
        Ok(client) => client,
        Err(why) => {
            tracing::info!(request = %key, %why, "not now");
            return Requeue::Backoff;
        }
    };
    let api: Api<PromiseRequest> = Api::namespaced(client.clone(), &key.namespace);
    // The caches might be behind our own writes. Decisions here are based on the current object.
    let work = Work::Request(key.clone());
    let request = match api.get(&key.name).await {
        Ok(request) => request,
        Err(error) if is_missing(&error) => {
            ctx.calls.forget(key);
            ctx.changes.forget(key);
            return ctx.settled(&work);
        }
        // Its workspace is gone, or no longer uses our kinds: no answer about a request there ever says that it is missing.
        Err(error) if !is_unanswered(&error) && ctx.world.requests.get(key).is_none() => {
            ctx.calls.forget(key);
            ctx.changes.forget(key);
            return ctx.settled(&work);
        }
        // It can't be decoded, and until someone changes it another look shows nothing else.
        Err(kube::Error::SerdeError(_)) => {
            ctx.settled(&work);
            return Requeue::After(LOOK);
        }
        Err(error) => return ctx.refused(&work, Export::Requests, &error, "read requests"),
    };
    let releases = Api::namespaced(client, &key.namespace);
    let mut reconciliation = Reconciliation {
        ctx,
        key,
        api,
        releases,
        seen: BTreeMap::new(),
        unconfirmed: BTreeSet::new(),
        answered: BTreeSet::new(),
        repaired: BTreeSet::new(),
        versions: vec![ObjectVersion::of_meta(&request.metadata)],
        recording: None,
        unrecorded: false,
        recorded: false,
        ids: BTreeMap::new(),
        stages: BTreeMap::new(),
        release: String::new(),
        failure: None,
        moved: None,
        outputs: Vec::new(),
        awaiting_outputs: false,
        awaiting_rights: false,
        judged_again: None,
        run: Run::last(request.status.as_ref()),
        is_withdrawn: false,
        steps_again: None,
        schedules: None,
        request,
    };
    let outcome = reconciliation.run().await;
    reconciliation.keep_watches();
    match outcome {
        Ok(after) => {
            ctx.report.refused(&work, None);
            after
        }
        // It was changed meanwhile. The next attempt usually succeeds, but nothing guarantees that.
        Err(error) if is_conflict(&error) => Requeue::Backoff,
        Err(error) => ctx.refused(&work, Export::Requests, &error, "update requests"),
    }
}

struct Reconciliation<'a> {
    ctx: &'a ControllerContext,
    key: &'a Key,
    api: Api<PromiseRequest>,
    releases: Api<PromiseRelease>,
    request: PromiseRequest,
    seen: BTreeMap<ObjectKey, Seen>,
    /// Those of `seen` that only watches showed.
    unconfirmed: BTreeSet<ObjectKey>,
    /// Those of `seen` that our own applies in this reconcile were answered with.
    answered: BTreeSet<ObjectKey>,
    /// Those of `seen` that someone else changed or removed since the status was written.
    repaired: BTreeSet<ObjectKey>,
    /// Versions that were read or written, of the request and of its objects.
    versions: Vec<ObjectVersion>,
    /// The task that records the new release.
    recording: Option<JoinHandle<Result<(), Failure>>>,
    /// Whether that failed.
    unrecorded: bool,
    /// Whether a release was recorded in this reconcile.
    recorded: bool,
    /// Name of the release that is applied.
    release: String,
    /// Ids of the objects that the release wants.
    ids: BTreeMap<ObjectKey, String>,
    /// Their stages in the order of creation.
    stages: BTreeMap<ObjectKey, u32>,
    /// What the controller couldn't do.
    failure: Option<Failure>,
    /// Why objects aren't sent to a Destination that is no longer the same.
    moved: Option<DestinationMoved>,
    outputs: Vec<OutputStatus>,
    /// Whether the request waits for a Secret that others write. No event announces it.
    awaiting_outputs: bool,
    /// Whether someone decided about a step without a permission that they might receive. No event announces it.
    awaiting_rights: bool,
    /// Seconds after which the health of an object is different although nothing changes.
    judged_again: Option<i64>,
    /// The run of the workflow.
    run: Option<Run>,
    /// Whether nothing of the release is wanted any more, because its first workflow is rolled back.
    is_withdrawn: bool,
    /// Seconds after which a step is looked at again although nothing changes.
    steps_again: Option<i64>,
    /// Schedules of policies, if it is known which are in force.
    schedules: Option<Vec<ScheduleStatus>>,
}

impl Reconciliation<'_> {
    async fn run(&mut self) -> Result<Requeue, kube::Error> {
        if self.request.metadata.deletion_timestamp.is_some() {
            self.ctx.transient.clear(self.key);
            return Box::pin(self.deprovision()).await;
        }
        // Releases are deleted before requests there: nothing that the control plane is removing is recorded or created again.
        if self.ctx.world.is_leaving(&self.key.cluster) {
            self.ctx.transient.clear(self.key);
            return Ok(Requeue::After(LOOK));
        }
        let mut decision = decide(self.ctx, &self.releases, self.key, &self.request).await;
        if let Some(lost) = decision.lost.take() {
            return self.hold(&lost).await;
        }
        if decision.failure.is_none() && decision.choice.ends(self.ctx.clock.now()) {
            match self.end(&decision).await? {
                Ok(()) => return Ok(Requeue::No),
                // It keeps running until the controller can delete it.
                Err(failure) => self.fails(failure),
            }
        }
        if let Some(refusal) = decision.failure.take() {
            self.fails(refusal);
        }
        let wanted = self.target(&decision.choice).map(|(wanted, _)| wanted);
        if !self.ctx.enter_request(self.key, &self.request.spec.promise, &self.bound(wanted)) {
            decision.withdraw(self.ctx, self.key);
            return Ok(Requeue::InLine);
        }
        if decision.choice.fresh {
            self.begin_record(&decision);
        }
        self.record_held(&mut decision).await;
        self.begin_run(&decision.choice);
        let target = self.target(&decision.choice).map(|(target, is_withdrawn)| (target.clone(), is_withdrawn));
        let plan = match target {
            Some((wanted, is_withdrawn)) => {
                self.is_withdrawn = is_withdrawn;
                let mut places = Places::new(
                    self.key,
                    wanted.context.workspace.path.clone(),
                    self.node(&wanted.home),
                    wanted.trusted,
                    self.bound(Some(&wanted)),
                );
                places.identify(self.ctx).await;
                self.apply_release(&mut decision, &wanted, &mut places).await?
            }
            // Nothing was ever accepted, or the release can't be read: existing objects are left alone.
            None => {
                self.retain_inputs().await?;
                None
            }
        };
        if !self.is_recorded().await {
            decision.choice.take_back();
            self.begin_run(&decision.choice);
        }
        match &self.run {
            Some(run) if run.status.phase == WorkflowPhase::RolledBack => {
                decision.choice.roll_back(run.failed().map(workflow::failed).unwrap_or_default());
            }
            Some(run) if !run.is_over() => {}
            _ if plan.as_ref().is_some_and(|plan| plan.applied && plan.healthy) => decision.choice.promote(),
            _ => {}
        }
        if self.is_transient(plan.as_ref())
            && let Some(pause) = self.ctx.transient.pause(self.key)
        {
            return Ok(Requeue::After(pause));
        }
        let run_in = self.run_schedules(&decision).await;
        self.report(&decision, plan.as_ref()).await?;
        if self.recorded {
            self.trim(&decision).await;
        }
        Ok(match self.requeue(plan.as_ref()) {
            Requeue::After(_) if decision.unannounced => Requeue::Poll,
            Requeue::After(pause) => {
                let changes_in = decision.choice.changes_in(self.ctx.clock.now());
                self.settle(changes_in.into_iter().chain(run_in).fold(pause, Duration::min))
            }
            requeue => requeue,
        })
    }

    /// Deletes the request, which expired and wasn't renewed. A renewal that arrives at the same moment wins.
    /// The inner error is that the controller isn't allowed to.
    async fn end(&self, decision: &Decision) -> Result<Result<(), Failure>, kube::Error> {
        let preconditions =
            Preconditions { uid: self.request.metadata.uid.clone(), resource_version: self.request.metadata.resource_version.clone() };
        let params = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
        match self.api.delete(&self.key.name, &params).await {
            Ok(_) => {
                tracing::info!(request = %self.key, "expired and wasn't renewed, so it is deleted");
                self.note(decision.choice.expiry().map(status::ended).into_iter().collect());
                Ok(Ok(()))
            }
            Err(error) if is_missing(&error) => Ok(Ok(())),
            Err(error) if is_denied(&error) => {
                let call = CallFailure::own(self.ctx.targets.topology(), Export::Requests, &error, "delete expired requests");
                Ok(Err(Failure::of(&error, call)))
            }
            Err(error) => Err(error),
        }
    }

    /// Keeps the watches on what the request has.
    fn keep_watches(&self) {
        let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        let is_gone = self.ctx.world.requests.get(self.key).is_none();
        self.ctx.informers.keep(self.key, &if is_gone { BTreeSet::new() } else { WatchedKind::all(inventory) });
    }

    /// Changes nothing, and reports why: what the status names can't be loaded.
    async fn hold(&mut self, lost: &Unloadable) -> Result<Requeue, kube::Error> {
        tracing::warn!(request = %self.key, why = %lost.cause, "held");
        // What can't be read at this moment can usually be read at the next.
        if lost.missing == Missing::Unknown
            && let Some(pause) = self.ctx.transient.pause(self.key)
        {
            return Ok(Requeue::After(pause));
        }
        let previous = self.request.status.clone().unwrap_or_default();
        let generation = self.request.metadata.generation.unwrap_or_default();
        self.write(&held(&previous, lost.missing, &lost.cause.to_string(), generation, &self.ctx.now())).await?;
        Ok(Requeue::Backoff)
    }

    fn fails(&mut self, failure: Failure) {
        self.failure = Some(failure);
    }

    /// Checks whether everything that is wrong might pass, so that it is retried before anything is reported.
    fn is_transient(&self, plan: Option<&Plan>) -> bool {
        let holds = plan.map(|plan| plan.holds.as_slice()).unwrap_or_default();
        let is_out_of_sight = holds.iter().any(|hold| matches!(hold, Hold::Unreachable { .. }));
        let is_transient = match &self.failure {
            Some(failure) => failure.transient,
            // For a request that was never ready, this changes nothing that is reported.
            None => is_out_of_sight && self.request.status.as_ref().is_some_and(|status| status.current.is_some()),
        };
        if !is_transient {
            self.ctx.transient.clear(self.key);
        }
        is_transient
    }

    /// Records what approvers are asked about before any status asks them: no one decides about something that might change meanwhile.
    async fn record_held(&mut self, decision: &mut Decision) {
        let Some(held) = &decision.choice.held else { return };
        let (topology, chosen) = (self.ctx.targets.topology(), &held.chosen);
        let hash = &chosen.release.content_hash;
        let named = self.request.status.as_ref().and_then(|status| status.candidate.as_ref());
        let is_asked = named.is_some_and(|candidate| candidate.content_hash == *hash);
        let known = self.ctx.world.releases.get(&self.key.beside(chosen.name.clone()));
        // A release that no status names any more might have been dropped since the caches saw it.
        if is_asked && known.is_some_and(|known| known.content_hash == *hash) {
            return;
        }
        match releases::ensure(topology, &self.releases, &self.request, &chosen.name, chosen.release.clone()).await {
            Ok(()) => self.recorded = true,
            Err(refusal) => {
                // Approvers who were already asked are still asked, and what they agree to is recorded before anything is created from it.
                if !is_asked {
                    decision.choice.held = None;
                }
                self.fails(refusal);
            }
        }
    }

    /// Adds our finalizer to a request for which secrets were typed: they are removed with it, even if nothing ever comes of it.
    async fn retain_inputs(&mut self) -> Result<(), kube::Error> {
        let (cluster, namespace, name) = (&self.key.cluster, &self.key.namespace, &self.key.name);
        if !self.subject().finalizer && inputs::are_typed(self.ctx, cluster, namespace, name).await {
            let request = write::finalizer(&self.api, &self.request, true).await?;
            self.take_written(request);
        }
        Ok(())
    }

    /// Starts to record the new release, while the existing objects are read.
    fn begin_record(&mut self, decision: &Decision) {
        let Some(next) = &decision.choice.next else { return };
        let (api, request, name, release) = (self.releases.clone(), self.request.clone(), next.name.clone(), next.release.clone());
        let topology = self.ctx.targets.topology().clone();
        self.recording = Some(tokio::spawn(async move { releases::ensure(&topology, &api, &request, &name, release).await }));
    }

    /// Waits until the new release is recorded: nothing is created from it before. Returns whether it is; the reason why not becomes the
    /// failure.
    async fn is_recorded(&mut self) -> bool {
        if let Some(recording) = self.recording.take() {
            let ended = |_| Err(Failure::not_now(ReleaseFailure::ShuttingDown));
            let recorded = recording.await.unwrap_or_else(ended);
            self.unrecorded = recorded.is_err();
            self.recorded |= recorded.is_ok();
            if let Err(refusal) = recorded {
                self.fails(refusal);
            }
        }
        !self.unrecorded
    }

    /// Drops old releases, once the status no longer names them.
    async fn trim(&self, decision: &Decision) {
        let status = self.request.status.as_ref();
        let named = status.and_then(|status| status.current.as_ref()).map(|current| current.release.as_str());
        let asked = status.and_then(|status| status.candidate.as_ref()).map(|candidate| candidate.release.as_str());
        let needed: Vec<&str> = decision.choice.releases().chain(named).chain(asked).collect();
        releases::trim(&self.ctx.world, &self.releases, (self.key, &self.request), &needed).await;
    }

    /// Returns the workspace at a place, if it is still there.
    fn node(&self, place: &Place) -> Option<Node> {
        let cluster = ClusterId::parse(&place.cluster).ok()?;
        self.ctx.world.tree().lineage(&cluster)?.pop()
    }

    fn own_releases(&self) -> Vec<Arc<CachedRelease>> {
        self.ctx.world.releases_of(self.key, &self.request.uid().unwrap_or_default())
    }

    /// Creates what the release wants, as far as that is possible now.
    async fn apply_release(&mut self, decision: &mut Decision, wanted: &Chosen, places: &mut Places) -> Result<Option<Plan>, kube::Error> {
        self.observe_inventory(places).await;
        let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        places.verify_unidentified(inventory, &mut self.seen);
        let mut latest = None;
        for _ in 0..PLANS {
            let known = self.seen.len();
            let Some((mut facts, now)) = self.planned(wanted, places).await else { return Ok(latest) };
            let actions = now.actions.clone();
            latest = Some(now);
            if actions.is_empty() {
                // What was just read might be what something else waits for.
                if self.seen.len() > known && !facts.pending.is_empty() {
                    continue;
                }
                match self.advance_release(decision, wanted, places, (&facts, latest.as_ref())).await? {
                    Advance::Opened => continue,
                    Advance::Waits => break,
                }
            }
            match self.execute(actions, places, decision, latest.as_ref()).await? {
                Executed::Done => {}
                Executed::Stopped => {
                    // What was done before the refusal is reported as well.
                    self.refresh(&mut facts, places, wanted).await;
                    latest = Some(plan(&facts, &self.ctx.digests));
                    break;
                }
                Executed::Finished => break,
            }
        }
        Ok(latest)
    }

    async fn rendered(&mut self, wanted: &Chosen) -> Option<Rendered> {
        let observed = render::observed(&self.seen, &self.ids, &self.request.uid().unwrap_or_default());
        let (compiled, context) = (wanted.compiled.clone(), wanted.context.clone());
        let parameters = wanted.release.parameters.clone().unwrap_or_default();
        let rules = wanted.release.rules.clone();
        let steps = Run::known_outputs(self.run.as_ref(), self.request.status.as_ref());
        match self.ctx.evaluate(move || render::render(&compiled, &parameters, &context, &rules, (&observed, Some(&steps)))).await {
            Ok(rendered) if rendered.problems.is_empty() => Some(rendered),
            Ok(rendered) => {
                self.fails(Failure::lasting(FailureCause::Problems(rendered.problems)));
                None
            }
            Err(cause) => {
                self.fails(cause.into());
                None
            }
        }
    }

    /// Returns the Destinations of existing objects, and those that the release was made for, by name.
    fn bound(&self, wanted: Option<&Chosen>) -> BTreeMap<String, DestinationId> {
        let mut bound = wanted.map(|wanted| wanted.release.destinations.clone()).unwrap_or_default();
        let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        bound.extend(inventory.iter().filter_map(|item| Some((item.destination.clone()?, item.destination_id.clone()?))));
        bound
    }

    fn subject(&self) -> Subject {
        let spec = &self.request.spec;
        Subject {
            uid: self.request.uid().unwrap_or_default(),
            name: self.key.name.clone(),
            namespace: self.key.namespace.clone(),
            deleting: self.request.metadata.deletion_timestamp.is_some(),
            finalizer: self.request.finalizers().iter().any(|finalizer| finalizer == names::FINALIZER),
            paused: spec.paused,
            // A removal uses the policy that was agreed to instead.
            deletion_policy: spec.deletion_policy,
        }
    }

    fn requeue(&self, plan: Option<&Plan>) -> Requeue {
        let holds = plan.map(|plan| plan.holds.as_slice()).unwrap_or_default();
        let more = holds.iter().any(|hold| matches!(hold, Hold::Budget { .. }));
        // Objects of others don't carry our label, so no watch reports that they are gone, and no event announces that a place is back.
        let unannounced = holds.iter().any(|hold| matches!(hold, Hold::Unreachable { .. } | Hold::Foreign { .. }));
        if self.failure.is_some() {
            Requeue::Backoff
        } else if more {
            Requeue::After(Duration::ZERO)
        } else if unannounced || self.awaiting_outputs || self.awaiting_rights {
            Requeue::Poll
        } else {
            let again = plan.and_then(|plan| plan.again).into_iter().chain(self.judged_again).chain(self.steps_again).min();
            let resync = resync(&self.key.cluster, &self.request.uid().unwrap_or_default(), self.request.status.as_ref());
            let again = again.and_then(|seconds| u64::try_from(seconds).ok()).map_or(resync, Duration::from_secs);
            Requeue::After(again.min(resync))
        }
    }
}
