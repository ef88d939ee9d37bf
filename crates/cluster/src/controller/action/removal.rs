//! Removal of a run: its objects are removed, and then our finalizer.

use std::collections::{BTreeMap, BTreeSet};

use kube::ResourceExt;
use promise::names;
use promise::plan::{Action, Facts, Key as ObjectKey, Seen, Subject, plan};

use super::{ActionReconciliation, marked};
use crate::controller::context::Work;
use crate::controller::failure::Failure;
use crate::controller::places::Places;
use crate::controller::queue::Requeue;
use crate::controller::{objects, write};

/// Number of plans executed in one reconcile.
const PLANS: usize = 20;

impl ActionReconciliation<'_> {
    /// Removes what the inventory names, in reverse order of creation. It needs nothing of the request, which might be gone.
    pub(super) async fn remove(&mut self) -> Result<Requeue, kube::Error> {
        if !self.action.finalizers().iter().any(|finalizer| finalizer == names::FINALIZER) {
            return Ok(Requeue::No);
        }
        let status = self.status();
        let bound = status.inventory.iter().filter_map(|item| Some((item.destination.clone()?, item.destination_id.clone()?)));
        let bound: BTreeMap<_, _> = bound.collect();
        if !self.ctx.enter(&Work::Action(self.key.clone()), &bound) {
            return Ok(Requeue::InLine);
        }
        let path = self.ctx.world.tree().path(&self.key.cluster).map(|path| path.to_string()).unwrap_or_default();
        let mut places = Places::new(&self.request_key(), path, None, false, bound);
        places.identify_for_removal(self.ctx).await;
        let leaving = self.ctx.world.is_leaving(&self.key.cluster);
        let mut seen: BTreeMap<ObjectKey, Seen> = BTreeMap::new();
        for _ in 0..PLANS {
            for item in &status.inventory {
                let key = ObjectKey::of_item(item);
                if seen.contains_key(&key) {
                    continue;
                }
                // The control plane removes everything in a namespace that is deleted.
                let found = if leaving && key.destination.is_none() { Seen::Absent } else { self.look(&places, &key).await };
                seen.insert(key, found);
            }
            let subject = Subject {
                uid: self.action.uid().unwrap_or_default(),
                name: self.key.name.clone(),
                namespace: self.key.namespace.clone(),
                deleting: true,
                finalizer: true,
                ..Subject::default()
            };
            let facts = Facts { request: subject, inventory: status.inventory.clone(), seen: seen.clone(), budget: 50, ..Facts::default() };
            let actions = plan(&facts, &self.ctx.digests).actions;
            if actions.is_empty() {
                // Objects of others hold them, or their place doesn't respond.
                return Ok(Requeue::Poll);
            }
            for action in actions {
                match action {
                    Action::Delete { key, uid } => {
                        if let Err(failure) = self.drop_object(&places, &key, &uid).await {
                            tracing::info!(action = %self.key, why = %failure, "not removed yet");
                            return Ok(Requeue::Backoff);
                        }
                        seen.remove(&key);
                    }
                    Action::RemoveFinalizer => {
                        write::released(&self.api, &self.action).await?;
                        self.ctx.informers.keep(&marked(self.key), &BTreeSet::new());
                        return Ok(Requeue::No);
                    }
                    Action::AddFinalizer | Action::Record { .. } | Action::Apply { .. } | Action::Orphan { .. } => {}
                }
            }
        }
        Ok(Requeue::Backoff)
    }

    async fn look(&self, places: &Places, key: &ObjectKey) -> Seen {
        let found = match places.place(self.ctx, key.destination.as_deref()) {
            Ok(place) => objects::look(&self.ctx.targets, &place, key).await,
            Err(cause) => Err(cause),
        };
        match found {
            Ok(Some(object)) => Seen::Present { object, health: promise::api::Health::Unknown, message: None },
            Ok(None) => Seen::Absent,
            Err(cause) => Seen::Unknown { why: cause.to_string() },
        }
    }

    async fn drop_object(&self, places: &Places, key: &ObjectKey, uid: &str) -> Result<(), Failure> {
        let place = places.place(self.ctx, key.destination.as_deref())?;
        objects::delete(&self.ctx.targets, &place, key, uid).await
    }
}
