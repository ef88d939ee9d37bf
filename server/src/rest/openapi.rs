//! The OpenAPI description, made of the operations and the types that describe themselves.

use std::sync::LazyLock;

use http::HeaderMap;
use promise::api::PreflightAnswer;
use promise::rest::operation::{Content, OPERATIONS, Operation, Parameter, ParameterKind};
use promise::rest::{
    ActionItem, ApprovalItem, CostReport, DecisionBody, DecisionReceipt, FleetItem, PROBLEM_JSON, Page, ProblemDetails, PromiseDetail,
    PromiseManifest, PromisePublication, PromiseSummary, ReleaseItem, RequestDetail, RequestEvents, RequestGone, RequestLog,
    RequestManifest, RequestSummary, ResourceItem, RolloutDetail, RolloutSummary, RunBody, RunDetail, RunSummary, SearchItem, SignInInfo,
    SkipBody, WorkspaceSummary,
};
use utoipa::openapi::path::{OperationBuilder, ParameterBuilder, ParameterIn, PathsBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ComponentsBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, HttpMethod, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Required, ResponseBuilder, ResponsesBuilder,
};
use utoipa::{PartialSchema as _, ToSchema};

use super::answer::{self, Answer};
use super::fields::Fields;

/// Name of the security scheme.
const TOKEN: &str = "token";
/// What every operation for programs can answer.
const ALWAYS: [u16; 5] = [401, 404, 422, 429, 503];

type Schemas = Vec<(String, RefOr<Schema>)>;

static DESCRIPTION: LazyLock<OpenApi> = LazyLock::new(describe);

pub(crate) async fn description(headers: HeaderMap) -> Answer {
    answer::value(&headers, &Fields::default(), &*DESCRIPTION)
}

fn describe() -> OpenApi {
    let mut schemas = Schemas::new();
    add_page::<WorkspaceSummary>(&mut schemas);
    add_page::<PromiseSummary>(&mut schemas);
    add::<PromiseDetail>(&mut schemas);
    add::<PromiseManifest>(&mut schemas);
    add::<PromisePublication>(&mut schemas);
    add_page::<FleetItem>(&mut schemas);
    add_page::<RolloutSummary>(&mut schemas);
    add::<RolloutDetail>(&mut schemas);
    add_page::<RequestSummary>(&mut schemas);
    add::<RequestManifest>(&mut schemas);
    add::<RequestDetail>(&mut schemas);
    add::<RequestGone>(&mut schemas);
    add::<RequestEvents>(&mut schemas);
    add::<RequestLog>(&mut schemas);
    add_page::<ReleaseItem>(&mut schemas);
    add_page::<ActionItem>(&mut schemas);
    add_page::<RunSummary>(&mut schemas);
    add::<RunBody>(&mut schemas);
    add::<RunDetail>(&mut schemas);
    add::<PreflightAnswer>(&mut schemas);
    add_page::<ApprovalItem>(&mut schemas);
    add::<DecisionBody>(&mut schemas);
    add::<SkipBody>(&mut schemas);
    add::<DecisionReceipt>(&mut schemas);
    add_page::<ResourceItem>(&mut schemas);
    add::<CostReport>(&mut schemas);
    add_page::<SearchItem>(&mut schemas);
    add::<SignInInfo>(&mut schemas);
    add::<ProblemDetails>(&mut schemas);
    let paths = OPERATIONS.iter().fold(PathsBuilder::new(), |paths, operation| {
        let item = utoipa::openapi::PathItem::new(method(operation.method), described(operation));
        paths.path(operation.path, item)
    });
    let scheme = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A token that the control plane accepts. The portal acts with it, so it allows what it allows there."))
        .build();
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("OPM Portal")
                .version("v1")
                .description(Some(
                    "Promises, requests, approvals, resources and cost, for programs. Answers are the same as on the pages of the portal.",
                ))
                .build(),
        )
        .paths(paths)
        .components(Some(ComponentsBuilder::new().schemas_from_iter(schemas).security_scheme(TOKEN, SecurityScheme::Http(scheme)).build()))
        .build()
}

/// Adds the schema of a type, and those that it refers to.
fn add<T: ToSchema>(schemas: &mut Schemas) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}

/// Adds the schema of a part of a list, under a name of its own: that of a generic type is the same for all of its items.
fn add_page<T: ToSchema>(schemas: &mut Schemas) {
    schemas.push((page_of(&T::name()), Page::<T>::schema()));
    add::<T>(schemas);
}

/// Returns the name of the schema of a part of a list.
fn page_of(item: &str) -> String {
    format!("Page_{item}")
}

fn method(name: &str) -> HttpMethod {
    match name {
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

fn described(operation: &Operation) -> utoipa::openapi::path::Operation {
    let mut built = OperationBuilder::new()
        .tag(operation.group)
        .operation_id(Some(operation.id))
        .summary(Some(operation.summary))
        .description(Some(operation.description));
    for name in operation.path_parameters() {
        let description = match name {
            "workspace" => "Path of the workspace, such as `root:acme:shop`.",
            "namespace" => "Namespace of the request.",
            "step" => "Id of the step.",
            _ => "Name.",
        };
        let kind = ParameterKind::Text;
        built = built.parameter(parameter(&Parameter { name, kind, required: true, description }, ParameterIn::Path));
    }
    for query in operation.query {
        built = built.parameter(parameter(query, ParameterIn::Query));
    }
    for header in operation.headers {
        built = built.parameter(parameter(header, ParameterIn::Header));
    }
    if let Some(body) = operation.body {
        let mut sent = RequestBodyBuilder::new().required(Some(Required::True));
        for (kind, schema) in contents(body) {
            sent = sent.content(kind, ContentBuilder::new().schema(Some(schema)).build());
        }
        built = built.request_body(Some(sent.build()));
    }
    let is_for_programs = !operation.is_open();
    let mut responses = ResponsesBuilder::new().response(operation.status.to_string(), success(operation));
    if operation.headers.iter().any(|header| header.name == "If-None-Match") {
        responses = responses.response("304", ResponseBuilder::new().description("Unchanged.").build());
    }
    if operation.id == "deleteRequest" {
        responses = responses.response("204", ResponseBuilder::new().description("It was deleted.").build());
    }
    if is_for_programs {
        let mut refusals: Vec<u16> = ALWAYS.iter().chain(operation.refusals).copied().collect();
        refusals.sort_unstable();
        refusals.dedup();
        for status in refusals {
            responses = responses.response(status.to_string(), refusal(status));
        }
        built = built.security(SecurityRequirement::new(TOKEN, Vec::<String>::new()));
    }
    built.responses(responses.build()).build()
}

fn parameter(parameter: &Parameter, place: ParameterIn) -> utoipa::openapi::path::Parameter {
    let kind = match parameter.kind {
        ParameterKind::Text => Type::String,
        ParameterKind::Number => Type::Integer,
        ParameterKind::Flag => Type::Boolean,
    };
    ParameterBuilder::new()
        .name(parameter.name)
        .parameter_in(place)
        .required(if parameter.required { Required::True } else { Required::False })
        .description(Some(parameter.description))
        .schema(Some(ObjectBuilder::new().schema_type(kind).build()))
        .build()
}

/// Returns the media types of a body, each with its schema.
fn contents(content: Content) -> Vec<(&'static str, RefOr<Schema>)> {
    let named = |name: String| RefOr::Ref(Ref::from_schema_name(name));
    match content {
        Content::Empty => Vec::new(),
        Content::Of(name) => vec![("application/json", named(name.to_owned()))],
        Content::PageOf(name) => vec![("application/json", named(page_of(name)))],
        Content::Manifest => manifest(&RequestManifest::name()),
        Content::Promise => manifest(&PromiseManifest::name()),
        // OpenAPI 3.1 has no schema of a stream: this is that of the data of its events.
        Content::Events(name) => vec![("text/event-stream", named(name.to_owned()))],
    }
}

/// Returns the media types of a manifest, each with its schema.
fn manifest(name: &str) -> Vec<(&'static str, RefOr<Schema>)> {
    ["application/json", "application/yaml"].map(|kind| (kind, RefOr::Ref(Ref::from_schema_name(name)))).into()
}

fn success(operation: &Operation) -> utoipa::openapi::Response {
    let mut response = ResponseBuilder::new().description(operation.summary);
    for (kind, schema) in contents(operation.answer) {
        response = response.content(kind, ContentBuilder::new().schema(Some(schema)).build());
    }
    response.build()
}

fn refusal(status: u16) -> utoipa::openapi::Response {
    let description = match status {
        401 => "The control plane doesn't accept the token.",
        403 => "You aren't allowed to do this.",
        404 => "It doesn't exist, or you don't have access to it.",
        409 => "The name is taken, or it changed in the meantime.",
        412 => "The request changed after you read it.",
        422 => "A parameter or a field of the body is invalid.",
        428 => "The header If-Match is missing.",
        429 => "Too many calls. Wait as long as the header Retry-After says.",
        _ => "The control plane doesn't respond, or isn't ready.",
    };
    let problem = RefOr::Ref::<Schema>(Ref::from_schema_name(ProblemDetails::name()));
    ResponseBuilder::new().description(description).content(PROBLEM_JSON, ContentBuilder::new().schema(Some(problem)).build()).build()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use promise::rest::operation::OPENAPI;
    use serde_json::Value;

    use super::*;

    /// All places that a document refers to.
    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(object) => {
                found.extend(object.get("$ref").and_then(Value::as_str).map(str::to_owned));
                object.values().for_each(|inner| references(inner, found));
            }
            Value::Array(items) => items.iter().for_each(|inner| references(inner, found)),
            _ => {}
        }
    }

    #[test]
    fn everything_that_is_referred_to_is_described() {
        let document = serde_json::to_value(describe()).unwrap();
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(found.len() > 30, "{found:?}");
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} is elsewhere"));
            assert!(document.pointer(pointer).is_some(), "{reference} is not described");
        }
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let named = |name: &str| schemas.keys().filter(|key| *key == name).count();
        assert_eq!((named("RequestDetail"), named("WaitingOn"), named("Page_RequestSummary")), (1, 1, 1));
        let detail = schemas["RequestDetail"].to_string();
        assert!(detail.contains("observedGeneration") && detail.contains("RequestSummary"), "{detail}");
    }

    #[test]
    fn operations_with_one_path_are_described_together() {
        let document = serde_json::to_value(describe()).unwrap();
        let request = document["paths"][promise::rest::operation::REQUEST].as_object().unwrap();
        assert_eq!(request.keys().map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(["get", "put", "delete"]));
        let change = &request["put"];
        assert_eq!(change["security"][0]["token"], serde_json::json!([]));
        let names: Vec<&str> = change["parameters"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["workspace", "namespace", "name", "dryRun", "fields", "If-Match"]);
        assert!(document["paths"][OPENAPI]["get"].get("security").is_none(), "it is open to anyone");
    }
}
