//! Reaching beyond one's workspace: by path, by annotation, by name, by label.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use promise::names;
use serde_json::{Value, json};

use super::{attacks, refused};
use crate::world::{Plane, apply, request, wait};

attacks![
    a_path_leads_elsewhere,
    a_name_climbs,
    an_annotation_claims_another_workspace,
    a_promise_renders_into_another_namespace,
    a_label_of_ours_makes_a_foreign_object_go,
    a_request_takes_over_what_others_made,
];

async fn get(client: &Client, path: &str) -> Result<Value, kube::Error> {
    client.request(http::Request::get(path).body(Vec::new()).unwrap()).await
}

async fn a_path_leads_elsewhere(plane: &Plane) {
    // As a portal would that had put the text of an address into a path.
    let client = plane.endpoint.client(&plane.token("dana"), &cluster::Scope::Root);
    for place in ["*", "root:platform", "%2A", "system:admin"] {
        let path = format!("/clusters/{place}/apis/platform.opmodel.dev/v1alpha1/promises");
        refused(&path, get(&client, &path).await);
        assert!(cluster::WorkspacePath::parse(place).is_err() || !place.contains(['*', '%', '/']), "{place}");
    }
    let exports = if plane.has_namespaces() { None } else { Some(plane.installed().provider.as_str()) };
    for (provider, consumer) in exports.into_iter().flat_map(|provider| ["*", "root", "root:acme:shop"].map(|at| (provider, at))) {
        let requests = "apis/platform.opmodel.dev/v1alpha1/promiserequests";
        let path = format!("/services/apiexport/{provider}/requests.platform.opmodel.dev/clusters/{consumer}/{requests}");
        refused(&path, get(&client, &path).await);
    }
    for path in ["/api/v1/namespaces/opm-system/secrets", "/api/v1/secrets"] {
        refused(path, get(&client, path).await);
    }
    // What climbs does not leave the portal, however it is written.
    for path in [
        "/api/v1/namespaces/shop/../opm-system/secrets",
        "/api/v1/namespaces/shop/%2e%2e/opm-system/secrets",
        "/clusters/root:acme:shop%2F..%2Froot:platform/apis/platform.opmodel.dev/v1alpha1/promises",
        "/clusters/root:acme:shop/%2e%2e/root:platform/apis/platform.opmodel.dev/v1alpha1/promises",
    ] {
        assert!(matches!(get(&client, path).await, Err(kube::Error::Service(_))), "{path}");
    }
}

async fn a_name_climbs(plane: &Plane) {
    let secrets: Api<Secret> = plane.in_shop("admin");
    for name in ["../../opm-system/secrets/opm-controller-keys", "..", "web/../../x", "."] {
        assert!(secrets.get(name).await.is_err(), "{name}");
    }
}

async fn an_annotation_claims_another_workspace(plane: &Plane) {
    let mut forged = request("annotated", "settings", json!({"level": 2}));
    forged.metadata.namespace = Some(plane.namespace().to_owned());
    forged.annotations_mut().insert("kcp.io/cluster".to_owned(), "root".to_owned());
    forged.annotations_mut().insert("kcp.io/path".to_owned(), "root:platform".to_owned());
    // A plane that knows the annotation may refuse it, or write its own.
    if plane.requests("dana").create(&PostParams::default(), &forged).await.is_ok() {
        plane.ready("annotated").await;
        assert!(plane.config_maps().get("annotated-config").await.is_ok(), "it is made where it was asked for");
        plane.requests("dana").delete("annotated", &DeleteParams::default()).await.unwrap();
        plane.gone(plane.requests("dana"), "annotated").await;
    }
}

async fn a_promise_renders_into_another_namespace(plane: &Plane) {
    let client = plane.client("admin", "root:acme:shop");
    apply(&client, &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere"}})).await.unwrap();
    let stray = json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private", "parameters": {"type": "object"},
        "implementation": {"resources": [{"id": "config", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-stray", "namespace": "elsewhere"}, "data": {"a": "b"},
        }}]},
    });
    plane.publish("stray", stray).await;
    plane.ask("stray", "stray", json!({})).await;
    plane.ready("stray").await;
    assert!(plane.config_maps().get("stray-stray").await.is_ok());
    let elsewhere: Api<ConfigMap> = Api::namespaced(client.clone(), "elsewhere");
    assert!(elsewhere.get_opt("stray-stray").await.unwrap().is_none());
    plane.requests("dana").delete("stray", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "stray").await;
    Api::<Namespace>::all(client).delete("elsewhere", &DeleteParams::default()).await.unwrap();
}

/// Only what the inventory names is removed, whatever carries our label.
async fn a_label_of_ours_makes_a_foreign_object_go(plane: &Plane) {
    plane.ask("victim", "settings", json!({})).await;
    let ready = plane.ready("victim").await;
    let labels = json!({names::REQUEST_UID_LABEL: ready.uid(), names::REQUEST_NAME_LABEL: "victim", names::RESOURCE_ID_LABEL: "config"});
    let foreign: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "foreign", "labels": labels}})).unwrap();
    plane.config_maps().create(&PostParams::default(), &foreign).await.unwrap();
    let edit = json!({"spec": {"parameters": {"level": 8}}});
    plane.requests("dana").patch("victim", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    wait(plane.config_maps(), "victim-config", "changed", |map: &ConfigMap| map.data.as_ref().is_some_and(|d| d["level"] == "8")).await;
    plane.requests("dana").delete("victim", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "victim").await;
    assert!(plane.config_maps().get("foreign").await.is_ok(), "it is in no inventory");
    assert!(plane.config_maps().get_opt("victim-config").await.unwrap().is_none());
}

async fn a_request_takes_over_what_others_made(plane: &Plane) {
    let theirs: ConfigMap = serde_json::from_value(json!({"metadata": {"name": "taken-config"}, "data": {"mine": "yes"}})).unwrap();
    plane.config_maps().create(&PostParams::default(), &theirs).await.unwrap();
    plane.ask("taken", "settings", json!({})).await;
    plane.until("taken", "in conflict", |r| crate::world::condition(r, "Applied").contains("Conflict")).await;
    plane.requests("dana").delete("taken", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "taken").await;
    assert_eq!(plane.config_maps().get("taken-config").await.unwrap().data.unwrap()["mine"], "yes");
}
