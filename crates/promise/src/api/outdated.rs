//! How running instances would change under the present policies and prices (`domain.md` 3).

use super::request::CostStatus;

/// Changes that rolling out the present policies would make.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutdatedStatus {
    /// Digest of the present rules. Anyone who can edit the request rolls them out by writing this value into the annotation
    /// `platform.opmodel.dev/roll-out`.
    pub digest: String,
    /// Rules that were added, changed or removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<OutdatedRule>,
    /// Monthly price at approval and now. Absent if both are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<OutdatedPrice>,
    /// Reasons why the request would be refused today.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<String>,
}

/// A rule that changed since the request was accepted.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutdatedRule {
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace that defines the rule, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How the rule changed.
    #[serde(default)]
    pub change: RuleChange,
    /// The rule as a sentence: its present text, or its last text if it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
}

/// How a rule changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RuleChange {
    /// The rule is new.
    #[default]
    Added,
    /// The rule has changed.
    Changed,
    /// The rule no longer applies.
    Removed,
}

/// A price before and after.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutdatedPrice {
    /// Price when the request was accepted.
    pub before: CostStatus,
    /// Price today.
    pub today: CostStatus,
}
