//! What containers and pods ask for, and what they may have at most.
//! Source: kubernetes `pkg/apis/core/validation` (`validateResourceRequirements`), `pkg/apis/core/v1/helper`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::super::quantity;
use super::super::{duplicate, entries, is_blank, items, names, numbers, text};
use crate::{objects::metadata::qualified_faults, status::Cause};

const STANDARD: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
/// What else is a resource in some place.
const KNOWN: [&str; 23] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
    "count/pods",
    "count/services",
    "count/secrets",
];
const PAGES: &str = "hugepages-";

/// Claims of resources of a pod; the answer is their names.
pub(super) fn claims<'a>(claims: &'a Value, path: &str, causes: &mut Vec<Cause>) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for (index, claim) in items(claims) {
        let field = format!("{path}[{index}].name");
        if is_blank(&claim["name"]) {
            causes.push(Cause::required(&field, ""));
        } else if names.insert(text(&claim["name"])) {
            names::label(&field, &claim["name"], causes);
        } else {
            causes.push(duplicate(&field, &claim["name"]));
        }
    }
    names
}

pub(super) fn of_container(resources: &Value, path: &str, claims: &BTreeSet<&str>, causes: &mut Vec<Cause>) {
    for (part, amounts) in [("limits", &resources["limits"]), ("requests", &resources["requests"])] {
        for (name, amount) in entries(amounts) {
            let field = format!("{path}.{part}[{name}]");
            resource_name(&field, name, causes);
            amount_of(&field, name, amount, causes);
            if part == "requests" {
                within_limit(path, name, amount, resources["limits"].get(name), causes);
            }
            pages(&field, name, amount, causes);
        }
    }
    let named =
        |wanted: &dyn Fn(&str) -> bool| ["limits", "requests"].iter().any(|part| entries(&resources[*part]).any(|(name, _)| wanted(name)));
    if named(&|name| name.starts_with(PAGES)) && !named(&|name| name == "cpu" || name == "memory") {
        causes.push(Cause::forbidden(path, "HugePages require cpu or memory"));
    }
    for (index, claim) in items(&resources["claims"]) {
        let (name, field) = (text(&claim["name"]), format!("{path}.claims[{index}]"));
        if name.is_empty() {
            causes.push(Cause::required(&field, ""));
        } else if !claims.contains(name) {
            let known: Vec<&str> = claims.iter().copied().collect();
            let rest = if known.is_empty() { " which is empty".to_owned() } else { format!(": {}", known.join(", ")) };
            let message = format!("Not found: {name:?}: must be one of the names in pod.spec.resourceClaims{rest}");
            causes.push(Cause { reason: "FieldValueNotFound".into(), message, field });
        }
    }
}

/// Names are standard ones, or those of somebody's own domain.
fn resource_name(field: &str, name: &str, causes: &mut Vec<Cause>) {
    let mut invalid = |detail: &str| causes.push(Cause::invalid(field, &name.into(), detail));
    let (faults, plain) = (qualified_faults(name), !name.contains('/'));
    faults.iter().for_each(|fault| invalid(fault));
    let standard = STANDARD.contains(&name) || name.starts_with(PAGES);
    if faults.is_empty() && plain && !standard && !KNOWN.contains(&name) {
        invalid("must be a standard resource type or fully qualified");
    }
    if plain && !standard {
        invalid("must be a standard resource for containers");
    } else if !plain && !is_native(name) && !is_extended(name) {
        invalid("doesn't follow extended resource name standard");
    }
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

fn is_extended(name: &str) -> bool {
    !is_native(name) && !name.starts_with("requests.") && qualified_faults(&format!("requests.{name}")).is_empty()
}

/// No amount is below nothing, and what is counted is whole.
fn amount_of(field: &str, name: &str, amount: &Value, causes: &mut Vec<Cause>) {
    let nanos = quantity::nanos(text(amount)).unwrap_or(0);
    if nanos < 0 {
        causes.push(Cause::invalid(field, amount, numbers::NEGATIVE));
    }
    if is_extended(name) && nanos % 1_000_000_000 != 0 {
        causes.push(Cause::invalid(field, amount, "must be an integer"));
    }
}

/// A request is within its limit, or is the limit where nobody can be given more than there is.
fn within_limit(path: &str, name: &str, amount: &Value, limit: Option<&Value>, causes: &mut Vec<Cause>) {
    let shared = is_native(name) && !name.starts_with(PAGES);
    let field = format!("{path}.requests");
    match limit.map(text) {
        Some(limit) => {
            let (asked, most) = (quantity::nanos(text(amount)), quantity::nanos(limit));
            if asked != most && !shared {
                causes.push(Cause::invalid(&field, amount, &format!("must be equal to {name} limit of {limit}")));
            } else if asked > most {
                causes.push(Cause::invalid(&field, amount, &format!("must be less than or equal to {name} limit of {limit}")));
            }
        }
        None if !shared => causes.push(Cause::required(&format!("{path}.limits"), "Limit must be set for non overcommitable resources")),
        None => {}
    }
}

/// Huge pages come as a whole.
fn pages(field: &str, name: &str, amount: &Value, causes: &mut Vec<Cause>) {
    let Some(page) = name.strip_prefix(PAGES) else { return };
    let size = quantity::nanos(page).filter(|size| *size > 0);
    let whole = size.is_some_and(|size| quantity::nanos(text(amount)).is_some_and(|nanos| nanos % size == 0));
    if !whole {
        let detail = format!("{} is not positive integer multiple of {name}", text(amount));
        causes.push(Cause::invalid(field, amount, &detail));
    }
}

/// What a pod asks for as a whole.
pub(super) fn of_pod(spec: &Value, path: &str, causes: &mut Vec<Cause>) {
    let resources = &spec["resources"];
    if resources.is_null() {
        return;
    }
    if !resources["claims"].is_null() {
        causes.push(Cause::forbidden(&format!("{path}.claims"), "claims cannot be set for Resources at pod-level"));
    }
    for (part, amounts) in [("limits", &resources["limits"]), ("requests", &resources["requests"])] {
        for (name, amount) in entries(amounts) {
            let field = format!("{path}.{part}[{name}]");
            if !["cpu", "memory"].contains(&name.as_str()) && !name.starts_with(PAGES) {
                causes.push(super::super::unsupported(&field, &name.as_str().into(), &["cpu", "hugepages-", "memory"]));
            }
            amount_of(&field, name, amount, causes);
            if part == "requests" {
                within_limit(path, name, amount, resources["limits"].get(name), causes);
            }
        }
    }
}

/// What a pod takes beside its containers.
pub(super) fn overhead(overhead: &Value, path: &str, causes: &mut Vec<Cause>) {
    for (name, amount) in entries(overhead) {
        let field = format!("{path}.limits[{name}]");
        resource_name(&field, name, causes);
        amount_of(&field, name, amount, causes);
        pages(&field, name, amount, causes);
    }
}
