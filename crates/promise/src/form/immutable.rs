//! Limits of changes: parameters that can't change later, or can only grow or shrink, because the promise has a rule such as
//! `self == oldSelf`. Rules are recognized in their syntax tree. Every other rule is checked when the change is.

use schema::expr::{Change, Measure, Transition};
use serde_json::{Map, Value, json};

use crate::api::PromiseSpec;
use crate::path::{Path, Segment};
use crate::policy::same_value;
use crate::shape::Shape;

/// Maximum depth that is searched.
const DEEPEST: usize = 16;

/// A limit that a rule of the promise sets to changes of a parameter.
#[derive(Clone, Debug)]
pub struct ChangeLimit {
    /// Path of the parameter, with `[*]` for rows.
    pub path: Path,
    /// Path of the node that has the rule.
    node: Path,
    /// Message of the rule, or empty.
    pub message: String,
    /// What the rule says.
    transition: Transition,
}

/// Returns every limit of changes. Rows of lists are compared only if they have keys, by which a row is known to be the former one.
pub fn change_limits(promise: &PromiseSpec) -> Vec<ChangeLimit> {
    let mut found = Vec::new();
    if let Some(schema) = &promise.parameters {
        collect(schema, &mut Path::default(), DEEPEST, &mut found);
    }
    found
}

/// Replaces the values of immutable parameters by those of the last accepted release.
pub fn keep_immutable(promise: &PromiseSpec, accepted: &Value, parameters: &mut Value) {
    for limit in change_limits(promise).iter().filter(|limit| limit.keeps()) {
        let Some(kept) = limit.node.get(accepted).filter(|node| limit.transition.applies_to(node)).and(limit.path.get(accepted)) else {
            continue;
        };
        // If no value is given its default applies, which might be what was accepted.
        if limit.transition.only.as_ref().is_none_or(|only| only == kept) && limit.path.get(parameters).is_some_and(|value| value != kept) {
            limit.path.put(parameters, kept.clone());
        }
    }
}

/// `path` is that of the node. It grows and shrinks on the way, because a large schema has few such rules.
fn collect(node: &Value, path: &mut Path, left: usize, found: &mut Vec<ChangeLimit>) {
    for rule in node["x-kubernetes-validations"].as_array().into_iter().flatten() {
        let optional = rule["optionalOldSelf"] == true;
        for transition in Transition::of_rule(rule["rule"].as_str().unwrap_or_default(), optional) {
            let parameter = transition.path.iter().fold(path.clone(), |path, step| path.child(step));
            if !parameter.0.is_empty() {
                let message = rule["message"].as_str().unwrap_or_default().to_owned();
                found.push(ChangeLimit { path: parameter, node: path.clone(), message, transition });
            }
        }
    }
    let Some(left) = left.checked_sub(1) else { return };
    for (name, property) in node["properties"].as_object().into_iter().flatten() {
        path.0.push(Segment::Key(name.clone()));
        collect(property, path, left, found);
        path.0.pop();
    }
    let rows = match node.get("additionalProperties").filter(|values| values.is_object()) {
        Some(values) => Some(values),
        None => node.get("items").filter(|_| node["x-kubernetes-list-type"] == "map"),
    };
    if let Some(rows) = rows {
        path.0.push(Segment::Each);
        collect(rows, path, left, found);
        path.0.pop();
    }
}

impl ChangeLimit {
    /// Whether the parameter itself can't change.
    pub(super) fn keeps(&self) -> bool {
        (self.transition.change, self.transition.measure) == (Change::Never, Measure::Value)
    }

    /// Whether it is about the parameter with this path, or with this path for every row.
    pub(super) fn is_about(&self, path: &Path, pattern: &Path) -> bool {
        self.path == *path || self.path == *pattern
    }

    /// Whether it is about a parameter, or one around it.
    pub(super) fn covers(&self, path: &Path, pattern: &Path) -> bool {
        path.starts_with(&self.path) || pattern.starts_with(&self.path)
    }

    /// Returns the former value at a path, if the rule limits its change. `now` are the current values.
    pub(super) fn former<'v>(&self, schema: &Value, path: &Path, accepted: &'v Value, now: &Value) -> Option<&'v Value> {
        let former = |length: usize| former(schema, path.0.get(..length)?, accepted, now);
        former(self.node.0.len()).filter(|node| self.transition.applies_to(node))?;
        if let Some(only) = &self.transition.only
            && former(self.path.0.len())? != only
        {
            return None;
        }
        former(path.0.len())
    }

    /// Returns a sentence about later changes. `node` is the schema of the parameter. `None` if the rule applies only in some cases.
    pub(super) fn hint(&self, node: &Value) -> Option<&'static str> {
        let shape = Shape::of(node);
        let is_number = matches!(shape, Shape::Integer | Shape::Number);
        let has_entries = matches!(shape, Shape::List | Shape::Map);
        if self.transition.only.is_some() {
            return self
                .transition
                .keeps_answer()
                .filter(|_| shape == Shape::Boolean)
                .map(|kept| if kept { "Once on, it can't be turned off." } else { "Once off, it can't be turned on." });
        }
        let is_plain = self.transition.is_plain();
        Some(match (self.transition.change, self.transition.measure) {
            (Change::Never, Measure::Value) if is_plain => "It can't be changed later.",
            (Change::Never, Measure::Value) if self.transition.is_write_once() => "Once set, it can't be changed.",
            _ if !is_plain => return None,
            (Change::Grows { .. }, Measure::Value) if is_number => "It can only be increased later.",
            (Change::Shrinks { .. }, Measure::Value) if is_number => "It can only be decreased later.",
            (Change::Grows { .. }, Measure::Quantity) => "It can only be increased later.",
            (Change::Shrinks { .. }, Measure::Quantity) => "It can only be decreased later.",
            (Change::Grows { .. }, Measure::Size) if has_entries => "The number of entries can't decrease later.",
            (Change::Shrinks { .. }, Measure::Size) if has_entries => "The number of entries can't increase later.",
            (Change::Never, Measure::Size) if has_entries => "The number of entries can't change later.",
            _ => return None,
        })
    }

    /// Narrows the schema of the parameter to what the former value allows. Returns nothing if it doesn't limit values of this type.
    pub(super) fn narrowed(&self, node: &Value, former: &Value) -> Option<Value> {
        let mut fields = node.as_object()?.clone();
        let (low, high, strictly) = match self.transition.change {
            Change::Never => (true, true, false),
            Change::Grows { strictly } => (true, false, strictly),
            Change::Shrinks { strictly } => (false, true, strictly),
        };
        match (self.transition.measure, Shape::of(node), former) {
            (Measure::Value, Shape::Integer | Shape::Number, Value::Number(_)) if low != high => {
                let (limit, exclusive) = if low { ("minimum", "exclusiveMinimum") } else { ("maximum", "exclusiveMaximum") };
                tighten(&mut fields, limit, former, low)?;
                fields.remove(exclusive);
                if strictly {
                    fields.insert(exclusive.to_owned(), json!(true));
                }
            }
            (Measure::Size, Shape::List | Shape::Map, _) => {
                let size = former.as_array().map(Vec::len).or_else(|| former.as_object().map(Map::len))? as u64;
                let (least, most) = if former.is_array() { ("minItems", "maxItems") } else { ("minProperties", "maxProperties") };
                if low {
                    tighten(&mut fields, least, &json!(size + u64::from(strictly)), true);
                }
                if high {
                    tighten(&mut fields, most, &json!(size.saturating_sub(u64::from(strictly))), false);
                }
            }
            _ => return None,
        }
        Some(Value::Object(fields))
    }

    /// Returns the limit of an amount in words, such as `At least 10Gi`.
    pub(super) fn amount(&self, former: &Value) -> Option<String> {
        let former = former.as_str().filter(|_| self.transition.measure == Measure::Quantity)?;
        Some(match self.transition.change {
            Change::Grows { strictly: false } => format!("At least {former}"),
            Change::Grows { strictly: true } => format!("Above {former}"),
            Change::Shrinks { strictly: false } => format!("At most {former}"),
            Change::Shrinks { strictly: true } => format!("Below {former}"),
            Change::Never => return None,
        })
    }
}

/// Sets a limit of a schema, unless it has a tighter one.
fn tighten(fields: &mut Map<String, Value>, keyword: &str, limit: &Value, is_minimum: bool) -> Option<()> {
    let is_tighter = |known: &Value| {
        let (known, limit) = (known.as_f64().unwrap_or_default(), limit.as_f64().unwrap_or_default());
        if is_minimum { known > limit } else { known < limit }
    };
    if fields.get(keyword).is_some_and(is_tighter) {
        return None;
    }
    fields.insert(keyword.to_owned(), limit.clone());
    Some(())
}

/// Returns the former value at the path of a current one. Rows of lists are found by their keys.
fn former<'v>(schema: &Value, path: &[Segment], accepted: &'v Value, now: &Value) -> Option<&'v Value> {
    let Some((segment, rest)) = path.split_first() else { return Some(accepted) };
    match segment {
        Segment::Key(key) => {
            let inside = schema["properties"].get(key).unwrap_or(&schema["additionalProperties"]);
            former(inside, rest, accepted.get(key)?, now.get(key).unwrap_or(&Value::Null))
        }
        Segment::Index(index) => {
            let keys = schema["x-kubernetes-list-map-keys"].as_array().filter(|keys| !keys.is_empty())?;
            let now = now.get(index)?;
            let has_its_keys = |item: &&Value| {
                keys.iter().filter_map(Value::as_str).all(|key| match (item.get(key), now.get(key)) {
                    (Some(one), Some(other)) => same_value(one, other),
                    (one, other) => one.is_none() && other.is_none(),
                })
            };
            former(&schema["items"], rest, accepted.as_array()?.iter().find(has_its_keys)?, now)
        }
        Segment::Each => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn promise() -> PromiseSpec {
        let rule = |rule: &str| json!([{"rule": rule, "message": "It can't be changed later."}]);
        serde_json::from_value(json!({"version": "1.0.0", "parameters": {
            "type": "object",
            "properties": {
                "region": {"type": "string", "default": "eu", "x-kubernetes-validations": rule("self == oldSelf")},
                "storage": {"type": "integer", "x-kubernetes-validations": rule("self >= oldSelf")},
                "network": {"type": "object", "properties": {
                    "name": {"type": "string", "x-kubernetes-validations": rule("oldSelf==self")},
                    "range": {"type": "string"},
                    "zone": {"type": "string", "x-kubernetes-validations": rule("oldSelf == '' || self == oldSelf")},
                }},
                "either": {"type": "string", "x-kubernetes-validations": rule("self == oldSelf || self == 'x'")},
                "tls": {"type": "boolean", "x-kubernetes-validations": rule("!oldSelf || self")},
                "disks": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {
                    "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "kind": {"type": "string"}},
                    "x-kubernetes-validations": rule("self.kind == oldSelf.kind")}},
                "ports": {"type": "array", "items": {"type": "integer", "x-kubernetes-validations": rule("self == oldSelf")}},
            },
            "x-kubernetes-validations": rule("!has(oldSelf.network) || (has(self.network) && self.network.range == oldSelf.network.range)"),
        }}))
        .unwrap()
    }

    #[test]
    fn limits_of_changes_are_found_with_their_sentences() {
        let promise = promise();
        let schema = promise.parameters.clone().unwrap();
        let node = |path: &Path| crate::shape::node_at(&schema, path).cloned().unwrap();
        let found: Vec<(String, Option<&str>)> =
            change_limits(&promise).iter().map(|limit| (limit.path.to_string(), limit.hint(&node(&limit.path)))).collect();
        let never = Some("It can't be changed later.");
        let expected = [
            (".network.range", never),
            (".disks[*].kind", never),
            (".network.name", never),
            (".network.zone", Some("Once set, it can't be changed.")),
            (".region", never),
            (".storage", Some("It can only be increased later.")),
            (".tls", Some("Once on, it can't be turned off.")),
        ];
        let expected: Vec<(String, Option<&str>)> = expected.map(|(path, hint)| (path.to_owned(), hint)).to_vec();
        assert_eq!(found, expected);
        assert!(change_limits(&promise).iter().all(|one| one.message == "It can't be changed later."));
    }

    #[test]
    fn what_cannot_change_is_kept_whatever_a_preset_says() {
        let accepted = json!({"region": "eu", "storage": 5, "network": {"name": "a", "range": "b", "zone": ""}, "tls": true});
        let mut typed = json!({"region": "us", "storage": 9, "network": {"name": "c", "zone": "z"}, "tls": false});
        keep_immutable(&promise(), &accepted, &mut typed);
        assert_eq!(typed, json!({"region": "eu", "storage": 9, "network": {"name": "a", "zone": "z"}, "tls": true}));
        let mut typed = json!({"tls": true});
        keep_immutable(&promise(), &json!({"tls": false}), &mut typed);
        assert_eq!(typed, json!({"tls": true}));
    }
}
