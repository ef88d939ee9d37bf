//! What watches show isn't read, and nothing is done because of it before it is read.

use std::sync::atomic::Ordering;

use cluster::kinds::PromiseRequest;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use promise::names;
use serde_json::{Value, json};

use crate::world::{Plane, condition, on_every_plane, settings, wait};

on_every_plane![a_steady_request_is_kept_after_a_restart_without_reading_its_objects,];

crate::world::on_every_plane_in_full![an_object_that_someone_took_over_unnoticed_is_left_alone,];

fn level(map: &ConfigMap) -> &str {
    map.data.as_ref().and_then(|data| data.get("level")).map(String::as_str).unwrap_or_default()
}

async fn patch(plane: &Plane, body: Value) {
    plane.config_maps().patch("web-config", &PatchParams::default(), &Patch::Merge(&body)).await.unwrap();
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
    let (controller, reads) = plane.counting_controller(move |path| watched.iter().any(|object| path.ends_with(object))).await;
    // A second request is looked at after the first, so that its end says that the first was looked at.
    plane.ask("second", "settings", json!({})).await;
    plane.ready("second").await;
    assert_eq!(reads.load(Ordering::SeqCst), 0);
    let after = plane.requests("dana").get("web").await.unwrap();
    assert_eq!(after.metadata.resource_version, ready.metadata.resource_version, "{:#?} became {:#?}", ready.status, after.status);

    // What someone else writes is put back, once it was read.
    patch(&plane, json!({"data": {"level": "forged"}})).await;
    wait(plane.config_maps(), "web-config", "put back", |map: &ConfigMap| level(map) == "5").await;
    assert!(reads.load(Ordering::SeqCst) > 0);
    controller.stop().await;
}

/// The watch is open and shows nothing, as if the connection were gone without notice.
async fn an_object_that_someone_took_over_unnoticed_is_left_alone(plane: Plane) {
    let (controller, hold) = plane.uninformed_controller("/configmaps").await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 5})).await;
    plane.ready("web").await;
    hold.send_replace(true);
    patch(&plane, json!({"metadata": {"labels": {names::REQUEST_UID_LABEL: null}}, "data": {"level": "theirs"}})).await;
    let edit = json!({"spec": {"parameters": {"level": 7}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    let in_conflict = |request: &PromiseRequest| condition(request, "Applied").contains("Conflict");
    plane.until("web", "in conflict", in_conflict).await;
    assert_eq!(level(&plane.config_maps().get("web-config").await.unwrap()), "theirs");
    hold.send_replace(false);
    controller.stop().await;
}
