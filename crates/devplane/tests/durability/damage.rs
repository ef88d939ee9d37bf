//! A file with wrong bits in it is a sentence at the start, or they are where nothing is.

use std::{
    panic::catch_unwind,
    sync::{Arc, mpsc},
    time::Duration,
};

use devplane::{
    ClusterId, Storage, SystemClock,
    registry::GroupResource,
    store::{Key, Store, StoreError},
};
use serde_json::json;
use witness::Seed;

use crate::{device::Device, plane::run};

/// How many places are damaged.
const PLACES: u64 = 150;

/// What a store holds: name, revision and text of each object.
type Content = Vec<(String, u64, Vec<u8>)>;

fn content(store: &Store) -> Content {
    let mut content: Content =
        store.peek_all().into_iter().map(|(_, key, stored)| (key.name.to_string(), stored.revision, stored.json.to_vec())).collect();
    content.sort();
    content
}

/// A file with objects in it, some of which were changed, as it is after this program ended.
fn whole() -> (Vec<u8>, Content) {
    let device = Device::default();
    let content = run(async {
        let store = Store::open(&device.storage(), Arc::new(SystemClock)).unwrap();
        let maps = GroupResource::new("", "configmaps");
        for number in 0..60 {
            let key = Key::new(&ClusterId::root(), "default", &format!("m{}", number % 40));
            let before = store.peek(&maps, &key).map_or(0, |stored| stored.revision);
            store.write(&maps, &key, before, Some(json!({"metadata": {}, "data": {"a": "b".repeat(900 + number)}}))).await.unwrap();
        }
        content(&store)
    });
    // What ends without closing its file is brought back to the commit before, if the last one is torn: that is what a loss of power looks like.
    device.wait_until_closed();
    (device.after_loss(&mut Seed::new(0)), content)
}

#[test]
fn a_damaged_file_is_a_sentence_or_holds_everything() {
    let (whole, expected) = whole();
    let mut seed = Seed::new(5);
    let mut told = 0;
    for place in 0..PLACES {
        let mut bytes = whole.clone();
        let length = 1 + seed.below(64);
        let at = whole.len() as u64 * place / PLACES + seed.below(whole.len() as u64 / PLACES);
        for byte in bytes.iter_mut().skip(usize::try_from(at).unwrap()).take(usize::try_from(length).unwrap()) {
            *byte ^= 1 << seed.below(8);
        }
        told += usize::from(refused(bytes, &expected, &format!("{length} bytes at {at}")));
    }
    for quarter in 0..4 {
        refused(whole[..whole.len() / 4 * quarter].to_vec(), &Content::new(), "a file that was cut off");
    }
    println!("{PLACES} damaged files, {told} refused");
    assert!(told > 10, "most of the damage was where nothing is");
}

/// Opens a damaged file: whether it is refused. If it is not, it must hold what it held.
fn refused(bytes: Vec<u8>, expected: &Content, what: &str) -> bool {
    let opened = within_a_minute(what, move || {
        catch_unwind(|| Store::open(&Device::holding(bytes).storage(), Arc::new(SystemClock)).map(|store| content(&store)))
    });
    match opened.unwrap_or_else(|_| panic!("{what}: a panic")) {
        Ok(found) => {
            let others = found.iter().filter(|one| !expected.contains(one)).count();
            assert!(
                expected.is_empty() || found == *expected,
                "{what}: {} objects instead of {}, {others} of them others, and nobody is told",
                found.len(),
                expected.len()
            );
            false
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(matches!(error, StoreError::Corrupt { .. }) && sentence.contains("cannot be read"), "{what}: {sentence}");
            true
        }
    }
}

/// A damaged tree could lead in a circle.
fn within_a_minute<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, done) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    done.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| panic!("{what}: it never ends"))
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("plane.redb");
    std::fs::write(&file, "this is no database").unwrap();
    let error = Store::open(&Storage::Directory(directory.path().into()), Arc::new(SystemClock)).map(drop).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }) && error.to_string().contains("plane.redb"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "this is no database");
}
