//! Who is woken by what.

use std::sync::atomic::Ordering;

use cluster::kinds::Promise;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::world::{PATIENCE, Plane, on_every_plane, settings, wait};

on_every_plane![a_promise_hears_that_its_last_request_went,];

/// Each new request changes the count of its promise: were that to wake all its requests, n requests would take n² looks.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_request_leaves_those_of_the_same_promise_alone() {
    let plane = Plane::open().await;
    plane.offer().await;
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("first", "settings", json!({})).await;
    plane.ready("first").await;
    controller.stop().await;
    let (controller, looks) = plane.counting_controller(|path| path.ends_with("/promiserequests/first")).await;
    let promises: Api<Promise> = Api::all(plane.client("admin", "root:platform"));
    let counted = |instances: i64| move |promise: &Promise| promise.status.as_ref().is_some_and(|status| status.instances == instances);
    plane.ask("second", "settings", json!({})).await;
    plane.ready("second").await;
    wait(promises.clone(), "settings", "counted", counted(2)).await;
    let before = looks.load(Ordering::SeqCst);
    for name in ["third", "fourth", "fifth"] {
        plane.ask(name, "settings", json!({})).await;
        plane.ready(name).await;
    }
    wait(promises, "settings", "counted", counted(5)).await;
    // Whoever was woken by the counts so far was looked at before this one.
    plane.ask("last", "settings", json!({})).await;
    plane.ready("last").await;
    assert_eq!(looks.load(Ordering::SeqCst) - before, 0);
    controller.stop().await;
}

/// Each look is a read of the request and of everything that was made for it.
#[tokio::test(flavor = "multi_thread")]
async fn other_words_of_a_policy_and_notes_on_a_promise_leave_requests_alone() {
    let plane = Plane::open().await;
    plane.offer().await;
    let policy = |title: &str, highest: u32| {
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "levels"},
            "spec": {
                "title": title, "description": title, "owner": {"team": "Platform"}, "appliesTo": {"promises": ["settings"]},
                "rules": [{"name": "level", "constrain": {"parameter": ".level", "maximum": highest}}],
            },
        })
    };
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.govern(&policy("Levels", 8)).await;
    plane.ask("first", "settings", json!({})).await;
    plane.ready("first").await;
    controller.stop().await;
    let (controller, looks) = plane.counting_controller(|path| path.ends_with("/promiserequests/first")).await;
    let seen = async || {
        for name in ["a", "b"].map(|name| format!("{name}-{}", looks.load(Ordering::SeqCst))) {
            plane.ask(&name, "settings", json!({})).await;
            plane.ready(&name).await;
            plane.requests("dana").delete(&name, &DeleteParams::default()).await.unwrap();
            plane.gone(plane.requests("dana"), &name).await;
        }
        looks.load(Ordering::SeqCst)
    };
    let before = seen().await;
    plane.govern(&policy("Levels of settings", 8)).await;
    let promises: Api<Promise> = Api::all(plane.client("admin", "root:platform"));
    let note = Patch::Merge(json!({"metadata": {"annotations": {"example.org/note": "seen"}}}));
    promises.patch("settings", &PatchParams::default(), &note).await.unwrap();
    assert_eq!(seen().await, before);
    plane.govern(&policy("Levels of settings", 7)).await;
    let end = tokio::time::Instant::now() + PATIENCE;
    while looks.load(Ordering::SeqCst) == before {
        assert!(tokio::time::Instant::now() < end, "another rule is looked at");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    controller.stop().await;
}

async fn a_promise_hears_that_its_last_request_went(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    let promises: Api<Promise> = Api::all(plane.client("admin", "root:platform"));
    wait(promises.clone(), "settings", "held", |promise: &Promise| promise.metadata.finalizers.is_some()).await;
    promises.delete("settings", &DeleteParams::default()).await.unwrap();
    wait(promises.clone(), "settings", "in use", |promise: &Promise| {
        promise.status.as_ref().is_some_and(|status| status.conditions.iter().any(|condition| condition.r#type == "InUse"))
    })
    .await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    plane.gone(promises, "settings").await;
    controller.stop().await;
}
