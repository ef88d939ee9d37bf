//! A policy as it is written: one list of rules, and whether they are in force.

use super::{AppliesTo, Enforcement, Owner, PolicyCategory, PolicySpec, Rule};

/// A reusable set of rules and the scope it applies to.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct WrittenPolicy {
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Purpose of the policy, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Area that the policy protects.
    #[serde(default)]
    category: PolicyCategory,
    /// Owner of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<Owner>,
    /// What happens when a rule is violated.
    #[serde(default)]
    enforcement: Enforcement,
    /// Scope of the policy. Absent parts match everything.
    #[serde(default)]
    applies_to: AppliesTo,
    /// Whether none of the rules is in force.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    disabled: bool,
    /// Rules of the policy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rules: Vec<Rule>,
}

impl From<WrittenPolicy> for PolicySpec {
    fn from(written: WrittenPolicy) -> Self {
        let WrittenPolicy { title, description, category, owner, enforcement, applies_to, disabled, rules } = written;
        let (rules, suspended) = if disabled { (Vec::new(), Some(rules)) } else { (rules, None) };
        Self { title, description, category, owner, enforcement, applies_to, rules, suspended }
    }
}

impl From<PolicySpec> for WrittenPolicy {
    fn from(spec: PolicySpec) -> Self {
        let PolicySpec { title, description, category, owner, enforcement, applies_to, rules, suspended } = spec;
        let disabled = suspended.is_some();
        Self { title, description, category, owner, enforcement, applies_to, disabled, rules: suspended.unwrap_or(rules) }
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for PolicySpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        std::borrow::Cow::Borrowed("PolicySpec")
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        WrittenPolicy::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::PolicySpec;

    #[test]
    fn rules_of_a_disabled_policy_are_kept_and_not_in_force() {
        let written = json!({
            "category": "operations", "enforcement": "block", "appliesTo": {}, "disabled": true,
            "rules": [{"name": "few", "limit": {"count": 3, "per": "workspace"}}],
        });
        let disabled: PolicySpec = serde_json::from_value(written.clone()).unwrap();
        assert!(disabled.is_disabled() && disabled.rules.is_empty());
        assert_eq!(disabled.written_rules().len(), 1);
        assert_eq!(serde_json::to_value(&disabled).unwrap(), written);
        let enabled = disabled.enabled();
        assert_eq!((enabled.rules.len(), enabled.is_disabled()), (1, false));
        assert_eq!(serde_json::to_value(&enabled).unwrap()["disabled"], json!(null));
    }
}
