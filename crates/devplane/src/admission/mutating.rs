//! MutatingAdmissionPolicy: what is changed in a write before it is judged.
//! Source: apiserver `admission/plugin/policy/mutating`.

use serde_json::{Map, Value};

use super::evaluate::{Allowance, Values, evaluate};
use super::matching::Write;
use super::validating::{conditions_hold, ignores_failures};
use super::{Enforced, enforced, equivalents, is_judged, literals, namespace, parameters, refusal, request, source};
use crate::access::Admission;
use crate::objects::convert;
use crate::registry::Resource;
use crate::request::Operation;
use crate::status::ApiError;
use crate::{ClusterId, State, blocking, builtin};

/// Changes a new object by all policies that match it, in the order of their bindings' names.
///
/// # Errors
/// The refusal of a policy whose change cannot be made.
pub fn mutate(state: &State, admission: &Admission<'_>, object: &mut Value) -> Result<(), ApiError> {
    if !is_judged(admission) || admission.operation == Operation::Delete {
        return Ok(());
    }
    let source = source(state, admission);
    let pairs = enforced(state, &source, "mutatingadmissionpolic");
    if pairs.is_empty() {
        return Ok(());
    }
    blocking::long(|| mutate_by(&pairs, &source, state, admission, object))
}

/// Changes a new object by these policies of a cluster.
fn mutate_by(pairs: &[Enforced], source: &ClusterId, state: &State, admission: &Admission<'_>, object: &mut Value) -> Result<(), ApiError> {
    let (namespace, equivalents) = (namespace(state, admission), equivalents(state, admission));
    let (allowance, programs) = (Allowance::default(), state.programs.of(source));
    for pair in pairs {
        let write = Write { admission, equivalents: &equivalents, object: Some(object), namespace: &namespace };
        let spec = &pair.policy["spec"];
        let Some(matched) = write.matched(&spec["matchConstraints"]) else { continue };
        if write.matched(&pair.binding["spec"]["matchResources"]).is_none() {
            continue;
        }
        let refused = |message: String| {
            let name = |object: &Value| object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            let said = format!("policy '{}' with binding '{}' denied request: {message}", name(&pair.policy), name(&pair.binding));
            refusal(admission, "Invalid", &said)
        };
        let parameters = match parameters(state, source, pair, admission) {
            Ok(parameters) => parameters,
            Err(_) if ignores_failures(spec) => continue,
            Err(message) => return Err(refused(message)),
        };
        let seen = |state: &Value| convert::between(admission.resource, matched, state.clone());
        let old = admission.old.map(seen).unwrap_or_default();
        let mut values = Values::new(&programs, namespace.clone(), &allowance);
        values.set_write(seen(object), old, request(admission, matched));
        for parameters in parameters {
            let before = values.object().clone();
            values.set_parameters(parameters);
            let changed = apply(pair, &mut values).and_then(|changed| still_itself(matched, &before, changed));
            match changed {
                Ok(changed) => values.set_object(changed),
                Err(_) if ignores_failures(spec) => values.set_object(before),
                Err(message) => return Err(refused(message)),
            }
        }
        // Another version may not know all fields: only what the policy changed comes back from it.
        let back = |state: Value| convert::between(matched, admission.resource, state);
        let (before, after) = (back(seen(object)), back(values.object().clone()));
        carry(object, &before, &after);
    }
    Ok(())
}

/// The changed object, if it is still the one that was written.
fn still_itself(resource: &Resource, before: &Value, mut changed: Value) -> Result<Value, String> {
    if !changed.is_object() {
        return Err("the mutated object is not an object".into());
    }
    builtin::decode_metadata(resource, &mut changed).map_err(|error| error.message)?;
    for path in ["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace"] {
        let said = |object: &Value| object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        if said(before) != said(&changed) {
            return Err(format!("{} must not be changed", path.trim_start_matches('/').replace('/', ".")));
        }
    }
    Ok(changed)
}

/// Makes of the target what has become of `before`; what is the same before and after stays as the target has it.
fn carry(target: &mut Value, before: &Value, after: &Value) {
    if before == after {
        return;
    }
    match (target, before, after) {
        (Value::Object(target), Value::Object(before), Value::Object(after)) => {
            target.retain(|name, _| after.contains_key(name) || !before.contains_key(name));
            for (name, value) in after {
                match (target.get_mut(name), before.get(name)) {
                    (Some(own), Some(before)) => carry(own, before, value),
                    (_, before) if before == Some(value) => {}
                    _ => {
                        target.insert(name.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(target), Value::Array(before), Value::Array(after)) if target.len() == before.len() => {
            let own = std::mem::take(target).into_iter().map(Some).chain(std::iter::repeat(None));
            target.extend(after.iter().zip(own).enumerate().map(|(index, (value, own))| match (own, before.get(index)) {
                (Some(mut own), Some(before)) => {
                    carry(&mut own, before, value);
                    own
                }
                _ => value.clone(),
            }));
        }
        (target, _, after) => *target = after.clone(),
    }
}

/// The object after all mutations of one policy; the next one sees what the one before did.
fn apply(pair: &Enforced, values: &mut Values) -> Result<Value, String> {
    let spec = &pair.policy["spec"];
    if !conditions_hold(spec, values)? {
        return Ok(values.object().clone());
    }
    values.define(&spec["variables"]);
    for mutation in spec["mutations"].as_array().into_iter().flatten() {
        let (part, is_patch) = match mutation["patchType"].as_str() {
            Some("JSONPatch") => (&mutation["jsonPatch"], true),
            _ => (&mutation["applyConfiguration"], false),
        };
        let expression = literals::as_maps(part["expression"].as_str().unwrap_or_default());
        let change = evaluate(&expression, values).map_err(|error| error.to_string())?;
        let changed = if is_patch {
            crate::patch::json(values.object(), &change).map_err(|error| error.to_string())?
        } else {
            let mut object = values.object().clone();
            merge(&mut object, change);
            object
        };
        values.set_object(changed);
    }
    Ok(values.object().clone())
}

/// Puts the fields of an apply configuration into an object. Lists replace lists: without a schema of the list nothing says which
/// items are the same.
fn merge(target: &mut Value, change: Value) {
    match change {
        Value::Object(fields) => {
            if !target.is_object() {
                *target = Value::Object(Map::new());
            }
            for (name, value) in fields {
                merge(&mut target[name], value);
            }
        }
        other => *target = other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_apply_configuration_changes_what_it_names() {
        let mut object = json!({"spec": {"a": 1, "b": [1]}});
        merge(&mut object, json!({"spec": {"b": [2], "c": {"d": 3}}}));
        assert_eq!(object, json!({"spec": {"a": 1, "b": [2], "c": {"d": 3}}}));
    }

    #[test]
    fn only_what_changed_is_carried_back() {
        let mut target = json!({"labels": {"a": "1"}, "claims": [{"name": "x", "verbs": ["get"]}], "gone": 1, "own": 2});
        let before = json!({"labels": {"a": "1"}, "claims": [{"name": "x", "verbs": ["*"]}], "gone": 1});
        let after = json!({"labels": {"a": "2"}, "claims": [{"name": "x", "verbs": ["*"]}, {"name": "y", "verbs": ["*"]}]});
        carry(&mut target, &before, &after);
        let claims = json!([{"name": "x", "verbs": ["get"]}, {"name": "y", "verbs": ["*"]}]);
        assert_eq!(target, json!({"labels": {"a": "2"}, "claims": claims, "own": 2}));
    }

    #[test]
    fn a_mutated_object_stays_the_one_that_was_written() {
        let resource = crate::kinds::resources().first().unwrap();
        let before = json!({"metadata": {"name": "a"}});
        let fault = |changed: Value| still_itself(resource, &before, changed).unwrap_err();
        assert_eq!(fault(json!("text")), "the mutated object is not an object");
        assert_eq!(fault(json!({"metadata": {"name": "b"}})), "metadata.name must not be changed");
        assert_eq!(fault(json!({"metadata": {"name": "a", "namespace": "n"}})), "metadata.namespace must not be changed");
        assert!(fault(json!({"metadata": {"name": "a", "annotations": "text"}})).contains("cannot unmarshal string"));
        assert!(still_itself(resource, &before, json!({"metadata": {"name": "a", "labels": {"b": "c"}}})).is_ok());
    }
}
