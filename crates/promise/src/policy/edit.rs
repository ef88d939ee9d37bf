//! A policy as a form: its texts, its scope, and one of its rules, in fields for the kind of the rule.
//!
//! The form is that of a promise whose parameters are these values ([`promise_of`]), so `form::model` and `form::parse` render and read it.
//! [`values_of`] takes the values out of a spec and [`put`] puts them back. Everything without a field stays as it was written: other rules,
//! and fields that this version doesn't know.

mod fields;
mod words;

use serde_json::{Map, Value, json};

use crate::api::PromiseSpec;
use crate::path::Path;
use crate::shape::Shape;
use crate::wording;

pub use fields::promise_of;

/// Name of the rule in the values of the form.
pub(super) const NAME: &str = "ruleName";
/// The rule's effect in the values of the form.
pub(super) const RULE: &str = "rule";

/// A kind of rule with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleKind {
    /// Restricts the values of a parameter.
    Constrain,
    /// Sets the default value of a parameter.
    Default,
    /// Sets a parameter to a fixed value.
    Set,
    /// Refuses the request unless an expression is true.
    Validate,
    /// Requires approval.
    Approve,
    /// Limits the number of instances.
    Limit,
    /// Limits the price.
    Budget,
    /// Merges fields into rendered objects.
    Inject,
}

impl RuleKind {
    /// All kinds.
    pub const ALL: [Self; 8] =
        [Self::Constrain, Self::Default, Self::Set, Self::Validate, Self::Approve, Self::Limit, Self::Budget, Self::Inject];

    /// Returns the field of a rule that contains this effect.
    pub fn word(self) -> &'static str {
        match self {
            Self::Constrain => "constrain",
            Self::Default => "default",
            Self::Set => "set",
            Self::Validate => "validate",
            Self::Approve => "approve",
            Self::Limit => "limit",
            Self::Budget => "budget",
            Self::Inject => "inject",
        }
    }

    /// Returns the kind with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Returns the kind of a rule. `None` if it has no effect, several, or one without a form.
    pub fn of(rule: &Value) -> Option<Self> {
        let mut kinds = Self::ALL.into_iter().filter(|kind| rule.get(kind.word()).is_some_and(Value::is_object));
        let kind = kinds.next()?;
        let others = ["schedule", "window"].iter().any(|word| rule.get(*word).is_some());
        (kinds.next().is_none() && !others).then_some(kind)
    }

    /// Whether only policies of trusted homes can have it.
    pub fn needs_trust(self) -> bool {
        matches!(self, Self::Set | Self::Inject)
    }

    /// Whether it applies to a parameter.
    fn has_parameter(self) -> bool {
        matches!(self, Self::Constrain | Self::Default | Self::Set)
    }

    /// Whether it can apply under a condition only.
    fn has_condition(self) -> bool {
        !matches!(self, Self::Validate | Self::Limit | Self::Budget)
    }

    /// Returns the heading of its form.
    pub fn title(self) -> &'static str {
        words::title(self)
    }

    /// Returns an effect to start from.
    fn start(self) -> Value {
        match self {
            Self::Limit => json!({"count": 3, "per": "workspace"}),
            Self::Budget => json!({"currency": "EUR", "per": "workspace"}),
            Self::Approve => json!({"approvers": {}}),
            _ => json!({}),
        }
    }
}

/// A parameter that a rule can apply to.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Path, such as `.backup.enabled`.
    pub path: String,
    /// Label.
    pub label: String,
    /// Display names of the promises that have it.
    pub promises: Vec<String>,
    /// Its schema in the first of them.
    pub node: Value,
}

/// What the form offers to choose from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offered {
    /// Names of promises.
    pub promises: Vec<String>,
    /// Globs of workspaces.
    pub workspaces: Vec<String>,
    /// Parameters of the promises in scope.
    pub parameters: Vec<Parameter>,
    /// Number of promises in scope.
    pub in_scope: usize,
}

/// Maximum depth of parameters that are offered.
const DEEPEST: usize = 4;

/// Returns the parameters of promises, given with their display names, in the order of paths. Secrets and objects as a whole are left out.
pub fn parameters(promises: &[(&str, &PromiseSpec)]) -> Vec<Parameter> {
    let mut found: Vec<Parameter> = Vec::new();
    for (title, promise) in promises {
        if let Some(schema) = &promise.parameters {
            collect(promise, title, schema, &Path::default(), &mut found);
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn collect(promise: &PromiseSpec, title: &str, node: &Value, at: &Path, into: &mut Vec<Parameter>) {
    for (key, child) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let path = at.child(key);
        if Shape::of(child) == Shape::Object && path.0.len() < DEEPEST {
            collect(promise, title, child, &path, into);
            continue;
        }
        let text = path.to_string();
        if promise.secret_parameters.contains(&text) {
            continue;
        }
        match into.iter_mut().find(|known| known.path == text) {
            Some(known) if known.promises.iter().any(|known| known == title) => {}
            Some(known) => known.promises.push(title.to_owned()),
            None => into.push(Parameter {
                label: wording::label(promise, &path),
                promises: vec![title.to_owned()],
                node: child.clone(),
                path: text,
            }),
        }
    }
}

/// Returns the kind of a rule of a spec, and the values of the form. `None` if there is no such rule, or its kind has no form.
pub fn values_of(spec: &Value, index: usize) -> Option<(RuleKind, Value)> {
    let rule = spec.get("rules")?.get(index)?;
    let kind = RuleKind::of(rule)?;
    let mut values = spec.as_object()?.clone();
    values.remove("rules");
    values.insert(NAME.to_owned(), rule.get("name").cloned().unwrap_or_else(|| json!("")));
    values.insert(RULE.to_owned(), rule.get(kind.word())?.clone());
    Some((kind, Value::Object(values)))
}

/// Returns the spec with the values of the form. `now` is the kind that the rule has from now on; another kind starts with the same
/// parameter.
pub fn put(spec: &Value, index: usize, (kind, now): (RuleKind, RuleKind), values: &Value) -> Value {
    let mut next = values.as_object().cloned().unwrap_or_default();
    let name = next.remove(NAME).unwrap_or_else(|| json!(""));
    let effect = next.remove(RULE).unwrap_or_else(|| json!({}));
    let mut rules = spec.get("rules").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(rule) = rules.get_mut(index).and_then(Value::as_object_mut) {
        rule.insert("name".to_owned(), name);
        if kind == now {
            rule.insert(kind.word().to_owned(), effect);
        } else {
            rule.remove(kind.word());
            let mut start = now.start();
            let carried =
                [("parameter", kind.has_parameter() && now.has_parameter()), ("when", kind.has_condition() && now.has_condition())];
            for (field, _) in carried.into_iter().filter(|(_, carried)| *carried) {
                if let Some(value) = effect.get(field) {
                    start[field] = value.clone();
                }
            }
            rule.insert(now.word().to_owned(), start);
        }
    }
    next.insert("rules".to_owned(), Value::Array(rules));
    Value::Object(next)
}

/// Adds a rule of a kind to a spec, and returns its position.
pub fn add_rule(spec: &mut Value, kind: RuleKind) -> usize {
    let Some(fields) = spec.as_object_mut() else { return 0 };
    let rules = fields.entry("rules").or_insert_with(|| json!([]));
    if !rules.is_array() {
        *rules = json!([]);
    }
    let Some(rules) = rules.as_array_mut() else { return 0 };
    let mut rule = Map::new();
    let taken = |name: &str| rules.iter().any(|rule| rule.get("name").and_then(Value::as_str) == Some(name));
    let name = (rules.len() + 1..).map(|number| format!("rule-{number}")).find(|name| !taken(name));
    rule.insert("name".to_owned(), name.into());
    rule.insert(kind.word().to_owned(), kind.start());
    rules.push(Value::Object(rule));
    rules.len() - 1
}

/// Removes a rule from a spec.
pub fn remove_rule(spec: &mut Value, index: usize) {
    if let Some(rules) = spec.get_mut("rules").and_then(Value::as_array_mut).filter(|rules| index < rules.len()) {
        rules.remove(index);
    }
}

/// Returns the path in the form for a path in the spec, such as `.parameters.rule.minimum` for `.rules[0].constrain.minimum`. `None` if it
/// belongs to another rule.
pub fn field_path(path: &str, index: usize, kind: RuleKind) -> Option<String> {
    let Some(rest) = path.strip_prefix(".rules") else { return Some(format!(".parameters{path}")) };
    let rest = rest.strip_prefix(&format!("[{index}]"))?;
    match rest.strip_prefix(&format!(".{}", kind.word())) {
        Some(inner) => Some(format!(".parameters.{RULE}{inner}")),
        None if rest == ".name" => Some(format!(".parameters.{NAME}")),
        None => Some(format!(".parameters.{RULE}")),
    }
}

/// Returns an object name for a title: `Small caches only` becomes `small-caches-only`.
pub fn name_of(title: &str) -> String {
    let mut name = String::new();
    for letter in title.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => name.push(letter.to_ascii_lowercase()),
            _ if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            _ => {}
        }
        if name.len() >= 60 {
            break;
        }
    }
    name.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Offered, RuleKind, add_rule, field_path, name_of, parameters, promise_of, put, remove_rule, values_of};
    use crate::api::PromiseSpec;
    use crate::form::{Control, Draft, Field, model, parse};
    use crate::policy::Effective;

    fn redis() -> PromiseSpec {
        PromiseSpec {
            parameters: Some(json!({"type": "object", "properties": {
                "replicas": {"type": "integer", "minimum": 1, "maximum": 7},
                "size": {"type": "string", "enum": ["small", "large"]},
                "backup": {"type": "object", "properties": {"enabled": {"type": "boolean"}}},
                "password": {"type": "object", "properties": {"name": {"type": "string"}}},
            }})),
            secret_parameters: vec![".password.name".into()],
            ..PromiseSpec::default()
        }
    }

    fn offered() -> Offered {
        let redis = redis();
        Offered {
            promises: vec!["redis".into()],
            workspaces: vec!["root:acme:**".into()],
            parameters: parameters(&[("Redis", &redis), ("Valkey", &redis)]),
            in_scope: 2,
        }
    }

    fn spec() -> Value {
        json!({
            "title": "Small", "later": {"x": 1}, "appliesTo": {"promises": ["redis"], "zones": ["a"]},
            "rules": [
                {"name": "few", "constrain": {"parameter": ".replicas", "maximum": 3, "soft": true}, "note": "n"},
                {"name": "other", "limit": {"count": 2, "per": "workspace"}},
            ],
        })
    }

    /// Returns what the form posts as it is rendered, with some inputs changed.
    fn posted(spec: &Value, index: usize, changes: &[(&str, &str)]) -> Value {
        let (kind, values) = values_of(spec, index).unwrap();
        let promise = promise_of(kind, &offered(), &values);
        let pairs: Vec<(String, String)> = changes.iter().map(|(name, text)| (format!("/parameters{name}"), (*text).to_owned())).collect();
        let parsed = parse(&pairs, &promise, &Effective::default(), &values);
        assert_eq!(parsed.draft.problems, []);
        put(spec, index, (kind, kind), &parsed.draft.parameters)
    }

    fn fields(spec: &Value, index: usize) -> Vec<Field> {
        let (kind, values) = values_of(spec, index).unwrap();
        let promise = promise_of(kind, &offered(), &values);
        model(&promise, &Effective::default(), &Draft::of(values), &[]).fields().into_iter().cloned().collect()
    }

    #[test]
    fn what_has_no_field_stays() {
        let spec = spec();
        assert_eq!(posted(&spec, 0, &[]), spec);
        let mut expected = spec.clone();
        expected["rules"][0]["constrain"]["maximum"] = json!(4);
        expected["rules"][0]["constrain"]["minimum"] = json!(2);
        expected["title"] = json!("Smaller");
        assert_eq!(posted(&spec, 0, &[("/rule/maximum", "4"), ("/rule/minimum", "2"), ("/title", "Smaller")]), expected);
        expected = spec.clone();
        expected["rules"][1]["limit"]["count"] = json!(5);
        assert_eq!(posted(&spec, 1, &[("/rule/count", "5")]), expected);
    }

    #[test]
    fn fields_follow_the_type_of_the_parameter() {
        let mut spec = spec();
        let names = |spec: &Value| -> Vec<String> {
            let shown = fields(spec, 0).into_iter().filter(|field| field.visible && field.path.starts_with(".rule."));
            shown.map(|field| field.path.trim_start_matches(".rule.").to_owned()).collect()
        };
        assert_eq!(names(&spec), ["parameter", "minimum", "maximum", "when"]);
        spec["rules"][0]["constrain"] = json!({"parameter": ".size"});
        assert_eq!(names(&spec), ["parameter", "enum", "when"]);
        let of_size = fields(&spec, 0).into_iter().find(|field| field.path == ".rule.enum").unwrap();
        let Control::List { options, .. } = of_size.control else { panic!("{of_size:?}") };
        assert_eq!(options, ["small", "large"]);
        spec["rules"][0] = json!({"name": "d", "default": {"parameter": ".backup.enabled", "value": true}});
        assert_eq!(names(&spec), ["parameter", "value", "when"]);
        spec["rules"][0] = json!({"name": "c", "constrain": {}});
        assert_eq!(names(&spec), ["parameter", "when"], "bounds follow once the parameter is chosen");
    }

    #[test]
    fn every_kind_has_a_form_and_another_kind_keeps_the_parameter() {
        let mut spec = json!({});
        for kind in RuleKind::ALL {
            let index = add_rule(&mut spec, kind);
            assert_eq!(values_of(&spec, index).map(|(kind, _)| kind), Some(kind));
            assert!(fields(&spec, index).iter().any(|field| field.path.starts_with(".rule.")), "{kind:?}");
            assert_eq!(RuleKind::parse(kind.word()), Some(kind));
        }
        assert_eq!(spec["rules"][7]["name"], "rule-8");
        remove_rule(&mut spec, 0);
        assert_eq!(spec["rules"].as_array().unwrap().len(), 7);
        assert_eq!(values_of(&json!({"rules": [{"name": "w", "window": {}}]}), 0), None);

        let (kind, values) = values_of(&self::spec(), 0).unwrap();
        let next = put(&self::spec(), 0, (kind, RuleKind::Default), &values);
        assert_eq!(next["rules"][0], json!({"name": "few", "default": {"parameter": ".replicas"}, "note": "n"}));
        let next = put(&self::spec(), 0, (kind, RuleKind::Limit), &values);
        assert_eq!(next["rules"][0]["limit"], json!({"count": 3, "per": "workspace"}));
    }

    #[test]
    fn parameters_are_offered_once_and_problems_lead_to_fields() {
        let offered = offered();
        let paths: Vec<&str> = offered.parameters.iter().map(|parameter| parameter.path.as_str()).collect();
        assert_eq!(paths, [".backup.enabled", ".replicas", ".size"]);
        assert_eq!(offered.parameters[1].promises, ["Redis", "Valkey"]);
        let at = |path: &str| field_path(path, 0, RuleKind::Constrain);
        assert_eq!(at(".rules[0].constrain.minimum").as_deref(), Some(".parameters.rule.minimum"));
        assert_eq!(at(".rules[0].name").as_deref(), Some(".parameters.ruleName"));
        assert_eq!(at(".rules[1].limit.count"), None);
        assert_eq!(at(".appliesTo.promises[0]").as_deref(), Some(".parameters.appliesTo.promises[0]"));
        assert_eq!((name_of("Small caches, only!").as_str(), name_of("…").as_str()), ("small-caches-only", ""));
    }
}
