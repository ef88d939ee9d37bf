//! How traffic comes to a service and is spread over its pods.
//! Source: kubernetes `pkg/apis/core/validation` (`validateServiceExternalTrafficPolicy` and its neighbours), `pkg/api/service`.

use serde_json::Value;

use super::super::{
    faults::{none_or_one_of, one_of},
    names::qualified,
    ports,
    reading::{is_blank, list, number, text},
};
use super::BALANCED;
use crate::status::Cause;

/// Whether traffic goes to pods anywhere, or on the node to which it came.
const POLICIES: [&str; 2] = ["Cluster", "Local"];
const HEALTH: &str = "spec.healthCheckNodePort";
const CLASS: &str = "spec.loadBalancerClass";

/// What never changes while a service is reached through a load balancer.
pub(super) fn change(before: &Value, spec: &Value, causes: &mut Vec<Cause>) {
    let balanced = |spec: &Value| text(&spec["type"]) == "LoadBalancer";
    if balanced(before) && balanced(spec) && before["loadBalancerClass"] != spec["loadBalancerClass"] {
        causes.push(Cause::invalid(CLASS, &spec["loadBalancerClass"], "may not change once set"));
    }
    // Upstream looks at the class in a change and in the state that it makes.
    class(spec, causes);
    if has_health_check(before) && has_health_check(spec) && number(&before["healthCheckNodePort"]) != number(&spec["healthCheckNodePort"])
    {
        causes.push(Cause::forbidden(HEALTH, "field is immutable"));
    }
}

/// All rules of the traffic of a service.
pub(super) fn check(spec: &Value, causes: &mut Vec<Cause>) {
    let is_balanced = text(&spec["type"]) == "LoadBalancer";
    match (spec["allocateLoadBalancerNodePorts"].is_null(), is_balanced) {
        (false, false) => causes.push(Cause::forbidden("spec.allocateLoadBalancerNodePorts", BALANCED)),
        (true, true) => causes.push(Cause::required("allocateLoadBalancerNodePorts", "")),
        _ => {}
    }
    class(spec, causes);
    external(spec, causes);
    internal(spec, causes);
    let distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
    none_or_one_of("spec.trafficDistribution", &spec["trafficDistribution"], &distributions, causes);
}

/// Which load balancer serves the service.
fn class(spec: &Value, causes: &mut Vec<Cause>) {
    let Some(class) = spec["loadBalancerClass"].as_str() else { return };
    if text(&spec["type"]) == "LoadBalancer" {
        qualified(CLASS, class, causes);
    } else {
        causes.push(Cause::forbidden(CLASS, BALANCED));
    }
}

/// Whether a service is reached from outside of the cluster.
fn is_reached(spec: &Value) -> bool {
    match text(&spec["type"]) {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => !list(&spec["externalIPs"]).is_empty(),
        _ => false,
    }
}

/// Whether a load balancer asks nodes whether they have pods of the service.
fn has_health_check(spec: &Value) -> bool {
    text(&spec["type"]) == "LoadBalancer" && text(&spec["externalTrafficPolicy"]) == "Local"
}

/// Traffic from outside of the cluster.
fn external(spec: &Value, causes: &mut Vec<Cause>) {
    let (field, policy) = ("spec.externalTrafficPolicy", &spec["externalTrafficPolicy"]);
    if is_reached(spec) {
        one_of(field, policy, &POLICIES, causes);
    } else if !is_blank(policy) {
        causes.push(Cause::invalid(field, policy, "may only be set for externally-accessible services"));
    }
    let port = &spec["healthCheckNodePort"];
    match (has_health_check(spec), number(&spec["healthCheckNodePort"]) != 0) {
        (false, true) => {
            let why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
            causes.push(Cause::invalid(HEALTH, port, why));
        }
        (true, false) => causes.push(Cause::required(HEALTH, "")),
        (true, true) => ports::number(HEALTH, port, causes),
        (false, false) => {}
    }
}

/// Traffic from within the cluster.
fn internal(spec: &Value, causes: &mut Vec<Cause>) {
    let (field, policy) = ("spec.internalTrafficPolicy", &spec["internalTrafficPolicy"]);
    if policy.is_null() && matches!(text(&spec["type"]), "NodePort" | "LoadBalancer" | "ClusterIP") {
        causes.push(Cause::required(field, ""));
    }
    none_or_one_of(field, policy, &POLICIES, causes);
}
