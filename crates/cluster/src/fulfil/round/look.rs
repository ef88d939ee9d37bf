//! Observing: where everything that a release wants goes, what exists, and whether it is healthy.

use std::collections::BTreeSet;

use futures::StreamExt as _;
use promise::api::Health;
use promise::fulfil::{Key as ObjectKey, Pending, Seen, Situation};
use promise::lifecycle::Chosen;
use serde_json::Value;

use super::{BUDGET, Round};
use crate::fulfil::core::Core;
use crate::fulfil::eyes::Sort;
use crate::fulfil::render::{self, Rendered};
use crate::fulfil::sites::{Displaced, Known, Sites};
use crate::fulfil::target::Place;
use crate::fulfil::{inputs, objects, outputs};
use crate::watch::Key;

/// Number of objects of one request that are read at the same time.
const LOOKS: usize = 16;

impl Round<'_> {
    /// Determines the place of every rendered object, and reads what exists.
    pub(super) async fn situation(&mut self, rendered: &Rendered, sites: &mut Sites, wanted: &Chosen) -> Situation {
        let subject = self.subject();
        let mut pending: Vec<Pending> = rendered.pending.clone();
        let mut desired = Vec::new();
        let mut refused = Vec::new();
        let accepted = inputs::accepted(&wanted.release);
        for object in &rendered.objects {
            // Stage 0 belongs to the namespaces that everything else is created in.
            let stage = object.stage + 1;
            match sites.desired(self.core, &subject, object, stage, Known { accepted: &accepted, seen: &self.seen }).await {
                Ok(placed) => desired.push(placed),
                Err(Displaced::Refused(problem)) => {
                    refused.push(problem.message.clone());
                    pending.push(Pending { id: object.id.clone(), stage, waits_for: "a place where it can be created".to_owned() });
                }
                Err(Displaced::Changed(secret)) => {
                    let waits_for = format!("the change to the Secret {secret} to be accepted");
                    pending.push(Pending { id: object.id.clone(), stage, waits_for });
                }
                Err(Displaced::Unknown(why)) => {
                    if self.failure.is_none() {
                        (self.failure, self.passing) = (Some(why), true);
                    }
                    pending.push(Pending { id: object.id.clone(), stage, waits_for: "its destination to respond".to_owned() });
                }
            }
        }
        if !refused.is_empty() {
            (self.failure, self.passing) = (Some(refused.join(" ")), false);
        }
        self.ids.extend(desired.iter().map(|desired| (desired.key.clone(), desired.id.clone())));
        self.outputs.clone_from(&rendered.outputs);
        if refused.is_empty() {
            let copied = outputs::copied(self.core, &subject, sites, &rendered.secrets, &desired, &self.seen, &accepted).await;
            self.awaiting_outputs = !copied.pending.is_empty();
            self.outputs.extend(copied.outputs);
            pending.extend(copied.pending);
            desired.extend(copied.desired);
            desired.splice(0..0, sites.namespaces(self.core, &subject));
        } else {
            // Half of a release is worse than none: nothing new is created while something must not go where it should.
            let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
            desired.retain(|desired| inventory.iter().any(|item| item.id == desired.id));
        }
        self.moved = sites.moved().map(str::to_owned);
        self.stages = desired.iter().map(|desired| (desired.key.clone(), desired.stage)).collect();
        let mut situation = Situation {
            request: subject,
            desired: Some(desired),
            pending,
            budget: BUDGET,
            destinations: sites.identities(),
            now: self.core.clock.now().as_second(),
            ..Situation::default()
        };
        self.take_in(&mut situation, sites, wanted).await;
        situation
    }

    /// Updates the situation with what exists by now, and what the request says of it.
    pub(super) async fn take_in(&mut self, situation: &mut Situation, sites: &Sites, wanted: &Chosen) {
        situation.request = self.subject();
        situation.inventory = self.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default();
        self.look(situation, sites).await;
        self.judge(wanted).await;
        situation.seen.clone_from(&self.seen);
        situation.answered.clone_from(&self.answered);
        situation.repaired.clone_from(&self.repaired);
    }

    /// Judges the health of every observed object, including the promise's own expressions.
    async fn judge(&mut self, wanted: &Chosen) {
        let (compiled, context) = (wanted.compiled.clone(), wanted.context.clone());
        let parameters = wanted.release.parameters.clone().unwrap_or_default();
        let (mut seen, ids) = (std::mem::take(&mut self.seen), self.ids.clone());
        let now = self.core.clock.now().as_second();
        let judged = self.core.evaluate(move || {
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
            Err(why) => (self.failure, self.passing) = (Some(why), false),
        }
    }

    /// Reads every object that wasn't read in this reconcile yet, and watches its kind from now on.
    pub(in crate::fulfil) async fn look(&mut self, situation: &Situation, sites: &Sites) {
        self.look_at(situation.to_observe(), sites).await;
    }

    /// Reads what was created before, so that expressions know it from the start.
    pub(super) async fn look_back(&mut self, sites: &Sites) {
        let inventory = self.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default();
        self.ids = inventory.iter().map(|item| (ObjectKey::of_item(item), item.id.clone())).collect();
        self.look_at(self.ids.keys().cloned().collect(), sites).await;
    }

    async fn look_at(&mut self, keys: BTreeSet<ObjectKey>, sites: &Sites) {
        let open: Vec<ObjectKey> = keys.into_iter().filter(|key| !self.seen.contains_key(key)).collect();
        let (core, request) = (self.core, self.key);
        let looks = open.clone().into_iter().map(|key| async move {
            let place = match sites.place(core, key.destination.as_deref()) {
                Ok(place) => place,
                Err(why) => return Seen::Unknown { why },
            };
            match look(core, request, sites, &place, &key).await {
                Ok(Some(object)) => Seen::Present { object, health: Health::Unknown, message: None },
                Ok(None) => Seen::Absent,
                Err(why) => Seen::Unknown { why },
            }
        });
        // A request might have thousands of objects, and others wait for the same server.
        let found: Vec<Seen> = futures::stream::iter(looks).buffered(LOOKS).collect().await;
        self.seen.extend(open.into_iter().zip(found));
    }
}

/// Reads an object, and watches its kind from now on.
async fn look(core: &Core, request: &Key, sites: &Sites, place: &Place, key: &ObjectKey) -> Result<Option<Value>, String> {
    let kind = objects::kind(key);
    let Some(reach) = core.targets.find(place, &kind).await? else { return Ok(None) };
    sites.is_same(place, reach.session)?;
    if let Some((at, watched)) = core.targets.sight(place, &kind, &reach)? {
        core.eyes.open(request, Sort::of(key), &at, &kind, &watched);
    }
    objects::read(&core.targets, place, key, reach).await
}
