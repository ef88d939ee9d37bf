//! Containers of a pod: those that run, those that run before, and those that come later.
//! Source: kubernetes `pkg/apis/core/validation` (`validateContainerCommon`, `validateInitContainers`, `validateEphemeralContainers`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{
    faults::{blank_or_one_of, duplicate, none_or_one_of, not_found, one_of},
    names, ports,
    reading::{is_blank, items, number, text},
};
use super::{env, mounts, probes, resources, security, volumes::Volumes};
use crate::status::Cause;

/// What the rules of a container need to know of the pod around it.
pub(super) struct Around<'a> {
    pub(super) volumes: &'a Volumes<'a>,
    /// Names of claims of resources.
    pub(super) claims: &'a BTreeSet<&'a str>,
    pub(super) grace: Option<i64>,
    pub(super) restart: &'a str,
    pub(super) host_users: bool,
}

impl<'a> Around<'a> {
    pub(super) fn of(spec: &'a Value, volumes: &'a Volumes<'a>, claims: &'a BTreeSet<&'a str>) -> Self {
        let grace = spec["terminationGracePeriodSeconds"].as_i64();
        Self { volumes, claims, grace, restart: text(&spec["restartPolicy"]), host_users: spec["hostUsers"] != false }
    }
}

const ALONE: &str = "may not be set for init containers without restartPolicy=Always";
const EPHEMERAL: &str = "cannot be set for an Ephemeral Container";
/// When an image is pulled; those of volumes, too.
pub(super) const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];
/// What runs beside a container that is there for good.
const SERVING: [&str; 4] = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"];

pub(super) fn check(spec: &Value, path: &str, around: &Around<'_>, causes: &mut Vec<Cause>) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let (containers, field) = (&spec["containers"], format!("{path}.containers"));
    if is_blank(containers) {
        causes.push(Cause::required(&field, ""));
    }
    for (index, container) in items(containers) {
        let at = format!("{field}[{index}]");
        common(container, &at, around, causes);
        if !seen.insert(text(&container["name"])) {
            causes.push(duplicate(&format!("{at}.name"), &container["name"]));
        }
        serving(container, &at, around, causes);
        restart(container, &at, causes);
    }
    host_ports(items(containers), &field, causes);
    let field = format!("{path}.initContainers");
    for (index, container) in items(&spec["initContainers"]) {
        let at = format!("{field}[{index}]");
        common(container, &at, around, causes);
        restart(container, &at, causes);
        if !is_blank(&container["name"]) && !seen.insert(text(&container["name"])) {
            causes.push(duplicate(&format!("{at}.name"), &container["name"]));
        }
        // They run one after another: each has the ports for itself, and is told as the first.
        host_ports(std::iter::once((0, container)), &field, causes);
        if container["restartPolicy"] == "Always" {
            serving(container, &at, around, causes);
        } else {
            let set = SERVING.into_iter().filter(|name| !container[*name].is_null());
            causes.extend(set.map(|name| Cause::forbidden(&format!("{at}.{name}"), ALONE)));
        }
    }
    for (index, container) in items(&spec["ephemeralContainers"]) {
        let at = format!("{path}.ephemeralContainers[{index}]");
        let target = text(&container["targetContainerName"]);
        let exists = target.is_empty() || ["containers", "initContainers"].iter().any(|list| has(&spec[*list], target));
        ephemeral(container, &at, around, causes);
        if !exists {
            causes.push(not_found(&format!("{at}.targetContainerName"), target));
        }
        if !seen.insert(text(&container["name"])) {
            causes.push(duplicate(&format!("{at}.name"), &container["name"]));
        }
    }
}

fn has(containers: &Value, name: &str) -> bool {
    items(containers).any(|(_, container)| text(&container["name"]) == name)
}

/// What is asked of every container.
fn common(container: &Value, at: &str, around: &Around<'_>, causes: &mut Vec<Cause>) {
    let field = |part: &str| format!("{at}.{part}");
    names::label(&field("name"), &container["name"], causes);
    if is_blank(&container["image"]) {
        causes.push(Cause::required(&field("image"), ""));
    }
    let policy = &container["terminationMessagePolicy"];
    one_of(&field("terminationMessagePolicy"), policy, &["File", "FallbackToLogsOnError"], causes);
    published(&container["ports"], &field("ports"), causes);
    env::env(&container["env"], &field("env"), causes);
    env::env_from(&container["envFrom"], &field("envFrom"), causes);
    mounts::check(container, at, around.volumes, causes);
    blank_or_one_of(&field("imagePullPolicy"), &container["imagePullPolicy"], &PULL_POLICIES, causes);
    resources::of_container(&container["resources"], &field("resources"), around.claims, causes);
    resize(&container["resizePolicy"], &field("resizePolicy"), around.restart, causes);
    security::of_container(&container["securityContext"], &field("securityContext"), around.host_users, causes);
}

/// An image has no blanks around it; templates of old have.
pub(super) fn padded_image(container: &Value, at: &str, causes: &mut Vec<Cause>) {
    let image = text(&container["image"]);
    if image.trim() != image {
        causes.push(Cause::invalid(&format!("{at}.image"), &container["image"], "must not have leading or trailing whitespace"));
    }
}

/// The ports that a container says it listens on.
fn published(ports: &Value, path: &str, causes: &mut Vec<Cause>) {
    let mut seen = BTreeSet::new();
    for (index, port) in items(ports) {
        let field = |part: &str| format!("{path}[{index}].{part}");
        let name = text(&port["name"]);
        let faults = if name.is_empty() { Vec::new() } else { ports::name_faults(name) };
        if faults.is_empty() && !name.is_empty() && !seen.insert(name) {
            causes.push(duplicate(&field("name"), &port["name"]));
        }
        causes.extend(faults.into_iter().map(|fault| Cause::invalid(&field("name"), &port["name"], fault)));
        if number(&port["containerPort"]) == 0 {
            causes.push(Cause::required(&field("containerPort"), ""));
        } else {
            ports::number(&field("containerPort"), &port["containerPort"], causes);
        }
        if number(&port["hostPort"]) != 0 {
            ports::number(&field("hostPort"), &port["hostPort"], causes);
        }
        ports::protocol(&field("protocol"), &port["protocol"], causes);
    }
}

/// No two of these listen at one place of the node.
fn host_ports<'a>(containers: impl Iterator<Item = (usize, &'a Value)>, path: &str, causes: &mut Vec<Cause>) {
    let mut seen = BTreeSet::new();
    for (index, container) in containers {
        for (place, port) in items(&container["ports"]) {
            let number = number(&port["hostPort"]);
            let shown = format!("{}/{}/{number}", text(&port["protocol"]), text(&port["hostIP"]));
            if number != 0 && !seen.insert(shown.clone()) {
                causes.push(duplicate(&format!("{path}[{index}].ports[{place}].hostPort"), &shown.into()));
            }
        }
    }
}

fn serving(container: &Value, at: &str, around: &Around<'_>, causes: &mut Vec<Cause>) {
    for name in ["postStart", "preStop"] {
        let handler = &container["lifecycle"][name];
        if !handler.is_null() {
            probes::handler(handler, &format!("{at}.lifecycle.{name}"), around.grace, causes);
        }
    }
    probes::check(container, at, around.grace, causes);
}

/// Containers may have a policy of their own, and rules for their exit codes.
fn restart(container: &Value, at: &str, causes: &mut Vec<Cause>) {
    let (policy, field) = (&container["restartPolicy"], format!("{at}.restartPolicy"));
    if policy.is_null() && !is_blank(&container["restartPolicyRules"]) {
        causes.push(Cause::required(&field, "must specify restartPolicy when restart rules are used"));
    }
    none_or_one_of(&field, policy, &["Always", "Never", "OnFailure"], causes);
}

fn resize(policies: &Value, path: &str, restart: &str, causes: &mut Vec<Cause>) {
    let mut seen = BTreeSet::new();
    for (index, policy) in items(policies) {
        let name = text(&policy["resourceName"]);
        if !seen.insert(name) {
            causes.push(duplicate(&format!("{path}[{index}]"), &policy["resourceName"]));
        }
        one_of(path, &policy["resourceName"], &["cpu", "memory"], causes);
        one_of(path, &policy["restartPolicy"], &["NotRequired", "RestartContainer"], causes);
        if restart == "Never" && policy["restartPolicy"] != "NotRequired" {
            causes.push(Cause::invalid(path, &policy["restartPolicy"], "must be 'NotRequired' when `restartPolicy` is 'Never'"));
        }
    }
}

/// A container that is added to a running pod to look into it: it serves nobody.
fn ephemeral(container: &Value, at: &str, around: &Around<'_>, causes: &mut Vec<Cause>) {
    common(container, at, around, causes);
    padded_image(container, at, causes);
    let set = ["ports", "resizePolicy", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "restartPolicy"];
    for name in set.into_iter().filter(|name| !is_blank(&container[*name])) {
        causes.push(Cause::forbidden(&format!("{at}.{name}"), EPHEMERAL));
    }
    if !is_blank(&container["resources"]) {
        causes.push(Cause::forbidden(&format!("{at}.resources"), EPHEMERAL));
    }
    for (index, mount) in items(&container["volumeMounts"]) {
        for name in ["subPath", "subPathExpr"].into_iter().filter(|name| !is_blank(&mount[*name])) {
            causes.push(Cause::forbidden(&format!("{at}.volumeMounts[{index}].{name}"), EPHEMERAL));
        }
    }
}
