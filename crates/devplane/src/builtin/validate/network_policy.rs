//! Network policies.
//! Source: kubernetes `pkg/apis/networking/validation` (`ValidateNetworkPolicySpec`).

use serde_json::Value;

use super::{
    addresses::{self, Range},
    faults::{none_or_one_of, unsupported},
    ports,
    reading::{is_blank, items, list, text},
};
use crate::{selectors, status::Cause};

/// Both directions, and how the peers of each are called.
static DIRECTIONS: [(&str, &str); 2] = [("ingress", "from"), ("egress", "to")];

/// All rules of a network policy.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let spec = &object["spec"];
    let known = old.map(|old| ranges(&old["spec"])).unwrap_or_default();
    causes.extend(selectors::faults(&spec["podSelector"], "spec.podSelector"));
    for (direction, peers) in DIRECTIONS {
        for (index, rule) in items(&spec[direction]) {
            let at = format!("spec.{direction}[{index}]");
            for (place, port) in items(&rule["ports"]) {
                self::port(port, &format!("{at}.ports[{place}]"), causes);
            }
            for (place, peer) in items(&rule[peers]) {
                self::peer(peer, &format!("{at}.{peers}[{place}]"), &known, causes);
            }
        }
    }
    let types = list(&spec["policyTypes"]);
    if types.len() > DIRECTIONS.len() {
        causes.push(Cause::invalid("spec.policyTypes", &spec["policyTypes"], "may not specify more than two policyTypes"));
        return;
    }
    for (index, kind) in types.iter().enumerate() {
        if !matches!(kind.as_str(), Some("Ingress" | "Egress")) {
            causes.push(unsupported(&format!("spec.policyTypes[{index}]"), kind, &["Ingress", "Egress"]));
        }
    }
}

/// The ranges that a policy names: what was taken once is taken again.
fn ranges(spec: &Value) -> Vec<&str> {
    let rules = DIRECTIONS.iter().flat_map(|(direction, peers)| list(&spec[direction]).iter().flat_map(move |rule| list(&rule[peers])));
    let blocks = rules.map(|peer| &peer["ipBlock"]).filter(|block| !block.is_null());
    blocks.flat_map(|block| list(&block["except"]).iter().chain([&block["cidr"]])).filter_map(Value::as_str).collect()
}

fn port(port: &Value, at: &str, causes: &mut Vec<Cause>) {
    none_or_one_of(&format!("{at}.protocol"), &port["protocol"], &["TCP", "UDP", "SCTP"], causes);
    let (first, last, field) = (&port["port"], &port["endPort"], format!("{at}.endPort"));
    if !first.is_null() {
        ports::number_or_name(&format!("{at}.port"), first, causes);
    }
    let Some(end) = last.as_i64() else { return };
    if first.is_null() {
        causes.push(Cause::invalid(&field, last, "may not be specified when `port` is not specified"));
    } else if let Some(start) = first.as_i64() {
        if end < start {
            // Upstream shows the first port.
            causes.push(Cause::invalid(&field, first, "must be greater than or equal to `port`"));
        }
        ports::number(&field, last, causes);
    } else {
        causes.push(Cause::invalid(&field, last, "may not be specified when `port` is non-numeric"));
    }
}

fn peer(peer: &Value, at: &str, known: &[&str], causes: &mut Vec<Cause>) {
    let mut count = 0;
    for name in ["podSelector", "namespaceSelector"] {
        if !peer[name].is_null() {
            count += 1;
            causes.extend(selectors::faults(&peer[name], &format!("{at}.{name}")));
        }
    }
    let block = &peer["ipBlock"];
    if !block.is_null() {
        self::block(block, &format!("{at}.ipBlock"), known, causes);
        if count > 0 {
            causes.push(Cause::forbidden(at, "may not specify both ipBlock and another peer"));
        }
    } else if count == 0 {
        causes.push(Cause::required(at, "must specify a peer"));
    }
}

fn block(block: &Value, at: &str, known: &[&str], causes: &mut Vec<Cause>) {
    let field = format!("{at}.cidr");
    if is_blank(&block["cidr"]) {
        causes.push(Cause::required(&field, ""));
        return;
    }
    let Some(range) = addresses::range(&field, text(&block["cidr"]), known, causes) else { return };
    for (index, except) in items(&block["except"]) {
        let field = format!("{at}.except[{index}]");
        let inner: Option<Range> = addresses::range(&field, text(except), known, causes);
        if inner.is_some_and(|inner| !range.exceeds(inner)) {
            causes.push(Cause::invalid(&field, except, "must be a strict subset of `cidr`"));
        }
    }
}
