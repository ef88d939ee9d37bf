//! Ports: their numbers, their names and their protocols.
//! Source: apimachinery `pkg/util/validation` (`IsValidPortNum`, `IsValidPortName`); kubernetes `pkg/apis/core/validation`.

use serde_json::Value;

use super::faults::one_of;
use crate::status::Cause;

/// The number of a port.
pub(super) fn number(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    let fits = value.as_i64().is_some_and(|port| (1..=65_535).contains(&port));
    if !fits {
        let shown = if value.is_null() { Value::from(0) } else { value.clone() };
        causes.push(Cause::invalid(field, &shown, "must be between 1 and 65535, inclusive"));
    }
}

/// The number of a port, or its name.
pub(super) fn number_or_name(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    match value.as_str() {
        Some(text) => name(field, text, causes),
        None => number(field, value, causes),
    }
}

/// The name of a port.
pub(super) fn name(field: &str, name: &str, causes: &mut Vec<Cause>) {
    causes.extend(name_faults(name).into_iter().map(|fault| Cause::invalid(field, &name.into(), fault)));
}

/// What keeps a name from being that of a port.
pub(super) fn name_faults(name: &str) -> Vec<&'static str> {
    let mut faults = Vec::new();
    if name.len() > 15 {
        faults.push("must be no more than 15 characters");
    }
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || !name.bytes().all(known) {
        faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if !name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        faults.push("must contain at least one letter (a-z)");
    }
    if name.contains("--") {
        faults.push("must not contain consecutive hyphens");
    }
    if name.starts_with('-') || name.ends_with('-') {
        faults.push("must not begin or end with a hyphen");
    }
    faults
}

/// The protocol of a port, which has to be said.
pub(super) fn protocol(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    one_of(field, value, &["SCTP", "TCP", "UDP"], causes);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_port_has_a_number_or_a_name_with_a_letter() {
        for (port, faults) in [(json!(80), 0), (json!(0), 1), (json!(null), 1), (json!("web-1"), 0), (json!("80"), 1), (json!("-"), 2)] {
            let mut causes = Vec::new();
            number_or_name("f", &port, &mut causes);
            assert_eq!(causes.len(), faults, "{port}");
        }
    }
}
