//! ConfigMaps, Secrets, claims, leases and events.

use serde_json::Value;

use super::{immutable, is_blank, names};
use crate::status::Cause;

const FROZEN: &str = "field is immutable when `immutable` is set";

pub(super) fn config_map(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let binary = object["binaryData"].as_object();
    for key in object["data"].as_object().into_iter().flat_map(|data| data.keys()) {
        names::key("data", key, causes);
        if binary.is_some_and(|binary| binary.contains_key(key)) {
            let detail = "duplicate of key present in binaryData";
            causes.push(Cause::invalid(&format!("data[{key}]"), &key.as_str().into(), detail));
        }
    }
    for key in binary.into_iter().flat_map(|data| data.keys()) {
        names::key("binaryData", key, causes);
    }
    frozen(object, old, &["data", "binaryData"], causes);
}

pub(super) fn secret(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    if let Some(old) = old
        && old["type"] != object["type"]
    {
        causes.push(immutable("type", &object["type"]));
        // The rules of the new type say nothing about an object that keeps its own.
        return;
    }
    for key in object["data"].as_object().into_iter().flat_map(|data| data.keys()) {
        names::key("data", key, causes);
    }
    let needed: &[&str] = match object["type"].as_str().unwrap_or_default() {
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        _ => &[],
    };
    for key in needed {
        if object["data"].get(key).is_none() {
            causes.push(Cause::required(&format!("data[{key}]"), ""));
        }
    }
    frozen(object, old, &["data"], causes);
}

fn frozen(object: &Value, old: Option<&Value>, fields: &[&str], causes: &mut Vec<Cause>) {
    let Some(old) = old.filter(|old| old["immutable"] == true) else { return };
    if object["immutable"] != true {
        causes.push(Cause::forbidden("immutable", FROZEN));
    }
    for field in fields {
        if old[*field] != object[*field] {
            causes.push(Cause::forbidden(field, FROZEN));
        }
    }
}

pub(super) fn claim(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    if let Some(old) = old {
        // Bound claims may grow and change their class of attributes, and a claim gets its volume once.
        let fixed = |spec: &Value| {
            let mut spec = spec.clone();
            if let Some(fields) = spec.as_object_mut() {
                fields.remove("volumeAttributesClassName");
                if let Some(resources) = fields.get_mut("resources").and_then(Value::as_object_mut) {
                    resources.remove("requests");
                }
                if old["spec"].get("volumeName").is_none() {
                    fields.remove("volumeName");
                }
                if old["spec"].get("storageClassName").is_none() {
                    fields.remove("storageClassName");
                }
            }
            spec
        };
        if fixed(&old["spec"]) != fixed(spec) {
            let detail = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
            causes.push(Cause::forbidden("spec", detail));
        }
        return;
    }
    if is_blank(&spec["accessModes"]) {
        causes.push(Cause::required("spec.accessModes", "at least 1 access mode is required"));
    }
    for (index, mode) in spec["accessModes"].as_array().into_iter().flatten().enumerate() {
        let modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
        if !modes.iter().any(|known| mode == known) {
            causes.push(super::unsupported(&format!("spec.accessModes[{index}]"), mode, &modes));
        }
    }
    if spec["resources"]["requests"].get("storage").is_none() {
        causes.push(Cause::required("spec.resources[storage]", ""));
    }
}

pub(super) fn lease(object: &Value, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    let number = |name: &str| spec[name].as_i64();
    if number("leaseDurationSeconds").is_some_and(|seconds| seconds <= 0) {
        causes.push(Cause::invalid("spec.leaseDurationSeconds", &spec["leaseDurationSeconds"], "must be greater than 0"));
    }
    if number("leaseTransitions").is_some_and(|count| count < 0) {
        causes.push(Cause::invalid("spec.leaseTransitions", &spec["leaseTransitions"], "must be greater than or equal to 0"));
    }
}

/// Events of `events.k8s.io` have stricter rules than those of the core group.
pub(super) fn event(object: &Value, causes: &mut Vec<Cause>) {
    if is_blank(&object["eventTime"]) {
        causes.push(Cause::required("eventTime", ""));
    }
    let kind = object["type"].as_str().unwrap_or_default();
    if !matches!(kind, "Normal" | "Warning") {
        causes.push(Cause::invalid("type", &"".into(), &format!("has invalid value: {kind}")));
    }
}
