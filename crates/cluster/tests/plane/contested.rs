//! Somebody who keeps changing what was made is answered for a while, and then told of.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use promise::api::Phase;
use serde_json::json;

use crate::world::{Plane, condition, settings, wait};

crate::world::on_every_plane_in_full![a_fight_over_a_field_ends_and_a_new_release_is_not_held_up,];

async fn a_fight_over_a_field_ends_and_a_new_release_is_not_held_up(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 5})).await;
    plane.ready("web").await;
    let level = |map: &ConfigMap| map.data.as_ref().and_then(|data| data.get("level")).cloned().unwrap_or_default();
    let write = |text: String| {
        let (maps, patch) = (plane.config_maps(), json!({"data": {"level": text}}));
        async move { maps.patch("web-config", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap() }
    };
    for round in 0..3 {
        write(format!("theirs-{round}")).await;
        wait(plane.config_maps(), "web-config", "put back", |map: &ConfigMap| level(map) == "5").await;
    }
    write("theirs-3".to_owned()).await;
    let told = plane.until("web", "contested", |r| condition(r, "DriftFree").starts_with("False Contested")).await;
    assert!(condition(&told, "DriftFree").contains(".data.level of config"), "{}", condition(&told, "DriftFree"));
    assert!(condition(&told, "Applied").starts_with("True"), "{}", condition(&told, "Applied"));
    assert_eq!(told.status.map(|status| status.phase), Some(Phase::Ready));
    assert_eq!(level(&plane.config_maps().get("web-config").await.unwrap()), "theirs-3");

    let edit = json!({"spec": {"parameters": {"level": 7}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    wait(plane.config_maps(), "web-config", "changed", |map: &ConfigMap| level(map) == "7").await;
    plane.until("web", "calm", |r| condition(r, "DriftFree").starts_with("True")).await;
    controller.stop().await;
}
