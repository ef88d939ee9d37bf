//! Applies structural buttons to the texts of a post: adds, removes and moves rows, adds and removes sections, applies presets.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field::field_id;
use super::operation::{Operation, OperationKind};
use super::place::escape;
use super::{BASE, rows};
use crate::api::PromiseSpec;
use crate::path::Path;

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
            overlay(preset.values.as_ref()?, &Path::default(), texts, base);
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
        OperationKind::Show => Some(show(target, texts)),
        OperationKind::Find => Some(field_id(&rows::find(BASE))),
        OperationKind::Add => Some(add(target, texts)),
        OperationKind::Remove | OperationKind::Up | OperationKind::Down => rearrange(operation.kind, target, texts),
    }
}

/// Replaces what was entered by the values of a preset. Everything else stays.
fn overlay(values: &Value, at: &Path, texts: &mut BTreeMap<String, String>, base: &mut Value) {
    match values {
        Value::Object(fields) if !fields.is_empty() => {
            let name = at.pointer(BASE);
            texts.remove(&rows::absent(&name));
            for (key, value) in fields {
                overlay(value, &at.child(key), texts, base);
            }
        }
        value => {
            rows::remove_below(texts, &at.pointer(BASE));
            at.put(base, value.clone());
        }
    }
}

/// Marks a field as asked for, and what is around it: the one that is chosen in the object's select, or else the target itself.
fn show(target: &str, texts: &mut BTreeMap<String, String>) -> String {
    let chosen = texts.get(&rows::more(target)).filter(|key| !key.is_empty());
    let target = chosen.map_or_else(|| target.to_owned(), |key| format!("{target}/{}", escape(key)));
    let around = target.match_indices('/').map(|(at, _)| &target[..at]).filter(|name| name.len() > BASE.len());
    let closed: Vec<&str> = around.filter(|name| !rows::is_open(texts, name)).chain([target.as_str()]).collect();
    for name in closed {
        texts.remove(&rows::absent(name));
        texts.insert(rows::opened(name), "1".to_owned());
    }
    field_id(&target)
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
