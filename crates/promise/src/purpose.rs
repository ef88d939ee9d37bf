//! Parameters that decide what something is, rather than how large it is: those by which conditions of the promise go, such as its tier.
//!
//! Another value of one of them makes something else: other objects, other rules, other fields. That is never proposed as a saving.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::api::PromiseSpec;
use crate::expression::inside;
use crate::path::{Path, Segment};
use crate::policy::{compile, same_value};
use crate::preflight::Choice;

/// Whether a choice makes something else of what has these parameters, which are resolved.
pub fn is_changed_by(spec: &PromiseSpec, parameters: &Value, choice: &Choice) -> bool {
    let changes = |path: &Path| match choice {
        Choice::Value { path: chosen, value } => {
            let Ok(chosen) = Path::parse(chosen) else { return true };
            let is_other = !chosen.get(parameters).is_some_and(|present| same_value(present, value));
            is_other && (chosen.starts_with(path) || path.starts_with(&chosen))
        }
        Choice::Preset { name } => {
            let preset = spec.form.presets.iter().find(|preset| preset.name == *name);
            let Some(values) = preset.and_then(|preset| preset.values.as_ref()) else { return false };
            let first = Path(path.0.iter().take(1).cloned().collect());
            // What a preset names takes the place of what is there, field by field.
            first.get(values).is_some()
                && match (path.get(values), path.get(parameters)) {
                    (Some(preset), Some(present)) => !same_value(preset, present),
                    (None, None) => false,
                    _ => true,
                }
        }
    };
    deciding(spec).iter().any(changes)
}

/// Parameters that conditions of the promise read: of its fields, its resources and its own rules.
fn deciding(spec: &PromiseSpec) -> BTreeSet<Path> {
    let fields = spec.form.fields.values().filter_map(|hint| hint.visible_when.as_ref());
    let resources = spec.implementation.resources.iter().filter_map(|resource| resource.include_when.as_ref());
    let rules = spec.policies.iter().flat_map(|rule| {
        let narrowed = rule.constrain.as_ref().and_then(|constrain| constrain.when.as_ref());
        let set = rule.set.as_ref().and_then(|set| set.when.as_ref());
        let default = rule.default.as_ref().and_then(|default| default.when.as_ref());
        let injected = rule.inject.as_ref().and_then(|inject| inject.when.as_ref());
        let approved = rule.approve.as_ref().and_then(|approve| approve.when.as_ref());
        [narrowed, set, default, injected, approved].into_iter().flatten()
    });
    let read = fields.chain(resources).chain(rules).filter_map(|condition| compile(inside(condition)).ok());
    read.flat_map(|program| program.references().iter().filter_map(|reference| parameter(reference)).collect::<Vec<_>>()).collect()
}

/// The parameter that a reference reads.
fn parameter(reference: &[String]) -> Option<Path> {
    let (root, path) = reference.split_first()?;
    (root == "parameters" && !path.is_empty()).then(|| Path(path.iter().cloned().map(Segment::Key).collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec() -> PromiseSpec {
        serde_json::from_value(json!({
            "version": "1.0.0",
            "form": {
                "fields": {".backup.retention": {"visibleWhen": "${parameters.backup.enabled}"}},
                "presets": [
                    {"name": "trial", "values": {"tier": "development", "replicas": 1}},
                    {"name": "small", "values": {"tier": "production", "replicas": 2}},
                    {"name": "tiny", "values": {"replicas": 1}},
                    {"name": "bare", "values": {"backup": {}}},
                ],
            },
            "implementation": {"resources": [
                {"id": "standby", "includeWhen": "${parameters.tier == 'production' && parameters.replicas > 1}", "template": {}},
            ]},
            "policies": [{"name": "look", "approve": {"when": "parameters.class == 'gold'"}}],
        }))
        .unwrap()
    }

    #[test]
    fn a_choice_never_crosses_what_conditions_of_the_promise_go_by() {
        let present = json!({"tier": "production", "replicas": 2, "size": "large", "class": "gold", "backup": {"enabled": true}});
        let preset = |name: &str| Choice::Preset { name: name.to_owned() };
        let value = |path: &str, value: Value| Choice::Value { path: path.to_owned(), value };
        for (what, choice, changed) in [
            ("another tier", value(".tier", json!("development")), true),
            ("the same tier", value(".tier", json!("production")), false),
            ("no backup", value(".backup.enabled", json!(false)), true),
            ("another class, by which a rule goes", value(".class", json!("silver")), true),
            ("a smaller size", value(".size", json!("small")), false),
            ("a preset of another tier", preset("trial"), true),
            ("a preset of the same tier and size", preset("small"), false),
            ("a preset without the standby", preset("tiny"), true),
            ("a preset that leaves the backup out", preset("bare"), true),
        ] {
            assert_eq!(is_changed_by(&spec(), &present, &choice), changed, "{what}");
        }
    }
}
