//! What deleted requests leave behind by their deletion policy goes on counting, is listed, and needs the consent of the Destination.

use cluster::install::SYSTEM_NAMESPACE;
use cluster::kinds::Destination;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use promise::names;
use serde_json::{Value, json};

use crate::destination::{sandbox, trio};
use crate::room::{governed, is_full};
use crate::trust::refused;
use crate::world::{Plane, condition, on_every_plane, settings};

on_every_plane![
    what_was_orphaned_takes_its_place_until_it_is_released,
    what_was_orphaned_takes_its_money_until_it_is_released,
    what_is_deleted_with_its_request_leaves_no_list,
    a_policy_can_refuse_orphaning,
];

crate::world::on_every_plane_in_full![a_destination_allows_orphaned_objects_or_they_go,];

/// Lists of what was orphaned, as somebody reads them.
fn lists(plane: &Plane, who: &str) -> Api<ConfigMap> {
    Api::namespaced(plane.client(who, "root:opm"), SYSTEM_NAMESPACE)
}

async fn all_lists(plane: &Plane) -> Vec<ConfigMap> {
    lists(plane, "admin").list(&ListParams::default().labels(names::ORPHANED_LABEL)).await.unwrap().items
}

/// A request of Dana's that was ready, and is deleted with what it made left where it is.
async fn orphaned(plane: &Plane, name: &str, parameters: Value) {
    plane.ask(name, "settings", parameters).await;
    let orphan = json!({"spec": {"deletionPolicy": "Orphan"}});
    plane.requests("dana").patch(name, &PatchParams::default(), &Patch::Merge(&orphan)).await.unwrap();
    plane.ready(name).await;
    plane.requests("dana").delete(name, &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), name).await;
}

async fn what_was_orphaned_takes_its_place_until_it_is_released(plane: Plane) {
    let controller = governed(&plane, json!({"name": "one", "limit": {"count": 1, "per": "workspace"}})).await;
    orphaned(&plane, "web", json!({})).await;
    assert!(plane.config_maps().get_opt("web-config").await.unwrap().is_some(), "it stays where it is");
    plane.ask("more", "settings", json!({})).await;
    let full = plane.until("more", "without room", is_full).await;
    let said = condition(&full, "PoliciesSatisfied");
    assert!(said.contains("The count includes 1 orphaned instance, until the platform team releases it."), "{said}");

    let [list] = all_lists(&plane).await.try_into().unwrap();
    let data = list.data.as_ref().unwrap();
    assert_eq!((data["request"].as_str(), data["promise"].as_str(), data["requester"].as_str()), ("web", "settings", "dana"));
    assert!(data["objects"].contains("web-config"), "{data:?}");
    assert!(data["howToRelease"].contains("Anyone who can delete ConfigMaps there can release them."), "{data:?}");
    let name = list.name_any();
    for who in ["dana", "erin", "opm-portal", "opm-controller"] {
        refused(who, lists(&plane, who).delete(&name, &DeleteParams::default()).await);
    }
    lists(&plane, "admin").delete(&name, &DeleteParams::default()).await.unwrap();
    plane.ready("more").await;
    controller.stop().await;
}

async fn what_was_orphaned_takes_its_money_until_it_is_released(plane: Plane) {
    let rule = json!({"name": "purse", "budget": {"monthly": "50.00", "currency": "EUR", "per": "subtree"}});
    let controller = governed(&plane, rule).await;
    orphaned(&plane, "web", json!({"level": 3})).await;
    plane.ask("more", "settings", json!({"level": 3})).await;
    plane.until("more", "without room", is_full).await;
    plane.ask("less", "settings", json!({"level": 2})).await;
    plane.ready("less").await;
    for list in all_lists(&plane).await {
        lists(&plane, "admin").delete(&list.name_any(), &DeleteParams::default()).await.unwrap();
    }
    plane.ready("more").await;
    controller.stop().await;
}

async fn what_is_deleted_with_its_request_leaves_no_list(plane: Plane) {
    let controller = governed(&plane, json!({"name": "one", "limit": {"count": 1, "per": "workspace"}})).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    assert_eq!(all_lists(&plane).await, []);
    plane.ask("more", "settings", json!({})).await;
    plane.ready("more").await;
    controller.stop().await;
}

async fn a_policy_can_refuse_orphaning(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let rule =
        json!({"name": "keep", "validate": {"expression": "request.deletionPolicy != 'Orphan'", "message": "Nothing is orphaned here."}});
    plane
        .govern(&json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "tidy"},
            "spec": {"title": "Tidy", "rules": [rule]},
        }))
        .await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    let orphan = json!({"spec": {"deletionPolicy": "Orphan"}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&orphan)).await.unwrap();
    plane.until("web", "refused", |r| condition(r, "PoliciesSatisfied").contains("Nothing is orphaned here.")).await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    assert!(plane.config_maps().get_opt("web-config").await.unwrap().is_none(), "it goes as it was accepted");
    assert_eq!(all_lists(&plane).await, []);
    controller.stop().await;
}

/// A Destination says whether anything may be left there. A wish that it does not grant changes nothing, however late it comes.
async fn a_destination_allows_orphaned_objects_or_they_go(plane: Plane) {
    let root = sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    let orphan = Patch::Merge(json!({"spec": {"deletionPolicy": "Orphan"}}));
    let requests = plane.requests("dana");
    plane.ask("web", "trio", json!({})).await;
    let uid = plane.ready("web").await.uid().unwrap();
    requests.patch("web", &PatchParams::default(), &orphan).await.unwrap();
    let refused = plane.until("web", "refused", |r| condition(r, "Accepted").contains("doesn't allow orphaned objects")).await;
    let said = condition(&refused, "Accepted");
    assert!(said.contains(&format!("ask {} to set allowOrphan", plane.home("root:platform"))), "{said}");
    requests.delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    let made = ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL));
    assert_eq!(Api::<ConfigMap>::all(root.clone()).list(&made).await.unwrap().items, []);

    // Right before the deletion.
    plane.ask("late", "trio", json!({})).await;
    plane.ready("late").await;
    requests.patch("late", &PatchParams::default(), &orphan).await.unwrap();
    requests.delete("late", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "late").await;
    let named = |maps: Vec<ConfigMap>, name: &str| maps.iter().any(|map| map.name_any() == name);
    let there = async || Api::<ConfigMap>::all(root.clone()).list(&ListParams::default()).await.unwrap().items;
    assert!(!named(there().await, "late"));
    assert_eq!(all_lists(&plane).await, []);

    let destinations: Api<Destination> = Api::all(plane.client("admin", "root:platform"));
    let allow = Patch::Merge(json!({"spec": {"allowOrphan": true}}));
    destinations.patch("sandbox", &PatchParams::default(), &allow).await.unwrap();
    plane.ask("left", "trio", json!({})).await;
    requests.patch("left", &PatchParams::default(), &orphan).await.unwrap();
    plane.ready("left").await;
    requests.delete("left", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "left").await;
    assert!(named(there().await, "left"));
    let [list] = all_lists(&plane).await.try_into().unwrap();
    assert!(list.data.as_ref().unwrap()["objects"].contains("at sandbox"), "{:?}", list.data);
    controller.stop().await;
}
