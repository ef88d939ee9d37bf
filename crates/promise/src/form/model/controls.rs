//! Controls of fields with the entered values or those in effect.

use serde_json::Value;

use super::Maker;
use crate::api::FieldHint;
use crate::form::control::{Choice, ChoiceStyle, Control, ItemKey, ItemRow, ListRow, MapRow, More, RowButtons, Suggestion};
use crate::form::field::{Field, HiddenInput, field_id};
use crate::form::kind::{Kind, accepts_empty, file_text, has_fields, mode_of, option_label, option_text, scalar_text};
use crate::form::operation::{Operation, OperationKind};
use crate::form::place::Place;
use crate::form::press::{ENTRIES, OBJECTS};
use crate::form::{rows, visible, yaml};
use crate::path::{Path, Segment};
use crate::policy::Bounds;
use crate::shape::Shape;
use crate::text_kind::TextKind;
use crate::wording::{self, label, lower_first, singular};

/// Maximum number of lines of a text area before it scrolls.
const MOST_LINES: u32 = 24;
/// Maximum length of the label of a value that isn't one of the choices, in characters.
const LONGEST_OTHER: usize = 60;
/// Label of a row that should be an object and is something else.
const VALUE_OF_A_ROW: &str = "Value";
/// Label of the list or map that is a row of another one.
const ENTRIES_OF_A_ROW: &str = "Entries";

impl<'a> Maker<'a> {
    pub(super) fn control(
        &mut self,
        kind: &Kind,
        place: &Place,
        node: &'a Value,
        hint: Option<&FieldHint>,
        settled: bool,
        hidden: &mut Vec<HiddenInput>,
    ) -> Control {
        let (path, name) = (&place.path, place.name.as_str());
        match kind {
            Kind::Fixed => Control::Fixed { value: path.get(&self.in_effect).map(wording::value).unwrap_or_default() },
            Kind::Secret => {
                Control::Secret { kept: path.get(&self.draft.parameters).is_some_and(Value::is_object), clear: rows::clear(name) }
            }
            Kind::Tick => {
                let typed = self.draft.text(&rows::shown(name)).map(|_| self.draft.text(name).is_some());
                Control::Tick { checked: typed.unwrap_or_else(|| self.applies(place) == Some(&Value::Bool(true))), price: None }
            }
            Kind::Choice { values, optional, style } => {
                Control::Choice { style: *style, options: self.options(values, (*optional, *style), place, node, hint), show: None }
            }
            Kind::Text { shape, mode, area } => {
                let value = self.text(place);
                if let Some(options) = hint.and_then(|hint| self.options_from(hint, node, &value, name, settled)) {
                    return Control::Choice { style: ChoiceStyle::Select, options, show: None };
                }
                // One line can't hold several.
                if *area || value.contains('\n') {
                    return Control::Area { rows: lines(&value, 3), value, file: file_text(node, hint) };
                }
                let examples = node["examples"].as_array().into_iter().flatten();
                let suggestions = examples.map(|value| Suggestion { value: scalar_text(value), label: String::new() }).collect();
                Control::Text { said: said(*shape, TextKind::of(node, hint), &value), value, mode: *mode, suggestions }
            }
            Kind::Search { values } => self.suggesting(values, place, node, hint),
            Kind::List { items } => self.list(items, place, node, hint),
            Kind::Map { values } => self.map(values, place, node),
            Kind::Items { .. } => self.items(place, node, node.get("items").unwrap_or(&Value::Null)),
            Kind::Entries { .. } => self.entries(place, node, node.get("additionalProperties").unwrap_or(&Value::Null)),
            Kind::Group { optional, open } => self.group(*optional, *open, place, node, hidden),
            Kind::Yaml => self.yaml(place),
        }
    }

    /// Returns the given value, or else the one that applies: a null is replaced by a default. Defaults are never filled into a given value
    /// because they would then be sent.
    pub(super) fn shown<'v>(&'v self, place: &'v Place) -> Option<&'v Value> {
        place.path.get(&self.draft.parameters).filter(|given| !given.is_null()).or_else(|| self.applies(place))
    }

    /// Returns the value in effect. In a row that isn't an object yet, nothing is in effect; there, the default of an object around the field
    /// would apply.
    fn applies<'v>(&'v self, place: &'v Place) -> Option<&'v Value> {
        place.path.get(&self.in_effect).or(place.here.as_ref())
    }

    /// Returns the text as entered, or else the value in effect.
    fn text(&self, place: &Place) -> String {
        match self.draft.text(&place.name) {
            Some(text) => text.to_owned(),
            None => self.shown(place).map(scalar_text).unwrap_or_default(),
        }
    }

    fn options(
        &self,
        values: &[Value],
        (optional, style): (bool, ChoiceStyle),
        place: &Place,
        node: &Value,
        hint: Option<&FieldHint>,
    ) -> Vec<Choice> {
        let (path, name) = (&place.path, place.name.as_str());
        let typed = self.draft.text(name).map(str::to_owned);
        let held = self.applies(place).filter(|value| !value.is_null() || values.contains(value));
        let current = typed.unwrap_or_else(|| held.map(option_text).unwrap_or_default());
        // Its default doesn't apply because the object around it is given without it.
        let is_absent = current.is_empty() && path.get(&self.defaults.usual).is_some();
        // Of a select without a choice, browsers post the first option: that isn't a value that someone chose.
        let is_open = current.is_empty() && style == ChoiceStyle::Select;
        let unset = (optional || is_absent || is_open).then(|| (String::new(), "Not set".to_owned(), None));
        // A value that isn't one of these, or no longer, stays until another one is chosen.
        let is_other = !current.is_empty() && !values.iter().any(|value| option_text(value) == current);
        let other = is_other.then(|| (current.clone(), current.chars().take(LONGEST_OTHER).collect::<String>(), None));
        let offered = values.iter().map(|value| {
            let text = option_text(value);
            let help = hint.and_then(|hint| hint.options.get(&text)).and_then(|option| option.help.clone());
            (text, option_label(hint, node, value), help)
        });
        let id = field_id(name);
        unset
            .into_iter()
            .chain(offered)
            .chain(other)
            .enumerate()
            .map(|(index, (value, label, hint))| Choice {
                id: if index == 0 { id.clone() } else { format!("{id}.{index}") },
                chosen: value == current,
                value,
                label,
                hint,
                price: None,
            })
            .collect()
    }

    fn list(&mut self, items: &Value, place: &Place, node: &Value, hint: Option<&FieldHint>) -> Control {
        let (path, name) = (&place.path, place.name.as_str());
        let texts = match self.draft.text(&rows::shown(name)) {
            Some(_) => rows::list(&self.draft.texts, name),
            None => self.shown(place).and_then(Value::as_array).into_iter().flatten().map(scalar_text).collect(),
        };
        if let Some(checks) = self.checks(&texts, path, node, name, hint) {
            return checks;
        }
        let singular = self.one_of(&place.pattern);
        let count = texts.len();
        let ordered = node["x-kubernetes-list-type"] != "set";
        let held = self.shown(place).and_then(Value::as_array);
        // Empty rows aren't part of the value unless they are valid or were there before, so problem indexes don't count them.
        let empty_counts = accepts_empty(items);
        let is_value = |position: usize, text: &str| {
            empty_counts
                || !text.trim().is_empty()
                || held.and_then(|held| held.get(position)).is_some_and(|value| scalar_text(value) == text)
        };
        let counted: Vec<Option<usize>> = texts
            .iter()
            .scan(0, |position, text| {
                let mine = is_value(*position, text).then_some(*position);
                *position += usize::from(mine.is_some());
                Some(mine)
            })
            .collect();
        let rows = texts
            .into_iter()
            .enumerate()
            .map(|(index, value)| {
                let row = rows::item(name, index);
                let id = field_id(&row);
                let position = counted.get(index).copied().flatten();
                let problem = position.and_then(|position| self.take_problem(&path.item(position), true, &id));
                ListRow {
                    label: format!("{singular} {}", index + 1),
                    buttons: buttons(&row, index, count, ordered, &format!("{} {}", lower_first(&singular), index + 1), &value),
                    id,
                    name: row,
                    value,
                    problem,
                }
            })
            .collect();
        let options = match Shape::of(items) {
            Shape::Boolean => vec!["true".to_owned(), "false".to_owned()],
            _ => items["enum"].as_array().into_iter().flatten().map(option_text).collect(),
        };
        let full = full_list(node, count);
        Control::List {
            rows,
            mode: mode_of(items, None),
            options,
            suggestions: Vec::new(),
            note: None,
            add: Operation::value(OperationKind::Add, name),
            add_label: format!("Add {}", lower_first(&singular)),
            full,
        }
    }

    fn map(&mut self, values: &Value, place: &Place, node: &Value) -> Control {
        let (path, name) = (&place.path, place.name.as_str());
        let entries = match self.draft.text(&rows::shown(name)) {
            Some(_) => rows::map(&self.draft.texts, name),
            None => {
                let current = self.shown(place).and_then(Value::as_object);
                current.into_iter().flatten().map(|(key, value)| (key.clone(), scalar_text(value))).collect()
            }
        };
        let singular = self.one_of(&place.pattern);
        let count = entries.len();
        let rows = entries
            .into_iter()
            .enumerate()
            .map(|(index, (key, value))| {
                let row = rows::entry(name, index);
                let (key_name, value_name) = (format!("{row}/~key"), format!("{row}/~value"));
                let (id, value_id) = (field_id(&key_name), field_id(&value_name));
                let problem = if key.is_empty() { None } else { self.take_problem(&path.child(&key), true, &value_id) };
                let buttons = buttons(&row, index, count, false, &format!("{} {}", lower_first(&singular), index + 1), &key);
                MapRow { id, key_name, key, value_id, value_name, value, problem, buttons }
            })
            .collect();
        let full = full_map(node, count);
        Control::Map {
            rows,
            mode: mode_of(values, None),
            add: Operation::value(OperationKind::Add, &format!("{name}{ENTRIES}")),
            add_label: format!("Add {}", lower_first(&singular)),
            full,
        }
    }

    fn group(&mut self, optional: bool, open: bool, place: &Place, node: &'a Value, hidden: &mut Vec<HiddenInput>) -> Control {
        let name = &place.name;
        let is_there = place.path.get(&self.draft.parameters).is_some_and(Value::is_object);
        let asked_for = [rows::present(name), rows::opened(name)].iter().any(|mark| self.draft.text(mark).is_some());
        let present = is_there || asked_for;
        if optional {
            let marker = if present { rows::present(name) } else { rows::absent(name) };
            hidden.push(HiddenInput { name: marker, value: "1".to_owned() });
        }
        let (fields, more) = if present || !optional { self.fields_of(place, node, open, hidden) } else { Default::default() };
        let toggle = optional.then(|| Operation::value(if present { OperationKind::Drop } else { OperationKind::Put }, name));
        Control::Group { fields, more, present: optional.then_some(present), toggle }
    }

    fn items(&mut self, place: &Place, node: &Value, items: &'a Value) -> Control {
        let shown = self.shown(place).and_then(Value::as_array);
        let count = match self.draft.text(&rows::shown(&place.name)) {
            Some(_) => rows::numbers(&self.draft.texts, &format!("{}/", place.name)).len(),
            None => shown.map(Vec::len).unwrap_or_default(),
        };
        let singular = self.one_of(&place.pattern);
        let ordered = node["x-kubernetes-list-type"] != "set" && node["x-kubernetes-list-type"] != "map";
        let rows = (0..count).map(|index| {
            let row = place.item(index, index);
            let what = format!("{} {}", lower_first(&singular), index + 1);
            self.item(
                row.clone(),
                items,
                &row.name,
                what,
                format!("{singular} {}", index + 1),
                index.to_string(),
                None,
                (index, count, ordered),
            )
        });
        Control::Items {
            rows: rows.collect(),
            add: Operation::value(OperationKind::Add, &format!("{}{OBJECTS}", place.name)),
            add_label: format!("Add {}", lower_first(&singular)),
            full: full_list(node, count),
        }
    }

    fn entries(&mut self, place: &Place, node: &Value, values: &'a Value) -> Control {
        let keys: Vec<String> = match self.draft.text(&rows::shown(&place.name)) {
            Some(_) => rows::map(&self.draft.texts, &place.name).into_iter().map(|(key, _)| key).collect(),
            None => self.shown(place).and_then(Value::as_object).into_iter().flatten().map(|(key, _)| key.clone()).collect(),
        };
        let singular = self.one_of(&place.pattern);
        let count = keys.len();
        let rows = keys.into_iter().enumerate().map(|(index, key)| {
            let row = rows::entry(&place.name, index);
            let key_name = format!("{row}/~key");
            let input = ItemKey { id: field_id(&key_name), name: key_name, value: key.clone() };
            let what = format!("{} {}", lower_first(&singular), index + 1);
            let label = format!("{singular} {}", index + 1);
            self.item(place.entry(&key, index), values, &row, what, label, key, Some(input), (index, count, false))
        });
        Control::Items {
            rows: rows.collect(),
            add: Operation::value(OperationKind::Add, &format!("{}{ENTRIES}", place.name)),
            add_label: format!("Add {}", lower_first(&singular)),
            full: full_map(node, count),
        }
    }

    /// Returns the label of a row, without its number.
    fn one_of(&self, path: &Path) -> String {
        match path.0.last() {
            Some(Segment::Index(_) | Segment::Each) => "Entry".to_owned(),
            _ => singular(&label(self.promise, path)),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "rows of lists and maps differ in all of these and in nothing else")]
    fn item(
        &mut self,
        place: Place,
        node: &'a Value,
        row: &str,
        what: String,
        label: String,
        from: String,
        key: Option<ItemKey>,
        (index, count, ordered): (usize, usize, bool),
    ) -> ItemRow {
        let mut hidden = vec![HiddenInput { name: rows::from(row), value: from }];
        if key.is_none() {
            hidden.push(HiddenInput { name: rows::there(row), value: "1".to_owned() });
        }
        let is_other = self.shown(&place).is_some_and(|value| !value.is_object() && !value.is_null());
        let is_object = has_fields(node) && !is_other;
        // A row that is a list has the id of its row for the list.
        let id = if is_object { field_id(row) } else { field_id(&format!("{row}/~row")) };
        let is_of_choice = is_object && self.has_problem_of_choice(&place, node);
        let mut problem = if is_of_choice { None } else { self.take_problem(&place.path, false, &id) };
        let (fields, more) = if is_object {
            if self.draft.text(&rows::opened(&place.name)).is_some() {
                hidden.push(HiddenInput { name: rows::opened(&place.name), value: "1".to_owned() });
            }
            self.fields_of(&place, node, Shape::of(node) == Shape::Open, &mut hidden)
        } else {
            let label = if has_fields(node) { VALUE_OF_A_ROW } else { ENTRIES_OF_A_ROW };
            (vec![Field { label: label.to_owned(), ..self.field(&place, node, true) }], More::default())
        };
        if is_of_choice {
            problem = self.take_problem(&place.path, false, &id);
        }
        let title = key.as_ref().map_or_else(|| self.title_of(&place, &fields), |key| key.value.clone());
        let buttons = buttons(row, index, count, ordered, &what, &title);
        ItemRow { id, label, title, key, hidden, fields, more, problem, buttons }
    }

    /// Returns the choices that the promise computes from other values. `None` if it computes none; then the text is free.
    fn options_from(&self, hint: &FieldHint, node: &Value, value: &str, name: &str, settled: bool) -> Option<Vec<Choice>> {
        let mut offered = visible::options(hint.options_from.as_deref()?, &self.in_effect)?;
        if !value.is_empty() && !offered.iter().any(|option| option == value) {
            offered.insert(0, value.to_owned());
        }
        let unset = (value.is_empty() || !settled).then(|| (String::new(), "Not set".to_owned()));
        let options = offered.into_iter().map(|option| (option.clone(), option_label(Some(hint), node, &Value::String(option))));
        let choice = |(index, (option, label)): (usize, (String, String))| Choice {
            id: format!("{}.{index}", field_id(name)),
            chosen: option == value,
            value: option,
            label,
            hint: None,
            price: None,
        };
        Some(unset.into_iter().chain(options).enumerate().map(choice).collect())
    }

    fn yaml(&self, place: &Place) -> Control {
        let text = match self.draft.text(&place.name) {
            Some(text) => text.to_owned(),
            None => self.shown(place).map(yaml::write).unwrap_or_default(),
        };
        let error = if text.trim().is_empty() { None } else { yaml::read(&text).err() };
        Control::Yaml { rows: lines(&text, if text.is_empty() { 2 } else { 6 }), text, error }
    }
}

fn full_list(node: &Value, count: usize) -> Option<String> {
    let most = Bounds::of_node(node).max_items.filter(|most| count as u64 >= *most)?;
    Some(format!("The list is full: at most {}.", wording::counted(most, "entry")))
}

fn full_map(node: &Value, count: usize) -> Option<String> {
    let most = node.get("maxProperties").and_then(Value::as_u64).filter(|most| count as u64 >= *most)?;
    Some(format!("No more entries can be added: at most {most}."))
}

fn buttons(row: &str, index: usize, count: usize, ordered: bool, what: &str, value: &str) -> RowButtons {
    let operation = |kind| Operation::value(kind, row);
    RowButtons {
        up: (ordered && index > 0).then(|| operation(OperationKind::Up)),
        down: (ordered && index + 1 < count).then(|| operation(OperationKind::Down)),
        remove: operation(OperationKind::Remove),
        what: if value.is_empty() { what.to_owned() } else { format!("{what}, {value}") },
    }
}

/// Returns how a text is interpreted, if that isn't obvious.
fn said(shape: Shape, kind: Option<TextKind>, text: &str) -> Option<String> {
    let text = text.trim();
    let is_percentage = || text.strip_suffix('%').is_some_and(|number| number.parse::<u32>().is_ok());
    match shape {
        Shape::IntOrString if text.is_empty() => None,
        Shape::IntOrString if text.parse::<i64>().is_ok() => Some("Treated as a number".to_owned()),
        Shape::IntOrString if is_percentage() => Some("Treated as a percentage".to_owned()),
        Shape::IntOrString => Some("Treated as text".to_owned()),
        _ => kind.and_then(|kind| kind.said(text)),
    }
}

pub(super) fn lines(text: &str, least: u32) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(MOST_LINES).clamp(least, MOST_LINES)
}
