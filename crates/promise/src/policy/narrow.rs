//! Constraints worked into the schema: what is left of a parameter, and what nobody can satisfy.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value, json};

use super::compose::named;
use super::effective::{Conflict, Ruling};
use super::source::Provenance;
use crate::api::{Constrain, Enforcement, PromiseSpec};
use crate::path::{Path, Segment};
use crate::wording;

/// What a schema node and constraints leave of a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Smallest number.
    pub minimum: Option<f64>,
    /// Largest number.
    pub maximum: Option<f64>,
    /// Whether the smallest number itself is out.
    pub exclusive_minimum: bool,
    /// Whether the largest number itself is out.
    pub exclusive_maximum: bool,
    /// Shortest text.
    pub min_length: Option<u64>,
    /// Longest text.
    pub max_length: Option<u64>,
    /// Fewest items.
    pub min_items: Option<u64>,
    /// Most items.
    pub max_items: Option<u64>,
    /// Values that are left; `None` when any is.
    pub values: Option<Vec<Value>>,
}

impl Bounds {
    /// The bounds of a schema node by itself.
    pub fn of_node(node: &Value) -> Self {
        let flag = |name: &str| node.get(name).and_then(Value::as_bool).unwrap_or(false);
        Self {
            minimum: node.get("minimum").and_then(Value::as_f64),
            maximum: node.get("maximum").and_then(Value::as_f64),
            exclusive_minimum: flag("exclusiveMinimum"),
            exclusive_maximum: flag("exclusiveMaximum"),
            min_length: node.get("minLength").and_then(Value::as_u64),
            max_length: node.get("maxLength").and_then(Value::as_u64),
            min_items: node.get("minItems").and_then(Value::as_u64),
            max_items: node.get("maxItems").and_then(Value::as_u64),
            values: node.get("enum").and_then(Value::as_array).cloned(),
        }
    }

    /// Narrows by a constraint.
    pub fn narrow(&mut self, by: &Constrain) {
        if let Some(minimum) = by.minimum
            && self.minimum.is_none_or(|kept| minimum > kept)
        {
            self.minimum = Some(minimum);
            self.exclusive_minimum = false;
        }
        if let Some(maximum) = by.maximum
            && self.maximum.is_none_or(|kept| maximum < kept)
        {
            self.maximum = Some(maximum);
            self.exclusive_maximum = false;
        }
        self.min_length = self.min_length.max(by.min_length);
        self.max_length = smaller(self.max_length, by.max_length);
        self.min_items = self.min_items.max(by.min_items);
        self.max_items = smaller(self.max_items, by.max_items);
        if !by.r#enum.is_empty() {
            self.values = Some(match self.values.take() {
                Some(values) => values.into_iter().filter(|value| by.r#enum.iter().any(|left| same(left, value))).collect(),
                None => by.r#enum.clone(),
            });
        }
        if let Some(values) = self.values.take() {
            self.values = Some(values.into_iter().filter(|value| self.admits_one(value)).collect());
        }
    }

    /// Whether no value at all is left.
    pub fn is_empty(&self) -> bool {
        let numbers = match (self.minimum, self.maximum) {
            (Some(minimum), Some(maximum)) => {
                minimum > maximum || (minimum == maximum && (self.exclusive_minimum || self.exclusive_maximum))
            }
            _ => false,
        };
        let crossed = |low: Option<u64>, high: Option<u64>| matches!((low, high), (Some(low), Some(high)) if low > high);
        numbers
            || crossed(self.min_length, self.max_length)
            || crossed(self.min_items, self.max_items)
            || self.values.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether a value is within all bounds; bounds of other types say nothing about it.
    pub fn admits(&self, value: &Value) -> bool {
        self.admits_one(value) && self.values.as_ref().is_none_or(|values| values.iter().any(|left| same(left, value)))
    }

    fn admits_one(&self, value: &Value) -> bool {
        match value {
            Value::Number(number) => number.as_f64().is_none_or(|number| {
                self.minimum.is_none_or(|low| number > low || (number == low && !self.exclusive_minimum))
                    && self.maximum.is_none_or(|high| number < high || (number == high && !self.exclusive_maximum))
            }),
            Value::String(text) => {
                let length = text.chars().count() as u64;
                self.min_length.is_none_or(|low| length >= low) && self.max_length.is_none_or(|high| length <= high)
            }
            Value::Array(items) => {
                let length = items.len() as u64;
                self.min_items.is_none_or(|low| length >= low) && self.max_items.is_none_or(|high| length <= high)
            }
            Value::Null | Value::Bool(_) | Value::Object(_) => true,
        }
    }

    fn write(&self, node: &mut Map<String, Value>) {
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                node.insert(name.to_owned(), value);
            }
        };
        put("minimum", self.minimum.map(number));
        put("maximum", self.maximum.map(number));
        put("minLength", self.min_length.map(Value::from));
        put("maxLength", self.max_length.map(Value::from));
        put("minItems", self.min_items.map(Value::from));
        put("maxItems", self.max_items.map(Value::from));
        put("enum", self.values.clone().map(Value::Array));
        if !self.exclusive_minimum {
            node.remove("exclusiveMinimum");
        }
        if !self.exclusive_maximum {
            node.remove("exclusiveMaximum");
        }
    }
}

fn smaller(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Equal as JSON Schema counts it: 1 and 1.0 are the same number.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || (x.as_f64() == y.as_f64() && (x.is_f64() || y.is_f64())),
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, value)| y.get(key).is_some_and(|other| same(value, other)))
        }
        _ => a == b,
    }
}

fn number(number: f64) -> Value {
    // Whole numbers stay integers, so that `minimum: 2` reads as it was written.
    if number.fract() == 0.0 && number.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// The schema node that describes the parameter at a path.
pub(crate) fn node_at<'s>(schema: &'s Value, path: &Path) -> Option<&'s Value> {
    path.0.iter().try_fold(schema, |node, segment| match segment {
        Segment::Key(key) => match node.get("properties").and_then(|properties| properties.get(key)) {
            Some(property) => Some(property),
            None => node.get("additionalProperties").filter(|open| open.is_object()),
        },
        Segment::Index(_) => node.get("items"),
        Segment::Each => node.get("items").or_else(|| node.get("additionalProperties").filter(|open| open.is_object())),
    })
}

fn node_at_mut<'s>(schema: &'s mut Value, path: &Path) -> Option<&'s mut Value> {
    path.0.iter().try_fold(schema, |node, segment| {
        let object = node.as_object_mut()?;
        let inside = match segment {
            Segment::Key(key) => {
                if object.get("properties").is_some_and(|properties| properties.get(key).is_some()) {
                    return object.get_mut("properties")?.get_mut(key);
                }
                "additionalProperties"
            }
            Segment::Index(_) => "items",
            Segment::Each if object.contains_key("items") => "items",
            Segment::Each => "additionalProperties",
        };
        object.get_mut(inside)
    })
}

/// Works every blocking constraint into the schema. What cannot hold together comes back as conflicts, and the schema then
/// keeps what it had for that parameter, so that the form can still be shown with the refusal.
pub fn narrowed_schema(
    spec: &PromiseSpec,
    schema: &Value,
    constraints: &[Ruling<Constrain>],
    sets: &[Ruling<Value>],
) -> (Value, Vec<Conflict>) {
    let mut narrowed = schema.clone();
    let mut conflicts = Vec::new();
    let mut by_path: BTreeMap<&Path, Vec<&Ruling<Constrain>>> = BTreeMap::new();
    for ruling in constraints.iter().filter(|ruling| ruling.from.enforcement == Enforcement::Block) {
        by_path.entry(&ruling.path).or_default().push(ruling);
    }
    for (path, rulings) in by_path {
        let Some(original) = node_at(schema, path) else { continue };
        if let Some(conflict) = misfit(spec, original, path, &rulings) {
            conflicts.push(conflict);
            continue;
        }
        let own = Bounds::of_node(original);
        let mut bounds = own.clone();
        rulings.iter().for_each(|ruling| bounds.narrow(&ruling.effect));
        if bounds.is_empty() {
            conflicts.push(nothing_left(spec, path, &own, &rulings));
            continue;
        }
        if let Some(node) = node_at_mut(&mut narrowed, path).and_then(Value::as_object_mut) {
            bounds.write(node);
            add_patterns(node, &rulings);
        }
        conflicts.extend(sets.iter().filter(|set| set.path == *path).filter_map(|set| out_of_reach(spec, set, &rulings)));
    }
    (narrowed, conflicts)
}

/// Several patterns hold at once through `allOf`, which structural schemas allow for value checks.
fn add_patterns(node: &mut Map<String, Value>, rulings: &[&Ruling<Constrain>]) {
    for pattern in rulings.iter().filter_map(|ruling| ruling.effect.pattern.as_ref()) {
        match node.get("pattern").and_then(Value::as_str) {
            None => {
                node.insert("pattern".to_owned(), json!(pattern));
            }
            Some(kept) if kept == pattern => {}
            Some(_) => {
                if let Some(all) = node.entry("allOf").or_insert_with(|| json!([])).as_array_mut() {
                    all.push(json!({"pattern": pattern}));
                }
            }
        }
    }
}

/// A bound that says nothing about the parameter's type would pass silently.
fn misfit(spec: &PromiseSpec, node: &Value, path: &Path, rulings: &[&Ruling<Constrain>]) -> Option<Conflict> {
    let kind = node.get("type").and_then(Value::as_str)?;
    rulings.iter().find_map(|ruling| {
        let bound = &ruling.effect;
        let numeric = bound.minimum.is_some() || bound.maximum.is_some();
        let textual = bound.min_length.is_some() || bound.max_length.is_some() || bound.pattern.is_some();
        let listed = bound.min_items.is_some() || bound.max_items.is_some();
        let what = match kind {
            "integer" | "number" if textual || listed => "a number has neither length, pattern nor items",
            "string" if numeric || listed => "a text has neither minimum, maximum nor items",
            "array" if numeric || textual => "a list has neither minimum, maximum, length nor pattern",
            "boolean" | "object" if numeric || textual || listed => "only values can be listed for it",
            _ => return None,
        };
        Some(Conflict {
            path: path.clone(),
            between: vec![ruling.from.clone()],
            message: format!(
                "{} narrows {} in a way that does not fit: {what}. {} has to change the rule {}.",
                wording::upper_first(&named(&ruling.from)),
                wording::lower_first(&wording::label(spec, path)),
                wording::upper_first(ruling.from.owner.as_deref().unwrap_or("its owner")),
                ruling.from.rule
            ),
        })
    })
}

fn nothing_left(spec: &PromiseSpec, path: &Path, own: &Bounds, rulings: &[&Ruling<Constrain>]) -> Conflict {
    let alone = |ruling: &Ruling<Constrain>| {
        let mut bounds = own.clone();
        bounds.narrow(&ruling.effect);
        bounds
    };
    let label = wording::label(spec, path);
    let between: Vec<Provenance>;
    let message;
    if let Some(culprit) = rulings.iter().find(|ruling| alone(ruling).is_empty()) {
        between = vec![culprit.from.clone()];
        message = format!(
            "No value of {} is left: {} wants {}, which the promise does not offer.",
            wording::lower_first(&label),
            named(&culprit.from),
            super::sentence::bounds(&culprit.effect)
        );
    } else {
        let pair = rulings.iter().enumerate().find_map(|(at, one)| {
            rulings[at + 1..].iter().find_map(|other| {
                let mut bounds = alone(one);
                bounds.narrow(&other.effect);
                bounds.is_empty().then(|| vec![*one, *other])
            })
        });
        // Three or more may exclude each other only together; then all are named.
        let culprits = pair.unwrap_or_else(|| rulings.to_vec());
        between = culprits.iter().map(|ruling| ruling.from.clone()).collect();
        let wants: Vec<String> =
            culprits.iter().map(|ruling| format!("{} wants {}", named(&ruling.from), super::sentence::bounds(&ruling.effect))).collect();
        message =
            format!("No value of {} is left: {}. Their owners have to agree first.", wording::lower_first(&label), wording::all_of(&wants));
    }
    Conflict { path: path.clone(), between, message }
}

fn out_of_reach(spec: &PromiseSpec, set: &Ruling<Value>, rulings: &[&Ruling<Constrain>]) -> Option<Conflict> {
    let against = rulings.iter().find(|ruling| {
        let mut bounds = Bounds::default();
        bounds.narrow(&ruling.effect);
        !bounds.admits(&set.effect)
    })?;
    Some(Conflict {
        path: set.path.clone(),
        between: vec![set.from.clone(), against.from.clone()],
        message: format!(
            "{} has no possible value: {} sets {}, and {} wants {}. Their owners have to agree first.",
            wording::label(spec, &set.path),
            named(&set.from),
            wording::value(&set.effect),
            named(&against.from),
            super::sentence::bounds(&against.effect)
        ),
    })
}
