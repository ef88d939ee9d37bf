//! One round of one request: look, ask what to do, do it, say what is seen.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::future::join_all;
use kube::{Api, ResourceExt};
use promise::api::{CandidateState, Health, OutputStatus, PromiseRequestStatus};
use promise::fulfil::{Action, Hold, Key as ObjectKey, Pending, Plan, Seen, Situation, Subject, Why, plan};
use promise::names;
use promise::status::{Observation, ReleaseFacts, compute};
use serde_json::Value;

use super::core::Core;
use super::decide::{Chosen, Decision, decide};
use super::govern::problems_in_words;
use super::objects;
use super::outputs;
use super::queue::After;
use super::releases;
use super::render::{self, Rendered};
use super::sites::{Displaced, Sites};
use super::target::Place;
use super::words::told;
use super::write;
use crate::error::{is_conflict, is_missing};
use crate::kinds::{PromiseRelease, PromiseRequest};
use crate::watch::Key;
use crate::workspaces::ClusterId;

/// Objects written or deleted between two looks at the queue, so that no request keeps the controller from the others.
pub(super) const BUDGET: usize = 50;
/// Plans carried out in one round: one for each stage of a promise, and then some.
pub(super) const PLANS: usize = 40;
/// When a request that rests is looked at again, should an event have been lost.
const RESYNC: Duration = Duration::from_secs(600);
/// When a Secret that somebody else is about to write is looked for again.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// When something that could not be reached is tried again.
const RETRY: Duration = Duration::from_secs(5);

/// Looks after one request.
pub async fn request(core: &Core, key: &Key) -> After {
    let client = match core.targets.workspace(&key.cluster) {
        Ok(client) => client,
        Err(why) => {
            tracing::info!(request = %key, why, "not now");
            return After::Failed;
        }
    };
    let api: Api<PromiseRequest> = Api::namespaced(client.clone(), &key.namespace);
    // The caches may be behind our own writes; what is decided here is decided on what is there.
    let request = match api.get(&key.name).await {
        Ok(request) => request,
        Err(error) if is_missing(&error) => return After::Done,
        Err(error) => {
            tracing::warn!(request = %key, why = told(&error, "read the request"), "not now");
            return After::Failed;
        }
    };
    let releases = Api::namespaced(client, &key.namespace);
    let mut round = Round {
        core,
        key,
        api,
        releases,
        request,
        seen: BTreeMap::new(),
        ids: BTreeMap::new(),
        stages: BTreeMap::new(),
        failure: None,
        outputs: Vec::new(),
        awaiting_outputs: false,
    };
    match round.run().await {
        Ok(after) => after,
        Err(error) if is_conflict(&error) => After::Later(Duration::from_millis(20)),
        Err(error) => {
            tracing::warn!(request = %key, why = told(&error, "write the request's status"), "not now");
            After::Failed
        }
    }
}

pub(super) struct Round<'a> {
    pub(super) core: &'a Core,
    pub(super) key: &'a Key,
    api: Api<PromiseRequest>,
    releases: Api<PromiseRelease>,
    pub(super) request: PromiseRequest,
    pub(super) seen: BTreeMap<ObjectKey, Seen>,
    /// Ids of the objects that the release wants.
    ids: BTreeMap<ObjectKey, String>,
    /// Their places in the order of making.
    stages: BTreeMap<ObjectKey, u32>,
    failure: Option<String>,
    outputs: Vec<OutputStatus>,
    /// Whether a Secret that others write is waited for; nothing announces it.
    awaiting_outputs: bool,
}

/// How carrying out a plan ended.
pub(super) enum Carried {
    /// Everything was done.
    Done,
    /// Something was refused; the reason is kept.
    Stopped,
    /// The request is finished and gone.
    Finished,
}

impl Round<'_> {
    async fn run(&mut self) -> Result<After, kube::Error> {
        if self.request.metadata.deletion_timestamp.is_some() {
            return self.remove().await;
        }
        let mut decision = decide(self.core, &self.releases, self.key, &self.request).await;
        self.failure = decision.failure.take();
        if decision.fresh {
            self.record(&mut decision).await;
        }
        let plan = match decision.wanted().cloned() {
            Some(wanted) => {
                let mut sites = Sites::new(self.key, wanted.context.workspace.path.clone(), Some(wanted.home.clone()), wanted.trusted);
                self.provide(&mut decision, &wanted, &mut sites).await?
            }
            // Nothing was ever accepted, or the release cannot be read: what exists is left alone.
            None => None,
        };
        if plan.as_ref().is_some_and(|plan| plan.applied && plan.healthy) && decision.next.is_some() {
            decision.current = decision.next.take();
            self.trim(&decision).await;
        }
        self.say(&decision, plan.as_ref()).await?;
        Ok(self.after(plan.as_ref()))
    }

    /// Writes the new release down before anything is made of it.
    async fn record(&mut self, decision: &mut Decision) {
        let Some(next) = &decision.next else { return };
        if let Err(why) = releases::ensure(&self.releases, &self.request, &next.name, next.release.clone()).await {
            self.failure = Some(why);
            decision.next = None;
        }
    }

    async fn trim(&self, decision: &Decision) {
        let Some(current) = &decision.current else { return };
        let own = self.own_releases();
        releases::trim(&self.releases, own, &[&current.name]).await;
    }

    pub(super) fn own_releases(&self) -> Vec<PromiseRelease> {
        let uid = self.request.uid().unwrap_or_default();
        let from = Key { name: String::new(), ..self.key.clone() };
        let rows = self.core.world.releases.snapshot();
        let here = rows.range(from..).take_while(|(at, _)| at.cluster == self.key.cluster && at.namespace == self.key.namespace);
        here.filter(|(_, release)| release.spec.request_uid == uid).map(|(_, release)| PromiseRelease::clone(release)).collect()
    }

    /// Makes what the release wants, as far as it goes now.
    async fn provide(&mut self, decision: &mut Decision, wanted: &Chosen, sites: &mut Sites) -> Result<Option<Plan>, kube::Error> {
        self.look_back(sites).await;
        let mut latest = None;
        for _ in 0..PLANS {
            let known = self.seen.len();
            let rendered = self.rendered(wanted).await;
            let Some(rendered) = rendered else { return Ok(latest) };
            let situation = self.situation(&rendered, sites, wanted).await;
            let now = plan(&situation);
            let actions = now.actions.clone();
            latest = Some(now);
            if actions.is_empty() {
                // What was seen just now may be what something else waits for.
                if self.seen.len() > known && !situation.pending.is_empty() {
                    continue;
                }
                break;
            }
            match self.carry_out(actions, sites, decision, latest.as_ref()).await? {
                Carried::Done => {}
                Carried::Stopped | Carried::Finished => break,
            }
        }
        Ok(latest)
    }

    async fn rendered(&mut self, wanted: &Chosen) -> Option<Rendered> {
        let observed = render::observed(&self.seen, &self.ids, &self.request.uid().unwrap_or_default());
        let (compiled, context) = (wanted.compiled.clone(), wanted.context.clone());
        let parameters = wanted.release.parameters.clone().unwrap_or_default();
        let rules = wanted.release.rules.clone();
        match self.core.evaluate(move || render::render(&compiled, &parameters, &context, &rules, &observed)).await {
            Ok(rendered) if rendered.problems.is_empty() => Some(rendered),
            Ok(rendered) => {
                self.failure = Some(problems_in_words(&rendered.problems));
                None
            }
            Err(why) => {
                self.failure = Some(why);
                None
            }
        }
    }

    /// Puts every rendered object into its place and looks at what is there.
    async fn situation(&mut self, rendered: &Rendered, sites: &mut Sites, wanted: &Chosen) -> Situation {
        let subject = self.subject();
        let mut pending: Vec<Pending> = rendered.pending.clone();
        let mut desired = Vec::new();
        let mut refused = Vec::new();
        for object in &rendered.objects {
            // Stage 0 belongs to the namespaces that everything else is made in.
            let stage = object.stage + 1;
            match sites.desired(self.core, &subject, &object.id, object.destination.as_deref(), stage, object.object.clone()).await {
                Ok(placed) => desired.push(placed),
                Err(Displaced::Refused(problem)) => {
                    refused.push(problem.message.clone());
                    pending.push(Pending { id: object.id.clone(), stage, waits_for: "a place where it may go".to_owned() });
                }
                Err(Displaced::Unknown(why)) => {
                    self.failure.get_or_insert(why);
                    pending.push(Pending { id: object.id.clone(), stage, waits_for: "its place to answer".to_owned() });
                }
            }
        }
        if !refused.is_empty() {
            self.failure = Some(refused.join(" "));
        }
        self.ids.extend(desired.iter().map(|desired| (desired.key.clone(), desired.id.clone())));
        self.outputs.clone_from(&rendered.outputs);
        if refused.is_empty() {
            let last = desired.iter().map(|desired| desired.stage).max().unwrap_or_default() + 1;
            let copied = outputs::copied(self.core, &subject, sites, &rendered.secrets, &desired, last).await;
            self.awaiting_outputs = !copied.pending.is_empty();
            self.outputs.extend(copied.outputs);
            pending.extend(copied.pending);
            desired.extend(copied.desired);
            desired.splice(0..0, sites.namespaces(&subject));
        } else {
            // Half of a release is worse than none: nothing new is made while something must not go where it should.
            let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
            desired.retain(|desired| inventory.iter().any(|item| item.id == desired.id));
        }
        self.stages = desired.iter().map(|desired| (desired.key.clone(), desired.stage)).collect();
        let mut situation = Situation {
            request: subject,
            desired: Some(desired),
            pending,
            inventory: self.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default(),
            seen: BTreeMap::new(),
            budget: BUDGET,
        };
        self.look(&situation, sites).await;
        self.judge(wanted).await;
        situation.seen.clone_from(&self.seen);
        situation
    }

    /// Judges the health of everything that was seen; expressions of the promise may have a say.
    async fn judge(&mut self, wanted: &Chosen) {
        let (compiled, context) = (wanted.compiled.clone(), wanted.context.clone());
        let parameters = wanted.release.parameters.clone().unwrap_or_default();
        let (mut seen, ids) = (std::mem::take(&mut self.seen), self.ids.clone());
        let judged = self.core.evaluate(move || {
            for (key, seen) in &mut seen {
                if let Seen::Present { object, health, message } = seen {
                    let id = ids.get(key).map(String::as_str).unwrap_or_default();
                    (*health, *message) = render::health(&compiled, id, object, &parameters, &context);
                }
            }
            seen
        });
        match judged.await {
            Ok(judged) => self.seen = judged,
            Err(why) => self.failure = Some(why),
        }
    }

    /// Looks at every object that was not looked at in this round yet, and keeps an eye on its kind from now on.
    pub(super) async fn look(&mut self, situation: &Situation, sites: &Sites) {
        self.look_at(situation.to_observe(), sites).await;
    }

    /// Looks at what was made before, so that expressions know it from the start.
    async fn look_back(&mut self, sites: &Sites) {
        let inventory = self.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default();
        self.ids = inventory.iter().map(|item| (ObjectKey::of_item(item), item.id.clone())).collect();
        self.look_at(self.ids.keys().cloned().collect(), sites).await;
    }

    async fn look_at(&mut self, keys: BTreeSet<ObjectKey>, sites: &Sites) {
        let open: Vec<ObjectKey> = keys.into_iter().filter(|key| !self.seen.contains_key(key)).collect();
        let core = self.core;
        let found = join_all(open.iter().map(|key| async move {
            let place = match sites.place(key.destination.as_deref()) {
                Ok(place) => place,
                Err(why) => return Seen::Unknown { why },
            };
            watch(core, &place, key).await;
            match objects::look(&core.targets, &place, key).await {
                Ok(Some(object)) => Seen::Present { object, health: Health::Unknown, message: None },
                Ok(None) => Seen::Absent,
                Err(why) => Seen::Unknown { why },
            }
        }))
        .await;
        self.seen.extend(open.into_iter().zip(found));
    }

    pub(super) async fn carry_out(
        &mut self,
        actions: Vec<Action>,
        sites: &Sites,
        decision: &Decision,
        plan: Option<&Plan>,
    ) -> Result<Carried, kube::Error> {
        let mut actions = actions.into_iter().peekable();
        while let Some(action) = actions.next() {
            let outcome = match action {
                Action::AddFinalizer => {
                    self.request = write::finalizer(&self.api, &self.request, true).await?;
                    Ok(())
                }
                Action::Record { .. } => {
                    self.say(decision, plan).await?;
                    Ok(())
                }
                Action::Apply { key, object, why, .. } => {
                    let stage = self.stages.get(&key).copied();
                    let mut batch = vec![(key, object, why)];
                    // Objects of one stage do not refer to each other, so they need not wait for each other.
                    let same = |next: &Action| matches!(next, Action::Apply { key, .. } if self.stages.get(key).copied() == stage);
                    while let Some(Action::Apply { key, object, why, .. }) = actions.next_if(same) {
                        batch.push((key, object, why));
                    }
                    self.apply(sites, &batch).await
                }
                Action::Delete { key, uid } => self.delete(sites, &key, &uid).await,
                Action::Orphan { key, uid } => self.orphan(sites, &key, &uid).await,
                Action::RemoveFinalizer => {
                    releases::drop_all(&self.releases, &self.own_releases()).await;
                    match write::finalizer(&self.api, &self.request, false).await {
                        Ok(_) => {}
                        Err(error) if is_missing(&error) => {}
                        Err(error) => return Err(error),
                    }
                    return Ok(Carried::Finished);
                }
            };
            if let Err(why) = outcome {
                self.failure = Some(why);
                return Ok(Carried::Stopped);
            }
        }
        Ok(Carried::Done)
    }

    /// Applies objects side by side. Errors: the first refusal; what was taken is known all the same.
    async fn apply(&mut self, sites: &Sites, batch: &[(ObjectKey, Value, Why)]) -> Result<(), String> {
        let (core, seen) = (self.core, &self.seen);
        let applied = join_all(batch.iter().map(|(key, object, why)| async move {
            let place = sites.place(key.destination.as_deref())?;
            let uid = match seen.get(key) {
                Some(Seen::Present { object, .. }) => object["metadata"]["uid"].as_str(),
                _ => None,
            };
            objects::apply(&core.targets, &place, key, object, uid, *why).await
        }))
        .await;
        let mut outcome = Ok(());
        for ((key, ..), applied) in batch.iter().zip(applied) {
            match applied {
                Ok(object) => {
                    self.seen.insert(key.clone(), Seen::Present { object, health: Health::Unknown, message: None });
                }
                Err(why) => outcome = outcome.and(Err(why)),
            }
        }
        outcome
    }

    async fn delete(&mut self, sites: &Sites, key: &ObjectKey, uid: &str) -> Result<(), String> {
        let place = sites.place(key.destination.as_deref())?;
        objects::delete(&self.core.targets, &place, key, uid).await?;
        self.seen.remove(key);
        Ok(())
    }

    async fn orphan(&mut self, sites: &Sites, key: &ObjectKey, uid: &str) -> Result<(), String> {
        let place = sites.place(key.destination.as_deref())?;
        objects::orphan(&self.core.targets, &place, key, uid).await?;
        self.seen.remove(key);
        Ok(())
    }

    pub(super) fn subject(&self) -> Subject {
        let spec = &self.request.spec;
        Subject {
            uid: self.request.uid().unwrap_or_default(),
            name: self.key.name.clone(),
            namespace: self.key.namespace.clone(),
            deleting: self.request.metadata.deletion_timestamp.is_some(),
            finalizer: self.request.finalizers().iter().any(|finalizer| finalizer == names::FINALIZER),
            paused: spec.paused,
            deletion_policy: spec.deletion_policy,
        }
    }

    /// Writes what is seen, if it differs from what the request says.
    pub(super) async fn say(&mut self, decision: &Decision, plan: Option<&Plan>) -> Result<(), kube::Error> {
        let status = self.status(decision, plan);
        match write::status(&self.api, &self.request, &status).await {
            Ok(Some(request)) => self.request = request,
            Ok(None) => {}
            // A request without our finalizer may go at any moment.
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn status(&self, decision: &Decision, plan: Option<&Plan>) -> PromiseRequestStatus {
        fn facts(chosen: &Chosen) -> ReleaseFacts<'_> {
            ReleaseFacts {
                name: &chosen.name,
                version: &chosen.version,
                revision: &chosen.release.revision,
                content_hash: &chosen.release.content_hash,
                state: CandidateState::Accepted,
                message: None,
            }
        }
        let deleting = self.request.metadata.deletion_timestamp.is_some();
        let previous = self.request.status.as_ref();
        let observation = Observation {
            generation: self.request.metadata.generation.unwrap_or_default(),
            deleting,
            problems: &decision.problems,
            refusals: &decision.refusals,
            policies_unknown: decision.unknown.as_deref(),
            outcomes: if deleting { previous.map(|p| p.policies.as_slice()).unwrap_or_default() } else { &decision.outcomes },
            policy_outdated: decision.outdated,
            current: decision.current.as_ref().map(facts),
            candidate: decision.next.as_ref().map(facts),
            plan,
            failure: self.failure.as_deref(),
            steps: &[],
            outputs: &self.outputs,
            cost: None,
        };
        let mut status = compute(previous, &observation, &self.core.now());
        if deleting && let Some(previous) = previous {
            // The removal needs to know which release it removes until the end.
            status.current.clone_from(&previous.current);
            status.candidate.clone_from(&previous.candidate);
        }
        status
    }

    pub(super) fn after(&self, plan: Option<&Plan>) -> After {
        let unreachable = plan.is_some_and(|plan| plan.holds.iter().any(|hold| matches!(hold, Hold::Unreachable { .. })));
        let more = plan.is_some_and(|plan| plan.holds.iter().any(|hold| matches!(hold, Hold::Budget { .. })));
        if more && self.failure.is_none() {
            After::Later(Duration::ZERO)
        } else if self.failure.is_some() {
            After::Failed
        } else if unreachable {
            After::Later(RETRY)
        } else if self.awaiting_outputs {
            After::Later(LOOK_AGAIN)
        } else {
            After::Later(RESYNC)
        }
    }
}

/// Watches the kind of an object at its place; in workspaces one watch serves all.
async fn watch(core: &Core, place: &Place, key: &ObjectKey) {
    let kind = objects::kind(key);
    let (place, reach) = match place {
        Place::Workspace(_) => (Place::Workspace(ClusterId::root()), core.targets.everywhere(&kind)),
        Place::Destination(_) => (place.clone(), core.targets.reach(place, &kind).await),
    };
    if let Ok(reach) = reach {
        core.eyes.open(&place, &kind, &reach);
    }
}
