//! OpenAPI documents: v3 by group and version, and v2 as one document.

use axum::body::Body;
use http::{HeaderMap, Response};
use serde_json::{Map, Value, json};

use crate::{
    State,
    http::{
        answer::{Answer, Content},
        media::Format,
    },
    registry::Resource,
    request::Attributes,
    status::ApiError,
};

/// Answers `/openapi/v3`, `/openapi/v3/…` and `/openapi/v2`.
pub fn answer(state: &State, attributes: &Attributes, path: &str, headers: &HeaderMap) -> Result<Response<Body>, ApiError> {
    let served = state.registry.view(state, &attributes.target)?;
    let resources: Vec<&Resource> = served.resources.iter().map(|resource| &**resource).collect();
    let answer = match path.trim_end_matches('/') {
        "/openapi/v2" => {
            Answer::json(json!({"swagger": "2.0", "info": {"title": "Kubernetes", "version": "v1.36.4"}, "paths": {}, "definitions": {}}))
        }
        "/openapi/v3" => {
            let mut paths = Map::new();
            for resource in &resources {
                let place = place(resource);
                paths.insert(place.clone(), json!({"serverRelativeURL": format!("/openapi/v3/{place}")}));
            }
            let text = json!({"paths": paths}).to_string();
            Answer { code: 200, content: Content::Text("text/plain; charset=utf-8", text.into()), warnings: Vec::new() }
        }
        path => match path.strip_prefix("/openapi/v3/") {
            Some(wanted) if resources.iter().any(|resource| place(resource) == wanted) => Answer::json(
                json!({"openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "v1.36.4"}, "paths": {}, "components": {"schemas": Value::Object(Map::new())}}),
            ),
            _ => Answer { code: 404, content: Content::Empty, warnings: Vec::new() },
        },
    };
    Ok(answer.into_response(Format::default(), headers, true))
}

/// Where the document of a resource's group and version is: `api/v1`, `apis/GROUP/VERSION`.
fn place(resource: &Resource) -> String {
    if resource.group.is_empty() { format!("api/{}", resource.version) } else { format!("apis/{}/{}", resource.group, resource.version) }
}
