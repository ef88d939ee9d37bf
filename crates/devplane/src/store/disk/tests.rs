//! Disks that lose what was not synced, and disks that are full.

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use redb::StorageBackend;
use serde_json::json;

use super::*;
use crate::store::{Range, Storage, Store, WriteError};

/// A disk in memory. What it would hold after a loss of power is what it held at the last sync.
#[derive(Debug, Clone, Default)]
struct Fragile(Arc<Mutex<Content>>);

#[derive(Debug, Default)]
struct Content {
    written: Vec<u8>,
    synced: Vec<u8>,
    /// Bytes that fit; no limit if there is none.
    capacity: Option<usize>,
}

impl Fragile {
    fn holding(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(Content { written: bytes.clone(), synced: bytes, capacity: None })))
    }

    /// The disk after a loss of power.
    fn after_a_crash(&self) -> Self {
        Self::holding(self.0.lock().synced.clone())
    }
}

impl StorageBackend for Fragile {
    fn len(&self) -> Result<u64, io::Error> {
        Ok(self.0.lock().written.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        let content = self.0.lock();
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let found = content.written.get(start..start + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        let mut content = self.0.lock();
        let len = usize::try_from(len).map_err(io::Error::other)?;
        if content.capacity.is_some_and(|capacity| len > capacity) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        content.written.resize(len, 0);
        Ok(())
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        let mut content = self.0.lock();
        content.synced = content.written.clone();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        let mut content = self.0.lock();
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let place = content.written.get_mut(start..start + data.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        place.copy_from_slice(data);
        Ok(())
    }
}

fn open(backend: Fragile) -> Store {
    let database = Database::builder().create_with_backend(backend).unwrap();
    let mut memory = Memory::new();
    let news = News::default();
    let (disk, settled) = Disk::serve(database, Path::new("fragile"), &mut memory, news.clone()).unwrap();
    Store { memory: Arc::new(RwLock::new(memory)), disk: Some(Arc::new(disk)), settled, news, progress: None }
}

fn place(number: usize) -> (GroupResource, Key) {
    (GroupResource::new("", "configmaps"), Key::new(&ClusterId::root(), "default", &format!("m{number}")))
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_loss_of_power() {
    let disk = Fragile::default();
    let store = open(disk.clone());
    let mut revision = 0;
    for number in 0..50 {
        let (resource, key) = place(number);
        let object = json!({"metadata": {"name": format!("m{number}")}, "data": {"text": "x".repeat(number * 97)}});
        revision = store.write(&resource, &key, 0, Some(object)).await.unwrap().revision;
        // At every moment, not only at the end.
        let found = open(disk.after_a_crash());
        assert_eq!(found.list(&resource, &Range::All).await.0.len(), number + 1);
        assert_eq!(found.revision(), revision);
    }
    let (resource, key) = place(7);
    let first = store.peek(&resource, &key).unwrap().revision;
    store.write(&resource, &key, first, None).await.unwrap();
    let found = open(disk.after_a_crash());
    assert!(found.get(&resource, &key).await.is_none() && found.revision() == revision + 1);
}

#[tokio::test]
async fn a_full_disk_is_told_and_what_is_there_can_be_read() {
    let disk = Fragile::default();
    let store = open(disk.clone());
    let (resource, key) = place(0);
    store.write(&resource, &key, 0, Some(json!({"metadata": {"name": "m0"}}))).await.unwrap();
    let used = disk.0.lock().written.len();
    disk.0.lock().capacity = Some(used);
    let mut refusal = None;
    for number in 1..200 {
        let (resource, key) = place(number);
        let object = json!({"metadata": {"name": format!("m{number}")}, "data": {"text": "x".repeat(100_000)}});
        if let Err(error) = store.write(&resource, &key, 0, Some(object)).await {
            refusal = Some(error);
            break;
        }
    }
    let Some(WriteError::Disk(why)) = refusal else { panic!("{refusal:?}") };
    assert!(!why.is_empty());
    let again = store.write(&resource, &place(500).1, 0, Some(json!({"metadata": {}}))).await;
    assert!(matches!(again, Err(WriteError::Disk(_))), "it stays so until somebody makes room and starts anew");
    assert!(store.get(&resource, &key).await.is_some());
    let found = open(disk.after_a_crash());
    assert!(found.get(&resource, &key).await.is_some(), "nothing that was acknowledged is lost");
}

#[tokio::test]
async fn a_damaged_file_is_a_sentence_wherever_it_is_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let storage = Storage::Directory(directory.path().into());
    let file = directory.path().join("plane.redb");
    let whole = {
        let disk = Fragile::default();
        let store = open(disk.clone());
        for number in 0..20 {
            let (resource, key) = place(number);
            store.write(&resource, &key, 0, Some(json!({"metadata": {"name": "a"}, "data": {"a": "b".repeat(900)}}))).await.unwrap();
        }
        disk.after_a_crash().0.lock().written.clone()
    };
    // Bits of each part of the file are turned, and its end is cut off.
    let step = whole.len() / 60;
    for part in 0..60 {
        let mut bytes = whole.clone();
        bytes[part * step..part * step + 40].iter_mut().for_each(|byte| *byte = !*byte);
        std::fs::write(&file, &bytes).unwrap();
        let opened = std::panic::catch_unwind(|| Store::open(&storage).map(drop));
        let opened = opened.unwrap_or_else(|_| panic!("damage at {} is a panic", part * step));
        if let Err(error) = opened {
            assert!(error.to_string().contains("plane"), "{error}");
        } else {
            // The writer thread lets go of the file when it has seen that its store is gone.
            while matches!(Store::open(&storage), Err(StoreError::InUse(_))) {
                std::thread::yield_now();
            }
        }
    }
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    assert!(std::panic::catch_unwind(|| Store::open(&storage).map(drop)).is_ok(), "a cut file is a panic");
}
