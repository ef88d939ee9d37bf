//! Errors of the plane, and how Kubernetes tells them: the `Status` object (apimachinery `api/errors`).

use std::fmt;

use schema::structural::FieldError;
use serde_json::{Map, Value, json};

/// Group and plural resource, as error texts name them: `widgets.example.org`, or `configmaps`.
pub fn qualified(resource: &str, group: &str) -> String {
    if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") }
}

/// One broken rule of an Invalid answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// `FieldValueInvalid`, `FieldValueRequired`, …
    pub reason: String,
    /// Text without the field: `Required value`, `Invalid value: 0: must be specified for an update`.
    pub message: String,
    /// Path of the field.
    pub field: String,
}

impl Cause {
    /// A field that must be there.
    pub fn required(field: &str, detail: &str) -> Self {
        let message = if detail.is_empty() { "Required value".to_owned() } else { format!("Required value: {detail}") };
        Self { reason: "FieldValueRequired".into(), message, field: field.into() }
    }

    /// A value that does not fit, printed as JSON.
    pub fn invalid(field: &str, value: &Value, detail: &str) -> Self {
        Self::invalid_shown(field, &value.to_string(), detail)
    }

    /// A value that does not fit, printed so.
    pub fn invalid_shown(field: &str, shown: &str, detail: &str) -> Self {
        Self { reason: "FieldValueInvalid".into(), message: format!("Invalid value: {shown}: {detail}"), field: field.into() }
    }

    /// A text that is none of those allowed.
    pub fn unsupported(field: &str, value: &str, supported: &[&str]) -> Self {
        Self::unsupported_shown(field, &format!("{value:?}"), supported)
    }

    /// A value that is none of those allowed, printed so.
    pub fn unsupported_shown(field: &str, shown: &str, supported: &[&str]) -> Self {
        let supported: Vec<_> = supported.iter().map(|item| format!("{item:?}")).collect();
        let message = format!("Unsupported value: {shown}: supported values: {}", supported.join(", "));
        Self { reason: "FieldValueNotSupported".into(), message, field: field.into() }
    }

    /// A text that was there before.
    pub fn duplicate(field: &str, value: &str) -> Self {
        Self::duplicate_shown(field, &format!("{value:?}"))
    }

    /// A value that was there before, printed so.
    pub fn duplicate_shown(field: &str, shown: &str) -> Self {
        Self { reason: "FieldValueDuplicate".into(), message: format!("Duplicate value: {shown}"), field: field.into() }
    }

    /// A value of more than `most` bytes.
    pub fn too_long(field: &str, most: usize) -> Self {
        let message = format!("Too long: may not be more than {most} bytes");
        Self { reason: "FieldValueTooLong".into(), message, field: field.into() }
    }

    /// A list of `count` items, which are more than `most`.
    pub fn too_many(field: &str, count: usize, most: usize) -> Self {
        let message = format!("Too many: {count}: must have at most {most} items");
        Self { reason: "FieldValueTooMany".into(), message, field: field.into() }
    }

    /// A field that must not be set so.
    pub fn forbidden(field: &str, detail: &str) -> Self {
        Self { reason: "FieldValueForbidden".into(), message: format!("Forbidden: {detail}"), field: field.into() }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.field, self.message)
    }
}

/// What a check tells, each fault as `field: message`.
#[cfg(test)]
pub(crate) fn told(check: impl FnOnce(&mut Vec<Cause>)) -> Vec<String> {
    let mut causes = Vec::new();
    check(&mut causes);
    causes.iter().map(Cause::to_string).collect()
}

impl From<FieldError> for Cause {
    fn from(error: FieldError) -> Self {
        Self { reason: error.cause_reason().into(), message: error.body(), field: error.field }
    }
}

/// An answer that is not a success.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// HTTP status.
    pub code: u16,
    /// Reason in CamelCase; empty for errors without one.
    pub reason: &'static str,
    /// Text for people.
    pub message: String,
    /// `details` of the Status, if it has one.
    pub details: Option<Value>,
    /// Whether the answer is the bare text `404 page not found` instead of a Status.
    pub plain: bool,
    /// Warning texts gathered before the error.
    pub warnings: Vec<String>,
}

impl ApiError {
    fn new(code: u16, reason: &'static str, message: impl Into<String>, details: Option<Value>) -> Self {
        Self { code, reason, message: message.into(), details, plain: false, warnings: Vec::new() }
    }

    /// An error with a given code, reason and message, without details.
    pub fn of(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, reason, message, None)
    }

    /// The same error with these details.
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// The same error with warnings added.
    pub fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// A path that nobody serves: plain text, no Status.
    pub fn page_not_found() -> Self {
        Self { plain: true, ..Self::new(404, "NotFound", "404 page not found", None) }
    }

    /// An unknown resource of a built-in group.
    pub fn resource_not_found() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource", Some(json!({})))
    }

    /// A missing object.
    pub fn not_found(group: &str, resource: &str, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{} \"{name}\" not found", qualified(resource, group)), Some(named(group, resource, name)))
    }

    /// An object of this name is there already.
    pub fn already_exists(group: &str, resource: &str, name: &str) -> Self {
        let message = format!("{} \"{name}\" already exists", qualified(resource, group));
        Self::new(409, "AlreadyExists", message, Some(named(group, resource, name)))
    }

    /// A write that does not fit the stored state; `why` comes after a colon.
    pub fn conflict(group: &str, resource: &str, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", qualified(resource, group));
        Self::new(409, "Conflict", message, Some(named(group, resource, name)))
    }

    /// A stale resourceVersion.
    pub fn stale(group: &str, resource: &str, name: &str) -> Self {
        let why = "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(group, resource, name, why)
    }

    /// The request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message, None)
    }

    /// The caller is unknown.
    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized", None)
    }

    /// The caller may not; `why` comes after a colon. Without a name the text has none.
    pub fn forbidden(group: &str, resource: &str, name: &str, why: &str) -> Self {
        let what = qualified(resource, group);
        let message =
            if name.is_empty() { format!("{what} is forbidden: {why}") } else { format!("{what} \"{name}\" is forbidden: {why}") };
        Self::new(403, "Forbidden", message, Some(named(group, resource, name)))
    }

    /// The caller may not use this path, which is none of resources.
    pub fn forbidden_path(message: impl Into<String>) -> Self {
        Self::new(403, "Forbidden", message, Some(json!({})))
    }

    /// The method is not for built-in resources of this path.
    pub fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message, Some(json!({})))
    }

    /// The verb is not for resources of this kind.
    pub fn verb_not_supported(group: &str, resource: &str, verb: &str) -> Self {
        let message = format!("{verb} is not supported on resources of kind \"{}\"", qualified(resource, group));
        Self::new(405, "MethodNotAllowed", message, Some(named(group, resource, "")))
    }

    /// No acceptable media type.
    pub fn not_acceptable(accepted: &[&str]) -> Self {
        Self::new(406, "NotAcceptable", format!("only the following media types are accepted: {}", accepted.join(", ")), None)
    }

    /// The body has a media type that is not read here.
    pub fn unsupported_media_type(accepted: &[&str]) -> Self {
        let message = format!("the body of the request was in an unknown format - accepted media types include: {}", accepted.join(", "));
        Self::new(415, "UnsupportedMediaType", message, None)
    }

    /// The object breaks rules; `kind` is the Kind for built-in types and the plural resource for custom ones.
    pub fn invalid<C: Into<Cause>>(group: &str, kind: &str, name: &str, causes: impl IntoIterator<Item = C>) -> Self {
        let what = qualified(kind, group);
        let causes: Vec<Cause> = causes.into_iter().map(Into::into).collect();
        // Aggregates leave repeated texts out.
        let mut unique: Vec<String> = Vec::new();
        for cause in &causes {
            let text = cause.to_string();
            if !unique.contains(&text) {
                unique.push(text);
            }
        }
        let message = match unique.as_slice() {
            [] => format!("{what} \"{name}\" is invalid"),
            [one] => format!("{what} \"{name}\" is invalid: {one}"),
            many => format!("{what} \"{name}\" is invalid: [{}]", many.join(", ")),
        };
        let mut details = named(group, kind, name);
        if !causes.is_empty() {
            details["causes"] = causes.iter().map(|c| json!({"reason": c.reason, "message": c.message, "field": c.field})).collect();
        }
        Self::new(422, "Invalid", message, Some(details))
    }

    /// A defect of the plane or of what it stands on.
    pub fn internal(message: impl fmt::Display) -> Self {
        let details = json!({"causes": [{"message": message.to_string()}]});
        Self::new(500, "InternalError", format!("Internal error occurred: {message}"), Some(details))
    }

    /// The version asked for is gone from the history.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message, None)
    }

    /// Not now: `Retry-After` with these seconds.
    pub fn too_many_requests(message: impl Into<String>, seconds: u64) -> Self {
        Self::new(429, "TooManyRequests", message, Some(json!({"retryAfterSeconds": seconds})))
    }

    /// Seconds of the header `Retry-After`, if the answer has one.
    pub fn retry_after(&self) -> Option<u64> {
        self.details.as_ref()?.get("retryAfterSeconds")?.as_u64()
    }

    /// The Status object.
    pub fn to_status(&self) -> Value {
        let mut status = Map::new();
        status.insert("kind".into(), "Status".into());
        status.insert("apiVersion".into(), "v1".into());
        status.insert("metadata".into(), json!({}));
        status.insert("status".into(), "Failure".into());
        status.insert("message".into(), self.message.clone().into());
        if !self.reason.is_empty() {
            status.insert("reason".into(), self.reason.into());
        }
        if let Some(details) = &self.details {
            status.insert("details".into(), details.clone());
        }
        status.insert("code".into(), self.code.into());
        Value::Object(status)
    }
}

/// `details` with what is not empty.
fn named(group: &str, kind: &str, name: &str) -> Value {
    let mut details = Map::new();
    for (key, value) in [("name", name), ("group", group), ("kind", kind)] {
        if !value.is_empty() {
            details.insert(key.into(), value.into());
        }
    }
    Value::Object(details)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_object_is_named_without_a_group() {
        let status = ApiError::not_found("", "configmaps", "a").to_status();
        assert_eq!(status["message"], "configmaps \"a\" not found");
        assert_eq!(status["details"], json!({"name": "a", "kind": "configmaps"}));
    }

    #[test]
    fn a_forbidden_collection_has_no_name() {
        let error = ApiError::forbidden("example.org", "widgets", "", "User \"bob\" cannot list");
        assert_eq!(error.message, "widgets.example.org is forbidden: User \"bob\" cannot list");
    }
}
