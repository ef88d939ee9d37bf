//! Where rendered objects may go (`domain.md` 4).

use super::request::Condition;

/// Where rendered objects may go.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestinationSpec {
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Sort of place; only clusters are supported yet.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::clusters"))]
    pub r#type: DestinationType,
    /// Credential: a Secret with key `kubeconfig`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretRef>,
    /// Whose promises may use it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_homes: Vec<String>,
    /// Whose requests may land on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_workspaces: Vec<String>,
    /// What may be made there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_kinds: Vec<AllowedKind>,
    /// Whether a deleted request can leave its objects there, by its deletion policy `Orphan`. What it leaves counts toward limits and budgets
    /// until it is released.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_orphan: bool,
    /// Pattern of the namespace, such as `opm-${workspace.name}-${hash}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// Sort of place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DestinationType {
    /// A Kubernetes cluster.
    #[default]
    Cluster,
    /// Descendants of the request's workspace; not supported yet.
    Workspaces,
}

/// A Secret.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

/// Kinds of one group.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AllowedKind {
    /// API group; empty for core.
    #[serde(default)]
    pub group: String,
    /// Kinds, or `*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
}

/// What the controller says about a destination.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestinationStatus {
    /// Generation this status is about.
    #[serde(default)]
    pub observed_generation: i64,
    /// Reachable, Authorized.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Version of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// APIs that published promises require of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apis: Vec<RequiredApi>,
    /// RFC 3339 time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<String>,
}

/// An API that a published promise requires of a destination.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequiredApi {
    /// `group/Kind`.
    pub api: String,
    /// Whether the server served it in some version when it was asked last.
    pub served: bool,
}

impl DestinationStatus {
    /// Whether the server serves an API, `group/Kind`; absent where it was not asked.
    pub fn serves(&self, api: &str) -> Option<bool> {
        self.apis.iter().find(|known| known.api == api).map(|known| known.served)
    }
}
