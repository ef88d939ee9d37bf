//! What changed between two versions of a policy.

use serde::{Deserialize, Serialize};

use super::sentence;
use crate::api::{AppliesTo, Enforcement, PolicySpec, PromiseSpec, Rule};

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PolicyChange {
    /// A rule is new.
    RuleAdded {
        /// Name of the rule.
        rule: String,
        /// What it does, in words.
        sentence: String,
    },
    /// A rule is gone.
    RuleRemoved {
        /// Name of the rule.
        rule: String,
        /// What it did, in words.
        sentence: String,
    },
    /// A rule is different.
    RuleChanged {
        /// Name of the rule.
        rule: String,
        /// What it did, in words.
        before: String,
        /// What it does, in words.
        after: String,
    },
    /// The scope is different.
    Scope {
        /// The scope before.
        before: AppliesTo,
        /// The scope now.
        after: AppliesTo,
    },
    /// What happens to violations is different.
    Enforcement {
        /// What happened before.
        before: Enforcement,
        /// What happens now.
        after: Enforcement,
    },
    /// Title, purpose, category or owner are different.
    Texts,
}

/// Returns what changed. Rules of a disabled policy count like others; whether it is disabled isn't part of the changes.
pub fn changes(before: &PolicySpec, after: &PolicySpec) -> Vec<PolicyChange> {
    let words = |rule: &Rule| sentence::of_rule(&PromiseSpec::default(), rule);
    let (old, new) = (before.written_rules(), after.written_rules());
    let mut found = Vec::new();
    for rule in new {
        match old.iter().find(|known| known.name == rule.name) {
            None => found.push(PolicyChange::RuleAdded { rule: rule.name.clone(), sentence: words(rule) }),
            Some(known) if known != rule => {
                found.push(PolicyChange::RuleChanged { rule: rule.name.clone(), before: words(known), after: words(rule) });
            }
            Some(_) => {}
        }
    }
    let gone = old.iter().filter(|known| !new.iter().any(|rule| rule.name == known.name));
    found.extend(gone.map(|rule| PolicyChange::RuleRemoved { rule: rule.name.clone(), sentence: words(rule) }));
    if before.applies_to != after.applies_to {
        found.push(PolicyChange::Scope { before: before.applies_to.clone(), after: after.applies_to.clone() });
    }
    if before.enforcement != after.enforcement {
        found.push(PolicyChange::Enforcement { before: before.enforcement, after: after.enforcement });
    }
    let texts = |spec: &PolicySpec| (spec.title.clone(), spec.description.clone(), spec.category, spec.owner.clone());
    if texts(before) != texts(after) {
        found.push(PolicyChange::Texts);
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{PolicyChange, changes};
    use crate::api::PolicySpec;

    #[test]
    fn every_part_that_changed_is_named() {
        let policy = |spec: Value| -> PolicySpec { serde_json::from_value(spec).unwrap() };
        let limit = |name: &str, count: u64| json!({"name": name, "limit": {"count": count, "per": "workspace"}});
        let before = policy(json!({"rules": [limit("a", 1), limit("b", 2), limit("c", 3)]}));
        let after = policy(json!({
            "title": "New", "enforcement": "warn", "appliesTo": {"promises": ["redis"]}, "disabled": true,
            "rules": [limit("a", 1), limit("b", 4), limit("d", 5)],
        }));
        let found = changes(&before, &after);
        let PolicyChange::RuleChanged { rule, before: old, after: new } = &found[0] else { panic!("{found:?}") };
        assert_eq!(rule, "b");
        assert!(old.contains('2') && new.contains('4'), "{old} {new}");
        assert!(matches!(&found[1], PolicyChange::RuleAdded { rule, .. } if rule == "d"));
        assert!(matches!(&found[2], PolicyChange::RuleRemoved { rule, .. } if rule == "c"));
        assert!(matches!(&found[3..], [PolicyChange::Scope { .. }, PolicyChange::Enforcement { .. }, PolicyChange::Texts]));
        assert_eq!(changes(&before, &before), []);
        let kept: Vec<PolicyChange> = serde_json::from_value(serde_json::to_value(&found).unwrap()).unwrap();
        assert_eq!(kept, found);
    }
}
