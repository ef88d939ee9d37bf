//! The rules of built-in kinds that people meet, in the API server's words.
//! Source: kubernetes `pkg/apis/*/validation/validation.go`.

mod data;
mod event;
mod names;
mod namespace;
mod pod;
mod service;
mod workload;

use serde_json::Value;

use crate::{registry::Resource, status::Cause};

/// Broken rules of an object; `old` is the stored one on an update. Rules of metadata, roles, policies and definitions of custom
/// resources are checked elsewhere.
pub fn validate(resource: &Resource, subresource: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    if (resource.group.as_str(), resource.kind.as_str()) == ("", "Namespace") {
        namespace::check(object, subresource, &mut causes);
    }
    if subresource == "status" {
        return causes;
    }
    match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "ConfigMap") => data::config_map(object, old, &mut causes),
        ("", "Secret") => data::secret(object, old, &mut causes),
        ("", "PersistentVolumeClaim") => data::claim(object, old, &mut causes),
        ("", "Service") => service::service(object, old, &mut causes),
        ("", "Pod") => pod::spec(&object["spec"], "spec", &mut causes),
        ("apps", "Deployment") => workload::deployment(object, old, &mut causes),
        ("apps", "ReplicaSet" | "DaemonSet") => workload::selected(object, old, &mut causes),
        ("apps", "StatefulSet") => workload::stateful_set(object, old, &mut causes),
        ("batch", "Job") => workload::job(object, old, &mut causes),
        ("coordination.k8s.io", "Lease") => data::lease(object, &mut causes),
        ("", "Event") => event::place(object, "involvedObject", &mut causes),
        ("events.k8s.io", "Event") => event::check(object, old, &mut causes),
        _ => {}
    }
    causes
}

/// A value that is none of those allowed.
fn unsupported(field: &str, value: &Value, supported: &[&str]) -> Cause {
    let list: Vec<String> = supported.iter().map(|word| format!("{word:?}")).collect();
    Cause {
        reason: "FieldValueNotSupported".into(),
        message: format!("Unsupported value: {value}: supported values: {}", list.join(", ")),
        field: field.into(),
    }
}

fn duplicate(field: &str, value: &Value) -> Cause {
    Cause { reason: "FieldValueDuplicate".into(), message: format!("Duplicate value: {value}"), field: field.into() }
}

fn immutable(field: &str, value: &Value) -> Cause {
    Cause::invalid(field, value, "field is immutable")
}

/// Whether a value says nothing: absent, null or empty.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}
