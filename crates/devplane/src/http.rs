//! HTTP: one entry for all paths, from the prefix of a workspace to the answer.
//! Source: apiserver `server/{config,handler}.go`.

pub(crate) mod answer;
pub(crate) mod bodies;
pub(crate) mod connection;
pub(crate) mod limits;
pub(crate) mod media;
pub(crate) mod panics;
pub(crate) mod path;
pub(crate) mod query;
mod system;
mod target;

use axum::{Router, body::Body, extract::State as Shared};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};

use crate::{
    State, access, discovery,
    objects::{Call, metadata::name_faults},
    openapi, protobuf,
    registry::{Found, NameRule},
    request::{Attributes, User},
    selectors::Selection,
    status::ApiError,
    watch, workspaces,
};
use answer::{Answer, error_response};
use connection::LongRunning;
use media::Format;
use path::{Prefix, ResourcePath};
use query::Query;

/// Subresources that lead to the containers of a pod.
const CONTAINERS: [&str; 4] = ["attach", "exec", "log", "portforward"];

/// The routes of the plane: one handler that takes every path.
pub fn router(state: State) -> Router {
    Router::new().fallback(entry).with_state(state)
}

async fn entry(Shared(state): Shared<State>, request: Request<Body>) -> Response<Body> {
    let headers = request.headers().clone();
    let answered = async {
        limits::check_headers(&headers)?;
        let patience = limits::patience(&Query::parse(request.uri().query().unwrap_or_default()))?;
        tokio::time::timeout(patience, handle(&state, request)).await.unwrap_or_else(|_| Err(limits::timed_out()))
    };
    match panics::caught(answered).await {
        Ok(response) => response,
        Err(error) => error_response(&error, media::error_format(&headers), &headers),
    }
}

async fn handle(state: &State, request: Request<Body>) -> Result<Response<Body>, ApiError> {
    let (parts, body) = request.into_parts();
    let (method, headers) = (parts.method, parts.headers);
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    let (prefix, path) = path::split_prefix(parts.uri.path());
    let resource = path::parse(&method, path, &query);
    let of_issuer = access::of_issuer(state, &headers).await;
    let admitted = attributes(state, &prefix, parts.uri.path(), path, &method, resource.as_ref(), &query)
        .and_then(|attributes| admit(state, attributes, &headers, of_issuer));
    let (attributes, is_home) = match admitted {
        Ok(admitted) => admitted,
        Err(refused) => {
            bodies::drain(body).await;
            return Err(refused);
        }
    };
    // Held until the request is answered.
    let (body, _held) = bodies::read(body, &state.bodies, &attributes.user.name).await?;
    if is_home {
        return Ok(Answer::json(workspaces::home::get(state, &attributes.user)?).into_response(Format::default(), &headers, true));
    }
    match resource {
        Some(resource) => resources(state, attributes, resource, query, method, headers, body).await,
        None => {
            let is_get = method == Method::GET || method == Method::HEAD;
            let mut response = if path.starts_with("/openapi/") {
                openapi::answer(state, &attributes, path, &query, &headers)?
            } else if path == "/api" || path == "/apis" || path.starts_with("/api/") || path.starts_with("/apis/") {
                discovery::answer(state, &attributes, path, &method, &headers)?
            } else if path == "/" && attributes.target.cluster.is_sandbox() && attributes.target.export.is_none() {
                discovery::root(state, &attributes)?.into_response(Format::default(), &headers, is_get)
            } else {
                system::answer(&system::Health::of(state), path, &method, &query, &headers)?.into_response(
                    Format::default(),
                    &headers,
                    is_get,
                )
            };
            if method == Method::HEAD {
                *response.body_mut() = Body::empty();
            }
            Ok(response)
        }
    }
}

/// Authenticates and authorizes a request before anything of its body is read. The second value says whether it reads a home, which
/// everyone may do.
fn admit(state: &State, mut attributes: Attributes, headers: &HeaderMap, of_issuer: Option<User>) -> Result<(Attributes, bool), ApiError> {
    attributes.user = access::authenticate(state, headers, &attributes, of_issuer)?;
    let is_home = workspaces::home::is_asked_for(&attributes);
    if !is_home {
        access::authorize(state, &attributes)?;
    }
    Ok((attributes, is_home))
}

/// What the request is about, with an anonymous user for now.
fn attributes(
    state: &State,
    prefix: &Prefix,
    whole_path: &str,
    path: &str,
    method: &Method,
    resource: Option<&ResourcePath>,
    query: &Query,
) -> Result<Attributes, ApiError> {
    let target = target::locate(state, prefix, whole_path)?;
    let verb = match resource {
        Some(resource) => resource.verb.clone(),
        None => method.as_str().to_ascii_lowercase(),
    };
    let mut attributes = Attributes {
        user: User::anonymous(),
        target,
        verb,
        is_resource: resource.is_some(),
        group: String::new(),
        version: String::new(),
        resource: String::new(),
        subresource: String::new(),
        namespace: String::new(),
        name: String::new(),
        path: path.to_owned(),
    };
    if let Some(resource) = resource.cloned() {
        attributes.group = resource.group;
        attributes.version = resource.version;
        attributes.resource = resource.resource;
        attributes.subresource = resource.subresource;
        attributes.namespace = resource.namespace;
        attributes.name = resource.name;
        // A list of one object by its name is authorised as that object. What is selected later is read by the same parser.
        if attributes.name.is_empty() && ["list", "watch", "deletecollection"].contains(&attributes.verb.as_str()) {
            attributes.name = Selection::name_in(query.get("fieldSelector")).unwrap_or_default();
        }
    }
    Ok(attributes)
}

/// Answers a request to a path of resources.
async fn resources(
    state: &State,
    mut attributes: Attributes,
    path: ResourcePath,
    query: Query,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response<Body>, ApiError> {
    // The name from a field selector was for authorisation alone.
    attributes.name = path.name.clone();
    let served = state.registry.view(state, &attributes.target)?;
    let resource = match served.find(&attributes.group, &attributes.version, &attributes.resource) {
        Found::Resource(resource) => resource,
        Found::UnknownInOwnGroup => return Err(ApiError::resource_not_found()),
        Found::UnknownPath => return Err(ApiError::page_not_found()),
    };
    check_route(&resource, &mut attributes, &path)?;
    check_name(&attributes)?;
    let watches = attributes.verb == "watch";
    // What leads to the containers of a pod is told in forms of its own.
    if resource.is_built_in() && !CONTAINERS.contains(&attributes.subresource.as_str()) {
        media::check_resource(&headers, watches || attributes.verb == "list")?;
    }
    let is_get = method == Method::GET || method == Method::HEAD;
    let api_version = resource.api_version();
    let messages = resource.is_built_in() && protobuf::knows(&api_version, &resource.kind);
    let format = if watches { media::negotiate_stream(&headers, messages)? } else { media::negotiate(&headers, messages)? };
    let call = Call { state: state.clone(), attributes, resource, api_version, view: served.view, query, headers, body, format };
    if watches {
        let mut response = watch::answer(call).await?;
        response.extensions_mut().insert(LongRunning);
        return Ok(response);
    }
    let answer = call.answer().await?;
    let mut response = answer.into_response(call.format, &call.headers, is_get);
    if method == Method::HEAD {
        *response.body_mut() = Body::empty();
    }
    bodies::kept(response, &state.answers, &call.attributes.user.name).await
}

/// Whether an object can have the name of the path (apiserver `registry/generic/registry/store.go`, `NamespaceKeyFunc`).
fn check_name(attributes: &Attributes) -> Result<(), ApiError> {
    let name = attributes.name.as_str();
    let faults = name_faults(NameRule::PathSegment, name);
    if faults.is_empty() || !["get", "update", "patch", "delete", "create"].contains(&attributes.verb.as_str()) {
        return Ok(());
    }
    Err(ApiError::bad_request(format!("Name parameter invalid: {name:?}: {}", faults.join(";"))))
}

/// Whether the resource has this path and takes this method.
fn check_route(resource: &crate::registry::Resource, attributes: &mut Attributes, path: &ResourcePath) -> Result<(), ApiError> {
    let (verb, sub) = (attributes.verb.as_str(), attributes.subresource.as_str());
    let unsupported = || match resource.is_built_in() {
        true => ApiError::method_not_allowed(),
        false => ApiError::verb_not_supported(&resource.group, &resource.plural, verb),
    };
    let named = !attributes.name.is_empty();
    // What comes after a subresource is looked at by the router of built-in kinds alone.
    if path.deeper && resource.is_built_in() {
        return Err(ApiError::resource_not_found());
    }
    // Reviews are asked and never there: nothing has their name.
    if resource.traits.review && named {
        return Err(ApiError::resource_not_found());
    }
    if resource.is_built_in() {
        // Namespaced kinds have paths without a namespace for lists alone, and cluster-scoped ones none with it.
        let odd = resource.namespaced && attributes.namespace.is_empty() && (named || !["list", "watch"].contains(&verb));
        let odd = odd || (!resource.namespaced && !attributes.namespace.is_empty() && resource.plural != "namespaces");
        if odd {
            return Err(if named || !resource.namespaced { ApiError::resource_not_found() } else { ApiError::method_not_allowed() });
        }
    } else if resource.namespaced == attributes.namespace.is_empty()
        && (named || !["list", "watch"].contains(&verb) || !resource.namespaced)
    {
        return Err(ApiError::page_not_found());
    }
    if !sub.is_empty() {
        return match resource.subresource(sub) {
            Some(found) if found.verbs.iter().any(|own| own == verb) => Ok(()),
            Some(_) => Err(unsupported()),
            None if resource.is_built_in() => Err(ApiError::resource_not_found()),
            None => Err(ApiError::not_found(&resource.group, &resource.plural, &attributes.name)),
        };
    }
    match verb {
        "update" | "patch" | "delete" if !named && !resource.is_built_in() => Err(ApiError::bad_request("name must be provided")),
        "update" | "patch" if !named => Err(ApiError::method_not_allowed()),
        "create" if named && resource.is_built_in() => Err(ApiError::method_not_allowed()),
        _ if resource.verbs.iter().any(|own| own == verb) => Ok(()),
        _ => Err(unsupported()),
    }
}
