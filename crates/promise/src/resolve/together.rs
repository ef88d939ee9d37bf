//! Describes fields that belong together or exclude each other (`oneOf`, `anyOf`, `not` over `required`).

use schema::structural::{FieldError, FieldErrorReason, NO_FIELD};
use serde_json::Value;

use super::locate;
use crate::api::PromiseSpec;
use crate::path::Path;
use crate::policy::node_at;
use crate::wording::{all_of, noun, one_of};

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
    let of = if path.0.is_empty() { String::new() } else { format!(" of {}", noun(promise, path)) };
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
    if let Some(alternatives) = asked_for(&node["oneOf"]) {
        let met: Vec<Vec<&str>> = alternatives.iter().filter(|names| has_all(value, names)).cloned().collect();
        let all = alternatives.concat();
        match met.as_slice() {
            [] => return say(format!("Fill in exactly one{of}: {}.", one_of(&choices(&alternatives, &words))), all),
            [_] => {}
            _ => return say(format!("Keep only one{of}: {}.", one_of(&choices(&met, &words))), all),
        }
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
