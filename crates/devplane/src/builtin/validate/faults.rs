//! Faults of values, in the words of the API server, beyond those that a [`Cause`] says by itself.
//! Source: apimachinery `pkg/util/validation/field/errors.go`.

use serde_json::Value;

use super::reading::{is_blank, text};
use crate::{protobuf::go_internal, status::Cause};

/// A value that is none of those allowed.
pub(super) fn unsupported(field: &str, value: &Value, supported: &[&str]) -> Cause {
    Cause::unsupported_shown(field, &value.to_string(), supported)
}

/// A value that was there before.
pub(super) fn duplicate(field: &str, value: &Value) -> Cause {
    Cause::duplicate_shown(field, &value.to_string())
}

/// A name that nothing has.
pub(super) fn not_found(field: &str, value: &str) -> Cause {
    Cause { reason: "FieldValueNotFound".into(), message: format!("Not found: {value:?}"), field: field.into() }
}

/// A field that stays as it was created.
pub(super) fn immutable(field: &str, value: &Value) -> Cause {
    Cause::invalid(field, value, "field is immutable")
}

/// A structure that does not fit, printed as Go prints it inside of the server. It is of an API version and a kind: `("v1", "PodSpec")`.
pub(super) fn invalid_structure(field: &str, (api_version, kind): (&str, &str), value: &Value, detail: &str) -> Cause {
    Cause::invalid_shown(field, &go_internal::compact(api_version, kind, value), detail)
}

/// A structure that is none of those allowed, printed the same way.
pub(super) fn unsupported_structure(field: &str, (api_version, kind): (&str, &str), value: &Value, supported: &[&str]) -> Cause {
    Cause::unsupported_shown(field, &go_internal::compact(api_version, kind, value), supported)
}

/// A text that has to be one of these.
pub(super) fn one_of(field: &str, value: &Value, supported: &[&str], causes: &mut Vec<Cause>) {
    if is_blank(value) {
        causes.push(Cause::required(field, ""));
    } else {
        none_or_one_of(field, value, supported, causes);
    }
}

/// The same where nothing need be said.
pub(super) fn none_or_one_of(field: &str, value: &Value, supported: &[&str], causes: &mut Vec<Cause>) {
    if !value.is_null() && !supported.contains(&text(value)) {
        causes.push(unsupported(field, value, supported));
    }
}

/// The same where an empty text says nothing, too.
pub(super) fn blank_or_one_of(field: &str, value: &Value, supported: &[&str], causes: &mut Vec<Cause>) {
    if !is_blank(value) {
        none_or_one_of(field, value, supported, causes);
    }
}
