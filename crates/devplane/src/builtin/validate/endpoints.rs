//! Endpoints.
//! Source: kubernetes `pkg/apis/core/validation` (`validateEndpointSubsets`).

use serde_json::Value;

use super::{
    addresses,
    names::{self, qualified, subdomain},
    ports,
    reading::{is_blank, items, list},
};
use crate::status::Cause;

/// All rules of endpoints.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    // What was taken once may stay.
    if old.is_some_and(|old| old["subsets"] == object["subsets"]) {
        return;
    }
    for (index, subset) in items(&object["subsets"]) {
        let at = format!("subsets[{index}]");
        if is_blank(&subset["addresses"]) && is_blank(&subset["notReadyAddresses"]) {
            causes.push(Cause::required(&at, "must specify `addresses` or `notReadyAddresses`"));
        }
        for name in ["addresses", "notReadyAddresses"] {
            for (place, address) in items(&subset[name]) {
                self::address(address, &format!("{at}.{name}[{place}]"), causes);
            }
        }
        let ports = list(&subset["ports"]);
        for (place, port) in ports.iter().enumerate() {
            self::port(port, ports.len() > 1, &format!("{at}.ports[{place}]"), causes);
        }
    }
}

fn address(address: &Value, at: &str, causes: &mut Vec<Cause>) {
    let (field, nothing) = (format!("{at}.ip"), Value::from(""));
    let ip = if address["ip"].is_null() { &nothing } else { &address["ip"] };
    addresses::ip(&field, ip, &[], causes);
    if !is_blank(&address["hostname"]) {
        names::label(&format!("{at}.hostname"), &address["hostname"], causes);
    }
    if let Some(node) = address["nodeName"].as_str() {
        subdomain(&format!("{at}.nodeName"), node, causes);
    }
    addresses::reachable(&field, ip, causes);
}

fn port(port: &Value, needs_name: bool, at: &str, causes: &mut Vec<Cause>) {
    let field = |name: &str| format!("{at}.{name}");
    if !is_blank(&port["name"]) {
        names::label(&field("name"), &port["name"], causes);
    } else if needs_name {
        causes.push(Cause::required(&field("name"), ""));
    }
    ports::number(&field("port"), &port["port"], causes);
    ports::protocol(&field("protocol"), &port["protocol"], causes);
    if let Some(protocol) = port["appProtocol"].as_str() {
        qualified(&field("appProtocol"), protocol, causes);
    }
}
