//! What holds of a store on a disk that does what it is told; `tests/durability` has the other disks.

use serde_json::json;

use super::*;
use crate::SystemClock;

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
