//! Watches through an export's virtual workspace tell what lists tell.

use serde_json::{Value, json};

use crate::{
    plane::Events,
    sharing::{EVERYTHING, object},
    shop::{Shop, WHEELS as OWN},
};

fn everywhere(provider: &str, rest: &str) -> String {
    format!("/services/apiexport/{provider}/shop.dev/clusters/*/{rest}")
}

fn told(events: &[(&str, &str)]) -> Vec<(String, String)> {
    events.iter().map(|(kind, name)| ((*kind).to_owned(), (*name).to_owned())).collect()
}

async fn sorted(watch: &mut Events, events: usize) -> Vec<(String, String)> {
    let mut told = watch.told(events).await;
    told.sort();
    told
}

const WHEELS: &str = "apis/shop.dev/v1/wheels";
const BINDING: &str = "/clusters/root:team/apis/apis.kcp.io/v1alpha2/apibindings/shop.dev";

#[tokio::test]
async fn objects_that_go_with_their_binding_are_told_as_deleted() {
    let Shop { server, provider, .. } = Shop::open(json!([])).await;
    server.bind("root:team", "root:provider", "shop.dev", Value::Null).await;
    server.create("admin", OWN, object("shop.dev", "Wheel", "a", json!({}))).await;
    let (_, listed) = server.get("controller", &everywhere(&provider, WHEELS)).await;
    let mut watch = server.watch("controller", &everywhere(&provider, &format!("{WHEELS}?watch=true&resourceVersion=0"))).await;
    server.create("admin", OWN, object("shop.dev", "Wheel", "b", json!({}))).await;
    assert_eq!(watch.told(2).await, told(&[("ADDED", "a"), ("ADDED", "b")]));
    assert_eq!(server.send("admin", "DELETE", BINDING, "application/json", Value::Null).await.0, 200);
    assert_eq!(sorted(&mut watch, 2).await, told(&[("DELETED", "a"), ("DELETED", "b")]));

    // A watch that begins where the list was hears the same, after all has happened.
    server.until("admin", BINDING, |status, _| status == 404).await;
    let version = listed["metadata"]["resourceVersion"].as_str().unwrap();
    let mut late = server.watch("controller", &everywhere(&provider, &format!("{WHEELS}?watch=true&resourceVersion={version}"))).await;
    assert_eq!(late.told(1).await, told(&[("ADDED", "b")]));
    assert_eq!(sorted(&mut late, 2).await, told(&[("DELETED", "a"), ("DELETED", "b")]));
}

#[tokio::test]
async fn objects_that_go_with_their_workspace_are_told_as_deleted() {
    let Shop { server, provider, .. } = Shop::open(json!([])).await;
    server.bind("root:team", "root:provider", "shop.dev", Value::Null).await;
    server.create("admin", OWN, object("shop.dev", "Wheel", "a", json!({}))).await;
    let mut watch = server.watch("controller", &everywhere(&provider, &format!("{WHEELS}?watch=true&resourceVersion=0"))).await;
    assert_eq!(watch.told(1).await, told(&[("ADDED", "a")]));
    let workspace = "/clusters/root/apis/tenancy.kcp.io/v1alpha1/workspaces/team";
    assert_eq!(server.send("admin", "DELETE", workspace, "application/json", Value::Null).await.0, 200);
    assert_eq!(watch.told(1).await, told(&[("DELETED", "a")]));
}

#[tokio::test]
async fn what_a_claim_opens_and_closes_is_told() {
    let claim = json!({"group": "", "resource": "configmaps", "verbs": EVERYTHING});
    let Shop { server, provider, team } = Shop::open(json!([claim])).await;
    let answered = |state: &str, selector: Value| {
        let mut answered = claim.clone();
        answered["state"] = json!(state);
        answered["selector"] = selector;
        json!([answered])
    };
    let all = json!({"matchAll": true});
    server.bind("root:team", "root:provider", "shop.dev", answered("Rejected", all.clone())).await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}});
    let made = server.create("admin", "/clusters/root:team/api/v1/namespaces/default/configmaps", map).await;
    let query = "watch=true&resourceVersion=0&fieldSelector=metadata.name%3Dm";
    let mut wide = server.watch("controller", &everywhere(&provider, &format!("api/v1/configmaps?{query}"))).await;
    let accept = |claims: Value| json!({"spec": {"permissionClaims": claims}});
    assert_eq!(server.merge("admin", BINDING, accept(answered("Accepted", all.clone()))).await.0, 200);
    let added = wide.next().await;
    assert_eq!((&added["type"], &added["object"]["metadata"]["uid"]), (&json!("ADDED"), &made["metadata"]["uid"]));
    let one = format!("/services/apiexport/{provider}/shop.dev/clusters/{team}/api/v1/namespaces/default/configmaps?{query}");
    let mut narrow = server.watch("controller", &one).await;
    assert_eq!(narrow.told(1).await, told(&[("ADDED", "m")]));
    assert_eq!(server.merge("admin", BINDING, accept(answered("Rejected", all))).await.0, 200);
    for watch in [&mut wide, &mut narrow] {
        assert_eq!(watch.told(1).await, told(&[("DELETED", "m")]));
    }
}

#[tokio::test]
async fn a_watch_of_what_was_not_bound_yet_hears_of_it_with_the_binding() {
    let claim = json!({"group": "", "resource": "configmaps", "verbs": EVERYTHING});
    let Shop { server, provider, .. } = Shop::open(json!([claim])).await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}});
    server.create("admin", "/clusters/root:team/api/v1/namespaces/default/configmaps", map).await;
    let query = "watch=true&resourceVersion=0&fieldSelector=metadata.name%3Dm";
    let mut watch = server.watch("controller", &everywhere(&provider, &format!("api/v1/configmaps?{query}"))).await;
    let mut accepted = claim;
    accepted["state"] = json!("Accepted");
    accepted["selector"] = json!({"matchAll": true});
    server.bind("root:team", "root:provider", "shop.dev", json!([accepted])).await;
    assert_eq!(watch.told(1).await, told(&[("ADDED", "m")]));
}
