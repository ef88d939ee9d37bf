//! Describes fields that belong together or exclude each other (`oneOf`, `anyOf`, `not` over `required`), and finds objects that are of none
//! of their variants.

use schema::structural::{FieldError, FieldErrorReason, NO_FIELD};
use serde_json::Value;

use super::locate;
use super::words;
use crate::alternatives::{Alternative, Alternatives, Count};
use crate::api::PromiseSpec;
use crate::path::Path;
use crate::shape::node_at;
use crate::wording::{all_of, noun, one_of};

/// Maximum number of alternatives that are named.
const NAMED: usize = 8;
/// Maximum number of objects that are of none of their variants.
const MAX_VARIANTS: usize = 20;

/// An object whose fields don't go together.
pub(super) struct Misfit {
    /// Path of the object.
    pub path: Path,
    /// How to fix it.
    pub message: String,
    /// Fields that the alternatives require. That one of them is missing is covered by the message.
    names: Vec<String>,
}

impl Misfit {
    /// Whether an error comes from one of the alternatives.
    pub fn explains(&self, error: &FieldError, path: &Path) -> bool {
        error.reason == FieldErrorReason::Required && self.names.iter().any(|name| self.path.child(name) == *path)
    }
}

/// Returns the objects among the errors whose alternatives only state which fields are required.
pub(super) fn misfits(promise: &PromiseSpec, schema: &Value, errors: &[FieldError], value: &Value) -> Vec<Misfit> {
    let mut found: Vec<Misfit> = Vec::new();
    for error in errors.iter().filter(|error| error.field == NO_FIELD) {
        let path = locate::path(error.place(), value);
        if found.iter().any(|known| known.path == path) {
            continue;
        }
        let parts = node_at(schema, &path).zip(path.get(value));
        found.extend(parts.and_then(|(node, value)| misfit(promise, node, value, &path)));
    }
    found
}

fn misfit(promise: &PromiseSpec, node: &Value, value: &Value, path: &Path) -> Option<Misfit> {
    let words = |names: &[&str]| -> Vec<String> { names.iter().map(|name| noun(promise, &path.child(name))).collect() };
    let of = of(promise, path);
    let must_not = |names: &[&str]| match names {
        [only] => format!("Remove {}{of}.", words(&[only]).concat()),
        several => format!("Remove {}{of}: they can't be combined.", one_of(&words(several))),
    };
    let say = |message: String, names: Vec<&str>| {
        // The object's own required fields are missing regardless of the alternatives.
        let own = node["required"].as_array();
        let names = names.into_iter().filter(|name| !own.is_some_and(|own| own.iter().any(|known| known == name)));
        Some(Misfit { path: path.clone(), message, names: names.map(str::to_owned).collect() })
    };
    let alternatives = Alternatives::of(node).filter(|found| !found.annotated);
    if let Some(alternatives) = &alternatives
        && let Some(message) = choice(promise, alternatives, value, path)
    {
        let names = alternatives.all.iter().flat_map(|one| &one.required).map(String::as_str).collect();
        return say(message, names);
    }
    if let Some(alternatives) = asked_for(&node["anyOf"])
        && !alternatives.iter().any(|names| has_all(value, names))
    {
        return say(format!("Fill in at least one{of}: {}.", one_of(&choices(&alternatives, &words))), alternatives.concat());
    }
    if let Some(names) = required_of(&node["not"])
        && has_all(value, &names)
    {
        return say(must_not(&names), Vec::new());
    }
    let barred = asked_for(&node["not"]["anyOf"])?;
    let names = barred.into_iter().find(|names| has_all(value, names))?;
    say(must_not(&names), Vec::new())
}

/// Describes what is wrong with the choice between alternatives of an object; `None` if nothing is.
pub(super) fn choice(promise: &PromiseSpec, alternatives: &Alternatives, value: &Value, path: &Path) -> Option<String> {
    if !alternatives.is_violated(value) {
        return None;
    }
    let of = of(promise, path);
    let met = alternatives.met(value);
    Some(match (alternatives.count, met.is_empty()) {
        (_, false) => format!("Keep only one{of}: {}.", titles(promise, path, &met)),
        (Count::AtLeast, true) => {
            format!("Fill in at least one{of}: {}.", titles(promise, path, &alternatives.all.iter().collect::<Vec<_>>()))
        }
        // A long list is in the form.
        (_, true) if alternatives.all.len() > NAMED => format!("Choose exactly one{of}."),
        (_, true) => format!("Choose exactly one{of}: {}.", titles(promise, path, &alternatives.all.iter().collect::<Vec<_>>())),
    })
}

fn of(promise: &PromiseSpec, path: &Path) -> String {
    if path.0.is_empty() { String::new() } else { format!(" of {}", noun(promise, path)) }
}

fn titles(promise: &PromiseSpec, path: &Path, all: &[&Alternative]) -> String {
    let title = |one: &&Alternative| match &one.title {
        Some(title) => title.clone(),
        None => all_of(&one.required.iter().map(|name| noun(promise, &path.child(name))).collect::<Vec<_>>()),
    };
    one_of(&all.iter().map(title).collect::<Vec<_>>())
}

/// Returns the objects that are of none of the variants that their schema lists.
pub(super) fn variants(promise: &PromiseSpec, schema: &Value, value: &Value) -> Vec<Misfit> {
    let mut found = Vec::new();
    collect(promise, schema, value, &Path::default(), &mut found);
    found
}

fn collect(promise: &PromiseSpec, node: &Value, value: &Value, path: &Path, found: &mut Vec<Misfit>) {
    if found.len() >= MAX_VARIANTS {
        return;
    }
    match value {
        Value::Object(fields) => {
            found.extend(variant(promise, node, value, path));
            let each = node.get("additionalProperties").filter(|each| each.is_object());
            for (key, inner) in fields {
                if let Some(node) = node["properties"].get(key).or(each) {
                    collect(promise, node, inner, &path.child(key), found);
                }
            }
        }
        Value::Array(items) if node["items"].is_object() => {
            for (index, inner) in items.iter().enumerate() {
                collect(promise, &node["items"], inner, &path.item(index), found);
            }
        }
        _ => {}
    }
}

fn variant(promise: &PromiseSpec, node: &Value, value: &Value, path: &Path) -> Option<Misfit> {
    let alternatives = Alternatives::of(node).filter(|found| found.annotated)?;
    let message = choice(promise, &alternatives, value, path)?;
    // Once the variant is known, what it lacks is what is wrong.
    let is_known = |one: &&Alternative| !one.fixed.is_empty() && one.fixed.iter().all(|(key, fixed)| value.get(key) == Some(fixed));
    let lacks = alternatives.all.iter().find(is_known).and_then(|one| one.required.iter().find(|key| value.get(key).is_none()));
    if let Some(key) = lacks {
        let path = path.child(key);
        return Some(Misfit { message: words::required(promise, &node["properties"][key], &path), path, names: Vec::new() });
    }
    let names = alternatives.all.iter().flat_map(|one| one.fixed.keys()).cloned().collect();
    Some(Misfit { path: path.clone(), message, names })
}

fn choices(alternatives: &[Vec<&str>], words: &impl Fn(&[&str]) -> Vec<String>) -> Vec<String> {
    alternatives.iter().map(|names| all_of(&words(names))).collect()
}

fn has_all(value: &Value, names: &[&str]) -> bool {
    names.iter().all(|name| value.get(name).is_some())
}

/// Returns what each alternative requires, if none of them states anything else.
fn asked_for(alternatives: &Value) -> Option<Vec<Vec<&str>>> {
    let all: Vec<Vec<&str>> = alternatives.as_array()?.iter().map(required_of).collect::<Option<_>>()?;
    (!all.is_empty()).then_some(all)
}

fn required_of(node: &Value) -> Option<Vec<&str>> {
    let object = node.as_object().filter(|object| object.len() == 1)?;
    let names: Vec<&str> = object.get("required")?.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    (!names.is_empty()).then_some(names)
}
