//! Services.
//! Source: kubernetes `pkg/apis/core/validation` (`validateService`, `ValidateServiceUpdate`, `ValidateLoadBalancerStatus`).

mod families;
mod traffic;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    addresses,
    faults::{duplicate, none_or_one_of, one_of, unsupported},
    names::{self, qualified, subdomain},
    ports,
    reading::{is_blank, items, list, number, text},
};
use crate::{protobuf::go_internal, selectors, status::Cause};

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const BALANCED: &str = "may only be used when `type` is 'LoadBalancer'";
const BALANCED_STATUS: &str = "may only be used when `spec.type` is 'LoadBalancer'";
const RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
/// How long a client may stay with one pod, in seconds.
const LONGEST_AFFINITY: i64 = 86_400;

/// All rules of a service.
pub(super) fn service(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let (spec, old_spec) = (&object["spec"], old.map(|old| &old["spec"]));
    // What the allocation of addresses finds wrong is told alone: nothing else is looked at then.
    let early = families::early(spec, old_spec);
    if !early.is_empty() {
        causes.extend(early);
        return;
    }
    if let Some(before) = old_spec {
        families::change(before, spec, causes);
        traffic::change(before, spec, causes);
    }
    topology(&object["metadata"]["annotations"], causes);
    of_type(spec, causes);
    offered(spec, causes);
    causes.extend(selectors::label_faults(&spec["selector"], "spec.selector"));
    affinity(spec, causes);
    families::related(spec, old_spec, causes);
    outside(spec, old_spec, causes);
    one_of("spec.type", &spec["type"], &TYPES, causes);
    taken_ports(spec, causes);
    sources(object, old, causes);
    traffic::check(spec, causes);
}

/// Whether a service has no address of its own.
fn is_headless(spec: &Value) -> bool {
    matches!(list(&spec["clusterIPs"]), [only] if only == "None")
}

fn topology(annotations: &Value, causes: &mut Vec<Cause>) {
    let (hints, mode) = (&annotations["service.kubernetes.io/topology-aware-hints"], &annotations["service.kubernetes.io/topology-mode"]);
    if hints.is_string() && mode.is_string() && hints != mode {
        let why = "must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified";
        causes.push(Cause::invalid("metadata.annotations[service.kubernetes.io/topology-mode]", mode, why));
    }
}

/// What depends on the type of a service.
fn of_type(spec: &Value, causes: &mut Vec<Cause>) {
    let kind = text(&spec["type"]);
    if list(&spec["ports"]).is_empty() && !is_headless(spec) && kind != "ExternalName" {
        causes.push(Cause::required("spec.ports", ""));
    }
    if matches!(kind, "LoadBalancer" | "NodePort") && is_headless(spec) {
        let why = format!("may not be set to 'None' for {kind} services");
        causes.push(Cause::invalid("spec.clusterIPs[0]", &"None".into(), &why));
    }
    if kind != "ExternalName" {
        return;
    }
    for field in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        let is_set = if field == "ipFamilyPolicy" { !spec[field].is_null() } else { !is_blank(&spec[field]) };
        if is_set {
            causes.push(Cause::forbidden(&format!("spec.{field}"), "may not be set for ExternalName services"));
        }
    }
    let name = text(&spec["externalName"]);
    match name.strip_suffix('.').unwrap_or(name) {
        "" => causes.push(Cause::required("spec.externalName", "")),
        name => subdomain("spec.externalName", name, causes),
    }
}

/// The ports of a service, each by itself.
fn offered(spec: &Value, causes: &mut Vec<Cause>) {
    let ports = list(&spec["ports"]);
    let mut seen = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        let field = |name: &str| format!("spec.ports[{index}].{name}");
        if is_blank(&port["name"]) {
            if ports.len() > 1 {
                causes.push(Cause::required(&field("name"), ""));
            }
        } else {
            names::label(&field("name"), &port["name"], causes);
            if !seen.insert(text(&port["name"])) {
                causes.push(duplicate(&field("name"), &port["name"]));
            }
        }
        ports::number(&field("port"), &port["port"], causes);
        ports::protocol(&field("protocol"), &port["protocol"], causes);
        ports::number_or_name(&field("targetPort"), &port["targetPort"], causes);
        if let Some(protocol) = port["appProtocol"].as_str() {
            qualified(&field("appProtocol"), protocol, causes);
        }
    }
}

/// Whether a client stays with one pod, and how long.
fn affinity(spec: &Value, causes: &mut Vec<Cause>) {
    const FIELD: &str = "spec.sessionAffinityConfig";
    let (kind, config) = (text(&spec["sessionAffinity"]), &spec["sessionAffinityConfig"]);
    match kind {
        "" => causes.push(Cause::required("spec.sessionAffinity", "")),
        "ClientIP" => {
            let seconds = &config["clientIP"]["timeoutSeconds"];
            let why = "when session affinity type is ClientIP";
            if config.is_null() {
                causes.push(Cause::required(FIELD, why));
            } else if config["clientIP"].is_null() {
                causes.push(Cause::required(&format!("{FIELD}.clientIP"), why));
            } else if seconds.is_null() {
                causes.push(Cause::required(&format!("{FIELD}.clientIP.timeoutSeconds"), why));
            } else if !seconds.as_i64().is_some_and(|seconds| seconds > 0 && seconds <= LONGEST_AFFINITY) {
                let why = format!("must be greater than 0 and less than {LONGEST_AFFINITY}");
                causes.push(Cause::invalid(&format!("{FIELD}.clientIP.timeoutSeconds"), seconds, &why));
            }
        }
        "None" if !config.is_null() => causes.push(Cause::forbidden(FIELD, "must not be set when session affinity is None")),
        "None" => {}
        _ => causes.push(unsupported("spec.sessionAffinity", &spec["sessionAffinity"], &["ClientIP", "None"])),
    }
}

/// Addresses of somebody else that lead to the service.
fn outside(spec: &Value, old_spec: Option<&Value>, causes: &mut Vec<Cause>) {
    let known = old_spec.map(|before| list(&before["externalIPs"])).unwrap_or_default();
    for (index, address) in items(&spec["externalIPs"]) {
        let field = format!("spec.externalIPs[{index}]");
        if addresses::ip(&field, address, known, causes) {
            addresses::reachable(&field, address, causes);
        }
    }
}

/// Ports that the service has twice, or should not have.
fn taken_ports(spec: &Value, causes: &mut Vec<Cause>) {
    let ports = list(&spec["ports"]);
    let of_node = || ports.iter().enumerate().filter(|(_, port)| number(&port["nodePort"]) != 0);
    if text(&spec["type"]) == "ClusterIP" {
        for (index, _) in of_node() {
            let why = "may not be used when `type` is 'ClusterIP'";
            causes.push(Cause::forbidden(&format!("spec.ports[{index}].nodePort"), why));
        }
    }
    let mut seen = BTreeSet::new();
    for (index, port) in of_node() {
        if !seen.insert((number(&port["nodePort"]), text(&port["protocol"]))) {
            causes.push(duplicate(&format!("spec.ports[{index}].nodePort"), &port["nodePort"]));
        }
    }
    let mut seen = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        if !seen.insert((number(&port["port"]), text(&port["protocol"]))) {
            // What they are compared by is shown.
            let key = json!({"port": port["port"], "protocol": port["protocol"]});
            let shown = go_internal::compact("v1", "ServicePort", &key);
            causes.push(Cause::duplicate_shown(&format!("spec.ports[{index}]"), &shown));
        }
    }
}

/// From where a load balancer may be reached.
fn sources(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    let is_balanced = text(&spec["type"]) == "LoadBalancer";
    let ranges = list(&spec["loadBalancerSourceRanges"]);
    if !ranges.is_empty() {
        let field = "spec.LoadBalancerSourceRanges";
        if !is_balanced {
            causes.push(Cause::forbidden(field, BALANCED));
        }
        let before = old.map(|old| list(&old["spec"]["loadBalancerSourceRanges"])).unwrap_or_default();
        let known: Vec<&str> = before.iter().filter_map(Value::as_str).map(str::trim).collect();
        for (index, range) in ranges.iter().enumerate() {
            addresses::range(&format!("{field}[{index}]"), text(range).trim(), &known, causes);
        }
        return;
    }
    let annotation = &object["metadata"]["annotations"][RANGES];
    let Some(said) = annotation.as_str() else { return };
    let field = format!("metadata.annotations[{RANGES}]");
    if !is_balanced {
        causes.push(Cause::forbidden(&field, BALANCED));
    }
    if old.is_none_or(|old| old["metadata"]["annotations"][RANGES] != *annotation) && !said.trim().is_empty() {
        for range in said.trim().split(',') {
            addresses::range(&field, range.trim(), &[], causes);
        }
    }
}

/// What the status of a service says of its load balancer.
pub(super) fn status(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    const FIELD: &str = "status.loadBalancer.ingress";
    let points = list(&object["status"]["loadBalancer"]["ingress"]);
    if text(&object["spec"]["type"]) != "LoadBalancer" && !points.is_empty() {
        causes.push(Cause::forbidden(FIELD, BALANCED_STATUS));
        return;
    }
    let known = points_of(old);
    for (index, point) in points.iter().enumerate() {
        let at = format!("{FIELD}[{index}]");
        let (has_address, mode) = (!is_blank(&point["ip"]), &point["ipMode"]);
        if has_address {
            addresses::ip(&format!("{at}.ip"), &point["ip"], &known, causes);
        }
        let field = format!("{at}.ipMode");
        if mode.is_null() {
            if has_address {
                causes.push(Cause::required(&field, "must be specified when `ip` is set"));
            }
        } else if !has_address {
            causes.push(Cause::forbidden(&field, "may not be specified when `ip` is not set"));
        } else {
            none_or_one_of(&field, mode, &["Proxy", "VIP"], causes);
        }
        host_name(&format!("{at}.hostname"), point, causes);
    }
}

/// The addresses that a status had.
pub(super) fn points_of(old: Option<&Value>) -> Vec<Value> {
    let points = old.map(|old| list(&old["status"]["loadBalancer"]["ingress"])).unwrap_or_default();
    points.iter().map(|point| point["ip"].clone()).filter(|address| !is_blank(address)).collect()
}

/// The name of a point of a load balancer.
pub(super) fn host_name(field: &str, point: &Value, causes: &mut Vec<Cause>) {
    let name = text(&point["hostname"]);
    if name.is_empty() {
        return;
    }
    subdomain(field, name, causes);
    if addresses::parse(name).is_some() {
        causes.push(Cause::invalid(field, &name.into(), "must be a DNS name, not an IP address"));
    }
}
