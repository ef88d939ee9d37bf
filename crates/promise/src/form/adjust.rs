//! Replaces defaults that policies don't allow: choosing *production*, for example, can narrow fields that still have their default.

use serde_json::Value;

use super::BASE;
use super::defaults::keep_around;
use super::draft::Draft;
use crate::api::{Enforcement, PromiseSpec};
use crate::path::Path;
use crate::policy::{Effective, Provenance};
use crate::resolve;
use crate::shape::node_at;

/// A value that was moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjusted {
    /// Path of the parameter.
    pub path: Path,
    /// The value that it has now.
    pub value: Value,
    /// The rule that doesn't allow the former default, or sets another one.
    pub from: Provenance,
}

/// Replaces defaults that a rule doesn't allow by the smallest allowed value, and returns what was replaced. Values that the user entered
/// stay, and so does the input with the name `typing`, because the user is still typing there.
pub fn adjust(promise: &PromiseSpec, effective: &Effective, draft: &mut Draft, typing: Option<&str>) -> Vec<Adjusted> {
    let structural = resolve::parsed_schema(promise, effective);
    let in_effect = resolve::in_effect(promise, &structural, effective, &draft.parameters);
    let mut adjusted: Vec<Adjusted> = Vec::new();
    for ruling in effective.constraints.iter().filter(|ruling| ruling.from.enforcement == Enforcement::Block) {
        let path = &ruling.path;
        let is_known = adjusted.iter().any(|known| known.path == *path);
        if is_known || path.get(&draft.parameters).is_some() || typing == Some(path.pointer(BASE).as_str()) {
            continue;
        }
        let (Some(now), Some(node)) = (path.get(&in_effect), node_at(&effective.schema, path)) else { continue };
        if let Some(value) = allowed(now, node) {
            adjusted.push(Adjusted { path: path.clone(), value, from: ruling.from.clone() });
        }
    }
    for Adjusted { path, value, .. } in &adjusted {
        keep_around(promise, &structural, effective, &mut draft.parameters, path);
        put(draft, path, Some(value.clone()));
    }
    adjusted
}

/// Moves inputs that still have their default to the default that policies set because of other values of the draft, and returns these.
/// `usual` are the rules without any values, which the form was rendered with. Values that the user entered stay, and so does the input with
/// the name `typing`.
pub fn proposed(promise: &PromiseSpec, usual: &Effective, effective: &Effective, draft: &mut Draft, typing: Option<&str>) -> Vec<Adjusted> {
    let structural = resolve::parsed_schema(promise, effective);
    let in_effect = |effective: &Effective| resolve::in_effect(promise, &structural, effective, &draft.parameters);
    let (before, now) = (in_effect(usual), in_effect(effective));
    let changed = effective.defaults.iter().filter(|ruling| {
        let path = &ruling.path;
        path.get(&draft.parameters).is_none() && typing != Some(path.pointer(BASE).as_str()) && path.get(&before) != path.get(&now)
    });
    let changed = changed.map(|ruling| Adjusted { path: ruling.path.clone(), value: ruling.effect.clone(), from: ruling.from.clone() });
    let proposed: Vec<Adjusted> = changed.collect();
    for Adjusted { path, .. } in &proposed {
        // The input shows the default, and no longer the text of the former one.
        put(draft, path, None);
    }
    proposed
}

/// Sets a value of a draft, or removes it. Texts that were entered for it go.
pub fn put(draft: &mut Draft, path: &Path, value: Option<Value>) {
    let name = path.pointer(BASE);
    draft.texts.retain(|known, _| known.strip_prefix(&name).is_none_or(|rest| !rest.is_empty() && !rest.starts_with('/')));
    let parameter = format!(".parameters{path}");
    draft.problems.retain(|problem| problem.path != parameter);
    match value {
        Some(value) => {
            if !draft.parameters.is_object() {
                draft.parameters = Value::Object(serde_json::Map::new());
            }
            path.put(&mut draft.parameters, value);
        }
        None => drop(path.remove(&mut draft.parameters)),
    }
}

/// Returns the smallest allowed value; `None` if the present value is allowed, or the schema doesn't say which one is.
fn allowed(now: &Value, node: &Value) -> Option<Value> {
    if let Some(options) = node["enum"].as_array() {
        return if options.contains(now) { None } else { options.first().cloned() };
    }
    let least = &node["minimum"];
    (now.as_f64()? < least.as_f64()?).then(|| least.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_smallest_allowed_value_is_chosen() {
        assert_eq!(allowed(&json!(1), &json!({"minimum": 2, "maximum": 5})), Some(json!(2)));
        assert_eq!(allowed(&json!(9), &json!({"minimum": 2, "maximum": 5})), None, "a default that is too large is for the user to judge");
        assert_eq!(allowed(&json!("small"), &json!({"enum": ["medium", "large"]})), Some(json!("medium")));
        assert_eq!(allowed(&json!(3), &json!({"minimum": 2, "maximum": 5})), None);
        assert_eq!(allowed(&json!("large"), &json!({"enum": ["medium", "large"]})), None);
        assert_eq!(allowed(&json!("a"), &json!({"pattern": "^b"})), None);
    }

    #[test]
    fn a_value_replaces_what_was_entered_for_it_and_nothing_else() {
        let mut draft = Draft::of(json!({"hosts": ["a"], "host": "b"}));
        for name in ["/parameters/host", "/parameters/hosts/0", "/parameters/host/~x"] {
            draft.texts.insert(name.to_owned(), "typed".to_owned());
        }
        put(&mut draft, &Path::parse(".host").unwrap(), Some(json!("c")));
        assert_eq!(draft.parameters, json!({"hosts": ["a"], "host": "c"}));
        assert_eq!(draft.texts.keys().collect::<Vec<_>>(), ["/parameters/hosts/0"]);
        put(&mut draft, &Path::parse(".host").unwrap(), None);
        assert_eq!(draft.parameters, json!({"hosts": ["a"]}));
    }
}
