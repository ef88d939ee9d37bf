//! Objects of others are named and left alone.

use kube::api::DeleteParams;
use serde_json::json;

use crate::world::{Plane, apply, condition, on_every_plane, settings};

on_every_plane![a_foreign_object_stops_the_release_until_it_goes, a_foreign_object_stays_when_the_request_goes,];

async fn a_foreign_object_stops_the_release_until_it_goes(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let shop = plane.client("admin", "root:acme:shop");
    let foreign = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web-config", "namespace": plane.namespace()}, "data": {"mine": "yes"}});
    apply(&shop, &foreign).await.unwrap();

    plane.ask("web", "settings", json!({})).await;
    let stopped = plane.until("web", "in conflict", |r| condition(r, "Applied").contains("Conflict")).await;
    assert!(condition(&stopped, "Applied").contains("ConfigMap web-config"), "{}", condition(&stopped, "Applied"));
    assert_eq!(plane.config_maps().get("web-config").await.unwrap().data.unwrap()["mine"], "yes");

    // It carries no label of ours, so that nothing says when it goes.
    plane.config_maps().delete("web-config", &DeleteParams::default()).await.unwrap();
    plane.ready("web").await;
    controller.stop().await;
}

async fn a_foreign_object_stays_when_the_request_goes(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let foreign = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web-config", "namespace": plane.namespace()}});
    apply(&plane.client("admin", "root:acme:shop"), &foreign).await.unwrap();
    plane.ask("web", "settings", json!({})).await;
    plane.until("web", "in conflict", |r| condition(r, "Applied").contains("Conflict")).await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    assert!(plane.config_maps().get("web-config").await.is_ok(), "it is not ours to delete");
    controller.stop().await;
}
