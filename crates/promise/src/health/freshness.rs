//! Whether a status describes the present state of an object.
//!
//! If a status names the generation that it describes, that decides. Otherwise the times decide: our last change of the object, and the
//! last write of its status. Both wait no longer than operators need to start reporting.

use jiff::Timestamp;
use serde_json::Value;

use super::conditions::{deciding, is_outdated, list};
use crate::names;

/// Seconds after which a controller that hasn't started to report on a new or changed object is assumed not to report at all.
const PATIENCE: i64 = 10;

/// Whether the status names an older generation.
pub(super) fn is_behind(object: &Value) -> bool {
    let observed = match (object["metadata"]["generation"].as_i64(), number(&object["status"]["observedGeneration"])) {
        (Some(generation), Some(observed)) => observed < generation,
        _ => false,
    };
    observed || deciding(list(object)).is_some_and(|condition| is_outdated(object, condition))
}

/// Returns a generation. Argo Rollouts writes it as a text.
fn number(generation: &Value) -> Option<i64> {
    generation.as_i64().or_else(|| generation.as_str()?.parse().ok())
}

/// Returns the seconds during which a missing status doesn't mean anything because the object is too young.
pub(super) fn young(object: &Value, now: i64) -> Option<i64> {
    left(&object["metadata"]["creationTimestamp"], now, PATIENCE)
}

/// Returns the seconds during which a status might describe the time before our last change, because it was written before and names no
/// generation.
pub(super) fn unconfirmed(object: &Value, now: i64) -> Option<i64> {
    let status = object["status"].as_object().filter(|status| !status.is_empty())?;
    if status.contains_key("observedGeneration") || list(object).iter().any(|one| one["observedGeneration"].is_i64()) {
        return None;
    }
    let entries = object["metadata"]["managedFields"].as_array()?;
    let last = |of: &dyn Fn(&Value) -> bool| entries.iter().filter(|entry| of(entry)).filter_map(|entry| seconds(&entry["time"])).max();
    let is_ours = |manager: &str| manager == names::MANAGER_FULFIL || manager.starts_with(names::MANAGER_ACTION);
    let changed = last(&|entry| entry["manager"].as_str().is_some_and(is_ours) && entry["subresource"].is_null())?;
    let told = last(&|entry| entry["subresource"] == "status")?;
    remaining(changed, now, PATIENCE).filter(|_| told < changed)
}

/// Returns the seconds until an RFC 3339 time is `patience` seconds ago. `None` if it already is.
pub(super) fn left(time: &Value, now: i64, patience: i64) -> Option<i64> {
    remaining(seconds(time)?, now, patience)
}

/// A time far in the future comes from another clock and is ignored.
fn remaining(time: i64, now: i64, patience: i64) -> Option<i64> {
    let age = now.saturating_sub(time);
    (-patience..patience).contains(&age).then(|| patience - age)
}

fn seconds(time: &Value) -> Option<i64> {
    Some(time.as_str()?.parse::<Timestamp>().ok()?.as_second())
}
