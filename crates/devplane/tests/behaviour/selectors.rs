//! What is selected by is what is authorised.

use serde_json::{Value, json};

use crate::plane::Server;

const SECRETS: &str = "/api/v1/namespaces/default/secrets";

/// A plane with two secrets, of which alice may list, watch and delete the one that is called mine.
async fn server() -> Server {
    let server = Server::start();
    for name in ["mine", "victim"] {
        server.create("admin", SECRETS, json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}})).await;
    }
    let (api, group) = ("rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io");
    let verbs = ["list", "watch", "deletecollection"];
    let role = json!({
        "apiVersion": api, "kind": "Role", "metadata": {"name": "mine"},
        "rules": [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["mine"], "verbs": verbs}],
    });
    let binding = json!({
        "apiVersion": api, "kind": "RoleBinding", "metadata": {"name": "mine"},
        "roleRef": {"apiGroup": group, "kind": "Role", "name": "mine"},
        "subjects": [{"kind": "User", "apiGroup": group, "name": "alice"}],
    });
    for (plural, object) in [("roles", role), ("rolebindings", binding)] {
        server.create("admin", &format!("/apis/{api}/namespaces/default/{plural}"), object).await;
    }
    server
}

#[tokio::test]
async fn a_name_within_another_value_is_not_authorised_by() {
    let server = server().await;
    let (status, list) = server.get("alice", &format!("{SECRETS}?fieldSelector=metadata.name%3Dmine")).await;
    assert_eq!((status, list["items"].as_array().map(Vec::len)), (200, Some(1)), "{list}");
    // One requirement: the comma is part of its value.
    let selector = "fieldSelector=metadata.name!%3Dz%5C,metadata.name%3Dmine";
    for (method, more) in [("GET", ""), ("GET", "&watch=true&timeoutSeconds=1"), ("DELETE", "")] {
        let (status, answer) = server.send("alice", method, &format!("{SECRETS}?{selector}{more}"), "application/json", Value::Null).await;
        assert_eq!(status, 403, "{method} {more}: {answer}");
    }
    for name in ["mine", "victim"] {
        assert_eq!(server.get("admin", &format!("{SECRETS}/{name}")).await.0, 200, "{name} is still there");
    }
}

#[tokio::test]
async fn a_watch_by_its_path_shows_what_the_path_names() {
    let server = server().await;
    let watch = "/api/v1/watch/namespaces/default/secrets/mine?timeoutSeconds=1";
    for selector in ["metadata.name%3Dvictim", "metadata.name!%3Dz", "type%3DOpaque"] {
        let (status, answer) = server.get("alice", &format!("{watch}&fieldSelector={selector}")).await;
        assert_eq!(status, 400, "{selector}: {answer}");
        assert_eq!(answer["message"], "fieldSelector metadata.name doesn't match requested name", "{selector}");
    }
    for selector in ["", "metadata.name%3Dmine"] {
        let (status, event) = server.get("alice", &format!("{watch}&fieldSelector={selector}")).await;
        assert_eq!((status, &event["object"]["metadata"]["name"]), (200, &json!("mine")), "one event, of the object that is named");
    }
}
