//! Executes a plan in order, until something is refused.

use futures::future::join_all;
use kube::ResourceExt;
use promise::api::Health;
use promise::plan::{Action, Key as ObjectKey, Plan, Seen, Why};
use promise::status::{Milestone, put_back};
use serde_json::Value;

use super::Reconciliation;
use crate::controller::decide::Decision;
use crate::controller::failure::Failure;
use crate::controller::object_version::ObjectVersion;
use crate::controller::places::Places;
use crate::controller::{objects, releases, write};
use crate::error::is_missing;

/// How the execution of a plan ended.
pub(super) enum Executed {
    /// Everything was done.
    Done,
    /// Something was refused; the reason is kept.
    Stopped,
    /// The request is finished and gone.
    Finished,
}

impl Reconciliation<'_> {
    pub(super) async fn execute(
        &mut self,
        actions: Vec<Action>,
        places: &Places,
        decision: &Decision,
        plan: Option<&Plan>,
    ) -> Result<Executed, kube::Error> {
        let mut actions = actions.into_iter().peekable();
        while let Some(action) = actions.next() {
            // Our finalizer can be added while the release is still being recorded; everything else waits.
            if action != Action::AddFinalizer && !self.is_recorded().await {
                return Ok(Executed::Stopped);
            }
            let outcome = match action {
                Action::AddFinalizer => {
                    let request = write::finalizer(&self.api, &self.request, true).await?;
                    self.take_written(request);
                    Ok(())
                }
                Action::Record { .. } => {
                    self.report(decision, plan).await?;
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
                    self.apply(places, &batch).await
                }
                Action::Delete { key, uid } => self.delete(places, &key, &uid).await,
                Action::Orphan { key, uid } => self.orphan(places, &key, &uid).await,
                Action::RemoveFinalizer => {
                    // A request that another finalizer still holds says from now on that none of its objects are left.
                    if self.request.finalizers().len() > 1 {
                        self.report(decision, plan).await?;
                    }
                    releases::drop_all(&self.releases, &self.own_releases()).await;
                    match write::finalizer(&self.api, &self.request, false).await {
                        Ok(_) => {}
                        Err(error) if is_missing(&error) => {}
                        Err(error) => return Err(error),
                    }
                    return Ok(Executed::Finished);
                }
            };
            if let Err(refusal) = outcome {
                self.fails(refusal);
                return Ok(Executed::Stopped);
            }
        }
        Ok(Executed::Done)
    }

    /// Applies objects concurrently. The error is a refusal; what was accepted is recorded all the same.
    async fn apply(&mut self, places: &Places, batch: &[(ObjectKey, Value, Why)]) -> Result<(), Failure> {
        let (ctx, seen) = (self.ctx, &self.seen);
        let applied = join_all(batch.iter().map(|(key, object, why)| async move {
            let place = places.place(ctx, key.destination.as_deref())?;
            let uid = match seen.get(key) {
                Some(Seen::Present { object, .. }) => object["metadata"]["uid"].as_str(),
                _ => None,
            };
            objects::apply(&ctx.targets, (places, &place), key, object, uid, *why).await
        }))
        .await;
        let mut outcome = Ok(());
        for ((key, _, why), applied) in batch.iter().zip(applied) {
            match applied {
                Ok(object) => {
                    if *why == Why::Change {
                        ctx.changes.note(self.key, &self.release, key, ctx.clock.now().as_second());
                    }
                    if let Some(milestone) = self.repair_milestone(key, *why) {
                        self.repaired.insert(key.clone());
                        self.note(vec![milestone]);
                    }
                    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
                    self.versions.push(ObjectVersion::of(text("uid"), text("resourceVersion")));
                    self.answered.insert(key.clone());
                    self.seen.insert(key.clone(), Seen::Present { object, health: Health::Unknown, message: None });
                }
                // Problems that don't pass without help are reported first.
                Err(refusal) if !refusal.transient || outcome.is_ok() => outcome = Err(refusal),
                Err(_) => {}
            }
        }
        outcome
    }

    fn repair_milestone(&self, key: &ObjectKey, why: Why) -> Option<Milestone> {
        let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        let known = inventory.iter().any(|item| (item.uid.is_some() || item.repairs.is_some()) && ObjectKey::of_item(item) == *key);
        put_back(key, why, known)
    }

    async fn delete(&mut self, places: &Places, key: &ObjectKey, uid: &str) -> Result<(), Failure> {
        let place = places.place(self.ctx, key.destination.as_deref())?;
        objects::delete(&self.ctx.targets, &place, key, uid).await?;
        self.seen.remove(key);
        Ok(())
    }

    async fn orphan(&mut self, places: &Places, key: &ObjectKey, uid: &str) -> Result<(), Failure> {
        let place = places.place(self.ctx, key.destination.as_deref())?;
        objects::orphan(&self.ctx.targets, &place, key, uid).await?;
        self.seen.remove(key);
        Ok(())
    }
}
