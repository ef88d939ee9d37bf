//! Rules for Services and the Gateway API.
//!
//! An Ingress has no rule: as in kstatus it is healthy once it exists, because many controllers never write an address into its status.

use serde_json::Value;

use super::Verdict;
use super::conditions::{find, holds, is_outdated, list, message};
use crate::api::Health;

/// Reasons of `Accepted` that aren't refusals: no controller has decided yet.
const UNDECIDED: [&str; 2] = ["Pending", "Waiting"];

pub(super) fn service(object: &Value) -> Verdict {
    if object["spec"]["type"] != "LoadBalancer" {
        return Verdict::healthy();
    }
    let addressed = object["status"]["loadBalancer"]["ingress"].as_array().is_some_and(|ingress| !ingress.is_empty());
    if addressed { Verdict::healthy() } else { Verdict::progressing("No address yet") }
}

/// A Gateway or a set of listeners: itself, and then each listener.
pub(super) fn gateway(object: &Value) -> Verdict {
    let status = &object["status"];
    let own = part(object, list(object), None);
    if own.health != Health::Healthy {
        return own;
    }
    let listeners = entries(&status["listeners"]).map(|listener| {
        let name = listener["name"].as_str().map(|name| format!("Listener {name}"));
        part(object, listener["conditions"].as_array().map(Vec::as_slice).unwrap_or_default(), name.as_deref())
    });
    worst(listeners)
}

/// What is attached to others, which report about it one by one: routes (`status.parents`), policies (`status.ancestors`), and monitors of
/// the Prometheus Operator (`status.bindings`). Returns nothing if no one reports.
pub(super) fn attached(object: &Value) -> Option<Verdict> {
    let status = &object["status"];
    let all = ["parents", "ancestors", "bindings"].into_iter().flat_map(move |name| entries(&status[name]));
    let mut reports = all.filter(|entry| entry["conditions"].is_array()).peekable();
    reports.peek()?;
    Some(worst(reports.map(|entry| {
        let named = |name: &str| entry[name]["name"].as_str().map(|name| format!("Parent {name}"));
        let name = named("parentRef").or_else(|| named("ancestorRef"));
        part(object, entry["conditions"].as_array().map(Vec::as_slice).unwrap_or_default(), name.as_deref())
    })))
}

fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// Judges the conditions of one listener, parent or ancestor.
fn part(object: &Value, conditions: &[Value], name: Option<&str>) -> Verdict {
    let worded = |condition: &Value| match name {
        Some(name) => format!("{name}: {}", message(condition)),
        None => message(condition),
    };
    for condition in ["Accepted", "ResolvedRefs", "Programmed"].iter().filter_map(|name| find(conditions, name)) {
        let is_undecided = condition["reason"].as_str().is_some_and(|reason| UNDECIDED.contains(&reason));
        match holds(condition) {
            _ if is_outdated(object, condition) => return Verdict::unreported(),
            Some(true) => {}
            Some(false) if condition["type"] != "Programmed" && !is_undecided => return Verdict::degraded(worded(condition)),
            Some(false) | None => return Verdict::progressing(worded(condition)),
        }
    }
    match find(conditions, "Accepted").or_else(|| find(conditions, "Programmed")) {
        Some(_) => Verdict::healthy(),
        None => Verdict::unreported(),
    }
}

/// Returns the verdict that needs the most attention.
fn worst(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    verdicts.fold(Verdict::healthy(), |worst, next| if next.health.urgency() > worst.health.urgency() { next } else { worst })
}
