//! Choices among many values, and several choices at once.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Maker;
use crate::api::FieldHint;
use crate::form::control::{Check, Control, InputMode, Suggestion};
use crate::form::field::field_id;
use crate::form::kind::{checks, option_label, option_text, scalar_text};
use crate::form::place::Place;
use crate::form::rows;
use crate::path::Path;

impl Maker<'_> {
    /// Returns an input that suggests the values.
    pub(super) fn suggesting(&self, values: &[Value], place: &Place, node: &Value, hint: Option<&FieldHint>) -> Control {
        let value = match self.draft.text(&place.name) {
            Some(text) => text.to_owned(),
            None => self.shown(place).map(option_text).unwrap_or_default(),
        };
        let suggestion = |option: &Value| {
            let (value, label) = (option_text(option), option_label(hint, node, option));
            Suggestion { label: if label == value { String::new() } else { label }, value }
        };
        let suggestions: Vec<Suggestion> = values.iter().map(suggestion).collect();
        let chosen = suggestions.iter().find(|suggestion| suggestion.value == value);
        let said = chosen.map(|suggestion| suggestion.label.clone()).filter(|label| !label.is_empty());
        Control::Text { value, mode: InputMode::Code, suggestions, said }
    }

    /// Returns the checkboxes of a list of choices. `None` if they couldn't show what is in it: a value twice, or an empty one.
    ///
    /// The name of a checkbox is the one of a row of the list. Values in the list have the first rows, so that they keep their order.
    pub(super) fn checks(&mut self, texts: &[String], path: &Path, node: &Value, name: &str, hint: Option<&FieldHint>) -> Option<Control> {
        let values = checks(node, hint)?;
        let distinct: BTreeSet<&String> = texts.iter().filter(|text| !text.trim().is_empty()).collect();
        if distinct.len() != texts.len() {
            return None;
        }
        let offered: Vec<String> = values.iter().map(scalar_text).collect();
        let mut next = texts.len();
        let mut boxes = Vec::new();
        for (value, text) in values.iter().zip(&offered) {
            let held = texts.iter().position(|known| known == text);
            let index = held.unwrap_or(next);
            next += usize::from(held.is_none());
            let help = hint.and_then(|hint| hint.options.get(text)).and_then(|option| option.help.clone());
            boxes.push(self.check(index, text, option_label(hint, &node["items"], value), help, held.is_some(), (path, name)));
        }
        let unknown = texts.iter().enumerate().filter(|(_, text)| !offered.contains(text));
        for (index, text) in unknown {
            boxes.push(self.check(index, text, text.clone(), None, true, (path, name)));
        }
        Some(Control::Checks { checks: boxes })
    }

    fn check(
        &mut self,
        index: usize,
        text: &str,
        label: String,
        hint: Option<String>,
        checked: bool,
        (path, name): (&Path, &str),
    ) -> Check {
        let row = rows::item(name, index);
        let id = field_id(&row);
        let problem = if checked { self.take_problem(&path.item(index), true, &id) } else { None };
        Check { id, name: row, value: text.to_owned(), label, hint, checked, problem }
    }
}
