//! What containers and pods ask for, and what they may have at most.
//! Source: kubernetes `pkg/apis/core/validation` (`validateResourceRequirements`), `pkg/apis/core/v1/helper`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{
    amounts::{self, HUGE_PAGES},
    faults::{duplicate, unsupported},
    names,
    reading::{entries, is_blank, items, text},
};
use crate::status::Cause;

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

/// What a container asks for and may have at most, and which claims of its pod it uses.
pub(super) fn of_container(resources: &Value, path: &str, claims: &BTreeSet<&str>, causes: &mut Vec<Cause>) {
    for (part, given) in [("limits", &resources["limits"]), ("requests", &resources["requests"])] {
        for (name, amount) in entries(given) {
            let field = format!("{path}.{part}[{name}]");
            amounts::container_name(&field, name, causes);
            amounts::amount(name, &field, amount, causes);
            if part == "requests" {
                within_limit(path, name, amount, resources["limits"].get(name), causes);
            }
            pages(&field, name, amount, causes);
        }
    }
    let named =
        |wanted: &dyn Fn(&str) -> bool| ["limits", "requests"].iter().any(|part| entries(&resources[*part]).any(|(name, _)| wanted(name)));
    if named(&|name| name.starts_with(HUGE_PAGES)) && !named(&|name| name == "cpu" || name == "memory") {
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

/// A request is within its limit, or is the limit where nobody can be given more than there is.
fn within_limit(path: &str, name: &str, amount: &Value, limit: Option<&Value>, causes: &mut Vec<Cause>) {
    let shared = amounts::may_be_overcommitted(name);
    let field = format!("{path}.requests");
    match limit {
        Some(limit) => {
            let (order, most) = (amounts::compare(amount, limit), text(limit));
            if order.is_ne() && !shared {
                causes.push(Cause::invalid(&field, amount, &format!("must be equal to {name} limit of {most}")));
            } else if order.is_gt() {
                causes.push(Cause::invalid(&field, amount, &format!("must be less than or equal to {name} limit of {most}")));
            }
        }
        None if !shared => causes.push(Cause::required(&format!("{path}.limits"), "Limit must be set for non overcommitable resources")),
        None => {}
    }
}

/// Huge pages come as a whole.
fn pages(field: &str, name: &str, amount: &Value, causes: &mut Vec<Cause>) {
    let Some(page) = name.strip_prefix(HUGE_PAGES) else { return };
    let size = amounts::nanos(&page.into());
    if size <= 0 || amounts::nanos(amount) % size != 0 {
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
    for (part, given) in [("limits", &resources["limits"]), ("requests", &resources["requests"])] {
        for (name, amount) in entries(given) {
            let field = format!("{path}.{part}[{name}]");
            if !["cpu", "memory"].contains(&name.as_str()) && !name.starts_with(HUGE_PAGES) {
                causes.push(unsupported(&field, &name.as_str().into(), &["cpu", "hugepages-", "memory"]));
            }
            amounts::amount(name, &field, amount, causes);
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
        amounts::container_name(&field, name, causes);
        amounts::amount(name, &field, amount, causes);
        pages(&field, name, amount, causes);
    }
}
