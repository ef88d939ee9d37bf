//! From posted pairs back to values: typed by the schema, never guessed from the text.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::draft::{Parsed, SecretText};
use super::field::field_id;
use super::kind::{Kind, Spot, properties, typed};
use super::operation::{Operation, OperationKind};
use super::secrets::secret_inputs;
use super::{BASE, OPERATION, rows, visible};
use crate::api::PromiseSpec;
use crate::error::Problem;
use crate::path::Path;
use crate::policy::{Effective, same_value};
use crate::resolve;
use crate::wording::{label, lower_first};

/// Longest text that one input may post, in bytes.
const LONGEST: usize = 256 << 10;
/// Most unknown fields that are named.
const TOLD: usize = 5;

/// Reads a post. `base` are the parameters that the form was opened with (null for a new request): what the form did not
/// show stays as it was there. A pressed structural button is carried out. Never fails: what cannot be read is a
/// problem of the draft, and its text is kept.
pub fn parse(pairs: &[(String, String)], promise: &PromiseSpec, effective: &Effective, base: &Value) -> Parsed {
    let mut parsed = Parsed::default();
    let secret = secret_inputs(promise);
    let mut too_long = Vec::new();
    for (name, text) in pairs {
        if name == OPERATION {
            parsed.operation = Operation::parse(text);
        } else if let Some((path, _)) = secret.iter().find(|(_, secret)| secret == name) {
            if !text.is_empty() {
                parsed.secrets.insert(path.to_string(), SecretText::new(text.clone()));
            }
        } else if is_ours(name) && text.len() > LONGEST {
            too_long.push(Problem {
                path: String::new(),
                message: format!("Shorten the text at {name}: one field holds at most {} KiB.", LONGEST >> 10),
            });
        } else if is_ours(name) {
            parsed.draft.texts.insert(name.clone(), text.replace("\r\n", "\n"));
        }
    }
    let mut base = base.clone();
    if let Some(operation) = parsed.operation.clone() {
        parsed.focus = carry_out(&operation, promise, &mut parsed.draft.texts, &mut base);
    }
    let schema = if effective.schema.is_object() { &effective.schema } else { promise.parameters.as_ref().unwrap_or(&Value::Null) };
    let structural = resolve::schema_of(promise);
    let defaults = resolve::in_effect(promise, &structural, effective, &Value::Null);
    let mut reader = Reader { promise, effective, texts: &parsed.draft.texts, defaults: &defaults, problems: Vec::new() };
    let parameters = reader.object(&Path::default(), schema, Some(&base)).unwrap_or_else(|| Value::Object(Map::new()));
    parsed.draft.problems = reader.problems;
    parsed.draft.problems.append(&mut too_long);
    parsed.draft.problems.append(&mut unknown(&mut parsed.draft.texts, schema));
    parsed.draft.parameters = visible::without_hidden(promise, &structural, effective, parameters, &base);
    parsed
}

/// Takes away texts of fields that the promise does not have, and says so: a form that was open while the promise changed posts them.
fn unknown(texts: &mut BTreeMap<String, String>, schema: &Value) -> Vec<Problem> {
    let names: Vec<String> = texts.keys().filter(|name| !is_field(name, schema)).cloned().collect();
    for name in &names {
        texts.remove(name);
    }
    let field = |name: &String| name.trim_start_matches(BASE).trim_start_matches('/').chars().take(60).collect::<String>();
    let told = names.iter().take(TOLD).map(|name| Problem {
        path: String::new(),
        message: format!("The field {} is not one of this promise and was left out. Check the rest, and send it again.", field(name)),
    });
    told.collect()
}

/// Whether a name is that of an input which the schema can have.
fn is_field(name: &str, schema: &Value) -> bool {
    let mut node = schema;
    for step in name.strip_prefix(BASE).unwrap_or_default().split('/').skip(1) {
        let is_open = node.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true));
        // Markers and rows belong to the node that they stand below.
        if is_open
            || node["additionalProperties"].is_object()
            || (step.starts_with('~') && !step.starts_with("~0") && !step.starts_with("~1"))
        {
            return true;
        }
        if node["items"].is_object() {
            return step.parse::<usize>().is_ok();
        }
        match node["properties"].get(step.replace("~1", "/").replace("~0", "~")) {
            Some(inner) => node = inner,
            None => return false,
        }
    }
    true
}

fn is_ours(name: &str) -> bool {
    name.strip_prefix(BASE).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Carries out a structural button on the texts; the answer is the id of the input that gets the focus.
fn carry_out(operation: &Operation, promise: &PromiseSpec, texts: &mut BTreeMap<String, String>, base: &mut Value) -> Option<String> {
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
        OperationKind::Add => Some(add(target, texts)),
        OperationKind::Remove | OperationKind::Up | OperationKind::Down => rearrange(operation.kind, target, texts),
    }
}

/// The values of a preset replace what was typed there; everything else stays.
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

/// Adds a row. A map's target ends in `/~rows`, a list's is its name.
fn add(target: &str, texts: &mut BTreeMap<String, String>) -> String {
    match target.strip_suffix("/~rows") {
        Some(name) => {
            let mut entries = rows::map(texts, name);
            entries.push((String::new(), String::new()));
            let row = rows::entry(name, entries.len() - 1);
            rows::put_map(texts, name, entries);
            field_id(&format!("{row}/~key"))
        }
        None => {
            let mut items = rows::list(texts, target);
            items.push(String::new());
            let row = rows::item(target, items.len() - 1);
            rows::put_list(texts, target, items);
            field_id(&row)
        }
    }
}

fn rearrange(kind: OperationKind, target: &str, texts: &mut BTreeMap<String, String>) -> Option<String> {
    let (name, index) = target.rsplit_once('/')?;
    let index: usize = index.parse().ok()?;
    match name.strip_suffix("/~rows") {
        Some(name) => {
            let mut entries = rows::map(texts, name);
            let at = moved(kind, index, &mut entries)?;
            let left = entries.len();
            rows::put_map(texts, name, entries);
            Some(if left == 0 { field_id(name) } else { field_id(&format!("{}/~key", rows::entry(name, at))) })
        }
        None => {
            let mut items = rows::list(texts, name);
            let at = moved(kind, index, &mut items)?;
            let left = items.len();
            rows::put_list(texts, name, items);
            Some(if left == 0 { field_id(name) } else { field_id(&rows::item(name, at)) })
        }
    }
}

/// Where the focus goes: to the moved row, or to the one that took the removed one's place.
fn moved<T>(kind: OperationKind, index: usize, rows: &mut Vec<T>) -> Option<usize> {
    if index >= rows.len() {
        return None;
    }
    match kind {
        OperationKind::Up if index > 0 => {
            rows.swap(index, index - 1);
            Some(index - 1)
        }
        OperationKind::Down if index + 1 < rows.len() => {
            rows.swap(index, index + 1);
            Some(index + 1)
        }
        OperationKind::Remove => {
            rows.remove(index);
            Some(index.min(rows.len().saturating_sub(1)))
        }
        _ => Some(index),
    }
}

struct Reader<'a> {
    promise: &'a PromiseSpec,
    effective: &'a Effective,
    texts: &'a BTreeMap<String, String>,
    defaults: &'a Value,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    /// An object's fields; what its schema does not know stays. `None` when nothing is in it.
    fn object(&mut self, path: &Path, node: &Value, base: Option<&Value>) -> Option<Value> {
        let known: BTreeSet<&str> = node["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        let before = base.and_then(Value::as_object);
        let mut fields: Map<String, Value> = before
            .into_iter()
            .flatten()
            .filter(|(key, _)| !known.contains(key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        for (path, key, property, required) in properties(self.promise, path, node) {
            let base = before.and_then(|before| before.get(key));
            if let Some(value) = self.value(&path, property, required, base) {
                fields.insert(key.to_owned(), value);
            }
        }
        (!fields.is_empty()).then_some(Value::Object(fields))
    }

    fn value(&mut self, path: &Path, node: &Value, required: bool, base: Option<&Value>) -> Option<Value> {
        let name = path.pointer(BASE);
        let default = path.get(self.defaults).or_else(|| node.get("default")).cloned();
        let spot = Spot { promise: self.promise, effective: self.effective, path, node, required, defaulted: default.is_some() };
        let kind = spot.kind();
        if kind == Kind::Secret {
            return base.filter(|_| !self.texts.contains_key(&rows::clear(&name))).cloned();
        }
        if kind == Kind::Fixed || !rows::any_below(self.texts, &name) {
            return base.cloned();
        }
        let empty_counts = required || default.as_ref().is_some_and(|default| !is_empty(default)) || base.is_some_and(is_empty);
        let value = match kind {
            Kind::Choice { .. } | Kind::Text { .. } => {
                let text = self.texts.get(&name).map(String::as_str).unwrap_or_default();
                match base {
                    // An empty text that was there before is kept: an empty input cannot tell it from nothing.
                    Some(Value::String(before)) if text.is_empty() && before.is_empty() => return base.cloned(),
                    _ if text.trim().is_empty() => None,
                    _ => Some(typed(node, text)),
                }
            }
            Kind::Tick => Some(Value::Bool(self.texts.contains_key(&name))),
            Kind::List { items } => Some(self.list(&name, &items)).filter(|list| empty_counts || !is_empty(list)),
            Kind::Map { values } => Some(self.map(&name, path, &values)).filter(|map| empty_counts || !is_empty(map)),
            Kind::Group { optional } => return self.group(path, node, base, optional),
            Kind::Yaml => self.yaml(&name, path, base),
            Kind::Secret | Kind::Fixed => None,
        };
        let Some(value) = value else { return null(base) };
        let chosen = self.texts.contains_key(&rows::explicit(&name));
        let as_default = default.is_some_and(|default| same_value(&default, &value));
        (chosen || !as_default).then_some(value)
    }

    fn group(&mut self, path: &Path, node: &Value, base: Option<&Value>, optional: bool) -> Option<Value> {
        let name = path.pointer(BASE);
        if self.texts.contains_key(&rows::absent(&name)) {
            return null(base);
        }
        let inside = self.object(path, node, base);
        let there = (optional && self.texts.contains_key(&rows::present(&name))) || base.is_some_and(Value::is_object);
        inside.or_else(|| there.then(|| Value::Object(Map::new())))
    }

    fn list(&self, name: &str, items: &Value) -> Value {
        rows::list(self.texts, name).iter().filter(|text| !text.trim().is_empty()).map(|text| typed(items, text)).collect()
    }

    fn map(&mut self, name: &str, path: &Path, values: &Value) -> Value {
        let mut entries = Map::new();
        let what = lower_first(&label(self.promise, path));
        for (key, text) in rows::map(self.texts, name) {
            if key.is_empty() && text.trim().is_empty() {
                continue;
            }
            if key.is_empty() {
                self.problem(path, format!("Enter a name for the value {text} of {what}."));
            } else if entries.insert(key.clone(), typed(values, &text)).is_some() {
                self.problem(path, format!("Rename one of the two entries {key} of {what}: each name may occur once."));
            }
        }
        Value::Object(entries)
    }

    fn yaml(&mut self, name: &str, path: &Path, base: Option<&Value>) -> Option<Value> {
        let text = self.texts.get(name)?;
        if text.trim().is_empty() {
            return None;
        }
        match super::yaml::read(text) {
            Ok(value) => Some(value),
            Err(error) => {
                let what = lower_first(&label(self.promise, path));
                let place = format!("Correct line {}, column {} of {what}: it cannot be read as YAML.", error.line, error.column);
                // Without a line it is about the whole text.
                self.problem(path, if error.text.is_empty() { error.message } else { place });
                base.cloned()
            }
        }
    }

    fn problem(&mut self, path: &Path, message: String) {
        self.problems.push(Problem { path: resolve::shown(path), message });
    }
}

/// A null that was there before stays: nothing typed cannot be told from it.
fn null(base: Option<&Value>) -> Option<Value> {
    base.filter(|base| base.is_null()).cloned()
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
}
