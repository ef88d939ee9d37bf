//! Applies structural buttons to the texts of a post: adds, removes and moves rows, adds and removes sections, applies presets.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field::field_id;
use super::operation::{Operation, OperationKind};
use super::place::escape;
use super::{BASE, rows};
use crate::alternatives::{Alternatives, Chosen};
use crate::api::PromiseSpec;
use crate::path::Path;
use crate::shape::node_at;

/// Suffix of the target of a button that adds an object to a list. Without it a text is added.
pub(super) const OBJECTS: &str = "/~items";
/// Suffix of the target of a button that adds an entry to a map.
pub(super) const ENTRIES: &str = "/~rows";

/// Applies a button. Returns the id of the input to focus.
pub(super) fn carry_out(
    operation: &Operation,
    promise: &PromiseSpec,
    texts: &mut BTreeMap<String, String>,
    base: &mut Value,
) -> Option<String> {
    let target = operation.target.as_str();
    match operation.kind {
        OperationKind::Preset => {
            let preset = promise.form.presets.iter().find(|preset| preset.name == target)?;
            overlay(promise, preset.values.as_ref()?, &Path::default(), texts, base);
            None
        }
        OperationKind::Put => {
            texts.remove(&rows::absent(target));
            texts.insert(rows::present(target), "1".to_owned());
            Some(field_id(target))
        }
        OperationKind::Drop => {
            rows::remove_below(texts, target);
            texts.insert(rows::absent(target), "1".to_owned());
            Some(field_id(target))
        }
        OperationKind::Show => Some(show(promise, target, texts, base)),
        OperationKind::Choose => Some(field_id(&rows::choice(target))),
        OperationKind::Find => Some(field_id(&rows::find(BASE))),
        OperationKind::Add => Some(add(target, texts)),
        OperationKind::Remove | OperationKind::Up | OperationKind::Down => rearrange(operation.kind, target, texts),
    }
}

/// Replaces what was entered by the values of a preset. Everything else stays.
fn overlay(promise: &PromiseSpec, values: &Value, at: &Path, texts: &mut BTreeMap<String, String>, base: &mut Value) {
    match values {
        Value::Object(fields) if !fields.is_empty() => {
            let name = at.pointer(BASE);
            texts.remove(&rows::absent(&name));
            let schema = promise.parameters.as_deref().unwrap_or(&Value::Null);
            if let Some(alternatives) = node_at(schema, at).and_then(Alternatives::of).filter(Alternatives::is_exclusive)
                && let Chosen::One(index) = alternatives.of_values(Some(values), Some(values))
            {
                choose(&alternatives, index, &name, texts);
            }
            for (key, value) in fields {
                overlay(promise, value, &at.child(key), texts, base);
            }
        }
        value => {
            rows::remove_below(texts, &at.pointer(BASE));
            at.put(base, value.clone());
        }
    }
}

/// Marks a field as asked for, and what is around it: the one that is chosen in the object's select, or else the target itself.
fn show(promise: &PromiseSpec, target: &str, texts: &mut BTreeMap<String, String>, base: &Value) -> String {
    let chosen = texts.get(&rows::more(target)).filter(|key| !key.is_empty());
    let target = chosen.map_or_else(|| target.to_owned(), |key| format!("{target}/{}", escape(key)));
    choose_around(promise, &target, texts, base);
    let around = target.match_indices('/').map(|(at, _)| &target[..at]).filter(|name| name.len() > BASE.len());
    let closed: Vec<&str> = around.filter(|name| !rows::is_open(texts, name)).chain([target.as_str()]).collect();
    for name in closed {
        texts.remove(&rows::absent(name));
        texts.insert(rows::opened(name), "1".to_owned());
    }
    field_id(&target)
}

/// Chooses the alternatives that a field is part of, unless values of others would be removed that the form doesn't show.
fn choose_around(promise: &PromiseSpec, target: &str, texts: &mut BTreeMap<String, String>, base: &Value) {
    let (mut node, mut at) = (promise.parameters.as_deref().unwrap_or(&Value::Null), Path::default());
    for step in target.strip_prefix(BASE).unwrap_or_default().split('/').skip(1) {
        let key = step.replace("~1", "/").replace("~0", "~");
        let name = at.pointer(BASE);
        if let Some(alternatives) = Alternatives::of(node).filter(Alternatives::is_exclusive)
            && let Some(index) = alternatives.all.iter().position(|one| one.fields.contains(&key))
        {
            let now = alternatives.posted(texts, &name);
            let given = at.get(base).filter(|_| now.is_none());
            let is_set = given.is_some_and(|given| alternatives.all.iter().flat_map(|one| &one.fields).any(|key| given.get(key).is_some()));
            if !is_set && !now.is_some_and(|now| alternatives.shows(now, &key, false)) {
                choose(&alternatives, index, &name, texts);
            }
        }
        let Some(inner) = node["properties"].get(&key) else { return };
        (node, at) = (inner, at.child(&key));
    }
}

fn choose(alternatives: &Alternatives, index: usize, name: &str, texts: &mut BTreeMap<String, String>) {
    let choice = rows::choice(name);
    texts.insert(rows::shown(&choice), "1".to_owned());
    texts.insert(choice, alternatives.all[index].key.clone());
}

/// Appends a row.
fn add(target: &str, texts: &mut BTreeMap<String, String>) -> String {
    let (base, inside) = match (target.strip_suffix(OBJECTS), target.ends_with(ENTRIES)) {
        (Some(list), _) => (format!("{list}/"), "/~there"),
        (None, true) => (format!("{target}/"), "/~key"),
        (None, false) => (format!("{target}/"), ""),
    };
    let rows = rows::numbers(texts, &base);
    rows::rearrange(texts, &base, &rows);
    let row = format!("{base}{}", rows.len());
    let marker = format!("{row}{inside}");
    texts.insert(marker.clone(), if inside == "/~there" { "1".to_owned() } else { String::new() });
    if inside == "/~key" { field_id(&marker) } else { field_id(&row) }
}

fn rearrange(kind: OperationKind, target: &str, texts: &mut BTreeMap<String, String>) -> Option<String> {
    let (rows_of, number) = target.rsplit_once('/')?;
    let number: usize = number.parse().ok()?;
    let base = format!("{rows_of}/");
    let mut order = rows::numbers(texts, &base);
    let index = order.iter().position(|known| *known == number)?;
    let at = moved(kind, index, &mut order);
    rows::rearrange(texts, &base, &order);
    let list = rows_of.strip_suffix(ENTRIES);
    Some(match list {
        _ if order.is_empty() => field_id(list.unwrap_or(rows_of)),
        Some(_) => field_id(&format!("{base}{at}/~key")),
        None => field_id(&format!("{base}{at}")),
    })
}

/// Returns the row to focus: the moved row, or the one that took the place of the removed one.
fn moved(kind: OperationKind, index: usize, rows: &mut Vec<usize>) -> usize {
    match kind {
        OperationKind::Up if index > 0 => {
            rows.swap(index, index - 1);
            index - 1
        }
        OperationKind::Down if index + 1 < rows.len() => {
            rows.swap(index, index + 1);
            index + 1
        }
        OperationKind::Remove => {
            rows.remove(index);
            index.min(rows.len().saturating_sub(1))
        }
        _ => index,
    }
}
