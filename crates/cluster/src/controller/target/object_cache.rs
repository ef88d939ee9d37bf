//! Created objects as watches show them, by place and kind, and what the server has answered to our own calls since.
//!
//! A watch is behind the server: by moments, or by as long as a connection can be gone without notice. So a row only shows that nothing has
//! to be done, and nothing older than what was already read. An object that isn't here is read, because a watch of our label shows no object
//! of others, and an object is read again before anything is done to it because of what is here.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kube::api::DynamicObject;
use kube::core::{ApiResource, TypeMeta};
use parking_lot::RwLock;
use promise::names;
use promise::plan::Key as ObjectKey;
use serde_json::Value;
use tokio::time::Instant;

use super::{Place, Reach};
use crate::compressed::{CompressedText, Compressor};
use crate::controller::object_version::ObjectVersion;
use crate::watch::{Cache, Freshness, Key, Row};
use crate::workspaces::ClusterId;

/// How long readers wait for the first list of a watch, from its beginning: after a restart, one list replaces thousands of reads, and a
/// long one takes seconds. A list that is refused ends the wait.
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest object whose content is kept, in bytes. Larger ones are rare, and are read each time.
const LARGEST: usize = 64 * 1024;

/// A created object. It has no `Debug`, because it might be a Secret.
pub struct ObjectRow {
    /// uid of the request that it belongs to.
    pub request: Arc<str>,
    uid: Box<str>,
    version: Box<str>,
    /// The object as compressed JSON, which takes a fraction of the memory that a decoded object takes. `None` if it has to be read.
    content: Option<CompressedText>,
    learned: Learned,
}

/// Where a row comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Learned {
    /// A watch.
    Watched,
    /// A call of ours was answered with it. The watch might not have come that far.
    Answered,
    /// We deleted the object, or the server answered that it is gone. The watch might still show it for a while.
    Deleted,
}

impl ObjectRow {
    /// Returns the row of an object of the kind of `resource`, or `None` if it doesn't carry our label. `texts` compresses objects of that
    /// kind.
    pub fn of(mut object: DynamicObject, resource: &ApiResource, texts: &Compressor) -> Option<Self> {
        // Objects in a list don't repeat what they are.
        object.types.get_or_insert_with(|| TypeMeta { api_version: resource.api_version.clone(), kind: resource.kind.clone() });
        reduce(&mut object);
        Self::of_reduced(&object, Learned::Watched, texts)
    }

    fn of_reduced(object: &DynamicObject, learned: Learned, texts: &Compressor) -> Option<Self> {
        let boxed = |text: Option<&str>| -> Box<str> { text.unwrap_or_default().into() };
        let content = serde_json::to_vec(object).ok().filter(|content| content.len() <= LARGEST);
        Some(Self {
            request: object.metadata.labels.as_ref()?.get(names::REQUEST_UID_LABEL)?.as_str().into(),
            uid: boxed(object.metadata.uid.as_deref()),
            version: boxed(object.metadata.resource_version.as_deref()),
            content: content.map(|content| {
                // A Secret must not stay in memory as the dictionary of others after it was deleted.
                let is_secret = object.types.as_ref().is_some_and(|types| types.kind == "Secret");
                if is_secret { CompressedText::alone(&content) } else { texts.compress(&content) }
            }),
            learned,
        })
    }

    /// Returns the same row, of an object that has to be read.
    fn without_content(&self, learned: Learned) -> Self {
        let Self { request, uid, version, .. } = self;
        Self { request: request.clone(), uid: uid.clone(), version: version.clone(), content: None, learned }
    }

    /// Returns the version that is shown.
    pub fn version(&self) -> ObjectVersion {
        ObjectVersion::of(&self.uid, &self.version)
    }

    /// Returns the version as a number, by which the states of one object are in order; `None` if the server counts otherwise.
    fn number(&self) -> Option<u64> {
        self.version.parse().ok()
    }
}

impl Row for ObjectRow {
    fn same_edition(&self, other: &Self) -> bool {
        self.request == other.request && self.version == other.version && self.content.is_some() == other.content.is_some()
    }

    fn after(self, before: &Self) -> Option<Self> {
        if before.learned == Learned::Deleted && before.uid == self.uid {
            return Some(self.without_content(Learned::Deleted));
        }
        let is_answer = self.learned == Learned::Answered || before.learned == Learned::Answered;
        let is_older = is_answer && self.number().zip(before.number()).is_some_and(|(number, before)| number < before);
        (!is_older).then_some(self)
    }

    fn settles(&self, before: &Self) -> bool {
        // From now on the watch alone counts, also if the server is restored from a backup and counts from an earlier version again.
        self.learned == Learned::Watched && before.learned == Learned::Answered
    }

    fn in_part(self) -> Self {
        self.without_content(self.learned)
    }
}

/// Removes what we don't need of an object. The times of the last writes show what a status is about; the lists of owned fields are large.
pub fn reduce(object: &mut DynamicObject) {
    for entry in object.metadata.managed_fields.iter_mut().flatten() {
        entry.fields_v1 = None;
    }
}

/// Returns where the objects of a place are watched, and the workspace in the keys of their rows. On kcp one watch serves all workspaces.
pub fn watched_at(place: &Place) -> (Place, ClusterId) {
    match place {
        Place::Workspace(cluster) if cluster.namespace().is_none() => (Place::Workspace(ClusterId::root()), cluster.clone()),
        // Everything that is watched there belongs together: one id stands for it.
        Place::Workspace(_) | Place::Destination(_) => (place.clone(), ClusterId::root()),
    }
}

/// The objects of one kind, in one version, at one place where they are watched.
struct ObjectCache {
    resource: ApiResource,
    /// Session of the client that watches.
    session: u64,
    /// Until when the first list is waited for.
    deadline: Instant,
    rows: Cache<ObjectRow>,
    texts: Arc<Compressor>,
}

impl ObjectCache {
    /// Checks whether it shows what is reached in this way.
    fn is_of(&self, reach: &Reach) -> bool {
        self.session == reach.session && is_same_kind(&self.resource, &reach.resource)
    }

    /// Checks whether the rows can be used. Waits for a watch that was just opened.
    async fn is_ready(&self) -> bool {
        if !self.rows.is_current() && self.rows.freshness() == Freshness::Starting {
            let mut trouble = self.rows.trouble();
            tokio::select! {
                () = self.rows.synced() => {}
                () = async { drop(trouble.wait_for(Option::is_some).await) } => {}
                () = tokio::time::sleep_until(self.deadline) => {}
            }
        }
        self.rows.is_current()
    }

    /// Lets an object be read until the watch shows it again.
    fn forget(&self, at: &Key, is_deleted: bool) {
        self.rows.amend(at, |row| row.without_content(if is_deleted { Learned::Deleted } else { row.learned }));
    }
}

/// Created objects, as far as they are watched.
#[derive(Default)]
pub struct ObjectCaches {
    open: RwLock<HashMap<Place, Vec<Arc<ObjectCache>>>>,
}

impl ObjectCaches {
    /// Starts to keep what a watch shows that is opened at `at`, in place of what an earlier watch on the same kind showed. Returns the
    /// cache for the watch to fill, and the compressor of its objects.
    pub fn open(&self, at: &Place, reach: &Reach) -> (Cache<ObjectRow>, Arc<Compressor>) {
        let (rows, texts) = (Cache::small(), Arc::<Compressor>::default());
        let (resource, session) = (reach.resource.clone(), reach.session);
        let deadline = Instant::now() + PATIENCE;
        let cache = ObjectCache { resource, session, deadline, rows: rows.clone(), texts: texts.clone() };
        let mut open = self.open.write();
        let there = open.entry(at.clone()).or_default();
        there.retain(|other| !is_same_kind(&other.resource, &reach.resource));
        there.push(Arc::new(cache));
        (rows, texts)
    }

    /// Drops what the watch on a kind showed, which is closed.
    pub fn close(&self, at: &Place, resource: &ApiResource) {
        let mut open = self.open.write();
        if let Some(there) = open.get_mut(at) {
            there.retain(|other| !is_same_kind(&other.resource, resource));
            if there.is_empty() {
                open.remove(at);
            }
        }
    }

    /// Returns the object at a key of a place, as the watch shows it; `None` if it has to be read. `request` is the uid of the request that
    /// it has to belong to.
    pub async fn shown(&self, place: &Place, key: &ObjectKey, reach: &Reach, request: &str) -> Option<Value> {
        let (at, row) = located(place, key, reach);
        let cache = self.watching(&at, reach)?;
        if !cache.is_ready().await {
            return None;
        }
        let row = cache.rows.get(&row).filter(|row| &*row.request == request)?;
        serde_json::from_slice(&row.content.as_ref()?.text()).ok()
    }

    /// Begins a write of ours to the object at a key of a place. What watches show of the object isn't used until [`OwnWrite::made`] says
    /// what came of it, or the watches show it: it might arrive although there is no answer.
    pub fn begin_write(&self, place: &Place, key: &ObjectKey, reach: &Reach) -> OwnWrite {
        self.begin(place, key, reach, false)
    }

    /// The same for a deletion. The object is read from now on, until a watch shows that it is gone, or another one in its place.
    pub fn begin_delete(&self, place: &Place, key: &ObjectKey, reach: &Reach) {
        drop(self.begin(place, key, reach, true));
    }

    /// Begins to read the object at a key of a place, so that from then on no watch shows an older state.
    pub fn begin_read(&self, place: &Place, key: &ObjectKey, reach: &Reach) -> OwnRead {
        let (at, row) = located(place, key, reach);
        let own = self.watching(&at, reach).map(|cache| {
            let (removals, before) = (cache.rows.removals(), cache.rows.get(&row));
            (cache, removals, before)
        });
        OwnRead { own, row }
    }

    fn watching(&self, at: &Place, reach: &Reach) -> Option<Arc<ObjectCache>> {
        self.open.read().get(at)?.iter().find(|cache| cache.is_of(reach)).cloned()
    }

    fn begin(&self, place: &Place, key: &ObjectKey, reach: &Reach, is_deleted: bool) -> OwnWrite {
        let (at, row) = located(place, key, reach);
        let is_kind =
            |cache: &&Arc<ObjectCache>| cache.resource.group == reach.resource.group && cache.resource.kind == reach.resource.kind;
        // Watches on other versions of the kind show the same object.
        let caches: Vec<Arc<ObjectCache>> = self.open.read().get(&at).into_iter().flatten().filter(is_kind).cloned().collect();
        let own = caches.iter().find(|cache| cache.is_of(reach)).map(|cache| (cache.clone(), cache.rows.removals()));
        caches.iter().for_each(|cache| cache.forget(&row, is_deleted));
        OwnWrite { own, row }
    }
}

/// A write of ours that is on its way.
pub struct OwnWrite {
    /// The objects of that kind, and the number of removals among them before the write.
    own: Option<(Arc<ObjectCache>, u64)>,
    row: Key,
}

impl OwnWrite {
    /// Keeps what the server made of the object, unless the watch has come further than that. `object` is reduced.
    pub fn made(self, object: &DynamicObject) {
        let Some((cache, removals)) = self.own else { return };
        let Some(row) = ObjectRow::of_reduced(object, Learned::Answered, &cache.texts) else { return };
        let before = cache.rows.get(&self.row);
        if before.as_ref().is_some_and(|before| before.uid == row.uid && before.version == row.version) {
            // Nothing was different, so that no one has to look at it.
            cache.rows.amend(&self.row, |before| row.after(before).unwrap_or_else(|| before.without_content(before.learned)));
        } else if row.number().is_some() && before.is_none_or(|before| before.number().is_some()) {
            // Without an order there is no way to tell which one is newer, so the object is read.
            cache.rows.put_own(self.row, row, removals);
        }
    }
}

/// A read of ours that is on its way.
pub struct OwnRead {
    /// The objects of that kind, and before the read: the number of removals among them, and what was known of the object.
    own: Option<(Arc<ObjectCache>, u64, Option<Arc<ObjectRow>>)>,
    row: Key,
}

impl OwnRead {
    /// Keeps the object that the server answered with, if the watch has not come that far. `object` is reduced.
    pub fn found(self, object: &DynamicObject) {
        let Some((cache, removals, _)) = self.own else { return };
        let number = |version: &str| version.parse::<u64>().ok();
        let Some(found) = object.metadata.resource_version.as_deref().and_then(number) else { return };
        // Without an order there is no way to tell which one is newer.
        if cache.rows.get(&self.row).is_none_or(|known| known.number().is_some_and(|known| known < found))
            && let Some(row) = ObjectRow::of_reduced(object, Learned::Answered, &cache.texts)
        {
            cache.rows.put_own(self.row, row, removals);
        }
    }

    /// The server answered that there is no such object. What was known of it isn't used any more.
    pub fn missing(self) {
        let Some((cache, _, Some(before))) = self.own else { return };
        // If there is another object by now, it was created meanwhile.
        cache.rows.amend(&self.row, |row| row.without_content(if row.uid == before.uid { Learned::Deleted } else { row.learned }));
    }
}

fn is_same_kind(one: &ApiResource, other: &ApiResource) -> bool {
    one.kind == other.kind && one.api_version == other.api_version
}

/// Returns where an object is watched, and the key of its row there.
fn located(place: &Place, key: &ObjectKey, reach: &Reach) -> (Place, Key) {
    let (at, cluster) = watched_at(place);
    let namespace = key.namespace.clone().filter(|_| reach.namespaced).unwrap_or_default();
    (at, Key::new(cluster, namespace, key.name.clone()))
}

#[cfg(test)]
mod tests;
