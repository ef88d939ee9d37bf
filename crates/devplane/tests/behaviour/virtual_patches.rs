//! Patches through an export's virtual workspace: kcp makes a GET, a merge and a PUT of an apply.

use serde_json::{Value, json};

use crate::{
    sharing::{EVERYTHING, object},
    shop::{Shop, WHEELS},
};

const APPLY: &str = "application/apply-patch+yaml";

/// The export with a claim on config maps, which `root:team` accepted.
async fn claiming() -> Shop {
    let claim = json!({"group": "", "resource": "configmaps", "verbs": EVERYTHING});
    Shop::claiming(claim, json!({"matchAll": true})).await
}

fn managers(object: &Value) -> Vec<(&str, &str)> {
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    let mut managers: Vec<_> =
        entries.iter().map(|entry| (entry["manager"].as_str().unwrap(), entry["operation"].as_str().unwrap())).collect();
    managers.sort_unstable();
    managers
}

#[tokio::test]
async fn an_apply_through_an_export_never_removes_a_field() {
    let shop = claiming().await;
    let server = &shop.server;
    let wheels = WHEELS;
    server.create("admin", wheels, object("shop.dev", "Wheel", "a", json!({}))).await;
    let path = shop.view("apis/shop.dev/v1/namespaces/default/wheels/a/status?fieldManager=ctl&force=true");
    let status = |status: Value| json!({"apiVersion": "shop.dev/v1", "kind": "Wheel", "metadata": {"name": "a"}, "status": status});
    for said in [json!({"phase": "Pending", "waitingOn": "x"}), json!({"phase": "Ready"})] {
        let (code, answer) = server.send("controller", "PATCH", &path, APPLY, status(said)).await;
        assert_eq!((code, &answer["status"]["waitingOn"]), (200, &json!("x")), "{answer}");
    }
    let (_, wheel) = server.get("admin", &format!("{wheels}/a")).await;
    assert_eq!(managers(&wheel), [("ctl", "Update"), ("test", "Update")]);

    let path = shop.view("api/v1/namespaces/default/configmaps/c?fieldManager=ctl&force=true");
    let map = |data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data});
    for said in [json!({"a": "1", "b": "1"}), json!({"a": "2"}), json!({"a": "2"}), json!({})] {
        let (code, answer) = server.send("controller", "PATCH", &path, APPLY, map(said)).await;
        assert_eq!((code, &answer["data"]["b"]), (200, &json!("1")), "{answer}");
    }
}

#[tokio::test]
async fn a_patch_through_an_export_removes_what_it_names_and_heeds_the_version() {
    let shop = claiming().await;
    let server = &shop.server;
    let wheels = WHEELS;
    let made = server.create("admin", wheels, object("shop.dev", "Wheel", "a", json!({}))).await;
    let path = shop.view("apis/shop.dev/v1/namespaces/default/wheels/a/status?fieldManager=ctl");
    let (_, written) = server.merge("controller", &path, json!({"status": {"phase": "Pending", "waitingOn": "x"}})).await;
    let at =
        |object: &Value, status: Value| json!({"metadata": {"resourceVersion": object["metadata"]["resourceVersion"]}, "status": status});
    let (code, answer) = server.merge("controller", &path, at(&made, json!({"phase": "Old"}))).await;
    assert_eq!((code, &answer["reason"]), (409, &json!("Conflict")));
    let (code, answer) = server.merge("controller", &path, at(&written, json!({"waitingOn": null}))).await;
    assert_eq!((code, &answer["status"]), (200, &json!({"phase": "Pending"})));
    let test = |version: &Value| json!([{"op": "test", "path": "/metadata/resourceVersion", "value": version}, {"op": "remove", "path": "/status/phase"}]);
    let json_patch = "application/json-patch+json";
    let (code, _) = server.send("controller", "PATCH", &path, json_patch, test(&made["metadata"]["resourceVersion"])).await;
    assert_eq!(code, 422);
    let (code, answer) = server.send("controller", "PATCH", &path, json_patch, test(&answer["metadata"]["resourceVersion"])).await;
    assert_eq!((code, &answer["status"]), (200, &json!({})));
}

#[tokio::test]
async fn an_apply_in_the_workspace_itself_removes_what_its_manager_leaves_out() {
    let shop = claiming().await;
    let server = &shop.server;
    let path = "/clusters/root:team/api/v1/namespaces/default/configmaps/c?fieldManager=me";
    let map = |data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data});
    let (code, _) = server.send("admin", "PATCH", path, APPLY, map(json!({"a": "1", "b": "2"}))).await;
    assert_eq!(code, 201);
    let (code, answer) = server.send("admin", "PATCH", path, APPLY, map(json!({"a": "1"}))).await;
    assert_eq!((code, &answer["data"]), (200, &json!({"a": "1"})));
    assert_eq!(managers(&answer), [("me", "Apply")]);
}
