//! What is watched is what requests have.

use jiff::SignedDuration;
use kube::api::DeleteParams;
use serde_json::{Value, json};

use crate::world::{Plane, on_every_plane, settings};

on_every_plane![a_watch_ends_with_the_last_request_that_needs_it];

/// A promise of a secret alone.
fn secret() -> Value {
    let mut promise = settings("1.0.0");
    promise["outputs"] = json!([]);
    promise["implementation"]["resources"] = json!([{"id": "access", "template": {
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "${request.name}-access"}, "stringData": {"password": "hunter"},
    }}]);
    promise
}

async fn a_watch_ends_with_the_last_request_that_needs_it(plane: Plane) {
    let (controller, watches) = plane.watched_controller().await;
    // The controller's own list of what was orphaned is in ConfigMaps as well.
    let own = watches.open("configmaps").await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.publish("secret", secret()).await;
    for (name, promise) in [("one", "settings"), ("two", "settings"), ("other", "secret")] {
        plane.ask(name, promise, json!({})).await;
        plane.ready(name).await;
    }
    watches.until("configmaps", own + 1).await;

    let delete = async |name: &str| {
        plane.requests("dana").delete(name, &DeleteParams::default()).await.unwrap();
        plane.gone(plane.requests("dana"), name).await;
    };
    delete("one").await;
    controller.advance(SignedDuration::from_mins(5));
    // What is looked at after this one was looked at after the one that is gone.
    plane.ask("third", "secret", json!({})).await;
    plane.ready("third").await;
    assert_eq!(watches.open("configmaps").await, own + 1, "one request still has one");
    delete("two").await;
    controller.advance(SignedDuration::from_mins(5));
    plane.ask("fourth", "secret", json!({})).await;
    plane.ready("fourth").await;
    controller.advance(SignedDuration::from_mins(5));
    watches.until("configmaps", own).await;
    // The next one is watched again: what somebody else writes is put back.
    plane.ask("next", "settings", json!({})).await;
    plane.ready("next").await;
    watches.until("configmaps", own + 1).await;
    controller.stop().await;
}
