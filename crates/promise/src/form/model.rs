//! The form of a promise for what somebody has typed so far.

use std::collections::BTreeSet;

use serde_json::Value;

use super::control::{Choice, Control, ListRow, MapRow, RowButtons};
use super::describe;
use super::draft::Draft;
use super::field::{Field, Form, HiddenInput, Locked, PresetChoice, Section, Summary, field_id};
use super::kind::{Kind, Spot, option_label, option_text, properties, scalar_text};
use super::operation::{Operation, OperationKind};
use super::{BASE, rows, visible, yaml};
use crate::api::{FieldHint, PromiseSpec};
use crate::error::Problem;
use crate::path::{Path, Segment};
use crate::policy::{Bounds, Effective, node_at, same_value};
use crate::resolve;
use crate::shape::Shape;
use crate::wording::{self, label, lower_first};

/// Most lines of a text area before it scrolls.
const MOST_LINES: u32 = 24;

/// Makes the form. `problems` are those of resolving, with paths below `.parameters`; the draft's own are added.
pub fn model(promise: &PromiseSpec, effective: &Effective, draft: &Draft, problems: &[Problem]) -> Form {
    let empty = Value::Null;
    let own = promise.parameters.as_ref().unwrap_or(&empty);
    let schema = if effective.schema.is_object() { &effective.schema } else { own };
    let mut maker = Maker {
        promise,
        effective,
        schema,
        own,
        draft,
        in_effect: resolve::in_effect(promise, effective, &draft.parameters),
        defaults: resolve::in_effect(promise, effective, &Value::Null),
        problems: draft.problems.iter().chain(problems).map(located).collect(),
        summary: Vec::new(),
        placed: BTreeSet::new(),
    };
    let sections = maker.sections();
    let mut form = Form { presets: maker.presets(), kept: maker.kept(), sections, ..Form::default() };
    // What belongs to no drawn field concerns the whole, and comes first.
    let rest = maker.problems.iter().map(|(_, message)| Summary { target: String::new(), message: message.clone() });
    form.summary = rest.collect();
    form.summary.append(&mut maker.summary);
    form.summary.dedup();
    form.count = form
        .fields()
        .iter()
        .filter(|field| field.visible && field.locked.is_none() && !matches!(field.control, Control::Group { .. }))
        .count();
    form
}

fn located(problem: &Problem) -> (Option<Path>, String) {
    let path = problem.path.strip_prefix(".parameters").and_then(|rest| Path::parse(rest).ok());
    (path, problem.message.clone())
}

struct Maker<'a> {
    promise: &'a PromiseSpec,
    effective: &'a Effective,
    /// The narrowed schema.
    schema: &'a Value,
    /// The promise's own.
    own: &'a Value,
    draft: &'a Draft,
    in_effect: Value,
    defaults: Value,
    /// Problems that no field has taken yet.
    problems: Vec<(Option<Path>, String)>,
    summary: Vec<Summary>,
    /// Paths that a group names, so that they are not drawn twice.
    placed: BTreeSet<Path>,
}

impl<'a> Maker<'a> {
    fn sections(&mut self) -> Vec<Section> {
        let groups = &self.promise.form.groups;
        let named: Vec<Vec<Path>> =
            groups.iter().map(|group| group.fields.iter().filter_map(|text| Path::parse(text).ok()).collect()).collect();
        self.placed = named.iter().flatten().cloned().collect();
        let mut sections: Vec<Section> = Vec::new();
        for (index, (group, paths)) in groups.iter().zip(named).enumerate() {
            let mut section = Section {
                id: format!("s{}", index + 1),
                title: group.title.clone(),
                description: group.description.clone(),
                ..Section::default()
            };
            for path in paths {
                let Some(node) = node_at(self.schema, &path) else { continue };
                let required = self.is_required(&path);
                self.put(&path, node, required, &mut section);
            }
            sections.push(section);
        }
        let mut rest = Section { id: "more".to_owned(), title: "More settings".to_owned(), ..Section::default() };
        if groups.is_empty() {
            rest.title = "Settings".to_owned();
        }
        for (path, _, node, required) in properties(self.promise, &Path::default(), self.schema) {
            if !self.placed.contains(&path) {
                self.put(&path, node, required, &mut rest);
            }
        }
        sections.push(rest);
        sections.retain(|section| !section.fields.is_empty() || !section.advanced.is_empty());
        for section in &mut sections {
            self.fold(section);
        }
        sections
    }

    fn is_required(&self, path: &Path) -> bool {
        let Some((Segment::Key(key), lead)) = path.0.split_last() else { return false };
        let parent = node_at(self.schema, &Path(lead.to_vec()));
        parent.and_then(|node| node["required"].as_array()).is_some_and(|required| required.iter().any(|name| name == key))
    }

    fn put(&mut self, path: &Path, node: &'a Value, required: bool, section: &mut Section) {
        let hint = crate::shape::hint_at(self.promise, path);
        if hint.is_some_and(|hint| hint.hidden) {
            return;
        }
        let advanced = hint.is_some_and(|hint| hint.advanced);
        let field = self.field(path, node, required);
        if advanced { section.advanced.push(field) } else { section.fields.push(field) }
    }

    fn fold(&self, section: &mut Section) {
        if section.advanced.is_empty() {
            return;
        }
        let untouched = section
            .advanced
            .iter()
            .all(|field| Path::parse(&field.path).is_ok_and(|path| path.get(&self.in_effect) == path.get(&self.defaults)));
        let names: Vec<String> = section.advanced.iter().map(|field| lower_first(&field.label)).collect();
        let state = if untouched { ", all at their defaults" } else { "" };
        section.advanced_summary = format!("{}{state}: {}", names.len(), names.join(", "));
        section.advanced_open = section.advanced.iter().any(needs_attention);
    }

    fn presets(&self) -> Vec<PresetChoice> {
        self.promise
            .form
            .presets
            .iter()
            .map(|preset| PresetChoice {
                name: preset.name.clone(),
                title: wording::humanise(&preset.name),
                description: preset.description.clone(),
                operation: Operation::value(OperationKind::Preset, &preset.name),
                chosen: preset.values.as_ref().is_some_and(|values| holds_all(&self.in_effect, values)),
            })
            .collect()
    }

    /// Values that the schema does not know.
    fn kept(&self) -> Vec<String> {
        let mut value = self.draft.parameters.clone();
        schema::structural::Schema::parse_lenient(self.own).prune(&mut value)
    }

    fn field(&mut self, path: &Path, node: &'a Value, required: bool) -> Field {
        let name = path.pointer(BASE);
        let default = path.get(&self.defaults).or_else(|| node.get("default")).cloned();
        let spot = Spot { promise: self.promise, effective: self.effective, path, node, required, defaulted: default.is_some() };
        let kind = spot.kind();
        let hint = crate::shape::hint_at(self.promise, path);
        let (short, help) = describe::hint_and_help(hint, node);
        let condition = hint.and_then(|hint| hint.visible_when.as_deref());
        let explicit = path.get(&self.draft.parameters);
        let mut hidden = Vec::new();
        if explicit.is_some()
            && default.as_ref().zip(explicit).is_some_and(|(default, value)| same_value(default, value))
            && kind != Kind::Fixed
        {
            hidden.push(HiddenInput { name: rows::explicit(&name), value: "1".to_owned() });
        }
        if matches!(kind, Kind::Tick | Kind::List { .. } | Kind::Map { .. }) {
            hidden.push(HiddenInput { name: rows::shown(&name), value: "1".to_owned() });
        }
        let leaf = !matches!(kind, Kind::Group { .. } | Kind::List { .. } | Kind::Map { .. });
        let problem = self.take_problem(path, leaf, &field_id(&name));
        let locked = self.locked(path);
        let control = self.control(&kind, path, node, &name, hint, &mut hidden);
        Field {
            id: field_id(&name),
            path: path.to_string(),
            label: label(self.promise, path),
            hint: short,
            help,
            unit: hint.and_then(|hint| hint.unit.clone()),
            constraint: if matches!(kind, Kind::Choice { .. } | Kind::Fixed) { None } else { describe::constraint(node) },
            required: required && default.is_none(),
            default: default.filter(|default| !default.is_object()).map(|default| wording::value(&default)),
            visible: condition.is_none_or(|condition| visible::holds(condition, &self.in_effect)),
            steers: visible::steers(self.promise, path),
            locked,
            by: self.by(path),
            problem,
            hidden,
            control,
            name,
        }
    }

    fn locked(&self, path: &Path) -> Option<Locked> {
        let set = self.effective.sets.iter().find(|set| path.starts_with(&set.path))?;
        let value = path.get(&self.in_effect).map_or_else(|| "Not set".to_owned(), |value| wording::upper_first(&wording::value(value)));
        Some(Locked { value, by: describe::by("Locked", &set.from) })
    }

    fn by(&self, path: &Path) -> Vec<super::field::ByLine> {
        let narrowed = self.effective.constraints.iter().filter(|ruling| ruling.path == *path).map(|ruling| {
            let did = match ruling.from.enforcement {
                crate::api::Enforcement::Block => describe::narrowed_from(node_at(self.own, path).unwrap_or(&Value::Null)),
                crate::api::Enforcement::Warn | crate::api::Enforcement::Audit => "Watched".to_owned(),
            };
            describe::by(did, &ruling.from)
        });
        let defaulted =
            self.effective.defaults.iter().filter(|ruling| ruling.path == *path).map(|ruling| describe::by("Default from", &ruling.from));
        narrowed.chain(defaulted).collect()
    }

    /// The first problem at a path (for a leaf: also inside it), which is then taken for the summary.
    fn take_problem(&mut self, path: &Path, leaf: bool, target: &str) -> Option<String> {
        let mut first = None;
        let mut left = Vec::new();
        for (at, message) in std::mem::take(&mut self.problems) {
            let mine = at.as_ref().is_some_and(|at| if leaf { at.starts_with(path) } else { at == path });
            if mine {
                self.summary.push(Summary { target: target.to_owned(), message: message.clone() });
                first.get_or_insert(message);
            } else {
                left.push((at, message));
            }
        }
        self.problems = left;
        first
    }

    fn control(
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

    /// The text as typed, else the value in effect.
    fn text(&self, path: &Path, name: &str) -> String {
        match self.draft.text(name) {
            Some(text) => text.to_owned(),
            None => path.get(&self.in_effect).map(scalar_text).unwrap_or_default(),
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
            None => path.get(&self.in_effect).and_then(Value::as_array).into_iter().flatten().map(scalar_text).collect(),
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
                let current = path.get(&self.in_effect).and_then(Value::as_object);
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
            None => path.get(&self.in_effect).map(yaml::write).unwrap_or_default(),
        };
        let error = if text.trim().is_empty() { None } else { yaml::read(&text).err() };
        Control::Yaml { rows: lines(&text, 6), text, error }
    }
}

fn needs_attention(field: &Field) -> bool {
    let inside = match &field.control {
        Control::Group { fields, .. } => fields.iter().any(needs_attention),
        Control::List { rows, .. } => rows.iter().any(|row| row.problem.is_some()),
        Control::Map { rows, .. } => rows.iter().any(|row| row.problem.is_some()),
        Control::Yaml { error, .. } => error.is_some(),
        _ => false,
    };
    inside || field.problem.is_some()
}

fn holds_all(there: &Value, wanted: &Value) -> bool {
    match (there, wanted) {
        (Value::Object(there), Value::Object(wanted)) => {
            wanted.iter().all(|(key, value)| there.get(key).is_some_and(|there| holds_all(there, value)))
        }
        _ => same_value(there, wanted),
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

fn mode_of(node: &Value) -> super::control::InputMode {
    match Shape::of(node) {
        Shape::Integer => super::control::InputMode::Numeric,
        Shape::Number => super::control::InputMode::Decimal,
        _ => super::control::InputMode::Text,
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
