//! Promises as a workspace offers them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::page::Amount;
use crate::api::{Deprecation, Enforcement, Example, FormHints, Lifecycle, Link, MissingRequirement, PreflightPrice};

/// A promise in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseSummary {
    /// Name.
    pub name: String,
    /// Path of its home workspace.
    pub home: String,
    /// Whether a promise of the same name in a nearer home hides it. A request of it has to name its home.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadowed: bool,
    /// Display name.
    pub title: String,
    /// Summary in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Category, as one word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Team that answers questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Lifecycle stage.
    pub lifecycle: Lifecycle,
    /// Version that new requests use.
    pub version: String,
    /// Published versions, newest first.
    pub versions: Vec<String>,
    /// Whether the caller can request it in this workspace.
    pub availability: Availability,
    /// Lowest monthly price. Absent for a promise without a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ListPrice>,
}

/// Whether a promise can be requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Availability {
    /// The state.
    pub state: AvailabilityState,
    /// Why it can't be requested, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Availability of a promise to a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AvailabilityState {
    /// The caller can request it.
    Available,
    /// Its API isn't enabled in this workspace.
    Disabled,
    /// The caller isn't allowed to request it.
    Denied,
    /// It is no longer offered, or not offered yet.
    Closed,
}

/// A price in a list: the lowest one with at most one choice changed from what the promise proposes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListPrice {
    /// Monthly amount. Absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Amount>,
}

/// A promise with everything that a request needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseDetail {
    /// The same as in a list.
    #[serde(flatten)]
    pub summary: PromiseSummary,
    /// Description in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Links to further documentation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// Mail address or https URL for questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// Deprecation notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecation: Option<Deprecation>,
    /// Published versions, newest first.
    pub published: Vec<PublishedVersion>,
    /// Schema of the parameters as this workspace offers them: narrowed by every policy that always applies. A structural OpenAPI v3 schema.
    /// Absent for a promise without parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Paths of parameters, such as `.adminPassword`, whose value is a reference `{name, key}` to a Secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secret_parameters: Vec<String>,
    /// How forms present the parameters.
    pub form: FormHints,
    /// Complete sets of parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// Policy rules that apply to requests in this workspace.
    pub rules: Vec<AppliedRule>,
    /// Why not all policies are known, as a sentence. The schema isn't narrowed and `rules` is empty then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_unknown: Option<String>,
    /// Monthly price with the default values. Absent for a promise without a price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_price: Option<PreflightPrice>,
    /// Values that the requester receives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<PromiseOutput>,
    /// What the promise requires and the workspace lacks, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_requirements: Vec<MissingRequirement>,
}

/// A published version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PublishedVersion {
    /// Version.
    pub version: String,
    /// Name of the PromiseRevision.
    pub revision: String,
    /// RFC 3339 time of publication.
    pub since: String,
    /// What changed since the version before, as its team describes it, in one sentence each. Empty if it doesn't.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

/// A policy rule that applies to requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AppliedRule {
    /// Name of the policy, or of the promise for its own rules.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
    /// Path of the workspace that defines it.
    pub source: String,
    /// Whether it is the promise's own rule.
    pub own: bool,
    /// Title of the policy.
    pub title: String,
    /// Team that owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// What happens when it is violated.
    pub enforcement: Enforcement,
    /// What it does, as a sentence without a full stop.
    pub message: String,
    /// Why it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
}

/// An output of a promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseOutput {
    /// Name.
    pub name: String,
    /// Description in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is a secret.
    pub secret: bool,
}
