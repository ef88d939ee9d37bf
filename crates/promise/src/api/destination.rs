//! Destinations: where rendered objects can be created (`domain.md` 4).

use super::request::Condition;

/// A place where rendered objects can be created.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestinationSpec {
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Type of the destination. Only clusters are supported for now.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(schema_with = "super::opaque::clusters"))]
    pub r#type: DestinationType,
    /// Credential for the destination: a Secret with the key `kubeconfig`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretRef>,
    /// Home workspaces whose promises can use the destination.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_homes: Vec<String>,
    /// Workspaces whose requests can create objects in the destination.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_workspaces: Vec<String>,
    /// Kinds of objects that can be created in the destination.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_kinds: Vec<AllowedKind>,
    /// Whether a request that is deleted with the deletion policy `Orphan` can leave its objects here. Orphaned objects count toward limits
    /// and budgets until they are released.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_orphan: bool,
    /// Pattern for namespace names, such as `opm-${workspace.name}-${hash}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// Type of a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DestinationType {
    /// A Kubernetes cluster.
    #[default]
    Cluster,
    /// Workspaces below the request's workspace. Not supported yet.
    Workspaces,
}

/// Reference to a Secret.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// Namespace of the Secret.
    pub namespace: String,
    /// Name of the Secret.
    pub name: String,
}

/// Kinds of one API group.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AllowedKind {
    /// API group. Empty for the core group.
    #[serde(default)]
    pub group: String,
    /// Kinds, or `*` for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
}

/// Observed state of a destination.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestinationStatus {
    /// Generation that this status describes.
    #[serde(default)]
    pub observed_generation: i64,
    /// Conditions: `Reachable` and `Authorized`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// Kubernetes version of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// APIs that published promises require from this destination.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apis: Vec<RequiredApi>,
    /// RFC 3339 time at which the destination was last reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<String>,
}

/// An API that a published promise requires of a destination.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequiredApi {
    /// API, as `group/Kind`.
    pub api: String,
    /// Whether the server served any version of the API at the last check.
    pub served: bool,
}

impl DestinationStatus {
    /// Type of the condition that says whether the controller can use the server.
    pub const REACHABLE: &'static str = "Reachable";

    /// Whether the controller can use the server.
    pub fn is_reachable(&self) -> bool {
        Condition::is_true(&self.conditions, Self::REACHABLE)
    }

    /// Whether the server serves an API given as `group/Kind`. Absent if that wasn't checked.
    pub fn serves(&self, api: &str) -> Option<bool> {
        self.apis.iter().find(|known| known.api == api).map(|known| known.served)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ConditionStatus;

    #[test]
    fn a_destination_is_reachable_while_its_condition_is_true() {
        let of = |name: &str, status| {
            let condition = Condition { r#type: name.to_owned(), status, ..Condition::default() };
            DestinationStatus { conditions: vec![condition], ..DestinationStatus::default() }.is_reachable()
        };
        assert!(of("Reachable", ConditionStatus::True));
        assert!(!of("Reachable", ConditionStatus::False) && !of("Other", ConditionStatus::True));
        assert!(!DestinationStatus::default().is_reachable());
    }
}
