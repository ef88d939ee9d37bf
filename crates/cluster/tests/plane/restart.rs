//! The controller may die at any moment.

use std::time::Duration;

use kube::api::{DeleteParams, ListParams};
use promise::names;
use serde_json::json;

use crate::world::{Plane, settings};

/// A controller that starts again looks at everything and has nothing to write.
#[tokio::test(flavor = "multi_thread")]
async fn a_fulfilled_request_is_left_as_it_is() {
    let plane = Plane::open().await;
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

/// Each round ends the controller a little later than the one before, from “nothing done” to “everything done”.
#[tokio::test(flavor = "multi_thread")]
async fn whenever_it_dies_the_next_one_completes_without_duplicates() {
    let plane = Plane::open().await;
    plane.offer().await;
    let controller = plane.controller().await;
    plane.publish("settings", settings("1.0.0")).await;
    controller.crash();
    for round in 0..8 {
        let name = format!("web-{round}");
        let controller = plane.controller().await;
        plane.ask(&name, "settings", json!({"level": 4, "extra": true})).await;
        tokio::time::sleep(Duration::from_millis(round * 4)).await;
        controller.crash();
        let controller = plane.controller().await;
        let ready = plane.ready(&name).await;
        let uid = ready.metadata.uid.unwrap();
        let own = ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL));
        let made = plane.config_maps().list(&own).await.unwrap();
        assert_eq!(made.items.len(), 2, "round {round}");
        plane.requests("dana").delete(&name, &DeleteParams::default()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(round * 2)).await;
        controller.crash();
        let controller = plane.controller().await;
        plane.gone(plane.requests("dana"), &name).await;
        assert!(plane.config_maps().list(&own).await.unwrap().items.is_empty(), "round {round}");
        controller.crash();
    }
}
