//! Pods and templates of pods.
//! Source: kubernetes `pkg/apis/core/validation/validation.go` (`ValidatePodSpec`, `ValidatePodCreate`, `ValidatePodUpdate`).

mod affinity;
mod containers;
mod dns;
mod env;
mod mounts;
mod probes;
mod projected;
mod resources;
mod scheduling;
mod security;
mod update;
mod volumes;

use serde_json::Value;

use super::{
    faults::{blank_or_one_of, none_or_one_of, unsupported},
    names,
    reading::{is_blank, items, number, text},
};
use crate::{selectors, status::Cause};
use containers::Around;

/// A pod; `old` is the stored one on an update.
pub(super) fn pod(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let pod = &object["spec"];
    spec(pod, "spec", Some(text(&object["metadata"]["name"])), causes);
    only_pods(pod, causes);
    if let Some(old) = old {
        update::check(pod, &old["spec"], causes);
        return;
    }
    if !is_blank(&pod["ephemeralContainers"]) {
        causes.push(Cause::forbidden("spec.ephemeralContainers", "cannot be set on create"));
    }
    if !is_blank(&pod["nodeName"]) && !is_blank(&pod["schedulingGates"]) {
        causes.push(Cause::forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
    }
}

/// What is asked of pods and not of their templates.
fn only_pods(spec: &Value, causes: &mut Vec<Cause>) {
    if is_blank(&spec["serviceAccountName"]) {
        for (index, volume) in items(&spec["volumes"]) {
            for (place, source) in items(&volume["projected"]["sources"]) {
                if !source["serviceAccountToken"].is_null() {
                    let field = format!("spec.volumes[{index}].projected.sources[{place}].serviceAccountToken");
                    causes.push(Cause::forbidden(&field, "must not be specified when serviceAccountName is not set"));
                }
            }
        }
    }
    for list in ["containers", "initContainers"] {
        for (index, container) in items(&spec[list]) {
            containers::padded_image(container, &format!("spec.{list}[{index}]"), causes);
        }
    }
}

/// The spec of a pod at `path`; `name` is that of the pod, none in a template.
pub(super) fn spec(spec: &Value, path: &str, name: Option<&str>, causes: &mut Vec<Cause>) {
    let field = |part: &str| format!("{path}.{part}");
    let volumes = volumes::check(&spec["volumes"], &field("volumes"), name, causes);
    let claims = resources::claims(&spec["resourceClaims"], &field("resourceClaims"), causes);
    containers::check(spec, path, &Around::of(spec, &volumes, &claims), causes);
    resources::of_pod(spec, &field("resources"), causes);
    host_ports(spec, path, name.is_some(), causes);
    policies(spec, path, causes);
    security::of_pod(spec, path, causes);
    affinity::check(&spec["affinity"], &field("affinity"), causes);
    dns::check(spec, path, causes);
    scheduling::check(spec, path, causes);
    security::host_users(spec, path, causes);
    named(spec, path, causes);
}

/// On the network of the node a container has the ports that it listens on. Templates may leave them out.
fn host_ports(spec: &Value, path: &str, is_pod: bool, causes: &mut Vec<Cause>) {
    if spec["hostNetwork"] != true {
        return;
    }
    for (index, container) in items(&spec["containers"]) {
        for (place, port) in items(&container["ports"]) {
            let (on_host, inside) = (number(&port["hostPort"]), number(&port["containerPort"]));
            if (is_pod || on_host != 0) && on_host != inside {
                let field = format!("{path}.containers[{index}].ports[{place}].hostPort");
                causes.push(Cause::invalid(&field, &on_host.into(), "must match `containerPort` when `hostNetwork` is true"));
            }
        }
    }
}

/// When containers are started again, who looks up names, and to which nodes the pod may go.
fn policies(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    // A Job that says nothing is told so by its own rules.
    blank_or_one_of(&format!("{path}.restartPolicy"), &spec["restartPolicy"], &["Always", "OnFailure", "Never"], causes);
    let known = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    blank_or_one_of(&format!("{path}.dnsPolicy"), &spec["dnsPolicy"], &known, causes);
    causes.extend(selectors::label_faults(&spec["nodeSelector"], &format!("{path}.nodeSelector")));
}

/// Names of other objects and of the pod itself, and what else stands alone.
fn named(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    for name in ["serviceAccountName", "nodeName", "priorityClassName"] {
        if !is_blank(&spec[name]) {
            names::subdomain(&format!("{path}.{name}"), text(&spec[name]), causes);
        }
    }
    if let Some(class) = spec["runtimeClassName"].as_str() {
        names::subdomain(&format!("{path}.runtimeClassName"), class, causes);
    }
    let deadline = &spec["activeDeadlineSeconds"];
    if deadline.as_i64().is_some_and(|seconds| !(1..=i64::from(i32::MAX)).contains(&seconds)) {
        let detail = "must be between 1 and 2147483647, inclusive";
        causes.push(Cause::invalid(&format!("{path}.activeDeadlineSeconds"), deadline, detail));
    }
    for name in ["hostname", "subdomain"] {
        if !is_blank(&spec[name]) {
            names::label(&format!("{path}.{name}"), &spec[name], causes);
        }
    }
    none_or_one_of(&format!("{path}.preemptionPolicy"), &spec["preemptionPolicy"], &["PreemptLowerPriority", "Never"], causes);
    resources::overhead(&spec["overhead"], &format!("{path}.overhead"), causes);
    let os = &spec["os"];
    if !os.is_null() {
        match text(&os["name"]) {
            "" => causes.push(Cause::required(&format!("{path}.os.name"), "cannot be empty")),
            "linux" | "windows" => {}
            _ => causes.push(unsupported(&format!("{path}.os"), &os["name"], &["linux", "windows"])),
        }
    }
}

/// A mode of a file, `0` to `0777`.
fn file_mode(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    if value.as_i64().is_some_and(|mode| !(0..=0o777).contains(&mode)) {
        causes.push(Cause::invalid(field, value, "must be a number between 0 and 0777 (octal), both inclusive"));
    }
}

/// The id of a user or group.
fn id(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    if value.as_i64().is_some_and(|id| !(0..=i64::from(i32::MAX)).contains(&id)) {
        causes.push(Cause::invalid(field, value, "must be between 0 and 2147483647, inclusive"));
    }
}

/// A path that stays below the place where it begins.
fn descending(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    if text(value).starts_with('/') {
        causes.push(Cause::invalid(field, value, "must be a relative path"));
    }
    no_backsteps(field, value, causes);
}

/// A path that never goes up.
fn no_backsteps(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    if text(value).split('/').any(|part| part == "..") {
        causes.push(Cause::invalid(field, value, "must not contain '..'"));
    }
}

/// As [`descending`], for a file that is written into a volume, where names that begin with two dots are taken.
fn own_path(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    descending(field, value, causes);
    let said = text(value);
    if said.starts_with("..") && !said.starts_with("../") && said != ".." {
        causes.push(Cause::invalid(field, value, "must not start with '..'"));
    }
}
