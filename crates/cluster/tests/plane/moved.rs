//! Objects belong to the Destination at which they were made: another one of its name, or another cluster behind it, gets nothing.

use cluster::install;
use cluster::kinds::Destination;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::ResourceExt as _;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use promise::names;
use serde_json::json;

use crate::destination::{sandbox, trio};
use crate::tls;
use crate::world::{Plane, condition, token};

fn labelled(uid: &str) -> ListParams {
    ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL))
}

#[tokio::test(flavor = "multi_thread")]
async fn another_destination_of_the_same_name_gets_nothing_and_what_was_made_stays() {
    let plane = Plane::open().await;
    let root = sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    plane.ask("web", "trio", json!({"port": 8080})).await;
    let ready = plane.ready("web").await;
    let destinations: Api<Destination> = Api::all(plane.client("admin", "root:platform"));
    let before = destinations.get("sandbox").await.unwrap();
    let inventory = ready.status.as_ref().unwrap().inventory.clone();
    let there = inventory.iter().filter(|item| item.destination.is_some());
    assert!(
        there.clone().count() == 4
            && there.clone().all(|item| item.destination_id.as_ref().map(|id| &id.uid) == before.metadata.uid.as_ref())
    );
    let own = labelled(&ready.uid().unwrap());
    let maps = Api::<ConfigMap>::all(root.clone()).list(&own).await.unwrap().items;

    destinations.delete("sandbox", &DeleteParams::default()).await.unwrap();
    plane.gone(destinations.clone(), "sandbox").await;
    let again: Destination = cluster::kinds::object("sandbox", None, before.spec.clone());
    destinations.create(&PostParams::default(), &again).await.unwrap();
    let edit = json!({"spec": {"parameters": {"port": 9090}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    let moved = plane.until("web", "held", |request| condition(request, "Applied").starts_with("False Moved")).await;
    assert!(condition(&moved, "Applied").contains("sandbox"), "{}", condition(&moved, "Applied"));
    // Another request goes to the new one; its end says that the first was looked at.
    plane.ask("other", "trio", json!({"port": 80})).await;
    plane.ready("other").await;
    let kept = Api::<ConfigMap>::all(root).list(&own).await.unwrap().items;
    let editions = |maps: &[ConfigMap]| maps.iter().map(|map| (map.uid(), map.resource_version())).collect::<Vec<_>>();
    assert_eq!(editions(&kept), editions(&maps), "nothing is made, changed or removed");
    let names =
        |items: &[promise::api::InventoryItem]| items.iter().map(|item| (item.id.clone(), item.destination_id.clone())).collect::<Vec<_>>();
    let now = plane.requests("dana").get("web").await.unwrap().status.unwrap().inventory;
    assert_eq!(names(&now), names(&inventory), "what was made is not forgotten");
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_that_leads_to_another_cluster_makes_nothing_there_until_it_is_restored() {
    let (plane, other) = (Plane::open().await, Plane::open().await);
    sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    plane.ask("web", "trio", json!({})).await;
    let ready = plane.ready("web").await;
    controller.stop().await;
    let secrets: Api<Secret> = Api::namespaced(plane.client("admin", "root:platform"), "opm-system");
    let before = secrets.get("sandbox").await.unwrap();
    assert_eq!(before.labels()[names::SECRET_ROLE_LABEL], install::ROLE_DESTINATION);
    let elsewhere = json!({"stringData": {"kubeconfig": tls::serve(other.router(), &token("admin").expose()).await}});
    secrets.patch("sandbox", &PatchParams::default(), &Patch::Merge(&elsewhere)).await.unwrap();

    let controller = plane.controller().await;
    let moved = plane.until("web", "held", |request| condition(request, "Applied").starts_with("False Moved")).await;
    assert!(condition(&moved, "Applied").contains("another cluster"), "{}", condition(&moved, "Applied"));
    assert_eq!(moved.status.unwrap().inventory.len(), ready.status.unwrap().inventory.len(), "what was made is not forgotten");
    let there: Api<Namespace> = Api::all(other.endpoint.client(&token("admin"), &cluster::Scope::Root));
    assert!(there.list(&labelled(&ready.metadata.uid.unwrap())).await.unwrap().items.is_empty());
    controller.stop().await;

    let restored = json!({"data": before.data});
    secrets.patch("sandbox", &PatchParams::default(), &Patch::Merge(&restored)).await.unwrap();
    let controller = plane.controller().await;
    plane.until("web", "Ready again", |request| condition(request, "Ready").starts_with("True Ready")).await;
    controller.stop().await;
}
