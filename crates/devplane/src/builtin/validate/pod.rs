//! Pods and templates of pods.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{duplicate, is_blank, names, unsupported};
use crate::status::Cause;

/// The spec of a pod at `path`.
pub(super) fn spec(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let volumes = volumes(&spec["volumes"], path, causes);
    if is_blank(&spec["containers"]) {
        causes.push(Cause::required(&format!("{path}.containers"), ""));
    }
    let mut seen = BTreeSet::new();
    for list in ["containers", "initContainers"] {
        for (index, container) in spec[list].as_array().into_iter().flatten().enumerate() {
            let at = format!("{path}.{list}[{index}]");
            self::container(container, &at, &volumes, causes);
            if !is_blank(&container["name"]) && !seen.insert(container["name"].to_string()) {
                causes.push(duplicate(&format!("{at}.name"), &container["name"]));
            }
        }
    }
    let policies = ["Always", "OnFailure", "Never"];
    if !is_blank(&spec["restartPolicy"]) && !policies.iter().any(|policy| spec["restartPolicy"] == *policy) {
        causes.push(unsupported(&format!("{path}.restartPolicy"), &spec["restartPolicy"], &policies));
    }
}

fn volumes(list: &Value, path: &str, causes: &mut Vec<Cause>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    for (index, volume) in list.as_array().into_iter().flatten().enumerate() {
        let field = format!("{path}.volumes[{index}].name");
        names::label(&field, &volume["name"], causes);
        if let Some(name) = volume["name"].as_str()
            && !seen.insert(name.to_owned())
        {
            causes.push(duplicate(&field, &volume["name"]));
        }
    }
    seen
}

fn container(container: &Value, at: &str, volumes: &BTreeSet<String>, causes: &mut Vec<Cause>) {
    names::label(&format!("{at}.name"), &container["name"], causes);
    if is_blank(&container["image"]) {
        causes.push(Cause::required(&format!("{at}.image"), ""));
    }
    for (index, port) in container["ports"].as_array().into_iter().flatten().enumerate() {
        names::port(&format!("{at}.ports[{index}].containerPort"), &port["containerPort"], causes);
    }
    for (index, env) in container["env"].as_array().into_iter().flatten().enumerate() {
        if is_blank(&env["name"]) {
            causes.push(Cause::required(&format!("{at}.env[{index}].name"), ""));
        }
        if !is_blank(&env["value"]) && !is_blank(&env["valueFrom"]) {
            let detail = "may not be specified when `value` is not empty";
            causes.push(Cause::invalid(&format!("{at}.env[{index}].valueFrom"), &"".into(), detail));
        }
    }
    for (index, mount) in container["volumeMounts"].as_array().into_iter().flatten().enumerate() {
        let field = |name: &str| format!("{at}.volumeMounts[{index}].{name}");
        let name = mount["name"].as_str().unwrap_or_default();
        if name.is_empty() {
            causes.push(Cause::required(&field("name"), ""));
        } else if !volumes.contains(name) {
            let message = format!("Not found: {}", mount["name"]);
            causes.push(Cause { reason: "FieldValueNotFound".into(), message, field: field("name") });
        }
        if is_blank(&mount["mountPath"]) {
            causes.push(Cause::required(&field("mountPath"), ""));
        }
    }
    let resources = &container["resources"];
    for (name, request) in resources["requests"].as_object().into_iter().flatten() {
        let (Some(request), Some(limit)) = (request.as_str(), resources["limits"][name].as_str()) else { continue };
        if super::super::quantity::exceeds(request, limit) {
            let detail = format!("must be less than or equal to {name} limit of {limit}");
            causes.push(Cause::invalid(&format!("{at}.resources.requests"), &request.into(), &detail));
        }
    }
}
