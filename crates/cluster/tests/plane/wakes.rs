//! Who is woken by what.

use std::sync::atomic::Ordering;

use cluster::install;
use cluster::kinds::{Export, Promise, PromiseRequest};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;

use crate::world::{PATIENCE, Plane, apply, condition, on_every_plane_in_full, request, settings, wait, workspace};

on_every_plane_in_full![
    a_promise_hears_that_its_last_request_went,
    a_request_made_right_after_its_workspace_is_not_left_waiting,
    a_new_request_leaves_those_of_the_same_promise_alone,
    other_words_of_a_policy_and_notes_on_a_promise_leave_requests_alone,
    a_catalog_wakes_no_request_by_its_words_nor_one_of_a_promise_that_it_does_not_list,
];

/// Each new request changes the count of its promise: were that to wake all its requests, n requests would take n² looks.
async fn a_new_request_leaves_those_of_the_same_promise_alone(plane: Plane) {
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
async fn other_words_of_a_policy_and_notes_on_a_promise_leave_requests_alone(plane: Plane) {
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

async fn a_catalog_wakes_no_request_by_its_words_nor_one_of_a_promise_that_it_does_not_list(plane: Plane) {
    let catalog = |name: &str, title: &str, weight: i32, promise: &str| {
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseCatalog", "metadata": {"name": name},
            "spec": {"title": title, "description": title, "weight": weight, "promises": [promise], "workspaces": ["root:acme:**", "cluster:*"]},
        })
    };
    let platform = plane.client("admin", "root:platform");
    let controller = plane.controller().await;
    for promise in ["settings", "other"] {
        plane.publish(promise, settings("1.0.0")).await;
    }
    apply(&platform, &catalog("standard", "Standard", 0, "settings")).await.unwrap();
    plane.ask("first", "settings", json!({})).await;
    plane.ready("first").await;
    controller.stop().await;
    let (controller, looks) = plane.counting_controller(|path| path.ends_with("/promiserequests/first")).await;
    // What was woken by the start was looked at before these.
    for name in ["a", "b"] {
        plane.ask(name, "settings", json!({})).await;
        plane.ready(name).await;
    }
    let before = looks.load(Ordering::SeqCst);
    apply(&platform, &catalog("standard", "Everything", 0, "settings")).await.unwrap();
    // What is offered from now on says that the controller has seen the words before.
    plane.ask("second", "other", json!({})).await;
    plane.until("second", "not offered", |request| condition(request, "Accepted").starts_with("False")).await;
    apply(&platform, &catalog("more", "More", 0, "other")).await.unwrap();
    plane.ready("second").await;
    assert_eq!(looks.load(Ordering::SeqCst), before);
    apply(&platform, &catalog("standard", "Everything", 1, "settings")).await.unwrap();
    let end = tokio::time::Instant::now() + PATIENCE;
    while looks.load(Ordering::SeqCst) == before {
        assert!(tokio::time::Instant::now() < end, "another weight can mean other prices");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    controller.stop().await;
}

/// Makes a workspace and a request in it.
async fn ask_in_a_new_workspace(plane: &Plane) -> Api<PromiseRequest> {
    let (client, namespace) = if plane.has_namespaces() {
        let admin = plane.client("admin", "cluster");
        apply(&admin, &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "late"}})).await.unwrap();
        plane.bootstrap(&["late"]).await;
        (admin, "late")
    } else {
        workspace(&plane.client("admin", "root:acme"), "late").await;
        let late = plane.client("admin", "root:acme:late");
        install::bind(&late, Export::Requests, plane.installed()).await.unwrap();
        (late, "default")
    };
    let requests: Api<PromiseRequest> = Api::namespaced(client, namespace);
    let mut request = request("web", "settings", json!({}));
    request.metadata.namespace = Some(namespace.to_owned());
    requests.create(&PostParams::default(), &request).await.unwrap();
    requests
}

async fn a_request_made_right_after_its_workspace_is_not_left_waiting(plane: Plane) {
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.offer().await;
    let requests = ask_in_a_new_workspace(&plane).await;
    wait(requests, "web", "Ready", |request: &PromiseRequest| condition(request, "Ready").starts_with("True")).await;
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_goes_on_as_soon_as_the_controller_hears_of_its_workspace() {
    for (plane, of) in [(Plane::open().await, "/workspaces"), (Plane::namespaces().await, "/namespaces")] {
        let (controller, hold) = plane.uninformed_controller(of).await;
        plane.publish("settings", settings("1.0.0")).await;
        plane.offer().await;
        hold.send_replace(true);
        let requests = ask_in_a_new_workspace(&plane).await;
        wait(requests.clone(), "web", "judged without its workspace", |request: &PromiseRequest| request.status.is_some()).await;
        hold.send_replace(false);
        wait(requests, "web", "Ready", |request: &PromiseRequest| condition(request, "Ready").starts_with("True")).await;
        controller.stop().await;
    }
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
