//! Amounts of resources and the names of what they are amounts of.
//! Source: kubernetes `pkg/apis/core/helper`, `pkg/apis/core/validation` (`ValidateResourceQuantityValue`, resource names).

use std::cmp::Ordering;

use serde_json::Value;

use super::{names::qualified, numbers::NEGATIVE};
use crate::{
    builtin::quantity::{self, NANOS},
    objects::metadata::qualified_faults,
    status::Cause,
};

/// With what the names of huge pages begin; their size comes after it.
pub(super) const HUGE_PAGES: &str = "hugepages-";

/// What may be counted in whole numbers only.
const COUNTED: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];
/// What pods use, and how quotas name what they ask for and are limited to.
const USED: [&str; 9] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
];
/// What quotas of a scope limit: pods, and what pods use.
const PODS: [&str; 7] = ["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];

/// How much an amount is, in nanos; nothing if it is none.
pub(super) fn nanos(amount: &Value) -> i128 {
    let found = match amount {
        Value::String(text) => quantity::nanos(text),
        Value::Number(number) => quantity::nanos(&number.to_string()),
        _ => None,
    };
    found.unwrap_or_default()
}

/// Whether one amount is less or more than another.
pub(in crate::builtin) fn compare(one: &Value, other: &Value) -> Ordering {
    nanos(one).cmp(&nanos(other))
}

/// Whether an amount is whole.
pub(in crate::builtin) fn is_whole(amount: &Value) -> bool {
    // Upstream looks at thousandths, rounded up.
    let thousandth = NANOS / 1000;
    let thousandths = nanos(amount) / thousandth + i128::from(nanos(amount) % thousandth > 0);
    thousandths % 1000 == 0
}

/// An amount that is not less than nothing.
pub(super) fn not_negative(field: &str, amount: &Value, causes: &mut Vec<Cause>) {
    if nanos(amount) < 0 {
        causes.push(Cause::invalid(field, amount, NEGATIVE));
    }
}

/// An amount that is more than nothing.
pub(super) fn positive(field: &str, amount: &Value, causes: &mut Vec<Cause>) {
    if nanos(amount) <= 0 {
        causes.push(Cause::invalid(field, amount, "must be greater than zero"));
    }
}

/// The amount of a resource.
pub(super) fn amount(resource: &str, field: &str, amount: &Value, causes: &mut Vec<Cause>) {
    not_negative(field, amount, causes);
    if (COUNTED.contains(&resource) || is_extended(resource)) && !is_whole(amount) {
        causes.push(Cause::invalid(field, amount, "must be an integer"));
    }
}

/// The name of any resource. Tells whether nothing is wrong.
pub(super) fn name(field: &str, name: &str, causes: &mut Vec<Cause>) -> bool {
    let before = causes.len();
    qualified(field, name, causes);
    if causes.len() == before && !name.contains('/') && !is_standard(name) {
        causes.push(Cause::invalid(field, &name.into(), "must be a standard resource type or fully qualified"));
    }
    causes.len() == before
}

/// The name of a resource that a quota limits.
pub(super) fn quota_name(field: &str, resource: &str, causes: &mut Vec<Cause>) {
    name(field, resource, causes);
    if !resource.contains('/') && !is_limited_by_quota(resource) {
        causes.push(Cause::invalid(field, &resource.into(), "must be a standard resource for quota"));
    }
}

/// The name of a resource that containers use.
pub(super) fn container_name(field: &str, resource: &str, causes: &mut Vec<Cause>) {
    name(field, resource, causes);
    let used = ["cpu", "memory", "ephemeral-storage"].contains(&resource) || resource.starts_with(HUGE_PAGES);
    if !resource.contains('/') && !used {
        causes.push(Cause::invalid(field, &resource.into(), "must be a standard resource for containers"));
    } else if !is_native(resource) && !is_extended(resource) {
        causes.push(Cause::invalid(field, &resource.into(), "doesn't follow extended resource name standard"));
    }
}

/// Whether more of a resource may be promised than there is.
pub(super) fn may_be_overcommitted(resource: &str) -> bool {
    is_native(resource) && !resource.starts_with(HUGE_PAGES)
}

/// Whether a quota knows how to limit a resource.
pub(super) fn is_limited_by_quota(resource: &str) -> bool {
    USED.contains(&resource) || COUNTED.contains(&resource) || resource == "requests.storage" || is_huge_page(resource)
}

/// Whether a quota of a scope limits a resource; scopes that nobody knows limit all.
pub(super) fn is_in_scope(scope: &str, resource: &str) -> bool {
    match scope {
        "Terminating" | "NotTerminating" | "NotBestEffort" | "PriorityClass" | "CrossNamespacePodAffinity" => PODS.contains(&resource),
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => ["persistentvolumeclaims", "requests.storage"].contains(&resource),
        _ => true,
    }
}

fn is_huge_page(resource: &str) -> bool {
    resource.strip_prefix("requests.").unwrap_or(resource).starts_with(HUGE_PAGES)
}

/// Whether a name without a domain is known at all.
fn is_standard(resource: &str) -> bool {
    is_limited_by_quota(resource) || resource == "storage"
}

/// A resource of Kubernetes itself.
fn is_native(resource: &str) -> bool {
    !resource.contains('/') || resource.contains("kubernetes.io/")
}

/// A resource of somebody else than Kubernetes.
fn is_extended(resource: &str) -> bool {
    !is_native(resource) && !resource.starts_with("requests.") && qualified_faults(&format!("requests.{resource}")).is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_counted_is_whole() {
        for (resource, given, expected) in [
            ("pods", "1", None),
            ("pods", "1500m", Some("must be an integer")),
            ("cpu", "1500m", None),
            ("own.example/x", "500m", Some("must be an integer")),
            ("memory", "-1", Some("must be greater than or equal to 0")),
        ] {
            let mut causes = Vec::new();
            amount(resource, "f", &json!(given), &mut causes);
            let messages: Vec<String> = causes.into_iter().map(|cause| cause.message).collect();
            let expected: Vec<String> = expected.map(|fault| format!("Invalid value: {given:?}: {fault}")).into_iter().collect();
            assert_eq!(messages, expected, "{resource} {given}");
        }
    }

    #[test]
    fn quotas_know_what_they_limit() {
        for (resource, faults) in [("pods", 0), ("frob", 2), ("count/widgets.example", 0), ("storage", 1), ("a b", 2)] {
            let mut causes = Vec::new();
            quota_name("f", resource, &mut causes);
            assert_eq!(causes.len(), faults, "{resource}");
        }
    }
}
