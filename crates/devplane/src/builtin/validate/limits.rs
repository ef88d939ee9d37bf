//! Limits of what the containers, pods and claims of a namespace may ask for.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateLimitRange`).

use std::{cmp::Ordering, collections::BTreeSet};

use serde_json::Value;

use super::{
    amounts::{self, compare},
    faults::duplicate,
    names::qualified,
    reading::{is_blank, items, keys, text},
};
use crate::status::Cause;

/// The parts of a limit, in the order in which they are looked at.
const PARTS: [&str; 5] = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];

/// All rules of limits. Sound ones are refused, too: nothing here applies them, and who relies on them must not find out later.
/// Those that are stored already can be changed otherwise.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let before = causes.len();
    limits(object, causes);
    let is_new = !is_blank(&object["spec"]["limits"]) && old.is_none_or(|old| old["spec"] != object["spec"]);
    if causes.len() == before && is_new {
        let why = "this development server applies no LimitRanges: set requests and limits in the pods";
        causes.push(Cause::forbidden("spec.limits", why));
    }
}

fn limits(object: &Value, causes: &mut Vec<Cause>) {
    let mut seen = BTreeSet::new();
    for (index, limit) in items(&object["spec"]["limits"]) {
        let at = format!("spec.limits[{index}]");
        let kind = text(&limit["type"]);
        kind_of(kind, &format!("{at}.type"), causes);
        if !seen.insert(kind) {
            causes.push(duplicate(&format!("{at}.type"), &kind.into()));
        }
        one(limit, kind, &at, causes);
    }
}

fn kind_of(kind: &str, field: &str, causes: &mut Vec<Cause>) {
    let before = causes.len();
    qualified(field, kind, causes);
    if causes.len() == before && !kind.contains('/') && !["Pod", "Container", "PersistentVolumeClaim"].contains(&kind) {
        causes.push(Cause::invalid(field, &kind.into(), "must be a standard limit type or fully qualified"));
    }
}

fn one(limit: &Value, kind: &str, at: &str, causes: &mut Vec<Cause>) {
    let mut resources = BTreeSet::new();
    for part in PARTS {
        if kind == "Pod" && part.starts_with("default") {
            if !is_blank(&limit[part]) {
                causes.push(Cause::forbidden(&format!("{at}.{part}"), "may not be specified when `type` is 'Pod'"));
            }
            continue;
        }
        for resource in keys(&limit[part]) {
            let field = format!("{at}.{part}[{resource}]");
            if matches!(kind, "Pod" | "Container") {
                amounts::container_name(&field, resource, causes);
            } else {
                amounts::name(&field, resource, causes);
            }
            resources.insert(resource);
        }
    }
    if kind == "PersistentVolumeClaim" && limit["min"]["storage"].is_null() && limit["max"]["storage"].is_null() {
        let why = "either minimum or maximum storage value is required, but neither was provided";
        causes.push(Cause::required(&format!("{at}.limits"), why));
    }
    for resource in resources {
        compared(limit, kind, resource, at, causes);
        ratio(limit, resource, at, causes);
    }
}

/// How much a part of a limit says of a resource; what pods say of defaults is not looked at.
fn part_of<'a>(limit: &'a Value, kind: &str, part: &str, resource: &str) -> &'a Value {
    static NOTHING: Value = Value::Null;
    if kind == "Pod" && part.starts_with("default") { &NOTHING } else { &limit[part][resource] }
}

/// What of a limit is more than something else, though it may not be.
fn compared(limit: &Value, kind: &str, resource: &str, at: &str, causes: &mut Vec<Cause>) {
    // What may not be more than what, how both are called, where it is told and with which of them.
    let rules = [
        ("min", "max", "min value", "max value", "min", "min"),
        ("min", "defaultRequest", "min value", "default request value", "defaultRequest", "defaultRequest"),
        ("defaultRequest", "max", "default request value", "max value", "defaultRequest", "defaultRequest"),
        ("defaultRequest", "default", "default request value", "default limit value", "defaultRequest", "defaultRequest"),
        ("min", "default", "min value", "default value", "default", "min"),
        ("default", "max", "default value", "max value", "default", "max"),
    ];
    for (low, high, low_name, high_name, place, shown) in rules {
        let (less, more) = (part_of(limit, kind, low, resource), part_of(limit, kind, high, resource));
        if let (Some(less_text), Some(more_text)) = (less.as_str(), more.as_str())
            && compare(less, more) == Ordering::Greater
        {
            let why = format!("{low_name} {less_text} is greater than {high_name} {more_text}");
            causes.push(Cause::invalid(&format!("{at}.{place}[{resource}]"), &limit[shown][resource], &why));
        }
    }
    let (most, request) = (part_of(limit, kind, "default", resource), part_of(limit, kind, "defaultRequest", resource));
    if let (Some(limit_text), Some(request_text)) = (most.as_str(), request.as_str())
        && !amounts::may_be_overcommitted(resource)
        && compare(most, request) != Ordering::Equal
    {
        let why = format!("default value {limit_text} must equal to defaultRequest value {request_text} in {resource}");
        causes.push(Cause::invalid(&format!("{at}.defaultRequest[{resource}]"), request, &why));
    }
}

/// How much more than its request a limit may be.
fn ratio(limit: &Value, resource: &str, at: &str, causes: &mut Vec<Cause>) {
    let ratio = &limit["maxLimitRequestRatio"][resource];
    let Some(text) = ratio.as_str() else { return };
    let field = format!("{at}.maxLimitRequestRatio[{resource}]");
    if compare(ratio, &"1".into()) == Ordering::Less {
        causes.push(Cause::invalid(&field, ratio, &format!("ratio {text} is less than 1")));
    }
    let (min, max) = (&limit["min"][resource], &limit["max"][resource]);
    if min.is_string() && max.is_string() {
        let most = share(max, min);
        if share(ratio, &"1".into()) > most {
            causes.push(Cause::invalid(&field, ratio, &format!("ratio {text} is greater than max/min = {most:.6}")));
        }
    }
}

/// How often one amount is in another.
fn share(one: &Value, other: &Value) -> f64 {
    amounts::nanos(one) as f64 / amounts::nanos(other) as f64
}
