//! Running rules: the object and its former state are walked together with the schema.

use serde_json::Value;

use super::super::error::{FieldError, RuleFault};
use super::super::path::Path;
use super::super::{Schema, unique};
use super::compile::steps;
use super::{Compiled, Judged, Rule, RuleSubject};
use crate::expr::value::Val;
use crate::expr::{Budget, Environment, ExprError, Scope, Type};

/// The API server's message once the budget of all rules of an object is used up.
const EXHAUSTED: &str = "validation failed due to running out of cost budget, no further validation rules will be run";

/// Maximum steps for finding out what violated rules are about. It doesn't affect which rules are violated.
const BLAMING: u64 = 100_000;

pub(super) fn run(schema: &Schema, new: &Value, old: Option<&Value>, judged: Judged, budget: &mut Budget) -> Vec<FieldError> {
    let mut runner = Runner { judged, budget, blaming: Budget::steps(BLAMING), errors: Vec::new(), exhausted: false };
    runner.node(schema, new, old, &Path::Root);
    runner.errors
}

struct Runner<'b> {
    judged: Judged,
    budget: &'b mut Budget,
    blaming: Budget,
    errors: Vec<FieldError>,
    exhausted: bool,
}

impl Runner<'_> {
    fn node(&mut self, schema: &Schema, new: &Value, old: Option<&Value>, path: &Path<'_>) {
        if !schema.has_rules || self.exhausted || (new.is_null() && schema.nullable) {
            return;
        }
        if !schema.rules.is_empty() {
            self.rules(schema, new, old, path);
        }
        match new {
            Value::Object(fields) => {
                let old_fields = old.and_then(Value::as_object);
                for (name, value) in fields {
                    let old = old_fields.and_then(|fields| fields.get(name));
                    if let Some(field) = schema.properties.get(name) {
                        self.node(field, value, old, &path.field(name));
                    } else if let Some(values) = schema.additional_properties() {
                        self.node(values, value, old, &path.key(name));
                    }
                }
            }
            Value::Array(items) => {
                let Some(schema_of_items) = schema.items() else { return };
                let old_items = unique::by_key(schema, old);
                for (index, item) in items.iter().enumerate() {
                    let old = old_items.as_ref().and_then(|old| old.of(item));
                    self.node(schema_of_items, item, old, &path.index(index));
                }
            }
            _ => {}
        }
    }

    fn rules(&mut self, schema: &Schema, new: &Value, old: Option<&Value>, path: &Path<'_>) {
        let dynamic = Type::Dyn;
        let kind = schema.rules.iter().find_map(|rule| rule.compiled.as_ref()).map_or(&dynamic, |compiled| &compiled.kind);
        let old = old.filter(|old| !old.is_null());
        let mut scope = Environment::new().scope();
        scope.set_val("self", Val::from_json(new, kind));
        let old_value = old.map(|old| Val::from_json(old, kind));
        // Unchanged values are not checked again, see `Schema::validate_change`. Rules about the change itself are.
        let is_left = self.judged == Judged::Changed && old == Some(new);
        for rule in schema.rules.iter().filter(|rule| !is_left || rule.is_transition()) {
            let Some(compiled) = &rule.compiled else {
                self.errors.push(error(rule, new, path, format!("rule does not compile: {}", rule.rule)));
                continue;
            };
            let optional = rule.optional_old_self == Some(true);
            match &old_value {
                Some(old) if optional => scope.set_val("oldSelf", Val::Optional(Some(old.clone().into()))),
                Some(old) => scope.set_val("oldSelf", old.clone()),
                None if optional => scope.set_val("oldSelf", Val::Optional(None)),
                None if compiled.is_transition => continue,
                None => {}
            }
            self.rule(schema, rule, compiled, &scope, new, path);
            if self.exhausted {
                return;
            }
        }
    }

    fn rule(&mut self, schema: &Schema, rule: &Rule, compiled: &Compiled, scope: &Scope, new: &Value, path: &Path<'_>) {
        let said = || if rule.message.trim().is_empty() { rule.rule.trim() } else { rule.message.trim() };
        let failure = match compiled.rule.evaluate_bool(scope, self.budget) {
            Ok(true) => return,
            Ok(false) => {
                let (detail, fault) = match self.message(rule, compiled, scope) {
                    Some(message) => (message, None),
                    None => (format!("failed rule: {}", rule.rule.trim()), Some(RuleFault::Violated { rule: rule.rule.trim().to_owned() })),
                };
                let error = error(rule, new, path, detail).by_rule(fault);
                // A rule with a path says itself what it is about.
                let subject = rule.field_path.is_empty().then(|| self.subject(schema, compiled, scope, new, path));
                self.errors.push(match subject {
                    Some(subject) => error.with_subject(subject),
                    None => error,
                });
                return;
            }
            Err(failure) => failure,
        };
        let (detail, fault) = match &failure {
            ExprError::Budget(_) => {
                self.exhausted = true;
                (EXHAUSTED.to_owned(), Some(RuleFault::OutOfBudget { rule: said().to_owned() }))
            }
            failure => (not_evaluated(failure, said()), Some(RuleFault::NotEvaluated { rule: said().to_owned() })),
        };
        // A rule that couldn't be evaluated says nothing about the value: the error shows the value's type, at the rule's own node.
        let kind = schema.kind.map_or("", super::super::Kind::name);
        let error = FieldError::invalid(reported_field(path.to_string()), kind, detail).by_rule(fault);
        let subject = self.subject(schema, compiled, scope, new, path);
        self.errors.push(error.with_subject(subject));
    }

    /// Returns the fields that a rule is about, for these values.
    fn subject(&mut self, schema: &Schema, compiled: &Compiled, scope: &Scope, new: &Value, path: &Path<'_>) -> RuleSubject {
        let paths = compiled.rule.about(&["self", "oldSelf"], scope, &mut self.blaming);
        RuleSubject::of(schema, new, &path.to_string(), &paths)
    }

    /// Returns the message of a violated rule: the message expression's result if it is valid, else the fixed message, if there is one.
    fn message(&mut self, rule: &Rule, compiled: &Compiled, scope: &Scope) -> Option<String> {
        if let Some(program) = &compiled.message
            && let Ok(Value::String(text)) = program.evaluate(scope, self.budget)
            && !text.trim().is_empty()
            && !text.contains('\n')
            && text.len() <= 5 * 1024
        {
            return Some(text.trim().to_owned());
        }
        Some(rule.message.trim()).filter(|message| !message.is_empty()).map(str::to_owned)
    }
}

/// Returns the API server's words about a rule that can't be evaluated.
fn not_evaluated(failure: &ExprError, said: &str) -> String {
    let cause = failure.cause();
    if failure.is_no_overload() {
        format!("'{cause}': call arguments did not match a supported operator, function or macro signature for rule: {said}")
    } else {
        format!("{cause} evaluating rule: {said}")
    }
}

/// Creates the error of a violated rule: scalars are shown, objects and lists are not.
fn error(rule: &Rule, new: &Value, path: &Path<'_>, detail: String) -> FieldError {
    let mut field = path.to_string();
    let mut value = (!new.is_object() && !new.is_array()).then(|| new.clone());
    if !rule.field_path.is_empty() {
        value = None;
        for step in steps(&rule.field_path).unwrap_or_default() {
            if step.contains('.') || step.contains('[') {
                field.push_str(&format!("[{step}]"));
            } else {
                if !field.is_empty() {
                    field.push('.');
                }
                field.push_str(&step);
            }
        }
    }
    FieldError::new(rule.error_reason(), reported_field(field), value, detail)
}

/// Returns the path as reported; the object itself has none.
fn reported_field(field: String) -> String {
    if field.is_empty() { super::super::NO_FIELD.to_owned() } else { field }
}
