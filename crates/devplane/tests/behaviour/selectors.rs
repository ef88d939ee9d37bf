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

#[tokio::test]
async fn a_list_by_name_is_the_list_of_that_object_alone() {
    let server = server().await;
    let list = async |query: &str| {
        let (status, list) = server.get("admin", &format!("{SECRETS}?{query}")).await;
        assert_eq!(status, 200, "{list}");
        let version = list["metadata"]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap();
        let items = list["items"].as_array().unwrap();
        let names: Vec<_> = items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect();
        (names, version, list)
    };
    let cases: [(&str, &[&str]); 8] = [
        ("fieldSelector=metadata.name%3Dmine", &["mine"]),
        ("fieldSelector=metadata.name%3Dmine&limit=1", &["mine"]),
        ("fieldSelector=metadata.name%3Dmine,type%3DOpaque", &["mine"]),
        ("fieldSelector=metadata.name%3Dmine,type%3Dother", &[]),
        ("fieldSelector=metadata.name%3Dmine,metadata.name%3Dvictim", &[]),
        ("fieldSelector=metadata.name%3Dmin", &[]),
        ("fieldSelector=metadata.name%3D", &[]),
        ("fieldSelector=metadata.name%3Dabsent", &[]),
    ];
    for (query, expected) in cases {
        let (_, before, _) = list("").await;
        let (names, version, answer) = list(query).await;
        let (_, after, _) = list("").await;
        assert_eq!(names, expected, "{query}");
        assert!((before..=after).contains(&version), "{query}: {before} {version} {after}");
        let metadata = answer["metadata"].as_object().unwrap();
        assert_eq!(metadata.keys().collect::<Vec<_>>(), ["resourceVersion"], "{query}: there is no next page");
    }
    let (_, version, _) = list("").await;
    server.send("admin", "DELETE", &format!("{SECRETS}/mine"), "application/json", Value::Null).await;
    assert!(list("fieldSelector=metadata.name%3Dmine").await.0.is_empty());
    let past = format!("fieldSelector=metadata.name%3Dmine&resourceVersionMatch=Exact&resourceVersion={version}");
    let (names, listed_version, _) = list(&past).await;
    assert_eq!((names.as_slice(), listed_version), (&["mine".to_owned()][..], version));
}

#[tokio::test]
async fn a_namespace_is_listed_and_watched_by_its_name() {
    let server = server().await;
    let (status, list) = server.get("admin", "/api/v1/namespaces?fieldSelector=metadata.name%3Ddefault").await;
    assert_eq!((status, list["items"].as_array().map(Vec::len)), (200, Some(1)), "{list}");
    let watch = "/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dteam";
    let mut events = server.watch("admin", watch).await;
    for name in ["other", "team"] {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        server.create("admin", "/api/v1/namespaces", namespace).await;
    }
    assert_eq!(events.told(1).await, [("ADDED".to_owned(), "team".to_owned())]);
}
