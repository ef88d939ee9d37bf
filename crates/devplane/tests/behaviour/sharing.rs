//! Sharing of APIs between workspaces beyond what the recorded scenarios show.

use serde_json::{Value, json};

use crate::plane::Server;
use crate::shop::{Shop, WHEELS};

pub const EVERYTHING: [&str; 8] = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/// The rules of a controller that works through an export.
pub fn content(export: &str) -> Value {
    json!([
        {"nonResourceURLs": ["/"], "verbs": ["access"]},
        {"apiGroups": ["apis.kcp.io"], "resources": ["apiexports/content"], "resourceNames": [export], "verbs": ["*"]},
    ])
}

pub fn object(group: &str, kind: &str, name: &str, spec: Value) -> Value {
    json!({"apiVersion": format!("{group}/v1"), "kind": kind, "metadata": {"name": name}, "spec": spec})
}

#[tokio::test]
async fn two_exports_of_one_group_are_bound_side_by_side() {
    let server = Server::start();
    server.workspace("root", "provider", "universal").await;
    server.workspace("root", "team", "organization").await;
    server.export("root:provider", "wheels.shop.dev", "shop.dev", &["wheels"], json!({})).await;
    server.export("root:provider", "axles.shop.dev", "shop.dev", &["axles"], json!({})).await;
    server.bind("root:team", "root:provider", "wheels.shop.dev", Value::Null).await;
    let (status, _) = server.get("admin", "/clusters/root:team/apis/shop.dev/v1/axles").await;
    assert_eq!(status, 404, "only what is bound is served");
    server.bind("root:team", "root:provider", "axles.shop.dev", Value::Null).await;
    for (plural, kind) in [("wheels", "Wheel"), ("axles", "Axle")] {
        let path = format!("/clusters/root:team/apis/shop.dev/v1/namespaces/default/{plural}");
        server.create("admin", &path, object("shop.dev", kind, "a", json!({}))).await;
    }
    let (_, resources) = server.get("admin", "/clusters/root:team/apis/shop.dev/v1").await;
    assert_eq!(resources["resources"].as_array().unwrap().len(), 4, "{resources}");
}

#[tokio::test]
async fn a_mutating_policy_of_the_provider_stamps_who_asked() {
    let Shop { server, provider, team } = Shop::open(json!([])).await;
    server.bind("root:team", &provider, "shop.dev", Value::Null).await;
    server.grant("root:team", "alice", json!([{"nonResourceURLs": ["/"], "verbs": ["access"]}, {"apiGroups": ["shop.dev"], "resources": ["wheels"], "verbs": EVERYTHING}])).await;
    let policies = "/clusters/root:provider/apis/admissionregistration.k8s.io/v1";
    let api = "admissionregistration.k8s.io/v1";
    let expression = "[JSONPatch{op: \"add\", path: \"/spec/requester\", value: Object.spec.requester{username: request.userInfo.username, groups: request.userInfo.groups}}]";
    let matching = |operation: &str| json!({"resourceRules": [{"apiGroups": ["shop.dev"], "apiVersions": ["*"], "operations": [operation], "resources": ["wheels"]}]});
    let stamp = json!({"failurePolicy": "Fail", "reinvocationPolicy": "IfNeeded", "matchConstraints": matching("CREATE"), "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}]});
    let frozen = json!({"matchConstraints": matching("UPDATE"), "validations": [{"expression": "object.spec.requester == oldObject.spec.requester", "message": "the requester stays"}]});
    for (plural, kind, spec) in
        [("mutatingadmissionpolic", "MutatingAdmissionPolicy", stamp), ("validatingadmissionpolic", "ValidatingAdmissionPolicy", frozen)]
    {
        server
            .create(
                "admin",
                &format!("{policies}/{plural}ies"),
                json!({"apiVersion": api, "kind": kind, "metadata": {"name": "p"}, "spec": spec}),
            )
            .await;
        let mut spec = json!({"policyName": "p"});
        if kind.starts_with('V') {
            spec["validationActions"] = json!(["Deny"]);
        }
        server
            .create(
                "admin",
                &format!("{policies}/{plural}ybindings"),
                json!({"apiVersion": api, "kind": format!("{kind}Binding"), "metadata": {"name": "p"}, "spec": spec}),
            )
            .await;
    }
    let path = "/clusters/root:team/apis/shop.dev/v1/namespaces/default/wheels";
    let made =
        server.create("alice", path, object("shop.dev", "Wheel", "a", json!({"requester": {"username": "somebody"}, "size": 1}))).await;
    assert_eq!(made["spec"]["requester"], json!({"username": "alice", "groups": ["team-a", "system:authenticated"]}));
    let forged = json!({"spec": {"requester": {"username": "bob"}}});
    let (status, answer) = server.merge("alice", &format!("{path}/a"), forged.clone()).await;
    assert_eq!(status, 422, "{answer}");
    assert!(answer["message"].as_str().unwrap().ends_with("denied request: the requester stays"), "{answer}");
    let view = format!("/services/apiexport/{provider}/shop.dev/clusters/{team}/apis/shop.dev/v1/namespaces/default/wheels");
    let (status, _) = server.merge("controller", &format!("{view}/a"), forged).await;
    assert_eq!(status, 422, "writes through the virtual workspace are judged, too");
    let made = server.create("controller", &view, object("shop.dev", "Wheel", "b", json!({}))).await;
    assert_eq!(made["spec"]["requester"]["username"], "controller");
}

#[tokio::test]
async fn workspaces_are_claimed_by_the_identity_of_their_export() {
    let server = Server::start();
    let provider = server.workspace("root", "provider", "universal").await;
    let team = server.workspace("root", "team", "organization").await;
    let child = server.workspace("root:team", "child", "universal").await;
    let (_, bindings) = server.get("admin", "/clusters/root:team/apis/apis.kcp.io/v1alpha2/apibindings").await;
    let tenancy = bindings["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|binding| binding["spec"]["reference"]["export"]["name"] == "tenancy.kcp.io")
        .unwrap();
    let identity = tenancy["status"]["boundResources"][0]["schema"]["identityHash"].as_str().unwrap();
    let claim = json!({"group": "tenancy.kcp.io", "resource": "workspaces", "identityHash": identity, "verbs": ["get", "list", "watch"]});
    server.export("root:provider", "shop.dev", "shop.dev", &["wheels"], json!({"permissionClaims": [claim]})).await;
    server.grant("root:provider", "controller", content("shop.dev")).await;
    let mut accepted = claim;
    accepted["state"] = json!("Accepted");
    accepted["selector"] = json!({"matchAll": true});
    server.bind("root:team", "root:provider", "shop.dev", json!([accepted])).await;
    let everywhere = format!("/services/apiexport/{provider}/shop.dev/clusters/*/apis/tenancy.kcp.io/v1alpha1/workspaces");
    let (status, listed) = server.get("controller", &everywhere).await;
    assert_eq!(status, 200, "{listed}");
    let edges: Vec<_> = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["metadata"]["annotations"]["kcp.io/cluster"].as_str(), item["spec"]["cluster"].as_str()))
        .collect();
    assert_eq!(edges, [(Some(team.as_str()), Some(child.as_str()))], "root has not bound the export");
    let one = format!("/services/apiexport/{provider}/shop.dev/clusters/{team}/apis/tenancy.kcp.io/v1alpha1/workspaces/child");
    assert_eq!(server.get("controller", &one).await.0, 200);
    assert_eq!(server.merge("controller", &one, json!({"metadata": {"labels": {"a": "b"}}})).await.0, 403);
}

#[tokio::test]
async fn a_look_at_all_consumers_changes_nothing() {
    let server = Server::start();
    let provider = server.workspace("root", "provider", "universal").await;
    server.export("root:provider", "shop.dev", "shop.dev", &["wheels"], json!({})).await;
    server.bind("root:provider", "", "shop.dev", Value::Null).await;
    server.grant("root:provider", "controller", content("shop.dev")).await;
    let own = "/clusters/root:provider/apis/shop.dev/v1/namespaces/default/wheels";
    server.create("admin", own, object("shop.dev", "Wheel", "a", json!({}))).await;
    let everywhere = format!("/services/apiexport/{provider}/shop.dev/clusters/*/apis/shop.dev/v1");
    assert_eq!(server.get("controller", &format!("{everywhere}/namespaces/default/wheels/a")).await.0, 404);
    for (method, path) in [("DELETE", "namespaces/default/wheels"), ("DELETE", "wheels"), ("DELETE", "namespaces/default/wheels/a")] {
        let (status, answer) = server.send("controller", method, &format!("{everywhere}/{path}"), "application/json", Value::Null).await;
        assert!(status == 404 || status == 405, "{method} {path}: {status} {answer}");
    }
    assert_eq!(server.get("admin", &format!("{own}/a")).await.0, 200);
}

#[tokio::test]
async fn a_selector_of_a_claim_filters_and_labels() {
    let claim = json!({"group": "", "resource": "secrets", "verbs": EVERYTHING});
    let shop = Shop::claiming(claim, json!({"matchLabels": {"shop": "yes"}})).await;
    let server = &shop.server;
    let secret = |name: &str| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
    server.create("admin", "/clusters/root:team/api/v1/namespaces/default/secrets", secret("private")).await;
    let view = shop.view("api/v1/namespaces/default/secrets");
    assert_eq!(server.get("controller", &format!("{view}/private")).await.0, 404);
    let made = server.create("controller", &view, secret("made")).await;
    assert_eq!(made["metadata"]["labels"], json!({"shop": "yes"}));
    let (_, listed) = server.get("controller", &view).await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
}

#[tokio::test]
async fn a_forged_status_of_a_binding_does_not_last() {
    let Shop { server, .. } = Shop::open(json!([])).await;
    let bound = server.bind("root:team", "root:provider", "shop.dev", Value::Null).await;
    let path = "/clusters/root:team/apis/apis.kcp.io/v1alpha2/apibindings/shop.dev";
    let (status, _) = server.merge("admin", &format!("{path}/status"), json!({"status": {"apiExportClusterName": "root"}})).await;
    assert_eq!(status, 200);
    server.until("admin", path, |_, answer| answer["status"]["apiExportClusterName"] == bound["status"]["apiExportClusterName"]).await;
}

#[tokio::test]
async fn a_maintained_binding_accepts_what_the_export_asks_later() {
    let server = Server::start();
    server.workspace("root", "provider", "universal").await;
    server.workspace("root", "org", "organization").await;
    server.export("root:provider", "shop.dev", "shop.dev", &["wheels"], json!({})).await;
    let spec = json!({
        "extend": {"with": [{"name": "universal", "path": "root"}]},
        "defaultAPIBindings": [{"path": "root:provider", "export": "shop.dev"}],
        "defaultAPIBindingLifecycle": "Maintain",
    });
    let team = json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "WorkspaceType", "metadata": {"name": "team"}, "spec": spec});
    server.create("admin", "/clusters/root:provider/apis/tenancy.kcp.io/v1alpha1/workspacetypes", team).await;
    let workspaces = "/clusters/root:org/apis/tenancy.kcp.io/v1alpha1/workspaces";
    let kind = json!({"name": "team", "path": "root:provider"});
    let workspace =
        json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace", "metadata": {"name": "a"}, "spec": {"type": kind}});
    server.create("admin", workspaces, workspace).await;
    server.until("admin", &format!("{workspaces}/a"), |_, answer| answer["status"]["phase"] == "Ready").await;
    let claim = json!({"group": "", "resource": "configmaps", "verbs": ["get"]});
    let export = "/clusters/root:provider/apis/apis.kcp.io/v1alpha2/apiexports/shop.dev";
    let (status, _) = server.merge("admin", export, json!({"spec": {"permissionClaims": [claim]}})).await;
    assert_eq!(status, 200);
    let bindings = "/clusters/root:org:a/apis/apis.kcp.io/v1alpha2/apibindings";
    let applied = |answer: &Value| {
        let all = answer["items"].as_array().unwrap();
        all.iter().any(|binding| binding["status"]["appliedPermissionClaims"][0]["resource"] == "configmaps")
    };
    server.until("admin", bindings, |_, answer| applied(answer)).await;
}

#[tokio::test]
async fn a_view_serves_what_its_export_claims_at_the_moment() {
    let Shop { server, provider, .. } = Shop::bound().await;
    let export = "/clusters/root:provider/apis/apis.kcp.io/v1alpha2/apiexports/shop.dev";
    let maps = format!("/services/apiexport/{provider}/shop.dev/clusters/*/api/v1/configmaps");
    assert_eq!(server.get("controller", &maps).await.0, 404);
    let claim = json!({"group": "", "resource": "configmaps", "verbs": EVERYTHING});
    for (claims, expected) in [(json!([claim]), 200), (Value::Null, 404)] {
        let (status, answer) = server.merge("admin", export, json!({"spec": {"permissionClaims": claims}})).await;
        assert_eq!(status, 200, "{answer}");
        for _ in 0..2 {
            assert_eq!(server.get("controller", &maps).await.0, expected, "with the claims {claims}");
        }
    }
}

/// Whether a condition of an object has this status.
pub fn has(object: &Value, kind: &str, status: &str) -> bool {
    let conditions = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    conditions.iter().any(|own| own["type"] == kind && own["status"] == status)
}

#[tokio::test]
async fn a_deleted_export_leaves_objects_in_place_and_says_so() {
    let Shop { server, .. } = Shop::bound().await;
    let wheels = WHEELS;
    server.create("admin", wheels, object("shop.dev", "Wheel", "a", json!({}))).await;
    let export = "/clusters/root:provider/apis/apis.kcp.io/v1alpha2/apiexports/shop.dev";
    assert_eq!(server.send("admin", "DELETE", export, "application/json", Value::Null).await.0, 200);
    let binding = "/clusters/root:team/apis/apis.kcp.io/v1alpha2/apibindings/shop.dev";
    let binding = server.until("admin", binding, |_, answer| has(answer, "APIExportValid", "False")).await;
    assert_eq!(binding["status"]["phase"], "Bound");
    assert_eq!(server.get("admin", &format!("{wheels}/a")).await.0, 200);
}

#[tokio::test]
async fn deleting_a_binding_takes_its_objects_along_when_their_finalizers_are_gone() {
    let Shop { server, provider, team } = Shop::bound().await;
    let wheels = WHEELS;
    let mut held = object("shop.dev", "Wheel", "a", json!({}));
    held["metadata"]["finalizers"] = json!(["shop.dev/hold"]);
    server.create("admin", wheels, held).await;
    server.create("admin", wheels, object("shop.dev", "Wheel", "b", json!({}))).await;
    let binding = "/clusters/root:team/apis/apis.kcp.io/v1alpha2/apibindings/shop.dev";
    assert_eq!(server.send("admin", "DELETE", binding, "application/json", Value::Null).await.0, 200);
    server.until("admin", &format!("{wheels}/b"), |status, _| status == 404).await;
    server.until("admin", binding, |_, answer| has(answer, "BindingResourceDeleteSuccess", "False")).await;
    let view = format!("/services/apiexport/{provider}/shop.dev/clusters/{team}/apis/shop.dev/v1/namespaces/default/wheels/a");
    assert_eq!(server.merge("controller", &view, json!({"metadata": {"finalizers": null}})).await.0, 200);
    server.until("admin", binding, |status, _| status == 404).await;
}
