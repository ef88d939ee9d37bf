//! Whatever is done in one part of a form, the data of all other parts stays as it is, byte for byte.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use super::any::{Pair, anything, object, text};
use super::posted;
use crate::api::PromiseSpec;
use crate::form::{Control, Draft, Field, Form, More, OPERATION, model, parse, yaml};
use crate::policy::Effective;

/// The part that is edited.
const PART: &str = "part";
/// Number of objects and of their fields that don't fit into a form at first view.
const SECTIONS: usize = 14;
const FIELDS: usize = 11;

/// Something that a person does on a page.
#[derive(Clone, Debug)]
enum Action {
    /// Presses a button of the part: adds, removes or moves a row, adds or removes an object.
    Press(Index),
    /// Types into a field of the part.
    Type(Index, String),
    /// Shows a field or an object anywhere in the form.
    Show(Index, Index),
    /// Searches for a field.
    Find(String),
    /// Switches to YAML and back.
    Switch,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => any::<Index>().prop_map(Action::Press),
        3 => (any::<Index>(), text()).prop_map(|(field, text)| Action::Type(field, text)),
        2 => (any::<Index>(), any::<Index>()).prop_map(|(object, field)| Action::Show(object, field)),
        1 => "[a-z]{1,3}".prop_map(Action::Find),
        1 => Just(Action::Switch),
    ]
}

/// Objects of which a form shows a part alone, with some values.
fn large() -> impl Strategy<Value = Pair> {
    let section = vec((0..FIELDS + 1, "[a-z]{0,5}"), 0..4);
    vec((0..SECTIONS, section), 0..5).prop_map(|given| {
        let fields: Map<String, Value> = (0..FIELDS).map(|number| (format!("field{number}"), json!({"type": "string"}))).collect();
        let section = json!({"type": "object", "properties": fields, "default": {}});
        let sections: Map<String, Value> = (0..SECTIONS).map(|number| (format!("section{number}"), section.clone())).collect();
        // The last field that can be given isn't in the schema.
        let values = given.into_iter().map(|(number, held)| {
            let held: Map<String, Value> = held.into_iter().map(|(number, text)| (format!("field{number}"), text.into())).collect();
            (format!("section{number}"), Value::Object(held))
        });
        (json!({"type": "object", "properties": sections}), Value::Object(values.collect()))
    })
}

/// A page between a browser and the portal.
struct Page {
    spec: PromiseSpec,
    effective: Effective,
    base: Value,
    draft: Draft,
}

impl Page {
    fn form(&self) -> Form {
        model(&self.spec, &self.effective, &self.draft, &[])
    }

    fn post(&mut self, form: &Form, changes: &[(&str, &str)]) {
        let mut pairs = posted(form);
        for (name, text) in changes {
            pairs.retain(|(known, _)| known != name);
            pairs.push(((*name).to_owned(), (*text).to_owned()));
        }
        self.draft = parse(&pairs, &self.spec, &self.effective, &self.base).draft;
    }

    fn does(&mut self, action: &Action) {
        let form = self.form();
        let found = Found::of(&form);
        match action {
            Action::Press(button) if !found.buttons.is_empty() => self.post(&form, &[(OPERATION, button.get(&found.buttons).as_str())]),
            Action::Type(field, text) if !found.inputs.is_empty() => self.post(&form, &[(field.get(&found.inputs).as_str(), text)]),
            Action::Show(object, field) if !found.more.is_empty() => {
                let more = object.get(&found.more);
                let press = (OPERATION, more.show.as_str());
                match more.fields.as_slice() {
                    [] => self.post(&form, &[press]),
                    offered => self.post(&form, &[(&more.name, &field.get(offered).key), press]),
                }
            }
            Action::Find(text) => self.post(&form, &[("/parameters/~find", text), (OPERATION, "find:")]),
            Action::Switch => {
                let written = yaml::write(&self.draft.parameters);
                let read = yaml::read(&written).unwrap_or_else(|error| panic!("{}: {written}", error.message));
                assert_eq!(read.to_string(), self.draft.parameters.to_string(), "YAML returns what it was given");
                self.draft = Draft::of(read);
            }
            Action::Press(_) | Action::Type(..) | Action::Show(..) => self.post(&form, &[]),
        }
    }
}

/// What can be pressed and typed into.
#[derive(Default)]
struct Found {
    /// Operations of the part's buttons.
    buttons: Vec<String>,
    /// Names of the part's inputs.
    inputs: Vec<String>,
    /// Everything that is rendered on demand.
    more: Vec<More>,
}

impl Found {
    fn of(form: &Form) -> Self {
        let mut found = Self::default();
        for section in &form.sections {
            section.fields.iter().chain(&section.advanced).for_each(|field| found.field(field));
            found.more(&section.more);
        }
        let start = format!("/parameters/{PART}");
        found.inputs.retain(|name| name.starts_with(&start));
        found.buttons.retain(|operation| operation.split_once(':').is_some_and(|(_, target)| target.starts_with(&start)));
        found
    }

    fn more(&mut self, more: &More) {
        if !more.show.is_empty() {
            self.more.push(more.clone());
        }
    }

    fn field(&mut self, field: &Field) {
        match &field.control {
            Control::Text { .. } | Control::Area { .. } | Control::Yaml { .. } => self.inputs.push(field.name.clone()),
            Control::List { rows, add, .. } => {
                self.buttons.push(add.clone());
                for row in rows {
                    self.inputs.push(row.name.clone());
                    self.buttons.extend(row.buttons.up.iter().chain(&row.buttons.down).chain([&row.buttons.remove]).cloned());
                }
            }
            Control::Map { rows, add, .. } => {
                self.buttons.push(add.clone());
                for row in rows {
                    self.inputs.extend([row.key_name.clone(), row.value_name.clone()]);
                    self.buttons.push(row.buttons.remove.clone());
                }
            }
            Control::Items { rows, add, .. } => {
                self.buttons.push(add.clone());
                for row in rows {
                    self.buttons.extend(row.buttons.up.iter().chain(&row.buttons.down).chain([&row.buttons.remove]).cloned());
                    self.inputs.extend(row.key.iter().map(|key| key.name.clone()));
                    row.fields.iter().for_each(|field| self.field(field));
                    self.more(&row.more);
                }
            }
            Control::Group { fields, more, toggle, .. } => {
                self.buttons.extend(toggle.clone());
                fields.iter().for_each(|field| self.field(field));
                self.more(more);
            }
            _ => {}
        }
    }
}

/// Everything but the part, as text.
fn others(parameters: &Value) -> String {
    let mut others = parameters.clone();
    others.as_object_mut().into_iter().for_each(|fields| drop(fields.remove(PART)));
    others.to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testdata::size(150, 5_000), ..ProptestConfig::default() })]

    #[test]
    fn nothing_but_the_edited_part_changes(
        (part, edited) in anything(),
        (whole, kept) in object(anything()),
        (large, partly) in large(),
        actions in vec(action(), 1..12),
    ) {
        let schema = json!({"type": "object", "properties": {PART: part, "kept": whole, "large": large}});
        let base = json!({PART: edited, "kept": kept, "large": partly, "not in the schema": [1, {"a": null}]});
        let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
        let effective = Effective { schema: schema.into(), ..Effective::default() };
        let mut page = Page { spec, effective, draft: Draft::of(base.clone()), base };
        let before = others(&page.base);
        for action in actions {
            page.does(&action);
            prop_assert_eq!(others(&page.draft.parameters), before.as_str(), "{:?}", action);
        }
    }
}
