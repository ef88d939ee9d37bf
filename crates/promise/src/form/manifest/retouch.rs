//! Puts changed values into the text of a manifest, so that its comments and everything else stay as they are.

use serde_json::{Map, Value, json};

use super::Manifest;
use super::lines::{end_of, indent, replaced};
use crate::form::yaml;
use crate::form::yaml::places::Places;
use crate::path::{Path, Segment};

/// Most values that are put into a text one by one.
const MOST: usize = 40;

/// A value at a path of the object; `None` for one that is removed.
type Change = (Path, Option<Value>);

/// Returns the text with what `now` requests. `None` if it can't be put there.
pub(super) fn retouched(text: &str, before: &Manifest, now: &Manifest) -> Option<String> {
    let changes = changes(before, now);
    if changes.len() > MOST {
        return None;
    }
    let (mut text, mut wanted) = (text.to_owned(), yaml::read(text).ok()?);
    for (path, value) in changes {
        match value {
            Some(value) => {
                path.put(&mut wanted, value);
            }
            None => {
                path.remove(&mut wanted);
            }
        }
        text = with(&text, &path, &wanted)?;
    }
    Some(text)
}

fn changes(before: &Manifest, now: &Manifest) -> Vec<Change> {
    let path = |steps: &[&str]| steps.iter().fold(Path::default(), |path, step| path.child(step));
    let mut changes = Vec::new();
    let mut compare = |steps: &[&str], before: Value, now: Value| {
        if before != now {
            changes.push((path(steps), Some(now).filter(|now| !now.is_null())));
        }
    };
    let reason = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    compare(&["metadata", "name"], json!(before.name), json!(now.name));
    if before.namespace.is_some() {
        compare(&["metadata", "namespace"], json!(before.namespace), json!(now.namespace));
    }
    compare(&["spec", "promise", "version"], json!(before.terms.version), json!(now.terms.version));
    compare(&["spec", "upgrade"], json!(before.terms.upgrade), json!(now.terms.upgrade));
    compare(&["spec", "deletionPolicy"], json!(before.terms.deletion_policy), json!(now.terms.deletion_policy));
    compare(&["spec", "expiresAt"], json!(before.terms.expires_at), json!(now.terms.expires_at));
    compare(&["spec", "paused"], json!(before.terms.paused), json!(now.terms.paused));
    compare(&["spec", "reason"], reason(&before.reason), reason(&now.reason));
    differences(&before.parameters, &now.parameters, &path(&["spec", "parameters"]), &mut changes);
    changes
}

/// Adds the smallest changes that turn a value into another. Lists change as a whole.
fn differences(before: &Value, now: &Value, at: &Path, into: &mut Vec<Change>) {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) if !now.is_empty() => {
            for key in before.keys().filter(|key| !now.contains_key(*key)) {
                into.push((at.child(key), None));
            }
            for (key, now) in now {
                match before.get(key) {
                    Some(before) => differences(before, now, &at.child(key), into),
                    None => into.push((at.child(key), Some(now.clone()))),
                }
            }
        }
        _ if before == now => {}
        _ => into.push((at.clone(), Some(now.clone()))),
    }
}

/// Returns the text with the value that a path has in `wanted`: in place of its entry, or else of the smallest one around it.
fn with(text: &str, path: &Path, wanted: &Value) -> Option<String> {
    (1..=path.0.len()).rev().find_map(|length| {
        let at = Path(path.0.get(..length)?.to_vec());
        let texts = attempts(text, &at, at.get(wanted))?;
        texts.into_iter().find(|text| yaml::read(text).as_ref() == Ok(wanted))
    })
}

/// Returns texts with another value at a path, the best first.
fn attempts(text: &str, path: &Path, value: Option<&Value>) -> Option<Vec<String>> {
    let (Segment::Key(key), lead) = path.0.split_last()? else { return None };
    let (lines, places) = (text.split('\n').collect::<Vec<_>>(), Places::of(text));
    let object = yaml::read(text).ok()?;
    if path.get(&object).is_some() {
        let (first, width) = block(&lines, &places, path)?;
        let end = end_of(&lines, first);
        let entry = value.map(|value| entry(key, value, width)).unwrap_or_default();
        let plain = replaced(&lines, first, end, &entry);
        let (Some(comment), [line]) = (lines.get(first).and_then(|line| comment(line)), entry.as_slice()) else { return Some(vec![plain]) };
        let commented = replaced(&lines, first, end, &[format!("{line}{comment}")]);
        return Some(vec![commented, plain]);
    }
    let parent = Path(lead.to_vec());
    let (first, _) = block(&lines, &places, &parent)?;
    // It joins the entries that are there.
    let sibling = parent.get(&object)?.as_object()?.keys().next()?;
    let (_, width) = block(&lines, &places, &parent.child(sibling))?;
    let end = end_of(&lines, first);
    Some(vec![replaced(&lines, end, end, &entry(key, value?, width))])
}

/// Returns the first line of an entry and its indentation. `None` if something else is in its line, as in flow style.
fn block(lines: &[&str], places: &Places, path: &Path) -> Option<(usize, usize)> {
    let at = places.place(&path.to_string());
    let first = at.line.checked_sub(1)?;
    let width = indent(lines.get(first)?);
    (width + 1 == at.column).then_some((first, width))
}

fn entry(key: &str, value: &Value, width: usize) -> Vec<String> {
    let text = yaml::write(&Value::Object(Map::from_iter([(key.to_owned(), value.clone())])));
    let indented = |line: &str| if line.is_empty() { String::new() } else { format!("{}{line}", " ".repeat(width)) };
    text.trim_end_matches('\n').split('\n').map(indented).collect()
}

/// Returns what can be the comment at the end of a line, with the spaces before it.
fn comment(line: &str) -> Option<&str> {
    let at = line.rfind(" #")?;
    line.get(line.get(..at)?.trim_end().len()..)
}
