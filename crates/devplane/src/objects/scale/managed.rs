//! The `managedFields` of an object as its Scale shows them, and what becomes of them when the Scale is written.
//! Source: apimachinery `util/managedfields/scalehandler.go`.

use serde_json::Value;

use super::API_VERSION;
use crate::apply::field_set::{FieldSet, PathElement};

/// Where a Scale has the number.
const IN_SCALE: &str = ".spec.replicas";

/// The entries of a Scale: who owns the number at `path` of the object.
pub fn to_scale(object: &Value, path: &str) -> Vec<Value> {
    let (own, replicas) = (fields(path), fields(IN_SCALE).to_fields_v1());
    let owners = entries(object).iter().filter(|entry| has(entry, &own));
    let shown = owners.map(|entry| {
        let mut entry = entry.clone();
        entry["apiVersion"] = API_VERSION.into();
        entry["fieldsV1"] = replicas.clone();
        entry
    });
    shown.collect()
}

/// The entries of an object in this version once its Scale was written.
pub fn from_scale(object: &Value, scale: &Value, path: &str, api_version: &str) -> Vec<Value> {
    let (own, replicas) = (fields(path), fields(IN_SCALE));
    let mut owners: Vec<&Value> = entries(scale).iter().collect();
    let mut found = Vec::new();
    for entry in entries(object) {
        if !has(entry, &own) {
            found.push(entry.clone());
            continue;
        }
        // Who applies is the same in all versions; who updates is somebody else in that of the Scale.
        if let Some(place) = owners.iter().position(|owner| manager(owner) == manager(entry)) {
            owners.remove(place);
            found.push(entry.clone());
            continue;
        }
        let left = set(entry).difference(&own);
        if !left.is_empty() {
            let mut entry = entry.clone();
            entry["fieldsV1"] = left.to_fields_v1();
            found.push(entry);
        }
    }
    // When they took the number is not told: the real server looks the time up among the object's own entries.
    let new = owners.into_iter().filter(|owner| has(owner, &replicas)).map(|owner| {
        let mut entry = owner.clone();
        entry["apiVersion"] = api_version.into();
        entry["fieldsV1"] = own.to_fields_v1();
        if let Some(fields) = entry.as_object_mut() {
            fields.remove("time");
        }
        entry
    });
    found.extend(new);
    found.sort_by_key(|entry| ["operation", "time", "manager", "apiVersion", "subresource"].map(|name| text(entry, name).to_owned()));
    found
}

fn entries(object: &Value) -> &[Value] {
    object["metadata"]["managedFields"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// What tells entries apart.
fn manager(entry: &Value) -> [&str; 4] {
    let applies = text(entry, "operation") == "Apply";
    [text(entry, "manager"), text(entry, "operation"), if applies { "" } else { text(entry, "apiVersion") }, text(entry, "subresource")]
}

fn text<'a>(entry: &'a Value, field: &str) -> &'a str {
    entry[field].as_str().unwrap_or_default()
}

/// A path as a set of fields.
fn fields(path: &str) -> FieldSet {
    let path: Vec<PathElement> = path.trim_start_matches('.').split('.').map(PathElement::field).collect();
    [path].into_iter().collect()
}

fn set(entry: &Value) -> FieldSet {
    FieldSet::from_fields_v1(&entry["fieldsV1"]).unwrap_or_default()
}

fn has(entry: &Value, fields: &FieldSet) -> bool {
    !set(entry).intersection(fields).is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(manager: &str, operation: &str, api_version: &str, subresource: &str, fields: Value) -> Value {
        let mut entry = json!({"manager": manager, "operation": operation, "apiVersion": api_version, "time": "2024-01-01T00:00:00Z"});
        entry["fieldsType"] = "FieldsV1".into();
        entry["fieldsV1"] = fields;
        if !subresource.is_empty() {
            entry["subresource"] = subresource.into();
        }
        entry
    }

    fn object(entries: Vec<Value>) -> Value {
        json!({"metadata": {"managedFields": entries}})
    }

    #[test]
    fn the_number_goes_from_its_owner_to_who_scales() {
        let size = json!({"f:spec": {"f:size": {}}});
        let both = json!({"f:spec": {".": {}, "f:note": {}, "f:size": {}}});
        let parent = object(vec![entry("me", "Update", "g/v1", "", both), entry("two", "Apply", "g/v1", "", size.clone())]);
        let shown = to_scale(&parent, ".spec.size");
        let replicas = json!({"f:spec": {"f:replicas": {}}});
        assert_eq!(
            shown,
            [entry("me", "Update", API_VERSION, "", replicas.clone()), entry("two", "Apply", API_VERSION, "", replicas.clone())]
        );
        let scaled = object(vec![entry("hpa", "Update", API_VERSION, "scale", replicas)]);
        let mut hpa = entry("hpa", "Update", "g/v1", "scale", size);
        hpa.as_object_mut().unwrap().remove("time");
        let me = entry("me", "Update", "g/v1", "", json!({"f:spec": {".": {}, "f:note": {}}}));
        assert_eq!(from_scale(&parent, &scaled, ".spec.size", "g/v1"), [hpa, me]);
        // Who applied the number and still does keeps the entry as it is.
        let kept = from_scale(&parent, &object(shown), ".spec.size", "g/v1");
        assert_eq!(kept[0], parent["metadata"]["managedFields"][1]);
        assert_eq!(from_scale(&parent, &object(Vec::new()), ".spec.size", "g/v1").len(), 1);
    }
}
