//! Checks whether rules fit a promise: their parameters exist, their values match the schema, and their constraints apply to the type.
//! Problems have paths in the policy, such as `.rules[2].constrain.parameter`.

use schema::expr::Type;
use schema::structural::Schema;
use serde_json::{Value, json};

use super::contradictions;
use super::expressions::STEPS;
use super::narrow::{self, Spot};
use super::range;
use super::refusal::ExpressionError;
use super::validity::place_of_when;
use crate::api::{PolicySpec, PromiseSpec, Rule, SetValue};
use crate::expression;
use crate::path::Path;
use crate::problem::Problem;
use crate::resolve::PromiseReading;

/// Number of items assumed for a list or map without a limit when the cost of an expression is estimated, and likewise for text length:
/// larger values are refused by the budget at evaluation.
const USUAL_ITEMS: u64 = 10;
const USUAL_LETTERS: u64 = 64;
/// Maximum number of characters assumed: patterns are estimated as far more expensive than they are.
const MOST_LETTERS: u64 = 1_000;

/// Returns what is wrong with a policy for one promise, or nothing if the promise is out of scope.
///
/// A policy that names the promise must fit it. One that matches it by a wildcard, or applies to all promises, can have parameters that
/// this promise lacks; only the parameters they share must fit. [`super::validity`] reports what is wrong with the policy itself.
pub fn check_against(spec: &PolicySpec, promise_name: &str, promise: &PromiseSpec) -> Vec<Problem> {
    if !range::covers_promise(&spec.applies_to, promise_name) {
        return Vec::new();
    }
    let bare = PromiseSpec { parameters: promise.parameters.clone(), ..PromiseSpec::default() };
    let reading = PromiseReading::of(&bare, false);
    let is_named = spec.applies_to.promises.iter().any(|name| name == promise_name);
    check_rules(&spec.rules, reading.schema(), is_named)
}

/// Like [`check_against`], for rules alone. `is_named` is whether they apply to exactly this promise.
pub(crate) fn check_rules(rules: &[Rule], schema: &Schema, is_named: bool) -> Vec<Problem> {
    let fit = Fit { schema, is_named };
    let mut problems = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let mut told = |at: &str, message: String| problems.push(Problem { path: format!(".rules[{index}]{at}"), message });
        if let Some((at, why)) = fit.parameter(rule) {
            told(at, why);
        }
        let asked = [
            rule.validate.as_ref().map(|validate| (".validate.expression", validate.expression.as_str())),
            place_of_when(rule).zip(rule.when()),
        ];
        for (at, source) in asked.into_iter().flatten() {
            if let Some(why) = fit.expression(source) {
                told(at, why);
            }
        }
    }
    problems
}

struct Fit<'a> {
    schema: &'a Schema,
    is_named: bool,
}

impl Fit<'_> {
    /// Returns what is wrong with the parameter of a rule, or with what the rule does with it.
    fn parameter(&self, rule: &Rule) -> Option<(&'static str, String)> {
        if let Some(constrain) = &rule.constrain {
            let path = match self.exists(&constrain.parameter) {
                Ok(path) => path?,
                Err(why) => return Some((".constrain.parameter", why)),
            };
            let node = narrow::schema_at(self.schema, &path)?;
            if let Some(why) = node.kind().and_then(|kind| narrow::misfit(kind.name(), constrain)) {
                return Some((".constrain", format!("Change the rule {}: {why}.", rule.name)));
            }
            let unfit = constrain.r#enum.iter().find_map(|value| Some((value, contradictions::unfit(self.schema, &path, value)?)));
            // If the policy applies to many promises, this promise might have only some of the listed values.
            return match unfit {
                Some((value, why)) if self.is_named || constrain.r#enum.iter().all(|value| !of_its_type(node, value)) => {
                    Some((".constrain.enum", format!("Correct the value {}: {why}.", crate::wording::value(value))))
                }
                _ => None,
            };
        }
        let given = |set: &SetValue, parameter: &'static str, value: &'static str| {
            let path = match self.exists(&set.parameter) {
                Ok(path) => path?,
                Err(why) => return Some((parameter, why)),
            };
            contradictions::unfit(self.schema, &path, &set.value)
                .map(|why| (value, format!("Enter a value that the parameter accepts: {why}.")))
        };
        if let Some(set) = &rule.set {
            return given(set, ".set.parameter", ".set.value");
        }
        given(rule.default.as_ref()?, ".default.parameter", ".default.value")
    }

    /// Returns the parameter that a text names, or nothing if this promise can lack it, or if the text isn't a path, which is reported
    /// elsewhere.
    fn exists(&self, text: &str) -> Result<Option<Path>, String> {
        let Ok(path) = Path::parse(text) else { return Ok(None) };
        match narrow::spot(self.schema.json(), &path) {
            Spot::Absent if self.is_named => Err(format!("Name an existing parameter: the schema has no {text}.")),
            Spot::Absent => Ok(None),
            Spot::Declared(_) | Spot::Entry(_) | Spot::Open => Ok(Some(path)),
        }
    }

    /// Returns what is wrong with an expression, apart from what is wrong with it for every promise.
    fn expression(&self, source: &str) -> Option<String> {
        // Expressions that can't be parsed, or refer to nothing that exists, are reported elsewhere.
        let open = super::expressions::compile(source).ok()?;
        let source = expression::inside(source);
        let typed = |schema: &Schema| expression::environment(schema).compile_as(source, &Type::Bool);
        let program = match typed(self.schema) {
            Err(error) if !self.is_named && error.is_undefined_field() => {
                match typed(&Schema::parse_lenient(&with_lacking(self.schema.json(), open.references()))) {
                    // Deeper inside, it reads something else that this promise lacks.
                    Err(error) if error.is_undefined_field() => return None,
                    other => other,
                }
            }
            other => other,
        };
        let program = match program {
            Ok(program) => program,
            Err(error) => return Some(expression::sentence(&error)),
        };
        let usual = Schema::parse_lenient(&usual(self.schema.json()));
        let worst = program.worst_cost(&[("parameters", &usual)]);
        (worst > STEPS as f64).then(|| format!("Simplify the expression: {}.", ExpressionError::TooCostly { steps: worst }))
    }
}

/// Whether a value has the type of the parameter.
fn of_its_type(node: &Schema, value: &Value) -> bool {
    let Some(kind) = node.kind() else { return true };
    let bare = Schema::parse_lenient(&json!({"type": kind.name(), "x-kubernetes-preserve-unknown-fields": true}));
    bare.validate(value).is_empty()
}

/// Returns the schema extended by every field that an expression reads and the promise lacks, with any type.
fn with_lacking(schema: &Value, references: &[Vec<String>]) -> Value {
    let mut schema = schema.clone();
    for reference in references {
        let Some((variable, names)) = reference.split_first() else { continue };
        if variable == "parameters" {
            add_lacking(&mut schema, names);
        }
    }
    schema
}

fn add_lacking(node: &mut Value, names: &[String]) {
    let Some((name, rest)) = names.split_first() else { return };
    let is_object = node.get("type") == Some(&json!("object")) && node.get("additionalProperties").is_none();
    let Some(fields) = node.as_object_mut().filter(|_| is_object) else { return };
    let properties = fields.entry("properties").or_insert_with(|| json!({}));
    match properties.get_mut(name) {
        Some(known) => add_lacking(known, rest),
        None => properties[name.as_str()] = json!({"x-kubernetes-preserve-unknown-fields": true}),
    }
}

/// Returns the schema with assumed limits where it has none.
fn usual(node: &Value) -> Value {
    match node {
        Value::Object(fields) => {
            let mut fields: serde_json::Map<String, Value> = fields.iter().map(|(name, value)| (name.clone(), usual(value))).collect();
            let limit = match fields.get("type").and_then(Value::as_str) {
                Some("string") => Some(("maxLength", USUAL_LETTERS)),
                Some("array") => Some(("maxItems", USUAL_ITEMS)),
                Some("object") if fields.contains_key("additionalProperties") => Some(("maxProperties", USUAL_ITEMS)),
                _ => None,
            };
            if let Some((keyword, limit)) = limit {
                let said = fields.get(keyword).and_then(Value::as_u64).unwrap_or(limit);
                fields.insert(keyword.to_owned(), if keyword == "maxLength" { said.min(MOST_LETTERS) } else { said }.into());
            }
            Value::Object(fields)
        }
        Value::Array(items) => Value::Array(items.iter().map(usual).collect()),
        other => other.clone(),
    }
}
