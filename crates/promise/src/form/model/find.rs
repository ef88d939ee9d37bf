//! The search of a form that doesn't render all its fields: finds every field of the schema by its label, its name or its description.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Maker;
use crate::alternatives::Alternatives;
use crate::form::field::{Field, Find, FoundField, field_id};
use crate::form::kind::{has_fields, properties};
use crate::form::operation::{Operation, OperationKind};
use crate::form::place::Place;
use crate::form::{BASE, describe, rows, visible};
use crate::shape::hint_at;
use crate::wording::label;

/// Maximum number of fields in the result.
const MOST: usize = 20;
/// Maximum length of the text that is searched for, in characters.
const LONGEST: usize = 100;

/// How well a field matches. The best is the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    Label,
    StartOfLabel,
    InLabel,
    InPath,
    InDescription,
}

/// A field that matches, with the labels of the groups around it.
struct Candidate<'a> {
    how: Match,
    place: Place,
    node: &'a Value,
    within: Vec<String>,
}

impl<'a> Maker<'a> {
    /// Returns the search with its result. `None` if the form shows all that there is.
    pub(super) fn search(&self, rendered: &[&Field]) -> Option<Find> {
        if !self.offers {
            return None;
        }
        let name = rows::find(BASE);
        let text: String = self.draft.text(&name).unwrap_or_default().trim().chars().take(LONGEST).collect();
        let mut found = Vec::new();
        let words: Vec<String> = text.to_lowercase().split_whitespace().map(str::to_owned).collect();
        if !words.is_empty() {
            self.collect(&Place::root(), self.schema, &[], &words, &mut found);
        }
        let total = found.len();
        found.sort_by_key(|one| (one.how, one.within.len()));
        let shown: BTreeSet<&str> = rendered.iter().filter(|field| field.visible).map(|field| field.name.as_str()).collect();
        let found = found.into_iter().take(MOST).map(|one| {
            let name = &one.place.name;
            FoundField {
                label: label(self.promise, &one.place.pattern),
                hint: describe::hint_and_help(&one.place.pattern, hint_at(self.promise, &one.place.pattern), one.node).0,
                id: field_id(name),
                show: (!shown.contains(name.as_str())).then(|| Operation::value(OperationKind::Show, name)),
                within: one.within,
            }
        });
        Some(Find {
            id: field_id(&name),
            sought: rows::sought(BASE),
            operation: Operation::value(OperationKind::Find, ""),
            found: found.collect(),
            total,
            text,
            name,
        })
    }

    /// Collects the fields below an object that match, as far as rows of lists and maps.
    fn collect(&self, place: &Place, node: &'a Value, within: &[String], words: &[String], found: &mut Vec<Candidate<'a>>) {
        let alternatives = Alternatives::at(self.promise, place, node);
        for (place, key, node, _) in properties(self.promise, place, node) {
            // The choice sets it.
            if alternatives.as_ref().is_some_and(|alternatives| alternatives.fixes(key)) {
                continue;
            }
            let hint = hint_at(self.promise, &place.pattern);
            let condition = hint.and_then(|hint| hint.visible_when.as_deref());
            if hint.is_some_and(|hint| hint.hidden) || condition.is_some_and(|condition| !visible::holds(condition, &self.in_effect)) {
                continue;
            }
            let label = label(self.promise, &place.pattern);
            if let Some(how) = matches(words, &label, key, within, node) {
                found.push(Candidate { how, place: place.clone(), node, within: within.to_vec() });
            }
            if has_fields(node) {
                let within: Vec<String> = within.iter().cloned().chain([label]).collect();
                self.collect(&place, node, &within, words, found);
            }
        }
    }
}

/// How a field matches all words, if it does.
fn matches(words: &[String], label: &str, key: &str, within: &[String], node: &Value) -> Option<Match> {
    let (label, key) = (label.to_lowercase(), key.to_lowercase());
    let whole = words.join(" ");
    let all = |texts: &[&str]| words.iter().all(|word| texts.iter().any(|text| text.contains(word.as_str())));
    if label == whole || key == whole {
        return Some(Match::Label);
    }
    if label.starts_with(&whole) || key.starts_with(&whole) {
        return Some(Match::StartOfLabel);
    }
    if all(&[&label, &key]) {
        return Some(Match::InLabel);
    }
    let around = within.join(" ").to_lowercase();
    // At least one word is about the field itself, not only about the groups around it.
    if words.iter().any(|word| label.contains(word.as_str())) && all(&[&label, &key, &around]) {
        return Some(Match::InPath);
    }
    let description = node["description"].as_str()?.to_lowercase();
    all(&[&label, &key, &description]).then_some(Match::InDescription)
}
