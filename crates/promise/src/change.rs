//! Parameters that differ between two contents, in the order of the form.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::PromiseSpec;
use crate::form::rank;
use crate::outline::{Breadcrumb, breadcrumb, key_of, map_keys};
use crate::path::{Path, Segment};
use crate::policy::same_value;
use crate::shape::value_of;

/// Text shown instead of a secret value.
pub const SECRET: &str = "kept in a Secret";

/// A parameter whose value differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Path of the parameter.
    pub path: Path,
    /// Old value. Absent if there was none.
    pub before: Option<Value>,
    /// New value. Absent if it is removed.
    pub after: Option<Value>,
}

impl Change {
    /// Returns where the parameter is, in words. `before` and `after` are what was compared.
    pub fn place(&self, spec: &PromiseSpec, before: &Value, after: &Value) -> Breadcrumb {
        breadcrumb(spec, if self.after.is_some() { after } else { before }, &self.path)
    }

    /// Returns the old value as shown to users, or nothing if there was none.
    pub fn before_in_words(&self, spec: &PromiseSpec) -> Option<String> {
        self.before.as_ref().map(|value| in_words(spec, &self.path, value))
    }

    /// Returns the new value as shown to users, or nothing if there is none.
    pub fn after_in_words(&self, spec: &PromiseSpec) -> Option<String> {
        self.after.as_ref().map(|value| in_words(spec, &self.path, value))
    }
}

/// Returns a value as shown to users. Secrets are only identified as such.
pub fn in_words(spec: &PromiseSpec, path: &Path, value: &Value) -> String {
    if is_secret(spec, path) { SECRET.to_owned() } else { value_of(spec, path, value) }
}

/// Whether a parameter is a reference to a secret.
pub fn is_secret(spec: &PromiseSpec, path: &Path) -> bool {
    spec.secret_parameters.contains(&path.to_string())
}

/// Returns every single value: scalars, lists of scalars, empty objects, and references to secrets, each once, in the order of the form.
pub fn leaves<'v>(spec: &PromiseSpec, value: &'v Value) -> Vec<(Path, &'v Value)> {
    let mut found = Vec::new();
    if value.as_object().is_none_or(|fields| !fields.is_empty()) {
        walk(spec, &Path::default(), value, Rows::Matched, &mut found);
    }
    found.sort_by_cached_key(|(path, _)| rank(spec, path));
    found
}

fn walk<'v>(spec: &PromiseSpec, path: &Path, value: &'v Value, rows: Rows, found: &mut Vec<(Path, &'v Value)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() && !is_secret(spec, path) => {
            fields.iter().for_each(|(key, value)| walk(spec, &path.child(key), value, rows, found));
        }
        Value::Array(items) if rows == Rows::Matched && has_rows(items) => {
            items.iter().enumerate().for_each(|(index, value)| walk(spec, &path.item(index), value, rows, found));
        }
        _ => found.push((path.clone(), value)),
    }
}

/// Whether the items of a list are values of their own: a list of scalars is a single value.
fn has_rows(items: &[Value]) -> bool {
    items.iter().any(|item| item.is_object() || item.is_array())
}

/// Returns the differences: first changed and added values, then removed ones, each in the order of the form. Rows of a list are compared
/// with the row of the same key or name, wherever it is; without keys, with the row of the same number. The path of a change is its path
/// in `after`, or in `before` for a removed value.
pub fn between(spec: &PromiseSpec, before: &Value, after: &Value) -> Vec<Change> {
    differences(spec, before, after, Rows::Matched)
}

/// How lists of objects are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// Row by row, wherever they are.
    Matched,
    /// Row by row if both lists have the same rows, and as a single value otherwise: a path that is valid in one isn't in the other.
    InPlace,
}

fn differences(spec: &PromiseSpec, before: &Value, after: &Value, rows: Rows) -> Vec<Change> {
    let mut comparison = Comparison { spec, rows, changes: Vec::new() };
    // A null side has no values, not even at the root.
    let side = |value| Some(value).filter(|value: &&Value| !value.is_null());
    comparison.compare(spec.parameters.as_deref(), &Path::default(), side(before), side(after));
    let mut changes = comparison.changes;
    changes.sort_by_cached_key(|change| (change.after.is_none(), rank(spec, &change.path)));
    changes
}

struct Comparison<'a> {
    spec: &'a PromiseSpec,
    rows: Rows,
    changes: Vec<Change>,
}

impl Comparison<'_> {
    fn compare(&mut self, node: Option<&Value>, path: &Path, before: Option<&Value>, after: Option<&Value>) {
        match (before, after) {
            _ if is_secret(self.spec, path) => self.push(path, before, after),
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                for (key, value) in new {
                    self.compare(child(node, key), &path.child(key), old.get(key), Some(value));
                }
                for (key, value) in old.iter().filter(|(key, _)| !new.contains_key(*key)) {
                    self.compare(child(node, key), &path.child(key), Some(value), None);
                }
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) if has_rows(old) || has_rows(new) => self.lists(node, path, old, new),
            (Some(old), Some(new)) if !has_parts(old) && !has_parts(new) => self.push(path, before, after),
            _ => {
                self.all_of(path, before, |value| (Some(value), None));
                self.all_of(path, after, |value| (None, Some(value)));
            }
        }
    }

    fn lists(&mut self, node: Option<&Value>, path: &Path, old: &[Value], new: &[Value]) {
        let items = node.and_then(|node| node.get("items"));
        let keys = keys(node, old).zip(keys(node, new));
        let in_place = old.len() == new.len() && keys.as_ref().is_none_or(|(old, new)| old == new);
        match keys {
            _ if self.rows == Rows::InPlace && !in_place => {
                let list = |rows: &[Value]| Some(Value::Array(rows.to_vec()));
                self.changes.push(Change { path: path.clone(), before: list(old), after: list(new) });
            }
            Some((known, wanted)) => {
                let at: BTreeMap<&String, &Value> = known.iter().zip(old).collect();
                for (index, (key, row)) in wanted.iter().zip(new).enumerate() {
                    self.compare(items, &path.item(index), at.get(key).copied(), Some(row));
                }
                let stay: BTreeSet<&String> = wanted.iter().collect();
                for (index, (_, row)) in known.iter().zip(old).enumerate().filter(|(_, (key, _))| !stay.contains(key)) {
                    self.compare(items, &path.item(index), Some(row), None);
                }
                self.order(node, path, &known, &wanted);
            }
            None => {
                for index in 0..old.len().max(new.len()) {
                    self.compare(items, &path.item(index), old.get(index), new.get(index));
                }
            }
        }
    }

    /// Adds the order of rows, if it is another and has a meaning.
    fn order(&mut self, node: Option<&Value>, path: &Path, old: &[String], new: &[String]) {
        let both = |one: &[String], other: &[String]| -> Vec<String> {
            let other: BTreeSet<&String> = other.iter().collect();
            one.iter().filter(|key| other.contains(key)).cloned().collect()
        };
        let (was, is) = (both(old, new), both(new, old));
        if was != is && map_keys(node).next().is_none() {
            self.changes.push(Change { path: path.clone(), before: Some(was.into()), after: Some(is.into()) });
        }
    }

    fn all_of(&mut self, path: &Path, value: Option<&Value>, side: impl Fn(Value) -> (Option<Value>, Option<Value>)) {
        let Some(value) = value else { return };
        let mut found = Vec::new();
        walk(self.spec, path, value, self.rows, &mut found);
        let change = |(path, value): (Path, &Value)| {
            let (before, after) = side(value.clone());
            Change { path, before, after }
        };
        self.changes.extend(found.into_iter().map(change));
    }

    fn push(&mut self, path: &Path, before: Option<&Value>, after: Option<&Value>) {
        let same = match (before, after) {
            (Some(before), Some(after)) => same_value(before, after),
            (before, after) => before == after,
        };
        if !same {
            self.changes.push(Change { path: path.clone(), before: before.cloned(), after: after.cloned() });
        }
    }
}

/// Whether the parts of a value are reported individually.
fn has_parts(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => has_rows(items),
        _ => false,
    }
}

/// Returns the schema of a field or of the values of a map.
fn child<'n>(node: Option<&'n Value>, key: &str) -> Option<&'n Value> {
    let node = node?;
    node.get("properties").and_then(|properties| properties.get(key)).or_else(|| node.get("additionalProperties"))
}

/// Returns what tells the rows of a list apart: the keys that its schema names, or else their names. `None` if two rows are the same.
fn keys(list: Option<&Value>, rows: &[Value]) -> Option<Vec<String>> {
    let is_keyed = map_keys(list).next().is_some();
    let of = |row: &Value| {
        let row = row.as_object()?;
        if is_keyed { key_of(list, row) } else { row.get("name")?.as_str().map(str::to_owned) }
    };
    let keys: Vec<String> = rows.iter().map(of).collect::<Option<_>>()?;
    (keys.iter().collect::<BTreeSet<_>>().len() == keys.len()).then_some(keys)
}

/// A parameter that someone else changed while the user edited it or left it as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contended {
    /// Path of the parameter.
    pub path: String,
    /// The value that the user saw first. Absent if there was none, or if it isn't known any more.
    pub before: Option<Value>,
    /// The value that it has now. Absent if there is none.
    pub theirs: Option<Value>,
    /// The value that the user entered. Absent if there is none.
    pub mine: Option<Value>,
    /// Whether the user left it as it was.
    pub untouched: bool,
}

/// Returns the parameters that someone else changed to something other than what the user entered. Without the parameters that the user
/// saw first, these are all that differ. A list of objects whose rows were added, removed or moved is a single parameter.
pub fn contended(spec: &PromiseSpec, original: Option<&Value>, theirs: &Value, mine: &Value) -> Vec<Contended> {
    let changes = differences(spec, original.unwrap_or(mine), theirs, Rows::InPlace);
    let mut changes: Vec<Change> = changes.into_iter().map(|change| with_its_list(change, original, theirs, mine)).collect();
    changes.dedup_by(|next, change| next.path == change.path);
    let of = |change: Change| {
        let entered = change.path.get(mine).cloned();
        let before = original.and(change.before);
        (entered != change.after).then(|| Contended {
            path: change.path.to_string(),
            untouched: original.is_some() && entered == before,
            before,
            theirs: change.after,
            mine: entered,
        })
    };
    changes.into_iter().filter_map(of).collect()
}

/// Returns a change in a row as a change of its list, if the user has other rows in it.
fn with_its_list(change: Change, original: Option<&Value>, theirs: &Value, mine: &Value) -> Change {
    let lists = change.path.0.iter().enumerate().filter(|(_, segment)| matches!(segment, Segment::Index(_)));
    let mut lists = lists.map(|(at, _)| Path(change.path.0[..at].to_vec()));
    let rows = |list: &Path, side: &Value| list.get(side).and_then(Value::as_array).map(Vec::len);
    match lists.find(|list| rows(list, mine) != rows(list, theirs)) {
        None => change,
        Some(list) => Change { before: original.and_then(|side| list.get(side)).cloned(), after: list.get(theirs).cloned(), path: list },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{between, contended, leaves};
    use crate::api::PromiseSpec;

    #[test]
    fn added_changed_and_removed_values_are_listed_once() {
        let spec = PromiseSpec { secret_parameters: vec![".admin".into()], ..PromiseSpec::default() };
        let before = json!({"size": "small", "ports": [{"name": "a"}], "admin": {"name": "x", "key": "k"}, "old": 1});
        let after = json!({"size": "large", "ports": [{"name": "a"}, {"name": "b"}], "admin": {"name": "y", "key": "k"}});
        let reported: Vec<String> = between(&spec, &before, &after)
            .iter()
            .map(|change| {
                let words = |side: Option<String>| side.unwrap_or_else(|| "-".to_owned());
                format!("{} {} {}", change.path, words(change.before_in_words(&spec)), words(change.after_in_words(&spec)))
            })
            .collect();
        let mut sorted = reported.clone();
        sorted.sort();
        assert_eq!(
            sorted,
            [".admin kept in a Secret kept in a Secret", ".old 1 -", ".ports[1].name - b", ".size small large"],
            "{reported:?}"
        );
        assert_eq!(between(&spec, &after, &after), []);
    }

    #[test]
    fn what_both_changed_is_contended_and_what_only_one_changed_is_known() {
        let spec = PromiseSpec::default();
        let original = json!({"size": "small", "replicas": 1, "storage": 10, "region": "eu"});
        let theirs = json!({"size": "large", "replicas": 3, "storage": 20, "region": "eu"});
        let mine = json!({"size": "medium", "storage": 20, "replicas": 1, "region": "us"});
        let reported = |original| {
            let found = contended(&spec, original, &theirs, &mine);
            found.into_iter().map(|line| (line.path, line.before, line.untouched)).collect::<Vec<_>>()
        };
        let mut known = reported(Some(&original));
        known.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(known, [(".replicas".to_owned(), Some(json!(1)), true), (".size".to_owned(), Some(json!("small")), false)]);
        assert_eq!(reported(None).len(), 3, "every difference, if the first values aren't known");
        assert_eq!(contended(&spec, Some(&original), &theirs, &theirs), []);
    }

    fn reported(schema: serde_json::Value, before: &serde_json::Value, after: &serde_json::Value) -> Vec<String> {
        let spec = PromiseSpec { parameters: Some(schema.into()), ..PromiseSpec::default() };
        let words = |side: Option<String>| side.unwrap_or_else(|| "-".to_owned());
        let line = |change: &super::Change| {
            let (was, is) = (words(change.before_in_words(&spec)), words(change.after_in_words(&spec)));
            format!("{}: {was} > {is}", change.place(&spec, before, after))
        };
        between(&spec, before, after).iter().map(line).collect()
    }

    #[test]
    fn rows_are_compared_by_key_wherever_they_are() {
        let port = json!({"type": "object", "properties": {"port": {"type": "integer"}, "protocol": {"type": "string"}, "node": {"type": "integer"}}});
        let list = json!({"type": "array", "items": port});
        let mut keyed = list.clone();
        keyed["x-kubernetes-list-map-keys"] = json!(["port", "protocol"]);
        let schema = |ports: &serde_json::Value| json!({"type": "object", "properties": {"ports": ports}});
        let before = json!({"ports": [{"port": 80, "protocol": "TCP"}, {"port": 81, "protocol": "TCP", "node": 1}]});
        let after = json!({"ports": [{"port": 81, "protocol": "TCP", "node": 2}, {"port": 80, "protocol": "UDP"}]});
        assert_eq!(
            reported(schema(&keyed), &before, &after),
            [
                "Port 1 (81, TCP) › Node: 1 > 2",
                "Port 2 (80, UDP) › Port: - > 80",
                "Port 2 (80, UDP) › Protocol: - > UDP",
                "Port 1 (80, TCP) › Port: 80 > -",
                "Port 1 (80, TCP) › Protocol: TCP > -",
            ]
        );
        assert_eq!(reported(schema(&list), &before, &after).len(), 5, "by position, if rows have no key");
    }

    #[test]
    fn named_rows_are_compared_by_name_and_their_order_counts() {
        let schema = json!({"type": "object", "properties": {"steps": {"type": "array", "items": {"type": "object", "properties": {
            "name": {"type": "string"}, "run": {"type": "string"}, "empty": {"type": "object"}}}}}});
        let row = |name: &str, run: &str| json!({"name": name, "run": run});
        let before = json!({"steps": [row("a", "1"), row("b", "2"), row("c", "3")]});
        let after = json!({"steps": [row("c", "3"), row("b", "9")]});
        assert_eq!(
            reported(schema.clone(), &before, &after),
            ["Steps: b and c > c and b", "Step 2 (b) › Run: 2 > 9", "Step 1 (a) › Name: a > -", "Step 1 (a) › Run: 1 > -"]
        );
        let empty = json!({"steps": [row("a", "1"), row("b", "2"), {"name": "c", "run": "3", "empty": {}}]});
        assert_eq!(reported(schema.clone(), &before, &empty), ["Step 3 (c) › Empty: - > an empty object"]);
        assert_eq!(reported(schema, &before, &before), Vec::<String>::new());
    }

    #[test]
    fn a_list_with_other_rows_is_contended_as_a_whole() {
        let spec = PromiseSpec::default();
        let original = json!({"steps": [{"name": "a", "run": 1}, {"name": "b", "run": 2}]});
        let theirs = json!({"steps": [{"name": "new", "run": 0}, {"name": "a", "run": 1}, {"name": "b", "run": 2}]});
        let mine = json!({"steps": [{"name": "a", "run": 5}, {"name": "b", "run": 2}]});
        let paths = |theirs, mine| contended(&spec, Some(&original), theirs, mine).into_iter().map(|line| line.path).collect::<Vec<_>>();
        assert_eq!(paths(&theirs, &mine), [".steps"]);
        let theirs = json!({"steps": [{"name": "a", "run": 7}, {"name": "b", "run": 8}]});
        assert_eq!(paths(&theirs, &mine), [".steps[0].run", ".steps[1].run"]);
        assert_eq!(paths(&theirs, &json!({"steps": [{"name": "b", "run": 2}]})), [".steps"], "the rows have other numbers here");
    }

    #[test]
    fn lists_of_scalars_are_one_value() {
        let spec = PromiseSpec::default();
        let value = json!({"hosts": ["a", "b"], "deep": {"on": true}});
        assert_eq!(leaves(&spec, &value).len(), 2);
    }
}
