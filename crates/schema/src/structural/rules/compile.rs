//! Compiling the rules of a schema, each against the type of the value at its node.

use std::sync::Arc;

use super::super::error::{FieldError, FieldErrorReason, RuleFault};
use super::super::path::Path;
use super::super::{Additional, ListType, Schema};
use super::{Compiled, Rule};
use crate::expr::{Environment, ExprError, Program, Type};

/// Compiles every rule and records which parts of the schema have any.
pub(in super::super) fn compile(schema: &mut Schema, errors: &mut Vec<FieldError>) {
    node(schema, true, None, &Path::Root, errors);
}

/// `apart` is the path of the list or map around the node whose former content can't be matched item by item.
fn node(schema: &mut Schema, is_resource: bool, apart: Option<&str>, path: &Path<'_>, errors: &mut Vec<FieldError>) -> bool {
    let mut found = !schema.rules.is_empty();
    if found {
        let kind = if is_resource { Type::of_resource(schema) } else { Type::from_schema(schema) };
        let mut rules = std::mem::take(&mut schema.rules);
        let here = path.field("x-kubernetes-validations");
        for (index, rule) in rules.iter_mut().enumerate() {
            let here = here.index(index);
            rule.compiled = compile_rule(rule, &kind, &here, errors);
            field_path(schema, rule, &here, errors);
            if let (Some(apart), Some(Compiled { is_transition: true, .. })) = (apart, &rule.compiled) {
                let detail = format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {apart}");
                errors.push(FieldError::invalid(here.field("rule").to_string(), rule.rule.as_str(), detail));
            }
        }
        schema.rules = rules;
    }
    let own = path.to_string();
    let within = if schema.map_type_atomic { apart.or(Some(&own)) } else { apart };
    let within_items = if matches!(schema.list_type, ListType::Map(_)) { apart } else { apart.or(Some(&own)) };
    let properties = path.field("properties");
    for (name, property) in &mut schema.properties {
        let is_resource = property.embedded;
        found |= node(property, is_resource, within, &properties.key(name), errors);
    }
    if let Additional::Schema(values) = &mut schema.additional {
        let is_resource = values.embedded;
        found |= node(values, is_resource, within, &path.field("additionalProperties"), errors);
    }
    if let Some(items) = &mut schema.items {
        let is_resource = items.embedded;
        found |= node(items, is_resource, within_items, &path.field("items"), errors);
    }
    schema.has_rules = found;
    found
}

fn compile_rule(rule: &Rule, kind: &Type, path: &Path<'_>, errors: &mut Vec<FieldError>) -> Option<Compiled> {
    let optional = rule.optional_old_self == Some(true);
    let old = if optional { Type::Optional(Arc::new(kind.clone())) } else { kind.clone() };
    let environment = Environment::new().variable("self", kind.clone()).variable("oldSelf", old).strict();
    let mut refuse = |field: &str, source: &str, problem: &Uncompiled| {
        let (reason, detail, fault) = match problem {
            Uncompiled::Result(detail) => (FieldErrorReason::Invalid, (*detail).to_owned(), None),
            Uncompiled::Expression(error @ ExprError::Budget(_)) => (FieldErrorReason::Forbidden, error.to_string(), None),
            Uncompiled::Expression(ExprError::Type { problem, place: None }) => (FieldErrorReason::Invalid, problem.to_string(), None),
            Uncompiled::Expression(_) => {
                let faults = environment.faults(source);
                let report = faults.iter().map(ExprError::report).collect::<Vec<_>>().join("\n");
                let of = if field == "messageExpression" { "messageExpression " } else { "" };
                let first = faults.first().map(|fault| {
                    let at = fault.place().map(|place| (place.line, place.column));
                    RuleFault::NotCompiled { at, cause: fault.compile_cause() }
                });
                (FieldErrorReason::Invalid, format!("{of}compilation failed: {report}"), first)
            }
        };
        errors.push(FieldError::new(reason, path.field(field).to_string(), None, detail).by_rule(fault).showing(rule.dump()));
    };
    let program = compile_to(&environment, &rule.rule, &Type::Bool, "cel expression must evaluate to a bool")
        .map_err(|error| refuse("rule", &rule.rule, &error))
        .ok()?;
    let message = if rule.message_expression.trim().is_empty() {
        None
    } else {
        let compiled = compile_to(&environment, &rule.message_expression, &Type::String, "messageExpression must evaluate to a string");
        Some(compiled.map_err(|error| refuse("messageExpression", &rule.message_expression, &error)).ok()?)
    };
    let is_transition = program.references().iter().any(|path| path.first().is_some_and(|root| root == "oldSelf"));
    if optional && !is_transition {
        let detail = "may not be set if oldSelf is not used in rule";
        errors.push(FieldError::invalid(path.field("optionalOldSelf").to_string(), true, detail));
    }
    Some(Compiled { kind: kind.clone(), rule: program, message, is_transition })
}

/// Why an expression of a rule is rejected.
enum Uncompiled {
    /// It doesn't compile.
    Expression(ExprError),
    /// Its result has the wrong type, in the API server's words.
    Result(&'static str),
}

fn compile_to(environment: &Environment, source: &str, wanted: &Type, otherwise: &'static str) -> Result<Program, Uncompiled> {
    let program = environment.compile(source).map_err(Uncompiled::Expression)?;
    if program.kind().fits(wanted) { Ok(program) } else { Err(Uncompiled::Result(otherwise)) }
}

/// Checks that a `fieldPath` leads to a declared field.
fn field_path(schema: &Schema, rule: &Rule, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if rule.field_path.is_empty() {
        return;
    }
    let mut at = Some(schema);
    let steps = steps(&rule.field_path);
    for step in steps.iter().flatten() {
        at = at.and_then(|schema| schema.properties.get(step.as_str()).or_else(|| schema.additional_properties()));
    }
    if steps.is_none() || at.is_none() {
        let field = path.field("fieldPath").to_string();
        errors.push(FieldError::invalid(field, rule.field_path.as_str(), "must be a valid path"));
    }
}

/// Returns the field names of a path such as `.spec.min` or `.labels['a.b']`.
pub(super) fn steps(path: &str) -> Option<Vec<String>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix("['") {
            let (name, after) = inside.split_once("']")?;
            steps.push(name.replace("\\'", "'"));
            rest = after;
        } else {
            let inside = rest.strip_prefix('.')?;
            let end = inside.find(['.', '[']).unwrap_or(inside.len());
            if end == 0 {
                return None;
            }
            steps.push(inside[..end].to_owned());
            rest = &inside[end..];
        }
    }
    (!steps.is_empty()).then_some(steps)
}
