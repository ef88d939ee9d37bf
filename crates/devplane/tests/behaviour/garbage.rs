//! Objects go after their owners, in the cluster and in workspaces alike.

use serde_json::{Value, json};

use crate::plane::Server;

fn config_map(name: &str, owners: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "ownerReferences": owners}})
}

fn owner(object: &Value, blocks: bool) -> Value {
    let metadata = &object["metadata"];
    json!({"apiVersion": object["apiVersion"], "kind": object["kind"], "name": metadata["name"], "uid": metadata["uid"], "blockOwnerDeletion": blocks})
}

fn gone(status: u16, _: &Value) -> bool {
    status == 404
}

/// A server, and the paths of config maps in a namespace of the cluster and in one of a workspace.
async fn places() -> (Server, [String; 2]) {
    let server = Server::start();
    server.workspace("root", "team", "universal").await;
    (server, ["", "/clusters/root:team"].map(|prefix| format!("{prefix}/api/v1/namespaces/default/configmaps")))
}

#[tokio::test]
async fn dependants_go_in_the_background_and_what_has_another_owner_stays_without_the_lost_one() {
    let (server, places) = places().await;
    for maps in places {
        let first = server.create("admin", &maps, config_map("first", json!([]))).await;
        let second = server.create("admin", &maps, config_map("second", json!([]))).await;
        let child = server.create("admin", &maps, config_map("child", json!([owner(&first, true)]))).await;
        server.create("admin", &maps, config_map("grandchild", json!([owner(&child, true)]))).await;
        server.create("admin", &maps, config_map("shared", json!([owner(&first, true), owner(&second, true)]))).await;
        server.send("admin", "DELETE", &format!("{maps}/first"), "application/json", Value::Null).await;
        server.until("admin", &format!("{maps}/grandchild"), gone).await;
        server.until("admin", &format!("{maps}/child"), gone).await;
        let shared = server
            .until("admin", &format!("{maps}/shared"), |_, map| map["metadata"]["ownerReferences"].as_array().unwrap().len() == 1)
            .await;
        assert_eq!(shared["metadata"]["ownerReferences"][0]["name"], "second");
    }
}

#[tokio::test]
async fn an_owner_that_is_deleted_in_the_foreground_waits_for_those_that_block_it() {
    let (server, places) = places().await;
    for maps in places {
        let first = server.create("admin", &maps, config_map("owner", json!([]))).await;
        let mut held = config_map("held", json!([owner(&first, true)]));
        held["metadata"]["finalizers"] = json!(["example.org/held"]);
        server.create("admin", &maps, held).await;
        server.create("admin", &maps, config_map("free", json!([owner(&first, false)]))).await;
        let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"});
        server.send("admin", "DELETE", &format!("{maps}/owner"), "application/json", options).await;
        server.until("admin", &format!("{maps}/held"), |_, map| map["metadata"]["deletionTimestamp"].is_string()).await;
        let (_, waiting) = server.get("admin", &format!("{maps}/owner")).await;
        assert_eq!(waiting["metadata"]["finalizers"], json!(["foregroundDeletion"]));
        server.merge("admin", &format!("{maps}/held"), json!({"metadata": {"finalizers": null}})).await;
        server.until("admin", &format!("{maps}/owner"), gone).await;
        server.until("admin", &format!("{maps}/free"), gone).await;
    }
}

#[tokio::test]
async fn orphans_stay_without_their_owner() {
    let (server, places) = places().await;
    for maps in places {
        let first = server.create("admin", &maps, config_map("owner", json!([]))).await;
        server.create("admin", &maps, config_map("child", json!([owner(&first, true)]))).await;
        server.send("admin", "DELETE", &format!("{maps}/owner?propagationPolicy=Orphan"), "application/json", Value::Null).await;
        server.until("admin", &format!("{maps}/owner"), gone).await;
        let child = server.until("admin", &format!("{maps}/child"), |_, map| map["metadata"]["ownerReferences"].is_null()).await;
        assert_eq!(child["metadata"]["deletionTimestamp"], Value::Null);
    }
}

#[tokio::test]
async fn owners_that_never_were_and_those_of_other_namespaces_are_absent_and_unknown_kinds_are_left_alone() {
    let (server, places) = places().await;
    for maps in places {
        let elsewhere = maps.replace("/default/", "/kube-system/");
        let foreign = server.create("admin", &elsewhere, config_map("foreign", json!([]))).await;
        server.create("admin", &maps, config_map("stray", json!([owner(&foreign, false)]))).await;
        server.until("admin", &format!("{maps}/stray"), gone).await;
        let nobody = json!({"apiVersion": "v1", "kind": "Secret", "name": "s", "uid": "5ddc8914-ab98-4feb-a7a2-f19682437bec"});
        let unknown =
            json!({"apiVersion": "example.org/v1", "kind": "Nothing", "name": "n", "uid": "5ddc8914-ab98-4feb-a7a2-f19682437bed"});
        server.create("admin", &maps, config_map("undecided", json!([unknown]))).await;
        // Collected after the other was looked at: that one was spared by decision, not by lack of time.
        server.create("admin", &maps, config_map("absent", json!([nobody]))).await;
        server.until("admin", &format!("{maps}/absent"), gone).await;
        assert_eq!(server.get("admin", &format!("{maps}/undecided")).await.0, 200);
    }
}

#[tokio::test]
async fn a_namespace_takes_its_content_along() {
    let (server, _) = places().await;
    for prefix in ["", "/clusters/root:team"] {
        let namespaces = format!("{prefix}/api/v1/namespaces");
        server.create("admin", &namespaces, json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "short"}})).await;
        let maps = format!("{namespaces}/short/configmaps");
        let first = server.create("admin", &maps, config_map("owner", json!([]))).await;
        let mut held = config_map("held", json!([owner(&first, true)]));
        held["metadata"]["finalizers"] = json!(["example.org/held"]);
        server.create("admin", &maps, held).await;
        server.send("admin", "DELETE", &format!("{namespaces}/short"), "application/json", Value::Null).await;
        server.until("admin", &format!("{maps}/held"), |_, map| map["metadata"]["deletionTimestamp"].is_string()).await;
        assert_eq!(server.get("admin", &format!("{namespaces}/short")).await.1["status"]["phase"], "Terminating");
        server.merge("admin", &format!("{maps}/held"), json!({"metadata": {"finalizers": null}})).await;
        server.until("admin", &format!("{namespaces}/short"), gone).await;
    }
}
