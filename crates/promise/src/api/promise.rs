//! Promises and their immutable revisions (`domain.md` 2).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::action::ActionSpec;
use super::form::FormHints;
use super::policy::Rule;
use super::request::Condition;
use super::workflow::Workflows;

/// An offering of a platform team.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseSpec {
    /// Semantic version without build metadata. A new version publishes a revision.
    pub version: String,
    /// Lifecycle stage of the promise.
    #[serde(default)]
    pub lifecycle: Lifecycle,
    /// Workspaces below the promise's home that can see it.
    #[serde(default)]
    pub visibility: Visibility,
    /// Deprecation notice, for the lifecycle stage `deprecated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecation: Option<Deprecation>,
    /// How the promise is presented in the catalog.
    #[serde(default)]
    pub presentation: Presentation,
    /// Structural OpenAPI v3 schema of the parameters, or a JSON Schema, which has `$schema`. The type is `object`.
    // Shared, because it can be large, and specs are copied for each check of a request.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "super::parameters")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub parameters: Option<Arc<Value>>,
    /// Paths of parameters such as `.adminPassword` whose value is a reference `{name, key}` to a Secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secret_parameters: Vec<String>,
    /// How the request form is presented. Not part of the schema.
    #[serde(default)]
    pub form: FormHints,
    /// Complete sets of parameters. Each must be valid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
    /// Promises and APIs that must be available first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<Requirement>,
    /// How requests are fulfilled.
    #[serde(default)]
    pub implementation: Implementation,
    /// Values that the requester receives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputSpec>,
    /// The promise's own policy rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policies: Vec<Rule>,
    /// Policies of the same home workspace that also apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub policy_refs: Vec<PolicyRef>,
    /// Steps of provisioning, upgrades and deprovisioning.
    #[serde(default, skip_serializing_if = "Workflows::is_empty")]
    pub workflows: Workflows,
    /// Day-2 actions by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub actions: BTreeMap<String, ActionSpec>,
    /// How the price is calculated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostModel>,
}

/// Lifecycle stage of a promise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Lifecycle {
    /// Visible only in its home workspace.
    #[default]
    Draft,
    /// Offered.
    Published,
    /// Offered with a warning.
    Deprecated,
    /// No longer offered. Existing instances keep running.
    Retired,
}

impl Lifecycle {
    /// The value used in manifests and URLs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Published => "published",
            Self::Deprecated => "deprecated",
            Self::Retired => "retired",
        }
    }
}

/// Workspaces below a promise's home that can see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Visibility {
    /// Only the home workspace.
    #[default]
    Private,
    /// The home workspace and every workspace below it.
    Descendants,
}

/// Why a promise is deprecated, and until when it can be used.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Deprecation {
    /// Message to users, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Name of the promise that replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// Date of removal, as `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove_after: Option<String>,
}

/// How a promise is presented in the catalog.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Presentation {
    /// Display name. If absent, the name of the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Summary in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Description in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Category as one word, such as `data`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Keywords.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Name of a Lucide icon, such as `database`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// Contact for questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maintainer: Option<Maintainer>,
    /// Links to further documentation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// What changed in its versions, for requesters. The newest one comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<ChangelogEntry>,
    /// Whether the promise is shown first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub featured: bool,
    /// Position among promises that otherwise rank equally. Higher values come first.
    #[serde(default)]
    pub weight: i32,
}

/// What changed in a version of a promise.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangelogEntry {
    /// The version.
    pub version: String,
    /// What changed since the version before, in one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

/// Contact for questions about a promise.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Maintainer {
    /// Name of the team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Mail address or https URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// Text of the link.
    pub title: String,
    /// URL with the scheme `https:` or `mailto:`.
    pub url: String,
}

/// A complete set of parameters.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Example {
    /// Name of the example.
    pub name: String,
    /// Description in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Valid parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub parameters: Option<Value>,
}

/// A promise or API that must be available first.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Requirement {
    /// Name of the required promise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<String>,
    /// Version constraint on the required promise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Required API, as `group/Kind`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// Destination that must serve the API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
}

/// How requests of a promise are fulfilled.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Implementation {
    /// Objects to create. Their order is determined by the references between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceTemplate>,
}

/// One object, or a list of objects, to create. Exactly one of `template`, `application` and `module` is set.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// Id that is unique within the promise, `[a-z][a-zA-Z0-9]*`.
    pub id: String,
    /// Expression for whether to create the object. If absent, it is always created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_when: Option<String>,
    /// Expression that returns a list of at most 100 items. `each` and `index` are available in the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<String>,
    /// Name of a Destination. If absent, the object is created in the request's workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// Kubernetes object with expressions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub template: Option<Value>,
    /// OPM application with components and traits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub application: Option<Value>,
    /// Instance of an opmodel.dev module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::object"))]
    pub module: Option<Value>,
    /// Expression over `self` for whether the object is ready. If absent, the built-in rule for the kind applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_when: Option<String>,
}

/// A value that the requester receives.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutputSpec {
    /// Name of the output.
    pub name: String,
    /// Description in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Expression for the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Key of a rendered Secret that holds the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretOutput>,
    /// Connection string with `{name}` in place of other outputs. It is put together when a person views or reveals it, and never stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// What the value is, if pages treat it in a particular way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<OutputFormat>,
}

/// What the value of an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum OutputFormat {
    /// Everything that a client needs to connect, such as a complete URL.
    ConnectionString,
}

/// Key of a Secret that a resource of the promise writes.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretOutput {
    /// Id of the resource: a Secret, or an object whose operator writes a Secret next to it.
    pub resource: String,
    /// Name of the Secret that the operator writes. Can contain expressions. Absent if the resource is the Secret itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Key in the data of the Secret.
    pub key: String,
}

/// Reference to a Policy in the same home workspace.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolicyRef {
    /// Name of the Policy.
    pub name: String,
}

/// How a price is calculated.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CostModel {
    /// ISO 4217 code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Line items. The price is their sum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<CostItem>,
}

/// One line item of a price.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CostItem {
    /// Label of the line item.
    pub name: String,
    /// Expression for the monthly amount, in millionths of the currency unit.
    pub monthly: String,
}

/// Observed state of a promise.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseStatus {
    /// Generation that this status describes.
    #[serde(default)]
    pub observed_generation: i64,
    /// Name of the published PromiseRevision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Conditions: `Published`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Number of requests that are fulfilled by the promise.
    #[serde(default)]
    pub instances: i64,
}

/// An immutable copy of one published version of a promise.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromiseRevisionSpec {
    /// Name of the promise.
    pub promise: String,
    /// Version of the promise.
    pub version: String,
    /// Hex-encoded SHA-256 of `spec` in canonical JSON (RFC 8785).
    pub hash: String,
    /// Spec of the promise, with the steps of PromiseWorkflows in place of references to them.
    pub spec: PromiseSpec,
}
