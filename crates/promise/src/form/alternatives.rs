//! The alternatives of an object in its form: which of them it offers, their titles, and the choice that is posted.

use std::collections::BTreeMap;

use serde_json::Value;

use super::place::Place;
use super::rows;
use crate::alternatives::{Alternative, Alternatives, Chosen, Count};
use crate::api::PromiseSpec;
use crate::path::Path;
use crate::shape::hint_at;
use crate::wording::{all_of, label};

/// Posted value for none of the alternatives. No alternative has this key.
pub(super) const NONE: &str = "~none";
/// Maximum number of titles in a sentence.
const TITLES: usize = 20;

impl Alternative {
    /// Returns its title: that of the schema, or else the labels of what it requires.
    pub(super) fn title(&self, promise: &PromiseSpec, place: &Place, node: &Value) -> String {
        let names = if self.required.is_empty() { &self.fields } else { &self.required };
        let labels: Vec<String> = names.iter().map(|key| label(promise, &place.child(node, key).pattern)).collect();
        self.title.clone().unwrap_or_else(|| if labels.is_empty() { self.key.clone() } else { all_of(&labels) })
    }
}

impl Alternatives {
    /// Returns the alternatives of the object at a place that its form can offer: those without hidden fields, and without fields that
    /// stand elsewhere.
    pub(super) fn at(promise: &PromiseSpec, place: &Place, node: &Value) -> Option<Self> {
        let mut found = Self::of(node)?;
        let named: Vec<Path> = if place.path.0.is_empty() {
            Vec::new()
        } else {
            promise.form.groups.iter().flat_map(|group| &group.fields).filter_map(|text| Path::parse(text).ok()).collect()
        };
        found.all.retain(|one| {
            one.fields.iter().map(|key| place.child(node, key)).all(|field| {
                !named.iter().any(|path| path.starts_with(&field.path)) && !hint_at(promise, &field.pattern).is_some_and(|hint| hint.hidden)
            })
        });
        found.is_choice().then_some(found)
    }

    /// Says how many of them have to be given, with their titles.
    pub(super) fn in_words(&self, promise: &PromiseSpec, place: &Place, node: &Value) -> String {
        let count = match self.count {
            Count::Exactly => "Exactly one of",
            Count::AtMost => "At most one of",
            Count::AtLeast => "At least one of",
        };
        let mut titles: Vec<String> = self.all.iter().take(TITLES).map(|one| one.title(promise, place, node)).collect();
        let more = self.all.len().saturating_sub(TITLES);
        titles.extend((more > 0).then(|| format!("and {more} more")));
        format!("{count}: {}", titles.join(", "))
    }

    /// Returns the chosen alternative of the object with this input name, if the choice was posted.
    pub(super) fn posted(&self, texts: &BTreeMap<String, String>, name: &str) -> Option<Chosen> {
        let choice = rows::choice(name);
        let text = texts.get(&choice).map(String::as_str);
        text.or_else(|| texts.contains_key(&rows::shown(&choice)).then_some("")).map(|text| self.of_text(text))
    }

    fn of_text(&self, text: &str) -> Chosen {
        match self.all.iter().position(|one| one.key == text) {
            Some(index) => Chosen::One(index),
            None if text == NONE && self.count == Count::AtMost => Chosen::None,
            None => Chosen::Undecided,
        }
    }
}
