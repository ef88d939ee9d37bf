//! The addresses and ports of services. Chance alone keeps them apart: nothing is routed by them.
//! Source: kubernetes `pkg/registry/core/service/storage/{alloc,storage}.go`, `pkg/registry/core/service/strategy.go`.

use std::{collections::BTreeSet, net::Ipv4Addr};

use serde_json::{Map, Value, json};

use super::super::fields::{Fields, list, objects, text};
use super::Context;
use crate::{random::Random, status::Cause};

/// Ports of nodes.
const PORTS: std::ops::RangeInclusive<i64> = 30_000..=32_767;
/// A try counts on from here: what it takes, nobody keeps.
const TRIED_PORT: i64 = 32_769;

/// Gives a service the addresses and ports that it needs, and takes those from it that it needs no longer.
pub(super) fn complete(service: &mut Value, old: Option<&Value>, context: &Context<'_>) {
    let before = old.and_then(|old| old["spec"].as_object());
    let Some(spec) = service.get_mut("spec").and_then(Value::as_object_mut) else { return };
    if let Some(before) = before {
        keep(spec, before);
    }
    normalise(spec, before);
    if !is_external(spec) {
        families(spec, before);
        address(spec, context);
    }
    ports(spec, context);
    if let Some(before) = before {
        release(spec, before);
    }
    if is_external(spec) {
        spec.remove("internalTrafficPolicy");
    }
    let is_balanced = |spec: &Fields| text(spec, "type") == "LoadBalancer";
    if before.is_some_and(is_balanced) && !is_balanced(spec) {
        service["status"]["loadBalancer"] = json!({});
    }
}

/// Ports of nodes that are asked for and are none.
pub(super) fn refused_ports(service: &Value, old: Option<&Value>) -> Vec<Cause> {
    let spec = &service["spec"];
    let held: BTreeSet<i64> = old.map(|old| node_ports(&old["spec"]["ports"])).unwrap_or_default();
    if !matches!(spec["type"].as_str(), Some("NodePort" | "LoadBalancer")) {
        return Vec::new();
    }
    for (index, port) in spec["ports"].as_array().into_iter().flatten().enumerate() {
        let number = port["nodePort"].as_i64().unwrap_or_default();
        if number != 0 && !PORTS.contains(&number) && !held.contains(&number) {
            let why = format!("provided port is not in the valid range. The range of valid ports is {}-{}", PORTS.start(), PORTS.end());
            return vec![Cause::invalid(&format!("spec.ports[{index}].nodePort"), &port["nodePort"], &why)];
        }
    }
    Vec::new()
}

fn is_external(spec: &Fields) -> bool {
    text(spec, "type") == "ExternalName"
}

/// Whether a service has ports on the nodes.
fn has_node_ports(spec: &Fields) -> bool {
    matches!(text(spec, "type"), "NodePort" | "LoadBalancer")
}

/// Whether a load balancer asks nodes whether they have pods of the service.
fn has_health_check(spec: &Fields) -> bool {
    text(spec, "type") == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local"
}

/// Whether a service is reached from outside of the cluster.
fn is_reached(spec: &Fields) -> bool {
    has_node_ports(spec) || (text(spec, "type") == "ClusterIP" && !list(spec, "externalIPs").is_empty())
}

fn node_ports(ports: &Value) -> BTreeSet<i64> {
    ports.as_array().into_iter().flatten().filter_map(|port| port["nodePort"].as_i64()).filter(|number| *number != 0).collect()
}

fn ports_of(spec: &mut Fields) -> impl Iterator<Item = &mut Fields> {
    objects(spec.get_mut("ports"))
}

/// What was allocated stays, though it is not said again.
fn keep(spec: &mut Fields, before: &Fields) {
    let unsaid = |spec: &Fields, name: &str| {
        spec.get(name).is_none_or(|value| matches!(value, Value::Null) || *value == "" || *value == 0 || *value == json!([]))
    };
    let mut kept = Vec::new();
    if !is_external(before) && !is_external(spec) {
        kept.extend(["clusterIP", "clusterIPs"]);
    }
    if has_health_check(before) && has_health_check(spec) {
        kept.push("healthCheckNodePort");
    }
    for name in kept {
        if unsaid(spec, name)
            && let Some(value) = before.get(name)
        {
            spec.insert(name.into(), value.clone());
        }
    }
    if has_node_ports(before) && has_node_ports(spec) {
        keep_node_ports(spec, before);
    }
}

/// Ports are the same by their names.
fn keep_node_ports(spec: &mut Fields, before: &Fields) {
    let old_ports = before.get("ports").cloned().unwrap_or_default();
    let held = node_ports(&old_ports);
    let used: BTreeSet<i64> = node_ports(spec.get("ports").unwrap_or(&Value::Null)).intersection(&held).copied().collect();
    for port in ports_of(spec) {
        let name = |port: &Value| port["name"].as_str().unwrap_or_default().to_owned();
        let own = port.get("name").and_then(Value::as_str).unwrap_or_default();
        let same = old_ports.as_array().into_iter().flatten().rfind(|old| name(old) == own);
        let number = same.and_then(|old| old["nodePort"].as_i64()).unwrap_or_default();
        let is_unsaid = port.get("nodePort").and_then(Value::as_i64).unwrap_or_default() == 0;
        if is_unsaid && number != 0 && !used.contains(&number) {
            port.insert("nodePort".into(), number.into());
        }
    }
}

/// `clusterIP` is the first of `clusterIPs`, of which old clients do not know.
fn normalise(spec: &mut Fields, before: Option<&Fields>) {
    let ip = text(spec, "clusterIP").to_owned();
    let same_ips = before.is_some_and(|before| list(before, "clusterIPs") == list(spec, "clusterIPs"));
    match before {
        None if !ip.is_empty() && list(spec, "clusterIPs").is_empty() => {
            spec.insert("clusterIPs".into(), json!([ip]));
        }
        Some(before) if text(before, "clusterIP") != ip && same_ips => {
            if ip.is_empty() {
                spec.remove("clusterIPs");
            } else {
                spec.insert("clusterIPs".into(), json!([ip]));
            }
        }
        _ => {}
    }
    if ip.is_empty() {
        spec.remove("clusterIP");
    }
}

/// Of which families the addresses are. What does not fit is left to be found out.
fn families(spec: &mut Fields, before: Option<&Fields>) {
    let bare = text(spec, "clusterIP") == "None" && spec.get("selector").and_then(Value::as_object).is_none_or(Map::is_empty);
    if spec.get("ipFamilyPolicy").is_none_or(Value::is_null) {
        let old = before.and_then(|before| before.get("ipFamilyPolicy")).cloned();
        let policy = old.unwrap_or_else(|| if bare { "RequireDualStack".into() } else { "SingleStack".into() });
        spec.insert("ipFamilyPolicy".into(), policy);
    }
    let single = text(spec, "ipFamilyPolicy") == "SingleStack";
    for name in ["clusterIPs", "ipFamilies"] {
        let first = list(spec, name).first().cloned();
        let is_same = before.is_some_and(|before| list(before, name) == list(spec, name));
        if let Some(first) = first
            && single
            && is_same
        {
            spec.insert(name.into(), json!([first]));
        }
    }
    let mut families = list(spec, "ipFamilies").to_vec();
    let ips: Vec<String> = list(spec, "clusterIPs").iter().map(|ip| ip.as_str().unwrap_or_default().to_owned()).collect();
    for ip in ips.iter().skip(families.len()).take_while(|ip| ip.as_str() != "None") {
        if ip.parse::<Ipv4Addr>().is_err() {
            return;
        }
        families.push("IPv4".into());
    }
    if families.is_empty() {
        families.push("IPv4".into());
    }
    if bare && families.len() == 1 && !single {
        let other = if families[0] == "IPv4" { "IPv6" } else { "IPv4" };
        families.push(other.into());
    }
    spec.insert("ipFamilies".into(), families.into());
}

/// An address of 10.0.0.0/16 for who has none.
fn address(spec: &mut Fields, context: &Context<'_>) {
    if !list(spec, "clusterIPs").is_empty() || spec.contains_key("clusterIP") || list(spec, "ipFamilies") != ["IPv4"] {
        return;
    }
    let address = if context.dry_run { Ipv4Addr::new(10, 0, 0, 0) } else { any_address(context.random) };
    spec.insert("clusterIP".into(), address.to_string().into());
    spec.insert("clusterIPs".into(), json!([address.to_string()]));
}

fn any_address(random: &dyn Random) -> Ipv4Addr {
    let mut bytes = [0; 2];
    random.fill(&mut bytes);
    Ipv4Addr::new(10, 0, bytes[0], bytes[1].clamp(2, 254))
}

/// Ports of nodes, one for all protocols of a port.
fn ports(spec: &mut Fields, context: &Context<'_>) {
    let asks = text(spec, "type") == "NodePort" || spec.get("allocateLoadBalancerNodePorts") != Some(&Value::Bool(false));
    let mut taken = node_ports(spec.get("ports").unwrap_or(&Value::Null));
    let mut next = || {
        let number = match context.dry_run {
            true => taken.last().map_or(TRIED_PORT, |last| last + 1),
            false => any_port(context.random),
        };
        taken.insert(number);
        number
    };
    if has_node_ports(spec) && asks {
        let mut by_port: Vec<(Value, i64)> = Vec::new();
        for port in ports_of(spec) {
            let number = port.get("port").cloned().unwrap_or_default();
            let own = port.get("nodePort").and_then(Value::as_i64).unwrap_or_default();
            let shared = by_port.iter().find(|(other, _)| *other == number).map(|(_, shared)| *shared);
            let chosen = if own == 0 { shared.unwrap_or_else(&mut next) } else { own };
            port.insert("nodePort".into(), chosen.into());
            by_port.push((number, chosen));
        }
    }
    if has_health_check(spec) && spec.get("healthCheckNodePort").and_then(Value::as_i64).unwrap_or_default() == 0 {
        spec.insert("healthCheckNodePort".into(), next().into());
    }
}

fn any_port(random: &dyn Random) -> i64 {
    let mut bytes = [0; 2];
    random.fill(&mut bytes);
    PORTS.start() + i64::from(u16::from_be_bytes(bytes)) % (PORTS.end() - PORTS.start() + 1)
}

/// What was there for the old type goes, unless the change says something of it.
fn release(spec: &mut Fields, before: &Fields) {
    let is_same = |spec: &Fields, name: &str| spec.get(name) == before.get(name);
    let mut gone = Vec::new();
    if !is_external(before) && is_external(spec) {
        if is_same(spec, "clusterIP") && is_same(spec, "clusterIPs") {
            gone.extend(["clusterIP", "clusterIPs"]);
        }
        gone.extend(["ipFamilies", "ipFamilyPolicy"].into_iter().filter(|name| is_same(spec, name)));
    }
    if has_health_check(before) && !has_health_check(spec) {
        gone.extend(Some("healthCheckNodePort").filter(|name| is_same(spec, name)));
    }
    if text(before, "type") == "LoadBalancer" && text(spec, "type") != "LoadBalancer" {
        let names = ["allocateLoadBalancerNodePorts", "loadBalancerClass"];
        gone.extend(names.into_iter().filter(|name| is_same(spec, name)));
    }
    if is_reached(before) && !is_reached(spec) {
        gone.extend(Some("externalTrafficPolicy").filter(|name| is_same(spec, name)));
    }
    for name in gone {
        spec.remove(name);
    }
    let held = node_ports(before.get("ports").unwrap_or(&Value::Null));
    if has_node_ports(before) && !has_node_ports(spec) && held == node_ports(spec.get("ports").unwrap_or(&Value::Null)) {
        for port in ports_of(spec) {
            port.remove("nodePort");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sevens;

    impl Random for Sevens {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(7);
        }
    }

    fn completed(spec: Value, old: Option<&Value>, dry_run: bool) -> Value {
        let mut service = json!({"spec": spec, "status": {"loadBalancer": {}}});
        complete(&mut service, old, &Context { random: &Sevens, dry_run });
        service
    }

    #[test]
    fn a_try_takes_no_address() {
        let service = completed(json!({"type": "NodePort", "ports": [{"port": 80}]}), None, true);
        assert_eq!(service["spec"]["clusterIPs"], json!(["10.0.0.0"]));
        assert_eq!(service["spec"]["ports"][0]["nodePort"], TRIED_PORT);
        let service = completed(json!({"type": "ClusterIP", "ports": [{"port": 80}]}), None, false);
        assert_eq!((&service["spec"]["clusterIP"], &service["spec"]["ipFamilyPolicy"]), (&json!("10.0.7.7"), &json!("SingleStack")));
    }

    #[test]
    fn who_changes_the_type_loses_what_belongs_to_it() {
        let old = completed(json!({"type": "NodePort", "externalTrafficPolicy": "Cluster", "ports": [{"port": 80}]}), None, false);
        let mut spec = old["spec"].clone();
        spec["type"] = json!("ClusterIP");
        let new = completed(spec, Some(&old), false);
        assert_eq!(new["spec"].get("externalTrafficPolicy"), None);
        assert_eq!(new["spec"]["ports"], json!([{"port": 80}]));
        assert_eq!(new["spec"]["clusterIP"], old["spec"]["clusterIP"]);
        let mut spec = new["spec"].clone();
        spec["type"] = json!("ExternalName");
        let named = completed(spec, Some(&new), false);
        assert_eq!(named["spec"], json!({"type": "ExternalName", "ports": [{"port": 80}]}));
    }

    #[test]
    fn families_of_who_has_no_address_are_completed() {
        let service = completed(json!({"type": "ClusterIP", "clusterIP": "None", "ipFamilies": ["IPv6"]}), None, false);
        assert_eq!(service["spec"]["ipFamilies"], json!(["IPv6", "IPv4"]));
        assert_eq!(service["spec"]["ipFamilyPolicy"], "RequireDualStack");
    }

    #[test]
    fn ports_of_nodes_are_in_their_range() {
        let asked = json!({"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]}});
        let why = "provided port is not in the valid range. The range of valid ports is 30000-32767";
        assert_eq!(refused_ports(&asked, None), [Cause::invalid("spec.ports[0].nodePort", &json!(80), why)]);
        assert!(refused_ports(&asked, Some(&asked)).is_empty(), "what it had it may keep");
    }
}
