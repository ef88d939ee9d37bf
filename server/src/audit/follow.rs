//! Changes of our objects that weren't made through the portal, as its caches show them: by `kubectl`, GitOps, or the controller.
//!
//! The caches have no contents, so each change is looked up once. Which person made it is known where admission stamps it. Several changes in
//! quick succession are one record, and so are those that were made while no portal ran.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use cluster::kinds::{
    ApprovalKind, DestinationKind, EndpointKind, Kind, Object, PolicyKind, PromiseActionKind, PromiseCatalogKind, PromiseKind,
    PromiseRequestKind, PromiseWorkflowKind,
};
use cluster::watch::{Cache, Key, RowChange};
use cluster::{ClusterId, World};
use futures::future::join_all;
use imbl::OrdMap;
use jiff::Timestamp;
use kube::Resource;
use kube::api::ListParams;
use kube::core::Request;
use promise::audit::{AuditEntry, AuditSource, AuditState};
use serde_json::Value;
use store::{AuditStepOutcome, AuditTarget, Store};
use tokio_util::sync::CancellationToken;

use super::AuditLog;
use crate::clock::Clock;

/// Changes within this time are looked at together; a change through the portal has its record by then.
const TOGETHER: Duration = Duration::from_millis(50);
/// Pause before something is looked at again.
const AGAIN: Duration = Duration::from_secs(1);
/// Number of objects of a kind that are looked at together. A change that is begun during a look makes that look invalid, and larger
/// groups take longer.
const AT_ONCE: usize = 4;

/// The kinds that people write.
pub(crate) struct Followed;

impl Followed {
    /// Their names.
    pub(crate) const KINDS: [&str; 9] = [
        PromiseRequestKind::KIND,
        PromiseActionKind::KIND,
        ApprovalKind::KIND,
        PromiseKind::KIND,
        PolicyKind::KIND,
        PromiseCatalogKind::KIND,
        DestinationKind::KIND,
        EndpointKind::KIND,
        PromiseWorkflowKind::KIND,
    ];
}

/// Records changes that weren't made through the portal, until shutdown.
pub(crate) async fn follow(world: &World, store: &Store, log: &AuditLog, clock: &dyn Clock, shutdown: &CancellationToken) {
    let follower = Follower { world, store, log, clock };
    let all = async {
        tokio::join!(
            follower.kind::<PromiseRequestKind>(&world.requests),
            follower.kind::<PromiseActionKind>(&world.actions),
            follower.kind::<ApprovalKind>(&world.approvals),
            follower.kind::<PromiseKind>(&world.promises),
            follower.kind::<PolicyKind>(&world.policies),
            follower.kind::<PromiseCatalogKind>(&world.catalogs),
            follower.kind::<DestinationKind>(&world.destinations),
            follower.kind::<EndpointKind>(&world.endpoints),
            follower.kind::<PromiseWorkflowKind>(&world.workflows),
        );
    };
    tokio::select! {
        () = shutdown.cancelled() => {}
        () = all => {}
    }
}

struct Follower<'a> {
    world: &'a World,
    store: &'a Store,
    log: &'a AuditLog,
    clock: &'a dyn Clock,
}

/// What a look at an object found.
enum Looked {
    /// Nothing that isn't known.
    Known,
    /// It has to be looked at again.
    Again,
    /// Something to record, unless a change was begun since.
    Seen {
        /// Number of changes that were begun before the look.
        begun: u64,
        /// Object and time.
        entry: Box<AuditEntry>,
        /// Its state.
        state: Option<AuditState>,
    },
}

impl Follower<'_> {
    async fn kind<K: Kind>(&self, cache: &Cache<Object<K>>)
    where
        Object<K>: Resource<DynamicType = ()>,
    {
        cache.synced().await;
        let mut changes = cache.row_changes();
        self.log.inner.followed.send_modify(|kinds| *kinds += 1);
        let mut waiting = self.first_look(&cache.snapshot()).await;
        loop {
            waiting = self.look_at(cache, waiting).await;
            let first = tokio::select! {
                change = changes.next() => change,
                () = tokio::time::sleep(AGAIN), if !waiting.is_empty() => continue,
            };
            let Some(first) = first else { return };
            tokio::time::sleep(TOGETHER).await;
            let differs = |change: &RowChange<Object<K>>| !is_same(change.before.as_ref(), change.now.as_ref());
            let changed = std::iter::once(first).chain(std::iter::from_fn(|| changes.try_next()));
            waiting.extend(changed.filter(differs).map(|change| change.key));
        }
    }

    /// Compares what is there with what the log knows. Returns what differs. A kind that isn't followed yet begins with what is there.
    async fn first_look<K: Kind>(&self, rows: &OrdMap<Key, Arc<Object<K>>>) -> BTreeSet<Key> {
        loop {
            match self.differing(rows).await {
                Ok(differing) => return differing,
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, kind = K::KIND, "the audit log can't be read, trying again");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    async fn differing<K: Kind>(&self, rows: &OrdMap<Key, Arc<Object<K>>>) -> store::Result<BTreeSet<Key>> {
        let there = rows.iter().filter(|(_, row)| !is_leaving(row));
        let Some(known) = self.store.audit_objects(K::KIND).await? else {
            let objects: Vec<(AuditTarget, AuditState)> = there.map(|(key, row)| (target::<K>(key), state_of::<K>(row))).collect();
            self.store.follow_audit_kind(self.log.chain(), K::KIND, &objects, self.now()).await?;
            return Ok(BTreeSet::new());
        };
        let mut known: BTreeMap<Key, String> =
            known.into_iter().filter_map(|(target, state)| Some((key(&target)?, state.edition))).collect();
        let mut differing: BTreeSet<Key> =
            there.filter(|(key, row)| known.remove(key) != Some(state_of::<K>(row).edition)).map(|(key, _)| key.clone()).collect();
        // What is known and not there.
        differing.extend(known.into_keys());
        Ok(differing)
    }

    /// Looks at objects that might have changed, and records what was seen, in the order of their keys. Returns those to look at again.
    async fn look_at<K: Kind>(&self, cache: &Cache<Object<K>>, keys: BTreeSet<Key>) -> BTreeSet<Key>
    where
        Object<K>: Resource<DynamicType = ()>,
    {
        let keys: Vec<Key> = keys.into_iter().collect();
        let mut again = BTreeSet::new();
        for chunk in keys.chunks(AT_ONCE) {
            let looked = join_all(chunk.iter().map(|key| self.look(cache, key))).await;
            let mut sent = Vec::new();
            // All are sent before the first is waited for, so that they can be written together.
            for (key, looked) in chunk.iter().zip(looked) {
                match looked {
                    Looked::Known => {}
                    Looked::Seen { begun, entry, state } if self.log.begun() == begun => sent.push((key, self.log.observe(*entry, state))),
                    Looked::Seen { .. } | Looked::Again => {
                        again.insert(key.clone());
                    }
                }
            }
            for (key, outcome) in sent {
                if matches!(outcome.await, Ok(AuditStepOutcome::Waits) | Err(_)) {
                    again.insert(key.clone());
                }
            }
        }
        again
    }

    /// Looks at an object that might have changed.
    async fn look<K: Kind>(&self, cache: &Cache<Object<K>>, key: &Key) -> Looked
    where
        Object<K>: Resource<DynamicType = ()>,
    {
        // A change that begins during the look could explain what is seen.
        let begun = self.log.begun();
        let target = target::<K>(key);
        let (known, is_being_changed) = match self.store.audit_object(&target).await {
            Ok(standing) => standing,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the audit log can't be read, trying again");
                return Looked::Again;
            }
        };
        if is_being_changed {
            return Looked::Again;
        }
        let row = cache.get(key).filter(|row| !is_leaving(row));
        let state = match (&known, row) {
            (None, None) => return Looked::Known,
            (Some(_), None) => None,
            (known, Some(row)) => {
                let state = state_of::<K>(&row);
                if known.as_ref().is_some_and(|known| known.edition == state.edition) {
                    return Looked::Known;
                }
                match self.whole::<K>(key).await {
                    Whole::There(object) => Some(AuditState::of(&object)),
                    Whole::Gone => None,
                    Whole::Unknown => Some(state),
                }
            }
        };
        let entry = AuditEntry {
            at: self.now(),
            source: AuditSource::Plane,
            kind: target.kind,
            cluster: target.cluster,
            workspace: self.world.tree().path(&key.cluster).map(|path| path.to_string()).unwrap_or_default(),
            namespace: target.namespace,
            name: target.name,
            ..AuditEntry::default()
        };
        Looked::Seen { begun, entry: Box::new(entry), state }
    }

    /// Reads a whole object. The portal can list objects, not get them.
    async fn whole<K: Kind>(&self, key: &Key) -> Whole
    where
        Object<K>: Resource<DynamicType = ()>,
    {
        let Ok(client) = self.world.within(K::EXPORT, &key.cluster) else { return Whole::Unknown };
        let namespace = Some(key.namespace.as_str()).filter(|namespace| !namespace.is_empty());
        let params = ListParams::default().fields(&format!("metadata.name={}", key.name));
        let Ok(request) = Request::new(Object::<K>::url_path(&(), namespace)).list(&params) else { return Whole::Unknown };
        let mut list: Value = match client.request(request).await {
            Ok(list) => list,
            Err(error) => {
                tracing::warn!(%error, object = %key, "a changed object can't be read, so the audit log has no hash of it");
                return Whole::Unknown;
            }
        };
        let found = list["items"].as_array_mut().map(std::mem::take).unwrap_or_default();
        match found.into_iter().find(|object| object["metadata"]["name"] == key.name.as_str()) {
            Some(object) if !object["metadata"]["deletionTimestamp"].is_null() => Whole::Gone,
            // Servers can leave out what all objects of a list have in common.
            Some(mut object) => {
                object["apiVersion"] = promise::names::API_VERSION.into();
                object["kind"] = K::KIND.into();
                Whole::There(object)
            }
            None => Whole::Gone,
        }
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// An object as the plane has it now.
enum Whole {
    There(Value),
    Gone,
    Unknown,
}

fn target<K: Kind>(key: &Key) -> AuditTarget {
    AuditTarget { kind: K::KIND.to_owned(), cluster: key.cluster.to_string(), namespace: key.namespace.clone(), name: key.name.clone() }
}

fn key(target: &AuditTarget) -> Option<Key> {
    let cluster = ClusterId::parse(&target.cluster).ok()?;
    Some(Key::new(cluster, target.namespace.clone(), target.name.clone()))
}

fn state_of<K: Kind>(row: &Object<K>) -> AuditState {
    let metadata = serde_json::to_value(&row.metadata).unwrap_or_default();
    AuditState::of_row(&metadata, &serde_json::to_value(&row.spec).unwrap_or_default())
}

/// Whether an object is being deleted: who did it is known when it begins, not when the controller is done with it.
fn is_leaving<K: Kind>(row: &Object<K>) -> bool {
    row.metadata.deletion_timestamp.is_some()
}

/// Whether two looks show the same of what people write.
fn is_same<K: Kind>(one: Option<&Arc<Object<K>>>, other: Option<&Arc<Object<K>>>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return one.is_none() && other.is_none() };
    let (one, other) = (&one.metadata, &other.metadata);
    (&one.uid, one.generation, one.deletion_timestamp.is_some()) == (&other.uid, other.generation, other.deletion_timestamp.is_some())
        && one.labels == other.labels
        && one.annotations == other.annotations
}
