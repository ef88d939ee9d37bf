//! What watches show isn't read, and nothing is done because of it before it is read.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cluster::kinds::PromiseRequest;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams};
use promise::api::Phase;
use promise::names;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::running::Running;
use crate::world::{PATIENCE, Plane, condition, on_every_plane_in_full, settings, wait};

on_every_plane_in_full![
    a_steady_request_is_kept_after_a_restart_without_reading_its_objects,
    what_the_controller_wrote_is_no_reason_to_look_again,
    an_object_that_someone_took_over_unnoticed_is_left_alone,
    what_is_no_longer_wanted_stays_until_what_went_unnoticed_is_there_again,
    what_is_no_longer_wanted_stays_if_someone_took_it_over_unnoticed,
    what_someone_took_over_unnoticed_is_neither_deleted_nor_handed_over_with_its_request,
    a_long_chain_of_objects_follows_an_edit_in_one_reconcile,
];

fn level(map: &ConfigMap) -> &str {
    map.data.as_ref().and_then(|data| data.get("level")).map(String::as_str).unwrap_or_default()
}

async fn patch(plane: &Plane, map: &str, body: Value) {
    plane.config_maps().patch(map, &PatchParams::default(), &Patch::Merge(&body)).await.unwrap();
}

async fn edit(plane: &Plane, request: &str, spec: Value) {
    let body = json!({"spec": spec});
    plane.requests("dana").patch(request, &PatchParams::default(), &Patch::Merge(&body)).await.unwrap();
}

/// Writes into an object, and waits until that is put back: the watch on its kind is open, and has shown everything from before.
async fn until_watched(plane: &Plane, map: &str) {
    let before = level(&plane.config_maps().get(map).await.unwrap()).to_owned();
    patch(plane, map, json!({"data": {"level": "forged"}})).await;
    wait(plane.config_maps(), map, "put back", |map: &ConfigMap| level(map) == before).await;
}

/// Starts a controller with ready requests. While the value is true, its watch on their ConfigMaps is open and shows nothing, as if the
/// connection were gone without notice.
async fn hanging(plane: &Plane, requests: &[&str], parameters: Value) -> (Running, watch::Sender<bool>) {
    // The lists of what was orphaned are ConfigMaps as well, and are still heard of.
    let of = if plane.has_namespaces() { "/namespaces/shop/configmaps" } else { "/api/v1/configmaps" };
    let (controller, hold) = plane.uninformed_controller(of).await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    for request in requests {
        plane.ask(request, "settings", parameters.clone()).await;
        plane.ready(request).await;
        until_watched(plane, &format!("{request}-config")).await;
    }
    hold.send_replace(true);
    (controller, hold)
}

async fn a_steady_request_is_kept_after_a_restart_without_reading_its_objects(plane: Plane) {
    plane.offer().await;
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 5})).await;
    let ready = plane.ready("web").await;
    controller.stop().await;

    // On kcp, no export claims to list Secrets, so they aren't watched.
    let watched: &[&str] = if plane.has_namespaces() {
        &["/configmaps/web-config", "/secrets/web-access", "/secrets/web-outputs"]
    } else {
        &["/configmaps/web-config"]
    };
    // Each reconcile begins with reading the request.
    let (begins, mut begun) = watch::channel(false);
    let begins = Arc::new(begins);
    let counts = move |path: &str| {
        if path.ends_with("/promiserequests/web") {
            begins.send_replace(true);
        }
        watched.iter().any(|object| path.ends_with(object))
    };
    let (controller, reads) = plane.counting_controller(counts).await;
    tokio::time::timeout(PATIENCE, begun.wait_for(|begun| *begun)).await.expect("the request is looked at").unwrap();
    plane.ask("second", "settings", json!({})).await;
    plane.ready("second").await;
    let after = plane.requests("dana").get("web").await.unwrap();
    assert_eq!(after.metadata.resource_version, ready.metadata.resource_version, "{:#?} became {:#?}", ready.status, after.status);
    // A request is looked at once at a time: what this edit leads to comes after the first look.
    edit(&plane, "web", json!({"reason": "looked at again"})).await;
    let again = plane.ready("web").await;
    assert_eq!(again.status.unwrap().inventory, ready.status.unwrap().inventory);
    assert_eq!(reads.load(Ordering::SeqCst), 0);

    // What someone else writes is put back, once it was read.
    until_watched(&plane, "web-config").await;
    assert!(reads.load(Ordering::SeqCst) > 0);
    controller.stop().await;
}

/// Each reconcile begins with reading the request.
async fn what_the_controller_wrote_is_no_reason_to_look_again(plane: Plane) {
    plane.offer().await;
    let (controller, looks) = plane.counting_controller(|path: &str| path.ends_with("/promiserequests/web")).await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 5})).await;
    plane.ready("web").await;
    plane.ask("second", "settings", json!({})).await;
    plane.ready("second").await;
    assert_eq!(looks.load(Ordering::SeqCst), 1);

    edit(&plane, "web", json!({"parameters": {"level": 7}})).await;
    plane.ready("web").await;
    plane.ask("third", "settings", json!({})).await;
    plane.ready("third").await;
    assert_eq!(looks.load(Ordering::SeqCst), 2);
    until_watched(&plane, "web-config").await;
    assert!(looks.load(Ordering::SeqCst) > 2, "someone else's write is one");
    controller.stop().await;
}

async fn an_object_that_someone_took_over_unnoticed_is_left_alone(plane: Plane) {
    let (controller, hold) = hanging(&plane, &["web"], json!({"level": 5})).await;
    patch(&plane, "web-config", json!({"metadata": {"labels": {names::REQUEST_UID_LABEL: null}}, "data": {"level": "theirs"}})).await;
    edit(&plane, "web", json!({"parameters": {"level": 7}})).await;
    let in_conflict = |request: &PromiseRequest| condition(request, "Applied").contains("Conflict");
    plane.until("web", "in conflict", in_conflict).await;
    assert_eq!(level(&plane.config_maps().get("web-config").await.unwrap()), "theirs");
    hold.send_replace(false);
    controller.stop().await;
}

/// A removal waits until everything that the release wants is healthy. Here the watch still shows an object that is gone.
async fn what_is_no_longer_wanted_stays_until_what_went_unnoticed_is_there_again(plane: Plane) {
    let (controller, hold) = hanging(&plane, &["web"], json!({"level": 5, "extra": true})).await;
    plane.config_maps().delete("web-config", &DeleteParams::default()).await.unwrap();
    edit(&plane, "web", json!({"parameters": {"extra": false}})).await;
    plane.gone(plane.config_maps(), "web-more").await;
    let config = plane.config_maps().get_opt("web-config").await.unwrap();
    assert_eq!(config.as_ref().map(level), Some("5"), "it was created again first");
    hold.send_replace(false);
    controller.stop().await;
}

async fn what_is_no_longer_wanted_stays_if_someone_took_it_over_unnoticed(plane: Plane) {
    let (controller, hold) = hanging(&plane, &["web"], json!({"level": 5, "extra": true})).await;
    patch(&plane, "web-more", json!({"metadata": {"labels": {names::REQUEST_UID_LABEL: null}}, "data": {"a": "theirs"}})).await;
    edit(&plane, "web", json!({"parameters": {"extra": false}})).await;
    let kept = plane.ready("web").await;
    assert!(kept.status.unwrap().inventory.iter().all(|item| item.name != "web-more"));
    let more = plane.config_maps().get("web-more").await.unwrap();
    assert_eq!(more.data.unwrap()["a"], "theirs");
    hold.send_replace(false);
    controller.stop().await;
}

async fn what_someone_took_over_unnoticed_is_neither_deleted_nor_handed_over_with_its_request(plane: Plane) {
    let (controller, hold) = hanging(&plane, &["deleted", "left"], json!({"level": 5})).await;
    edit(&plane, "left", json!({"deletionPolicy": "Orphan"})).await;
    plane.ready("left").await;
    let theirs = json!({"metadata": {"labels": {names::REQUEST_UID_LABEL: "theirs", names::REQUEST_NAME_LABEL: "other"}}});
    for request in ["deleted", "left"] {
        patch(&plane, &format!("{request}-config"), theirs.clone()).await;
        plane.requests("dana").delete(request, &DeleteParams::default()).await.unwrap();
        plane.gone(plane.requests("dana"), request).await;
        let config = plane.config_maps().get(&format!("{request}-config")).await.unwrap();
        assert_eq!(config.metadata.labels.unwrap().get(names::REQUEST_UID_LABEL).map(String::as_str), Some("theirs"), "{request}");
    }
    hold.send_replace(false);
    controller.stop().await;
}

/// Each link is read before it is changed, and that takes nothing of the number of plans that a reconcile executes.
async fn a_long_chain_of_objects_follows_an_edit_in_one_reconcile(plane: Plane) {
    let links = 30;
    let link = |number: usize| {
        let source = if number == 0 { "string(parameters.level)".to_owned() } else { format!("resources.link{}.data.level", number - 1) };
        json!({"id": format!("link{number}"), "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("${{request.name}}-{number}")},
            "data": {"level": format!("${{{source}}}")},
        }})
    };
    let mut chain = settings("1.0.0");
    chain["outputs"] = json!([]);
    chain["implementation"]["resources"] = (0..links).map(link).collect();
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("chain", chain).await;
    plane.ask("web", "chain", json!({"level": 5})).await;
    plane.ready("web").await;
    // No other object reads the last one.
    let last = format!("web-{}", links - 1);
    until_watched(&plane, &last).await;
    plane.ready("web").await;
    edit(&plane, "web", json!({"parameters": {"level": 7}})).await;
    let is_reported = |request: &PromiseRequest| request.status.as_ref().map(|status| status.observed_generation) == Some(2);
    let first = plane.until("web", "reported after the edit", is_reported).await;
    assert_eq!(first.status.as_ref().map(|status| status.phase), Some(Phase::Ready), "{}", condition(&first, "Applied"));
    assert_eq!(level(&plane.config_maps().get(&last).await.unwrap()), "7");
    controller.stop().await;
}
