//! The process is killed at seeded instants of fulfilments and started again: each is completed, and each object is made once,
//! counted from the write history of the sandbox cluster, which outlives the process.
//!
//! `cargo xtask soak kill` runs this against the release binary at more instants (`OPM_KILLS`, `OPM_SEED`).

mod decisions;

use std::collections::BTreeMap;
use std::time::Duration;

use cluster::kinds::PromiseRequest;
use cluster::{Scope, WorkspacePath};
use futures::future::join_all;
use futures::{StreamExt as _, TryStreamExt as _};
use kube::api::{DeleteParams, DynamicObject, ListParams, PostParams, WatchEvent, WatchParams};
use kube::core::discovery::verbs;
use kube::discovery::Discovery;
use kube::runtime::wait::await_condition;
use kube::{Api, ResourceExt as _};
use promise::api::Phase;
use promise::names;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::process::Process;

/// How long a fulfilment may take in all.
const PATIENCE: Duration = Duration::from_secs(90);
/// The instants are spread over this time, more of them at its begin, where the objects are written.
const SPREAD: Duration = Duration::from_millis(2500);
/// Kind, namespace and name at the sandbox.
type Place = (String, String, String);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_instant_a_fulfilment_is_completed_and_each_object_is_made_once() {
    let (kills, seed) = (setting("OPM_KILLS", 3), setting("OPM_SEED", 1));
    let data = tempfile::tempdir().expect("a folder");
    let mut process = Process::start(data.path()).await;
    for number in 0..kills {
        let name = format!("cache-{number}");
        let before = sandbox_version(&process).await;
        let uid = order(&process, &name).await;
        let instant = SPREAD.mul_f64(fraction(seed, number).powi(2));
        tokio::time::sleep(instant).await;
        process.kill();
        process = Process::start(data.path()).await;
        let request = becomes(&process, &name, |request| phase(request) == Some(Phase::Ready)).await.expect("the request");

        let writes = history(&process, &uid, &before).await;
        let mut inventory = request.status.map(|status| status.inventory).unwrap_or_default();
        inventory.retain(|item| item.destination.is_some());
        assert!(!inventory.is_empty(), "{name}, killed after {instant:?}, has nothing");
        for item in &inventory {
            let place = (item.kind.clone(), item.namespace.clone().unwrap_or_default(), item.name.clone());
            let writes = writes.get(&place).unwrap_or_else(|| panic!("{name}, killed after {instant:?}: {place:?} was never written"));
            assert_eq!((writes.made, writes.removed), (1, 0), "{name}, killed after {instant:?}: {place:?} {writes:?}");
            assert_eq!(item.uid.as_ref(), Some(&writes.uid), "{name}: {place:?} is the one that was made");
        }
        assert_eq!(writes.len(), inventory.len(), "{name}, killed after {instant:?}: {:?} against {inventory:?}", writes.keys());
        println!(
            "killed {:>4} ms after the order, seed {seed} number {number}: {} objects, each made once",
            instant.as_millis(),
            writes.len()
        );

        requests(&process).delete(&name, &DeleteParams::default()).await.expect("deleted");
        becomes(&process, &name, |request| request.is_none()).await;
        let left = history(&process, &uid, &before).await;
        assert!(left.values().all(|writes| writes.made == writes.removed), "{name}: {left:?}");
    }
}

/// What the history says of one object.
#[derive(Debug, Default)]
struct Writes {
    made: usize,
    removed: usize,
    uid: String,
}

/// Every change at the sandbox after `from` of objects that carry the label of the request.
async fn history(process: &Process, uid: &str, from: &str) -> BTreeMap<Place, Writes> {
    let client = process.client(&Scope::Root);
    let discovery = Discovery::new(client.clone()).run().await.expect("discovery");
    let kinds = discovery.groups().flat_map(|group| group.recommended_resources()).filter(|(_, can)| can.supports_operation(verbs::WATCH));
    // The end of the timeout is the end of the answer: nothing happens any more that is waited for.
    let params = WatchParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL)).timeout(1).disable_bookmarks();
    let read = kinds.map(|(kind, _)| {
        let (api, params) = (Api::<DynamicObject>::all_with(client.clone(), &kind), params.clone());
        async move {
            let events = api.watch(&params, from).await.expect("a watch").boxed();
            let events: Vec<WatchEvent<DynamicObject>> = events.try_collect().await.expect("events");
            (kind.kind, events)
        }
    });
    let mut writes = BTreeMap::<Place, Writes>::new();
    for (kind, events) in join_all(read).await {
        for event in events {
            let (object, made, removed) = match event {
                WatchEvent::Added(object) => (object, 1, 0),
                WatchEvent::Modified(object) => (object, 0, 0),
                WatchEvent::Deleted(object) => (object, 0, 1),
                WatchEvent::Bookmark(_) => continue,
                WatchEvent::Error(status) => panic!("the history of {kind} cannot be read: {status:?}"),
            };
            let entry = writes.entry((kind.clone(), object.namespace().unwrap_or_default(), object.name_any())).or_default();
            entry.made += made;
            entry.removed += removed;
            entry.uid = object.uid().unwrap_or_default();
        }
    }
    writes
}

async fn sandbox_version(process: &Process) -> String {
    let namespaces: Api<k8s_openapi::api::core::v1::Namespace> = Api::all(process.client(&Scope::Root));
    let list = namespaces.list_metadata(&ListParams::default()).await.expect("namespaces");
    list.metadata.resource_version.expect("a version")
}

/// Orders a redis; answers the request's uid.
async fn order(process: &Process, name: &str) -> String {
    let request = json!({
        "apiVersion": names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": name, "namespace": "default"},
        "spec": {"promise": {"name": "redis", "workspace": "root:platform"}}
    });
    let request = serde_json::from_value(request).expect("a request");
    requests(process).create(&PostParams::default(), &request).await.expect("created").uid().expect("a uid")
}

async fn becomes(process: &Process, name: &str, wanted: impl Fn(Option<&PromiseRequest>) -> bool + Clone) -> Option<PromiseRequest> {
    let waited = tokio::time::timeout(PATIENCE, await_condition(requests(process), name, wanted)).await;
    waited.unwrap_or_else(|_| panic!("{name} is not there after {PATIENCE:?}: {}", process.log())).expect("a watch")
}

fn requests(process: &Process) -> Api<PromiseRequest> {
    let shop = WorkspacePath::parse("root:acme:shop").expect("a path");
    Api::namespaced(process.client(&Scope::Workspace(shop)), "default")
}

fn phase(request: Option<&PromiseRequest>) -> Option<Phase> {
    Some(request?.status.as_ref()?.phase)
}

/// A number from 0 to 1 that only seed and position decide.
pub fn fraction(seed: u64, number: u64) -> f64 {
    let digest = Sha256::digest([seed.to_be_bytes(), number.to_be_bytes()].concat());
    let word = digest.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
    f64::from(word) / f64::from(u32::MAX)
}

/// A size that the build tool sets.
pub fn setting(name: &str, default: u64) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the build tool sets the size of the check here")]
    let text = std::env::var(name);
    text.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}
