//! MutatingAdmissionPolicy: what is changed in a write before it is judged.

use serde_json::{Map, Value};

use super::evaluate::{Values, evaluate};
use super::matching::Write;
use super::validating::{conditions_hold, ignores_failures};
use super::{Enforced, enforced, equivalents, is_judged, literals, namespace, parameters, refusal, request, source};
use crate::State;
use crate::access::Admission;
use crate::objects::convert;
use crate::request::Operation;
use crate::status::ApiError;

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
    let (namespace, equivalents) = (namespace(state, admission), equivalents(state, admission));
    for pair in &pairs {
        let write = Write { admission, equivalents: &equivalents, object: Some(object), namespace: &namespace };
        let spec = &pair.policy["spec"];
        let Some(matched) = write.matched(&spec["matchConstraints"]) else { continue };
        if write.matched(&pair.binding["spec"]["matchResources"]).is_none() {
            continue;
        }
        let seen = |state: &Value| convert::between(admission.resource, matched, state.clone());
        let old = admission.old.map(seen).unwrap_or_default();
        let mut values = Values::new(seen(object), old, request(admission, matched), namespace.clone());
        let changed = parameters(state, &source, pair, admission).and_then(|parameters| {
            for parameters in parameters {
                values.set_parameters(parameters);
                let changed = apply(pair, &mut values)?;
                values.set_object(changed);
            }
            Ok(values.object().clone())
        });
        match changed {
            Ok(changed) => *object = convert::between(matched, admission.resource, changed),
            Err(_) if ignores_failures(spec) => {}
            Err(message) => {
                let name = |object: &Value| object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
                let said = format!("policy '{}' with binding '{}' denied request: {message}", name(&pair.policy), name(&pair.binding));
                return Err(refusal(admission, "Invalid", &said));
            }
        }
    }
    Ok(())
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
}
