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
    /// Runs an action on a schedule.
    Schedule,
    /// Restricts when changes are carried out.
    Window,
}

impl RuleKind {
    /// All kinds.
    pub const ALL: [Self; 10] = [
        Self::Constrain,
        Self::Default,
        Self::Set,
        Self::Validate,
        Self::Approve,
        Self::Limit,
        Self::Budget,
        Self::Inject,
        Self::Schedule,
        Self::Window,
    ];

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
            Self::Schedule => "schedule",
            Self::Window => "window",
        }
    }

    /// Returns the kind with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Returns the kind of a rule. `None` if it has no effect, or several.
    pub fn of(rule: &Value) -> Option<Self> {
        let mut kinds = Self::ALL.into_iter().filter(|kind| rule.get(kind.word()).is_some_and(Value::is_object));
        let kind = kinds.next()?;
        kinds.next().is_none().then_some(kind)
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
        !matches!(self, Self::Validate | Self::Limit | Self::Budget | Self::Schedule | Self::Window)
    }

    /// Whether something can violate it, so that the policy's enforcement makes a difference.
    fn can_be_violated(self) -> bool {
        matches!(self, Self::Constrain | Self::Validate | Self::Limit | Self::Budget | Self::Window)
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

/// An action that a schedule can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedAction {
    /// Name.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Display names of the promises that have it.
    pub promises: Vec<String>,
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
    /// Actions of the promises in scope.
    pub actions: Vec<OfferedAction>,
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

/// Returns the actions of promises, given with their display names, in the order of names.
pub fn actions(promises: &[(&str, &PromiseSpec)]) -> Vec<OfferedAction> {
    let mut found: Vec<OfferedAction> = Vec::new();
    for (title, promise) in promises {
        for (name, action) in &promise.actions {
            match found.iter_mut().find(|known| known.name == *name) {
                Some(known) if known.promises.iter().any(|known| known == title) => {}
                Some(known) => known.promises.push((*title).to_owned()),
                None => found.push(OfferedAction {
                    name: name.clone(),
                    title: action.title(name).to_owned(),
                    promises: vec![(*title).to_owned()],
                }),
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
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
mod tests;
