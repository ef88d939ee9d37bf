//! The shape of objects: unknown fields, defaults, validity. Custom kinds have a schema, built-in ones their own code.
//! Source: apiextensions-apiserver `pkg/apiserver/schema/{pruning,defaulting}`, `pkg/registry/customresource/strategy.go`.

use schema::{expr::Budget, structural::Schema};
use serde_json::{Map, Value};

use super::metadata;
use crate::{
    apply::typed::go,
    blocking,
    registry::{Resource, Shape},
    status::Cause,
};

/// Drops unknown fields and names them, sorted.
pub fn prune(resource: &Resource, object: &mut Value) -> Vec<String> {
    let mut unknown = metadata::prune(object);
    match &resource.shape {
        Shape::Custom(shape) => unknown.extend(shape.schema.prune_resource(object)),
        Shape::BuiltIn => unknown.extend(crate::builtin::prune(resource, object)),
    }
    unknown.sort();
    unknown
}

/// Fields beside apiVersion, kind and metadata: what an object of a foreign version has that nobody knows.
pub fn top_level_fields(object: &Value) -> Vec<String> {
    let known = ["apiVersion", "kind", "metadata"];
    object.as_object().into_iter().flatten().map(|(key, _)| key.clone()).filter(|key| !known.contains(&key.as_str())).collect()
}

/// Fills in defaults of the schema. A null that was applied stays where it has no default, and is judged; others are dropped.
pub fn default(resource: &Resource, object: &mut Value, applied: bool) {
    match &resource.shape {
        Shape::Custom(shape) if applied => shape.schema.default_beside_nulls(object),
        Shape::Custom(shape) => shape.schema.default(object),
        Shape::BuiltIn => {}
    }
}

/// Broken rules of the schema; through `/status` that alone is judged. Built-in kinds are judged by `builtin`, where they are shaped.
pub fn validate(resource: &Resource, subresource: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
    match &resource.shape {
        Shape::Custom(shape) => {
            let mut errors = match (subresource, old) {
                ("status", Some(old)) => match (shape.schema.property("status"), object.get("status")) {
                    (Some(schema), Some(status)) => {
                        let errors = schema.validate_change(status, &old["status"]);
                        errors.into_iter().map(|error| error.prefixed("status")).collect()
                    }
                    _ => Vec::new(),
                },
                (_, Some(old)) => shape.schema.validate_change(object, old),
                (_, None) => shape.schema.validate(object),
            };
            if errors.iter().any(|error| error.reason.stops_rules()) && shape.schema.has_rules() {
                errors.push(Schema::rules_not_checked());
            } else if shape.schema.has_rules() {
                errors.extend(blocking::long(|| shape.schema.validate_rules(object, old, &mut Budget::for_rules())));
            }
            let scale = shape.scale.as_ref().filter(|_| subresource != "status");
            let counts = scale.into_iter().filter_map(|scale| replicas(scale, object));
            errors.into_iter().map(Cause::from).chain(counts).collect()
        }
        Shape::BuiltIn => Vec::new(),
    }
}

/// What is wrong with the number that `scale` shows (apiextensions-apiserver `pkg/registry/customresource/validator.go`).
fn replicas(scale: &Value, object: &Value) -> Option<Cause> {
    let path = scale["specReplicasPath"].as_str()?;
    let found = path.trim_start_matches('.').split('.').try_fold(object, |value, part| value.get(part))?;
    match found.as_i64() {
        Some(..0) => Some(Cause::invalid(path, found, "should be a non-negative integer")),
        Some(number) if number > i64::from(i32::MAX) => Some(Cause::invalid(path, found, "should be less than or equal to 2147483647")),
        Some(_) => None,
        None => {
            let why = format!("{path} accessor error: {} is of the type {}, expected int64", go::plain(found), go::type_name(found));
            Some(Cause::invalid(path, &0.into(), &why))
        }
    }
}

/// Whether the parts of two states that count in `metadata.generation` are the same.
pub fn same_spec(resource: &Resource, old: &Value, new: &Value) -> bool {
    let aside = |name: &str| name == "metadata" || (name == "status" && has_status(resource));
    // Annotations tell the controller of Deployments something.
    if resource.plural == "deployments" && resource.group == "apps" && old["metadata"]["annotations"] != new["metadata"]["annotations"] {
        return false;
    }
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else { return old == new };
    let counts = |fields: &Map<String, Value>| fields.keys().filter(|name| !aside(name)).count();
    counts(old) == counts(new) && old.iter().all(|(name, value)| aside(name) || new.get(name) == Some(value))
}

/// Whether status is written through its own path only.
pub fn has_status(resource: &Resource) -> bool {
    match &resource.shape {
        Shape::Custom(shape) => shape.has_status,
        Shape::BuiltIn => resource.subresource("status").is_some(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection, prelude::*};
    use serde_json::json;

    use super::*;
    use crate::apply::arbitrary::{json_object, json_value};

    /// Structural schemas, a few levels deep, with the keywords that shape objects; some of them contradict each other.
    fn structural() -> impl Strategy<Value = Value> {
        let leaf = (prop::sample::select(vec!["string", "integer", "number", "boolean"]), any::<bool>(), 0_i64..4)
            .prop_map(|(kind, nullable, bound)| json!({"type": kind, "nullable": nullable, "maxLength": bound, "minimum": bound}));
        let defaulted = Just(json!({"type": "string", "default": "d"}));
        prop_oneof![leaf, defaulted].prop_recursive(3, 24, 4, |inner| {
            let properties =
                collection::btree_map("[a-d]", inner.clone(), 0..4).prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>()));
            prop_oneof![
                (properties, collection::vec("[a-d]", 0..2), any::<bool>()).prop_map(|(properties, required, open)| {
                    let mut schema = json!({"type": "object", "properties": properties, "required": required});
                    if open {
                        schema["x-kubernetes-preserve-unknown-fields"] = true.into();
                    }
                    schema
                }),
                inner.clone().prop_map(|values| json!({"type": "object", "additionalProperties": values})),
                inner.prop_map(|items| json!({"type": "array", "items": items})),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_schema_panics(schema in json_object(), mut object in json_value()) {
            drop(Schema::parse(&schema));
            let schema = Schema::parse_lenient(&schema);
            schema.prune(&mut object);
            schema.default(&mut object);
            drop(schema.validate(&object));
        }

        #[test]
        fn shaping_twice_is_shaping_once(spec in structural(), mut object in json_object()) {
            let schema = Schema::parse(&json!({"type": "object", "properties": {"spec": spec}}));
            let Ok(schema) = schema else { return Ok(()) };
            object["apiVersion"] = "v1".into();
            schema.prune_resource(&mut object);
            schema.default(&mut object);
            let once = object.clone();
            prop_assert!(schema.prune_resource(&mut object).is_empty(), "what was pruned is known, and defaults are");
            schema.default(&mut object);
            prop_assert_eq!(&object, &once);
            // An object that is valid may be written again as it is.
            if schema.validate(&object).is_empty() {
                prop_assert!(schema.validate_change(&object, &once).is_empty());
            }
        }
    }
}
