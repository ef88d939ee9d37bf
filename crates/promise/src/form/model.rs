//! Builds the form of a promise for the values entered so far.

mod changes;
mod choices;
mod controls;
mod demand;
mod find;
mod picks;

use std::collections::BTreeSet;

use serde_json::Value;

use super::control::Control;
use super::defaults::Defaults;
use super::describe;
use super::draft::Draft;
use super::field::{ByLine, EmptyValue, Field, Form, HiddenInput, Locked, PresetChoice, Section, Summary, field_id};
use super::immutable::{ChangeLimit, change_limits};
use super::kind::{Kind, Spot, accepts_empty, properties, whole};
use super::misfit::is_misfit;
use super::operation::{Operation, OperationKind};
use super::place::Place;
use super::{BASE, rows, visible};
use crate::api::{Constrain, Enforcement, PromiseSpec};
use crate::path::{Path, Segment};
use crate::policy::{Effective, same_value};
use crate::problem::Problem;
use crate::resolve;
use crate::shape::node_at;
use crate::wording::{self, label, lower_first};

/// Builds the form. `problems` are those from resolving, with paths below `.parameters`; the draft's own are added.
pub fn model(promise: &PromiseSpec, effective: &Effective, draft: &Draft, problems: &[Problem]) -> Form {
    model_of_edit(promise, effective, draft, problems, None)
}

/// Builds the form for a change: immutable fields are locked. `accepted` are the parameters of the last accepted release.
pub fn model_of_edit(promise: &PromiseSpec, effective: &Effective, draft: &Draft, problems: &[Problem], accepted: Option<&Value>) -> Form {
    let empty = Value::Null;
    let own = promise.parameters.as_deref().unwrap_or(&empty);
    let schema = if effective.schema.is_object() { &*effective.schema } else { own };
    let structural = resolve::parsed_schema(promise, effective);
    let mut maker = Maker {
        promise,
        effective,
        schema,
        own,
        draft,
        in_effect: resolve::in_effect(promise, &structural, effective, &draft.parameters),
        defaults: Defaults::of(promise, &structural, effective, schema, &draft.parameters),
        problems: draft.problems.iter().chain(problems).map(located).collect(),
        summary: Vec::new(),
        placed: BTreeSet::new(),
        left: demand::FIRST_VIEW,
        nameable: demand::NAMES,
        offers: false,
        accepted,
        changes: change_limits(promise),
    };
    let sections = maker.sections();
    let kept = structural.prune(&mut draft.parameters.clone());
    let mut form = Form { presets: maker.presets(), kept, sections, ..Form::default() };
    // Problems without a rendered field concern the whole form, or the group around it, and come first.
    let rest = maker.problems.iter().map(|(at, message)| {
        let around = at.as_ref().and_then(|at| form.around(at));
        Summary { target: around.unwrap_or_default(), message: message.clone() }
    });
    form.summary = rest.collect();
    form.summary.append(&mut maker.summary);
    form.summary.dedup();
    form.find = maker.search(&form.fields());
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

/// Maximum number of fields without groups. With more, optional fields are collapsed.
const MANY: usize = 12;
/// Maximum number of names in the summary of collapsed fields.
const NAMED: usize = 8;

pub(super) struct Maker<'a> {
    promise: &'a PromiseSpec,
    effective: &'a Effective,
    /// The narrowed schema.
    schema: &'a Value,
    /// The promise's own schema.
    own: &'a Value,
    draft: &'a Draft,
    in_effect: Value,
    defaults: Defaults,
    /// Problems that no field has claimed yet.
    problems: Vec<(Option<Path>, String)>,
    summary: Vec<Summary>,
    /// Paths that a group names, so that they aren't rendered twice.
    placed: BTreeSet<Path>,
    /// How many more fields objects can show without being asked.
    left: usize,
    /// How many more fields can be offered by name.
    nameable: usize,
    /// Whether some fields are rendered on demand.
    offers: bool,
    /// For a change: the last accepted parameters.
    accepted: Option<&'a Value>,
    /// What rules say about changes.
    changes: Vec<ChangeLimit>,
}

impl<'a> Maker<'a> {
    fn sections(&mut self) -> Vec<Section> {
        let groups = &self.promise.form.groups;
        let mut placed = BTreeSet::new();
        // The first group that names a field contains it: two inputs with the same name would overwrite each other.
        let named: Vec<Vec<Path>> = groups
            .iter()
            .map(|group| {
                let paths = group.fields.iter().filter_map(|text| Path::parse(text).ok());
                let paths = paths.filter(|path| path.0.iter().all(|step| matches!(step, Segment::Key(_))));
                paths.filter(|path| placed.insert(path.clone())).collect()
            })
            .collect();
        self.placed = placed;
        let root = Place::root();
        let choosing = whole(self.schema).is_none().then(|| self.choosing(&root, self.schema)).flatten();
        let mut is_chosen = false;
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
                let (mut required, place) = (self.is_required(&path), Place::of(&path));
                if let (Some(Segment::Key(key)), Some(choosing)) = (path.0.first(), &choosing) {
                    if choosing.is_about(key) && !is_chosen {
                        is_chosen = true;
                        section.fields.push(self.choice(&root, self.schema, choosing));
                    }
                    let Some(requires) = self.shown_by(choosing, &root.child(self.schema, key), key) else { continue };
                    required |= requires && path.0.len() == 1;
                }
                self.put(&place, node, required, &mut section);
            }
            sections.push(section);
        }
        let mut rest = Section { id: "more".to_owned(), title: "More settings".to_owned(), ..Section::default() };
        if groups.is_empty() {
            rest.title = "Settings".to_owned();
        }
        if let Some(node) = whole(self.schema) {
            self.put(&Place::root(), node, true, &mut rest);
        }
        let mut others = properties(self.promise, &Place::root(), self.schema);
        others.retain(|(place, ..)| !self.placed.contains(&place.path));
        let (others, position) = self.arranged(choosing.as_ref(), others);
        let on_demand = others.len() > demand::MANY_AT_TOP;
        let count = others.len();
        let choice = choosing.as_ref().filter(|_| !is_chosen).zip(position);
        for (index, (place, _, node, required)) in others.into_iter().enumerate() {
            if let Some((choosing, _)) = choice.filter(|(_, position)| *position == index) {
                rest.fields.push(self.choice(&root, self.schema, choosing));
            }
            if !on_demand || self.is_wanted(&place, required) {
                self.put(&place, node, required, &mut rest);
            } else {
                self.offer(&place, &mut rest.more);
            }
        }
        if let Some((choosing, _)) = choice.filter(|(_, position)| *position == count) {
            rest.fields.push(self.choice(&root, self.schema, choosing));
        }
        rest.description = self.at_least_one(&root, self.schema);
        rest.more.close(BASE);
        if rest.fields.len() > MANY {
            // A choice that can be left out stays before what it shows.
            let choice = rows::choice(BASE);
            let stays = |field: &Field| field.required || field.name == choice;
            let (first, folded) = std::mem::take(&mut rest.fields).into_iter().partition(stays);
            rest.fields = first;
            rest.advanced.extend::<Vec<Field>>(folded);
        }
        sections.push(rest);
        sections.retain(|section| !section.fields.is_empty() || !section.advanced.is_empty() || !section.more.fields.is_empty());
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

    fn put(&mut self, place: &Place, node: &'a Value, required: bool, section: &mut Section) {
        let hint = crate::shape::hint_at(self.promise, &place.pattern);
        if hint.is_some_and(|hint| hint.hidden) {
            return;
        }
        let advanced = hint.is_some_and(|hint| hint.advanced);
        let field = self.field(place, node, required);
        if advanced { section.advanced.push(field) } else { section.fields.push(field) }
    }

    fn fold(&self, section: &mut Section) {
        if section.advanced.is_empty() {
            return;
        }
        let untouched = section
            .advanced
            .iter()
            .all(|field| Path::parse(&field.path).is_ok_and(|path| path.get(&self.in_effect) == path.get(&self.defaults.usual)));
        let count = section.advanced.len();
        let names: Vec<String> = section.advanced.iter().take(NAMED).map(|field| lower_first(&field.label)).collect();
        let state = if untouched { ", all at their defaults" } else { "" };
        let more = if count > NAMED { format!(" and {} more", count - NAMED) } else { String::new() };
        section.advanced_summary = format!("{count}{state}: {}{more}", names.join(", "));
        // Without a field before it, collapsing would hide the whole form.
        section.advanced_open = section.fields.is_empty() || section.advanced.iter().any(needs_attention);
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
                price: None,
            })
            .collect()
    }

    fn field(&mut self, place: &Place, node: &'a Value, required: bool) -> Field {
        let (path, name) = (&place.path, place.name.clone());
        let is_defaulted = self.defaults.usual(place, node).is_some();
        // Once the field is emptied, the object around it is sent without it.
        let default = self.defaults.own(place, node).cloned();
        let limited = self.limited(place, node);
        let allowed = limited.node.as_ref().unwrap_or(node);
        let spot = Spot { promise: self.promise, effective: self.effective, place, node: allowed, required, defaulted: is_defaulted };
        let kind = Some(spot.kind()).filter(|kind| !is_misfit(kind, path.get(&self.draft.parameters))).unwrap_or(Kind::Yaml);
        let hint = crate::shape::hint_at(self.promise, &place.pattern);
        let (short, help) = describe::hint_and_help(&place.pattern, hint, node);
        let condition = hint.and_then(|hint| hint.visible_when.as_deref());
        let explicit = path.get(&self.draft.parameters);
        let mut hidden = Vec::new();
        if explicit.is_some()
            && self.defaults.here(place, node).zip(explicit).is_some_and(|(default, value)| same_value(default, value))
            && kind != Kind::Fixed
        {
            hidden.push(HiddenInput { name: rows::explicit(&name), value: "1".to_owned() });
        }
        if self.draft.text(&rows::opened(&name)).is_some() {
            hidden.push(HiddenInput { name: rows::opened(&name), value: "1".to_owned() });
        }
        let rows = matches!(kind, Kind::List { .. } | Kind::Map { .. } | Kind::Items { .. } | Kind::Entries { .. });
        if rows || kind == Kind::Tick {
            hidden.push(HiddenInput { name: rows::shown(&name), value: "1".to_owned() });
        }
        let missing = (required && !is_defaulted).then(|| self.missing_value(&kind, &name, explicit)).flatten();
        if missing.is_some() {
            let is_null = explicit.is_some_and(Value::is_null) || self.draft.text(&rows::missing(&name)) == Some("null");
            hidden.push(HiddenInput { name: rows::missing(&name), value: if is_null { "null" } else { "1" }.to_owned() });
        } else if matches!(kind, Kind::Group { optional: false, .. }) && required && !is_defaulted {
            hidden.push(HiddenInput { name: rows::present(&name), value: "1".to_owned() });
        }
        let empty_text = self.empty_text(&kind, node, &name, explicit, default.as_ref());
        if empty_text.is_some() {
            hidden.push(HiddenInput { name: rows::shown(&name), value: "1".to_owned() });
        }
        let leaf = !rows && !matches!(kind, Kind::Group { .. });
        // A problem of the choice between alternatives stands beside the choice, if it is rendered.
        let is_of_choice = matches!(kind, Kind::Group { .. }) && self.has_problem_of_choice(place, node);
        let mut problem = if is_of_choice { None } else { self.take_problem(path, leaf, &field_id(&name)) };
        let locked = self.locked(place);
        let stays = locked.as_ref().is_some_and(|locked| locked.by.is_none());
        let control = self.control(&kind, place, node, hint, required || is_defaulted, &mut hidden);
        if is_of_choice {
            problem = self.take_problem(path, leaf, &field_id(&name));
        }
        Field {
            id: field_id(&name),
            path: path.to_string(),
            label: label(self.promise, &place.pattern),
            hint: changes::with_sentence(short, help.as_deref(), limited.hint.filter(|_| locked.is_none())),
            help,
            unit: describe::unit(hint, node),
            constraint: joined(self.allowed(&kind, place, allowed), &limited.amounts),
            // An object that is given is its own default.
            required: required && if matches!(kind, Kind::Group { .. }) { !is_defaulted } else { default.is_none() },
            default: default.filter(|default| !default.is_object()).map(|default| wording::value(&default)),
            visible: condition.is_none_or(|condition| visible::holds(condition, &self.in_effect)),
            steers: visible::steers(self.promise, path),
            locked,
            by: self.by(&kind, place),
            problem,
            empty: missing.or(empty_text),
            // An immutable field posts nothing and so stays as it is.
            hidden: if stays { Vec::new() } else { hidden },
            control,
            name,
        }
    }

    /// Returns the checkbox that sets a text to the empty text, where that isn't the same as leaving it empty: if it is one, or if the
    /// schema says that it differs from a default or is an example.
    fn empty_text(&self, kind: &Kind, node: &Value, name: &str, explicit: Option<&Value>, default: Option<&Value>) -> Option<EmptyValue> {
        let is_empty = explicit.is_some_and(|value| value == "");
        let is_text = matches!(kind, Kind::Text { .. });
        let is_example = node["example"] == "" || node["examples"].as_array().is_some_and(|examples| examples.iter().any(|one| one == ""));
        let differs = default.map_or(is_example, |default| default != "");
        if !is_text || !(is_empty || differs) || !accepts_empty(node) {
            return None;
        }
        let typed = self.draft.text(&rows::shown(name)).map(|_| self.draft.text(&rows::empty(name)).is_some());
        Some(EmptyValue { name: rows::empty(name), checked: typed.unwrap_or(is_empty) })
    }

    /// Returns the checkbox that sets a required list or object to an empty one, if the object being edited lacks it.
    fn missing_value(&self, kind: &Kind, name: &str, explicit: Option<&Value>) -> Option<EmptyValue> {
        let can_be_missing = matches!(
            kind,
            Kind::List { .. } | Kind::Map { .. } | Kind::Items { .. } | Kind::Entries { .. } | Kind::Group { optional: false, .. }
        );
        let was_missing = self.draft.text(&rows::missing(name)).is_some();
        let is_missing = explicit.is_none_or(Value::is_null) && (was_missing || self.is_stored(name));
        // A ticked checkbox can be cleared again.
        let checked = was_missing && self.draft.text(&rows::empty(name)).is_some();
        (can_be_missing && (is_missing || checked)).then(|| EmptyValue { name: rows::empty(name), checked })
    }

    /// Whether a field shows the object being edited as it was when the form was opened.
    fn is_stored(&self, name: &str) -> bool {
        let mut around = name.match_indices('/').map(|(at, _)| &name[..at]).chain([name]);
        self.draft.is_stored || around.any(|name| self.draft.text(&rows::stored(name)).is_some())
    }

    fn locked(&self, place: &Place) -> Option<Locked> {
        let path = &place.path;
        let Some(set) = self.effective.sets.iter().find(|set| path.starts_with(&set.path)) else { return self.kept(place) };
        let value = path.get(&self.in_effect).map_or_else(|| "Not set".to_owned(), |value| wording::upper_first(&wording::value(value)));
        Some(Locked { value, by: Some(ByLine::of("Locked", &set.from)), why: String::new() })
    }

    /// Returns the constraint in words. Choices show it themselves, unless policies narrowed a range.
    fn allowed(&self, kind: &Kind, place: &Place, node: &Value) -> Option<String> {
        let mut here = self.effective.constraints.iter().filter(|ruling| ruling.path == place.path || ruling.path == place.pattern);
        let hint = crate::shape::hint_at(self.promise, &place.pattern);
        match kind {
            Kind::Fixed => None,
            Kind::Group { .. } => self.at_least_one(place, node),
            Kind::Choice { .. } if !here.any(|ruling| ruling.from.enforcement == Enforcement::Block) => None,
            Kind::List { items } => describe::constraint_of_rows((node, items), hint, true, self.entries_of(place)),
            Kind::Map { values } => describe::constraint_of_rows((node, values), hint, false, self.entries_of(place)),
            _ => describe::constraint(node, hint),
        }
    }

    /// Returns the blocking constraints of single entries of a list or map.
    fn entries_of(&self, place: &Place) -> Vec<(String, &Constrain)> {
        let inside = |path: &Path| match path.0.split_last() {
            Some((Segment::Key(key), lead)) if lead == place.path.0 => Some(key.clone()),
            Some((Segment::Index(index), lead)) if lead == place.path.0 => Some(format!("Entry {}", index + 1)),
            _ => None,
        };
        let blocking = self.effective.constraints.iter().filter(|ruling| ruling.from.enforcement == Enforcement::Block);
        blocking.filter_map(|ruling| Some((inside(&ruling.path)?, &ruling.effect))).collect()
    }

    fn by(&self, kind: &Kind, place: &Place) -> Vec<ByLine> {
        // Rows of scalars have no notes of their own.
        let with_rows = matches!(kind, Kind::List { .. } | Kind::Map { .. });
        describe::notes(self.promise, self.effective, self.own, place, with_rows)
    }

    /// Returns the first problem at a path (for a leaf, also below it) and adds it to the summary.
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
}

/// Returns the constraint with further ones.
fn joined(constraint: Option<String>, more: &[String]) -> Option<String> {
    let all: Vec<String> = constraint.into_iter().chain(more.iter().cloned()).collect();
    (!all.is_empty()).then(|| all.join(". "))
}

fn needs_attention(field: &Field) -> bool {
    let inside = match &field.control {
        Control::Group { fields, .. } => fields.iter().any(needs_attention),
        Control::List { rows, .. } => rows.iter().any(|row| row.problem.is_some()),
        Control::Map { rows, .. } => rows.iter().any(|row| row.problem.is_some()),
        Control::Checks { checks } => checks.iter().any(|check| check.problem.is_some()),
        Control::Items { rows, .. } => rows.iter().any(|row| row.problem.is_some() || row.fields.iter().any(needs_attention)),
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
