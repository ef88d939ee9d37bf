//! Lists and watches, by which the caches live.

use futures::{Stream, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::behaviours;
use crate::ground::{Ground, PATIENCE, config_map};

behaviours![a_watch_goes_on_where_the_list_ended, what_no_longer_matches_is_deleted_for_the_watcher, a_watch_begins_with_what_is_there,];

/// The name of what changes next.
async fn next(events: &mut (impl Stream<Item = Result<WatchEvent<ConfigMap>, kube::Error>> + Unpin)) -> (&'static str, String) {
    let (what, object) = change(events).await;
    (what, object.name_any())
}

/// The next change: what happened, and to what.
pub async fn change<K>(events: &mut (impl Stream<Item = Result<WatchEvent<K>, kube::Error>> + Unpin)) -> (&'static str, K) {
    loop {
        let event = tokio::time::timeout(PATIENCE, events.next()).await.expect("an event in time").expect("an open watch").unwrap();
        return match event {
            WatchEvent::Added(object) => ("added", object),
            WatchEvent::Modified(object) => ("modified", object),
            WatchEvent::Deleted(object) => ("deleted", object),
            WatchEvent::Bookmark(_) => continue,
            WatchEvent::Error(status) => panic!("{status:?}"),
        };
    }
}

/// Makes a config map, or changes it. Not by apply, which through an export writes again what is there already.
async fn write(api: &Api<ConfigMap>, name: &str, value: &str) {
    let made = api.create(&PostParams::default(), &config_map(name, value)).await;
    if made.is_err() {
        let patch = json!({"data": {"key": value}});
        api.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    }
}

async fn a_watch_goes_on_where_the_list_ended(ground: Ground) {
    let api = ground.config_maps();
    write(&api, "a", "1").await;
    let version = api.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    write(&api, "b", "1").await;
    write(&api, "a", "2").await;
    write(&api, "a", "2").await;
    api.delete("b", &DeleteParams::default()).await.unwrap();
    let mut events = api.watch(&WatchParams::default(), &version).await.unwrap().boxed();
    for expected in [("added", "b"), ("modified", "a"), ("deleted", "b")] {
        let (what, name) = next(&mut events).await;
        assert_eq!((what, name.as_str()), expected);
    }
    write(&api, "c", "1").await;
    assert_eq!(next(&mut events).await, ("added", "c".to_owned()));
}

async fn what_no_longer_matches_is_deleted_for_the_watcher(ground: Ground) {
    let api = ground.config_maps();
    let version = api.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    let mut events = api.watch(&WatchParams::default().labels("seen=yes"), &version).await.unwrap().boxed();
    write(&api, "a", "1").await;
    for seen in ["yes", "no", "yes"] {
        let patch = json!({"metadata": {"labels": {"seen": seen}}});
        api.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }
    for what in ["added", "deleted", "added"] {
        assert_eq!(next(&mut events).await, (what, "a".to_owned()));
    }
}

async fn a_watch_begins_with_what_is_there(ground: Ground) {
    let api = ground.config_maps();
    api.create(&PostParams::default(), &config_map("a", "1")).await.unwrap();
    let mut events = api.watch(&WatchParams::default().fields("metadata.name=a"), "0").await.unwrap().boxed();
    assert_eq!(next(&mut events).await, ("added", "a".to_owned()));
    api.delete("a", &DeleteParams::default()).await.unwrap();
    assert_eq!(next(&mut events).await, ("deleted", "a".to_owned()));
}
