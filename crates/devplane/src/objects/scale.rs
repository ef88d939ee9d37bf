//! The subresource `scale`: one number of the spec, seen as `autoscaling/v1` Scale.
//! Source: apiextensions-apiserver `pkg/registry/customresource/etcd.go`; kubernetes `pkg/registry/apps/deployment/storage`.
//!
//! Who owns the number is told in terms of the Scale while a request writes it: see [`managed`].

mod managed;

use serde_json::{Map, Value, json};

use super::{Call, metadata, options::WriteOptions, patching, special, update};
use crate::{
    apply, builtin, clock,
    http::{
        answer::Answer,
        media::{self, Transform},
    },
    protobuf::go_json,
    registry::Shape,
    status::{ApiError, Cause},
    table,
};

const API_VERSION: &str = "autoscaling/v1";
const KIND: &str = "Scale";
/// What a Scale has for a number that the object does not say: a write has to bring one.
const UNSET: i32 = i32::MIN;
/// What the real server says of an apply to a Scale of a custom resource whose number nobody owns.
const UNOWNED: &str = "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1";

/// Where the numbers are: (spec, status, selector) as JSON paths.
fn paths(call: &Call) -> (String, String, Option<String>) {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match &call.resource.shape {
        Shape::Custom(shape) => {
            let scale = shape.scale.clone().unwrap_or_default();
            (
                text(&scale["specReplicasPath"]).unwrap_or_default(),
                text(&scale["statusReplicasPath"]).unwrap_or_default(),
                text(&scale["labelSelectorPath"]),
            )
        }
        Shape::BuiltIn => (".spec.replicas".into(), ".status.replicas".into(), None),
    }
}

fn at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    path.trim_start_matches('.').split('.').try_fold(object, |value, part| value.get(part))
}

/// The Scale of an object.
pub fn of(call: &Call, object: &Value) -> Value {
    let (spec, status, selector) = paths(call);
    let mut metadata = json!({});
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = object["metadata"].get(field) {
            metadata[field] = value.clone();
        }
    }
    let replicas = at(object, &spec).cloned();
    let mut scale = json!({"kind": KIND, "apiVersion": API_VERSION, "metadata": metadata, "spec": {}, "status": {"replicas": at(object, &status).cloned().unwrap_or(json!(0))}});
    if let Some(replicas) = replicas.filter(|replicas| *replicas != 0) {
        scale["spec"]["replicas"] = replicas;
    }
    let selector = match selector {
        Some(path) => at(object, &path).and_then(Value::as_str).map(str::to_owned),
        None => call.resource.is_built_in().then(|| selector_text(&object["spec"]["selector"])),
    };
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        scale["status"]["selector"] = selector.into();
    }
    scale
}

/// A selector of labels as text, `a=b,c=d`.
fn selector_text(selector: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let equal = selector["matchLabels"].as_object().into_iter().flatten();
    let mut parts: Vec<String> = equal.map(|(key, value)| format!("{key}={}", text(value))).collect();
    for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
        let key = text(&expression["key"]);
        let mut values: Vec<String> = expression["values"].as_array().into_iter().flatten().map(text).collect();
        values.sort();
        let values = values.join(",");
        parts.push(match expression["operator"].as_str() {
            Some("In") => format!("{key} in ({values})"),
            Some("NotIn") => format!("{key} notin ({values})"),
            Some("DoesNotExist") => format!("!{key}"),
            _ => key,
        });
    }
    // As the API server writes it: by key.
    parts.sort_by(|one, other| one.trim_start_matches('!').cmp(other.trim_start_matches('!')));
    parts.join(",")
}

/// GET.
pub async fn read(call: &Call) -> Result<Answer, ApiError> {
    let name = &call.attributes.name;
    let stored = call.stored(name).await.ok_or_else(|| call.not_found(name))?;
    let object = call.shown(&stored);
    let (spec, _, _) = paths(call);
    if !call.resource.is_built_in() && at(&object, &spec).is_none() {
        return Err(ApiError::internal(format_args!("the spec replicas field {spec:?} does not exist")));
    }
    let scale = of(call, &object);
    Ok(Answer::json(if call.format.transform == Transform::Table { table::of_scale(call, &scale) } else { scale }))
}

/// A replacement says what it is, and of which object.
fn check_identity(call: &Call, scale: &Value) -> Result<(), ApiError> {
    let kind = scale["kind"].as_str().unwrap_or_default();
    if !kind.is_empty() && kind != KIND {
        return Err(ApiError::bad_request("no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\""));
    }
    if metadata::text(scale, "name").is_empty() {
        return Err(update::unnamed(&call.attributes.name));
    }
    Ok(())
}

/// The object with the number that the request asks for and with its `managedFields` settled, and warnings.
pub fn propose(call: &Call, old: &Value, options: &WriteOptions) -> Result<(Value, Vec<String>), ApiError> {
    let (spec, _, _) = paths(call);
    let is_custom = !call.resource.is_built_in();
    let mut current = of(call, old);
    if is_custom && at(old, &spec).is_none() {
        current["spec"]["replicas"] = UNSET.into();
    }
    let owners = managed::to_scale(old, &spec);
    if !owners.is_empty() {
        metadata::of(&mut current).insert("managedFields".into(), owners.into());
    }
    let (wanted, warnings) = wanted(call, &current, options)?;
    let replicas = wanted["spec"]["replicas"].as_i64().unwrap_or_default();
    if is_custom && replicas == i64::from(UNSET) {
        return Err(ApiError::bad_request(format!("the spec replicas field {spec:?} cannot be empty")));
    }
    if replicas < 0 {
        let name = &call.attributes.name;
        let field = if is_custom { spec.as_str() } else { "spec.replicas" };
        let cause = Cause::invalid(field, &replicas.into(), "should be a non-negative integer");
        let (group, kind) = if is_custom { (&*call.resource.group, &*call.resource.kind) } else { ("autoscaling", "Scale") };
        return Err(ApiError::invalid(group, kind, name, [cause]));
    }
    let mut object = old.clone();
    let entries = managed::from_scale(old, &wanted, &spec, &call.api_version);
    let own = metadata::of(&mut object);
    for field in ["resourceVersion", "uid", "name"] {
        match wanted["metadata"].get(field) {
            Some(value) => {
                own.insert(field.into(), value.clone());
            }
            None if field == "resourceVersion" => {
                own.remove(field);
            }
            None => {}
        }
    }
    if entries.is_empty() {
        own.remove("managedFields");
    } else {
        own.insert("managedFields".into(), entries.into());
    }
    let mut place = &mut object;
    for part in spec.trim_start_matches('.').split('.') {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[part];
    }
    *place = replicas.into();
    Ok((object, warnings))
}

/// The Scale that the request makes of the current one, with who owns what of it, and warnings.
fn wanted(call: &Call, current: &Value, options: &WriteOptions) -> Result<(Value, Vec<String>), ApiError> {
    let (now, zero) = (clock::seconds(call.state.clock.now()), Map::new());
    let schema = builtin::schema("autoscaling", KIND);
    let target = apply::Target {
        schema,
        api_version: API_VERSION,
        kind: KIND,
        subresource: "scale",
        reset: &[],
        zero: &zero,
        forwarded: call.forwards(),
    };
    let updates = call.attributes.verb == "update";
    if !updates && media::content_type(&call.headers).starts_with("application/apply-patch") {
        let (config, warnings) = patching::configuration(call, options)?;
        if !call.resource.is_built_in() && current["metadata"]["managedFields"].is_null() {
            // It would give what is there to a manager of its own, starting from an empty Scale, of which the kind has none.
            return Err(ApiError::of(500, "", UNOWNED));
        }
        let scale = apply::apply(&target, Some(current), &config, &options.manager, options.force, &now)?;
        return Ok((scale, warnings));
    }
    let (mut scale, warnings) = if updates {
        let (sent, warnings) = special::read_part(call, API_VERSION, KIND, options.validation)?;
        check_identity(call, &sent)?;
        (sent, warnings)
    } else {
        let mut decoded = patching::patched(call, current)?;
        let text = patching::strategic_text(call);
        let text = text.unwrap_or_else(|| patching::patched_text(call, API_VERSION, KIND, &decoded.value));
        let checked = special::check_part(API_VERSION, KIND, &mut decoded, options.validation);
        let warnings = checked.map_err(|why| update::in_patch(&text, &why))?;
        (decoded.value, warnings)
    };
    go_json::tidy(API_VERSION, KIND, &mut scale);
    apply::update_managed_fields(&target, Some(current), &mut scale, &options.manager, &now);
    Ok((scale, warnings))
}
