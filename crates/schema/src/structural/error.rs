//! Errors about one field, worded like the API server's.

use std::fmt;

use serde_json::Value;

use super::number;
use super::rules::RuleSubject;

/// Why a field is rejected; the error types of the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldErrorReason {
    /// A required value is missing.
    Required,
    /// The value violates a rule.
    Invalid,
    /// The value has the wrong type.
    TypeInvalid,
    /// The value is not one of the supported ones.
    NotSupported,
    /// The value is a duplicate.
    Duplicate,
    /// The field can't be set, or not like this.
    Forbidden,
    /// A string is too long.
    TooLong,
    /// A list or map has too many entries.
    TooMany,
    /// The check itself failed.
    Internal,
}

impl FieldErrorReason {
    /// Returns the machine-readable reason of a cause in a Status, such as `FieldValueInvalid`.
    pub fn cause_reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Internal => "InternalError",
        }
    }

    /// Whether API servers evaluate no rules (`x-kubernetes-validations`) on an object with such an error: rules rely on the form of values.
    /// A value that merely violates a pattern or a bound has it.
    pub fn stops_rules(self) -> bool {
        matches!(self, Self::NotSupported | Self::Required | Self::TooLong | Self::TooMany | Self::TypeInvalid)
    }

    fn title(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Duplicate => "Duplicate value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
        }
    }
}

/// How a rule (`x-kubernetes-validations`) leads to an error. [`FieldError::detail`] has the same in the API server's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleFault {
    /// The value violates a rule that has no message.
    Violated {
        /// Source of the rule.
        rule: String,
    },
    /// The rule can't be evaluated on the value.
    NotEvaluated {
        /// Message of the rule, or else its source.
        rule: String,
    },
    /// The steps of all rules are used up; the rules after this one aren't checked.
    OutOfBudget {
        /// Message of the rule, or else its source.
        rule: String,
    },
    /// An expression of the rule doesn't compile.
    NotCompiled {
        /// Line and column of the error, from 1.
        at: Option<(usize, usize)>,
        /// The error, as CEL words it.
        cause: String,
    },
}

/// One problem with one field. `Display` prints the API server's message, with the field first.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    /// Path of the field, such as `spec.ports[0].name`; `<nil>` if the API server names none.
    pub field: String,
    /// Type of the problem.
    pub reason: FieldErrorReason,
    /// The rejected value, if the message shows one.
    pub value: Option<Value>,
    /// What is wrong with it; can be empty.
    pub detail: String,
    /// The rule that leads to it, unless the rule has its own message or there is none.
    pub rule: Option<RuleFault>,
    /// For a JSON Schema, a structural schema with what rejects the value and nothing else.
    pub schema: Option<Value>,
    /// Text shown in place of the value where its JSON would read differently.
    pub(crate) shown: Option<String>,
    /// Path of the field if the API server names none, or not the one that it is about.
    place: Option<String>,
    /// Paths of all fields that a violated rule is about.
    fields: Vec<String>,
}

/// The field of errors that the API server reports without a path.
pub const NO_FIELD: &str = "<nil>";

impl FieldError {
    /// Creates an error that shows the value.
    pub fn new(reason: FieldErrorReason, field: impl Into<String>, value: Option<Value>, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            reason,
            value,
            detail: detail.into(),
            rule: None,
            schema: None,
            shown: None,
            place: None,
            fields: Vec::new(),
        }
    }

    /// Creates the error for a required field.
    pub fn required(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(FieldErrorReason::Required, field, None, detail)
    }

    /// Creates the error for a field that can't be set, or not like this.
    pub fn forbidden(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(FieldErrorReason::Forbidden, field, None, detail)
    }

    /// Creates the error for a value that violates a rule.
    pub fn invalid(field: impl Into<String>, value: impl Into<Value>, detail: impl Into<String>) -> Self {
        Self::new(FieldErrorReason::Invalid, field, Some(value.into()), detail)
    }

    /// Creates the error for a value that is not one of `supported`.
    pub fn not_supported(field: impl Into<String>, value: impl Into<Value>, supported: &[&str]) -> Self {
        let list: Vec<String> = supported.iter().map(|text| quote(text)).collect();
        Self::new(FieldErrorReason::NotSupported, field, Some(value.into()), format!("supported values: {}", list.join(", ")))
    }

    /// Sets the path of a field that the message doesn't name.
    pub(crate) fn about(mut self, path: impl Into<String>) -> Self {
        self.place = Some(path.into());
        self
    }

    /// Sets what a violated rule is about.
    pub(crate) fn with_subject(mut self, subject: RuleSubject) -> Self {
        self.place = Some(subject.place);
        self.fields = subject.fields;
        self
    }

    /// Returns the paths of all fields that a violated rule is about; empty for other errors.
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// Returns the path of the field that this is about, even if [`FieldError::field`] is [`NO_FIELD`]; empty for the whole object. A
    /// violated rule is about the field that it reads, or the innermost object with all of them.
    pub fn place(&self) -> &str {
        match &self.place {
            Some(place) => place,
            None if self.field == NO_FIELD => "",
            None => &self.field,
        }
    }

    /// Sets how a rule leads to the error.
    pub(crate) fn by_rule(mut self, fault: Option<RuleFault>) -> Self {
        self.rule = fault;
        self
    }

    /// Sets the text that is shown in place of the value.
    pub(crate) fn showing(mut self, text: impl Into<String>) -> Self {
        self.shown = Some(text.into());
        self
    }

    /// Returns the reason of the cause in a Status, such as `FieldValueRequired`.
    pub fn cause_reason(&self) -> &'static str {
        self.reason.cause_reason()
    }

    /// Returns the message without the field: the message of a cause.
    pub fn body(&self) -> String {
        use FieldErrorReason::{Forbidden, Internal, Required, TooLong};
        let mut text = self.reason.title().to_owned();
        if !matches!(self.reason, Required | Forbidden | TooLong | Internal) {
            if let Some(shown) = &self.shown {
                text.push_str(": ");
                text.push_str(shown);
            } else if let Some(value) = &self.value {
                text.push_str(": ");
                text.push_str(&show(value));
            }
        }
        // For a duplicate, the API server shows only the value, whatever a rule says about it.
        if !self.detail.is_empty() && self.reason != FieldErrorReason::Duplicate {
            text.push_str(": ");
            text.push_str(&self.detail);
        }
        text
    }

    /// Returns the same error for an outer object: `prefix` is prepended to the path.
    #[must_use]
    pub fn prefixed(mut self, prefix: &str) -> Self {
        self.place = self.place.map(|place| join(prefix, &place));
        self.fields.iter_mut().for_each(|field| *field = join(prefix, field));
        if self.field == NO_FIELD || prefix.is_empty() {
            return self;
        }
        self.field = join(prefix, &self.field);
        self
    }
}

/// Joins two paths, with a dot unless the second one starts with a bracket or is empty.
pub(crate) fn join(prefix: &str, rest: &str) -> String {
    if prefix.is_empty() || rest.is_empty() || rest.starts_with('[') { format!("{prefix}{rest}") } else { format!("{prefix}.{rest}") }
}

/// Returns a value as the API server prints it in an error.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Number(number) => number::show(number),
        other => other.to_string(),
    }
}

/// Returns a string in double quotes with the escapes of Go's `%q`.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            control if control.is_control() && (control as u32) < 0x80 => quoted.push_str(&format!("\\x{:02x}", control as u32)),
            control if control.is_control() => quoted.push_str(&format!("\\u{:04x}", control as u32)),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

impl fmt::Display for FieldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            return formatter.write_str(&self.body());
        }
        write!(formatter, "{}: {}", self.field, self.body())
    }
}

impl std::error::Error for FieldError {}
