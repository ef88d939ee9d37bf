//! A process that is killed while it writes loses nothing that it has acknowledged, and leaves nothing half done.
//!
//! The test starts itself as the process that is killed: `durability writer DIR` writes until then, and says on its output what
//! was acknowledged. The moments are chosen by a fixed seed.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
};

use devplane::{
    ClusterId, Storage,
    registry::GroupResource,
    store::{Key, Range, Store, StoreError},
};
use serde_json::{Value, json};

/// How often the writer is killed.
const KILLS: u64 = 12;
/// Writers at the same time: their changes share commits.
const TASKS: usize = 8;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    match arguments.iter().position(|argument| argument == "writer") {
        Some(at) => runtime.block_on(write(Path::new(&arguments[at + 1]))),
        // Asked by the test runner what there is.
        None if arguments.iter().any(|argument| argument == "--list") => println!("acknowledged_writes_survive: test"),
        None => runtime.block_on(acknowledged_writes_survive()),
    }
}

fn resource() -> GroupResource {
    GroupResource::new("", "configmaps")
}

fn place(name: &str) -> Key {
    Key::new(&ClusterId::root(), "default", name)
}

/// An object that tells whether it is whole.
fn object(name: &str, count: u64) -> Value {
    json!({"metadata": {"name": name}, "count": count, "again": count, "text": "x".repeat((count as usize * 37) % 5000)})
}

async fn write(directory: &Path) {
    let store = open(directory);
    let tasks = (0..TASKS).map(|task| {
        let store = store.clone();
        async move {
            let name = format!("m{task}");
            let found = store.get(&resource(), &place(&name)).await;
            let mut revision = found.as_ref().map_or(0, |stored| stored.revision);
            let mut count = found.map_or(0, |stored| stored.object()["count"].as_u64().unwrap());
            loop {
                count += 1;
                revision = store.write(&resource(), &place(&name), revision, Some(object(&name, count))).await.unwrap().revision;
                // One line in one piece: it is either said or not.
                let mut output = std::io::stdout().lock();
                output.write_all(format!("{name} {count} {revision}\n").as_bytes()).unwrap();
                output.flush().unwrap();
            }
        }
    });
    futures::future::join_all(tasks).await;
}

async fn acknowledged_writes_survive() {
    let directory = tempfile::tempdir().unwrap();
    let mut acknowledged: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut seed: u64 = 0x9e37_79b9_7f4a_7c15;
    for kill in 0..KILLS {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(kill);
        let lines = 1 + (seed >> 33) % 300;
        let mut writer = Command::new(std::env::current_exe().unwrap());
        let mut writer = writer.arg("writer").arg(directory.path()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(writer.stdout.take().unwrap()).lines();
        for _ in 0..lines {
            note(&mut acknowledged, &output.next().unwrap().unwrap());
        }
        writer.kill().unwrap();
        // What it still said before it ended counts, too; a line that was cut off does not.
        output.map_while(Result::ok).for_each(|line| note(&mut acknowledged, &line));
        writer.wait().unwrap();
        check(directory.path(), &acknowledged).await;
    }
    println!("acknowledged_writes_survive: {KILLS} kills, {} objects, ok", acknowledged.len());
}

fn note(acknowledged: &mut BTreeMap<String, (u64, u64)>, line: &str) {
    let mut words = line.split(' ');
    let (name, count, revision) = (words.next().unwrap(), words.next().unwrap(), words.next());
    if let Some(Ok(revision)) = revision.map(str::parse) {
        acknowledged.insert(name.to_owned(), (count.parse().unwrap(), revision));
    }
}

async fn check(directory: &Path, acknowledged: &BTreeMap<String, (u64, u64)>) {
    let store = open(directory);
    for (key, stored) in store.list(&resource(), &Range::All).await.0 {
        let found = stored.object();
        assert_eq!(found["metadata"]["resourceVersion"], stored.revision.to_string(), "the version in {} is its own", key.name);
        let mut whole = object(&key.name, found["count"].as_u64().unwrap());
        whole["metadata"]["resourceVersion"] = stored.revision.to_string().into();
        assert_eq!(found, whole, "{} is half done", key.name);
    }
    for (name, (count, revision)) in acknowledged {
        let found = store.get(&resource(), &place(name)).await.unwrap_or_else(|| panic!("{name} is lost"));
        let now = found.object()["count"].as_u64().unwrap();
        assert!(now >= *count && found.revision >= *revision, "{name} was acknowledged as {count}, and is {now}");
        assert!(store.revision() >= found.revision);
    }
}

/// Opens the store. The writer thread of an earlier one in this process lets go of the file when it has seen that its store is gone.
fn open(directory: &Path) -> Store {
    loop {
        match Store::open(&Storage::Directory(directory.into())) {
            Err(StoreError::InUse(_)) => std::thread::yield_now(),
            opened => return opened.unwrap(),
        }
    }
}
