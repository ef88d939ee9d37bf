//! A deletion that doesn't know its steps any more.

use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

use super::{promise, ticket, with_tickets};
use crate::events::{note, says};
use crate::lost::lose_release;
use crate::world::Plane;

crate::world::on_every_plane_in_full![a_deletion_whose_release_is_gone_runs_no_steps_and_an_event_says_so,];

async fn a_deletion_whose_release_is_gone_runs_no_steps_and_an_event_says_so(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    plane.publish("settings", promise("1.0.0", json!({"deprovision": {"steps": [ticket("Close it")]}}))).await;
    plane.ask("web", "settings", json!({})).await;
    let ready = plane.ready("web").await;
    controller.stop().await;
    lose_release(&plane, &ready.status.unwrap().current.unwrap().release).await;
    // With the same content it would be recorded again.
    let edit = Patch::Merge(json!({"spec": {"parameters": {"level": 7}}}));
    plane.requests("dana").patch("web", &PatchParams::default(), &edit).await.unwrap();
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();

    let controller = plane.controller().await;
    plane.gone(plane.requests("dana"), "web").await;
    let event = note(&plane, &ready.metadata.uid.unwrap(), says("DeprovisionSkipped")).await;
    assert_eq!(event.type_.as_deref(), Some("Warning"));
    assert_eq!(tickets.titles(), Vec::<String>::new());
    assert_eq!(super::level(&plane).await, None, "its objects are deleted all the same");
    controller.stop().await;
}
