//! `x-kubernetes-validations`: CEL rules over an object and its former state.

mod compile;
mod cost;
mod run;
mod subject;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use super::Schema;
use super::error::{FieldError, FieldErrorReason};
use super::path::Path;
use crate::expr::{Budget, Program, Type};

pub(super) use compile::compile;
pub use cost::{CostlyRule, MissingBound};
pub(super) use cost::{check as check_cost, costly};
pub use subject::RuleSubject;

/// Message of the cause that replaces all rules when an object is otherwise invalid.
pub const RULE_CHECK_SKIPPED: &str =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/// Reasons that a rule can specify.
const REASONS: [&str; 4] = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// One rule as declared in the schema, and its compiled form.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    /// The expression; must be true.
    pub rule: String,
    /// Message if it is not; empty if not specified.
    pub message: String,
    /// Expression that returns the message; empty if not specified.
    pub message_expression: String,
    /// The reason as written, such as `FieldValueForbidden`.
    pub reason: Option<String>,
    /// Path of the field to report, relative to the rule's node, such as `.min`.
    pub field_path: String,
    /// Whether `oldSelf` is an optional, so that the rule runs on creation too.
    pub optional_old_self: Option<bool>,
    /// Result of [`compile`]; `None` if the rule doesn't compile.
    compiled: Option<Compiled>,
}

#[derive(Clone, Debug)]
struct Compiled {
    /// Type of `self`, stored because deriving it from a large schema takes time.
    kind: Type,
    rule: Program,
    message: Option<Program>,
    /// Whether the rule compares with the former state.
    is_transition: bool,
}

impl Rule {
    /// Whether the rule compares with the former state.
    fn is_transition(&self) -> bool {
        self.compiled.as_ref().is_some_and(|compiled| compiled.is_transition)
    }

    /// Returns the error type of a violated rule.
    fn error_reason(&self) -> FieldErrorReason {
        match self.reason.as_deref() {
            Some("FieldValueForbidden") => FieldErrorReason::Forbidden,
            Some("FieldValueRequired") => FieldErrorReason::Required,
            Some("FieldValueDuplicate") => FieldErrorReason::Duplicate,
            _ => FieldErrorReason::Invalid,
        }
    }

    /// Returns the rule as the API server prints it in the error of a rule that doesn't compile.
    fn dump(&self) -> String {
        let text = |text: &str| {
            let quoted = Value::from(text).to_string();
            // Like Go's JSON encoder, which escapes for HTML.
            quoted.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
        };
        let reason = self.reason.as_deref().map_or_else(|| "null".to_owned(), text);
        let optional = self.optional_old_self.map_or_else(|| "null".to_owned(), |flag| flag.to_string());
        format!(
            "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{reason},\"FieldPath\":{},\"OptionalOldSelf\":{optional}}}",
            text(&self.rule),
            text(&self.message),
            text(&self.message_expression),
            text(&self.field_path),
        )
    }
}

/// Parses the list of rules of one node.
pub(super) fn read(json: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) -> Vec<Rule> {
    let Some(list) = json.as_array() else {
        errors.push(FieldError::invalid(path.to_string(), json.clone(), "must be a list"));
        return Vec::new();
    };
    let mut rules = Vec::with_capacity(list.len());
    let empty = Map::new();
    for (index, entry) in list.iter().enumerate() {
        let path = path.index(index);
        let entry = entry.as_object().unwrap_or(&empty);
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let rule = Rule {
            rule: text("rule"),
            message: text("message"),
            message_expression: text("messageExpression"),
            reason: entry.get("reason").and_then(Value::as_str).map(str::to_owned),
            field_path: text("fieldPath"),
            optional_old_self: entry.get("optionalOldSelf").and_then(Value::as_bool),
            compiled: None,
        };
        check(&rule, entry.contains_key("message"), &path, errors);
        rules.push(rule);
    }
    rules
}

fn check(rule: &Rule, has_message: bool, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if rule.rule.trim().is_empty() {
        errors.push(FieldError::required(path.field("rule").to_string(), "rule is not specified"));
    }
    let message = path.field("message");
    if has_message && !rule.message.is_empty() && rule.message.trim().is_empty() {
        let detail = "must be non-empty if specified";
        errors.push(FieldError::invalid(message.to_string(), rule.message.as_str(), detail));
    } else if rule.message.trim().contains('\n') {
        let detail = "must not contain line breaks";
        errors.push(FieldError::invalid(message.to_string(), rule.message.as_str(), detail));
    } else if rule.rule.contains('\n') && rule.message.trim().is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        errors.push(FieldError::required(message.to_string(), detail));
    }
    if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
        let field = path.field("messageExpression").to_string();
        errors.push(FieldError::required(field, "messageExpression must be non-empty if specified"));
    }
    if let Some(reason) = &rule.reason
        && !REASONS.contains(&reason.as_str())
    {
        errors.push(FieldError::not_supported(path.field("reason").to_string(), reason.as_str(), &REASONS));
    }
}

/// Which values rules check on a change. Rules that compare with the former state always check all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// Changed values.
    Changed,
    /// All values.
    All,
}

/// Checks an object against the rules of a schema.
pub(super) fn validate(schema: &Schema, new: &Value, old: Option<&Value>, judged: Judged, budget: &mut Budget) -> Vec<FieldError> {
    if schema.has_rules { run::run(schema, new, old, judged, budget) } else { Vec::new() }
}
