//! Checks whether rules fit a promise: their parameters and actions exist, their values match the schema, and their constraints apply to the
//! type.
//! Problems have paths in the policy, such as `.rules[2].constrain.parameter`.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use schema::expr::{Program, Type};
use schema::structural::Schema;
use serde_json::{Value, json};

use super::contradictions;
use super::expressions::{STEPS, compile_in, environment_of_actions};
use super::narrow::{self, Spot};
use super::range;
use super::reading::{Reading, RuleReading};
use super::refusal::{ExpressionError, UnfitValue};
use super::validity::place_of_when;
use crate::api::{ActionSpec, PolicySpec, PromiseSpec, Rule, Schedule, SetValue};
use crate::expression;
use crate::path::Path;
use crate::problem::Problem;

/// Number of items assumed for a list or map without a limit when the cost of an expression is estimated, and likewise for text length:
/// larger values are refused by the budget at evaluation.
const USUAL_ITEMS: u64 = 10;
const USUAL_LETTERS: u64 = 64;
/// Maximum number of characters assumed: patterns are estimated as far more expensive than they are.
const MOST_LETTERS: u64 = 1_000;

/// A promise to check policies against: the schema of its parameters, and what expressions can read, parsed once for all policies.
pub struct FitSchema {
    schema: Schema,
    derived: Derived,
    actions: Actions,
}

/// The actions of a promise by name.
type Actions = BTreeMap<String, ActionSchema>;

/// The schema of an action's parameters, parsed when the first rule needs it.
struct ActionSchema {
    json: Value,
    parsed: OnceCell<Schema>,
}

impl ActionSchema {
    /// Returns the actions of a promise.
    fn all(promise: &PromiseSpec) -> Actions {
        let read = |action: &ActionSpec| Self { json: expression::parameters_schema(action.parameters.as_ref()), parsed: OnceCell::new() };
        promise.actions.iter().map(|(name, action)| (name.clone(), read(action))).collect()
    }

    /// Returns why the action doesn't accept these parameters, as a clause.
    fn unfit(&self, parameters: Option<&Value>) -> Option<String> {
        let schema = self.parsed.get_or_init(|| Schema::parse_without_rules(&self.json));
        let why = contradictions::unfit(schema, &Path::default(), parameters.unwrap_or(&json!({})))?;
        Some(match &why {
            UnfitValue::Rejected(error) => format!("{} is wrong: {}", error.place(), error.body().trim_end_matches('.')),
            UnfitValue::UnknownField { .. } => why.to_string(),
        })
    }
}

/// What only some rules need of a schema, made when the first one does.
#[derive(Default)]
struct Derived {
    parameters: OnceCell<Type>,
    usual: OnceCell<Schema>,
}

impl FitSchema {
    /// Parses the schema of a promise.
    pub fn of(promise: &PromiseSpec) -> Self {
        let schema = Schema::parse_without_rules(&expression::parameters_schema(promise.parameters.as_deref()));
        Self { schema, derived: Derived::default(), actions: ActionSchema::all(promise) }
    }
}

/// Returns what is wrong with a policy for one promise, or nothing if the promise is out of scope, or has no action that is.
///
/// A policy that names the promise must fit it. One that matches it by a wildcard, or applies to all promises, can have parameters that
/// this promise lacks; only the parameters they share must fit. [`super::validity`] reports what is wrong with the policy itself.
pub fn check_against(spec: &PolicySpec, promise_name: &str, promise: &PromiseSpec) -> Vec<Problem> {
    let fit = FitSchema::of(promise);
    if !is_in_scope(spec, promise_name, &fit) {
        return Vec::new();
    }
    let FitSchema { schema, derived, actions } = &fit;
    let (is_named, for_actions) = (names(spec, promise_name), spec.applies_to.is_for_actions());
    Fit { schema, derived, actions, is_named, for_actions }.rules(spec.rules.iter().map(|rule| (rule, None)))
}

/// Like [`check_against`], for a parsed policy and a parsed promise: many policies apply to a promise, and many promises to a policy.
pub fn check_read(policy: &Reading, promise_name: &str, promise: &FitSchema) -> Vec<Problem> {
    if !is_in_scope(&policy.spec, promise_name, promise) {
        return Vec::new();
    }
    let FitSchema { schema, derived, actions } = promise;
    let for_actions = policy.spec.applies_to.is_for_actions();
    let fit = Fit { schema, derived, actions, is_named: names(&policy.spec, promise_name), for_actions };
    fit.rules(policy.rules().map(|(rule, read)| (rule, Some(read))))
}

/// Like [`check_against`], for the promise's own rules, with its parsed schema.
pub(crate) fn check_own(promise: &PromiseSpec, schema: &Schema) -> Vec<Problem> {
    let actions = ActionSchema::all(promise);
    let fit = Fit { schema, derived: &Derived::default(), actions: &actions, is_named: true, for_actions: false };
    fit.rules(promise.policies.iter().map(|rule| (rule, None)))
}

/// Whether a policy applies to requests of a promise, or to runs of one of its actions.
fn is_in_scope(spec: &PolicySpec, promise_name: &str, promise: &FitSchema) -> bool {
    let range = &spec.applies_to;
    let has_action = || promise.actions.keys().any(|action| range.covers_action(action));
    range::covers_promise(range, promise_name) && (!range.is_for_actions() || has_action())
}

/// Whether a policy lists exactly this promise.
fn names(spec: &PolicySpec, promise_name: &str) -> bool {
    spec.applies_to.promises.iter().any(|name| name == promise_name)
}

struct Fit<'a> {
    schema: &'a Schema,
    derived: &'a Derived,
    actions: &'a Actions,
    is_named: bool,
    /// Whether the policy is for actions.
    for_actions: bool,
}

impl Fit<'_> {
    /// Returns what is wrong with rules, each with its parsed contents if there are any.
    fn rules<'r>(&self, rules: impl Iterator<Item = (&'r Rule, Option<&'r RuleReading>)>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (index, (rule, read)) in rules.enumerate() {
            let mut report = |at: &str, message: String| problems.push(Problem { path: format!(".rules[{index}]{at}"), message });
            if let Some((at, why)) = self.parameter(rule) {
                report(at, why);
            }
            if let Some((at, why)) = rule.schedule.as_ref().and_then(|schedule| self.scheduled(schedule)) {
                report(at, why);
            }
            let validate = rule.validate.as_ref().map(|validate| (".validate.expression", validate.expression.as_str()));
            let when = place_of_when(rule).zip(rule.when());
            let asked = [
                validate.map(|asked| (asked, read.and_then(|read| read.expression.as_ref()))),
                when.map(|asked| (asked, read.and_then(|read| read.when.as_ref()))),
            ];
            for ((at, source), parsed) in asked.into_iter().flatten() {
                if let Some(why) = self.expression(source, parsed) {
                    report(at, why);
                }
            }
        }
        problems
    }

    /// Returns what is wrong with the action of a schedule, or with its parameters.
    fn scheduled(&self, schedule: &Schedule) -> Option<(&'static str, String)> {
        let Schedule { action, parameters, .. } = schedule;
        let Some(known) = self.actions.get(action) else {
            // A name that no action can have is reported elsewhere.
            let is_missing = self.is_named && ActionSpec::is_name(action);
            return is_missing.then(|| (".schedule.action", format!("Name an existing action: the promise has no {action}.")));
        };
        let why = known.unfit(parameters.as_ref())?;
        Some((".schedule.parameters", format!("Enter values that the action {action} accepts: {why}.")))
    }

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
    fn expression(&self, source: &str, parsed: Option<&Program>) -> Option<String> {
        // Expressions that can't be parsed, or refer to nothing that exists, are reported elsewhere.
        let open = match parsed {
            Some(parsed) => Cow::Borrowed(parsed),
            None => {
                let environment = if self.for_actions { environment_of_actions() } else { super::environment() };
                Cow::Owned(compile_in(&environment, source).ok()?)
            }
        };
        let typed = |parameters: Type| {
            let environment = expression::environment_of(parameters);
            let environment = if self.for_actions { expression::with_any_action(environment) } else { environment };
            environment.check_as(&open, &Type::Bool)
        };
        let program = match typed(self.parameters().clone()) {
            Err(error) if !self.is_named && error.is_undefined_field() => match typed(self.with_lacking(open.references())) {
                // Deeper inside, it reads something else that this promise lacks.
                Err(error) if error.is_undefined_field() => return None,
                other => other,
            },
            other => other,
        };
        let program = match program {
            Ok(program) => program,
            Err(error) => return Some(expression::sentence(&error)),
        };
        let usual = self.derived.usual.get_or_init(|| Schema::parse_without_rules(&usual(self.schema.json())));
        let worst = program.worst_cost(&[("parameters", usual)]);
        (worst > STEPS as f64).then(|| format!("Simplify the expression: {}.", ExpressionError::TooCostly { steps: worst }))
    }

    /// Returns the type of the parameters.
    fn parameters(&self) -> &Type {
        self.derived.parameters.get_or_init(|| Type::from_schema(self.schema))
    }

    /// Returns the type of the parameters with every field that an expression reads and the promise lacks.
    fn with_lacking(&self, references: &[Vec<String>]) -> Type {
        let mut parameters = self.parameters().clone();
        for reference in references {
            if let Some(("parameters", path)) = reference.split_first().map(|(variable, path)| (variable.as_str(), path)) {
                parameters.declare(path);
            }
        }
        parameters
    }
}

/// Whether a value has the type of the parameter.
fn of_its_type(node: &Schema, value: &Value) -> bool {
    let Some(kind) = node.kind() else { return true };
    let bare = Schema::parse_lenient(&json!({"type": kind.name(), "x-kubernetes-preserve-unknown-fields": true}));
    bare.validate(value).is_empty()
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
