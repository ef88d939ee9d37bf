//! Labels and selectors of labels, and other names that consist of an optional prefix and a name.
//! Source: apimachinery `pkg/apis/meta/v1/validation`, `pkg/util/validation`.

use serde_json::Value;

use super::reading::{list, text};
use crate::objects::metadata::{Unit, label_value_faults, qualified_faults, subdomain_faults};
use crate::status::Cause;

const WILDCARD: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower \
                        case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex \
                        used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// A map of labels at `field`.
pub(super) fn labels(map: &Value, field: &str, causes: &mut Vec<Cause>) {
    for (key, value) in map.as_object().into_iter().flatten() {
        qualified(field, key, causes);
        let faults = label_value_faults(value.as_str().unwrap_or_default());
        causes.extend(faults.iter().map(|fault| Cause::invalid(field, value, fault)));
    }
}

/// The key of a label, or a name like it.
pub(super) fn qualified(field: &str, name: &str, causes: &mut Vec<Cause>) {
    causes.extend(qualified_faults(name).iter().map(|fault| Cause::invalid(field, &name.into(), fault)));
}

/// A DNS subdomain.
pub(super) fn subdomain(field: &str, name: &str, causes: &mut Vec<Cause>) {
    causes.extend(subdomain_faults(name, Unit::Characters).iter().map(|fault| Cause::invalid(field, &name.into(), fault)));
}

/// A DNS subdomain, or all names below one.
pub(super) fn host(field: &str, name: &str, causes: &mut Vec<Cause>) {
    if !name.contains('*') {
        return subdomain(field, name, causes);
    }
    if name.strip_prefix("*.").is_none_or(|rest| !subdomain_faults(rest, Unit::Characters).is_empty()) {
        causes.push(Cause::invalid(field, &name.into(), WILDCARD));
    }
}

/// A name that stands in a path.
pub(super) fn path_segment(field: &str, name: &str, causes: &mut Vec<Cause>) {
    if name == "." || name == ".." {
        causes.push(Cause::invalid(field, &name.into(), &format!("may not be '{name}'")));
        return;
    }
    for part in ['/', '%'].into_iter().filter(|part| name.contains(*part)) {
        causes.push(Cause::invalid(field, &name.into(), &format!("may not contain '{part}'")));
    }
}

/// A selector of labels; none is no fault.
pub(super) fn selector(selector: &Value, field: &str, causes: &mut Vec<Cause>) {
    labels(&selector["matchLabels"], &format!("{field}.matchLabels"), causes);
    for (index, rule) in list(selector, "matchExpressions").iter().enumerate() {
        let at = |name: &str| format!("{field}.matchExpressions[{index}].{name}");
        let values = list(rule, "values");
        match text(rule, "operator") {
            "In" | "NotIn" if values.is_empty() => {
                causes.push(Cause::required(&at("values"), "must be specified when `operator` is 'In' or 'NotIn'"));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                causes.push(Cause::forbidden(&at("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => causes.push(Cause::invalid(&at("operator"), &other.into(), "not a valid selector operator")),
        }
        qualified(&at("key"), text(rule, "key"), causes);
        for (place, value) in values.iter().enumerate() {
            let faults = label_value_faults(value.as_str().unwrap_or_default());
            causes.extend(faults.iter().map(|fault| Cause::invalid(&format!("{}[{place}]", at("values")), value, fault)));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operators_and_values_of_selectors_go_together() {
        for (rule, expected) in [
            (json!({"key": "a", "operator": "In"}), "s.matchExpressions[0].values"),
            (json!({"key": "a", "operator": "Exists", "values": ["b"]}), "s.matchExpressions[0].values"),
            (json!({"key": "a", "operator": "Frob"}), "s.matchExpressions[0].operator"),
            (json!({"key": "a b", "operator": "Exists"}), "s.matchExpressions[0].key"),
            (json!({"key": "a", "operator": "In", "values": ["b", "-"]}), "s.matchExpressions[0].values[1]"),
        ] {
            let mut causes = Vec::new();
            selector(&json!({"matchExpressions": [rule]}), "s", &mut causes);
            let fields: Vec<&str> = causes.iter().map(|cause| cause.field.as_str()).collect();
            assert_eq!(fields, [expected]);
        }
    }
}
