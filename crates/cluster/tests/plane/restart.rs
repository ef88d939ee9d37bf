//! The controller may die at any moment.

use kube::api::{DeleteParams, ListParams};
use promise::names;
use serde_json::json;

use crate::world::{Plane, on_every_plane, settings};

on_every_plane![a_fulfilled_request_is_left_as_it_is,];

/// A controller that starts again looks at everything and has nothing to write.
async fn a_fulfilled_request_is_left_as_it_is(plane: Plane) {
    plane.offer().await;
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    let ready = plane.ready("web").await;
    controller.stop().await;
    let controller = plane.controller().await;
    // A second request is looked at after the first, so that its end says that the first was looked at.
    plane.ask("second", "settings", json!({})).await;
    plane.ready("second").await;
    let after = plane.requests("dana").get("web").await.unwrap();
    assert_eq!(after.metadata.resource_version, ready.metadata.resource_version, "{:#?} became {:#?}", ready.status, after.status);
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn before_whichever_write_it_dies_the_next_one_completes_without_duplicates() {
    dies_before_whichever_write(Plane::open().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_in_namespaces() {
    dies_before_whichever_write(Plane::namespaces().await).await;
}

/// Each round the controller dies before a later write than in the round before, making and removing.
async fn dies_before_whichever_write(plane: Plane) {
    plane.offer().await;
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    controller.crash();
    for writes in 0..12 {
        let name = format!("web-{writes}");
        let (mortal, hangs) = plane.mortal_controller(writes).await;
        plane.ask(&name, "settings", json!({"level": 4, "extra": true})).await;
        tokio::select! {
            () = hangs.notified() => {}
            // So many writes are not needed.
            _ = plane.ready(&name) => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        let ready = plane.ready(&name).await;
        controller.crash();
        let uid = ready.metadata.uid.unwrap();
        let own = ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL));
        assert_eq!(plane.config_maps().list(&own).await.unwrap().items.len(), 2, "after {writes} writes");

        let (mortal, hangs) = plane.mortal_controller(writes).await;
        plane.requests("dana").delete(&name, &DeleteParams::default()).await.unwrap();
        tokio::select! {
            () = hangs.notified() => {}
            () = plane.gone(plane.requests("dana"), &name) => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        plane.gone(plane.requests("dana"), &name).await;
        assert!(plane.config_maps().list(&own).await.unwrap().items.is_empty(), "after {writes} writes");
        controller.crash();
    }
}
