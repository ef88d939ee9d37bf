//! Takes entered secrets out of the text of a manifest, so that no draft stores them.

use serde_json::Value;

use super::lines::{end_of, indent, replaced};
use crate::api::PromiseSpec;
use crate::form::yaml;
use crate::form::yaml::places::{Place, Places};
use crate::path::{Path, Segment};

/// Fields of a reference to a key of a Secret.
const REFERENCE: [&str; 3] = ["name", "key", "optional"];

/// Returns the text without entered values of secret parameters, and the paths of those that were taken out. References to Secrets stay. Of a
/// text that isn't valid YAML, every line that could contain one is taken out.
pub fn without_secrets(text: &str, promise: &PromiseSpec) -> (String, Vec<Path>) {
    let secrets: Vec<Path> = promise.secret_parameters.iter().filter_map(|path| Path::parse(path).ok()).collect();
    if secrets.is_empty() {
        return (text.to_owned(), Vec::new());
    }
    let (mut text, mut taken) = (text.to_owned(), Vec::new());
    for secret in secrets {
        let cut = match yaml::read(&text) {
            Ok(object) => of_object(&text, &object, &secret),
            Err(_) => of_lines(&text, &secret),
        };
        if let Some(cut) = cut {
            text = cut;
            taken.push(secret);
        }
    }
    (text, taken)
}

/// Removes a secret from valid YAML. Its line becomes a comment; if that isn't possible, the whole text is rewritten.
fn of_object(text: &str, object: &Value, secret: &Path) -> Option<String> {
    let mut path = Path::default().child("spec").child("parameters");
    path.0.extend(secret.0.iter().cloned());
    if path.get(object).is_none_or(|value| value.is_null() || is_reference(value)) {
        return None;
    }
    let mut without = object.clone();
    path.remove(&mut without);
    let cut = take_out(text, Places::of(text).place(&path.to_string()), secret);
    Some(cut.filter(|cut| yaml::read(cut).as_ref() == Ok(&without)).unwrap_or_else(|| yaml::write(&without)))
}

fn is_reference(value: &Value) -> bool {
    value.as_object().is_some_and(|fields| fields.keys().all(|key| REFERENCE.contains(&key.as_str())))
}

/// Replaces the entry that begins at a place, with everything below it, by a comment. `None` if something else is in its line.
fn take_out(text: &str, at: Place, secret: &Path) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let first = at.line.checked_sub(1)?;
    let is_alone = indent(lines.get(first)?) + 1 == at.column;
    is_alone.then(|| without(&lines, first, secret))
}

/// Replaces the entry that begins at a line by a comment.
fn without(lines: &[&str], first: usize, secret: &Path) -> String {
    let width = lines.get(first).map_or(0, |line| indent(line));
    let comment = format!("{}{}", " ".repeat(width), comment(secret));
    replaced(lines, first, end_of(lines, first), &[comment])
}

fn comment(secret: &Path) -> String {
    format!("# {} is entered in the last step.", secret.last_key().unwrap_or_default())
}

/// Takes every line out in which a key is followed by a value that isn't a reference.
fn of_lines(text: &str, secret: &Path) -> Option<String> {
    let Some(Segment::Key(key)) = secret.0.last() else { return None };
    let (mut text, mut found) = (text.to_owned(), false);
    // Every round takes out a line.
    loop {
        let lines: Vec<&str> = text.split('\n').collect();
        let Some(first) = (0..lines.len()).find(|index| may_contain(&lines, *index, key)) else { break };
        text = without(&lines, first, secret);
        found = true;
    }
    found.then_some(text)
}

/// Whether a line, or the one below it, can contain the value of a key.
fn may_contain(lines: &[&str], index: usize, key: &str) -> bool {
    let line = lines.get(index).copied().unwrap_or_default();
    if line.trim_start().starts_with('#') {
        return false;
    }
    let mut values = line.match_indices(key).filter_map(|(at, _)| {
        let rest = line.get(at + key.len()..)?.trim_start_matches(['"', '\'']).trim_start();
        rest.strip_prefix(':').map(str::trim)
    });
    let starts_reference = |text: &str| REFERENCE.iter().any(|field| text.trim_start_matches(['{', ' ', '"', '\'']).starts_with(field));
    values.any(|value| match value {
        "" => lines.get(index + 1).is_some_and(|next| indent(next) > indent(line) && !starts_reference(next)),
        value if value.starts_with('#') => false,
        value => !(value.starts_with('{') && starts_reference(value)),
    })
}
