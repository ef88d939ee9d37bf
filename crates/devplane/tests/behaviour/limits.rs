//! What is too much is refused with a Status, and nobody else notices.

use axum::body::Body;
use devplane::{ClusterId, registry::GroupResource, store::Key};
use futures::StreamExt;
use http::{Request, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::plane::Server;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Sends a text; the answer must be a Status with the code of the answer.
async fn refused(server: &Server, method: &str, path: &str, content_type: &str, body: impl Into<Body>) -> (u16, String) {
    let request = Request::builder().method(method).uri(path).header(header::AUTHORIZATION, "Bearer admin");
    let answer = server.answer(request.header(header::CONTENT_TYPE, content_type).body(body.into()).unwrap()).await;
    let code = answer.status().as_u16();
    let status: Value = serde_json::from_slice(&answer.into_body().collect().await.unwrap().to_bytes()).unwrap();
    assert_eq!((&status["kind"], &status["code"]), (&json!("Status"), &json!(code)));
    (code, status["message"].as_str().unwrap().to_owned())
}

fn config_map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

#[tokio::test]
async fn large_bodies_and_headers_are_refused() {
    let server = Server::start();
    let large = config_map("large", json!({"a": "x".repeat(3 << 20)})).to_string();
    let (code, message) = refused(&server, "POST", MAPS, "application/json", large).await;
    assert_eq!((code, message.as_str()), (413, "Request entity too large: limit is 3145728"));
    let headers = Request::builder().uri(MAPS).header(header::AUTHORIZATION, "Bearer admin").header("x-large", "x".repeat(70_000));
    assert_eq!(server.answer(headers.body(Body::empty()).unwrap()).await.status(), 431);
    assert_eq!(refused(&server, "GET", &format!("{MAPS}?timeout=soon"), "", Body::empty()).await.0, 400);
}

#[tokio::test]
async fn deep_nesting_is_refused_in_every_form() {
    let server = Server::start();
    let definition = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": definition}});
    let names = json!({"plural": "boxes", "singular": "box", "kind": "Box", "listKind": "BoxList"});
    let spec = json!({"group": "shop.dev", "scope": "Cluster", "names": names, "versions": [version]});
    let body = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "boxes.shop.dev"}, "spec": spec});
    server.create("admin", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body).await;
    let boxes = "/apis/shop.dev/v1/boxes";
    let nested = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let with = |depth: usize| format!(r#"{{"apiVersion":"shop.dev/v1","kind":"Box","metadata":{{"name":"b"}},"spec":{}}}"#, nested(depth));
    for depth in [120, 127, 1_000, 100_000] {
        for content_type in ["application/json", "application/yaml"] {
            assert_eq!(refused(&server, "POST", boxes, content_type, with(depth)).await.0, 400, "{content_type} {depth}");
        }
    }
    // As deep as is allowed, and read back: what is owned is noted some levels further down.
    let allowed: Value = serde_json::from_str(&with(119)).unwrap();
    server.create("admin", boxes, allowed.clone()).await;
    let read = server.get("admin", &format!("{boxes}/b")).await.1;
    assert_eq!((&read["spec"], read["metadata"]["managedFields"].as_array().map(Vec::len)), (&allowed["spec"], Some(1)));

    let object = format!("{boxes}/b");
    let merge = format!(r#"{{"spec":{}}}"#, nested(125));
    assert_eq!(refused(&server, "PATCH", &object, "application/merge-patch+json", merge).await.0, 400);
    let deeper: Vec<Value> = (0..500).map(|level| json!({"op": "add", "path": format!("/b{}", "/b".repeat(level)), "value": {}})).collect();
    assert_eq!(refused(&server, "PATCH", &object, "application/json-patch+json", json!(deeper).to_string()).await.0, 422);
    let many = vec![json!({"op": "test", "path": "/none", "value": null}); 10_001];
    let (code, message) = refused(&server, "PATCH", &object, "application/json-patch+json", json!(many).to_string()).await;
    assert_eq!(
        (code, message.as_str()),
        (413, "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001")
    );
    assert_eq!(refused(&server, "PATCH", &format!("{object}?fieldManager=m"), "application/apply-patch+yaml", with(300)).await.0, 400);
}

#[tokio::test]
async fn a_body_that_never_ends_is_given_up() {
    let server = Server::start();
    let endless = Body::from_stream(futures::stream::pending::<Result<Vec<u8>, std::io::Error>>());
    let (code, message) = refused(&server, "POST", &format!("{MAPS}?timeout=200ms"), "application/json", endless).await;
    assert_eq!((code, message.as_str()), (504, "Timeout: request did not complete within the allotted timeout"));
}

/// Watches that one user may have.
const WATCHES: usize = 5_000;

#[tokio::test]
async fn one_user_may_not_have_all_watches() {
    let server = Server::start();
    let watch = async |user: &str| {
        let request = Request::builder().uri(format!("{MAPS}?watch=true")).header(header::AUTHORIZATION, format!("Bearer {user}"));
        server.answer(request.body(Body::empty()).unwrap()).await
    };
    let mut open = Vec::new();
    for _ in 0..WATCHES {
        open.push(watch("admin").await);
    }
    assert!(open.iter().all(|answer| answer.status() == 200));
    let refused = watch("admin").await;
    assert_eq!((refused.status().as_u16(), refused.headers()[header::RETRY_AFTER].to_str().unwrap()), (429, "1"));
    assert_eq!(server.get("admin", MAPS).await.0, 200, "anything else is served");
    let rights = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "bob"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "bob"}]});
    server.create("admin", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", rights).await;
    assert_eq!(watch("bob").await.status(), 200, "so are others");
    open.pop();
    assert_eq!(watch("admin").await.status(), 200, "a closed watch makes room");
}

/// More changes than the history keeps.
const CHANGES: u64 = 20_500;

#[tokio::test]
async fn a_watch_that_is_not_read_expires_and_another_goes_on() {
    let server = Server::start();
    let created = server.create("admin", MAPS, config_map("a", json!({}))).await;
    let version = created["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let watch = async || {
        let request = Request::builder().uri(format!("{MAPS}?watch=true&resourceVersion={version}"));
        server.answer(request.header(header::AUTHORIZATION, "Bearer admin").body(Body::empty()).unwrap()).await.into_body()
    };
    let (slow, mut quick) = (watch().await, watch().await);
    let store = &server.plane.state().store;
    let (resource, key) = (GroupResource::new("", "configmaps"), Key::new(&ClusterId::sandbox(), "default", "a"));
    let (mut seen, mut written, mut revision) = (0, 0, version.parse().unwrap());
    while seen < CHANGES {
        for _ in 0..500 {
            revision = store.write_behind(&resource, &key, revision, Some(created.clone())).unwrap().revision;
            written += 1;
        }
        while seen < written {
            let frame = quick.frame().await.unwrap().unwrap().into_data().unwrap();
            assert!(!frame.starts_with(br#"{"object":{"apiVersion":"v1","code"#), "the quick one is not cut off");
            seen += frame.iter().filter(|byte| **byte == b'\n').count() as u64;
        }
    }
    let told = slow.collect().await.unwrap().to_bytes();
    let event: Value = serde_json::from_slice(&told).unwrap();
    assert_eq!((&event["type"], &event["object"]["code"], &event["object"]["reason"]), (&json!("ERROR"), &json!(410), &json!("Expired")));
}

/// A client that requests long lists and reads none of them is refused more until it does.
#[tokio::test]
async fn answers_that_are_not_read_are_few() {
    let server = Server::start();
    for number in 0..20 {
        let mut map = config_map(&format!("long-{number}"), json!({}));
        map["data"] = json!({"text": "x".repeat(900_000)});
        server.create("admin", MAPS, map).await;
    }
    let ask = async |token: &str| {
        let request = Request::builder().uri(MAPS).header(header::AUTHORIZATION, format!("Bearer {token}"));
        server.answer(request.header(header::ACCEPT, "application/yaml").body(Body::empty()).unwrap()).await
    };
    let first = ask("admin").await;
    assert_eq!(first.status(), 200);
    let refused = ask("admin").await;
    assert_eq!((refused.status().as_u16(), refused.headers()[header::RETRY_AFTER].as_bytes()), (429, &b"1"[..]));
    assert_eq!(server.get("admin", &format!("{MAPS}/long-1")).await.0, 200, "short responses are still served");
    assert!(first.into_body().collect().await.unwrap().to_bytes().len() > 20 * 900_000);
    assert_eq!(ask("admin").await.status(), 200, "a response that was read no longer counts");
}

/// The largest object that is stored, as the plane says it.
const OBJECT: &str = "Request entity too large: limit is 1572864";

#[tokio::test]
async fn no_object_grows_beyond_its_limit_also_by_patches() {
    let server = Server::start();
    let secrets = "/api/v1/namespaces/default/secrets";
    // Two objects of a kind with no limit of its own.
    server.create("admin", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", boxes()).await;
    let boxes = "/apis/shop.dev/v1/boxes";
    let one =
        |name: &str, size: usize| json!({"apiVersion": "shop.dev/v1", "kind": "Box", "metadata": {"name": name}, "a": "x".repeat(size)});
    let (code, message) = refused(&server, "POST", boxes, "application/json", one("large", 1_600_000).to_string()).await;
    assert_eq!((code, message.as_str()), (413, OBJECT));
    let small = server.create("admin", boxes, one("b", 1_400_000)).await;
    let version = small["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let patch = json!({"b": "x".repeat(200_000)}).to_string();
    for content_type in ["application/merge-patch+json", "application/json-patch+json"] {
        let patch =
            if content_type.contains("merge") { patch.clone() } else { json!([{"op": "copy", "from": "/a", "path": "/b"}]).to_string() };
        let (code, message) = refused(&server, "PATCH", &format!("{boxes}/b"), content_type, patch).await;
        assert_eq!((code, message.as_str()), (413, OBJECT), "{content_type}");
    }
    assert_eq!(server.get("admin", &format!("{boxes}/b")).await.1["metadata"]["resourceVersion"], version.as_str(), "nothing was written");
    // What is there can be labelled and deleted, and the watches of others see each step of it.
    server.create("admin", secrets, json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}})).await;
    for step in 0..12 {
        let (code, answer) = server
            .merge(
                "admin",
                &format!("{boxes}/b"),
                json!({"metadata": {"labels": {"step": step.to_string()}, "finalizers": ["shop.dev/f"]}}),
            )
            .await;
        assert_eq!(code, 200, "{answer}");
    }
    let before = server.get("admin", &format!("{boxes}/b")).await.1;
    server.merge("admin", &format!("{boxes}/b"), json!({"metadata": {"labels": {"step": "last"}}})).await;
    let request = Request::builder()
        .uri(format!("{boxes}?watch=true&timeoutSeconds=1&resourceVersion={}", before["metadata"]["resourceVersion"].as_str().unwrap()));
    let told = server.answer(request.header(header::AUTHORIZATION, "Bearer admin").body(Body::empty()).unwrap()).await;
    let event: Value = serde_json::from_slice(&told.into_body().collect().await.unwrap().to_bytes()).unwrap();
    assert_eq!((&event["type"], &event["object"]["metadata"]["labels"]["step"]), (&json!("MODIFIED"), &json!("last")));
    assert_eq!(server.send("admin", "DELETE", &format!("{boxes}/b"), "application/json", Value::Null).await.0, 200);
}

/// A definition of boxes, whose objects may have any form.
fn boxes() -> Value {
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": open}});
    let names = json!({"plural": "boxes", "singular": "box", "kind": "Box", "listKind": "BoxList"});
    let spec = json!({"group": "shop.dev", "scope": "Cluster", "names": names, "versions": [version]});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "boxes.shop.dev"}, "spec": spec})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_side_by_side_do_not_overshoot_a_quota() {
    let server = std::sync::Arc::new(Server::start());
    for round in 0..10 {
        let namespace = format!("n{round}");
        server
            .create("admin", "/api/v1/namespaces", json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}))
            .await;
        let inside = format!("/api/v1/namespaces/{namespace}");
        let quota =
            json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"count/configmaps": "5"}}});
        server.create("admin", &format!("{inside}/resourcequotas"), quota).await;
        let maps = format!("{inside}/configmaps");
        let writers = (0..16).map(|writer| {
            let (server, maps) = (server.clone(), maps.clone());
            tokio::spawn(async move { server.post("admin", &maps, config_map(&format!("m{writer}"), json!({}))).await })
        });
        let answers = futures::future::join_all(writers.collect::<Vec<_>>()).await;
        let answers: Vec<(u16, Value)> = answers.into_iter().map(Result::unwrap).collect();
        assert_eq!(answers.iter().filter(|(code, _)| *code == 201).count(), 5);
        let refused = answers.iter().find(|(code, _)| *code != 201).unwrap();
        let why = "exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=5, limited: count/configmaps=5";
        assert!(refused.0 == 403 && refused.1["message"].as_str().unwrap().ends_with(why), "{}", refused.1);
        assert_eq!(server.get("admin", &maps).await.1["items"].as_array().map(Vec::len), Some(5));
    }
}

#[tokio::test]
async fn who_may_not_ask_is_told_before_the_body_is_read() {
    let server = Server::start();
    let read = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let seen = read.clone();
    // The body ends, so that the connection can go on; nothing of it is kept.
    let body = futures::stream::iter(0..40).map(move |_| {
        seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Ok::<_, std::io::Error>(vec![b'x'; 100_000])
    });
    let request = Request::builder().method("POST").uri(MAPS).header(header::CONTENT_TYPE, "application/json");
    let answer = server.answer(request.body(Body::from_stream(body)).unwrap()).await;
    assert_eq!(answer.status(), 403, "not 413: what is too large is not looked at");
    assert!(read.load(std::sync::atomic::Ordering::SeqCst) <= 33);
}
