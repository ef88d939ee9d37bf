//! What workspaces refuse and have beyond what the recorded scenarios show, as kcp does.

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::{
    plane::Server,
    sharing::{content, object},
    shop::{Shop, WHEELS},
};

const SCHEMAS: &str = "/clusters/root:provider/apis/apis.kcp.io/v1alpha1/apiresourceschemas";
const BINDINGS: &str = "/clusters/root:team/apis/apis.kcp.io/v1alpha2/apibindings";
const REVIEWS: &str = "/clusters/root:team/apis/authentication.k8s.io/v1/selfsubjectreviews";

/// A schema of wheels with these properties of the spec.
fn schema(properties: Value) -> Value {
    let names = json!({"plural": "wheels", "singular": "wheel", "kind": "Wheel", "listKind": "WheelList"});
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
    json!({
        "apiVersion": "apis.kcp.io/v1alpha1", "kind": "APIResourceSchema", "metadata": {"name": "v1.wheels.shop.dev"},
        "spec": {"group": "shop.dev", "scope": "Namespaced", "names": names, "versions": [version]},
    })
}

#[tokio::test]
async fn a_property_of_a_schema_has_a_type() {
    let server = Server::start();
    server.workspace("root", "provider", "universal").await;
    let (status, refused) = server.post("admin", SCHEMAS, schema(json!({"size": {"minimum": 1}}))).await;
    let told = refused["message"].as_str().unwrap();
    let fault = "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].type: Required value: must not be empty";
    assert!(status == 403 && told.contains(fault), "{status} {told}");
    server.create("admin", SCHEMAS, schema(json!({"size": {"type": "integer"}}))).await;
}

#[tokio::test]
async fn a_binding_says_what_it_binds() {
    let server = Server::start();
    server.workspace("root", "team", "organization").await;
    for (spec, field) in [
        (json!({}), "spec.reference"),
        (json!({"reference": {}}), "spec.reference.export"),
        (json!({"reference": {"export": {}}}), "spec.reference.export.name"),
    ] {
        let binding = json!({"apiVersion": "apis.kcp.io/v1alpha2", "kind": "APIBinding", "metadata": {"name": "b"}, "spec": spec});
        let (status, refused) = server.post("admin", BINDINGS, binding).await;
        assert_eq!((status, &refused["details"]["causes"][0]["field"]), (422, &json!(field)), "{refused}");
    }
}

#[tokio::test]
async fn an_export_that_is_not_there_is_forbidden() {
    let server = Server::start();
    let provider = server.workspace("root", "provider", "universal").await;
    for cluster in [provider.as_str(), "0000000000000000"] {
        let path = format!("/services/apiexport/{cluster}/none.dev/clusters/*/apis/none.dev/v1/wheels");
        for user in ["admin", "controller"] {
            let (status, refused) = server.get(user, &path).await;
            assert_eq!((status, &refused["reason"]), (403, &json!("Forbidden")), "{user}: {refused}");
        }
    }
}

#[tokio::test]
async fn a_binding_that_cannot_go_names_the_finalizers() {
    let Shop { server, .. } = Shop::bound().await;
    let wheels = WHEELS;
    for (name, finalizers) in [("a", json!(["shop.dev/b", "shop.dev/a"])), ("b", json!(["shop.dev/a"])), ("c", json!([]))] {
        let mut held = object("shop.dev", "Wheel", name, json!({}));
        held["metadata"]["finalizers"] = finalizers;
        server.create("admin", wheels, held).await;
    }
    let binding = format!("{BINDINGS}/shop.dev");
    assert_eq!(server.send("admin", "DELETE", &binding, "application/json", Value::Null).await.0, 200);
    let condition = |answer: &Value| {
        let conditions = answer["status"]["conditions"].as_array().cloned().unwrap_or_default();
        conditions.into_iter().find(|own| own["type"] == "BindingResourceDeleteSuccess")
    };
    let held = server.until("admin", &binding, |_, answer| condition(answer).is_some()).await;
    let condition = condition(&held).unwrap();
    assert_eq!((&condition["reason"], &condition["severity"]), (&json!("SomeFinalizersRemain"), &json!("Error")));
    let named = "shop.dev/a in 2 resource instances, shop.dev/b in 1 resource instances";
    assert_eq!(condition["message"], format!("Some content in the workspace has finalizers remaining: {named}"));
}

#[tokio::test]
async fn nothing_new_comes_into_the_namespaces_of_a_workspace_that_goes() {
    let server = Server::start();
    server.workspace("root", "team", "organization").await;
    let maps = "/clusters/root:team/api/v1/namespaces/default/configmaps";
    let mut held = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "held", "finalizers": ["shop.dev/hold"]}});
    server.create("admin", maps, held.clone()).await;
    let workspace = "/clusters/root/apis/tenancy.kcp.io/v1alpha1/workspaces/team";
    assert_eq!(server.send("admin", "DELETE", workspace, "application/json", Value::Null).await.0, 200);
    let namespace = "/clusters/root:team/api/v1/namespaces/default";
    server.until("admin", namespace, |_, answer| answer["status"]["phase"] == "Terminating").await;
    held["metadata"]["name"] = json!("new");
    let (status, refused) = server.post("admin", maps, held).await;
    assert_eq!((status, &refused["details"]["causes"][0]["reason"]), (403, &json!("NamespaceTerminating")), "{refused}");
    assert_eq!(server.merge("admin", &format!("{maps}/held"), json!({"metadata": {"finalizers": null}})).await.0, 200);
    server.until("admin", workspace, |status, _| status == 404).await;
}

#[tokio::test]
async fn every_namespace_has_the_service_account_default() {
    let server = Server::start();
    server.workspace("root", "team", "organization").await;
    let namespaces = "/clusters/root:team/api/v1/namespaces";
    server.create("admin", namespaces, json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})).await;
    for namespace in ["default", "kube-system", "shop"] {
        server.until("admin", &format!("{namespaces}/{namespace}/serviceaccounts/default"), |status, _| status == 200).await;
    }
}

#[tokio::test]
async fn an_impersonated_service_account_may_ask_who_it_is() {
    let server = Server::start();
    let team = server.workspace("root", "team", "organization").await;
    let robot = "system:serviceaccount:default:robot";
    let as_robot = |path: &str, body: &'static str| {
        let request = Request::builder().method("POST").uri(path).header("authorization", "Bearer admin");
        request.header("content-type", "application/json").header("impersonate-user", robot).body(Body::from(body)).unwrap()
    };
    let review = r#"{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}"#;
    let answer = server.answer(as_robot(REVIEWS, review)).await;
    assert_eq!(answer.status(), 201);
    let answer: Value = serde_json::from_slice(&answer.into_body().collect().await.unwrap().to_bytes()).unwrap();
    let told = &answer["status"]["userInfo"];
    assert_eq!((&told["username"], &told["extra"]), (&json!(robot), &json!({"authentication.kcp.io/scopes": [format!("cluster:{team}")]})));
    let map = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"}}"#;
    let refused = server.answer(as_robot("/clusters/root:team/api/v1/namespaces/default/configmaps", map)).await;
    assert_eq!(refused.status(), 403, "it has no rights by itself");
}

#[tokio::test]
async fn a_service_account_of_the_provider_works_through_its_export() {
    let Shop { server, provider, team } = Shop::bound().await;
    let wheels = WHEELS;
    server.create("admin", wheels, object("shop.dev", "Wheel", "a", json!({}))).await;
    let accounts = "/clusters/root:provider/api/v1/namespaces/default/serviceaccounts";
    server.create("admin", accounts, json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}})).await;
    server.grant("root:provider", "system:serviceaccount:default:robot", content("shop.dev")).await;
    let asked = server.create("admin", &format!("{accounts}/robot/token"), json!({"spec": {}})).await;
    let token = asked["status"]["token"].as_str().unwrap();

    let own = "/clusters/root:provider/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let told = server.create(token, own, json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})).await;
    let extra = &told["status"]["userInfo"]["extra"];
    assert_eq!(extra["authentication.kcp.io/cluster-name"], json!([provider]));
    assert_eq!(extra["authentication.kcp.io/scopes"], json!([format!("cluster:{provider}")]));

    let view = format!("/services/apiexport/{provider}/shop.dev/clusters");
    let (status, listed) = server.get(token, &format!("{view}/*/apis/shop.dev/v1/wheels")).await;
    assert_eq!((status, listed["items"].as_array().map(Vec::len)), (200, Some(1)), "{listed}");
    let one = format!("{view}/{team}/apis/shop.dev/v1/namespaces/default/wheels/a/status");
    assert_eq!(server.merge(token, &one, json!({"status": {"phase": "Ready"}})).await.0, 200);
    assert_eq!(server.get(token, wheels).await.0, 403, "it has no rights in the workspace of the consumer");
}
