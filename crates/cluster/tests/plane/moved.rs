//! Objects belong to the Destination at which they were made: another one of its name, or another cluster behind it, gets nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse as _;
use cluster::install;
use cluster::kinds::{Destination, PromiseRequest};
use http::StatusCode;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::ResourceExt as _;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use promise::names;
use serde_json::json;
use tower::ServiceExt as _;

use crate::destination::{sandbox, sandbox_over, trio};
use crate::tls;
use crate::world::{Plane, apply, condition, token, wait};

crate::world::on_every_plane_in_full![
    another_destination_of_the_same_name_gets_nothing_and_what_was_made_stays,
    a_credential_that_leads_to_another_cluster_makes_nothing_there_until_it_is_restored,
    a_credential_that_cannot_tell_its_cluster_makes_nothing_there_where_the_former_one_could,
    where_no_cluster_was_ever_told_one_that_has_nothing_of_what_was_made_gets_nothing,
    a_cluster_that_can_be_told_now_and_has_nothing_of_what_was_made_gets_nothing,
    what_watches_show_does_not_identify_a_cluster,
];

fn labelled(uid: &str) -> ListParams {
    ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL))
}

async fn another_destination_of_the_same_name_gets_nothing_and_what_was_made_stays(plane: Plane) {
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

/// The request runs at the cluster behind `here`; then the credential leads to the cluster of `other` behind `there`, until it is restored.
async fn nothing_is_made_elsewhere(plane: &Plane, here: axum::Router, (other, there): (&Plane, axum::Router), says: &str) {
    sandbox_over(plane, here, json!([{"group": "", "kinds": ["ConfigMap", "Secret", "Service"]}])).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    plane.ask("web", "trio", json!({})).await;
    let ready = plane.ready("web").await;
    controller.stop().await;
    let secrets: Api<Secret> = Api::namespaced(plane.client("admin", "root:platform"), "opm-system");
    let before = secrets.get("sandbox").await.unwrap();
    assert_eq!(before.labels()[names::SECRET_ROLE_LABEL], install::ROLE_DESTINATION);
    let elsewhere = json!({"stringData": {"kubeconfig": tls::serve(there, &token("admin").expose()).await}});
    secrets.patch("sandbox", &PatchParams::default(), &Patch::Merge(&elsewhere)).await.unwrap();

    let controller = plane.controller().await;
    let moved = plane.until("web", "held", |request| condition(request, "Applied").starts_with("False Moved")).await;
    assert!(condition(&moved, "Applied").contains(says), "{}", condition(&moved, "Applied"));
    let edit = json!({"spec": {"parameters": {"port": 9090}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    let is_seen = |request: &PromiseRequest| request.status.as_ref().is_some_and(|status| status.observed_generation == 2);
    let moved = plane.until("web", "held after an edit", is_seen).await;
    assert!(condition(&moved, "Applied").starts_with("False Moved"), "{}", condition(&moved, "Applied"));
    let made = |request: &PromiseRequest| {
        let inventory = request.status.clone().unwrap().inventory;
        inventory.into_iter().map(|item| (item.id, item.uid, item.destination_id)).collect::<Vec<_>>()
    };
    assert_eq!(made(&moved), made(&ready), "what was made is not forgotten");
    let other: Api<Namespace> = Api::all(other.endpoint.client(&token("admin"), &cluster::Scope::Root));
    assert!(other.list(&labelled(&ready.uid().unwrap())).await.unwrap().items.is_empty());
    controller.stop().await;

    let restored = json!({"data": before.data});
    secrets.patch("sandbox", &PatchParams::default(), &Patch::Merge(&restored)).await.unwrap();
    let controller = plane.controller().await;
    plane.until("web", "Ready again", |request| condition(request, "Ready").starts_with("True Ready")).await;
    controller.stop().await;
}

/// A server that tells nobody which cluster it is.
fn secretive(router: axum::Router) -> axum::Router {
    router.layer(from_fn(async |request: Request, next: Next| match request.uri().path() {
        "/api/v1/namespaces/kube-system" => {
            let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403});
            (StatusCode::FORBIDDEN, axum::Json(status)).into_response()
        }
        _ => next.run(request).await,
    }))
}

async fn a_credential_that_leads_to_another_cluster_makes_nothing_there_until_it_is_restored(plane: Plane) {
    let other = Plane::open().await;
    nothing_is_made_elsewhere(&plane, plane.router(), (&other, other.router()), "another cluster").await;
}

async fn a_credential_that_cannot_tell_its_cluster_makes_nothing_there_where_the_former_one_could(plane: Plane) {
    let other = Plane::open().await;
    nothing_is_made_elsewhere(&plane, plane.router(), (&other, secretive(other.router())), "can't tell which cluster").await;
}

async fn where_no_cluster_was_ever_told_one_that_has_nothing_of_what_was_made_gets_nothing(plane: Plane) {
    let other = Plane::open().await;
    let says = "None of the objects of this request are left";
    nothing_is_made_elsewhere(&plane, secretive(plane.router()), (&other, secretive(other.router())), says).await;
}

async fn a_cluster_that_can_be_told_now_and_has_nothing_of_what_was_made_gets_nothing(plane: Plane) {
    let other = Plane::open().await;
    let says = "None of the objects of this request are left";
    nothing_is_made_elsewhere(&plane, secretive(plane.router()), (&other, other.router()), says).await;
}

/// The address leads to another cluster from one call to the next, and the watches that are open still show the former one.
async fn what_watches_show_does_not_identify_a_cluster(plane: Plane) {
    let other = Plane::open().await;
    let kinds = ["ConfigMap", "Secret", "Service"];
    // The credential counts there as well.
    let elsewhere = sandbox(&other, &kinds).await;
    let (here, there, is_elsewhere) = (secretive(plane.router()), secretive(other.router()), Arc::<AtomicBool>::default());
    let leads_elsewhere = is_elsewhere.clone();
    let address = axum::Router::new().fallback(move |request: Request| {
        let router = if leads_elsewhere.load(Ordering::SeqCst) { there.clone() } else { here.clone() };
        async move { router.oneshot(request).await }
    });
    let root = sandbox_over(&plane, address, json!([{"group": "", "kinds": kinds}])).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    plane.ask("web", "trio", json!({})).await;
    let own = labelled(&plane.ready("web").await.uid().unwrap());
    let map = Api::<ConfigMap>::all(root.clone()).list(&own).await.unwrap().items.remove(0);
    let maps: Api<ConfigMap> = Api::namespaced(root, &map.namespace().unwrap());
    let has = |port: &'static str| move |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["port"] == port);
    // What someone else writes is put back, so the watch has shown what is there.
    maps.patch("web", &PatchParams::default(), &Patch::Merge(&json!({"data": {"port": "1"}}))).await.unwrap();
    wait(maps.clone(), "web", "put back", has("80")).await;

    is_elsewhere.store(true, Ordering::SeqCst);
    let edit = json!({"spec": {"parameters": {"port": 9090}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    let moved = plane.until("web", "held", |request| condition(request, "Applied").starts_with("False Moved")).await;
    let says = condition(&moved, "Applied");
    assert!(says.contains("None of the objects of this request are left"), "{says}");
    assert!(Api::<Namespace>::all(elsewhere).list(&own).await.unwrap().items.is_empty());
    assert!(has("80")(&maps.get("web").await.unwrap()), "nothing was changed");
    controller.stop().await;
}

/// A home looks for a name in itself first, and then in the trusted homes in their order.
#[tokio::test(flavor = "multi_thread")]
async fn another_destination_of_the_same_name_in_an_earlier_trusted_home_gets_nothing() {
    let (plane, other) = (Plane::open().await, Plane::open().await);
    let root = sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    let platform: Api<Destination> = Api::all(plane.client("admin", "root:platform"));
    let serves = json!({"spec": {"allowedHomes": ["root:acme"]}});
    platform.patch("sandbox", &PatchParams::default(), &Patch::Merge(&serves)).await.unwrap();
    let controller = plane.controller_trusting(&["root:acme", "root:platform"]).await;
    let mut promise = trio();
    promise["visibility"] = "descendants".into();
    plane.publish_at("root:acme", "trio", promise).await;
    plane.ask("web", "trio", json!({"port": 8080})).await;
    let ready = plane.ready("web").await;
    let own = labelled(&ready.uid().unwrap());

    let acme = plane.client("admin", "root:acme");
    let kubeconfig = tls::serve(other.router(), &token("admin").expose()).await;
    let mut spec = json!(platform.get("sandbox").await.unwrap().spec);
    spec["allowedHomes"] = json!([]);
    let earlier = [
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "opm-system"}}),
        json!({
            "apiVersion": "v1", "kind": "Secret", "stringData": {"kubeconfig": kubeconfig},
            "metadata": {"name": "sandbox", "namespace": "opm-system", "labels": {names::SECRET_ROLE_LABEL: install::ROLE_DESTINATION}},
        }),
        json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Destination", "metadata": {"name": "sandbox"}, "spec": spec}),
    ];
    for object in &earlier {
        apply(&acme, object).await.unwrap();
    }
    // A new request goes there; its end says that the other Destination is known.
    plane.ask("other", "trio", json!({"port": 80})).await;
    let elsewhere = plane.ready("other").await;
    let there: Api<Namespace> = Api::all(other.endpoint.client(&token("admin"), &cluster::Scope::Root));
    assert_eq!(there.list(&labelled(&elsewhere.uid().unwrap())).await.unwrap().items.len(), 1);
    let edit = json!({"spec": {"parameters": {"port": 9090}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    let moved = plane.until("web", "held", |request| condition(request, "Applied").starts_with("False Moved")).await;
    assert!(condition(&moved, "Applied").contains("sandbox"), "{}", condition(&moved, "Applied"));
    assert!(there.list(&own).await.unwrap().items.is_empty());
    let maps = Api::<ConfigMap>::all(root).list(&own).await.unwrap().items;
    assert!(maps.len() == 1 && maps[0].data.as_ref().unwrap()["port"] == "8080", "{maps:?}");
    controller.stop().await;
}
