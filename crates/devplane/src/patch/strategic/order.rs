//! The order of merged lists.

use serde_json::Value;

/// A set of scalars with the values of the patch added.
pub(super) fn merged_set(live: &[Value], patch: &[Value], wanted_order: Option<&[Value]>) -> Value {
    let mut result = live.to_vec();
    for value in patch {
        if !result.contains(value) {
            result.push(value.clone());
        }
    }
    // Without a wish the values of the patch come in its order, in front of those that it does not name.
    match wanted_order {
        Some(order) => Value::Array(sorted(result, order, None)),
        None => Value::Array(sorted_by(result, live, patch, None)),
    }
}

/// Items in the order of `wanted`; those that it does not name keep their place relative to their former neighbours.
pub(super) fn sorted(items: Vec<Value>, wanted: &[Value], key: Option<&str>) -> Vec<Value> {
    let live = items.clone();
    sorted_by(items, &live, wanted, key)
}

fn sorted_by(items: Vec<Value>, live: &[Value], wanted: &[Value], key: Option<&str>) -> Vec<Value> {
    let (mut named, rest): (Vec<Value>, Vec<Value>) = items.into_iter().partition(|item| position(wanted, item, key).is_some());
    named.sort_by_key(|item| position(wanted, item, key));
    interleave(rest, named, live, key)
}

/// Puts the merged items in order: those of the patch (`touched`, by merge key) as it has them or as `wanted` says, the others around them
/// as they were in the live list.
pub(super) fn place(items: Vec<Value>, live: &[Value], touched: &[Value], key: &str, wanted: Option<&[Value]>) -> Vec<Value> {
    if let Some(wanted) = wanted {
        return sorted(items, wanted, Some(key));
    }
    let of_patch = |item: &Value| item.get(key).and_then(|name| touched.iter().position(|other| other == name));
    let (mut named, rest): (Vec<Value>, Vec<Value>) = items.into_iter().partition(|item| of_patch(item).is_some());
    named.sort_by_key(of_patch);
    interleave(rest, named, live, Some(key))
}

/// Merges two lists. An item of `others` comes before one of `leading` only if the live list has both in that order.
fn interleave(others: Vec<Value>, leading: Vec<Value>, live: &[Value], key: Option<&str>) -> Vec<Value> {
    let mut out = Vec::with_capacity(others.len() + leading.len());
    let mut others = others.into_iter().peekable();
    for lead in leading {
        let lead_at = position(live, &lead, key);
        while let (Some(lead_at), Some(other_at)) = (lead_at, others.peek().and_then(|other| position(live, other, key))) {
            if other_at >= lead_at {
                break;
            }
            out.extend(others.next());
        }
        out.push(lead);
    }
    out.extend(others);
    out
}

fn position(list: &[Value], item: &Value, key: Option<&str>) -> Option<usize> {
    match key {
        Some(key) => {
            let name = item.get(key)?;
            list.iter().position(|other| other.get(key) == Some(name))
        }
        None => list.iter().position(|other| other == item),
    }
}
