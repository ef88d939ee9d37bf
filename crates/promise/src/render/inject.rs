//! Merging what policies add into rendered objects (RFC 7386).

use serde_json::{Map, Value};

use crate::api::Inject;
use crate::policy::Ruling;

/// Applies every merge that matches the kind of the object.
pub(super) fn inject(object: &mut Value, injects: &[Ruling<Inject>]) {
    for ruling in injects {
        let kinds = &ruling.effect.r#match.kinds;
        let matches = kinds.is_empty() || object["kind"].as_str().is_some_and(|kind| kinds.iter().any(|wanted| wanted == kind));
        if let (true, Some(patch)) = (matches, &ruling.effect.merge) {
            merge(object, patch);
        }
    }
}

/// A null removes, an object merges, anything else replaces.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    if let Value::Object(target) = target {
        for (name, value) in patch {
            if value.is_null() {
                target.remove(name);
            } else {
                merge(target.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
    }
}
