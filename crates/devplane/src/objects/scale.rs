//! The subresource `scale`: one number of the spec, seen as `autoscaling/v1` Scale.
//! Source: apiextensions-apiserver `pkg/registry/customresource/etcd.go`; kubernetes `pkg/registry/apps/deployment/storage`.

use serde_json::{Value, json};

use super::{Call, decode, options::WriteOptions};
use crate::{
    http::{answer::Answer, media::Transform},
    patch::go_type,
    registry::Shape,
    status::{ApiError, Cause},
    table,
};

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
    let mut scale = json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": {}, "status": {"replicas": at(object, &status).cloned().unwrap_or(json!(0))}});
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
    if !kind.is_empty() && kind != "Scale" {
        return Err(ApiError::bad_request("no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\""));
    }
    if super::metadata::text(scale, "name").is_empty() {
        return Err(super::update::unnamed(&call.attributes.name));
    }
    Ok(())
}

/// The object with the number that the request asks for.
pub fn propose(call: &Call, old: &Value, _options: &WriteOptions) -> Result<Value, ApiError> {
    let current = of(call, old);
    let updates = call.attributes.verb == "update";
    let wanted = if updates {
        let sent = decode::untyped(&call.headers, &call.body, "autoscaling/v1", "Scale")?;
        check_identity(call, &sent)?;
        sent
    } else {
        super::patching::patched(call, &current)?.value
    };
    let (spec, _, _) = paths(call);
    let replicas = Some(&wanted["spec"]["replicas"]).filter(|replicas| !replicas.is_null()).cloned().unwrap_or(json!(0));
    if replicas.as_i64().and_then(|number| i32::try_from(number).ok()).is_none() {
        let said = if replicas.is_number() { format!("number {replicas}") } else { go_type(&replicas).to_owned() };
        let why = format!("json: cannot unmarshal {said} into Go struct field ScaleSpec.spec.replicas of type int32");
        return Err(if updates {
            ApiError::bad_request(format!("Scale in version \"v1\" cannot be handled as a Scale: {why}"))
        } else {
            super::update::in_patch(&wanted.to_string(), &why)
        });
    }
    if let Some(number) = replicas.as_i64().filter(|number| *number < 0) {
        let name = &call.attributes.name;
        let field = if call.resource.is_built_in() { "spec.replicas" } else { &spec };
        let cause = Cause::invalid(field, &number.into(), "should be a non-negative integer");
        let (group, kind) =
            if call.resource.is_built_in() { ("autoscaling", "Scale") } else { (&*call.resource.group, &*call.resource.kind) };
        return Err(ApiError::invalid(group, kind, name, [cause]));
    }
    let mut object = old.clone();
    let metadata = super::metadata::of(&mut object);
    for field in ["resourceVersion", "uid", "name"] {
        match wanted["metadata"].get(field) {
            Some(value) => {
                metadata.insert(field.into(), value.clone());
            }
            None if field == "resourceVersion" => {
                metadata.remove(field);
            }
            None => {}
        }
    }
    let mut place = &mut object;
    for part in spec.trim_start_matches('.').split('.') {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[part];
    }
    *place = replicas;
    Ok(object)
}
