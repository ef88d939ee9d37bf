//! Every field of a promise as its documentation lists them: optional objects and rows too, which a form shows on demand.

use std::collections::VecDeque;

use serde_json::Value;

use super::control::InputMode;
use super::defaults::Defaults;
use super::describe;
use super::field::ByLine;
use super::kind::{Kind, Spot, has_fields, option_label, properties, whole};
use super::place::Place;
use crate::alternatives::Alternatives;
use crate::api::PromiseSpec;
use crate::path::{Path, Segment};
use crate::policy::Effective;
use crate::resolve;
use crate::shape::{Shape, hint_at, value_of};
use crate::wording::{counted, label, upper_first};

/// Maximum number of options that are listed.
const OPTIONS: usize = 20;
/// Key of the entry of a map whose fields are described.
const EACH: &str = "*";

/// The type of a field, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// One of the listed values.
    Choice,
    /// On or off.
    Switch,
    /// A whole number.
    WholeNumber,
    /// A number.
    Number,
    /// A text.
    Text,
    /// Several scalars.
    List,
    /// Several objects or lists.
    Rows,
    /// Keys with scalars.
    Map,
    /// Keys with objects or lists.
    Entries,
    /// An object with fields.
    Group,
    /// Anything.
    Yaml,
    /// A secret.
    Secret,
    /// Set by a policy.
    Fixed,
}

/// A field as the documentation lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldReference {
    /// Path, with `[*]` for each row of a list and each entry of a map.
    pub path: Path,
    /// Label.
    pub label: String,
    /// Its type.
    pub r#type: FieldType,
    /// Whether it has to be given, if the object around it is.
    pub required: bool,
    /// Value that applies if it is left empty, in words.
    pub default: Option<String>,
    /// Accepted values in words.
    pub allowed: Option<String>,
    /// First sentence of its description.
    pub help: Option<String>,
    /// The rest of it, in Markdown.
    pub more: Option<String>,
    /// What policies did to it.
    pub by: Vec<ByLine>,
    /// Its own fields, or those of each of its rows.
    pub fields: Vec<Self>,
    /// How many fields at any depth below it aren't listed.
    pub left_out: usize,
}

/// The fields of a promise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reference {
    /// The listed fields, in the order of the form.
    pub fields: Vec<FieldReference>,
    /// How many fields at any depth aren't listed.
    pub left_out: usize,
    /// The number of all fields.
    pub count: usize,
}

/// Lists the fields of a promise, at most `most`. The fields of an object are listed all or not at all, and outer objects come first.
pub fn reference(promise: &PromiseSpec, effective: &Effective, most: usize) -> Reference {
    let empty = Value::Null;
    let own = promise.parameters.as_deref().unwrap_or(&empty);
    let schema = if effective.schema.is_object() { &*effective.schema } else { own };
    let defaults = Defaults::of(promise, &resolve::parsed_schema(promise, effective), effective, schema, &empty);
    let maker = Maker { promise, effective, own, defaults };
    let mut top = maker.below(&Place::root(), schema);
    top.extend(whole(schema).map(|node| (Place::root(), node, true)));
    top.sort_by_cached_key(|(place, ..)| super::rank(promise, &place.path));
    let total: usize = top.iter().map(|(place, node, _)| maker.count(place, node)).sum();
    top.truncate(most);
    // Level by level, so that a large object doesn't leave out its siblings. The tree is built afterwards.
    let mut left = most - top.len();
    let mut listed: Vec<(Option<usize>, FieldReference)> = Vec::new();
    let mut queue: VecDeque<(Option<usize>, Place, &Value, bool)> =
        top.into_iter().map(|(place, node, required)| (None, place, node, required)).collect();
    while let Some((parent, place, node, required)) = queue.pop_front() {
        let mut field = maker.field(&place, node, required);
        let below = maker.below(&place, node);
        if below.len() > left {
            field.left_out = below.iter().map(|(place, node, _)| maker.count(place, node)).sum();
        } else {
            left -= below.len();
            queue.extend(below.into_iter().map(|(place, node, required)| (Some(listed.len()), place, node, required)));
        }
        listed.push((parent, field));
    }
    let mut reference = Reference { left_out: total - listed.len(), count: total, ..Reference::default() };
    // Fields stand after the object that they are in.
    while let Some((parent, mut field)) = listed.pop() {
        field.fields.reverse();
        match parent.and_then(|parent| listed.get_mut(parent)) {
            Some((_, parent)) => parent.fields.push(field),
            None => reference.fields.push(field),
        }
    }
    reference.fields.reverse();
    reference
}

struct Maker<'a> {
    promise: &'a PromiseSpec,
    effective: &'a Effective,
    /// The promise's own schema.
    own: &'a Value,
    defaults: Defaults,
}

impl<'a> Maker<'a> {
    /// Returns the fields of an object, or of each row of a list or map.
    fn below(&self, place: &Place, node: &'a Value) -> Vec<(Place, &'a Value, bool)> {
        let spot = Spot { promise: self.promise, effective: self.effective, place, node, required: true, defaulted: false };
        if place.path.0.is_empty() || has_fields(node) {
            if matches!(spot.kind(), Kind::Secret | Kind::Fixed) {
                return Vec::new();
            }
            let fields = properties(self.promise, place, node).into_iter();
            let fields = fields.filter(|(place, ..)| !hint_at(self.promise, &place.pattern).is_some_and(|hint| hint.hidden));
            return fields.map(|(place, _, node, required)| (place, node, required)).collect();
        }
        let (row, values) = match spot.kind() {
            Kind::Items { .. } => (place.item(0, 0), &node["items"]),
            Kind::Entries { .. } => (place.entry(EACH, 0), &node["additionalProperties"]),
            _ => return Vec::new(),
        };
        // A row that is a list or map has a line of its own.
        if has_fields(values) { self.below(&row, values) } else { vec![(row, values, false)] }
    }

    /// Returns the number of lines of a field with everything below it.
    fn count(&self, place: &Place, node: &'a Value) -> usize {
        1 + self.below(place, node).iter().map(|(place, node, _)| self.count(place, node)).sum::<usize>()
    }

    fn field(&self, place: &Place, node: &Value, required: bool) -> FieldReference {
        let default = self.defaults.usual(place, node);
        let spot = Spot { promise: self.promise, effective: self.effective, place, node, required, defaulted: default.is_some() };
        let kind = spot.kind();
        let label = match place.pattern.0.last() {
            Some(Segment::Each) => upper_first(&label(self.promise, &place.pattern)),
            _ => label(self.promise, &place.pattern),
        };
        let (help, more) = describe::hint_and_help(&place.pattern, spot.hint(), node);
        FieldReference {
            path: place.pattern.clone(),
            label,
            r#type: type_of(&kind, node),
            required: required && default.is_none(),
            default: default.filter(|default| !default.is_object()).map(|default| value_of(self.promise, &place.pattern, &default)),
            allowed: self.within(place).into_iter().chain(self.allowed(&spot, &kind)).reduce(|all, more| format!("{all}. {more}")),
            help,
            more,
            by: self.by(&kind, place),
            fields: Vec::new(),
            left_out: 0,
        }
    }

    fn by(&self, kind: &Kind, place: &Place) -> Vec<ByLine> {
        let set = self.effective.sets.iter().find(|set| place.path.starts_with(&set.path)).map(|set| ByLine::of("Locked", &set.from));
        let with_rows = matches!(kind, Kind::List { .. } | Kind::Map { .. });
        describe::notes(self.promise, self.effective, self.own, place, with_rows).into_iter().chain(set).collect()
    }

    /// Returns the alternatives of the parameters themselves, for a field that is part of one: the parameters have no line of their own.
    fn within(&self, place: &Place) -> Option<String> {
        let [Segment::Key(key)] = place.pattern.0.as_slice() else { return None };
        let root = Place::root();
        let alternatives = Alternatives::at(self.promise, &root, self.own).filter(|found| found.lists(key))?;
        Some(alternatives.in_words(self.promise, &root, self.own))
    }

    fn alternatives(&self, spot: &Spot<'_>) -> Option<String> {
        Some(Alternatives::at(self.promise, spot.place, spot.node)?.in_words(self.promise, spot.place, spot.node))
    }

    /// Returns the accepted values: the labels of the choices, or else the limits.
    fn allowed(&self, spot: &Spot<'_>, kind: &Kind) -> Option<String> {
        match kind {
            Kind::Fixed => None,
            Kind::Group { .. } => self.alternatives(spot),
            Kind::Choice { values, .. } | Kind::Search { values } => {
                let mut labels: Vec<String> =
                    values.iter().take(OPTIONS).map(|value| option_label(spot.hint(), spot.node, value)).collect();
                let more = values.len().saturating_sub(OPTIONS);
                labels.extend((more > 0).then(|| format!("and {}", counted(more as u64, "more option"))));
                Some(labels.join(", "))
            }
            Kind::List { items } if Shape::of(items) == Shape::Choice => {
                let labels =
                    items["enum"].as_array().into_iter().flatten().take(OPTIONS).map(|value| option_label(spot.hint(), items, value));
                let all = labels.chain(describe::constraint(spot.node, spot.hint())).collect::<Vec<_>>();
                Some(all.join(", "))
            }
            Kind::List { items: rows } | Kind::Map { values: rows } => {
                describe::constraint_of_rows((spot.node, rows), spot.hint(), false, Vec::new())
            }
            _ => describe::constraint(spot.node, spot.hint()),
        }
    }
}

fn type_of(kind: &Kind, node: &Value) -> FieldType {
    match kind {
        Kind::Fixed => FieldType::Fixed,
        Kind::Secret => FieldType::Secret,
        Kind::Choice { .. } if node["type"] == "boolean" => FieldType::Switch,
        Kind::Choice { .. } | Kind::Search { .. } => FieldType::Choice,
        Kind::Tick => FieldType::Switch,
        Kind::Text { mode: InputMode::Numeric, .. } => FieldType::WholeNumber,
        Kind::Text { mode: InputMode::Decimal, .. } => FieldType::Number,
        Kind::Text { .. } => FieldType::Text,
        Kind::List { .. } => FieldType::List,
        Kind::Map { .. } => FieldType::Map,
        Kind::Items { .. } => FieldType::Rows,
        Kind::Entries { .. } => FieldType::Entries,
        Kind::Group { .. } => FieldType::Group,
        Kind::Yaml => match Shape::of(node) {
            Shape::List => FieldType::List,
            _ => FieldType::Yaml,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{FieldReference, FieldType, reference};
    use crate::api::PromiseSpec;
    use crate::policy::Effective;

    fn promise(schema: Value) -> PromiseSpec {
        PromiseSpec { parameters: Some(schema.into()), ..PromiseSpec::default() }
    }

    fn lines(fields: &[FieldReference], into: &mut Vec<String>) {
        for field in fields {
            let words = [
                field.required.then(|| "required".to_owned()),
                field.default.as_ref().map(|default| format!("default {default}")),
                field.allowed.clone(),
                field.help.clone(),
                (field.left_out > 0).then(|| format!("{} left out", field.left_out)),
            ];
            let words: Vec<String> = words.into_iter().flatten().collect();
            into.push(format!("{} {} {:?}: {}", field.path, field.label, field.r#type, words.join("; ")));
            lines(&field.fields, into);
        }
    }

    fn listed(schema: Value, most: usize) -> (Vec<String>, usize) {
        let found = reference(&promise(schema), &Effective::default(), most);
        let mut all = Vec::new();
        lines(&found.fields, &mut all);
        assert_eq!(all.len() + found.left_out, found.count);
        (all, found.left_out)
    }

    #[test]
    fn optional_objects_and_rows_are_listed_with_all_of_their_fields() {
        let schema = json!({"type": "object", "required": ["size"], "properties": {
            "size": {"type": "string", "enum": ["small", "large"], "description": "How large it is. More about it."},
            "backup": {"type": "object", "description": "Copies.", "required": ["days"], "properties": {
                "days": {"type": "integer", "minimum": 1, "maximum": 30},
                "target": {"type": "object", "properties": {"bucket": {"type": "string", "default": "main"}}},
            }},
            "rules": {"type": "array", "maxItems": 5, "items": {"type": "object", "properties": {"on": {"type": "boolean", "default": true}}}},
            "pools": {"type": "object", "additionalProperties": {"type": "object", "properties": {"count": {"type": "number"}}}},
            "cells": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
        }});
        let (all, left_out) = listed(schema.clone(), 200);
        assert_eq!(
            all,
            [
                ".backup Backup Group: Copies.",
                ".backup.days Days WholeNumber: required; 1 to 30",
                ".backup.target Target Group: ",
                ".backup.target.bucket Bucket Text: default main",
                ".cells Cells Rows: ",
                ".cells[*] Each of cells List: ",
                ".pools Pools Entries: ",
                ".pools[*].count Count Number: ",
                ".rules Rules Rows: At most 5 entries",
                ".rules[*].on On Switch: default on",
                ".size Size Choice: required; small, large; How large it is.",
            ]
        );
        assert_eq!(left_out, 0);
        let (few, left_out) = listed(schema, 8);
        assert_eq!((few.len(), left_out), (8, 3));
        assert_eq!(few[0], ".backup Backup Group: Copies.");
        assert!(few.contains(&".rules Rules Rows: At most 5 entries; 1 left out".to_owned()), "{few:?}");
    }

    #[test]
    fn a_secret_is_a_line_of_its_own_and_what_is_hidden_is_none() {
        let reference_to = json!({"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}});
        let schema = json!({"type": "object", "properties": {"password": reference_to, "internal": {"type": "string"}}});
        let promise = PromiseSpec {
            secret_parameters: vec![".password".into()],
            form: serde_json::from_value(json!({"fields": {".internal": {"hidden": true}}})).unwrap(),
            ..promise(schema)
        };
        let found = reference(&promise, &Effective::default(), 10);
        let all: Vec<_> = found.fields.iter().map(|field| (field.label.as_str(), field.r#type, field.fields.len())).collect();
        assert_eq!(all, [("Password", FieldType::Secret, 0)]);
    }

    #[test]
    fn a_schema_of_thousands_is_bounded() {
        let leaf = |count: usize| -> Value { (0..count).map(|index| (format!("f{index:04}"), json!({"type": "string"}))).collect() };
        let (all, left_out) = listed(json!({"type": "object", "properties": leaf(5000)}), 200);
        assert_eq!((all.len(), left_out), (200, 4800));
    }
}
