//! A deletion that others hold says which finalizer holds it, and whose it is.

use cluster::kinds::PromiseRequest;
use jiff::SignedDuration;
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams};
use promise::api::{Phase, WaitingOn, WaitingReason};
use promise::finalizer;
use serde_json::json;

use crate::world::{Plane, on_every_plane, settings};

on_every_plane![a_deletion_that_hangs_names_the_finalizer_and_its_owner, a_request_that_others_hold_names_their_finalizer,];

const HELD: &str = "example.org/held";

/// Time after which a deletion counts as held.
const LATER: SignedDuration = SignedDuration::from_secs(finalizer::PATIENCE + 1);

fn waits(request: &PromiseRequest) -> Option<&WaitingOn> {
    request.status.as_ref()?.waiting_on.as_ref()
}

fn waits_for(request: &PromiseRequest, reason: WaitingReason, object: &str) -> bool {
    waits(request).is_some_and(|waits| waits.reason == reason && waits.object.as_deref() == Some(object))
}

/// A change that has the controller look at an object again: nothing wakes it when the clock of a test jumps.
fn note() -> Patch<serde_json::Value> {
    Patch::Merge(json!({"metadata": {"annotations": {"example.org/note": "look again"}}}))
}

async fn a_deletion_that_hangs_names_the_finalizer_and_its_owner(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    let hold = Patch::Merge(json!({"metadata": {"finalizers": [HELD]}}));
    plane.config_maps().patch("web-config", &PatchParams::default(), &hold).await.unwrap();
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    let terminating = |request: &PromiseRequest| waits_for(request, WaitingReason::Terminating, "ConfigMap web-config");
    let recent = plane.until("web", "being deleted", terminating).await;
    assert!(waits(&recent).unwrap().finalizers.is_empty(), "it might be removed at any moment");

    controller.advance(LATER);
    plane.config_maps().patch("web-config", &PatchParams::default(), &note()).await.unwrap();
    let is_held = |request: &PromiseRequest| waits_for(request, WaitingReason::HeldByFinalizer, "ConfigMap web-config");
    let status = plane.until("web", "held", is_held).await.status.unwrap();
    let waits = status.waiting_on.unwrap();
    assert_eq!((status.phase, waits.finalizers.as_slice()), (Phase::Deleting, [HELD.to_owned()].as_slice()));
    let whose = "can't be deleted until the controller of example.org removes the finalizer example.org/held";
    assert!(waits.message.contains(whose), "{}", waits.message);
    let item = status.inventory.iter().find(|item| item.name == "web-config").unwrap();
    assert_eq!(item.message.as_ref(), Some(&waits.message));

    let free = Patch::Merge(json!({"metadata": {"finalizers": []}}));
    plane.config_maps().patch("web-config", &PatchParams::default(), &free).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    controller.stop().await;
}

async fn a_request_that_others_hold_names_their_finalizer(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    let hold = json!([{"op": "add", "path": "/metadata/finalizers/-", "value": HELD}]);
    let hold: Patch<()> = Patch::Json(serde_json::from_value(hold).unwrap());
    plane.requests("dana").patch("web", &PatchParams::default(), &hold).await.unwrap();
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.until("web", "given up by the controller", |request| request.finalizers() == [HELD]).await;

    controller.advance(LATER);
    plane.requests("dana").patch("web", &PatchParams::default(), &note()).await.unwrap();
    let is_held = |request: &PromiseRequest| waits_for(request, WaitingReason::HeldByFinalizer, "PromiseRequest web");
    let status = plane.until("web", "held", is_held).await.status.unwrap();
    assert_eq!((status.phase, status.waiting_on.unwrap().finalizers), (Phase::Deleting, vec![HELD.to_owned()]));

    let free = Patch::Merge(json!({"metadata": {"finalizers": []}}));
    plane.requests("dana").patch("web", &PatchParams::default(), &free).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    controller.stop().await;
}
