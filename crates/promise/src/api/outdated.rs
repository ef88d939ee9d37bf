//! What running instances would be under the rules and prices of today (`domain.md` 3).

use super::request::CostStatus;

/// What would change if the rules of today were rolled out.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutdatedStatus {
    /// Digest of the rules of today. Whoever may edit the request rolls them out by writing it into the annotation
    /// `platform.opmodel.dev/roll-out`.
    pub digest: String,
    /// Rules that came, changed or went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<OutdatedRule>,
    /// What a month cost when it was accepted, and would cost today; absent when that is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<OutdatedPrice>,
    /// Why the request as it is would not be accepted today.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<String>,
}

/// A rule that is another one today.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutdatedRule {
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace where it is set, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What became of it.
    #[serde(default)]
    pub change: RuleChange,
    /// What it says today, or said before it went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum RuleChange {
    /// It is new.
    #[default]
    Added,
    /// It says something else.
    Changed,
    /// It no longer applies.
    Removed,
}

/// Two prices.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutdatedPrice {
    /// When it was accepted.
    pub before: CostStatus,
    /// Today.
    pub today: CostStatus,
}
