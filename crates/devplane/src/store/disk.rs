//! The state on disk: one redb file, written by one thread that puts all waiting changes into each commit.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition};
use tokio::sync::{mpsc, watch};

use super::{
    Change, Key, Progress, StoreError, Stored,
    memory::{Memory, Past},
    news::News,
};
use crate::{ClusterId, registry::GroupResource};

/// `group NUL resource NUL cluster NUL namespace NUL name` → revision (8 bytes, big endian) and JSON text.
const OBJECTS: TableDefinition<&str, &[u8]> = TableDefinition::new("objects");
/// Revision of a change → the key of its object, and what it replaced: nothing, or revision and JSON text as in [`OBJECTS`].
/// What it led to is in the next change of the same object, or in [`OBJECTS`]: so each state is on disk once.
const HISTORY: TableDefinition<u64, (&str, &[u8])> = TableDefinition::new("history");
/// `revision`: the last one; `compacted`: the history begins after it.
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
/// redb's page cache. Everything is in memory anyway; this only serves the tree of the file itself.
const CACHE_BYTES: usize = 512 << 10;

/// The queue to the writer thread. Dropping it lets the thread finish what is queued and end.
pub(super) struct Disk {
    queue: mpsc::UnboundedSender<Queued>,
}

/// A change to be written, and where the history began when it was made.
struct Queued {
    change: Arc<Change>,
    compacted: u64,
}

impl Disk {
    /// Opens or makes the file in the directory and loads it into memory.
    pub(super) fn open(directory: &Path, memory: &mut Memory, news: News) -> Result<(Self, watch::Receiver<Progress>), StoreError> {
        let failed = |source| StoreError::Directory { path: directory.into(), source };
        std::fs::create_dir_all(directory).map_err(failed)?;
        let path = directory.join("plane.redb");
        let database = Database::builder().set_cache_size(CACHE_BYTES).create(&path).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => StoreError::InUse(directory.into()),
            DatabaseError::Storage(redb::StorageError::Io(source)) if source.kind() != io::ErrorKind::InvalidData => failed(source),
            other => corrupt(&path, other),
        })?;
        Self::serve(database, &path, memory, news)
    }

    /// Loads what a database holds, and starts to write to it.
    fn serve(database: Database, path: &Path, memory: &mut Memory, news: News) -> Result<(Self, watch::Receiver<Progress>), StoreError> {
        load(&database, memory).map_err(|detail| corrupt(path, detail))?;
        let revision = memory.revision();
        let (queue, waiting) = mpsc::unbounded_channel();
        let (progress, settled) = watch::channel(Progress { revision, failure: None });
        std::thread::Builder::new()
            .name("plane-disk".into())
            .spawn(move || write_all(&database, waiting, &progress, &news))
            .map_err(|source| StoreError::Directory { path: path.into(), source })?;
        Ok((Self { queue }, settled))
    }

    /// Queues a change. To be called in the order of revisions.
    pub(super) fn queue(&self, change: &Arc<Change>, compacted: u64) {
        // The thread ends early only after a failure, which the progress tells.
        let _ = self.queue.send(Queued { change: change.clone(), compacted });
    }
}

fn corrupt(path: &Path, detail: impl ToString) -> StoreError {
    StoreError::Corrupt { path: PathBuf::from(path), detail: detail.to_string() }
}

fn load(database: &Database, memory: &mut Memory) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let transaction = database.begin_read().map_err(|e| text(&e))?;
    let objects = match transaction.open_table(OBJECTS) {
        Ok(table) => table,
        // A file without tables is a new one.
        Err(redb::TableError::TableDoesNotExist(_)) => return Ok(()),
        Err(error) => return Err(text(&error)),
    };
    for row in objects.iter().map_err(|e| text(&e))? {
        let (key, value) = row.map_err(|e| text(&e))?;
        let (resource, place) = parse_key(key.value())?;
        let stored = parse_state(value.value()).ok_or_else(|| format!("{:?} has no revision", key.value()))?;
        memory.load(resource, place, stored);
    }
    let meta = transaction.open_table(META).map_err(|e| text(&e))?;
    let number = |name: &str| meta.get(name).map_err(|e| text(&e))?.map(|row| row.value()).ok_or(format!("the {name} is missing"));
    let history = transaction.open_table(HISTORY).map_err(|e| text(&e))?;
    let mut broken = None;
    let past = history.iter().map_err(|e| text(&e))?.rev().map_while(|row| {
        let read = row.map_err(|e| text(&e)).and_then(|(revision, change)| {
            let (key, old) = change.value();
            let (resource, key) = parse_key(key)?;
            Ok(Past { revision: revision.value(), resource, key, old: parse_state(old) })
        });
        read.map_err(|detail| broken = Some(detail)).ok()
    });
    memory.resume(number("revision")?, number("compacted")?, past);
    broken.map_or(Ok(()), Err)
}

fn write_all(database: &Database, mut waiting: mpsc::UnboundedReceiver<Queued>, progress: &watch::Sender<Progress>, news: &News) {
    let mut batch = Vec::new();
    while waiting.blocking_recv_many(&mut batch, 1024) > 0 {
        match commit(database, &batch) {
            Ok(revision) => {
                progress.send_modify(|progress| progress.revision = revision);
                batch
                    .iter()
                    .map(|queued| &queued.change.resource)
                    .collect::<HashSet<_>>()
                    .into_iter()
                    .for_each(|resource| news.tell(resource));
            }
            Err(error) => {
                tracing::error!(%error, "the plane cannot write its data file; it refuses writes from now on");
                progress.send_modify(|progress| progress.failure = Some(error.to_string().into()));
                return;
            }
        }
        batch.clear();
    }
}

/// Writes the changes in one transaction and syncs. Answers the last revision.
fn commit(database: &Database, batch: &[Queued]) -> Result<u64, redb::Error> {
    let (mut revision, mut compacted) = (0, 0);
    // redb syncs on commit: `Durability::Immediate` is its default.
    let transaction = database.begin_write()?;
    {
        let mut objects = transaction.open_table(OBJECTS)?;
        let mut history = transaction.open_table(HISTORY)?;
        for queued in batch {
            let change = &queued.change;
            (revision, compacted) = (change.revision, queued.compacted);
            let key = format_key(&change.resource, &change.key);
            match &change.new {
                Some(stored) => objects.insert(key.as_str(), format_state(stored).as_slice())?,
                None => objects.remove(key.as_str())?,
            };
            let old = change.old.as_ref().map(format_state).unwrap_or_default();
            history.insert(revision, (key.as_str(), old.as_slice()))?;
        }
        history.retain_in(..=compacted, |_, _| false)?;
        let mut meta = transaction.open_table(META)?;
        meta.insert("revision", revision)?;
        meta.insert("compacted", compacted)?;
    }
    transaction.commit()?;
    Ok(revision)
}

fn format_state(stored: &Stored) -> Vec<u8> {
    [&stored.revision.to_be_bytes(), &*stored.json].concat()
}

fn parse_state(bytes: &[u8]) -> Option<Stored> {
    let (revision, json) = bytes.split_first_chunk::<8>()?;
    Some(Stored { revision: u64::from_be_bytes(*revision), json: json.to_vec().into() })
}

fn format_key(resource: &GroupResource, key: &Key) -> String {
    [&*resource.group, &*resource.resource, key.cluster.as_str(), &*key.namespace, &*key.name].join("\0")
}

fn parse_key(text: &str) -> Result<(GroupResource, Key), String> {
    let parse = || {
        let mut parts = text.split('\0');
        let mut part = || parts.next();
        let (group, resource, cluster, namespace, name) = (part()?, part()?, part()?, part()?, part()?);
        Some((GroupResource::new(group, resource), Key::new(&ClusterId::parse(cluster)?, namespace, name)))
    };
    parse().ok_or_else(|| format!("the key {text:?} is none of ours"))
}

#[cfg(test)]
mod tests;
