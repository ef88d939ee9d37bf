//! Values that move to another version, and those of an earlier release that are requested again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::api::PromiseSpec;
use crate::change::{SECRET, in_words, is_secret};
use crate::outline::breadcrumb;
use crate::path::Path;
use crate::policy::{Effective, same_value};
use crate::resolve::{self, locate};

/// Values for another version of a promise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// The values that the version has fields for.
    pub parameters: Value,
    /// The others.
    pub lost: Vec<Lost>,
}

/// A value that a version has no field for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Path of the parameter.
    pub path: String,
    /// Where it was, in words.
    pub label: String,
    /// The value in words. Secrets are only identified as such.
    pub value: String,
}

/// Returns the values that move from one version to another, and those that don't. `before` describes the values.
pub fn carried(before: &PromiseSpec, after: &PromiseSpec, parameters: &Value) -> Carried {
    let mut kept = parameters.clone();
    let unknown = if kept.is_object() { resolve::schema_of(after).prune(&mut kept) } else { Vec::new() };
    let lost = unknown.iter().map(|field| {
        let path = locate::path(field, parameters);
        let holds_secret = is_secret(before, &path) || before.secret_parameters.iter().any(|secret| is_below(secret, &path));
        let value = path.get(parameters).unwrap_or(&Value::Null);
        Lost {
            label: breadcrumb(before, parameters, &path).to_string(),
            value: if holds_secret { SECRET.to_owned() } else { in_words(before, &path, value) },
            path: path.to_string(),
        }
    });
    Carried { lost: lost.collect(), parameters: kept }
}

fn is_below(secret: &str, path: &Path) -> bool {
    Path::parse(secret).is_ok_and(|secret| secret.starts_with(path))
}

/// Returns the parameters that request what a release was resolved to, without the values that apply by default. Values that are given in
/// `present` stay, even if they equal the default.
pub fn requested(promise: &PromiseSpec, resolved: &Value, present: &Value) -> Value {
    let usual = resolve::in_effect(promise, &resolve::schema_of(promise), &Effective::default(), &Value::Null);
    let fields = resolved.as_object().into_iter().flatten();
    let is_default = |name: &str, value: &Value| usual.get(name).is_some_and(|usual| same_value(usual, value));
    let given = fields.filter(|(name, value)| present.get(name.as_str()).is_some() || !is_default(name, value));
    Value::Object(given.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
}

/// Returns the labels of the secrets that have another value in one release than in another. Their values aren't stored in releases.
pub fn changed_secrets(promise: &PromiseSpec, one: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> Vec<String> {
    let all: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let changed = all.into_iter().filter(|path| one.get(*path) != other.get(*path));
    changed.filter_map(|path| Some(breadcrumb(promise, &Value::Null, &Path::parse(path).ok()?).to_string())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn promise(properties: &Value) -> PromiseSpec {
        let text = json!({"version": "1.0.0", "parameters": {"type": "object", "properties": properties}});
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn values_without_a_field_in_the_other_version_are_named_and_secrets_are_not_shown() {
        let text = json!({"type": "string"});
        let mut before = promise(&json!({"size": text, "backupWindow": text, "admin": {"type": "object", "properties": {"token": {
            "type": "object", "properties": {"name": text, "key": text}}}}}));
        before.secret_parameters = vec![".admin.token".to_owned()];
        let after = promise(&json!({"size": text}));
        let parameters = json!({"size": "small", "backupWindow": "02:00", "admin": {"token": {"name": "orders-inputs", "key": "token"}}});
        let moved = carried(&before, &after, &parameters);
        assert_eq!(moved.parameters, json!({"size": "small"}));
        let said: Vec<_> = moved.lost.iter().map(|lost| (lost.label.as_str(), lost.value.as_str())).collect();
        assert_eq!(said, [("Admin", SECRET), ("Backup window", "02:00")]);
        assert_eq!(carried(&before, &before, &parameters), Carried { parameters, lost: Vec::new() }, "the same version");
    }

    #[test]
    fn what_a_release_was_resolved_to_is_requested_without_its_defaults() {
        let promise = promise(&json!({
            "size": {"type": "string"}, "replicas": {"type": "integer", "default": 1}, "tier": {"type": "string", "default": "dev"},
        }));
        let resolved = json!({"size": "small", "replicas": 1, "tier": "production"});
        assert_eq!(requested(&promise, &resolved, &json!({})), json!({"size": "small", "tier": "production"}));
        assert_eq!(requested(&promise, &resolved, &json!({"replicas": 3})), resolved, "given now, so it has to be set back");
    }

    #[test]
    fn secrets_with_another_value_are_named() {
        let promise = promise(&json!({"password": {"type": "object"}, "token": {"type": "object"}}));
        let digests = |pairs: &[(&str, &str)]| pairs.iter().map(|(path, digest)| ((*path).to_owned(), (*digest).to_owned())).collect();
        let (one, other) = (digests(&[(".password", "a"), (".token", "t")]), digests(&[(".password", "b"), (".token", "t")]));
        assert_eq!(changed_secrets(&promise, &one, &other), ["Password"]);
        assert!(changed_secrets(&promise, &one, &one).is_empty());
    }
}
