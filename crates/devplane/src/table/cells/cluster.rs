//! Cells of nodes, autoscalers, classes, endpoint slices and events (kubernetes `pkg/printers/internalversion/printers.go`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::{first, list, or, or_none, text};

/// Current and wanted value of each metric of an autoscaler, two at most.
pub(in crate::table) fn metrics(object: &Value) -> Value {
    let current = list(&object["status"]["currentMetrics"]);
    let wanted = list(&object["spec"]["metrics"]).iter().enumerate();
    let shown: Vec<String> = wanted.map(|(index, metric)| one_metric(metric, current.get(index))).collect();
    match shown.as_slice() {
        [] => "<none>".into(),
        [one, other, rest @ ..] if !rest.is_empty() => format!("{one}, {other} + {} more...", rest.len()).into(),
        all => all.join(", ").into(),
    }
}

fn one_metric(metric: &Value, current: Option<&Value>) -> String {
    let part = match metric["type"].as_str() {
        Some("Pods") => "pods",
        Some("Object") => "object",
        Some("External") => "external",
        Some("ContainerResource") => "containerResource",
        _ => "resource",
    };
    let (target, now) = (&metric[part]["target"], current.map_or(&Value::Null, |current| &current[part]["current"]));
    let (field, unit, end) = match () {
        () if !target["averageUtilization"].is_null() => ("averageUtilization", "%", ""),
        () if !target["averageValue"].is_null() && matches!(part, "object" | "external") => ("averageValue", "", " (avg)"),
        () if !target["averageValue"].is_null() => ("averageValue", "", ""),
        () => ("value", "", ""),
    };
    let said = |value: &Value| if value.is_null() { "<unknown>".to_owned() } else { format!("{}{unit}", plain(value)) };
    let values = format!("{}/{}{end}", said(&now[field]), said(&target[field]));
    match metric[part]["name"].as_str() {
        Some(name) => format!("{name}: {values}"),
        None => values,
    }
}

fn plain(value: &Value) -> String {
    text(value).as_str().unwrap_or_default().to_owned()
}

/// Labels `node-role.kubernetes.io/<role>` and the value of `kubernetes.io/role`, in order.
pub(in crate::table) fn node_roles(object: &Value) -> Value {
    let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
    let roles: BTreeSet<&str> = labels.filter_map(|(name, value)| role_of(name, value)).collect();
    or_none(&roles.into_iter().collect::<Vec<_>>().join(",").into())
}

fn role_of<'l>(name: &'l str, value: &'l Value) -> Option<&'l str> {
    let role = if name == "kubernetes.io/role" { value.as_str() } else { name.strip_prefix("node-role.kubernetes.io/") };
    role.filter(|role| !role.is_empty())
}

pub(in crate::table) fn node_address(object: &Value, kind: &str) -> Value {
    let found = list(&object["status"]["addresses"]).iter().find(|address| address["type"] == kind);
    or_none(found.map_or(&Value::Null, |address| &address["address"]))
}

/// The kernel, and for which architecture it is.
pub(in crate::table) fn node_kernel(object: &Value) -> Value {
    let info = &object["status"]["nodeInfo"];
    let kernel = or(&info["kernelVersion"], "<unknown>");
    match plain(&info["architecture"]) {
        architecture if architecture.is_empty() => kernel,
        architecture => format!("{} ({architecture})", plain(&kernel)).into(),
    }
}

pub(in crate::table) fn class_parameters(object: &Value) -> Value {
    let parameters = &object["spec"]["parameters"];
    if parameters.is_null() {
        return "<none>".into();
    }
    let said = |field: &str| plain(&parameters[field]);
    let group = said("apiGroup");
    let kind = if group.is_empty() { said("kind") } else { format!("{}.{group}", said("kind")) };
    format!("{kind}/{}", said("name")).into()
}

pub(in crate::table) fn slice_ports(object: &Value) -> Value {
    let ports: Vec<String> = list(&object["ports"]).iter().map(|port| plain(&port["port"])).collect();
    or(&first_three(&ports).into(), "<unset>")
}

pub(in crate::table) fn slice_endpoints(object: &Value) -> Value {
    let addresses = list(&object["endpoints"]).iter().flat_map(|endpoint| list(&endpoint["addresses"]));
    let addresses: Vec<String> = addresses.map(plain).collect();
    or(&first_three(&addresses).into(), "<unset>")
}

/// Three of them, and how many more there are.
fn first_three(all: &[String]) -> String {
    match all {
        [one, two, three, rest @ ..] if !rest.is_empty() => format!("{one},{two},{three} + {} more...", rest.len()),
        all => all.join(","),
    }
}

/// The component that tells of an event, and where it runs.
pub(in crate::table) fn event_source(object: &Value) -> Value {
    let source = first(object, &["source", "deprecatedSource"]);
    let or_else = |said: String, other: &Value| if said.is_empty() { plain(other) } else { said };
    let component = or_else(plain(&source["component"]), first(object, &["reportingComponent", "reportingController"]));
    let host = or_else(plain(&source["host"]), &object["reportingInstance"]);
    if host.is_empty() { component.into() } else { format!("{component}, {host}").into() }
}

/// How often an event was seen.
pub(in crate::table) fn event_count(object: &Value) -> Value {
    let counted = object["series"]["count"].as_i64().or_else(|| first(object, &["count", "deprecatedCount"]).as_i64());
    counted.filter(|count| *count > 0).unwrap_or(1).into()
}
