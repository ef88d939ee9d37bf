//! Clients keep OpenAPI documents until their content changes.

use axum::body::Body;
use http::{Request, Response, header};
use http_body_util::BodyExt;
use serde_json::Value;

use crate::plane::Server;

async fn get(server: &Server, path: &str, known: Option<&str>) -> Response<Body> {
    let mut request = Request::builder().uri(path).header(header::AUTHORIZATION, "Bearer admin");
    if let Some(tag) = known {
        request = request.header(header::IF_NONE_MATCH, tag);
    }
    server.answer(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn a_document_that_is_known_is_not_sent_again() {
    let server = Server::start();
    let index = get(&server, "/openapi/v3", None).await;
    let tag = index.headers()[header::ETAG].to_str().unwrap().to_owned();
    assert_eq!(get(&server, "/openapi/v3", Some(&tag)).await.status(), 304);
    let index: Value = serde_json::from_slice(&index.into_body().collect().await.unwrap().to_bytes()).unwrap();
    let path = index["paths"]["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap();
    let document = get(&server, path, None).await;
    assert_eq!(document.headers()[header::CACHE_CONTROL], "public, immutable");
    let tag = document.headers()[header::ETAG].to_str().unwrap().to_owned();
    assert!(path.ends_with(&format!("hash={}", tag.trim_matches('"'))), "{path} {tag}");
    let again = get(&server, "/openapi/v3/apis/apps/v1", Some(&tag)).await;
    assert_eq!((again.status().as_u16(), again.into_body().collect().await.unwrap().to_bytes().len()), (304, 0));
    assert_eq!(get(&server, "/openapi/v3/apis/apps/v1", Some("\"another\"")).await.status(), 200);
}
