//! Typed clients speak protobuf and take it or JSON.

use axum::body::Body;
use http::{Request, header};
use http_body_util::BodyExt;
use serde_json::json;

use crate::plane::Server;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn request(method: &str, path: &str, accept: &str, body: &[u8]) -> Request<Body> {
    let request = Request::builder().method(method).uri(path).header(header::AUTHORIZATION, "Bearer admin").header(header::ACCEPT, accept);
    request.header(header::CONTENT_TYPE, PROTOBUF).body(Body::from(body.to_vec())).unwrap()
}

/// A message of one field with a length.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, u8::try_from(content.len()).unwrap()], content].concat()
}

fn envelope(kind: &str, raw: &[u8]) -> Vec<u8> {
    let type_meta = [field(1, b"v1"), field(2, kind.as_bytes())].concat();
    [b"k8s\0".to_vec(), field(1, &type_meta), field(2, raw)].concat()
}

#[tokio::test]
async fn a_config_map_comes_as_a_message_and_is_answered_as_asked() {
    let server = Server::start();
    let entry = field(2, &[field(1, b"key"), field(2, b"value")].concat());
    let body = envelope("ConfigMap", &[field(1, &field(1, b"typed")), entry].concat());
    let created = server.answer(request("POST", MAPS, "application/json", &body)).await;
    assert_eq!(created.status(), 201);
    let (_, map) = server.get("admin", &format!("{MAPS}/typed")).await;
    assert_eq!(map["data"], json!({"key": "value"}));

    let read = server.answer(request("GET", &format!("{MAPS}/typed"), &format!("{PROTOBUF},application/json"), b"")).await;
    assert_eq!(read.headers()[header::CONTENT_TYPE], PROTOBUF);
    let bytes = read.into_body().collect().await.unwrap().to_bytes();
    assert!(bytes.starts_with(b"k8s\0") && bytes.windows(5).any(|part| part == b"value"));

    let options = envelope("DeleteOptions", &field(4, b"Orphan"));
    let marked = server.answer(request("DELETE", &format!("{MAPS}/typed"), "application/json", &options)).await;
    let marked: serde_json::Value = serde_json::from_slice(&marked.into_body().collect().await.unwrap().to_bytes()).unwrap();
    assert_eq!(marked["metadata"]["finalizers"], json!(["orphan"]));
}

#[tokio::test]
async fn what_is_no_message_is_a_bad_request_and_custom_kinds_have_none() {
    let server = Server::start();
    assert_eq!(server.answer(request("POST", MAPS, "application/json", b"{}")).await.status(), 400);
    assert_eq!(server.answer(request("POST", MAPS, "application/json", &envelope("Nothing", b""))).await.status(), 400);
    let workspaces = "/clusters/root/apis/tenancy.kcp.io/v1alpha1/workspaces";
    assert_eq!(server.answer(request("POST", workspaces, "application/json", &envelope("Workspace", b""))).await.status(), 415);
    let refused = server.answer(request("GET", workspaces, PROTOBUF, b"")).await;
    assert_eq!((refused.status().as_u16(), &refused.headers()[header::CONTENT_TYPE]), (406, &PROTOBUF.parse().unwrap()));
    // The metadata of custom objects has a message.
    let partial = format!("{PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    let list = server.answer(request("GET", workspaces, &partial, b"")).await;
    assert_eq!((list.status().as_u16(), &list.headers()[header::CONTENT_TYPE]), (200, &PROTOBUF.parse().unwrap()));
}
