//! What was decided while not everything could be read is decided about again once it can, although nothing changed meanwhile.

use cluster::controller::ControllerState;
use kube::api::DeleteParams;
use serde_json::json;
use tokio::sync::watch;

use crate::room::is_full;
use crate::running::Running;
use crate::world::{Plane, condition, settings};

crate::world::on_every_plane_in_full![
    a_request_made_while_policies_cannot_be_read_goes_on_once_they_can,
    a_request_refused_while_nothing_could_be_counted_finds_its_room_once_it_can,
];

/// From now on the controller cannot read what it needs, and knows it.
async fn goes_blind(controller: &mut Running, blind: &watch::Sender<bool>) {
    blind.send_replace(true);
    controller.until("hampered", |state| matches!(state, ControllerState::Degraded { .. })).await;
}

async fn a_request_made_while_policies_cannot_be_read_goes_on_once_they_can(plane: Plane) {
    let (mut controller, blind) = plane.blinded_controller("/policies").await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    goes_blind(&mut controller, &blind).await;
    plane.ask("web", "settings", json!({})).await;
    plane.until("web", "held", |request| condition(request, "PoliciesSatisfied").starts_with("Unknown PoliciesNotVisible")).await;
    blind.send_replace(false);
    plane.ready("web").await;
    controller.stop().await;
}

async fn a_request_refused_while_nothing_could_be_counted_finds_its_room_once_it_can(plane: Plane) {
    let (mut controller, blind) = plane.blinded_controller("/promisereleases").await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let policy = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "modest"},
        "spec": {"title": "Modest", "rules": [{"name": "three", "limit": {"count": 3, "per": "workspace"}}]},
    });
    plane.govern(&policy).await;
    goes_blind(&mut controller, &blind).await;
    plane.ask("web", "settings", json!({})).await;
    plane.until("web", "without room", is_full).await;
    blind.send_replace(false);
    plane.ready("web").await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    controller.stop().await;
}
