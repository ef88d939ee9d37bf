//! Immutable parameters: those for which the promise has a rule such as `self == oldSelf`.

use serde_json::Value;

use crate::api::PromiseSpec;
use crate::path::Path;

/// An immutable parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Immutable {
    /// Path of the parameter.
    pub path: Path,
    /// Message of its rule, or empty.
    pub message: String,
}

/// Maximum depth that is searched.
const DEEPEST: usize = 16;

/// Returns every parameter that a rule of the promise makes immutable. Lists and maps are skipped because their rows can be added and
/// removed.
pub fn immutable(promise: &PromiseSpec) -> Vec<Immutable> {
    let mut found = Vec::new();
    if let Some(schema) = &promise.parameters {
        collect(schema, &Path::default(), DEEPEST, &mut found);
    }
    found
}

/// Replaces the values of immutable parameters by those of the last accepted release.
pub fn keep_immutable(promise: &PromiseSpec, accepted: &Value, parameters: &mut Value) {
    for Immutable { path, .. } in immutable(promise) {
        let Some(kept) = path.get(accepted) else { continue };
        // If no value is given its default applies, which might be what was accepted.
        if path.get(parameters).is_some_and(|value| value != kept) {
            path.put(parameters, kept.clone());
        }
    }
}

fn collect(node: &Value, path: &Path, left: usize, found: &mut Vec<Immutable>) {
    for rule in node["x-kubernetes-validations"].as_array().into_iter().flatten() {
        let Some(inner) = rule["rule"].as_str().and_then(kept_by) else { continue };
        let path = inner.split('.').filter(|step| !step.is_empty()).fold(path.clone(), |path, step| path.child(step));
        if !path.0.is_empty() {
            found.push(Immutable { path, message: rule["message"].as_str().unwrap_or_default().to_owned() });
        }
    }
    for (name, property) in node["properties"].as_object().into_iter().flatten().filter(|_| left > 0) {
        collect(property, &path.child(name), left - 1, found);
    }
}

/// Returns what a rule makes immutable, relative to its own path: empty for itself, `.a.b` for a field. Only simple comparisons are
/// recognized.
fn kept_by(rule: &str) -> Option<&str> {
    let (one, other) = rule.split_once("==")?;
    let (one, other) = (one.trim(), other.trim());
    let of =
        |new: &'_ str, old: &'_ str| new.strip_prefix("self").map(str::to_owned).filter(|path| old.strip_prefix("oldSelf") == Some(path));
    let path = of(one, other).or_else(|| of(other, one))?;
    let is_name = |step: &str| !step.is_empty() && step.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let is_path = path.is_empty() || path.strip_prefix('.').is_some_and(|path| path.split('.').all(is_name));
    let start = if one.starts_with("self") { one } else { other };
    is_path.then(|| start.strip_prefix("self").unwrap_or_default())
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
                }},
                "either": {"type": "string", "x-kubernetes-validations": rule("self == oldSelf || self == 'x'")},
            },
            "x-kubernetes-validations": rule("self.network.range == oldSelf.network.range"),
        }}))
        .unwrap()
    }

    #[test]
    fn what_a_rule_keeps_as_it_was_is_found() {
        let paths: Vec<String> = immutable(&promise()).into_iter().map(|one| one.path.to_string()).collect();
        assert_eq!(paths, [".network.range", ".network.name", ".region"]);
        assert!(immutable(&promise()).iter().all(|one| one.message == "It can't be changed later."));
    }

    #[test]
    fn what_cannot_change_is_kept_whatever_a_preset_says() {
        let accepted = json!({"region": "eu", "storage": 5, "network": {"name": "a", "range": "b"}});
        let mut typed = json!({"region": "us", "storage": 9, "network": {"name": "c"}});
        keep_immutable(&promise(), &accepted, &mut typed);
        assert_eq!(typed, json!({"region": "eu", "storage": 9, "network": {"name": "a"}}));
    }
}
