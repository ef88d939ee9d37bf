//! Removal of a request: what the inventory names is removed, in reverse order of creation, and then the finalizer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use kube::{Resource, ResourceExt};
use promise::api::{DeletionPolicy, WorkflowPhase};
use promise::deletion::{accepted, policy_of};
use promise::finalizer::{self, Deletion};
use promise::names;
use promise::plan::{Action, Facts, Hold, Key as ObjectKey, Plan, Seen, Subject, plan};
use promise::status::left_behind;
use promise::workflow::Run;
use serde_json::json;

use super::{Advance, BUDGET, Executed, PLANS, Reconciliation};
use crate::controller::context::Work;
use crate::controller::decide::{Decision, decide};
use crate::controller::failure::FailureCause;
use crate::controller::places::Places;
use crate::controller::queue::Requeue;
use crate::controller::{inputs, releases, tombstone};
use crate::kinds::PromiseRequest;
use crate::projection::CachedRelease;
use crate::usage::{Accepted, in_force};
use crate::watch::Freshness;
use crate::workspaces::{ClusterId, Node, WorkspacePath};

/// How long a Destination, or the home of the promise, has to be missing before a deleted request no longer waits for it.
const ABANDON_AFTER: SignedDuration = SignedDuration::from_mins(10);

impl Reconciliation<'_> {
    /// Removes what the inventory names, and then our finalizer. It needs nothing of the workspace except the request.
    pub(super) async fn deprovision(&mut self) -> Result<Requeue, kube::Error> {
        if !self.request.finalizers().iter().any(|finalizer| finalizer == names::FINALIZER) {
            return self.leave_to_others().await;
        }
        let bound = self.bound(None);
        if !self.ctx.enter(&Work::Request(self.key.clone()), &bound) {
            return Ok(Requeue::InLine);
        }
        let home = self.home().await;
        let path = self.ctx.world.tree().path(&self.key.cluster).map(|path| path.to_string()).unwrap_or_default();
        let trusted = home.as_ref().is_some_and(|home| self.ctx.trusts(home));
        let mut places = Places::new(self.key, path, home.clone(), trusted, bound);
        places.identify_for_removal(self.ctx).await;
        let decision = Decision::default();
        let mut latest = None;
        let leaving = self.ctx.world.is_leaving(&self.key.cluster);
        if leaving {
            self.leave_to_the_plane();
        }
        let agreed = match self.agreed().await {
            Ok(agreed) => agreed,
            Err(why) => return self.not_now(&decision, why).await,
        };
        // What is handed over might still refer to them.
        if !leaving
            && agreed == Some(DeletionPolicy::Delete)
            && let Err(why) = inputs::forget(self.ctx, &self.key.cluster, &self.key.namespace, &self.key.name).await
        {
            return self.not_now(&decision, why).await;
        }
        let deletion_policy = agreed.unwrap_or(self.request.spec.deletion_policy);
        if let Err(why) = self.abandon_lost(home.as_ref(), &places).await {
            return self.not_now(&decision, why).await;
        }
        let removal = match self.begin_removal(deletion_policy).await {
            Ok(removal) => removal,
            Err(why) => return self.not_now(&decision, why).await,
        };
        for _ in 0..PLANS {
            let mut facts = Facts {
                request: Subject { deletion_policy, ..self.subject() },
                inventory: self.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default(),
                budget: BUDGET,
                now: self.ctx.clock.now().as_second(),
                ..Facts::default()
            };
            self.close(removal.as_ref(), &mut facts);
            self.observe(&facts, &places).await;
            self.want_jobs(removal.as_ref(), &mut facts, &mut places).await;
            self.observe(&facts, &places).await;
            facts.seen.clone_from(&self.seen);
            let now = plan(&facts, &self.ctx.digests);
            let actions = now.actions.clone();
            latest = Some(now);
            if actions.is_empty() {
                match self.advance_removal(removal.as_ref(), &places, &decision, (&facts, latest.as_ref())).await? {
                    // Its steps are undone: the workflow of the deletion begins.
                    Advance::Opened if self.run.as_ref().is_some_and(Run::is_taken_back) => {
                        self.report(&decision, latest.as_ref()).await?;
                        return Ok(Requeue::After(Duration::ZERO));
                    }
                    Advance::Opened => continue,
                    Advance::Waits => break,
                }
            }
            if actions.iter().any(|action| matches!(action, Action::Orphan { .. })) {
                match self.orphaned(&facts).await {
                    Ok(true) => {}
                    // The next reconcile starts when it counts.
                    Ok(false) => return Ok(Requeue::Poll),
                    Err(why) => return self.not_now(&decision, why).await,
                }
            }
            match self.execute(actions, &places, &decision, latest.as_ref()).await? {
                Executed::Done => {}
                Executed::Stopped => break,
                Executed::Finished => {
                    self.ctx.absences.ends(self.key);
                    return Ok(Requeue::No);
                }
            }
        }
        self.report(&decision, latest.as_ref()).await?;
        Ok(self.requeue(latest.as_ref()))
    }

    /// Nothing is left for us to remove. Reports whose finalizers hold the request, if they take too long.
    async fn leave_to_others(&mut self) -> Result<Requeue, kube::Error> {
        let held = match finalizer::deletion(&json!({"metadata": self.request.metadata}), self.ctx.clock.now().as_second()) {
            Some(Deletion::Held(held)) => held,
            Some(Deletion::Recent(left)) => return Ok(Requeue::After(Duration::from_secs(left.unsigned_abs()))),
            None => return Ok(Requeue::No),
        };
        // Its steps are over, whatever became of them.
        self.run = self.run.take().filter(|run| run.status.phase == WorkflowPhase::Succeeded);
        let key = ObjectKey {
            destination: None,
            group: names::GROUP.to_owned(),
            version: names::VERSION.to_owned(),
            kind: PromiseRequest::kind(&()).into_owned(),
            namespace: Some(self.key.namespace.clone()),
            name: self.key.name.clone(),
        };
        let inventory = self.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default();
        let holds = vec![Hold::Terminating { id: String::new(), key, held: Some(held) }];
        self.report(&Decision::default(), Some(&Plan { inventory, holds, ..Plan::default() })).await?;
        Ok(Requeue::No)
    }

    /// Reports why nothing can be removed now.
    async fn not_now(&mut self, decision: &Decision, cause: FailureCause) -> Result<Requeue, kube::Error> {
        self.fails(cause.into());
        self.report(decision, None).await?;
        Ok(Requeue::Backoff)
    }

    /// Records what is handed over. Returns whether the caches show it: until they do, the request itself counts, and stays.
    async fn orphaned(&self, facts: &Facts) -> Result<bool, FailureCause> {
        let uid = self.request.uid().unwrap_or_default();
        if self.ctx.world.orphans.snapshot().values().any(|orphan| orphan.uid == uid) {
            return Ok(true);
        }
        let promise = self.request.spec.promise.name.as_str();
        let release = match in_force(&self.request) {
            Some(name) => releases::recorded(self.ctx, &self.releases, self.key, name).await?.map(|release| (name, release)),
            None => None,
        };
        let unseen = || Accepted { release: String::new(), promise: promise.to_owned(), home: None, price: None };
        let accepted = release.map_or_else(unseen, |(name, release)| Accepted::of(name, promise, &release));
        let objects: Vec<ObjectKey> = facts.inventory.iter().map(ObjectKey::of_item).collect();
        tombstone::orphan(self.ctx, self.key, &self.request, accepted, &objects).await?;
        match self.ctx.world.orphans.freshness() {
            Freshness::Unreachable { since, .. } => Err(FailureCause::OrphansUnreadable { since }),
            Freshness::Starting | Freshness::Synced => Ok(false),
        }
    }

    /// Returns what the release that was accepted last says about deletion: what the request says now might not have been agreed to. The
    /// request counts if nothing was released, or if the release says nothing about it. `None` if the release is gone.
    async fn agreed(&self) -> Result<Option<DeletionPolicy>, FailureCause> {
        let live = self.request.spec.deletion_policy;
        let Some(status) = &self.request.status else { return Ok(Some(live)) };
        let named = accepted(status);
        for name in &named {
            if let Some(release) = releases::recorded(self.ctx, &self.releases, self.key, name).await? {
                return Ok(Some(match policy_of(&release, live) {
                    DeletionPolicy::Delete if live == DeletionPolicy::Orphan => self.judged().await?,
                    agreed => agreed,
                }));
            }
        }
        // Releases are removed right before our finalizer: a reconcile that failed in between must not take typed secrets away from what is
        // handed over.
        if !named.is_empty() {
            return Ok(None);
        }
        // A refused edit takes the place of what was still being rolled out, so that the status names no release of the existing objects.
        let held = status.candidate.as_ref().map(|candidate| candidate.release.as_str());
        let own = self.own_releases().into_iter().filter(|release| Some(release.name.as_str()) != held);
        let last = own.filter(|_| !status.inventory.is_empty()).max_by_key(|release| release.request_generation);
        Ok(Some(last.map_or(live, |release| policy_of(&release.spec(), live))))
    }

    /// Decides whether the existing objects stay, as the request wants now. The wish might have been added right before the deletion, and
    /// removed objects don't come back: it is judged like any edit, and counts if no one else has to be asked. Errors if it can't be judged
    /// now.
    async fn judged(&self) -> Result<DeletionPolicy, FailureCause> {
        let decision = decide(self.ctx, &self.releases, self.key, &self.request).await;
        let unread = decision.unread.filter(|_| decision.unannounced);
        let transient = decision.failure.filter(|failure| failure.transient).map(|failure| failure.cause);
        // The records of a namespace that is being deleted are deleted with it, and don't come back.
        let is_leaving = self.ctx.world.is_leaving(&self.key.cluster);
        let lost = decision.lost.map(|lost| lost.cause);
        if let Some(cause) = lost.or(unread).or(transient).filter(|_| !is_leaving) {
            return Err(FailureCause::DeletionUndecided { cause: Box::new(cause) });
        }
        let wanted = decision.choice.next.or(decision.choice.current);
        Ok(wanted.map_or(DeletionPolicy::Delete, |wanted| policy_of(&wanted.release, DeletionPolicy::Delete)))
    }

    /// Leaves what is beside the request to the control plane, which removes everything in a workspace that is deleted. The permissions
    /// that the controller would need for that are removed as well, and as early.
    fn leave_to_the_plane(&mut self) {
        let inventory = self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        let beside = inventory.iter().filter(|item| item.destination.is_none()).map(|item| (ObjectKey::of_item(item), Seen::Absent));
        self.seen.extend(beside.collect::<Vec<_>>());
    }

    /// Gives up objects at Destinations that their owner removed for good, alone or with their home: no one can reach them any more, and a
    /// request must not stay forever. The wait rules out that a Destination is only being replaced.
    async fn abandon_lost(&mut self, home: Option<&Node>, places: &Places) -> Result<(), FailureCause> {
        let world = &self.ctx.world;
        // What can't be read now isn't known to be gone.
        if world.destinations.freshness() != Freshness::Synced || world.workspaces.freshness() != Freshness::Synced {
            return Ok(());
        }
        let mut lost: BTreeMap<String, Vec<ObjectKey>> = BTreeMap::new();
        for item in self.request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default() {
            if let Some(destination) = &item.destination {
                lost.entry(destination.clone()).or_default().push(ObjectKey::of_item(item));
            }
        }
        lost.retain(|destination, _| self.is_lost(home, places, destination));
        for (destination, objects) in lost {
            tombstone::leave(self.ctx, self.key, &self.request, &destination, &objects).await?;
            tracing::warn!(request = %self.key, destination, ?objects, "left behind");
            self.note(vec![left_behind(&destination, objects.len())]);
            self.seen.extend(objects.into_iter().map(|key| (key, Seen::Absent)));
        }
        Ok(())
    }

    /// Checks whether a Destination has been missing for long enough. Without a home its location is unknown, and its absence is counted
    /// under the key of the request.
    fn is_lost(&self, home: Option<&Node>, places: &Places, destination: &str) -> bool {
        let (world, absences) = (&self.ctx.world, &self.ctx.absences);
        if let Some(is_gone) = places.is_gone(self.ctx, destination) {
            // A new Destination of the same name isn't its return, so its absence is counted under the key of the request.
            return is_gone && absences.missed(self.key, self.ctx.clock.now()) >= ABANDON_AFTER;
        }
        let missed = match home {
            Some(home) => {
                absences.ends(self.key);
                world.destination(&home.cluster, destination, &self.ctx.trusted)
            }
            None => self.key.clone(),
        };
        if home.is_some() && world.destinations.get(&missed).is_some() {
            absences.ends(&missed);
            return false;
        }
        absences.missed(&missed, self.ctx.clock.now()) >= ABANDON_AFTER
    }

    /// Returns the releases that the status names, as far as the caches show them.
    fn named_releases(&self) -> Vec<Arc<CachedRelease>> {
        let (uid, status) = (self.request.uid().unwrap_or_default(), self.request.status.as_ref());
        let current = status.and_then(|status| status.current.as_ref()).map(|current| &current.release);
        let candidate = status.and_then(|status| status.candidate.as_ref()).map(|candidate| &candidate.release);
        let at = |name: &String| self.key.beside(name.clone());
        let named = [current, candidate].into_iter().flatten().filter_map(|name| self.ctx.world.releases.get(&at(name)));
        named.filter(|release| release.request_uid == uid).collect()
    }

    /// Returns the home of the promise: from the status, otherwise from what the request asks for.
    async fn home(&self) -> Option<Node> {
        let tree = self.ctx.world.tree();
        let status = self.request.status.as_ref();
        let named = status.and_then(|s| s.current.as_ref().map(|c| &c.revision).or(s.candidate.as_ref().map(|c| &c.revision)));
        let revisions = self.ctx.world.revisions.snapshot();
        let of_release = |release: &CachedRelease| ClusterId::parse(&release.revision.cluster).ok();
        let release = self.named_releases().iter().find_map(|release| of_release(release));
        let release = release.or_else(|| self.own_releases().iter().find_map(|release| of_release(release)));
        let asked = || tree.cluster(&WorkspacePath::parse(self.request.spec.promise.workspace.as_deref()?).ok()?);
        let by_name = || {
            let promise = &self.request.spec.promise.name;
            let of =
                named.into_iter().flat_map(|name| revisions.iter().filter(move |(at, of)| at.name == *name && of.spec.promise == *promise));
            let homes: Vec<&ClusterId> = of.map(|(at, _)| &at.cluster).collect();
            the_home(&homes, asked().as_ref(), &tree.lineage(&self.key.cluster).unwrap_or_default())
        };
        let cluster = release.or_else(by_name).or_else(asked)?;
        tree.lineage(&cluster)?.pop()
    }
}

/// Returns the home among those that published the same content: the only one, otherwise the requested one, otherwise the nearest on the
/// way down to the request. Otherwise nothing distinguishes homes that published the same content.
fn the_home(homes: &[&ClusterId], asked: Option<&ClusterId>, lineage: &[Node]) -> Option<ClusterId> {
    match (homes, asked) {
        ([only], _) => Some((*only).clone()),
        (_, Some(asked)) if homes.contains(&asked) => Some(asked.clone()),
        _ => lineage.iter().rev().map(|node| &node.cluster).find(|cluster| homes.contains(cluster)).cloned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::the_home;
    use crate::workspaces::{ClusterId, Node, WorkspacePath};

    #[test]
    fn of_homes_that_published_the_same_the_nearest_is_meant_and_never_just_any() {
        let [platform, other, acme, shop] = ["platform", "other", "acme", "shop"].map(|id| ClusterId::parse(id).unwrap());
        let node = |cluster: &ClusterId, path: &str| Node {
            cluster: cluster.clone(),
            path: WorkspacePath::parse(path).unwrap(),
            labels: BTreeMap::new(),
        };
        let lineage = [node(&acme, "root:acme"), node(&shop, "root:acme:shop")];
        assert_eq!(the_home(&[&platform], Some(&other), &lineage), Some(platform.clone()));
        assert_eq!(the_home(&[&platform, &acme], None, &lineage), Some(acme.clone()));
        assert_eq!(the_home(&[&platform, &acme], Some(&platform), &lineage), Some(platform.clone()));
        assert_eq!(the_home(&[&platform, &other], Some(&acme), &lineage), None);
        assert_eq!(the_home(&[], None, &lineage), None);
    }
}
