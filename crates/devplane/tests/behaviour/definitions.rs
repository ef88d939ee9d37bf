//! CustomResourceDefinitions of names that belong to something else.

use serde_json::{Value, json};

use crate::{
    plane::Server,
    sharing::{has, object},
    shop::{Shop, WHEELS},
};

const DEFINITIONS: &str = "apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A definition that keeps all fields and has no status subresource.
fn definition(group: &str, plural: &str, kind: &str, scope: &str) -> Value {
    let names = json!({"plural": plural, "singular": kind.to_lowercase(), "kind": kind, "listKind": format!("{kind}List")});
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
    let approval = json!({"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}"), "annotations": approval},
        "spec": {"group": group, "scope": scope, "names": names, "versions": [version]},
    })
}

async fn delete_definition(server: &Server, path: &str) {
    assert_eq!(server.send("admin", "DELETE", path, "application/json", Value::Null).await.0, 200);
    server.until("admin", path, |status, _| status == 404).await;
}

#[tokio::test]
async fn a_definition_never_takes_the_place_of_a_bound_api() {
    let Shop { server, provider, team } = Shop::bound().await;
    let wheels = WHEELS;
    server.create("admin", wheels, object("shop.dev", "Wheel", "a", json!({}))).await;

    let definitions = format!("/clusters/root:team/{DEFINITIONS}");
    let mut held = definition("shop.dev", "wheels", "Wheel", "Namespaced");
    held["metadata"]["finalizers"] = json!(["shop.dev/hold"]);
    server.create("admin", &definitions, held).await;
    let path = format!("{definitions}/wheels.shop.dev");
    let judged = server.until("admin", &path, |_, answer| has(answer, "NamesAccepted", "False")).await;
    assert!(has(&judged, "Established", "False"), "{judged}");
    assert_eq!(judged["status"]["conditions"][0]["message"], "\"WheelList\" is already in use");
    // Not even when its status is forged.
    let forged = json!({"status": {"conditions": [{"type": "Established", "status": "True", "lastTransitionTime": null, "reason": "r", "message": "m"}], "acceptedNames": {"plural": "wheels", "singular": "wheel", "kind": "Wheel", "listKind": "WheelList"}}});
    assert_eq!(server.merge("admin", &format!("{path}/status"), forged).await.0, 200);

    let (_, patched) = server.merge("admin", &format!("{wheels}/a"), json!({"status": {"phase": "FORGED"}})).await;
    assert_eq!(patched["status"], Value::Null, "the status is another resource's");
    assert_eq!(server.send("admin", "DELETE", &path, "application/json", Value::Null).await.0, 200);
    server.until("admin", &path, |_, answer| has(answer, "Terminating", "True")).await;
    server.create("admin", wheels, object("shop.dev", "Wheel", "b", json!({}))).await;
    assert_eq!(server.merge("admin", &path, json!({"metadata": {"finalizers": null}})).await.0, 200);
    server.until("admin", &path, |status, _| status == 404).await;
    let view = format!("/services/apiexport/{provider}/shop.dev/clusters/{team}/apis/shop.dev/v1/namespaces/default/wheels/a");
    let (status, seen) = server.get("controller", &view).await;
    assert_eq!((status, &seen["status"]), (200, &Value::Null), "{seen}");
}

#[tokio::test]
async fn a_refused_definition_leaves_the_binding_in_force() {
    let Shop { server, .. } = Shop::bound().await;
    let definitions = format!("/clusters/root:team/{DEFINITIONS}");
    server.create("admin", &definitions, definition("shop.dev", "wheels", "Wheel", "Namespaced")).await;
    // A change of the export makes the binding be judged anew.
    let claim = json!({"group": "", "resource": "configmaps", "verbs": ["get"]});
    let export = "/clusters/root:provider/apis/apis.kcp.io/v1alpha2/apiexports/shop.dev";
    assert_eq!(server.merge("admin", export, json!({"spec": {"permissionClaims": [claim]}})).await.0, 200);
    let binding = "/clusters/root:team/apis/apis.kcp.io/v1alpha2/apibindings/shop.dev";
    let judged = server.until("admin", binding, |_, answer| answer["status"]["exportPermissionClaims"].is_array()).await;
    assert!(has(&judged, "Ready", "True"), "{judged}");
}

#[tokio::test]
async fn a_definition_never_takes_the_place_of_a_kind_of_the_planes_own() {
    let server = Server::start();
    server.workspace("root", "team", "organization").await;
    server.grant("root:team", "alice", json!([{"nonResourceURLs": ["/"], "verbs": ["access"]}])).await;
    let definitions = format!("/clusters/root:team/{DEFINITIONS}");
    let own = [
        ("core.kcp.io", "logicalclusters", "LogicalCluster", "v1alpha1/logicalclusters/cluster"),
        ("rbac.authorization.k8s.io", "clusterroles", "ClusterRole", "v1/clusterroles/alice"),
    ];
    for (group, plural, kind, object) in own {
        server.create("admin", &definitions, definition(group, plural, kind, "Cluster")).await;
        let path = format!("{definitions}/{plural}.{group}");
        server.until("admin", &path, |_, answer| has(answer, "NamesAccepted", "False")).await;
        delete_definition(&server, &path).await;
        let (status, left) = server.get("admin", &format!("/clusters/root:team/apis/{group}/{object}")).await;
        assert_eq!((status, &left["metadata"]["deletionTimestamp"]), (200, &Value::Null), "{left}");
    }
}
