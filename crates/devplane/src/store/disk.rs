//! The state on disk: one redb file, written by one thread that puts all waiting changes into each commit.
//! Source: none upstream: redb in the place of etcd.

mod load;
mod older;
mod rows;

use std::{
    collections::HashSet,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::Arc,
    thread::JoinHandle,
};

use parking_lot::RwLock;
use redb::{Database, DatabaseError, ReadableTable as _, StorageBackend, TableDefinition};
use tokio::sync::{mpsc, watch};

use super::{Change, Progress, StoreError, memory::Memory, news::News};
use crate::private;

/// Key → state; both as in `rows`.
const OBJECTS: TableDefinition<&str, &[u8]> = TableDefinition::new("objects");
/// Revision of a change → the key of its object, and the state that it replaced, empty where there was none.
/// What it led to is in the next change of the same object, or in [`OBJECTS`]: so each state is on disk once.
const HISTORY: TableDefinition<u64, (&str, &[u8])> = TableDefinition::new("history");
/// `revision`: the last one; `compacted`: the history begins after it; `sum`: of all states, see [`rows::part`]; `format`: see [`FORMAT`].
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
/// How rows are written. A larger number is the file of a later build, none that of an `older` one.
const FORMAT: u64 = 3;
/// redb's page cache. Everything is in memory anyway; this only serves the tree of the file itself.
const CACHE_BYTES: usize = 512 << 10;

/// The queue to the writer thread. Dropping it waits until the thread has written what is queued, and the file is closed.
pub(super) struct Disk {
    queue: Option<mpsc::UnboundedSender<Queued>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // One that broke off has said so.
            let _ = thread.join();
        }
    }
}

/// A change to be written, and where the history began when it was made.
struct Queued {
    change: Arc<Change>,
    compacted: u64,
}

/// A database that is open, and what to call it.
pub(super) struct File {
    database: Database,
    path: PathBuf,
}

impl File {
    /// Opens or makes the file in the directory.
    pub(super) fn in_directory(directory: &Path) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Directory { path: directory.into(), source };
        private::folder(directory).map_err(failed)?;
        let path = directory.join("plane.redb");
        private::file(&path).map_err(failed)?;
        match guarded(&path, || Database::builder().set_cache_size(CACHE_BYTES).create(&path))? {
            Ok(database) => Ok(Self { database, path }),
            Err(DatabaseError::DatabaseAlreadyOpen) => Err(StoreError::InUse(directory.into())),
            Err(DatabaseError::Storage(redb::StorageError::Io(source))) if source.kind() != io::ErrorKind::InvalidData => {
                Err(failed(source))
            }
            Err(other) => Err(corrupt(&path, other)),
        }
    }

    /// Opens or makes a database on a device.
    pub(super) fn on_device(device: Arc<dyn StorageBackend>) -> Result<Self, StoreError> {
        let path = PathBuf::from("device");
        match guarded(&path, || Database::builder().set_cache_size(CACHE_BYTES).create_with_backend(Device(device)))? {
            Ok(database) => Ok(Self { database, path }),
            Err(error) => Err(corrupt(&path, error)),
        }
    }

    /// What is in it.
    pub(super) fn load(&self, memory: &mut Memory, now: jiff::Timestamp) -> Result<(), StoreError> {
        let loaded = guarded(&self.path, || older::bring_up(&self.database).and_then(|()| load::all(&self.database, memory, now)))?;
        loaded.map_err(|detail| corrupt(&self.path, detail))
    }
}

/// A device that is shared with whoever looks at what is written to it.
#[derive(Debug)]
struct Device(Arc<dyn StorageBackend>);

impl StorageBackend for Device {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.close()
    }
}

impl Disk {
    /// Starts to write what is queued to the file, from which the memory was loaded.
    pub(super) fn start(file: File, memory: Arc<RwLock<Memory>>, news: News) -> Result<(Self, watch::Receiver<Progress>), StoreError> {
        let (queue, waiting) = mpsc::unbounded_channel();
        let (progress, settled) = watch::channel(Progress { revision: memory.read().revision(), failure: None });
        let File { database, path } = file;
        let thread = std::thread::Builder::new()
            .name("plane-disk".into())
            .spawn(move || write_all(&database, waiting, &progress, &memory, &news))
            .map_err(|source| StoreError::Directory { path, source })?;
        Ok((Self { queue: Some(queue), thread: Some(thread) }, settled))
    }

    /// Queues a change. To be called in the order of revisions.
    pub(super) fn queue(&self, change: &Arc<Change>, compacted: u64) {
        // The thread ends early only after a failure, which the progress tells.
        if let Some(queue) = &self.queue {
            let _ = queue.send(Queued { change: change.clone(), compacted });
        }
    }
}

/// Does something with a file that may be damaged: redb stops where it finds what it never wrote.
fn guarded<T>(path: &Path, work: impl FnOnce() -> T) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| corrupt(path, "it is damaged"))
}

fn corrupt(path: &Path, detail: impl ToString) -> StoreError {
    StoreError::Corrupt { path: PathBuf::from(path), detail: detail.to_string() }
}

fn write_all(
    database: &Database,
    mut waiting: mpsc::UnboundedReceiver<Queued>,
    progress: &watch::Sender<Progress>,
    memory: &RwLock<Memory>,
    news: &News,
) {
    let (mut batch, mut trimmed) = (Vec::new(), None);
    while waiting.blocking_recv_many(&mut batch, 1024) > 0 {
        // A library that stops half-way is a disk that does not answer.
        let committed = catch_unwind(AssertUnwindSafe(|| commit(database, &batch, trimmed)));
        let committed = committed.map_err(|_| "a commit broke off".to_owned()).and_then(|done| done.map_err(|error| error.to_string()));
        match committed {
            Ok((revision, compacted)) => {
                trimmed = Some(compacted);
                progress.send_modify(|progress| progress.revision = revision);
                let changed: HashSet<_> = batch.iter().map(|queued| &queued.change.resource).collect();
                changed.into_iter().for_each(|resource| news.tell(resource));
            }
            Err(error) => {
                tracing::error!(%error, "the plane cannot write its data file and refuses writes from now on");
                // Under the lock nothing more is queued. What is not on disk never was: nobody was told of it, and nobody will be.
                let mut memory = memory.write();
                while let Ok(queued) = waiting.try_recv() {
                    batch.push(queued);
                }
                let lost: Vec<_> = batch.iter().map(|queued| queued.change.clone()).collect();
                memory.undo(progress.borrow().revision, &lost);
                progress.send_modify(|progress| progress.failure = Some(error.into()));
                return;
            }
        }
        batch.clear();
    }
}

/// Writes the changes in one transaction and syncs. `trimmed` is the revision up to which this writer has dropped the history on disk.
/// Answers the last revision, and the one up to which the history is dropped.
fn commit(database: &Database, batch: &[Queued], trimmed: Option<u64>) -> Result<(u64, u64), redb::Error> {
    let (mut revision, mut compacted) = (0, 0);
    // redb syncs on commit: `Durability::Immediate` is its default.
    let transaction = database.begin_write()?;
    {
        let mut objects = transaction.open_table(OBJECTS)?;
        let mut history = transaction.open_table(HISTORY)?;
        let mut meta = transaction.open_table(META)?;
        let mut sum = meta.get("sum")?.map(|row| row.value()).unwrap_or_default();
        for queued in batch {
            let change = &queued.change;
            (revision, compacted) = (change.revision, queued.compacted);
            let key = rows::key(&change.resource, &change.key);
            let old = change.old.as_ref().map(|old| rows::state(&key, old)).unwrap_or_default();
            let new = change.new.as_ref().map(|new| rows::state(&key, new)).unwrap_or_default();
            sum = sum.wrapping_sub(rows::part(&old)).wrapping_add(rows::part(&new));
            if new.is_empty() {
                objects.remove(key.as_str())?
            } else {
                objects.insert(key.as_str(), new.as_slice())?
            };
            history.insert(revision, (key.as_str(), old.as_slice()))?;
        }
        // New rows are always above `compacted`, so if it hasn't moved, there is nothing to drop.
        if trimmed != Some(compacted) {
            history.retain_in(..=compacted, |_, _| false)?;
        }
        for (name, value) in [("revision", revision), ("compacted", compacted), ("sum", sum), ("format", FORMAT)] {
            meta.insert(name, value)?;
        }
    }
    transaction.commit()?;
    Ok((revision, compacted))
}

#[cfg(test)]
mod tests {
    use redb::ReadableDatabase as _;

    use super::*;
    use crate::{ClusterId, registry::GroupResource, store::Key};

    fn queued(revision: u64, compacted: u64) -> Queued {
        let key = Key::new(&ClusterId::root(), "default", "a");
        let change = Change { revision, resource: GroupResource::new("", "configmaps"), key, old: None, new: None, last: None };
        Queued { change: Arc::new(change), compacted }
    }

    #[test]
    fn the_history_on_disk_begins_where_that_in_memory_does() {
        let directory = tempfile::tempdir().unwrap();
        let database = Database::create(directory.path().join("plane.redb")).unwrap();
        let revisions = || {
            let history = database.begin_read().unwrap().open_table(HISTORY).unwrap();
            history.iter().unwrap().map(|row| row.unwrap().0.value()).collect::<Vec<_>>()
        };
        let mut trimmed = None;
        for (batch, kept) in [
            (vec![queued(2, 1), queued(3, 1)], vec![2, 3]),
            (vec![queued(4, 1), queued(5, 2)], vec![3, 4, 5]),
            (vec![queued(6, 2)], vec![3, 4, 5, 6]),
            (vec![queued(7, 6)], vec![7]),
        ] {
            let (revision, compacted) = commit(&database, &batch, trimmed).unwrap();
            assert_eq!((revision, revisions()), (*kept.last().unwrap(), kept));
            trimmed = Some(compacted);
        }
        // A writer that knows nothing of an earlier one drops what that has left.
        commit(&database, &[queued(8, 7)], None).unwrap();
        assert_eq!(revisions(), [8]);
    }
}
