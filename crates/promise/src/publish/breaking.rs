//! Breaking changes of a schema: parameters that were valid might no longer be.
//!
//! CEL rules aren't compared because a new rule might only concern new fields. The instances of a promise are tested against a new version
//! before they move to it.

use schema::structural::{Kind, Schema};
use serde_json::Value;

use crate::api::PromiseSpec;
use crate::expression;

/// Returns every breaking change: its path in the spec and a clause.
pub fn changes(before: &PromiseSpec, after: &PromiseSpec) -> Vec<(String, String)> {
    let read = |spec: &PromiseSpec| Schema::parse_lenient(&expression::parameters_schema(spec.parameters.as_deref()));
    let mut found = Vec::new();
    compare(&read(before), &read(after), ".parameters", &mut found);
    for (index, path) in after.secret_parameters.iter().enumerate() {
        let existed = crate::path::Path::parse(path)
            .is_ok_and(|path| before.parameters.as_deref().is_some_and(|schema| crate::shape::node_at(schema, &path).is_some()));
        if existed && !before.secret_parameters.contains(path) {
            found.push((format!(".secretParameters[{index}]"), format!("{path} becomes a secret")));
        }
    }
    found
}

fn compare(before: &Schema, after: &Schema, path: &str, found: &mut Vec<(String, String)>) {
    // A value of any shape is now allowed here, as far as the keywords permit.
    let open = after.kind().is_none() && after.preserves_unknown() && after.properties().next().is_none();
    let mut say = |keyword: &str, change: String| found.push((format!("{path}.{keyword}"), change));
    let changed = before.kind() != after.kind() || before.is_int_or_string() != after.is_int_or_string();
    if changed && !open && !takes_all(before, after) {
        let name = |schema: &Schema| schema.kind().map_or("anything", Kind::name);
        say("type", format!("the type changes from {} to {}", name(before), name(after)));
    }
    if before.is_nullable() && !after.is_nullable() {
        say("nullable", "null is no longer allowed".to_owned());
    }
    if before.preserves_unknown() && !after.preserves_unknown() {
        say("x-kubernetes-preserve-unknown-fields", "unknown fields are no longer kept".to_owned());
    }
    limits(before.json(), after.json(), &mut say);
    enumeration(before, after, &mut say);
    for name in after.required() {
        let has_default = after.property(name).is_some_and(|property| property.default_value().is_some());
        if !before.required().contains(name) && !has_default {
            say("required", format!("{name} becomes required"));
        }
    }
    for (name, property) in before.properties() {
        let path = format!("{path}.properties.{name}");
        match after.property(name) {
            Some(now) => compare(property, now, &path, found),
            None if after.additional_properties().is_some() || after.preserves_unknown() => {}
            None => found.push((path, format!("{name} is removed"))),
        }
    }
    for (keyword, before, after) in
        [("items", before.items(), after.items()), ("additionalProperties", before.additional_properties(), after.additional_properties())]
    {
        match (before, after) {
            (Some(before), Some(after)) => compare(before, after, &format!("{path}.{keyword}"), found),
            (Some(_), None) if !open => found.push((format!("{path}.{keyword}"), "values with any name are no longer allowed".to_owned())),
            _ => {}
        }
    }
}

/// Whether a type accepts every value of another: a number accepts integers, an int-or-string accepts both.
fn takes_all(before: &Schema, after: &Schema) -> bool {
    match (before.kind(), after.kind()) {
        (Some(Kind::Integer), Some(Kind::Number)) => true,
        (Some(Kind::Integer | Kind::String), None) if after.is_int_or_string() => true,
        _ => false,
    }
}

fn limits(before: &Value, after: &Value, say: &mut impl FnMut(&str, String)) {
    let number = |schema: &Value, keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    for keyword in ["minimum", "minLength", "minItems", "minProperties"] {
        if let Some(now) = number(after, keyword)
            && number(before, keyword).is_none_or(|then| now > then)
            && !(keyword != "minimum" && now == 0.0)
        {
            say(keyword, format!("{keyword} increases to {now}"));
        }
    }
    for keyword in ["maximum", "maxLength", "maxItems", "maxProperties"] {
        if let Some(now) = number(after, keyword)
            && number(before, keyword).is_none_or(|then| now < then)
        {
            say(keyword, format!("{keyword} decreases to {now}"));
        }
    }
    for keyword in
        ["pattern", "format", "multipleOf", "not", "oneOf", "anyOf", "allOf", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"]
    {
        let now = after.get(keyword).filter(|now| !now.is_null());
        if now.is_some() && now != before.get(keyword) {
            say(keyword, format!("{keyword} changes"));
        }
    }
    for keyword in ["exclusiveMinimum", "exclusiveMaximum"] {
        if after.get(keyword) == Some(&Value::Bool(true)) && before.get(keyword) != Some(&Value::Bool(true)) {
            say(keyword, format!("{keyword} is set"));
        }
    }
}

fn enumeration(before: &Schema, after: &Schema, say: &mut impl FnMut(&str, String)) {
    if after.enumeration().is_empty() {
        return;
    }
    if before.enumeration().is_empty() {
        return say("enum", "only listed values are allowed".to_owned());
    }
    for value in before.enumeration().iter().filter(|value| !after.enumeration().contains(value)) {
        say("enum", format!("the value {value} is removed"));
    }
}
