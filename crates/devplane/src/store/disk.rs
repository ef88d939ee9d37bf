//! The state on disk: one redb file, written by one thread that puts all waiting changes into each commit.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition};
use tokio::sync::{mpsc, watch};

use super::{Change, Key, Progress, StoreError, Stored, memory::Memory};
use crate::{ClusterId, registry::GroupResource};

/// `group NUL resource NUL cluster NUL namespace NUL name` → revision (8 bytes, big endian) and JSON text.
const OBJECTS: TableDefinition<&str, &[u8]> = TableDefinition::new("objects");
/// One row, `revision`: the last one.
const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
/// redb's page cache. Everything is in memory anyway; this only serves the tree of the file itself.
const CACHE_BYTES: usize = 512 << 10;

/// The queue to the writer thread. Dropping it lets the thread finish what is queued and end.
pub(super) struct Disk {
    queue: mpsc::UnboundedSender<Arc<Change>>,
}

impl Disk {
    /// Opens or makes the file in the directory and loads it into memory.
    pub(super) fn open(directory: &Path, memory: &mut Memory) -> Result<(Self, watch::Receiver<Progress>), StoreError> {
        let failed = |source| StoreError::Directory { path: directory.into(), source };
        std::fs::create_dir_all(directory).map_err(failed)?;
        let path = directory.join("plane.redb");
        let database = Database::builder().set_cache_size(CACHE_BYTES).create(&path).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => StoreError::InUse(directory.into()),
            DatabaseError::Storage(redb::StorageError::Io(source)) if source.kind() != io::ErrorKind::InvalidData => failed(source),
            other => corrupt(&path, other),
        })?;
        load(&database, memory).map_err(|detail| corrupt(&path, detail))?;
        let revision = memory.revision();
        let (queue, waiting) = mpsc::unbounded_channel();
        let (progress, settled) = watch::channel(Progress { revision, failure: None });
        std::thread::Builder::new().name("plane-disk".into()).spawn(move || write_all(&database, waiting, &progress)).map_err(failed)?;
        Ok((Self { queue }, settled))
    }

    /// Queues a change. To be called in the order of revisions.
    pub(super) fn queue(&self, change: &Arc<Change>) {
        // The thread ends early only after a failure, which the progress tells.
        let _ = self.queue.send(change.clone());
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
        let (resource, place) = parse_key(key.value()).ok_or_else(|| format!("the key {:?} is none of ours", key.value()))?;
        let (revision, json) = value.value().split_first_chunk::<8>().ok_or_else(|| format!("{:?} has no revision", key.value()))?;
        let stored = Stored { revision: u64::from_be_bytes(*revision), json: json.to_vec().into() };
        memory.load(resource, place, stored);
    }
    let meta = transaction.open_table(META).map_err(|e| text(&e))?;
    let revision = meta.get("revision").map_err(|e| text(&e))?.ok_or("the revision is missing")?;
    memory.resume(revision.value());
    Ok(())
}

fn write_all(database: &Database, mut waiting: mpsc::UnboundedReceiver<Arc<Change>>, progress: &watch::Sender<Progress>) {
    let mut batch = Vec::new();
    while waiting.blocking_recv_many(&mut batch, 1024) > 0 {
        match commit(database, &batch) {
            Ok(revision) => progress.send_modify(|progress| progress.revision = revision),
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
fn commit(database: &Database, batch: &[Arc<Change>]) -> Result<u64, redb::Error> {
    let mut revision = 0;
    // redb syncs on commit: `Durability::Immediate` is its default.
    let transaction = database.begin_write()?;
    {
        let mut objects = transaction.open_table(OBJECTS)?;
        for change in batch {
            revision = change.revision;
            let key = format_key(&change.resource, &change.key);
            match &change.new {
                Some(stored) => {
                    let mut value = Vec::with_capacity(8 + stored.json.len());
                    value.extend_from_slice(&stored.revision.to_be_bytes());
                    value.extend_from_slice(&stored.json);
                    objects.insert(key.as_str(), value.as_slice())?;
                }
                None => {
                    objects.remove(key.as_str())?;
                }
            }
        }
        transaction.open_table(META)?.insert("revision", revision)?;
    }
    transaction.commit()?;
    Ok(revision)
}

fn format_key(resource: &GroupResource, key: &Key) -> String {
    [&*resource.group, &*resource.resource, key.cluster.as_str(), &*key.namespace, &*key.name].join("\0")
}

fn parse_key(text: &str) -> Option<(GroupResource, Key)> {
    let mut parts = text.split('\0');
    let mut part = || parts.next();
    let (group, resource, cluster, namespace, name) = (part()?, part()?, part()?, part()?, part()?);
    Some((GroupResource::new(group, resource), Key::new(&ClusterId::parse(cluster)?, namespace, name)))
}
