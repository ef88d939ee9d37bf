//! Objects, their versions, and the history that watches read.
//! Source: apiserver `storage/interfaces.go`, `storage/etcd3`.
//!
//! All state is in memory; a single writer thread puts each change on disk (`store/disk.rs`) and a write is acknowledged only then.
//! Reads wait until what they saw is on disk, so nobody ever sees a state that a crash could undo. Revisions count writes of the
//! whole plane, as etcd does, and the history of the recent past outlives a restart as etcd's does, so that watches go on.

mod disk;
mod history;
mod memory;
mod news;
mod text;

use std::{path::PathBuf, sync::Arc};

use bytes::Bytes;
use parking_lot::RwLock;
use redb::StorageBackend;
use serde_json::Value;
use tokio::sync::watch;

use crate::{Clock, ClusterId, registry::GroupResource};
use disk::{Disk, File};
pub use history::HistoryGap;
pub use memory::Change;
use memory::Memory;
use news::News;
use text::Draft;
pub use text::Parts;

/// Where the plane keeps its objects.
#[derive(Debug, Clone)]
pub enum Storage {
    /// In this directory; one process at a time.
    Directory(PathBuf),
    /// On this device, whatever it does with what is not synced.
    Device(Arc<dyn StorageBackend>),
    /// In memory alone: gone with the process.
    Memory,
}

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has the directory.
    #[error("the plane's data in {0} is in use by another process: stop that process, or choose another data directory")]
    InUse(PathBuf),
    /// The file is damaged.
    #[error("the plane's data file {path} cannot be read ({detail}): move it away to start empty, or restore a copy")]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What the storage layer says.
        detail: String,
    },
    /// The directory cannot be used.
    #[error("can't use the plane's data directory {path}: {source}")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Place of an object within its resource. Ordered as lists are: by cluster, namespace, name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Logical cluster.
    pub cluster: ClusterId,
    /// Namespace, empty for cluster-scoped objects.
    pub namespace: Arc<str>,
    /// Name.
    pub name: Arc<str>,
}

impl Key {
    /// Of these texts; an empty namespace is the cluster scope.
    pub fn new(cluster: &ClusterId, namespace: &str, name: &str) -> Self {
        Self { cluster: cluster.clone(), namespace: namespace.into(), name: name.into() }
    }
}

/// A stored object: JSON text with `metadata.resourceVersion` in it (see `store/text.rs` for its order), and that version as a number.
/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Version of the last write.
    pub revision: u64,
    /// JSON text.
    pub json: Bytes,
}

impl Stored {
    /// The object, parsed. Stored text is always an object: it was written from one.
    pub fn object(&self) -> Value {
        serde_json::from_slice(&self.json).unwrap_or_default()
    }
}

/// Which part of a resource a list or watch is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Range {
    /// One cluster, all namespaces.
    Cluster(ClusterId),
    /// One namespace.
    Namespace(ClusterId, Arc<str>),
    /// One object.
    Object(Key),
    /// All clusters.
    All,
}

impl Range {
    /// Whether an object of this key is in the range.
    pub fn contains(&self, key: &Key) -> bool {
        match self {
            Self::Cluster(cluster) => key.cluster == *cluster,
            Self::Namespace(cluster, namespace) => key.cluster == *cluster && key.namespace == *namespace,
            Self::Object(own) => key == own,
            Self::All => true,
        }
    }
}

/// Why a write was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The object has another revision than expected: read again and decide again.
    #[error("the object was changed meanwhile")]
    Changed,
    /// The object is larger than a write of a client may be.
    #[error("the object has {0} bytes")]
    TooLarge(usize),
    /// There are as many objects as the limit of this number allows.
    #[error("limit {0} allows no more objects")]
    Full(usize),
    /// The disk refused; the plane takes no further writes.
    #[error("the plane's storage does not take writes any more: {0}")]
    Disk(String),
}

/// What a write must keep to. The plane's own writes keep to nothing: a condition more must not be what an object has no room for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    /// How many bytes of text an object may have.
    pub bytes: Option<usize>,
    /// How many objects there may be, the new one included. Counted under the lock of the write: no two writes take the last place.
    pub counts: Vec<Count>,
}

/// How many objects of a resource there may be in a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// What is counted.
    pub resource: GroupResource,
    /// Where.
    pub range: Range,
    /// How many there may be.
    pub limit: usize,
}

/// The store. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    memory: Arc<RwLock<Memory>>,
    disk: Option<Arc<Disk>>,
    /// The last revision on disk: what watches and reads may show.
    settled: watch::Receiver<Progress>,
    /// Tells who follows a resource that it has changed.
    news: News,
    /// Sends progress where no disk does.
    progress: Option<Arc<watch::Sender<Progress>>>,
    /// How old the history is.
    clock: Arc<dyn Clock>,
}

/// How far the disk is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Progress {
    /// All up to here is on disk.
    pub revision: u64,
    /// Set once the disk refused a write.
    pub failure: Option<Arc<str>>,
}

impl Store {
    /// Opens the store and loads it.
    ///
    /// # Errors
    /// When there is something on disk that cannot be used.
    pub fn open(storage: &Storage, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let (mut memory, news) = (Memory::new(), News::default());
        let file = match storage {
            Storage::Directory(directory) => File::in_directory(directory)?,
            Storage::Device(device) => File::on_device(device.clone())?,
            Storage::Memory => {
                let (sender, settled) = watch::channel(Progress { revision: memory.revision(), failure: None });
                return Ok(Self {
                    memory: Arc::new(RwLock::new(memory)),
                    disk: None,
                    settled,
                    news,
                    progress: Some(Arc::new(sender)),
                    clock,
                });
            }
        };
        file.load(&mut memory, clock.now())?;
        let memory = Arc::new(RwLock::new(memory));
        let (disk, settled) = Disk::start(file, memory.clone(), news.clone())?;
        Ok(Self { memory, disk: Some(Arc::new(disk)), settled, news, progress: None, clock })
    }

    /// The object at this place.
    pub async fn get(&self, resource: &GroupResource, key: &Key) -> Option<Stored> {
        loop {
            let (found, revision) = {
                let memory = self.memory.read();
                let found = memory.get(resource, key);
                // That there is nothing may be the work of a removal that is not on disk yet. Changes after the last one of this resource
                // in this cluster are elsewhere: a crash that loses them brings nothing back here.
                let revision = found.as_ref().map_or_else(|| memory.last_change(resource, &key.cluster), |found| found.revision);
                (found, revision)
            };
            if self.settle(revision).await {
                return found;
            }
        }
    }

    /// The object at this place, without waiting for the disk: for decisions inside the plane (rights, bindings), not for answers.
    pub fn peek(&self, resource: &GroupResource, key: &Key) -> Option<Stored> {
        self.memory.read().get(resource, key)
    }

    /// All objects of the range in order, and the revision at which this was so.
    pub async fn list(&self, resource: &GroupResource, range: &Range) -> (Vec<(Key, Stored)>, u64) {
        loop {
            let (found, revision) = self.peek_list(resource, range);
            if self.settle(revision).await {
                return (found, revision);
            }
        }
    }

    /// As [`Store::list`], without waiting for the disk.
    pub fn peek_list(&self, resource: &GroupResource, range: &Range) -> (Vec<(Key, Stored)>, u64) {
        let memory = self.memory.read();
        (memory.list(resource, range), memory.revision())
    }

    /// How many objects are in a range, without waiting for the disk.
    pub fn count(&self, resource: &GroupResource, range: &Range) -> usize {
        self.memory.read().count(resource, range)
    }

    /// All objects of all resources, in no order, without waiting for the disk.
    pub fn peek_all(&self) -> Vec<(GroupResource, Key, Stored)> {
        self.memory.read().all()
    }

    /// A part of the range as it was at a revision: what comes after a place, no more than so many objects, and how many follow them;
    /// not counted, 1 says that some do. An error where the history does not reach back.
    pub fn page(
        &self,
        resource: &GroupResource,
        range: &Range,
        revision: u64,
        after: Option<&Key>,
        limit: usize,
        counted: bool,
    ) -> Result<(Vec<(Key, Stored)>, usize), HistoryGap> {
        self.memory.read().page(resource, range, revision, after, limit, counted)
    }

    /// The resources that have objects in a cluster, in no order.
    pub fn resources_of(&self, cluster: &ClusterId) -> Vec<GroupResource> {
        self.memory.read().resources_of(cluster)
    }

    /// The revision of the last change of a resource in a cluster, 0 where there was none within the history that outlived a restart.
    pub fn last_change(&self, resource: &GroupResource, cluster: &ClusterId) -> u64 {
        self.memory.read().last_change(resource, cluster)
    }

    /// As [`Store::last_change`], in all clusters.
    pub fn last_change_anywhere(&self, resource: &GroupResource) -> u64 {
        self.memory.read().last_change_anywhere(resource)
    }

    /// Whether nothing was ever written.
    pub fn is_new(&self) -> bool {
        self.memory.read().is_new()
    }

    /// The revision of the last write.
    pub fn revision(&self) -> u64 {
        self.memory.read().revision()
    }

    /// Writes an object (`Some`) or removes it (`None`) if its revision is still `expected` (0: it must not be there), and returns
    /// when that is on disk. The new resourceVersion is put into the object. A removal answers the last state under the new revision.
    pub async fn write(&self, resource: &GroupResource, key: &Key, expected: u64, object: Option<Value>) -> Result<Stored, WriteError> {
        self.write_within(resource, key, expected, object, &Limits::default()).await
    }

    /// As [`Store::write`], within limits.
    pub async fn write_within(
        &self,
        resource: &GroupResource,
        key: &Key,
        expected: u64,
        object: Option<Value>,
        limits: &Limits,
    ) -> Result<Stored, WriteError> {
        let stored = self.put(resource, key, expected, object, limits)?;
        if self.settle(stored.revision).await {
            return Ok(stored);
        }
        self.refuse_after_failure()?;
        Ok(stored)
    }

    /// Why the disk takes no writes any more, once that is so.
    pub fn failure(&self) -> Option<Arc<str>> {
        self.settled.borrow().failure.clone()
    }

    fn refuse_after_failure(&self) -> Result<(), WriteError> {
        self.settled.borrow().failure.as_ref().map_or(Ok(()), |failure| Err(WriteError::Disk(failure.to_string())))
    }

    /// As [`Store::write`], but returns before the change is on disk: for first objects, which nobody was told of.
    pub fn write_behind(&self, resource: &GroupResource, key: &Key, expected: u64, object: Option<Value>) -> Result<Stored, WriteError> {
        self.put(resource, key, expected, object, &Limits::default())
    }

    fn put(
        &self,
        resource: &GroupResource,
        key: &Key,
        expected: u64,
        object: Option<Value>,
        limits: &Limits,
    ) -> Result<Stored, WriteError> {
        // Written out before the lock is taken: others wait for it.
        let draft = object.as_ref().map(Draft::of);
        if let (Some(draft), Some(most)) = (&draft, limits.bytes)
            && draft.len() > most
        {
            return Err(WriteError::TooLarge(draft.len()));
        }
        let mut memory = self.memory.write();
        // Under the lock: once the disk has failed there is nothing that it does not know.
        self.refuse_after_failure()?;
        let full = |count: &Count| memory.count(&count.resource, &count.range) >= count.limit;
        if let Some(number) = limits.counts.iter().position(full) {
            return Err(WriteError::Full(number));
        }
        let change = memory.write(resource, key, expected, draft.as_ref(), self.clock.now())?;
        // Queued under the lock: the disk sees changes in the order of their revisions.
        match (&self.disk, &self.progress) {
            (Some(disk), _) => disk.queue(&change, memory.oldest()),
            (None, Some(progress)) => {
                progress.send_modify(|p| p.revision = change.revision);
                self.news.tell(&change.resource);
            }
            (None, None) => {}
        }
        Ok(Stored { revision: change.revision, json: change.json().clone() })
    }

    /// Lets the history begin here: what was written so far cannot be followed.
    pub fn begin_history(&self) {
        self.memory.write().begin_history();
    }

    /// Lets go of what is too old of the history. Each write does so, too.
    pub fn expire_history(&self) {
        self.memory.write().expire_history(self.clock.now());
    }

    /// Waits until everything up to the revision is on disk. False if that will never be: the disk has failed, and what was read or
    /// written at this revision is no more.
    pub async fn settle(&self, revision: u64) -> bool {
        let mut settled = self.settled.clone();
        // The sender lives as long as the store, or until it has told of its failure.
        let told = settled.wait_for(|progress| progress.revision >= revision || progress.failure.is_some()).await;
        told.is_ok_and(|progress| progress.revision >= revision)
    }

    /// A reader of changes after this revision.
    pub fn follow(&self, after: u64) -> Follower {
        Follower { store: self.clone(), position: after, settled: self.settled.clone(), news: Vec::new() }
    }

    /// The oldest revision from which changes can still be followed.
    pub fn oldest(&self) -> u64 {
        self.memory.read().oldest()
    }
}

/// How many changes a reader gets at once: a slow one holds no more than these.
const STEP: usize = 512;
/// How many bytes of objects these changes hold, unless the first alone has more.
const STEP_BYTES: usize = 256 << 10;

/// Reads changes in order. Holds no memory of its own: a reader that is too slow finds a gap.
pub struct Follower {
    store: Store,
    position: u64,
    settled: watch::Receiver<Progress>,
    /// The resources that were asked for last, and their news: changes of others wake nobody.
    news: Vec<(GroupResource, watch::Receiver<()>)>,
}

impl Follower {
    /// Waits for changes of these resources (of any if none is given), and moves beyond them.
    pub async fn next(&mut self, resources: &[GroupResource]) -> Result<Vec<Arc<Change>>, HistoryGap> {
        loop {
            // Marked as seen before looking: what comes in between wakes again.
            self.hear(resources);
            let revision = self.settled.borrow_and_update().revision;
            if revision > self.position {
                let changes = self.step(resources, revision)?;
                if !changes.is_empty() {
                    return Ok(changes);
                }
            }
            let woken = if resources.is_empty() {
                self.settled.changed().await
            } else {
                let bells = self.news.iter_mut().map(|(_, news)| Box::pin(news.changed()));
                futures::future::select_all(bells).await.0
            };
            if woken.is_err() {
                // The store is gone, and with it all that could change.
                return std::future::pending().await;
            }
        }
    }

    /// What changed up to a revision, within one step.
    fn step(&mut self, resources: &[GroupResource], revision: u64) -> Result<Vec<Arc<Change>>, HistoryGap> {
        let mut changes = self.changes(resources, revision)?;
        self.position = revision;
        let fits = within_step(&changes);
        if fits < changes.len() {
            changes.truncate(fits);
            self.position = changes.last().map_or(revision, |change| change.revision);
        }
        Ok(changes)
    }

    /// All that changed up to a revision, in order.
    fn changes(&self, resources: &[GroupResource], revision: u64) -> Result<Vec<Arc<Change>>, HistoryGap> {
        let memory = self.store.memory.read();
        if resources.is_empty() {
            return memory.changes(None, self.position, revision);
        }
        let mut all = Vec::new();
        for resource in resources {
            all.extend(memory.changes(Some(resource), self.position, revision)?);
        }
        all.sort_by_key(|change| change.revision);
        Ok(all)
    }

    fn hear(&mut self, resources: &[GroupResource]) {
        if !self.news.iter().map(|(known, _)| known).eq(resources) {
            self.news = resources.iter().map(|resource| (resource.clone(), self.store.news.of(resource))).collect();
        }
        self.news.iter_mut().for_each(|(_, news)| news.mark_unchanged());
    }

    /// Up to where nothing of these resources is left to be read, at this moment.
    pub fn rest(&mut self, resources: &[GroupResource]) -> u64 {
        let revision = self.settled.borrow().revision;
        if self.changes(resources, revision).is_ok_and(|changes| changes.is_empty()) {
            self.position = self.position.max(revision);
        }
        self.position
    }
}

/// How many of these changes are one step.
fn within_step(changes: &[Arc<Change>]) -> usize {
    let bytes = changes.iter().take(STEP).scan(0, |bytes, change| {
        *bytes += change.weight();
        Some(*bytes)
    });
    bytes.take_while(|bytes| *bytes <= STEP_BYTES).count().max(1)
}

#[cfg(test)]
mod tests;
