//! Pruning: dropping fields that the schema doesn't know.

use serde_json::{Map, Value};

use super::path::Path;
use super::{Additional, Schema, embedded};

/// Prunes the value and returns the dropped paths, sorted.
pub(super) fn prune(schema: &Schema, value: &mut Value, is_resource: bool) -> Vec<String> {
    let mut dropped = Vec::new();
    node(Some(schema), value, &Path::Root, is_resource || schema.embedded, false, &mut dropped);
    dropped.sort();
    dropped
}

/// `schema` is `None` inside a map whose values can be anything but have no schema: objects in it have no known fields. `in_list` is whether
/// it is an item of a list that preserves unknown fields: they are those of its items.
fn node(schema: Option<&Schema>, value: &mut Value, path: &Path<'_>, is_resource: bool, in_list: bool, dropped: &mut Vec<String>) {
    let preserves = in_list || schema.is_some_and(|schema| schema.preserve_unknown);
    match value {
        Value::Object(object) => fields(schema, object, path, is_resource, preserves, dropped),
        Value::Array(items) => {
            let schema_of_items = schema.and_then(Schema::items);
            if preserves && schema_of_items.is_none() {
                return;
            }
            let is_resource = schema_of_items.is_some_and(|schema| schema.embedded);
            for (index, item) in items.iter_mut().enumerate() {
                node(schema_of_items, item, &path.index(index), is_resource, preserves, dropped);
            }
        }
        _ => {}
    }
}

fn fields(
    schema: Option<&Schema>,
    object: &mut Map<String, Value>,
    path: &Path<'_>,
    is_resource: bool,
    preserves: bool,
    dropped: &mut Vec<String>,
) {
    object.retain(|name, value| {
        let here = path.field(name);
        if is_resource && embedded::is_type_field(name) {
            return true;
        }
        if is_resource && name == "metadata" {
            embedded::prune_metadata(value, &here, dropped);
            return true;
        }
        if let Some(property) = schema.and_then(|schema| schema.properties.get(name)) {
            node(Some(property), value, &here, property.embedded, false, dropped);
            return true;
        }
        match schema.map(|schema| &schema.additional) {
            Some(Additional::Schema(values)) => node(Some(values), value, &here, values.embedded, false, dropped),
            Some(Additional::Allowed(true)) if !preserves => node(None, value, &here, false, false, dropped),
            _ if preserves => {}
            _ => {
                dropped.push(here.to_string());
                return false;
            }
        }
        true
    });
}
