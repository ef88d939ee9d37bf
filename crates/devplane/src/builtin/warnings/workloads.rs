//! What is allowed of pods, and of what makes them, and yet not wise.
//! Source: kubernetes `pkg/api/pod/warnings.go`, `WarningsOnCreate` of the strategies in `pkg/registry`.

use serde_json::Value;

use super::super::validate::{
    amounts,
    reading::{entries, is_blank, items, text},
};
use crate::{
    objects::metadata,
    registry::{NameRule, Resource},
};

/// Labels of nodes that have other names now.
const OLD_LABELS: [(&str, &str, &str); 6] = [
    ("beta.kubernetes.io/arch", "v1.14", "kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "v1.14", "kubernetes.io/os"),
    ("failure-domain.beta.kubernetes.io/region", "v1.17", "topology.kubernetes.io/region"),
    ("failure-domain.beta.kubernetes.io/zone", "v1.17", "topology.kubernetes.io/zone"),
    ("beta.kubernetes.io/instance-type", "v1.17", "node.kubernetes.io/instance-type"),
    ("node.kubernetes.io/exclude-disruption", "v1.19", "node.kubernetes.io/exclude-from-external-load-balancers"),
];

/// Warnings about a valid object; `old` is the stored one on an update.
pub(super) fn warnings(resource: &Resource, object: &Value, old: Option<&Value>) -> Vec<String> {
    let mut texts = Vec::new();
    let pointer = match (resource.group.as_str(), resource.kind.as_str()) {
        ("", "Pod") => "",
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet") | ("batch", "Job") => "/spec/template",
        ("batch", "CronJob") => "/spec/jobTemplate/spec/template",
        _ => return texts,
    };
    if old.is_none() && resource.kind != "DaemonSet" && resource.kind != "StatefulSet" {
        texts.extend(name(&resource.kind, text(&object["metadata"]["name"])));
    }
    let template = object.pointer(pointer);
    // What was there before was warned of before.
    if template.map(|template| &template["spec"]) == old.and_then(|old| old.pointer(pointer)).map(|template| &template["spec"]) {
        return texts;
    }
    if let Some(template) = template {
        let path = pointer.trim_start_matches('/').replace('/', ".");
        pod(&template["spec"], &if path.is_empty() { "spec".to_owned() } else { format!("{path}.spec") }, &mut texts);
    }
    texts
}

/// Names that pods cannot have as their host's name.
fn name(kind: &str, name: &str) -> Option<String> {
    let faults = metadata::name_faults(NameRule::Label, name);
    let used = if kind == "Pod" { "this is used in the Pod's hostname" } else { "this is used in Pod names and hostnames" };
    (!faults.is_empty()).then(|| {
        format!("metadata.name: {used}, which can result in surprising behavior; a DNS label is recommended: [{}]", faults.join(" "))
    })
}

fn pod(spec: &Value, path: &str, texts: &mut Vec<String>) {
    for (key, _) in entries(&spec["nodeSelector"]) {
        if let Some((old, since, new)) = OLD_LABELS.iter().find(|(old, ..)| old == key) {
            texts.push(format!("{path}.nodeSelector[{old}]: deprecated since {since}; use {new:?} instead"));
        }
    }
    for (index, secret) in items(&spec["imagePullSecrets"]) {
        if is_blank(&secret["name"]) {
            texts.push(format!("{path}.imagePullSecrets[{index}].name: invalid empty name \"\""));
        }
    }
    for list in ["containers", "initContainers"] {
        for (index, of) in items(&spec[list]) {
            container(of, &format!("{path}.{list}[{index}]"), texts);
        }
    }
    if spec["terminationGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds < 0) {
        let why = "must be >= 0; negative values are invalid and will be treated as 1";
        texts.push(format!("{path}.terminationGracePeriodSeconds: {why}"));
    }
}

fn container(container: &Value, at: &str, texts: &mut Vec<String>) {
    for part in ["limits", "requests"] {
        for (name, amount) in entries(&container["resources"][part]) {
            if ["memory", "ephemeral-storage"].contains(&name.as_str()) && !amounts::is_whole(amount) {
                texts.push(format!("{at}.resources.{part}[{name}]: fractional byte value {amount} is invalid, must be an integer"));
            }
        }
    }
    for (index, variable) in items(&container["env"]) {
        let said = &variable["name"];
        // A variable that is made of one before it means to hide that.
        let refers = text(&variable["value"]).contains(&format!("$({})", text(said)));
        if !refers && items(&container["env"]).take(index).any(|(_, other)| other["name"] == *said) {
            texts.push(format!("{at}.env[{index}]: hides previous definition of {said}, which may be dropped when using apply"));
        }
    }
    for (index, port) in items(&container["ports"]) {
        let same = |other: &Value| ["containerPort", "protocol", "hostPort", "hostIP"].iter().all(|part| other[*part] == port[*part]);
        if let Some((first, _)) = items(&container["ports"]).take(index).find(|(_, other)| same(other)) {
            texts.push(format!("{at}.ports[{index}]: duplicate port definition with {at}.ports[{first}]"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_container_says_twice_or_in_parts_is_told() {
        let variables = json!([{"name": "a", "value": "1"}, {"name": "a", "value": "$(a)2"}, {"name": "a", "value": "3"}]);
        let ports = json!([{"containerPort": 80}, {"containerPort": 81}, {"containerPort": 80}]);
        let resources = json!({"limits": {"memory": "1500m", "cpu": "1500m"}});
        let mut texts = Vec::new();
        container(&json!({"env": variables, "ports": ports, "resources": resources}), "c", &mut texts);
        assert_eq!(
            texts,
            [
                "c.resources.limits[memory]: fractional byte value \"1500m\" is invalid, must be an integer",
                "c.env[2]: hides previous definition of \"a\", which may be dropped when using apply",
                "c.ports[2]: duplicate port definition with c.ports[0]",
            ]
        );
    }
}
