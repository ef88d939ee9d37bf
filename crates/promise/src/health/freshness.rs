//! Whether a status is about the object as it is now.
//!
//! Where a status names the generation that it is about, that says it. Elsewhere the times of the object say it: when we changed it last, and
//! when its status was written. Neither is waited for longer than operators that report at all need to begin.

use jiff::Timestamp;
use serde_json::Value;

use super::conditions::{deciding, is_outdated, list};
use crate::names;

/// Seconds after which a controller that has not begun to report about a new object, or a change, is taken to have nothing to say.
const PATIENCE: i64 = 10;

/// Whether the status says that it is about an older generation.
pub(super) fn is_behind(object: &Value) -> bool {
    let observed = match (object["metadata"]["generation"].as_i64(), object["status"]["observedGeneration"].as_i64()) {
        (Some(generation), Some(observed)) => observed < generation,
        _ => false,
    };
    observed || deciding(list(object)).is_some_and(|condition| is_outdated(object, condition))
}

/// Seconds for which an object that nothing reports about is too young for that to mean anything.
pub(super) fn young(object: &Value, now: i64) -> Option<i64> {
    left(seconds(&object["metadata"]["creationTimestamp"])?, now)
}

/// Seconds for which a status may still be about the time before our last change, because it was written before and names no generation.
pub(super) fn unconfirmed(object: &Value, now: i64) -> Option<i64> {
    let status = object["status"].as_object().filter(|status| !status.is_empty())?;
    if status.contains_key("observedGeneration") || list(object).iter().any(|one| one["observedGeneration"].is_i64()) {
        return None;
    }
    let entries = object["metadata"]["managedFields"].as_array()?;
    let last = |of: &dyn Fn(&Value) -> bool| entries.iter().filter(|entry| of(entry)).filter_map(|entry| seconds(&entry["time"])).max();
    let changed = last(&|entry| entry["manager"] == names::MANAGER_FULFIL && entry["subresource"].is_null())?;
    let told = last(&|entry| entry["subresource"] == "status")?;
    left(changed, now).filter(|_| told < changed)
}

/// Seconds until the time is [`PATIENCE`] ago. A time far ahead is that of another clock, and says nothing.
fn left(time: i64, now: i64) -> Option<i64> {
    let age = now.saturating_sub(time);
    (-PATIENCE..PATIENCE).contains(&age).then(|| PATIENCE - age)
}

fn seconds(time: &Value) -> Option<i64> {
    Some(time.as_str()?.parse::<Timestamp>().ok()?.as_second())
}
