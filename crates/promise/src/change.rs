//! Parameters that differ between two contents, in the order of the form.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::PromiseSpec;
use crate::form::rank;
use crate::path::Path;
use crate::wording;

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
    if is_secret(spec, path) { SECRET.to_owned() } else { wording::value_of(spec, path, value) }
}

/// Whether a parameter is a reference to a secret.
pub fn is_secret(spec: &PromiseSpec, path: &Path) -> bool {
    spec.secret_parameters.contains(&path.to_string())
}

/// Returns every single value: scalars, lists of scalars, and references to secrets, each once, in the order of the form.
pub fn leaves<'v>(spec: &PromiseSpec, value: &'v Value) -> Vec<(Path, &'v Value)> {
    let mut found = Vec::new();
    walk(spec, &Path::default(), value, &mut found);
    found.sort_by_cached_key(|(path, _)| rank(spec, path));
    found
}

fn walk<'v>(spec: &PromiseSpec, path: &Path, value: &'v Value, found: &mut Vec<(Path, &'v Value)>) {
    match value {
        Value::Object(fields) if !is_secret(spec, path) => {
            fields.iter().for_each(|(key, value)| walk(spec, &path.child(key), value, found));
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().enumerate().for_each(|(index, value)| walk(spec, &path.item(index), value, found));
        }
        _ => found.push((path.clone(), value)),
    }
}

/// Returns the differences: first changed and added values, then removed ones.
pub fn between(spec: &PromiseSpec, before: &Value, after: &Value) -> Vec<Change> {
    // A null side has no values, not even at the root.
    let of = |side| if Value::is_null(side) { Vec::new() } else { leaves(spec, side) };
    let (old, new) = (of(before), of(after));
    let of = |side: &[(Path, &Value)], path: &Path| side.iter().find(|(known, _)| known == path).map(|(_, value)| (*value).clone());
    let came = new.iter().filter_map(|(path, value)| {
        let former = of(&old, path);
        (former.as_ref() != Some(*value)).then(|| Change { path: path.clone(), before: former, after: Some((*value).clone()) })
    });
    let went = old.iter().filter(|(path, _)| of(&new, path).is_none());
    came.chain(went.map(|(path, value)| Change { path: path.clone(), before: Some((*value).clone()), after: None })).collect()
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
/// saw first, these are all that differ.
pub fn contended(spec: &PromiseSpec, original: Option<&Value>, theirs: &Value, mine: &Value) -> Vec<Contended> {
    let changes = original.map_or_else(|| between(spec, mine, theirs), |original| between(spec, original, theirs));
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{between, contended, leaves};
    use crate::api::PromiseSpec;

    #[test]
    fn what_comes_changes_and_goes_is_told_once() {
        let spec = PromiseSpec { secret_parameters: vec![".admin".into()], ..PromiseSpec::default() };
        let before = json!({"size": "small", "ports": [{"name": "a"}], "admin": {"name": "x", "key": "k"}, "old": 1});
        let after = json!({"size": "large", "ports": [{"name": "a"}, {"name": "b"}], "admin": {"name": "y", "key": "k"}});
        let told: Vec<String> = between(&spec, &before, &after)
            .iter()
            .map(|change| {
                let words = |side: Option<String>| side.unwrap_or_else(|| "-".to_owned());
                format!("{} {} {}", change.path, words(change.before_in_words(&spec)), words(change.after_in_words(&spec)))
            })
            .collect();
        let mut sorted = told.clone();
        sorted.sort();
        assert_eq!(sorted, [".admin kept in a Secret kept in a Secret", ".old 1 -", ".ports[1].name - b", ".size small large"], "{told:?}");
        assert_eq!(between(&spec, &after, &after), []);
    }

    #[test]
    fn what_both_changed_is_contended_and_what_only_one_changed_is_known() {
        let spec = PromiseSpec::default();
        let original = json!({"size": "small", "replicas": 1, "storage": 10, "region": "eu"});
        let theirs = json!({"size": "large", "replicas": 3, "storage": 20, "region": "eu"});
        let mine = json!({"size": "medium", "storage": 20, "replicas": 1, "region": "us"});
        let told = |original| {
            let found = contended(&spec, original, &theirs, &mine);
            found.into_iter().map(|line| (line.path, line.before, line.untouched)).collect::<Vec<_>>()
        };
        let mut known = told(Some(&original));
        known.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(known, [(".replicas".to_owned(), Some(json!(1)), true), (".size".to_owned(), Some(json!("small")), false)]);
        assert_eq!(told(None).len(), 3, "every difference, if the first values aren't known");
        assert_eq!(contended(&spec, Some(&original), &theirs, &theirs), []);
    }

    #[test]
    fn lists_of_scalars_are_one_value() {
        let spec = PromiseSpec::default();
        let value = json!({"hosts": ["a", "b"], "deep": {"on": true}});
        assert_eq!(leaves(&spec, &value).len(), 2);
    }
}
