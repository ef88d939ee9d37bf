//! What holds of a store on a disk that does what it is told; `tests/durability` has the other disks.

use std::io;

use futures::FutureExt;
use parking_lot::Mutex;
use redb::backends::InMemoryBackend;
use serde_json::json;

use super::*;
use crate::SystemClock;

/// A disk in memory whose syncs wait as long as `hold` is locked.
#[derive(Debug, Default)]
struct HeldDisk {
    disk: InMemoryBackend,
    hold: Mutex<()>,
}

impl StorageBackend for HeldDisk {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        let _turn = self.hold.lock();
        self.disk.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.disk.write(offset, data)
    }
}

fn place(name: &str) -> (GroupResource, Key) {
    (GroupResource::new("", "configmaps"), Key::new(&ClusterId::root(), "default", name))
}

/// The writer thread lets go of the file when it has seen that its store is gone.
fn reopened(storage: &Storage) -> Store {
    loop {
        match Store::open(storage, Arc::new(SystemClock)) {
            Err(StoreError::InUse(_)) => std::thread::yield_now(),
            opened => break opened.unwrap(),
        }
    }
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let storage = Storage::Directory(directory.path().into());
    let (resource, key) = place("a");
    let written = {
        let store = Store::open(&storage, Arc::new(SystemClock)).unwrap();
        store.write(&resource, &key, 0, Some(json!({"metadata": {"name": "a"}}))).await.unwrap()
    };
    let store = reopened(&storage);
    let found = store.get(&resource, &key).await.unwrap();
    assert_eq!((found.revision, found.object()["metadata"]["resourceVersion"].as_str()), (written.revision, Some("2")));
    assert_eq!(store.revision(), written.revision);
}

#[tokio::test]
async fn the_history_goes_on_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let storage = Storage::Directory(directory.path().into());
    let (resource, key) = place("a");
    let told = |changes: Vec<Arc<Change>>| {
        let state = |stored: &Option<Stored>| stored.as_ref().map(|stored| stored.json.clone());
        changes.iter().map(|change| (change.revision, state(&change.old), state(&change.new), change.last.clone())).collect::<Vec<_>>()
    };
    let before = {
        let store = Store::open(&storage, Arc::new(SystemClock)).unwrap();
        assert!(store.is_new());
        let mut revision = 0;
        for object in
            [Some(json!({"metadata": {}, "n": 1})), Some(json!({"metadata": {}, "n": 2})), None, Some(json!({"metadata": {}, "n": 3}))]
        {
            let removal = object.is_none();
            let written = store.write(&resource, &key, revision, object).await.unwrap();
            revision = if removal { 0 } else { written.revision };
        }
        told(store.follow(1).next(&[]).await.unwrap())
    };
    let store = reopened(&storage);
    assert!(!store.is_new());
    assert_eq!(told(store.follow(1).next(&[]).await.unwrap()), before);
    assert_eq!(store.page(&resource, &Range::All, 3, None, 10, true).unwrap().0[0].1.object()["n"], 2);
}

#[tokio::test]
async fn a_history_that_was_begun_anew_stays_so() {
    let directory = tempfile::tempdir().unwrap();
    let storage = Storage::Directory(directory.path().into());
    let (resource, key) = place("a");
    {
        let store = Store::open(&storage, Arc::new(SystemClock)).unwrap();
        let first = store.write(&resource, &key, 0, Some(json!({"metadata": {}}))).await.unwrap();
        store.begin_history();
        store.write(&resource, &key, first.revision, Some(json!({"metadata": {}, "n": 2}))).await.unwrap();
    }
    let store = reopened(&storage);
    assert_eq!(store.oldest(), 2);
    assert!(store.follow(1).next(&[]).await.is_err(), "it does not reach back to the first write");
    assert_eq!(store.follow(2).next(&[]).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_directory_belongs_to_one_process() {
    let directory = tempfile::tempdir().unwrap();
    let storage = Storage::Directory(directory.path().into());
    let _first = Store::open(&storage, Arc::new(SystemClock)).unwrap();
    assert!(matches!(Store::open(&storage, Arc::new(SystemClock)), Err(StoreError::InUse(_))));
}

#[tokio::test]
async fn a_write_with_a_stale_revision_is_refused_and_changes_are_told_in_order() {
    let store = Store::open(&Storage::Memory, Arc::new(SystemClock)).unwrap();
    let (resource, key) = place("a");
    let mut follower = store.follow(store.revision());
    let first = store.write(&resource, &key, 0, Some(json!({"metadata": {}, "n": 1}))).await.unwrap();
    let second = store.write(&resource, &key, first.revision, Some(json!({"metadata": {}, "n": 2}))).await.unwrap();
    assert_eq!(store.write(&resource, &key, first.revision, None).await.map(|_| ()), Err(WriteError::Changed));
    store.write(&resource, &key, second.revision, None).await.unwrap();
    let changes = follower.next(std::slice::from_ref(&resource)).await.unwrap();
    assert_eq!(changes.iter().map(|change| change.new.is_some()).collect::<Vec<_>>(), [true, true, false]);
    let past = store.page(&resource, &Range::All, first.revision, None, usize::MAX, true).unwrap().0;
    assert_eq!(past[0].1.object()["n"], 1);
    assert!(store.list(&resource, &Range::All).await.0.is_empty());
}

#[tokio::test]
async fn an_absence_waits_for_the_changes_that_it_rests_on_and_for_no_others() {
    let device = Arc::new(HeldDisk::default());
    let store = Store::open(&Storage::Device(device.clone()), Arc::new(SystemClock)).unwrap();
    let (resource, key) = place("a");
    let other = GroupResource::new("", "secrets");
    let written = store.write(&resource, &key, 0, Some(json!({"metadata": {}}))).await.unwrap();
    {
        let _held = device.hold.lock();
        let elsewhere = Key::new(&ClusterId::sandbox(), "default", "a");
        store.write_behind(&other, &key, 0, Some(json!({"metadata": {}}))).unwrap();
        store.write_behind(&resource, &elsewhere, 0, Some(json!({"metadata": {}}))).unwrap();
        assert!(
            store.get(&resource, &place("b").1).now_or_never().is_some_and(|found| found.is_none()),
            "no change of this kind is waiting to be written"
        );
        store.write_behind(&resource, &key, written.revision, None).unwrap();
        assert!(store.get(&resource, &key).now_or_never().is_none(), "a removal isn't visible before it is on disk");
    }
    assert!(store.get(&resource, &key).await.is_none());
}

#[tokio::test]
async fn a_page_of_one_object_is_what_the_page_of_its_namespace_has_of_it() {
    let store = Store::open(&Storage::Memory, Arc::new(SystemClock)).unwrap();
    let (resource, key) = place("b");
    let mut last = store.revision();
    for (name, removed) in [("a", false), ("b", false), ("b", true), ("c", false), ("b", false)] {
        let key = place(name).1;
        let expected = store.peek(&resource, &key).map_or(0, |stored| stored.revision);
        let object = (!removed).then(|| json!({"metadata": {}}));
        last = store.write(&resource, &key, expected, object).await.unwrap().revision;
    }
    let namespace = Range::Namespace(key.cluster.clone(), key.namespace.clone());
    let mut seen = Vec::new();
    for revision in 1..=last {
        for after in [None, Some("a"), Some("b"), Some("c")] {
            let after = after.map(|name| place(name).1);
            let page = |range: &Range| {
                let found = store.page(&resource, range, revision, after.as_ref(), usize::MAX, true).unwrap().0;
                found.into_iter().filter(|(own, _)| *own == key).map(|(_, stored)| stored.revision).collect::<Vec<_>>()
            };
            let one = page(&Range::Object(key.clone()));
            assert_eq!(one, page(&namespace), "at {revision} after {after:?}");
            seen.extend(one);
        }
    }
    assert_eq!(seen, [3, 3, 6, 6], "before the first place and after a, of each time that it is there");
    assert_eq!(store.page(&resource, &Range::Object(key), last, None, 1, true).unwrap().1, 0);
}
