//! How `patch` and `apply` are used: media types, errors, targets; and how built-in kinds get their shape.
//! Source: apiserver `endpoints/handlers/patch.go`.

use http::header::CONTENT_TYPE;
use schema::structural::Schema;
use serde_json::{Map, Value};

use super::{
    Call,
    decode::{self, Decoded},
    depth, metadata,
    options::{FieldValidation, WriteOptions},
};
use crate::{
    apply::{self, RESET_BY_OBJECT, RESET_BY_STATUS, Target},
    authored::CLUSTER,
    builtin, clock, definitions,
    http::{limits, media},
    namespaces::{self, NAMESPACES},
    patch::{self, PatchError},
    protobuf::go_json,
    registry::{DEFINITIONS, Shape},
    status::{ApiError, Cause},
};

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

/// Whether the patch has a media type that the resource takes.
pub fn check_patch_type(call: &Call) -> Result<(), ApiError> {
    let accepted: &[&str] = if call.resource.is_built_in() { &[JSON, MERGE, STRATEGIC, APPLY] } else { &[JSON, MERGE, APPLY] };
    let given = media::content_type(&call.headers);
    if accepted.contains(&given) { Ok(()) } else { Err(ApiError::unsupported_media_type(accepted)) }
}

/// An apply needs a field manager; nothing else may be forced.
pub fn check_options(apply: bool, options: &WriteOptions) -> Result<(), ApiError> {
    let cause = match apply {
        true if options.given_manager.is_empty() => Cause::required("fieldManager", "is required for apply patch"),
        false if options.force => Cause::forbidden("force", "may not be specified for non-apply patch"),
        _ => return Ok(()),
    };
    Err(ApiError::invalid("meta.k8s.io", "PatchOptions", "", [cause]))
}

/// The object that an apply makes of the current one (or of none), with its `managedFields` settled, and warnings.
///
/// The configuration is judged as it was sent: a field that the schema does not know makes it a misfit, whatever `fieldValidation` says.
pub fn applied(call: &Call, current: Option<&Value>, options: &WriteOptions) -> Result<(Value, Vec<String>), ApiError> {
    let (config, warnings) = configuration(call, options)?;
    if call.resource.storage == *DEFINITIONS {
        let unknown = definitions::prune(&mut config.clone());
        if !unknown.is_empty() {
            let problems = unknown.iter().map(|path| format!(".{path}: field not declared in schema")).collect();
            return Err(apply::ApplyError::not_typed("patch", &config, &target(call, &Map::new()), problems).into());
        }
    }
    let now = clock::seconds(call.state.clock.now());
    let mut object = apply::apply(&target(call, &Map::new()), current, &config, &options.manager, options.force, &now)?;
    builtin::decode_metadata(&call.resource, &mut object).map_err(|error| error.with_warnings(warnings.clone()))?;
    metadata::of(&mut object);
    metadata::normalise(&mut object);
    Ok((object, warnings))
}

/// The configuration that an apply brings, and warnings.
pub fn configuration(call: &Call, options: &WriteOptions) -> Result<(Value, Vec<String>), ApiError> {
    let unread = |error: String| ApiError::bad_request(format!("error decoding YAML: {error}"));
    let Decoded { value: config, duplicates: repeated } = decode::yaml(&call.body).map_err(unread)?;
    let config = match config {
        Value::Object(_) => config,
        Value::Null => Value::Object(Map::new()),
        other => {
            let into = "Go value of type map[string]interface {}";
            let kind = patch::go_type(&other);
            return Err(unread(format!("error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {kind} into {into}")));
        }
    };
    depth::check(&config)?;
    let warnings = match options.validation {
        FieldValidation::Ignore => Vec::new(),
        FieldValidation::Warn => repeated,
        FieldValidation::Strict if repeated.is_empty() => repeated,
        FieldValidation::Strict => return Err(ApiError::bad_request(format!("error strict decoding YAML: {}", repeated.join(", ")))),
    };
    Ok((config, warnings))
}

/// The current object after a JSON, merge or strategic patch, and the paths of keys that the patch repeats.
pub fn patched(call: &Call, current: &Value) -> Result<Decoded, ApiError> {
    let given = call.headers.get(CONTENT_TYPE).map(|_| media::content_type(&call.headers)).unwrap_or_default();
    if given == MERGE && &*call.body == b"null" {
        return Err(ApiError::bad_request("Invalid JSON Patch"));
    }
    let introduction = if given == STRATEGIC { "" } else { "error decoding patch: " };
    let decoded = decode::json(&call.body).map_err(|error| ApiError::bad_request(format!("{introduction}{error}")));
    let Decoded { value: patch, duplicates } = decoded?;
    let result = match given {
        JSON => patch::json(current, &patch),
        STRATEGIC => patch::strategic(current, &patch, schema(call).unwrap_or(open_schema())),
        _ => patch::merge(current, &patch),
    };
    let value = result.map_err(|error| match error {
        PatchError::DoesNotApply => ApiError::of(422, "Invalid", error.to_string()).with_details(serde_json::json!({})),
        PatchError::TooLarge(what) => limits::too_large(what),
        PatchError::Contradiction(_) => ApiError::of(500, "", error.to_string()),
        PatchError::Malformed(_) => ApiError::bad_request(error.to_string()),
    })?;
    // The keys of a JSON patch are those of operations.
    let duplicates = if given == JSON { decode::problems_of_patch(&call.body, &patch) } else { duplicates };
    Ok(Decoded { value, duplicates })
}

/// A strategic patch as the API server prints it.
pub fn strategic_text(call: &Call) -> Option<String> {
    if media::content_type(&call.headers) != STRATEGIC {
        return None;
    }
    decode::json(&call.body).ok().map(|decoded| apply::typed::go::plain(&decoded.value))
}

/// An object of a built-in kind that a JSON or merge patch made, as the API server prints it: where the patch went in, fields come by
/// name, elsewhere in the order of the Go structures.
pub fn patched_text(call: &Call, api_version: &str, kind: &str, patched: &Value) -> String {
    let patch = decode::json(&call.body).map(|decoded| decoded.value).unwrap_or_default();
    if media::content_type(&call.headers) != JSON {
        let is_merged = |path: &[String]| path.iter().try_fold(&patch, |value, name| value.get(name)).is_some_and(Value::is_object);
        return go_json::text(api_version, kind, patched, &is_merged);
    }
    let pointers = patch.as_array().into_iter().flatten().flat_map(|operation| ["path", "from"].map(|name| operation[name].as_str()));
    let steps =
        |pointer: &str| -> Vec<String> { pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect() };
    let walked: Vec<Vec<String>> = pointers.flatten().map(steps).collect();
    let is_walked = |path: &[String]| path.is_empty() || walked.iter().any(|steps| steps.len() > path.len() && steps.starts_with(path));
    go_json::text(api_version, kind, patched, &is_walked)
}

/// The schema of a kind of which nothing is known.
fn open_schema() -> &'static Schema {
    static OPEN: std::sync::LazyLock<Schema> = std::sync::LazyLock::new(|| {
        Schema::parse_lenient(&serde_json::json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}))
    });
    &OPEN
}

/// What is known of the shape of objects.
fn schema(call: &Call) -> Option<&Schema> {
    match &call.resource.shape {
        Shape::Custom(shape) => Some(&shape.schema),
        Shape::BuiltIn => builtin::schema(&call.resource.group, &call.resource.kind),
    }
}

fn target<'a>(call: &'a Call, zero: &'a Map<String, Value>) -> Target<'a> {
    let sub = call.attributes.subresource.as_str();
    Target {
        schema: schema(call),
        api_version: &call.api_version,
        kind: &call.resource.kind,
        subresource: sub,
        reset: match sub {
            "status" => RESET_BY_STATUS,
            "" if super::shape::has_status(&call.resource) => RESET_BY_OBJECT,
            _ => &[],
        },
        zero,
        forwarded: call.forwards(),
    }
}

/// Canonical form, defaults and rules of built-in kinds. Errors other than broken rules (values that cannot be read) come as such.
pub fn shape_builtin(call: &Call, object: &mut Value, old: Option<&Value>, dry_run: bool) -> Result<Vec<Cause>, ApiError> {
    if !call.resource.is_built_in() {
        return Ok(Vec::new());
    }
    if call.resource.storage == *DEFINITIONS {
        definitions::check_types(object)?;
        builtin::decode(&call.resource, object)?;
        definitions::complete(object, old);
        return Ok(definitions::validate(object, old));
    }
    if call.resource.storage == *NAMESPACES && old.is_none() {
        namespaces::complete(object);
    }
    let context = builtin::Context { random: &*call.state.random, dry_run };
    builtin::shape(&call.resource, &call.attributes.subresource, object, old, &context)
}

impl Call {
    /// Whether the request goes through a virtual workspace. kcp answers an apply there with a GET, a merge of its own and a PUT: what the
    /// configuration leaves out stays, because no apply of this manager was ever stored that had it.
    /// Source: kcp `pkg/virtual/framework/forwardingregistry/store.go`.
    pub(super) fn forwards(&self) -> bool {
        self.attributes.target.export.is_some()
    }

    /// Notes in `managedFields` which fields this write (not an apply) set.
    pub(super) fn track_fields(&self, old: Option<&Value>, object: &mut Value, options: &WriteOptions) {
        let now = clock::seconds(self.state.clock.now());
        let is_new = old.is_none() && self.resource.is_built_in();
        let zero = if is_new { builtin::zero::fields(&self.resource.group, &self.resource.kind) } else { Map::new() };
        let target = target(self, &zero);
        if self.attributes.target.cluster.is_sandbox() {
            return apply::update_managed_fields(&target, old, object, &options.manager, &now);
        }
        // The annotation with the workspace of an object is the plane's.
        let (old, mut unmarked) = (old.map(without_cluster), without_cluster(object));
        apply::update_managed_fields(&target, old.as_ref(), &mut unmarked, &options.manager, &now);
        match unmarked["metadata"].get_mut("managedFields") {
            Some(fields) => drop(metadata::of(object).insert("managedFields".into(), fields.take())),
            None => drop(metadata::of(object).remove("managedFields")),
        }
    }
}

/// An object without the annotation that names its workspace.
fn without_cluster(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(annotations) = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        annotations.remove(CLUSTER);
        if annotations.is_empty() {
            metadata::of(&mut object).remove("annotations");
        }
    }
    object
}
