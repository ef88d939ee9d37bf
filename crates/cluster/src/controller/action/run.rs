//! The steps of a run: observe, plan the objects of the action, advance, record, carry out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::StreamExt as _;
use kube::ResourceExt;
use promise::action::{Observed, status};
use promise::api::{
    ActionOutputStatus, DeletionPolicy, DestinationId, Health, InventoryItem, OutputStatus, StepKind, StepPhase, StepStatus, WaitingOn,
    WorkflowName,
};
use promise::lifecycle::Chosen;
use promise::plan::{Action, Desired, Facts, Key as ObjectKey, Pending, Plan, Seen, Subject, Why, plan, resource_of};
use promise::workflow::{self, Advanced, Done, Input, Run};
use serde_json::Value;

use super::{ActionReconciliation, RESYNC, marked};
use crate::controller::context::Work;
use crate::controller::failure::{Failure, FailureCause, SecretFailure};
use crate::controller::informers::WatchedKind;
use crate::controller::places::{KnownInputs, Places, Unplaced};
use crate::controller::queue::Requeue;
use crate::controller::render::{self, Rendered};
use crate::controller::step_decisions::{self, RunInQuestion, StepAnswers};
use crate::controller::{inputs, objects, reconcile};
use crate::kinds::PromiseRequest;
use crate::workspaces::ClusterId;

/// Number of times in one reconcile that steps are advanced.
const ROUNDS: usize = 60;
/// Number of objects written in one plan.
const BUDGET: usize = 50;
/// Number of objects that are read at the same time.
const READS: usize = 16;

/// What is known while a run is advanced.
pub(super) struct RunState {
    /// The request.
    pub request: PromiseRequest,
    /// The release, with the expressions of the action.
    pub chosen: Chosen,
    pub places: Places,
    pub run: Run,
    pub inventory: Vec<InventoryItem>,
    pub outputs: Vec<ActionOutputStatus>,
    pub seen: BTreeMap<ObjectKey, Seen>,
    pub ids: BTreeMap<ObjectKey, String>,
    pub desired: Vec<Desired>,
    pending: Vec<Pending>,
    answered: BTreeSet<ObjectKey>,
    failure: Option<Failure>,
    /// What its first step waits for, if it is approved.
    held: Option<WaitingOn>,
    /// Whether windows were found open for the first step.
    windows_open: bool,
    again: Option<i64>,
    /// Whether someone decided about a step without a permission that they might receive. No event announces it.
    awaits_rights: bool,
}

impl RunState {
    /// Keeps why something can't be done now.
    pub(super) fn fails(&mut self, failure: Failure) {
        self.failure = Some(failure);
    }

    /// Checks whether what can't be done now might be possible soon.
    fn is_transient(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.transient)
    }

    /// Keeps what its first step waits for, and how long that takes if it is known.
    pub(super) fn waits(&mut self, waiting: WaitingOn, left: Option<Duration>) {
        self.held = Some(waiting);
        self.again = left.and_then(|left| i64::try_from(left.as_secs()).ok());
    }

    /// Lets its first step begin.
    pub(super) fn opens(&mut self) {
        (self.held, self.windows_open) = (None, true);
    }
}

impl ActionReconciliation<'_> {
    /// Advances a run that has begun.
    pub(super) async fn run(&mut self, request: PromiseRequest) -> Result<Requeue, kube::Error> {
        let status = self.status();
        let Some(run) = Run::of_action(&status) else { return Ok(Requeue::No) };
        let pinned = match self.resumed(&request).await {
            Ok(pinned) => pinned,
            Err(begun) => {
                let why = begun.message();
                let (generation, inventory, failure) = (self.generation(), &status.inventory, Some(why.as_str()));
                let seen = Observed { generation, run: &run, inventory, outputs: &[], held: None, failure };
                self.write(&promise::action::status(&status, &seen, &self.ctx.now())).await?;
                return Ok(Requeue::Backoff);
            }
        };
        let bound = bound(&request, &pinned.chosen, &status.inventory);
        if !self.ctx.enter(&Work::Action(self.key.clone()), &bound) {
            return Ok(Requeue::InLine);
        }
        let places = self.places(&pinned.chosen, bound).await;
        let mut state = RunState {
            request,
            chosen: pinned.chosen,
            places,
            run,
            inventory: status.inventory,
            outputs: Vec::new(),
            seen: BTreeMap::new(),
            ids: BTreeMap::new(),
            desired: Vec::new(),
            pending: Vec::new(),
            answered: BTreeSet::new(),
            failure: None,
            held: None,
            windows_open: false,
            again: None,
            awaits_rights: false,
        };
        self.rounds(&mut state).await?;
        self.record(&state).await?;
        let kinds = WatchedKind::all(&state.inventory).into_iter().chain(state.ids.keys().map(WatchedKind::of)).collect();
        let is_over = self.status().phase.is_over();
        self.ctx.informers.keep(&marked(self.key), &if is_over { BTreeSet::new() } else { kinds });
        Ok(match state.failure {
            Some(_) => Requeue::Backoff,
            None if is_over => Requeue::No,
            // What a step waits for isn't watched everywhere.
            None if state.awaits_rights || state.run.steps.iter().any(is_observing) => Requeue::Poll,
            None => {
                let again = state.again.and_then(|seconds| u64::try_from(seconds).ok()).map_or(RESYNC, Duration::from_secs);
                Requeue::After(again.min(RESYNC))
            }
        })
    }

    async fn rounds(&mut self, state: &mut RunState) -> Result<(), kube::Error> {
        let mut results = BTreeMap::new();
        for _ in 0..ROUNDS {
            if !state.windows_open && state.run.awaits_opening() && !self.opens(state).await? {
                return Ok(());
            }
            let Some(now) = self.planned(state).await else { return Ok(()) };
            state.inventory.clone_from(&now.inventory);
            if !now.actions.is_empty() {
                if let Err(failure) = self.execute(state, now.actions).await? {
                    state.failure = Some(failure);
                    return Ok(());
                }
                continue;
            }
            let before = state.run.clone();
            let Advanced { run, tasks, again } = match self.advanced(state, &now, std::mem::take(&mut results)).await {
                Ok(advanced) => advanced,
                Err(why) => {
                    state.failure = Some(why.into());
                    return Ok(());
                }
            };
            state.again = again.map(|again| again.as_secs() + 1).into_iter().chain(now.again).min();
            let is_changed = run != before;
            state.run = run;
            // The action returns what its last steps have returned, too. Where that can't be known now, those steps are repeated, with the same
            // idempotency keys.
            if is_changed && state.run.is_over() && self.render(state).await.is_none() && state.is_transient() {
                state.run = before;
                return Ok(());
            }
            // What follows from a state is done only after the state is recorded.
            if is_changed || !tasks.is_empty() {
                self.record(state).await?;
            }
            if tasks.is_empty() {
                if !is_changed || state.run.is_over() {
                    return Ok(());
                }
                continue;
            }
            results = self.carry_out(state, tasks).await;
            if results.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    pub(super) async fn record(&mut self, state: &RunState) -> Result<(), kube::Error> {
        let failure = state.failure.as_ref().map(ToString::to_string);
        let (generation, failure) = (self.generation(), failure.as_deref());
        let (inventory, outputs, held) = (&state.inventory, &state.outputs, state.held.as_ref());
        let seen = Observed { generation, run: &state.run, inventory, outputs, held, failure };
        let next = status(&self.status(), &seen, &self.ctx.now());
        self.write(&next).await
    }

    /// Returns the places of the request, in which the objects of its actions are as well.
    async fn places(&self, chosen: &Chosen, bound: BTreeMap<String, DestinationId>) -> Places {
        let home = ClusterId::parse(&chosen.home.cluster).ok().and_then(|home| self.ctx.world.tree().lineage(&home)?.pop());
        let path = chosen.context.workspace.path.clone();
        let mut places = Places::new(&self.request_key(), path, home, chosen.trusted, bound);
        places.identify(self.ctx).await;
        places
    }

    /// Observes what there is, renders the objects of the action, and plans them. `None` if that isn't possible now; the state says why.
    async fn planned(&mut self, state: &mut RunState) -> Option<Plan> {
        let inventory = state.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default();
        let known = inventory.iter().chain(&state.inventory).map(|item| (ObjectKey::of_item(item), item.id.clone()));
        state.ids.extend(known);
        self.observe(state).await?;
        self.desire(state).await?;
        self.observe(state).await?;
        let subject = self.subject();
        let own = |id: &str| state.desired.iter().any(|desired| desired.id == id);
        let removed = state.chosen.compiled.workflows().get(WorkflowName::Action).map(|workflow| state.run.removed(workflow));
        let removed = removed.unwrap_or_default();
        let desired: Vec<Desired> = state.desired.iter().filter(|desired| !removed.contains(resource_of(&desired.id))).cloned().collect();
        let ids: Vec<String> = state.desired.iter().map(|desired| resource_of(&desired.id).to_owned()).collect();
        let workflow = state.chosen.compiled.workflows().get(WorkflowName::Action)?;
        let facts = Facts {
            request: subject,
            desired: Some(desired),
            pending: state.pending.clone(),
            inventory: state.inventory.clone(),
            closed: state.run.closed(workflow, ids.iter().map(String::as_str)),
            budget: BUDGET,
            destinations: state.places.identities(),
            now: self.ctx.clock.now().as_second(),
            seen: state.seen.clone(),
            answered: state.answered.clone(),
            ..Facts::default()
        };
        let mut now = plan(&facts, &self.ctx.digests);
        // Steps can wait for objects of the request, which it applies itself.
        for (key, id) in state.ids.iter().filter(|(_, id)| !own(id)) {
            let is_healthy = matches!(state.seen.get(key), Some(Seen::Present { health: Health::Healthy, .. }));
            if !is_healthy {
                now.unhealthy.insert(resource_of(id).to_owned());
            }
        }
        Some(now)
    }

    fn subject(&self) -> Subject {
        Subject {
            uid: self.action.uid().unwrap_or_default(),
            name: self.key.name.clone(),
            namespace: self.key.namespace.clone(),
            deleting: false,
            finalizer: true,
            paused: false,
            deletion_policy: DeletionPolicy::Delete,
        }
    }

    /// Reads everything that wasn't read yet. `None` if something can't be read: nothing is decided without it.
    async fn observe(&self, state: &mut RunState) -> Option<()> {
        let keys = state.ids.keys().chain(state.desired.iter().map(|desired| &desired.key));
        let open: BTreeSet<ObjectKey> = keys.filter(|key| !state.seen.contains_key(key)).cloned().collect();
        let (ctx, places, watcher) = (self.ctx, &state.places, &marked(self.key));
        let reads = open.clone().into_iter().map(|key| async move {
            let place = places.place(ctx, key.destination.as_deref())?;
            reconcile::observe(ctx, watcher, places, &place, &key).await
        });
        let found: Vec<Result<Option<Value>, FailureCause>> = futures::stream::iter(reads).buffered(READS).collect().await;
        let mut present = Vec::new();
        for (key, found) in open.into_iter().zip(found) {
            match found {
                Ok(Some(object)) => present.push((key, object)),
                Ok(None) => {
                    state.seen.insert(key, Seen::Absent);
                }
                Err(why) => {
                    state.failure = Some(Failure::not_now(why));
                    return None;
                }
            }
        }
        let (compiled, context, ids) = (state.chosen.compiled.clone(), state.chosen.context.clone(), state.ids.clone());
        let parameters = state.chosen.release.parameters.clone().unwrap_or_default();
        let now = self.ctx.clock.now().as_second();
        let judged = self.ctx.evaluate(move || {
            let judge = |(key, object): (ObjectKey, Value)| {
                let id = ids.get(&key).map(String::as_str).unwrap_or_default();
                let verdict = render::health(&compiled, id, &object, &parameters, &context, now);
                (key, Seen::Present { object, health: verdict.health, message: verdict.message })
            };
            present.into_iter().map(judge).collect::<Vec<_>>()
        });
        match judged.await {
            Ok(judged) => {
                state.seen.extend(judged);
                Some(())
            }
            Err(why) => {
                state.failure = Some(why.into());
                None
            }
        }
    }

    /// Renders the objects of the action, and takes in its outputs.
    async fn render(&self, state: &mut RunState) -> Option<Rendered> {
        let (compiled, context) = (state.chosen.compiled.clone(), self.context(state));
        let parameters = state.chosen.release.parameters.clone().unwrap_or_default();
        let (rules, observed) = (state.chosen.release.rules.clone(), self.observed(state));
        let rendered = self.ctx.evaluate(move || render::render(&compiled, &parameters, &context, &rules, (&observed, None))).await;
        let rendered = match rendered {
            Ok(rendered) if rendered.problems.is_empty() => rendered,
            Ok(rendered) => {
                state.fails(Failure::lasting(FailureCause::Problems(rendered.problems)));
                return None;
            }
            Err(why) => {
                state.fails(why.into());
                return None;
            }
        };
        let returned = |output: &OutputStatus| Some(ActionOutputStatus { name: output.name.clone(), value: output.value.clone()? });
        state.outputs = rendered.outputs.iter().filter_map(returned).collect();
        Some(rendered)
    }

    /// Renders the objects of the action and puts them into their places.
    async fn desire(&self, state: &mut RunState) -> Option<()> {
        let rendered = self.render(state).await?;
        let inventory = state.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        let of_request: BTreeSet<String> = inventory.iter().map(|item| resource_of(&item.id).to_owned()).collect();
        let own = self.own_resources(state);
        state.pending = rendered.pending.iter().filter(|pending| own.contains(resource_of(&pending.id))).cloned().collect();
        let accepted = inputs::accepted(&state.chosen.release);
        let subject = self.subject();
        let mut desired = Vec::new();
        for object in rendered.objects.iter().filter(|object| own.contains(&object.resource) && !of_request.contains(&object.resource)) {
            let known = KnownInputs { accepted: &accepted, seen: &state.seen };
            match state.places.desired(self.ctx, &subject, object, object.stage, known).await {
                Ok(placed) => desired.push(placed),
                Err(Unplaced::Refused(cause)) => return refuse(state, cause.into()),
                Err(Unplaced::Unknown(why)) => return refuse(state, Failure::not_now(why)),
                Err(Unplaced::Changed(secret)) => return refuse(state, Failure::not_now(SecretFailure::Changed { secret })),
            }
        }
        state.ids.extend(desired.iter().map(|desired| (desired.key.clone(), desired.id.clone())));
        state.desired = desired;
        Some(())
    }

    fn own_resources(&self, state: &RunState) -> BTreeSet<String> {
        let revision = self.ctx.world.revision_of(&state.chosen.release.revision);
        let action = revision.as_ref().and_then(|revision| revision.spec.spec.actions.get(&self.action.spec.action));
        action.into_iter().flat_map(|action| &action.resources).map(|resource| resource.id.clone()).collect()
    }

    fn context(&self, state: &RunState) -> promise::context::Context {
        let mut context = promise::context::Context::clone(&state.chosen.context);
        if let Some(action) = &mut context.action {
            action.steps = state.run.outputs();
        }
        context
    }

    /// Returns the observed objects of the request and of the action, by id.
    fn observed(&self, state: &RunState) -> BTreeMap<String, Value> {
        let mut observed = render::observed(&state.seen, &state.ids, &state.request.uid().unwrap_or_default());
        observed.extend(render::observed(&state.seen, &state.ids, &self.action.uid().unwrap_or_default()));
        observed
    }

    async fn advanced(&self, state: &mut RunState, now: &Plan, results: BTreeMap<String, Done>) -> Result<Advanced, FailureCause> {
        let uid = self.action.uid().unwrap_or_default();
        let about = RunInQuestion {
            request: &state.request,
            key: &self.request_key(),
            release: &state.chosen,
            run: &state.run,
            uid: &uid,
            actor: self.action.spec.requester.as_ref(),
        };
        let StepAnswers { decisions, unannounced } = step_decisions::gather(self.ctx, about).await;
        state.awaits_rights = unannounced;
        let (compiled, context, run) = (state.chosen.compiled.clone(), self.context(state), state.run.clone());
        let parameters = state.chosen.release.parameters.clone().unwrap_or_default();
        let (observed, called) = (self.observed(state), self.ctx.calls.of(&marked(self.key)));
        let (unapplied, unhealthy, at) = (now.unapplied.clone(), now.unhealthy.clone(), self.ctx.clock.now());
        let (retry, windows_open) = (self.retry().map(str::to_owned), state.windows_open);
        let advanced = self.ctx.evaluate(move || {
            let workflow = compiled.workflows().get(WorkflowName::Action)?;
            let input = Input {
                workflow,
                uid: &uid,
                parameters: &parameters,
                context: &context,
                resources: &compiled.observed(&observed),
                unapplied: &unapplied,
                unhealthy: &unhealthy,
                remaining: &BTreeSet::new(),
                jobs: &BTreeMap::new(),
                called: &called,
                // Someone retries an action whose Endpoint couldn't be called.
                woken: &BTreeSet::new(),
                decisions: &decisions,
                can_roll_back: false,
                is_back: false,
                paused: false,
                windows_open,
                retry: retry.as_deref(),
                // An action is cancelled by its spec, before its next step.
                cancel: None,
                now: at,
            };
            Some(workflow::advance(&input, run, results))
        });
        advanced.await?.ok_or_else(|| FailureCause::UnknownAction { action: self.action.spec.action.clone() })
    }

    /// Executes a plan in order. The inner error is a refusal.
    async fn execute(&mut self, state: &mut RunState, actions: Vec<Action>) -> Result<Result<(), Failure>, kube::Error> {
        for action in actions {
            let done = match action {
                Action::Record { inventory } => {
                    state.inventory = inventory;
                    self.record(state).await?;
                    Ok(())
                }
                Action::Apply { key, object, why, .. } => self.apply(state, &key, &object, why).await,
                Action::Delete { key, uid } => self.delete(state, &key, &uid).await,
                Action::AddFinalizer | Action::Orphan { .. } | Action::RemoveFinalizer => Ok(()),
            };
            if let Err(failure) = done {
                return Ok(Err(failure));
            }
        }
        Ok(Ok(()))
    }

    async fn apply(&self, state: &mut RunState, key: &ObjectKey, object: &Value, why: Why) -> Result<(), Failure> {
        let place = state.places.place(self.ctx, key.destination.as_deref())?;
        let uid = match state.seen.get(key) {
            Some(Seen::Present { object, .. }) => object["metadata"]["uid"].as_str(),
            _ => None,
        };
        objects::apply(&self.ctx.targets, (&state.places, &place), key, object, uid, why).await?;
        state.answered.insert(key.clone());
        state.seen.remove(key);
        Ok(())
    }

    /// Deletes an object, which is looked at again afterwards.
    pub(super) async fn delete(&self, state: &mut RunState, key: &ObjectKey, uid: &str) -> Result<(), Failure> {
        let place = state.places.place(self.ctx, key.destination.as_deref())?;
        objects::delete(&self.ctx.targets, &place, key, uid).await?;
        state.seen.remove(key);
        Ok(())
    }
}

/// Checks whether a step waits for something that is observed.
fn is_observing(step: &StepStatus) -> bool {
    step.phase == StepPhase::Running && matches!(step.kind, StepKind::Wait | StepKind::Delete | StepKind::Apply)
}

/// Ends the observation for a reason.
fn refuse(state: &mut RunState, failure: Failure) -> Option<()> {
    state.failure = Some(failure);
    None
}

/// Returns the Destinations of the request and of the objects of its action, by name.
fn bound(request: &PromiseRequest, chosen: &Chosen, own: &[InventoryItem]) -> BTreeMap<String, DestinationId> {
    let mut bound = chosen.release.destinations.clone();
    let inventory = request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
    let items = inventory.iter().chain(own);
    bound.extend(items.filter_map(|item| Some((item.destination.clone()?, item.destination_id.clone()?))));
    bound
}
