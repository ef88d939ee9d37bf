//! Defaults that only definitions forbid or judge, beside what holds of those of any structural schema.
//! Source: apiextensions-apiserver `pkg/apis/apiextensions/validation/validation.go` (`withForbiddenDefaults`),
//! `pkg/apiserver/schema/defaulting/validation.go`.

use schema::{
    expr::Budget,
    structural::{NO_FIELD, Schema},
};
use serde_json::Value;

use crate::status::Cause;

/// What every resource has, whatever its schema says.
const OF_RESOURCES: [&str; 3] = ["apiVersion", "kind", "metadata"];
const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// Where a schema stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    at: &'a str,
    is_root: bool,
    /// Within the metadata of a resource.
    is_metadata: bool,
    /// Why there must be no default.
    forbidden: Option<&'a str>,
}

/// Takes out defaults of the metadata of the resource, and of maps within any metadata.
pub(super) fn take_forbidden(schema: &mut Value, at: &str, causes: &mut Vec<Cause>) {
    take(schema, Place { at, is_root: true, is_metadata: false, forbidden: None }, causes);
}

fn take(schema: &mut Value, place: Place<'_>, causes: &mut Vec<Cause>) {
    let is_resource = place.is_root || schema[EMBEDDED] == true;
    let Some(keywords) = schema.as_object_mut() else { return };
    if let Some(why) = place.forbidden
        && keywords.remove("default").is_some_and(|default| !default.is_null())
    {
        causes.push(Cause::forbidden(&format!("{}.default", place.at), &format!("must not be set {why}")));
    }
    for (name, property) in keywords.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        let is_of_resource = is_resource && OF_RESOURCES.contains(&name.as_str());
        let why = format!("in top-level {name}");
        let below = Place {
            at: &format!("{}.properties[{name}]", place.at),
            is_root: false,
            is_metadata: place.is_metadata || is_of_resource,
            forbidden: if is_of_resource && place.is_root { Some(why.as_str()) } else { place.forbidden },
        };
        take(property, below, causes);
    }
    if let Some(values) = keywords.get_mut("additionalProperties") {
        let forbidden = if place.is_metadata { Some("inside additionalProperties applying to object metadata") } else { place.forbidden };
        take(values, Place { at: &format!("{}.additionalProperties", place.at), is_root: false, forbidden, ..place }, causes);
    }
    if let Some(items) = keywords.get_mut("items") {
        take(items, Place { at: &format!("{}.items", place.at), is_root: false, ..place }, causes);
    }
}

/// Takes out the default of the whole. It has to be a resource, of which other checks know nothing.
pub(super) fn take_root(schema: &mut Value, at: &str, causes: &mut Vec<Cause>) {
    let default = schema.as_object_mut().and_then(|keywords| keywords.remove("default"));
    let Some(default) = default.filter(|default| !default.is_null()) else { return };
    let mut resource = schema.clone();
    resource[EMBEDDED] = true.into();
    let resource = Schema::parse_lenient(&resource);
    let field = format!("{at}.default");
    if !resource.prune(&mut default.clone()).is_empty() {
        causes.push(Cause::invalid(&field, &default, "must not have unknown fields"));
    }
    causes.extend(resource.validate(&default).into_iter().map(|error| Cause::from(error.prefixed(&field))));
}

/// Asks the rules of a schema about its defaults: as what is new, and as what was there before.
pub(super) fn check_rules(schema: &Schema, at: &str, causes: &mut Vec<Cause>) {
    check(schema, at, &mut Budget::for_rules(), causes);
}

fn check(schema: &Schema, at: &str, budget: &mut Budget, causes: &mut Vec<Cause>) {
    if !schema.has_rules() {
        return;
    }
    if let Some(default) = schema.default_value() {
        let field = format!("{at}.default");
        let mut errors = schema.validate_all_rules(default, Some(default), budget);
        if errors.is_empty() {
            errors = schema.validate_all_rules(default, None, budget);
        }
        for mut error in errors {
            // A rule about the default as a whole names no field.
            if error.field == NO_FIELD {
                error.field = field.clone();
            } else {
                error = error.prefixed(&field);
            }
            causes.push(error.into());
        }
    }
    for (name, property) in schema.properties() {
        check(property, &format!("{at}.properties[{name}]"), budget, causes);
    }
    if let Some(items) = schema.items() {
        check(items, &format!("{at}.items"), budget, causes);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// `field: message` of what is wrong with the defaults of a schema.
    fn faults(root: Value) -> Vec<String> {
        let (mut root, mut causes) = (root, Vec::new());
        take_forbidden(&mut root, "s", &mut causes);
        take_root(&mut root, "s", &mut causes);
        check_rules(&Schema::parse(&root).unwrap(), "s", &mut causes);
        causes.into_iter().map(|cause| cause.to_string()).collect()
    }

    #[test]
    fn metadata_has_no_defaults_where_they_would_mean_nothing() {
        let name = json!({"type": "object", "properties": {"name": {"type": "string", "default": "x"}}});
        assert_eq!(
            faults(json!({"type": "object", "properties": {"metadata": name}})),
            ["s.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata"]
        );
        let labels = json!({"type": "object", "additionalProperties": {"type": "string", "default": "x"}});
        let kind = json!({"type": "string", "default": "K"});
        let embedded = json!({
            "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"kind": kind, "metadata": {"type": "object", "properties": {"labels": labels}}},
        });
        assert_eq!(
            faults(json!({"type": "object", "properties": {"spec": {"type": "array", "items": embedded}}})),
            [
                "s.properties[spec].items.properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata"
            ]
        );
    }

    #[test]
    fn the_default_of_the_whole_is_a_resource() {
        assert_eq!(faults(json!({"type": "object", "default": {"apiVersion": "v1", "kind": "K", "metadata": {}}})), Vec::<String>::new());
        assert_eq!(
            faults(json!({"type": "object", "default": {"apiVersion": "v1", "x": 1}})),
            ["s.default: Invalid value: {\"apiVersion\":\"v1\",\"x\":1}: must not have unknown fields", "s.default.kind: Required value"]
        );
    }

    #[test]
    fn rules_judge_defaults_with_and_without_a_former_state() {
        let with = |rule: Value| {
            let limited = json!({"type": "integer", "default": 1, "x-kubernetes-validations": [rule]});
            json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": limited}}}})
        };
        assert_eq!(faults(with(json!({"rule": "self == oldSelf"}))), Vec::<String>::new());
        assert_eq!(
            faults(with(json!({"rule": "oldSelf.hasValue()", "optionalOldSelf": true, "message": "only kept"}))),
            ["s.properties[spec].properties[a].default: Invalid value: 1: only kept"]
        );
    }
}
