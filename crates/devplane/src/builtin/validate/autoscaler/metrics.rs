//! By what an autoscaler decides.
//! Source: kubernetes `pkg/apis/autoscaling/validation` (`validateMetrics`).

use serde_json::Value;

use super::super::{
    amounts,
    faults::unsupported,
    names::{self, path_segment},
    reading::{list, text},
};
use super::{reference, version_fault};
use crate::status::Cause;

const TYPES: [&str; 5] = ["ContainerResource", "External", "Object", "Pods", "Resource"];
/// The field of each type, in the order in which they are looked at.
const SOURCES: [(&str, &str); 5] = [
    ("Object", "object"),
    ("External", "external"),
    ("Pods", "pods"),
    ("Resource", "resource"),
    ("ContainerResource", "containerResource"),
];

pub(super) fn check(spec: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let metrics = list(&spec["metrics"]);
    // Versions that nobody looked at before are left alone.
    let judges_version = !old.is_some_and(|old| {
        let mut objects = list(&old["spec"]["metrics"]).iter().filter(|metric| metric["type"] == "Object" && metric["object"].is_object());
        objects.any(|metric| version_fault(text(&metric["object"]["describedObject"]["apiVersion"]), true).is_some())
    });
    for (index, metric) in metrics.iter().enumerate() {
        self::metric(metric, &format!("spec.metrics[{index}]"), judges_version, causes);
    }
    if spec["minReplicas"] == 0 && !metrics.iter().any(|metric| matches!(text(&metric["type"]), "Object" | "External")) {
        let why = "must specify at least one Object or External metric to support scaling to zero replicas";
        causes.push(Cause::forbidden("spec.metrics", why));
    }
}

fn metric(metric: &Value, at: &str, judges_version: bool, causes: &mut Vec<Cause>) {
    let kind = text(&metric["type"]);
    let field = format!("{at}.type");
    if kind.is_empty() {
        causes.push(Cause::required(&field, "must specify a metric source type"));
    }
    let is_known = TYPES.contains(&kind);
    if !is_known {
        causes.push(unsupported(&field, &kind.into(), &TYPES));
    }
    let given: Vec<&str> = SOURCES.iter().map(|(_, name)| *name).filter(|name| !metric[*name].is_null()).collect();
    if let Some(first) = given.first() {
        source(&metric[*first], first, &format!("{at}.{first}"), judges_version, causes);
    }
    let expected = SOURCES.iter().find(|(own, _)| *own == kind).map(|(_, name)| *name);
    match expected {
        Some(name) if !given.contains(&name) => {
            causes.push(Cause::required(&format!("{at}.{name}"), "must populate information for the given metric source"));
        }
        Some(_) => {}
        // Upstream says this twice.
        None => causes.push(unsupported(&field, &kind.into(), &TYPES)),
    }
    if given.len() != 1 {
        for name in given.iter().filter(|name| Some(**name) != expected) {
            causes.push(Cause::forbidden(&format!("{at}.{name}"), "must populate the given metric source only"));
        }
    }
}

fn source(source: &Value, name: &str, at: &str, judges_version: bool, causes: &mut Vec<Cause>) {
    let goal = &source["target"];
    let said = |name: &str| !goal[name].is_null();
    let average = format!("{at}.target.averageValue");
    match name {
        "object" => {
            reference(&source["describedObject"], &format!("{at}.describedObject"), judges_version, true, causes);
            identifier(source, at, causes);
            target(goal, at, causes);
            if !said("value") && !said("averageValue") {
                causes.push(Cause::required(&average, "must set either a target value or averageValue"));
            }
        }
        "external" => {
            identifier(source, at, causes);
            target(goal, at, causes);
            if !said("value") && !said("averageValue") {
                causes.push(Cause::required(&average, "must set either a target value for metric or a per-pod target"));
            }
            if said("value") && said("averageValue") {
                let why = "may not set both a target value for metric and a per-pod target";
                causes.push(Cause::forbidden(&format!("{at}.target.value"), why));
            }
        }
        "pods" => {
            identifier(source, at, causes);
            target(goal, at, causes);
            if !said("averageValue") {
                causes.push(Cause::required(&average, "must specify a positive target averageValue"));
            }
        }
        _ => {
            resource(source, name, at, causes);
            target(goal, at, causes);
            if !said("averageUtilization") && !said("averageValue") {
                let why = "must set either a target raw value or a target utilization";
                causes.push(Cause::required(&format!("{at}.target.averageUtilization"), why));
            }
            if said("averageUtilization") && said("averageValue") {
                causes.push(Cause::forbidden(&average, "may not set both a target raw value and a target utilization"));
            }
        }
    }
}

/// A resource of pods or of one of their containers.
fn resource(source: &Value, name: &str, at: &str, causes: &mut Vec<Cause>) {
    let field = format!("{at}.name");
    let of_container = name == "containerResource";
    match text(&source["name"]) {
        "" => causes.push(Cause::required(&field, "must specify a resource name")),
        resource if of_container => amounts::container_name(&field, resource, causes),
        _ => {}
    }
    if of_container {
        let field = format!("{at}.container");
        match text(&source["container"]) {
            "" => causes.push(Cause::required(&field, "must specify a container")),
            _ => names::label(&field, &source["container"], causes),
        }
    }
}

fn identifier(source: &Value, at: &str, causes: &mut Vec<Cause>) {
    let field = format!("{at}.metric.name");
    match text(&source["metric"]["name"]) {
        "" => causes.push(Cause::required(&field, "must specify a metric name")),
        name => path_segment(&field, name, causes),
    }
}

fn target(target: &Value, at: &str, causes: &mut Vec<Cause>) {
    let field = |name: &str| format!("{at}.target.{name}");
    let kind = text(&target["type"]);
    if kind.is_empty() {
        causes.push(Cause::required(&field("type"), "must specify a metric target type"));
    }
    if !matches!(kind, "Utilization" | "Value" | "AverageValue") {
        causes.push(Cause::invalid(&field("type"), &kind.into(), "must be either Utilization, Value, or AverageValue"));
    }
    for name in ["value", "averageValue"] {
        if !target[name].is_null() && amounts::nanos(&target[name]) <= 0 {
            causes.push(Cause::invalid(&field(name), &target[name], "must be positive"));
        }
    }
    let utilization = &target["averageUtilization"];
    if utilization.as_i64().is_some_and(|percent| percent < 1) {
        causes.push(Cause::invalid(&field("averageUtilization"), utilization, "must be greater than 0"));
    }
}
