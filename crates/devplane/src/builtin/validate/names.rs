//! Names inside of objects: those of DNS, those with a prefix before them, and keys of maps.
//! Source: apimachinery `pkg/util/validation`, `pkg/api/validation/path`.

use serde_json::Value;

use super::reading::text;
use crate::{
    objects::metadata::{LABEL, Unit, is_label, name_faults, qualified_faults, subdomain_faults},
    registry::NameRule,
    status::Cause,
};

const WILDCARD: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower \
                        case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex \
                        used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or \
                   'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/// A name that is a DNS label.
pub(super) fn label(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    let name = text(value);
    if name.is_empty() {
        causes.push(Cause::required(field, ""));
        return;
    }
    causes.extend(label_faults(name).into_iter().map(|fault| Cause::invalid(field, value, fault)));
}

/// What keeps a name from being a DNS label.
pub(super) fn label_faults(name: &str) -> Vec<&'static str> {
    let mut faults = Vec::new();
    if name.len() > 63 {
        faults.push("must be no more than 63 characters");
    }
    if !is_label(name) {
        faults.push(LABEL);
    }
    faults
}

/// The name of an object of a kind that has this rule.
pub(super) fn of_object(field: &str, rule: NameRule, name: &str, causes: &mut Vec<Cause>) {
    causes.extend(name_faults(rule, name).iter().map(|fault| Cause::invalid(field, &name.into(), fault)));
}

/// A name that is a DNS subdomain; an empty one is none.
pub(super) fn subdomain(field: &str, name: &str, causes: &mut Vec<Cause>) {
    of_object(field, NameRule::Subdomain, name, causes);
}

/// A name that stands in a path.
pub(super) fn path_segment(field: &str, name: &str, causes: &mut Vec<Cause>) {
    of_object(field, NameRule::PathSegment, name, causes);
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

/// The key of a label, or a name like it, with a prefix or without.
pub(super) fn qualified(field: &str, name: &str, causes: &mut Vec<Cause>) {
    causes.extend(qualified_faults(name).iter().map(|fault| Cause::invalid(field, &name.into(), fault)));
}

/// The key of a value in a ConfigMap or Secret that something refers to.
pub(super) fn key_of(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    let name = text(value);
    if name.is_empty() {
        causes.push(Cause::required(field, ""));
    } else {
        causes.extend(key_fault(name).map(|fault| Cause::invalid(field, value, &fault)));
    }
}

/// A key of a ConfigMap or Secret.
pub(super) fn key(map: &str, key: &str, causes: &mut Vec<Cause>) {
    let field = format!("{map}[{key}]");
    causes.extend(key_fault(key).map(|fault| Cause::invalid(&field, &key.into(), &fault)));
}

fn key_fault(key: &str) -> Option<String> {
    let allowed = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if !allowed {
        Some(KEY.to_owned())
    } else if key.len() > 253 {
        Some("must be no more than 253 characters".to_owned())
    } else if matches!(key, "." | "..") {
        Some(format!("must not be '{key}'"))
    } else if key.starts_with("..") {
        Some("must not start with '..'".to_owned())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(check: fn(&str, &str, &mut Vec<Cause>), name: &str) -> usize {
        let mut causes = Vec::new();
        check("f", name, &mut causes);
        causes.len()
    }

    #[test]
    fn a_host_may_stand_for_all_below_it() {
        for (name, expected) in [("a.example", 0), ("*.example", 0), ("*", 1), ("a.*.example", 1), ("A", 1), ("", 1)] {
            assert_eq!(faults(host, name), expected, "{name}");
        }
    }

    #[test]
    fn a_segment_of_a_path_is_one() {
        for (name, expected) in [("a:b", 0), ("..", 1), ("a/b%", 2)] {
            assert_eq!(faults(path_segment, name), expected, "{name}");
        }
    }
}
