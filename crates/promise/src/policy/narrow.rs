//! Applies constraints to the schema: what remains of a parameter, and what can't be satisfied.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use regex::Regex;
use schema::structural::Schema;
use serde_json::{Map, Number, Value, json};

use super::bounds::Bounds;
pub(crate) use super::bounds::same;
use super::effective::Ruling;
use super::refusal::{Conflict, ConflictCause, RuleProblem, WrongBound};
use super::source::Provenance;
use crate::api::{Constrain, Enforcement, PromiseSpec};
use crate::path::{Path, Segment};
use crate::shape::node_at;
use crate::wording;

/// One constraint of one rule.
#[derive(Clone, Copy)]
pub(super) struct Narrowing<'a> {
    pub from: &'a Provenance,
    pub path: &'a Path,
    pub effect: &'a Constrain,
    pub pattern: Option<&'a Regex>,
}

impl Narrowing<'_> {
    /// Whether it alone allows a value.
    pub fn admits(&self, value: &Value) -> bool {
        admits(self.effect, self.pattern, value)
    }
}

/// Whether a constraint allows a value. A bound allows no value of another type, where the schema leaves the type open: `500%` isn't a number
/// up to 5.
pub(super) fn admits(constrain: &Constrain, pattern: Option<&Regex>, value: &Value) -> bool {
    let kind = match value {
        Value::Null => "",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if misfit(kind, constrain).is_some() {
        return false;
    }
    let mut bounds = Bounds::default();
    bounds.narrow(constrain);
    bounds.admits(value) && value.as_str().is_none_or(|text| pattern.is_none_or(|regex| regex.is_match(text)))
}

/// What a schema has at the path of a parameter.
pub(crate) enum Spot<'s> {
    /// A declared parameter.
    Declared(&'s Value),
    /// An entry of a map or list. The schema describes all of them alike.
    Entry(&'s Value),
    /// Something inside a part that the schema leaves open.
    Open,
    /// No such parameter.
    Absent,
}

/// Looks up a parameter in a schema.
pub(crate) fn spot<'s>(schema: &'s Value, path: &Path) -> Spot<'s> {
    let (mut node, mut is_entry) = (schema, false);
    for (at, segment) in path.0.iter().enumerate() {
        let by_name = match segment {
            Segment::Key(key) => node.get("properties").is_some_and(|properties| properties.get(key).is_some()),
            Segment::Each => true,
            Segment::Index(_) => false,
        };
        let Some(next) = node_at(node, &Path(path.0[at..=at].to_vec())) else {
            let is_open = node.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true))
                || node.get("additionalProperties") == Some(&Value::Bool(true));
            return if is_open { Spot::Open } else { Spot::Absent };
        };
        is_entry |= !by_name;
        node = next;
    }
    if is_entry { Spot::Entry(node) } else { Spot::Declared(node) }
}

/// Returns the parsed schema of the parameter at a path.
pub(super) fn schema_at<'s>(schema: &'s Schema, path: &Path) -> Option<&'s Schema> {
    path.0.iter().try_fold(schema, |node, segment| match segment {
        Segment::Key(key) => node.property(key).or_else(|| node.additional_properties()),
        Segment::Index(_) => node.items(),
        Segment::Each => node.items().or_else(|| node.additional_properties()),
    })
}

pub(super) fn node_at_mut<'s>(schema: &'s mut Value, path: &Path) -> Option<&'s mut Value> {
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

/// Number of narrowed schemas that are kept for each promise.
const KEPT: usize = 4;

/// The narrowed schemas of a promise that were made last, with the constraints that each is the result of: most requests are under the same
/// ones, and copying a large schema takes longer than everything else in a check.
#[derive(Clone, Debug, Default)]
pub(crate) struct NarrowedSchemas(Arc<Mutex<VecDeque<NarrowedSchema>>>);

#[derive(Debug)]
struct NarrowedSchema {
    constraints: Vec<(Path, Constrain)>,
    schema: Arc<Value>,
}

impl NarrowedSchemas {
    /// Returns the promise's `own` schema under these constraints. If it isn't kept, `narrow` makes it from a copy.
    fn under(&self, constraints: Vec<(Path, Constrain)>, own: &Value, narrow: impl FnOnce(&mut Value)) -> Arc<Value> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.iter().find(|known| known.constraints == constraints) {
            return known.schema.clone();
        }
        let mut schema = own.clone();
        narrow(&mut schema);
        let schema = Arc::new(schema);
        kept.truncate(KEPT - 1);
        kept.push_front(NarrowedSchema { constraints, schema: schema.clone() });
        schema
    }
}

/// Applies every blocking constraint to the schema. Contradictions are returned as conflicts, and the schema is left unchanged for that
/// parameter, so that the form can still be shown with the refusal.
///
/// A constraint of one entry of a map is checked but not applied to the schema, which describes all entries alike.
pub(super) fn narrowed(
    spec: &PromiseSpec,
    known: &NarrowedSchemas,
    json: Arc<Value>,
    schema: &Schema,
    constraints: &[Narrowing<'_>],
    sets: &[Ruling<Value>],
) -> (Arc<Value>, Vec<Conflict>) {
    let mut conflicts = Vec::new();
    let mut by_path: BTreeMap<&Path, Vec<Narrowing<'_>>> = BTreeMap::new();
    for narrowing in constraints {
        let kind = schema_at(schema, narrowing.path).and_then(Schema::kind);
        // A rule that restricts nothing is broken, whatever its policy's enforcement.
        if let Some(why) = kind.and_then(|kind| misfit(kind.name(), narrowing.effect)) {
            let fault = RuleProblem::WrongBound { label: wording::noun(spec, narrowing.path), why };
            conflicts.push(Conflict::broken(narrowing.from, narrowing.path.clone(), fault));
        } else if narrowing.from.enforcement == Enforcement::Block {
            by_path.entry(narrowing.path).or_default().push(*narrowing);
        }
    }
    let mut writes = Vec::new();
    for (path, rulings) in by_path {
        conflicts.extend(sets.iter().filter_map(|set| out_of_reach(spec, set, &rulings)));
        let found = spot(&json, path);
        let is_written = matches!(found, Spot::Declared(_));
        let own = match found {
            Spot::Declared(node) | Spot::Entry(node) => Remains { bounds: Bounds::of_node(node), ..Remains::default() },
            Spot::Open | Spot::Absent => Remains::default(),
        };
        let own = Remains { schema: schema_at(schema, path), ..own };
        let mut remains = own.clone();
        rulings.iter().for_each(|ruling| remains.narrow(ruling));
        if remains.bounds.is_empty() {
            conflicts.push(nothing_left(spec, path, &own, &rulings));
        } else if is_written {
            writes.push((path, remains.bounds, rulings));
        }
    }
    if writes.is_empty() {
        return (json, conflicts);
    }
    let constraints = writes.iter().flat_map(|(path, _, rulings)| rulings.iter().map(|ruling| ((*path).clone(), ruling.effect.clone())));
    let narrowed = known.under(constraints.collect(), &json, |schema| {
        for (path, bounds, rulings) in &writes {
            let Some(node) = node_at_mut(schema, path).and_then(Value::as_object_mut) else { continue };
            write(bounds, node);
            add_patterns(node, rulings);
            // A null passes the enum of a nullable schema, but not a rule that lists the allowed values.
            if rulings.iter().any(|ruling| !ruling.effect.r#enum.is_empty() && !ruling.effect.r#enum.contains(&Value::Null)) {
                node.remove("nullable");
            }
        }
    });
    (narrowed, conflicts)
}

/// What remains of a parameter, and what listed values must satisfy.
#[derive(Clone, Default)]
struct Remains<'a> {
    bounds: Bounds,
    patterns: Vec<&'a Regex>,
    schema: Option<&'a Schema>,
}

impl<'a> Remains<'a> {
    fn narrow(&mut self, by: &Narrowing<'a>) {
        self.bounds.narrow(by.effect);
        self.patterns.extend(by.pattern);
        if let Some(values) = &mut self.bounds.values {
            values.retain(|value| {
                value.as_str().is_none_or(|text| self.patterns.iter().all(|pattern| pattern.is_match(text)))
                    && self.schema.is_none_or(|schema| schema.validate(value).is_empty())
            });
        }
    }
}

/// Writes bounds into a schema node.
fn write(bounds: &Bounds, node: &mut Map<String, Value>) {
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            node.insert(name.to_owned(), value);
        }
    };
    put("minimum", bounds.minimum.map(number));
    put("maximum", bounds.maximum.map(number));
    put("minLength", bounds.min_length.map(Value::from));
    put("maxLength", bounds.max_length.map(Value::from));
    put("minItems", bounds.min_items.map(Value::from));
    put("maxItems", bounds.max_items.map(Value::from));
    put("enum", bounds.values.clone().map(Value::Array));
    if !bounds.exclusive_minimum {
        node.remove("exclusiveMinimum");
    }
    if !bounds.exclusive_maximum {
        node.remove("exclusiveMaximum");
    }
}

fn number(number: f64) -> Value {
    // Whole numbers stay integers, so that `minimum: 2` is unchanged.
    if number.fract() == 0.0 && number.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// Several patterns are combined through `allOf`, which structural schemas allow for value validation.
fn add_patterns(node: &mut Map<String, Value>, rulings: &[Narrowing<'_>]) {
    for pattern in rulings.iter().filter_map(|ruling| ruling.effect.pattern.as_ref()) {
        match node.get("pattern").and_then(Value::as_str) {
            None => {
                node.insert("pattern".to_owned(), json!(pattern));
            }
            Some(kept) if kept == pattern => {}
            Some(_) => {
                let one = json!({"pattern": pattern});
                if let Some(all) = node.entry("allOf").or_insert_with(|| json!([])).as_array_mut()
                    && !all.contains(&one)
                {
                    all.push(one);
                }
            }
        }
    }
}

/// Returns why a bound doesn't apply to values of a type, since it would pass silently.
pub(super) fn misfit(kind: &str, bound: &Constrain) -> Option<WrongBound> {
    let numeric = bound.minimum.is_some() || bound.maximum.is_some();
    let textual = bound.min_length.is_some() || bound.max_length.is_some() || bound.pattern.is_some();
    let listed = bound.min_items.is_some() || bound.max_items.is_some();
    match kind {
        "integer" | "number" if textual || listed => Some(WrongBound::OfNumber),
        "string" if numeric || listed => Some(WrongBound::OfText),
        "array" if numeric || textual => Some(WrongBound::OfList),
        "boolean" | "object" if numeric || textual || listed => Some(WrongBound::NotListed),
        _ => None,
    }
}

fn nothing_left(spec: &PromiseSpec, path: &Path, own: &Remains<'_>, rulings: &[Narrowing<'_>]) -> Conflict {
    let is_empty = |rulings: &[Narrowing<'_>]| {
        let mut remains: Remains<'_> = own.clone();
        rulings.iter().for_each(|ruling| remains.narrow(ruling));
        remains.bounds.is_empty()
    };
    let label = wording::noun(spec, path);
    let (between, reason);
    if let Some(culprit) = rulings.iter().find(|ruling| is_empty(std::slice::from_ref(*ruling))) {
        between = vec![culprit.from.clone()];
        reason = ConflictCause::NotOffered { label, requires: culprit.effect.clone() };
    } else {
        let pair = rulings
            .iter()
            .enumerate()
            .find_map(|(at, one)| rulings[at + 1..].iter().map(|other| vec![*one, *other]).find(|pair| is_empty(pair)));
        // Three or more might contradict each other only together; then all are named.
        let culprits = pair.unwrap_or_else(|| rulings.to_vec());
        between = culprits.iter().map(|ruling| ruling.from.clone()).collect();
        reason = ConflictCause::NothingLeft { label, requires: culprits.iter().map(|ruling| ruling.effect.clone()).collect() };
    }
    Conflict { path: path.clone(), between, reason }
}

/// Finds a fixed value that a constraint on the same parameter, or on a part of it, doesn't allow.
fn out_of_reach(spec: &PromiseSpec, set: &Ruling<Value>, rulings: &[Narrowing<'_>]) -> Option<Conflict> {
    let against = rulings.iter().find(|ruling| {
        let inside = inside(ruling.path, &set.path);
        inside.is_some_and(|inside| inside.get_each(&set.effect).iter().any(|(_, value)| !ruling.admits(value)))
    })?;
    Some(Conflict {
        path: set.path.clone(),
        between: vec![set.from.clone(), against.from.clone()],
        reason: ConflictCause::SetOutOfBounds {
            label: wording::noun(spec, &set.path),
            value: set.effect.clone(),
            requires: against.effect.clone(),
        },
    })
}

/// Returns the path of a constraint relative to a value that is fixed at a path.
fn inside(constraint: &Path, set: &Path) -> Option<Path> {
    let meets = |(wanted, given): (&Segment, &Segment)| wanted == given || *wanted == Segment::Each;
    let is_within = constraint.0.len() >= set.0.len() && constraint.0.iter().zip(&set.0).all(meets);
    is_within.then(|| Path(constraint.0[set.0.len()..].to_vec()))
}
