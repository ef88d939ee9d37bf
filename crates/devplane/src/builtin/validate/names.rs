//! Names inside of objects.

use serde_json::Value;

use crate::status::Cause;

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
    if name.len() > 63 {
        causes.push(Cause::invalid(field, value, "must be no more than 63 characters"));
    }
    let allowed = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !allowed || name.starts_with('-') || name.ends_with('-') {
        causes.push(Cause::invalid(field, value, LABEL));
    }
}

/// A key of a ConfigMap or Secret.
pub(super) fn key(map: &str, key: &str, causes: &mut Vec<Cause>) {
    let field = format!("{map}[{key}]");
    let allowed = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if !allowed {
        causes.push(Cause::invalid(&field, &key.into(), KEY));
    } else if key.len() > 253 {
        causes.push(Cause::invalid(&field, &key.into(), "must be no more than 253 characters"));
    } else if matches!(key, "." | "..") {
        causes.push(Cause::invalid(&field, &key.into(), &format!("must not be '{key}'")));
    } else if key.starts_with("..") {
        causes.push(Cause::invalid(&field, &key.into(), "must not start with '..'"));
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
