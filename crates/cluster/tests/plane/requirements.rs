//! What a promise requires has to work before anything new is made of it, whichever way it is asked for.

use cluster::kinds::Destination;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::destination::sandbox_over;
use crate::kept::widgets;
use crate::world::{Plane, apply, condition, on_every_plane, settings, wait};

on_every_plane![what_is_required_comes_first,];

crate::world::on_every_plane_in_full![a_required_api_has_to_be_served_and_not_only_listed,];

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
    assert!(said.ends_with("This promise needs a working instance of settings in version >=1 first."), "{said}");
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

/// The owner of the Destination lists the kind; its server learns of it later.
async fn a_required_api_has_to_be_served_and_not_only_listed(plane: Plane) {
    let root = sandbox_over(&plane, plane.router(), json!([{"group": "example.dev", "kinds": ["Widget"]}])).await;
    let controller = plane.controller().await;
    plane.offer().await;
    let mut needy = settings("1.0.0");
    needy["requires"] = json!([{"api": "example.dev/Widget", "destination": "sandbox"}]);
    plane.publish("needy", needy).await;
    plane.ask("web", "needy", json!({})).await;
    let refused =
        plane.until("web", "refused for what is missing", |request| condition(request, "Accepted").contains("This promise needs")).await;
    let said = condition(&refused, "Accepted");
    assert!(said.starts_with("False") && said.ends_with("This promise needs the kind Widget of example.dev at sandbox first."), "{said}");
    assert!(refused.status.unwrap().inventory.is_empty());
    let api = kube::Api::<Destination>::all(plane.client("admin", "root:platform"));
    let known = |served| move |d: &Destination| d.status.as_ref().and_then(|status| status.serves("example.dev/Widget")) == Some(served);
    wait(api.clone(), "sandbox", "asked", known(false)).await;

    apply(&root, &widgets()[0]).await.unwrap();
    wait(api, "sandbox", "asked again", known(true)).await;
    plane.ready("web").await;
    controller.stop().await;
}
