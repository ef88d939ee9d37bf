//! Merges policy additions into rendered objects (RFC 7386).

use serde_json::{Map, Value};

use crate::api::{Enforcement, Inject, ReleaseRule, Rule};
use crate::path::Path;
use crate::policy::{Origin, Provenance, Ruling};

/// Returns the merges among the rules of a release. Their order doesn't matter because contradictions were refused.
pub fn injects(rules: &[ReleaseRule]) -> Vec<Ruling<Inject>> {
    let inject = |rule: &ReleaseRule| {
        let effect: Rule = serde_json::from_value(named(rule.effect.clone()?)).ok()?;
        Some(Ruling { from: provenance(&rule.id), path: Path::default(), effect: effect.inject? })
    };
    rules.iter().filter_map(inject).collect()
}

/// A release stores the effect of a rule without its name.
fn named(mut effect: Value) -> Value {
    if let Some(effect) = effect.as_object_mut() {
        effect.entry("name").or_insert_with(|| Value::from(""));
    }
    effect
}

/// Returns the provenance from the identity of a rule, which is all that a release stores.
fn provenance(id: &str) -> Provenance {
    let mut parts = id.splitn(3, '/').map(str::to_owned);
    Provenance {
        origin: Origin::TrustedHome,
        workspace: String::new(),
        cluster: parts.next().unwrap_or_default(),
        policy: parts.next().unwrap_or_default(),
        rule: parts.next().unwrap_or_default(),
        title: None,
        owner: None,
        reason: None,
        enforcement: Enforcement::default(),
    }
}

/// Applies every merge that matches the kind of the object.
pub(crate) fn inject(object: &mut Value, injects: &[Ruling<Inject>]) {
    for ruling in injects {
        let kinds = &ruling.effect.r#match.kinds;
        let matches = kinds.is_empty() || object["kind"].as_str().is_some_and(|kind| kinds.iter().any(|wanted| wanted == kind));
        if let (true, Some(patch)) = (matches, &ruling.effect.merge) {
            merge(object, patch);
        }
    }
}

/// Merges a patch: null removes, an object merges, anything else replaces.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    if let Value::Object(target) = target {
        for (name, value) in patch {
            if value.is_null() {
                target.remove(name);
            } else {
                merge(target.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
    }
}
