//! Services.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{duplicate, immutable, is_blank, names, unsupported};
use crate::status::Cause;

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

pub(super) fn service(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    let kind = spec["type"].as_str().unwrap_or_default();
    if !TYPES.contains(&kind) {
        causes.push(unsupported("spec.type", &spec["type"], &TYPES));
    }
    let ports: Vec<&Value> = spec["ports"].as_array().into_iter().flatten().collect();
    if ports.is_empty() && spec["clusterIP"] != "None" && kind != "ExternalName" {
        causes.push(Cause::required("spec.ports", ""));
    }
    if kind == "ExternalName" && is_blank(&spec["externalName"]) {
        causes.push(Cause::required("spec.externalName", ""));
    }
    let (mut seen_names, mut seen_ports) = (BTreeSet::new(), BTreeSet::new());
    for (index, port) in ports.iter().enumerate() {
        let field = |name: &str| format!("spec.ports[{index}].{name}");
        if is_blank(&port["name"]) {
            if ports.len() > 1 {
                causes.push(Cause::required(&field("name"), ""));
            }
        } else {
            names::label(&field("name"), &port["name"], causes);
            if !seen_names.insert(port["name"].to_string()) {
                causes.push(duplicate(&field("name"), &port["name"]));
            }
        }
        names::port(&field("port"), &port["port"], causes);
        if !matches!(port["protocol"].as_str(), Some("TCP" | "UDP" | "SCTP")) {
            causes.push(unsupported(&field("protocol"), &port["protocol"], &["SCTP", "TCP", "UDP"]));
        }
        if port["targetPort"].is_number() {
            names::port(&field("targetPort"), &port["targetPort"], causes);
        }
        if !seen_ports.insert((port["port"].to_string(), port["protocol"].to_string())) {
            let shown = serde_json::json!({"port": port["port"], "protocol": port["protocol"]});
            causes.push(duplicate(&format!("spec.ports[{index}]"), &shown));
        }
    }
    if let Some(old) = old {
        let (before, after) = (&old["spec"]["clusterIP"], &spec["clusterIP"]);
        if !is_blank(before) && before != after && kind != "ExternalName" {
            causes.push(immutable("spec.clusterIPs[0]", &serde_json::json!([after])));
        }
    }
}
