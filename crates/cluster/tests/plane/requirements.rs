//! What a promise requires has to work before anything new is made of it, whichever way it is asked for.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::world::{Plane, condition, on_every_plane, settings, wait};

on_every_plane![what_is_required_comes_first];

async fn what_is_required_comes_first(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let mut needy = settings("1.0.0");
    needy["requires"] = json!([{"promise": "settings", "version": ">=1"}]);
    plane.publish("needy", needy).await;

    plane.ask("second", "needy", json!({})).await;
    let refused = plane.until("second", "refused for what is missing", |request| condition(request, "Accepted").starts_with("False")).await;
    let said = condition(&refused, "Accepted");
    assert!(said.ends_with("It needs a working instance of settings in version >=1 first."), "{said}");
    assert!(refused.status.unwrap().inventory.is_empty());

    // Nobody touches the second one: that the first works is enough.
    plane.ask("first", "settings", json!({})).await;
    plane.ready("first").await;
    plane.ready("second").await;

    // What runs is not taken away, and may be changed, though it could not be made now.
    plane.requests("dana").delete("first", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "first").await;
    let edit = json!({"spec": {"parameters": {"level": 7}}});
    plane.requests("dana").patch("second", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    wait(plane.config_maps(), "second-config", "changed", |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["level"] == "7"))
        .await;
    controller.stop().await;
}
