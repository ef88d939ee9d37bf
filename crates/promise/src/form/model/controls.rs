//! The controls of fields, with what was typed or what holds.

use serde_json::Value;

use super::Maker;
use crate::api::FieldHint;
use crate::form::control::{Choice, Control, InputMode, ListRow, MapRow, RowButtons};
use crate::form::field::{HiddenInput, field_id};
use crate::form::kind::{Kind, option_label, option_text, properties, scalar_text};
use crate::form::operation::{Operation, OperationKind};
use crate::form::{rows, yaml};
use crate::path::Path;
use crate::policy::Bounds;
use crate::shape::Shape;
use crate::wording::{self, label, lower_first};

/// Most lines of a text area before it scrolls.
const MOST_LINES: u32 = 24;

impl<'a> Maker<'a> {
    pub(super) fn control(
        &mut self,
        kind: &Kind,
        path: &Path,
        node: &'a Value,
        name: &str,
        hint: Option<&FieldHint>,
        hidden: &mut Vec<HiddenInput>,
    ) -> Control {
        match kind {
            Kind::Fixed => Control::Fixed { value: path.get(&self.in_effect).map(wording::value).unwrap_or_default() },
            Kind::Secret => {
                Control::Secret { kept: path.get(&self.draft.parameters).is_some_and(Value::is_object), clear: rows::clear(name) }
            }
            Kind::Tick => {
                let typed = self.draft.text(&rows::shown(name)).map(|_| self.draft.text(name).is_some());
                Control::Tick { checked: typed.unwrap_or_else(|| path.get(&self.in_effect) == Some(&Value::Bool(true))) }
            }
            Kind::Choice { values, optional, style } => {
                Control::Choice { style: *style, options: self.options(values, *optional, path, name, hint) }
            }
            Kind::Text { shape, mode, area } => {
                let value = self.text(path, name);
                if *area {
                    return Control::Area { rows: lines(&value, 3), value };
                }
                let suggestions = node["examples"].as_array().into_iter().flatten().map(scalar_text).collect();
                Control::Text { said: said(*shape, &value), value, mode: *mode, suggestions }
            }
            Kind::List { items } => self.list(items, path, node, name),
            Kind::Map { values } => self.map(values, path, node, name),
            Kind::Group { optional } => self.group(*optional, path, node, name, hidden),
            Kind::Yaml => self.yaml(path, name),
        }
    }

    /// What is said, else what holds; never what is said with defaults filled in, which would then be sent.
    fn shown(&self, path: &Path) -> Option<&Value> {
        path.get(&self.draft.parameters).or_else(|| path.get(&self.in_effect))
    }

    /// The text as typed, else the value in effect.
    fn text(&self, path: &Path, name: &str) -> String {
        match self.draft.text(name) {
            Some(text) => text.to_owned(),
            None => self.shown(path).map(scalar_text).unwrap_or_default(),
        }
    }

    fn options(&self, values: &[Value], optional: bool, path: &Path, name: &str, hint: Option<&FieldHint>) -> Vec<Choice> {
        let typed = self.draft.text(name).map(str::to_owned);
        let current = typed.unwrap_or_else(|| path.get(&self.in_effect).map(option_text).unwrap_or_default());
        let unset = optional.then(|| (String::new(), "Not set".to_owned(), None));
        let offered = values.iter().map(|value| {
            let text = option_text(value);
            let help = hint.and_then(|hint| hint.options.get(&text)).and_then(|option| option.help.clone());
            (text, option_label(hint, value), help)
        });
        let id = field_id(name);
        unset
            .into_iter()
            .chain(offered)
            .enumerate()
            .map(|(index, (value, label, hint))| Choice {
                id: if index == 0 { id.clone() } else { format!("{id}.{index}") },
                chosen: value == current,
                value,
                label,
                hint,
            })
            .collect()
    }

    fn list(&mut self, items: &Value, path: &Path, node: &Value, name: &str) -> Control {
        let texts = match self.draft.text(&rows::shown(name)) {
            Some(_) => rows::list(&self.draft.texts, name),
            None => self.shown(path).and_then(Value::as_array).into_iter().flatten().map(scalar_text).collect(),
        };
        let singular = singular(&label(self.promise, path));
        let count = texts.len();
        let ordered = node["x-kubernetes-list-type"] != "set";
        // Empty rows are not in the value, so problems count without them.
        let mut position = 0;
        let rows = texts
            .into_iter()
            .enumerate()
            .map(|(index, value)| {
                let row = rows::item(name, index);
                let id = field_id(&row);
                let problem = if value.trim().is_empty() { None } else { self.take_problem(&path.item(position), true, &id) };
                position += usize::from(!value.trim().is_empty());
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
        let options = items["enum"].as_array().into_iter().flatten().map(option_text).collect();
        let most = Bounds::of_node(node).max_items;
        let full = most.filter(|most| count as u64 >= *most).map(|most| format!("The list is full: at most {most} entries."));
        Control::List {
            rows,
            mode: mode_of(items),
            options,
            add: Operation::value(OperationKind::Add, name),
            add_label: format!("Add {}", lower_first(&singular)),
            full,
        }
    }

    fn map(&mut self, values: &Value, path: &Path, node: &Value, name: &str) -> Control {
        let entries = match self.draft.text(&rows::shown(name)) {
            Some(_) => rows::map(&self.draft.texts, name),
            None => {
                let current = self.shown(path).and_then(Value::as_object);
                current.into_iter().flatten().map(|(key, value)| (key.clone(), scalar_text(value))).collect()
            }
        };
        let singular = singular(&label(self.promise, path));
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
        let most = node.get("maxProperties").and_then(Value::as_u64);
        let full = most.filter(|most| count as u64 >= *most).map(|most| format!("There are enough entries: at most {most}."));
        Control::Map {
            rows,
            mode: mode_of(values),
            add: Operation::value(OperationKind::Add, &format!("{name}/~rows")),
            add_label: format!("Add {}", lower_first(&singular)),
            full,
        }
    }

    fn group(&mut self, optional: bool, path: &Path, node: &'a Value, name: &str, hidden: &mut Vec<HiddenInput>) -> Control {
        let present = path.get(&self.draft.parameters).is_some_and(Value::is_object) || self.draft.text(&rows::present(name)).is_some();
        if optional {
            let marker = if present { rows::present(name) } else { rows::absent(name) };
            hidden.push(HiddenInput { name: marker, value: "1".to_owned() });
        }
        let mut fields = Vec::new();
        if present || !optional {
            for (path, _, node, required) in properties(self.promise, path, node) {
                let hint = crate::shape::hint_at(self.promise, &path);
                if !self.placed.contains(&path) && !hint.is_some_and(|hint| hint.hidden) {
                    fields.push(self.field(&path, node, required));
                }
            }
        }
        let toggle = optional.then(|| Operation::value(if present { OperationKind::Drop } else { OperationKind::Put }, name));
        Control::Group { fields, present: optional.then_some(present), toggle }
    }

    fn yaml(&self, path: &Path, name: &str) -> Control {
        let text = match self.draft.text(name) {
            Some(text) => text.to_owned(),
            None => self.shown(path).map(yaml::write).unwrap_or_default(),
        };
        let error = if text.trim().is_empty() { None } else { yaml::read(&text).err() };
        Control::Yaml { rows: lines(&text, 6), text, error }
    }
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

/// `Hosts` as one of them; English labels end in s more often than not, and others stay as they are.
fn singular(label: &str) -> String {
    match label.strip_suffix("ies") {
        Some(stem) if stem.len() > 1 => format!("{stem}y"),
        _ => match label.strip_suffix('s') {
            Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
            _ => format!("{label} entry"),
        },
    }
}

fn mode_of(node: &Value) -> InputMode {
    match Shape::of(node) {
        Shape::Integer => InputMode::Numeric,
        Shape::Number => InputMode::Decimal,
        _ => InputMode::Text,
    }
}

/// How a text is read where that is not plain.
fn said(shape: Shape, text: &str) -> Option<String> {
    let text = text.trim();
    match shape {
        Shape::IntOrString if text.is_empty() => None,
        Shape::IntOrString if text.parse::<i64>().is_ok() => Some("Read as a number".to_owned()),
        Shape::IntOrString => Some("Read as a text".to_owned()),
        _ => None,
    }
}

fn lines(text: &str, least: u32) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(MOST_LINES).clamp(least, MOST_LINES)
}
