//! Objects that are being deleted, and that finalizers hold.

use serde_json::Value;

use super::action::{Hold, Plan};
use super::facts::Key;
use crate::finalizer::{Deletion, HeldDeletion, deletion};

pub(super) fn is_terminating(object: &Value) -> bool {
    object["metadata"].get("deletionTimestamp").is_some_and(|time| !time.is_null())
}

/// Returns why an object that is being deleted can't be changed or created again now. If its deletion is recent, the plan says when to look
/// at it again.
pub(super) fn hold(object: &Value, (id, key): (&str, Key), now: i64, plan: &mut Plan) -> Hold {
    let held = match deletion(object, now) {
        Some(Deletion::Held(held)) => Some(held),
        Some(Deletion::Recent(left)) => {
            plan.again = Some(plan.again.map_or(left, |again| again.min(left)));
            None
        }
        None => None,
    };
    Hold::Terminating { id: id.to_owned(), key, held }
}

/// Returns the finalizers that hold an object, if its deletion has taken too long.
pub(super) fn held(object: &Value, now: i64) -> Option<HeldDeletion> {
    match deletion(object, now)? {
        Deletion::Held(held) => Some(held),
        Deletion::Recent(_) => None,
    }
}
