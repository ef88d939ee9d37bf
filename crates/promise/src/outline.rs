//! Where values are, in words: their labels under the headings of the form, such as `Resources › Requests › CPU`.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::api::PromiseSpec;
use crate::path::{Path, Segment};
use crate::wording::{label, singular};

/// Maximum length of the title of a row, in characters.
const LONGEST_TITLE: usize = 60;
/// Name of a row of a list that is a row itself.
const ENTRY: &str = "Entry";

/// Where a value is, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breadcrumb {
    /// Labels of the objects, rows and maps around it, from the outside.
    pub headings: Vec<String>,
    /// Its own label.
    pub label: String,
}

impl fmt::Display for Breadcrumb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.headings.iter().try_for_each(|heading| write!(f, "{heading} › "))?;
        f.write_str(&self.label)
    }
}

/// Returns where a value is. `parameters` contain it: rows are called by what is in them.
pub fn breadcrumb(spec: &PromiseSpec, parameters: &Value, path: &Path) -> Breadcrumb {
    let (mut node, mut at) = (spec.parameters.as_deref(), Some(parameters));
    let (mut pattern, mut words) = (Path::default(), Vec::new());
    let mut in_row = false;
    for segment in &path.0 {
        match segment {
            Segment::Key(key) => {
                let property = node.and_then(|node| node.get("properties")?.get(key));
                // Keys of maps are names that people chose, and so are fields that the schema doesn't name.
                if property.is_some() || spec.parameters.is_none() {
                    pattern = pattern.child(key);
                    words.push(label(spec, &pattern));
                } else {
                    pattern.0.push(Segment::Each);
                    words.push(if key.is_empty() { "\"\"".to_owned() } else { key.clone() });
                }
                node = property.or_else(|| node?.get("additionalProperties").filter(|values| values.is_object()));
                at = at.and_then(|at| at.get(key));
            }
            Segment::Index(index) => {
                pattern.0.push(Segment::Each);
                at = at.and_then(|at| at.get(index));
                let list = if in_row { None } else { words.pop() };
                words.push(row(list, *index, at.and_then(|row| title(node, row))));
                node = node.and_then(|node| node.get("items"));
            }
            Segment::Each => return Breadcrumb { headings: Vec::new(), label: label(spec, path) },
        }
        in_row = matches!(segment, Segment::Index(_));
    }
    let label = words.pop().unwrap_or_else(|| label(spec, path));
    Breadcrumb { headings: words, label }
}

fn row(list: Option<String>, index: usize, title: Option<String>) -> String {
    let what = list.map_or_else(|| ENTRY.to_owned(), |list| singular(&list));
    let title = title.map(|title| format!(" ({title})")).unwrap_or_default();
    format!("{what} {}{title}", index + 1)
}

/// Returns the title of a row as its form shows it: its name, or else its key in the list, or else its first text.
fn title(list: Option<&Value>, row: &Value) -> Option<String> {
    let row = row.as_object()?;
    let text = |key: &str| row.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let first = || row.keys().find_map(|key| text(key));
    let found = text("name").map(str::to_owned).or_else(|| key_of(list, row)).or_else(|| first().map(str::to_owned))?;
    Some(found.chars().take(LONGEST_TITLE).collect())
}

/// Returns the key of a row of a list whose schema names the fields that tell its rows apart.
pub(crate) fn key_of(list: Option<&Value>, row: &serde_json::Map<String, Value>) -> Option<String> {
    let words = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let parts: Vec<String> = map_keys(list).filter_map(|key| row.get(key)).map(words).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Returns the fields by which a list tells its rows apart, if its schema says so.
pub(crate) fn map_keys(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(|list| list.get("x-kubernetes-list-map-keys")?.as_array()).into_iter().flatten().filter_map(Value::as_str)
}

/// Groups lines by their headings, as the form does: a group's own lines come before those of the groups in it.
pub fn grouped<T>(lines: Vec<T>, headings: impl Fn(&T) -> &[String]) -> Vec<(Vec<String>, Vec<T>)> {
    let mut order: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for line in &lines {
        let headings = headings(line);
        for length in 1..=headings.len() {
            let next = order.len();
            order.entry(headings[..length].to_vec()).or_insert(next);
        }
    }
    let mut groups: BTreeMap<Vec<usize>, (Vec<String>, Vec<T>)> = BTreeMap::new();
    for line in lines {
        let above = headings(&line).to_vec();
        let place = (1..=above.len()).filter_map(|length| order.get(&above[..length]).copied()).collect();
        groups.entry(place).or_insert_with(|| (above, Vec::new())).1.push(line);
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{breadcrumb, grouped};
    use crate::api::PromiseSpec;
    use crate::path::Path;

    fn promise() -> PromiseSpec {
        serde_json::from_value(json!({
            "version": "1.0.0",
            "parameters": {"type": "object", "properties": {
                "resources": {"type": "object", "properties": {
                    "requests": {"type": "object", "properties": {"cpu": {"type": "string"}}},
                    "limits": {"type": "object", "additionalProperties": {"type": "string"}},
                }},
                "rules": {"type": "array", "items": {"type": "object", "properties": {
                    "host": {"type": "string"},
                    "paths": {"type": "array", "items": {"type": "object", "properties": {"port": {"type": "integer"}}}},
                }}},
                "cells": {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}},
            }},
            "form": {"fields": {".rules[*].paths[*].port": {"title": "Port of the service"}, ".resources": {"title": "Size"}}},
        }))
        .unwrap()
    }

    fn told(parameters: &Value, path: &str) -> String {
        breadcrumb(&promise(), parameters, &Path::parse(path).unwrap()).to_string()
    }

    #[test]
    fn every_value_has_the_headings_of_the_form() {
        let parameters = json!({
            "resources": {"requests": {"cpu": "500m"}, "limits": {"nvidia.com/gpu": "1"}},
            "rules": [{"host": "a.example.org", "paths": []}, {"paths": [{"port": 80}]}],
            "cells": [[["a"], ["b"]]],
            "unknownField": {"key": "v"},
        });
        for (path, words) in [
            (".resources.requests.cpu", "Size › Requests › CPU"),
            (".resources.limits[\"nvidia.com/gpu\"]", "Size › Limits › nvidia.com/gpu"),
            (".rules[0].host", "Rule 1 (a.example.org) › Host"),
            (".rules[1].paths[0].port", "Rule 2 › Path 1 › Port of the service"),
            (".rules[1]", "Rule 2"),
            (".cells[0][1]", "Cell 1 › Entry 2"),
            (".unknownField.key", "unknownField › key"),
        ] {
            assert_eq!(told(&parameters, path), words);
        }
        let unknown = breadcrumb(&PromiseSpec::default(), &parameters, &Path::parse(".unknownField.key").unwrap());
        assert_eq!(unknown.to_string(), "Unknown field › Key", "without a schema, nothing is known of maps");
    }

    #[test]
    fn a_group_comes_before_the_groups_in_it_and_after_single_values() {
        let lines = ["b.x.1", "a", "b.2", "c.3", "b.x.4", "d"].map(|text| text.split('.').map(str::to_owned).collect::<Vec<_>>()).to_vec();
        let groups = grouped(lines, |line| &line[..line.len() - 1]);
        let told: Vec<String> = groups
            .iter()
            .map(|(headings, lines)| {
                format!("{}: {}", headings.join("."), lines.iter().map(|line| line.join(".")).collect::<Vec<_>>().join(" "))
            })
            .collect();
        assert_eq!(told, [": a d", "b: b.2", "b.x: b.x.1 b.x.4", "c: c.3"]);
    }
}
