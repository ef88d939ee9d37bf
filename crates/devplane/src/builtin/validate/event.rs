//! Events, of the core group and of `events.k8s.io`.
//! Source: kubernetes `pkg/apis/core/validation/events.go`.

use serde_json::Value;

use super::{
    faults::immutable,
    reading::{is_blank, number, text},
};
use crate::status::Cause;

/// What stays as it was created; names as in the core group, by which the API server tells of them, with those of `events.k8s.io`.
const FIXED: [(&str, &str); 12] = [
    ("involvedObject", "regarding"),
    ("reason", "reason"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("type", "type"),
    ("eventTime", "eventTime"),
    ("action", "action"),
    ("related", "related"),
    ("reportingInstance", "reportingInstance"),
];

/// An event lies in the namespace of what it is about; what has none is told of in `default`.
pub(super) fn place(object: &Value, about: &str, causes: &mut Vec<Cause>) {
    let (own, said) = (text(&object["metadata"]["namespace"]), text(&object[about]["namespace"]));
    if said != own && !(said.is_empty() && own == "default") {
        causes.push(Cause::invalid("involvedObject.namespace", &said.into(), "does not match event.namespace"));
    }
}

/// Events of `events.k8s.io` have stricter rules than those of the core group.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    place(object, "regarding", causes);
    let Some(old) = old else { return created(object, causes) };
    if old["series"] != object["series"] {
        series(object, causes);
    }
    for (name, own) in FIXED {
        if old[own] != object[own] && !(is_blank(&old[own]) && is_blank(&object[own])) {
            causes.push(immutable(name, &object[own]));
        }
    }
}

fn created(object: &Value, causes: &mut Vec<Cause>) {
    series(object, causes);
    if is_blank(&object["eventTime"]) {
        causes.push(Cause::required("eventTime", ""));
    }
    let kind = text(&object["type"]);
    if !matches!(kind, "Normal" | "Warning") {
        causes.push(Cause::invalid("type", &"".into(), &format!("has invalid value: {kind}")));
    }
}

fn series(object: &Value, causes: &mut Vec<Cause>) {
    let series = &object["series"];
    if series.is_null() {
        return;
    }
    if number(&series["count"]) < 2 {
        causes.push(Cause::invalid("series.count", &"".into(), "should be at least 2"));
    }
    if is_blank(&series["lastObservedTime"]) {
        causes.push(Cause::required("series.lastObservedTime", ""));
    }
}
