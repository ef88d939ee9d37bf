//! Defaults of services, limits, nodes, network policies and autoscalers.
//! Source: kubernetes `pkg/apis/{core/v1,networking/v1,autoscaling/v2}/defaults.go`, `pkg/apis/core/v1/conversion.go` (node ranges).

use serde_json::{Value, json};

use super::super::fields::{Fields, list, objects, text};

/// How long a client stays with one pod, in seconds.
const AFFINITY: i64 = 10_800;

/// Where ports lead to, and to which pods traffic goes.
pub(super) fn service(service: &mut Value) {
    let Some(spec) = service.get_mut("spec").and_then(Value::as_object_mut) else { return };
    for port in objects(spec.get_mut("ports")) {
        let number = port.get("port").cloned().unwrap_or_default();
        if port.get("targetPort").is_none_or(|target| target.is_null() || *target == 0 || *target == "") {
            port.insert("targetPort".into(), number);
        }
    }
    affinity(spec);
    let kind = text(spec, "type").to_owned();
    let is_outside = !list(spec, "externalIPs").is_empty();
    if matches!(kind.as_str(), "ClusterIP" | "NodePort" | "LoadBalancer") {
        or_insert(spec, "internalTrafficPolicy", "Cluster".into());
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") || (kind == "ClusterIP" && is_outside) {
        or_insert(spec, "externalTrafficPolicy", "Cluster".into());
    }
    if kind != "LoadBalancer" {
        return;
    }
    or_insert(spec, "allocateLoadBalancerNodePorts", true.into());
    for point in objects(service.pointer_mut("/status/loadBalancer/ingress")) {
        if !text(point, "ip").is_empty() {
            or_insert(point, "ipMode", "VIP".into());
        }
    }
}

/// Sets what is not said.
fn or_insert(fields: &mut Fields, name: &str, value: Value) {
    let place = fields.entry(name).or_insert(Value::Null);
    if place.is_null() {
        *place = value;
    }
}

/// A client that stays with one pod does so for a while.
fn affinity(spec: &mut Fields) {
    match text(spec, "sessionAffinity") {
        "None" => {
            spec.remove("sessionAffinityConfig");
        }
        "ClientIP" => {
            let config = spec.get("sessionAffinityConfig");
            if config.is_none_or(|config| config["clientIP"]["timeoutSeconds"].is_null()) {
                spec.insert("sessionAffinityConfig".into(), json!({"clientIP": {"timeoutSeconds": AFFINITY}}));
            }
        }
        _ => {}
    }
}

/// What containers may have at most is what they have, and that is what they ask for; else they ask for the least.
pub(super) fn limit(limit: &mut Fields) {
    if text(limit, "type") != "Container" {
        return;
    }
    for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
        let Some(Value::Object(amounts)) = limit.get(from).cloned() else { continue };
        if amounts.is_empty() {
            continue;
        }
        or_insert(limit, to, json!({}));
        let Some(known) = limit.get_mut(to).and_then(Value::as_object_mut) else { continue };
        for (resource, amount) in amounts {
            known.entry(resource).or_insert(amount);
        }
    }
}

/// The range of a node is the first of its ranges, and a node gives away all that it has.
pub(super) fn node(node: &mut Value) {
    if let Some(spec) = node.get_mut("spec").and_then(Value::as_object_mut) {
        let first = text(spec, "podCIDR").to_owned();
        let rest = list(spec, "podCIDRs").first().cloned();
        match rest {
            None if !first.is_empty() => {
                spec.insert("podCIDRs".into(), json!([first]));
            }
            Some(range) if first.is_empty() => {
                spec.insert("podCIDR".into(), range);
            }
            // Who says both says the first twice.
            Some(range) if range != first.as_str() => {
                spec.insert("podCIDRs".into(), json!([first]));
            }
            _ => {}
        }
    }
    if let Some(status) = node.get_mut("status").and_then(Value::as_object_mut)
        && let Some(capacity) = status.get("capacity").cloned()
    {
        or_insert(status, "allocatable", capacity);
    }
}

/// A policy is about what comes in, and about what goes out if it says something of that.
pub(super) fn network_policy(policy: &mut Value) {
    let Some(spec) = policy.get_mut("spec").and_then(Value::as_object_mut) else { return };
    let is_empty = |name: &str| list(spec, name).is_empty();
    if !is_empty("policyTypes") {
        return;
    }
    let types = if is_empty("egress") { json!(["Ingress"]) } else { json!(["Ingress", "Egress"]) };
    spec.insert("policyTypes".into(), types);
}

/// Who says something of how fast pods come or go leaves the rest as it is for all.
pub(super) fn behavior(behavior: &mut Fields) {
    let percent = json!({"type": "Percent", "value": 100, "periodSeconds": 15});
    let pods = json!({"type": "Pods", "value": 4, "periodSeconds": 15});
    for (direction, policies) in [("scaleUp", json!([pods, percent])), ("scaleDown", json!([percent]))] {
        or_insert(behavior, direction, json!({}));
        let Some(rules) = behavior.get_mut(direction).and_then(Value::as_object_mut) else { continue };
        or_insert(rules, "selectPolicy", "Max".into());
        or_insert(rules, "policies", policies);
        if direction == "scaleUp" {
            or_insert(rules, "stabilizationWindowSeconds", 0.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_containers_follow_from_each_other() {
        let mut given = json!({"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1", "memory": "1Gi"}});
        limit(given.as_object_mut().unwrap());
        assert_eq!(given["default"], json!({"cpu": "2"}));
        assert_eq!(given["defaultRequest"], json!({"cpu": "2", "memory": "1Gi"}));
    }

    #[test]
    fn a_policy_that_says_something_of_what_goes_out_is_about_that_too() {
        for (spec, expected) in [(json!({}), json!(["Ingress"])), (json!({"egress": [{}]}), json!(["Ingress", "Egress"]))] {
            let mut policy = json!({"spec": spec});
            network_policy(&mut policy);
            assert_eq!(policy["spec"]["policyTypes"], expected);
        }
    }

    #[test]
    fn clients_stay_with_a_pod_for_three_hours() {
        let mut given = json!({"spec": {"type": "ClusterIP", "sessionAffinity": "ClientIP"}});
        service(&mut given);
        assert_eq!(given["spec"]["sessionAffinityConfig"], json!({"clientIP": {"timeoutSeconds": 10_800}}));
    }
}
