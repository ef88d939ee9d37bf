//! Apply and updates as a whole, after what a kube-apiserver was seen to do.

mod laws;
mod ownership;

use std::sync::LazyLock;

use schema::structural::Schema;
use serde_json::{Map, Value, json};

use super::{ApplyError, RESET_BY_OBJECT, RESET_BY_STATUS, Target, apply, keep_times, update_managed_fields};

const VERSION: &str = "example.org/v1";
/// What a new widget holds.
static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// A kind with every sort of list and map.
fn widget() -> Schema {
    let text = json!({"type": "string"});
    let port = json!({
        "type": "object",
        "required": ["name"],
        "properties": {"name": text, "port": {"type": "integer"}, "host": text},
    });
    let spec = json!({
        "type": "object",
        "properties": {
            "size": {"type": "integer"},
            "mode": text,
            "ports": {"type": "array", "items": port, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
            "tags": {"type": "array", "items": text, "x-kubernetes-list-type": "set"},
            "args": {"type": "array", "items": text},
            "limits": {"type": "object", "additionalProperties": text},
            "sealed": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": text, "b": text}},
            "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "shut": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic"},
        },
    });
    let status = json!({"type": "object", "properties": {"phase": text}});
    Schema::parse_lenient(&json!({"type": "object", "properties": {"spec": spec, "status": status}}))
}

/// A cluster with one widget in it, `a`.
struct World {
    schema: Schema,
    live: Option<Value>,
    seconds: u32,
}

impl World {
    fn new() -> Self {
        Self { schema: widget(), live: None, seconds: 0 }
    }

    fn target<'a>(&'a self, subresource: &'a str) -> Target<'a> {
        let reset = if subresource == "status" { RESET_BY_STATUS } else { RESET_BY_OBJECT };
        Target { schema: Some(&self.schema), api_version: VERSION, kind: "Widget", subresource, reset, zero: &NOTHING, forwarded: false }
    }

    fn now(&self) -> String {
        format!("2030-01-01T00:00:{:02}Z", self.seconds)
    }

    /// Applies, as a second goes by; the answer is whether anything was written.
    fn apply(&mut self, manager: &str, spec: Value) -> Result<bool, ApplyError> {
        self.apply_object(manager, false, "", json!({"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "a"}, "spec": spec}))
    }

    fn force(&mut self, manager: &str, spec: Value) -> Result<bool, ApplyError> {
        self.apply_object(manager, true, "", json!({"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "a"}, "spec": spec}))
    }

    fn apply_object(&mut self, manager: &str, force: bool, subresource: &str, patch: Value) -> Result<bool, ApplyError> {
        self.seconds += 1;
        let mut new = apply(&self.target(subresource), self.live.as_ref(), &patch, manager, force, &self.now())?;
        Ok(self.store(&mut new))
    }

    /// Replaces by what `change` makes of the live object.
    fn update(&mut self, manager: &str, change: impl FnOnce(&mut Value)) -> bool {
        self.seconds += 1;
        let mut new = self.live.clone().unwrap_or_else(|| json!({"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "a"}}));
        change(&mut new);
        update_managed_fields(&self.target(""), self.live.as_ref(), &mut new, manager, &self.now());
        self.store(&mut new)
    }

    fn store(&mut self, new: &mut Value) -> bool {
        if let Some(live) = &self.live {
            keep_times(live, new);
        }
        let written = self.live.as_ref() != Some(new);
        self.live = Some(new.clone());
        written
    }

    fn spec(&self) -> &Value {
        &self.live.as_ref().unwrap()["spec"]
    }

    /// `fieldsV1` of a manager; null without an entry.
    fn fields(&self, manager: &str) -> Value {
        let entries = self.live.as_ref().unwrap().pointer("/metadata/managedFields").and_then(Value::as_array);
        let entry = entries.into_iter().flatten().find(|entry| entry["manager"] == manager);
        entry.map_or(Value::Null, |entry| entry["fieldsV1"].clone())
    }
}
