//! Numbers of fields: those that are never negative, and those that may be percentages.
//! Source: kubernetes `pkg/apis/apps/validation` (`ValidatePositiveIntOrPercent`, `IsNotMoreThan100Percent`).

use serde_json::Value;

use crate::status::Cause;

/// What is said of a number below nothing.
pub(in crate::builtin) const NEGATIVE: &str = "must be greater than or equal to 0";
const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for \
                       validation is '[0-9]+%')";

/// A number that is not below nothing, if it is there.
pub(super) fn not_negative(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    if value.as_i64().is_some_and(|number| number < 0) {
        causes.push(Cause::invalid(field, value, NEGATIVE));
    }
}

/// The same for these fields of an object at `path`.
pub(super) fn none_negative(object: &Value, path: &str, names: &[&str], causes: &mut Vec<Cause>) {
    for name in names {
        not_negative(&format!("{path}.{name}"), &object[*name], causes);
    }
}

/// A number that is not below nothing, or a percentage.
pub(super) fn positive_or_percent(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    match value.as_str() {
        Some(text) if percent(text).is_none() => causes.push(Cause::invalid(field, value, PERCENT)),
        Some(_) => {}
        None => not_negative(field, value, causes),
    }
}

/// A percentage that is no more than the whole.
pub(super) fn at_most_whole(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    if value.as_str().and_then(percent).is_some_and(|percent| percent > 100) {
        causes.push(Cause::invalid(field, value, "must not be greater than 100%"));
    }
}

/// Whether a number or percentage is none: zero, or no number at all.
pub(super) fn is_zero(value: &Value) -> bool {
    match value.as_str() {
        Some(text) => percent(text).or_else(|| text.parse().ok()).unwrap_or(0) == 0,
        None => value.as_i64().unwrap_or(0) == 0,
    }
}

/// The number of a percentage; one that no number holds is the largest.
fn percent(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('%')?;
    let numeric = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    numeric.then(|| digits.parse().unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn percentages_are_read_and_judged() {
        for (value, zero, faults) in [
            (json!(0), true, 0),
            (json!(-1), false, 1),
            (json!("25%"), false, 0),
            (json!("0%"), true, 0),
            (json!("150%"), false, 1),
            (json!("x"), true, 1),
            (json!("5"), false, 1),
        ] {
            let mut causes = Vec::new();
            positive_or_percent("f", &value, &mut causes);
            at_most_whole("f", &value, &mut causes);
            assert_eq!((is_zero(&value), causes.len()), (zero, faults), "{value}");
        }
    }
}
