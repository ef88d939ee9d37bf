//! Parameters that determine what something is rather than its size, such as its tier: those that conditions of the promise and of policies
//! depend on, required choices between a few values, and those whose name or values say so.
//!
//! Another value of such a parameter gives a different thing: other objects, other rules, other fields. Such a change is never proposed as
//! a saving.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::api::PromiseSpec;
use crate::expression::inside;
use crate::path::{Path, Segment};
use crate::policy::{Effective, compile, same_value};
use crate::preflight::Choice;

/// Names of parameters that say what an instance is for, whatever the promise does with them.
pub(crate) const TIERS: [&str; 4] = ["tier", "environment", "env", "stage"];
/// A value that makes a list of allowed values a list of tiers.
pub(crate) const PRODUCTION: [&str; 3] = ["production", "prod", "live"];

/// Whether a choice makes a different thing of an instance with these resolved parameters.
pub fn is_changed_by(spec: &PromiseSpec, effective: &Effective, parameters: &Value, choice: &Choice) -> bool {
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
            // The values of a preset replace the present ones, field by field.
            first.get(values).is_some()
                && match (path.get(values), path.get(parameters)) {
                    (Some(preset), Some(present)) => !same_value(preset, present),
                    (None, None) => false,
                    _ => true,
                }
        }
    };
    deciding(spec, effective).iter().any(changes)
}

/// Returns the parameters that conditions of the promise read, in its fields, resources and own rules; those that policies depend on;
/// required choices between a few values; and tiers.
fn deciding(spec: &PromiseSpec, effective: &Effective) -> BTreeSet<Path> {
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
    let read = read.flat_map(|program| program.references().iter().filter_map(|reference| parameter(reference)).collect::<Vec<_>>());
    let mut found: BTreeSet<Path> = read.chain(effective.deciding.iter().filter_map(|reference| parameter(reference))).collect();
    if let Some(schema) = &spec.parameters {
        choices(schema, &Path::default(), &mut found);
    }
    found
}

/// Collects tiers, and required parameters with a list of allowed values.
fn choices(schema: &Value, at: &Path, found: &mut BTreeSet<Path>) {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let mut path = at.clone();
        path.0.push(Segment::Key(name.clone()));
        choices(property, &path, found);
        if property["enum"].is_array() && required.contains(&name.as_str()) || is_tier(name, property) {
            found.insert(path);
        }
    }
}

/// Checks whether a parameter is a tier by its name, or by its allowed values.
fn is_tier(name: &str, property: &Value) -> bool {
    let says = |words: &[&str], text: &str| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    let mut allowed = property["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    // An `env` of variables is no tier.
    property["type"] == "string" && says(&TIERS, name) || allowed.any(|value| says(&PRODUCTION, value))
}

/// Returns the parameter that a reference reads.
fn parameter(reference: &[String]) -> Option<Path> {
    let (root, path) = reference.split_first()?;
    (root == "parameters" && !path.is_empty()).then(|| Path(path.iter().cloned().map(Segment::Key).collect()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::api::PolicySpec;
    use crate::policy::{Origin, PolicySource, Reading, Target, compose};

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
            assert_eq!(is_changed_by(&spec(), &Effective::default(), &present, &choice), changed, "{what}");
        }
    }

    /// Composes the policies for a promise as if one workspace above defined them.
    fn composed(spec: &PromiseSpec, policies: Vec<(String, PolicySpec)>) -> Effective {
        let labels = BTreeMap::new();
        let target = Target {
            promise: "postgresql",
            spec,
            home: "root:platform",
            home_cluster: "home",
            home_trusted: true,
            workspace: "root:acme:shop",
            labels: &labels,
            lineage: &[],
        };
        let source = |(name, policy): (String, PolicySpec)| {
            let reading = Arc::new(Reading::of(policy, false));
            PolicySource::new(&name, "root:acme", "acme", Origin::Ancestor { distance: 1 }, reading)
        };
        compose(&target, &policies.into_iter().map(source).collect::<Vec<_>>())
    }

    #[test]
    fn the_sample_database_is_never_another_tier_with_and_without_policies() {
        let (_, spec) = testdata::samples::<PromiseSpec>("promises/postgresql.yaml").remove(0);
        let present = json!({"tier": "production", "size": "large", "replicas": 3, "storage": 100, "backup": {"enabled": true}});
        let value = |path: &str, value: Value| Choice::Value { path: path.to_owned(), value };
        for policies in [Vec::new(), testdata::samples::<PolicySpec>("policies/acme")] {
            let (count, effective) = (policies.len(), composed(&spec, policies));
            let changed = |choice: &Choice| is_changed_by(&spec, &effective, &present, choice);
            assert!(changed(&Choice::Preset { name: "trial".to_owned() }), "with {count} policies");
            assert!(changed(&value(".tier", json!("development"))), "with {count} policies");
            assert!(!changed(&value(".size", json!("medium"))), "a smaller size is a saving, with {count} policies");
        }
    }

    #[test]
    fn a_tier_decides_although_nothing_reads_it() {
        let property = |allowed: &[&str]| json!({"type": "string", "enum": allowed});
        let spec: PromiseSpec = serde_json::from_value(json!({"version": "1.0.0", "parameters": {"type": "object", "properties": {
            "environment": {"type": "string"}, "kind": property(&["test", "Production"]), "size": property(&["small", "large"]),
            "network": {"type": "object", "properties": {"stage": {"type": "string"}}},
        }}}))
        .unwrap();
        let present = json!({"environment": "prod", "kind": "Production", "size": "large", "network": {"stage": "prod"}});
        let changed = |path: &str, value: &str| {
            is_changed_by(&spec, &Effective::default(), &present, &Choice::Value { path: path.to_owned(), value: json!(value) })
        };
        assert!(changed(".environment", "dev") && changed(".kind", "test") && changed(".network.stage", "dev"));
        assert!(!changed(".size", "small") && !changed(".environment", "prod"));
    }

    #[test]
    fn a_parameter_by_which_policies_go_decides_although_the_promise_does_not_ask() {
        let spec: PromiseSpec = serde_json::from_value(json!({
            "version": "1.0.0",
            "parameters": {"type": "object", "properties": {
                "class": {"type": "string", "enum": ["gold", "silver"], "default": "silver"}, "size": {"type": "string", "default": "small"},
                "copies": {"type": "integer", "default": 1},
            }},
        }))
        .unwrap();
        let policy = |rules: Value| vec![("p".to_owned(), serde_json::from_value::<PolicySpec>(json!({"rules": rules})).unwrap())];
        let present = json!({"class": "gold", "size": "large", "copies": 2});
        let silver = Choice::Value { path: ".class".to_owned(), value: json!("silver") };
        let smaller = Choice::Value { path: ".size".to_owned(), value: json!("small") };
        let approve = |when: &str| json!([{"name": "a", "approve": {"when": when, "approvers": {"groups": ["g"]}}}]);
        for (what, rules, changed) in [
            ("no rule", json!([]), (false, false)),
            ("an approval of one class", approve("parameters.class == 'gold'"), (true, false)),
            ("an approval that weighs two", approve("parameters.class == 'gold' && parameters.size == 'large'"), (false, false)),
            (
                "a narrower field",
                json!([{"name": "c", "constrain": {"parameter": ".copies", "minimum": 2, "when": "parameters.class == 'gold'"}}]),
                (true, false),
            ),
        ] {
            let effective = composed(&spec, policy(rules));
            let found = [&silver, &smaller].map(|choice| is_changed_by(&spec, &effective, &present, choice));
            assert_eq!((found[0], found[1]), changed, "{what}");
        }
    }
}
