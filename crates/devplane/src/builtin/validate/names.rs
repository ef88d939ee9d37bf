//! Names inside of objects.

use serde_json::Value;

use crate::{objects::metadata, registry::NameRule, status::Cause};

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an \
                     alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or \
                   'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/// A name that is a DNS label.
pub(super) fn label(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    let name = value.as_str().unwrap_or_default();
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
    let allowed = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !allowed || name.is_empty() || name.starts_with('-') || name.ends_with('-') {
        faults.push(LABEL);
    }
    faults
}

/// A name that is a DNS subdomain; an empty one is none.
pub(super) fn subdomain(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    let name = value.as_str().unwrap_or_default();
    let faults = metadata::name_faults(NameRule::Subdomain, name);
    causes.extend(faults.iter().map(|fault| Cause::invalid(field, &name.into(), fault)));
}

/// A name as labels have them, with a prefix or without.
pub(super) fn qualified(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    let name = value.as_str().unwrap_or_default();
    causes.extend(metadata::qualified_faults(name).iter().map(|fault| Cause::invalid(field, &name.into(), fault)));
}

/// The key of a value in a ConfigMap or Secret that something refers to.
pub(super) fn key_of(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    let name = value.as_str().unwrap_or_default();
    if name.is_empty() {
        causes.push(Cause::required(field, ""));
    } else {
        causes.extend(key_fault(name).map(|fault| Cause::invalid(field, value, &fault)));
    }
}

/// What keeps a name from being that of a port.
pub(super) fn port_name_faults(name: &str) -> Vec<&'static str> {
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

/// The number of a port, or its name.
pub(super) fn port_or_name(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    match value.as_str() {
        Some(name) => port_name(field, name, causes),
        None => port(field, value, causes),
    }
}

/// The name of a port.
pub(super) fn port_name(field: &str, name: &str, causes: &mut Vec<Cause>) {
    causes.extend(port_name_faults(name).into_iter().map(|fault| Cause::invalid(field, &name.into(), fault)));
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

/// The number of a port.
pub(super) fn port(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    let fits = value.as_i64().is_some_and(|port| (1..=65_535).contains(&port));
    if !fits {
        let shown = if value.is_null() { Value::from(0) } else { value.clone() };
        causes.push(Cause::invalid(field, &shown, "must be between 1 and 65535, inclusive"));
    }
}
