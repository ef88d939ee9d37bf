//! Immutable record of one candidate generation (`domain.md` 3).

use std::collections::BTreeMap;

use serde_json::Value;

use super::inventory::DestinationId;
use super::request::{DeletionPolicy, PolicyOutcome, PromiseRequestSpec, UpgradePolicy};

/// Everything that decides what is made, frozen.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseReleaseSpec {
    /// uid of the request.
    pub request_uid: String,
    /// Generation of the request it was made from.
    #[serde(default)]
    pub request_generation: i64,
    /// Which revision.
    pub revision: ReleaseRevision,
    /// Resolved: pruned, defaulted, `set` applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub parameters: Option<Value>,
    /// What expressions knew besides the parameters: request, promise and workspace, as they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub context: Option<Value>,
    /// What was asked for besides parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<ReleaseTerms>,
    /// The Destinations that objects go to, by the names that the promise has for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub destinations: BTreeMap<String, DestinationId>,
    /// Keyed digests of the secret inputs, by parameter path. Other values are not used with this release.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, String>,
    /// Rules with their effects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ReleaseRule>,
    /// What each rule did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<PolicyOutcome>,
    /// Frozen quote; null until there are prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub price: Option<Value>,
    /// Hex SHA-256 of the content.
    pub content_hash: String,
    /// Rendered objects; parts not known before apply are kept as expressions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::values"))]
    pub objects: Vec<Value>,
}

/// What a request asks for besides parameters: how it ends, and how it goes with newer versions.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReleaseTerms {
    /// What deletion does to the objects.
    #[serde(default)]
    pub deletion_policy: DeletionPolicy,
    /// RFC 3339 time at which it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Which newer versions are taken without asking.
    #[serde(default)]
    pub upgrade: UpgradePolicy,
}

impl From<&PromiseRequestSpec> for ReleaseTerms {
    fn from(request: &PromiseRequestSpec) -> Self {
        Self { deletion_policy: request.deletion_policy, expires_at: request.expires_at.clone(), upgrade: request.upgrade }
    }
}

/// Which revision a release is made from.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReleaseRevision {
    /// Logical cluster id of the home.
    pub cluster: String,
    /// Name of the PromiseRevision.
    pub name: String,
    /// Hash of its spec.
    pub hash: String,
}

/// A rule and its effect as applied.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReleaseRule {
    /// `cluster/policy/rule`.
    pub id: String,
    /// The rule, without titles and messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub effect: Option<Value>,
}
