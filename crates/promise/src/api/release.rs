//! Releases: the immutable record of one candidate generation of a request (`domain.md` 3).

use std::collections::BTreeMap;

use serde_json::Value;

use super::inventory::DestinationId;
use super::request::{DeletionPolicy, PolicyOutcome, PromiseRequestSpec, UpgradePolicy};

/// Immutable record of all inputs that determine the objects of a request.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseReleaseSpec {
    /// uid of the request.
    pub request_uid: String,
    /// Generation of the request that the release was created from.
    #[serde(default)]
    pub request_generation: i64,
    /// Revision of the promise.
    pub revision: ReleaseRevision,
    /// Resolved parameters: pruned, defaulted and with `set` rules applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub parameters: Option<Value>,
    /// Other inputs to expressions at the time: request, promise and workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub context: Option<Value>,
    /// Terms of the request other than parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<ReleaseTerms>,
    /// Destinations of the objects, by the names that the promise uses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub destinations: BTreeMap<String, DestinationId>,
    /// Keyed digests of the secret inputs, by parameter path. Other secret values aren't used with this release.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, String>,
    /// Policy rules and their effects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ReleaseRule>,
    /// Outcome of each policy rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<PolicyOutcome>,
    /// Quoted price. Null until prices exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub price: Option<Value>,
    /// Hex-encoded SHA-256 of the content.
    pub content_hash: String,
    /// Rendered objects. Parts that aren't known before apply are stored as expressions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::values"))]
    pub objects: Vec<Value>,
}

/// Terms of a request other than parameters: expiry, deletion and upgrades.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReleaseTerms {
    /// What happens to the objects when the request is deleted.
    #[serde(default)]
    pub deletion_policy: DeletionPolicy,
    /// RFC 3339 time at which the request expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Newer versions that are rolled out automatically.
    #[serde(default)]
    pub upgrade: UpgradePolicy,
}

impl From<&PromiseRequestSpec> for ReleaseTerms {
    fn from(request: &PromiseRequestSpec) -> Self {
        Self { deletion_policy: request.deletion_policy, expires_at: request.expires_at.clone(), upgrade: request.upgrade }
    }
}

/// Revision that a release is created from.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReleaseRevision {
    /// Logical cluster id of the promise's home workspace.
    pub cluster: String,
    /// Name of the PromiseRevision.
    pub name: String,
    /// Hash of the revision's spec.
    pub hash: String,
}

/// A policy rule and its effect, as applied.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReleaseRule {
    /// Id of the rule, as `cluster/policy/rule`.
    pub id: String,
    /// The rule, without titles and messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub effect: Option<Value>,
}
