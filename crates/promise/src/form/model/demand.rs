//! Fields on demand: a form shows what is required, set, or asked for, and offers the rest by name. A page that showed every field that is
//! possible would have thousands.

use schema::json_schema::UNMENTIONED;
use serde_json::Value;

use super::Maker;
use crate::form::control::{Control, More, MoreField};
use crate::form::defaults::is_null_by_choice;
use crate::form::field::{Field, HiddenInput, field_id};
use crate::form::kind::properties;
use crate::form::operation::{Operation, OperationKind};
use crate::form::place::Place;
use crate::form::{rows, yaml};
use crate::path::Path;
use crate::shape::hint_at;
use crate::wording::label;

/// Maximum number of fields that objects show together without being asked.
pub(super) const FIRST_VIEW: usize = 120;
/// Maximum number of fields outside of groups. With more, those without a value are offered by name.
pub(super) const MANY_AT_TOP: usize = 40;
/// Maximum number of fields of one object, likewise.
const MANY: usize = 12;
/// Maximum number of fields that objects offer by name without being asked. The search finds all of them.
pub(super) const NAMES: usize = 2_000;
/// Maximum number of fields that one object offers by name.
const NAMES_OF_ONE: usize = 500;
/// Last step of the name of the field for everything that a schema doesn't name.
const OTHERS: &str = "~others";
/// Minimum number of lines of that field.
const LINES: u32 = 4;

impl<'a> Maker<'a> {
    /// Returns the fields of the object at a place that are rendered, and those that are offered by name. If it is closed, its value goes
    /// into `hidden`. If `open`, its schema allows fields that it doesn't name.
    pub(super) fn fields_of(&mut self, place: &Place, node: &'a Value, open: bool, hidden: &mut Vec<HiddenInput>) -> (Vec<Field>, More) {
        let given = place.path.get(&self.draft.parameters);
        let is_open = !given.is_some_and(Value::is_object) && !is_null_by_choice(node, given);
        let place = &place.with_default(self.defaults.here(place, node).filter(|_| is_open));
        let mut all = properties(self.promise, place, node);
        all.retain(|(place, ..)| {
            !self.placed.contains(&place.path) && !hint_at(self.promise, &place.pattern).is_some_and(|hint| hint.hidden)
        });
        let choosing = self.choosing(place, node);
        let (all, position) = self.arranged(choosing.as_ref(), all);
        let choice = choosing.as_ref().zip(position);
        let (on_demand, count) = (all.len() > MANY, all.len());
        let cost = if on_demand { all.iter().filter(|(place, _, _, required)| self.is_wanted(place, *required)).count() } else { count };
        if !self.opens(place, cost, on_demand) {
            return (Vec::new(), self.closed(place, count, hidden));
        }
        let (mut fields, mut more) = (Vec::new(), More::default());
        for (index, (child, _, inner, required)) in all.into_iter().enumerate() {
            if let Some((choosing, _)) = choice.filter(|(_, position)| *position == index) {
                fields.push(self.choice(place, node, choosing));
            }
            if !on_demand || self.is_wanted(&child, required) {
                fields.push(self.field(&child, inner, required));
            } else {
                self.offer(&child, &mut more);
            }
        }
        if let Some((choosing, _)) = choice.filter(|(_, position)| *position == count) {
            fields.push(self.choice(place, node, choosing));
        }
        if open {
            match self.others(place, node) {
                Some(field) => fields.push(field),
                None if node[UNMENTIONED] == true => {}
                None => more.fields.push(MoreField { key: OTHERS.to_owned(), label: "Other fields, as YAML".to_owned() }),
            }
        }
        more.close(&place.name);
        (fields, more)
    }

    /// Whether a field is rendered although its object has many.
    pub(super) fn is_wanted(&self, place: &Place, required: bool) -> bool {
        required
            || place.path.get(&self.draft.parameters).is_some()
            || hint_at(self.promise, &place.pattern).is_some()
            || rows::any_below(&self.draft.texts, &place.name)
            || self.has_to_show(&place.path)
    }

    /// Offers a field by name.
    pub(super) fn offer(&mut self, place: &Place, more: &mut More) {
        self.offers = true;
        let named = place.name.rsplit_once('/').filter(|_| more.fields.len() < NAMES_OF_ONE);
        if let Some((_, key)) = named {
            self.nameable = self.nameable.saturating_sub(1);
            more.fields.push(MoreField { key: key.to_owned(), label: label(self.promise, &place.pattern) });
        }
    }

    /// Whether the fields of an object are rendered: if they were before, or if there is room for so many of them.
    fn opens(&mut self, place: &Place, cost: usize, on_demand: bool) -> bool {
        if rows::is_open(&self.draft.texts, &place.name) || self.has_to_show(&place.path) {
            return true;
        }
        let room = cost <= self.left && !(on_demand && self.nameable == 0);
        self.left -= if room { cost } else { 0 };
        room
    }

    /// Whether something at or below a path has a problem, or is a secret, which is entered elsewhere on the page.
    fn has_to_show(&self, path: &Path) -> bool {
        let secrets = self.promise.secret_parameters.iter().filter_map(|text| Path::parse(text).ok());
        self.problems.iter().filter_map(|(at, _)| at.as_ref()).any(|at| at.starts_with(path))
            || secrets.into_iter().any(|at| at.starts_with(path))
    }

    fn closed(&mut self, place: &Place, count: usize, hidden: &mut Vec<HiddenInput>) -> More {
        self.offers = true;
        let value = place.path.get(&self.draft.parameters).filter(|value| value.is_object());
        hidden.extend(value.map(|value| HiddenInput { name: rows::kept(&place.name), value: value.to_string() }));
        if self.is_stored(&place.name) {
            hidden.push(HiddenInput { name: rows::stored(&place.name), value: "1".to_owned() });
        }
        let set = value.and_then(Value::as_object).map_or(0, serde_json::Map::len);
        More { closed: Some((set, count)), show: Operation::value(OperationKind::Show, &place.name), ..More::default() }
    }

    /// Returns the field for everything that the schema doesn't name, if there is something or it was asked for.
    fn others(&self, place: &Place, node: &Value) -> Option<Field> {
        let name = rows::others(&place.name);
        let known = &node["properties"];
        let unknown: serde_json::Map<String, Value> = place
            .path
            .get(&self.draft.parameters)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter(|(key, _)| known.get(key).is_none())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if unknown.is_empty() && !rows::any_below(&self.draft.texts, &name) {
            return None;
        }
        let text = match self.draft.text(&name) {
            Some(text) => text.to_owned(),
            None if unknown.is_empty() => String::new(),
            None => yaml::write(&Value::Object(unknown)),
        };
        let error = if text.trim().is_empty() { None } else { yaml::read(&text).err() };
        Some(Field {
            id: field_id(&name),
            path: place.path.to_string(),
            label: "Other fields".to_owned(),
            hint: None,
            help: None,
            unit: None,
            constraint: None,
            required: false,
            default: None,
            visible: true,
            steers: false,
            locked: None,
            by: Vec::new(),
            problem: None,
            empty: None,
            hidden: Vec::new(),
            control: Control::Yaml { rows: super::controls::lines(&text, LINES), text, error },
            name,
        })
    }

    /// Returns the title of a row: its name, or else its first text.
    pub(super) fn title_of(&self, place: &Place, fields: &[Field]) -> String {
        let short = |text: &str| text.trim().chars().take(60).collect::<String>();
        let text = |field: &Field| match &field.control {
            Control::Text { value, .. } if !value.trim().is_empty() => Some(short(value)),
            _ => None,
        };
        let named = fields.iter().find(|field| field.path.ends_with(".name")).and_then(text);
        let shown = named.or_else(|| fields.iter().find_map(text));
        let held = || place.path.get(&self.draft.parameters)?.get("name")?.as_str().map(short);
        shown.or_else(held).unwrap_or_default()
    }
}

impl More {
    /// Names the select and its button, if fields are offered.
    pub(super) fn close(&mut self, name: &str) {
        if !self.fields.is_empty() {
            self.name = rows::more(name);
            self.show = Operation::value(OperationKind::Show, name);
        }
    }
}
