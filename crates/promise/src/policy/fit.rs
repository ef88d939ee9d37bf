//! Whether rules fit a promise: that they are about parameters which exist, give values which the schema takes, and ask what can be
//! asked of them. What is wrong has its path in the policy, such as `.rules[2].constrain.parameter`.

use schema::expr::{ExprError, Type};
use schema::structural::Schema;
use serde_json::{Value, json};

use super::contradictions;
use super::expressions::{STEPS, too_costly};
use super::narrow::{self, Spot};
use super::range;
use super::validity::place_of_when;
use crate::api::{PolicySpec, PromiseSpec, Rule, SetValue};
use crate::error::Problem;
use crate::expression;
use crate::path::Path;
use crate::resolve::PromiseReading;

/// Items and letters that a list, map or text without a limit of its own is taken to have when the cost of an expression is judged:
/// more than that is refused when it comes, by the budget.
const USUAL_ITEMS: u64 = 10;
const USUAL_LETTERS: u64 = 64;
/// Letters of a text at most, then: patterns are judged as far more costly than they are.
const MOST_LETTERS: u64 = 1_000;

/// What is wrong with a policy for one promise; nothing for a promise that is not in its range.
///
/// A policy that names the promise has to fit it. One that reaches it by a wildcard, or reaches all, may be about parameters that this
/// promise lacks; what they have in common has to fit. What is wrong with the policy by itself, [`super::validity`] says.
pub fn check_against(spec: &PolicySpec, promise_name: &str, promise: &PromiseSpec) -> Vec<Problem> {
    if !range::covers_promise(&spec.applies_to, promise_name) {
        return Vec::new();
    }
    let bare = PromiseSpec { parameters: promise.parameters.clone(), ..PromiseSpec::default() };
    let reading = PromiseReading::of(&bare, false);
    let is_named = spec.applies_to.promises.iter().any(|name| name == promise_name);
    check_rules(&spec.rules, reading.schema(), is_named)
}

/// As [`check_against`], of rules alone. `is_named` says whether they mean just this promise.
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
    /// What is wrong with the parameter of a rule, or with what the rule does with it.
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
            // Of one promise among many, some of the listed values may be all that it has.
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
                .map(|why| (value, format!("Give a value that fits the parameter: {why}.")))
        };
        if let Some(set) = &rule.set {
            return given(set, ".set.parameter", ".set.value");
        }
        given(rule.default.as_ref()?, ".default.parameter", ".default.value")
    }

    /// The parameter that a text names; nothing if this promise may lack it, or if the text is no path, which is told elsewhere.
    fn exists(&self, text: &str) -> Result<Option<Path>, String> {
        let Ok(path) = Path::parse(text) else { return Ok(None) };
        match narrow::spot(self.schema.json(), &path) {
            Spot::Absent if self.is_named => Err(format!("Name a parameter of the schema: there is no {text}.")),
            Spot::Absent => Ok(None),
            Spot::Declared(_) | Spot::Entry(_) | Spot::Open => Ok(Some(path)),
        }
    }

    /// What is wrong with an expression, beyond what is wrong with it for every promise.
    fn expression(&self, source: &str) -> Option<String> {
        // One that cannot be read at all, or is about nothing that there is, is told elsewhere.
        let open = super::expressions::compile(source).ok()?;
        let source = expression::inside(source);
        let typed = |schema: &Schema| expression::environment(schema).compile_as(source, &Type::Bool);
        let program = match typed(self.schema) {
            Err(error) if !self.is_named && is_unknown_field(&error) => {
                match typed(&Schema::parse_lenient(&with_lacking(self.schema.json(), open.references()))) {
                    // Deeper inside it reads something else that this promise lacks.
                    Err(error) if is_unknown_field(&error) => return None,
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
        (worst > STEPS as f64).then(|| format!("Make the expression smaller: {}.", too_costly(worst)))
    }
}

fn is_unknown_field(error: &ExprError) -> bool {
    matches!(error, ExprError::Type { message, .. } if message.starts_with("undefined field"))
}

/// Whether a value is of the type of a parameter at all.
fn of_its_type(node: &Schema, value: &Value) -> bool {
    let Some(kind) = node.kind() else { return true };
    let bare = Schema::parse_lenient(&json!({"type": kind.name(), "x-kubernetes-preserve-unknown-fields": true}));
    bare.validate(value).is_empty()
}

/// The schema with whatever an expression reads and the promise lacks, as fields of any kind.
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

/// The schema with usual limits where it has none.
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
