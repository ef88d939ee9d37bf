//! The objects of a request, as listed in its status (`domain.md` 3).

/// Identity of a Destination. A re-created Destination of the same name is a different one, and so is a different cluster behind its
/// credential.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestinationId {
    /// Logical cluster id of the Destination's home workspace.
    pub cluster: String,
    /// uid of the Destination.
    pub uid: String,
    /// uid of the `kube-system` namespace of the cluster that the credential connects to, if it can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// An object that was created for a request.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InventoryItem {
    /// Resource id in the promise, followed by `[n]` for an item of `forEach`.
    pub id: String,
    /// Name of the Destination. Absent if the object is in the request's workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// Identity of the Destination. Absent in records from before this field existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination_id: Option<DestinationId>,
    /// API group. Empty for the core group.
    #[serde(default)]
    pub group: String,
    /// API version of the object.
    pub version: String,
    /// Kind of the object.
    pub kind: String,
    /// Namespace of the object. Absent for cluster-scoped kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name of the object.
    pub name: String,
    /// uid of the object, once it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Id of the resource outside Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Whether the server accepted the object.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applied: bool,
    /// Health of the object.
    #[serde(default)]
    pub health: Health,
    /// Reason why the object isn't healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Keyed digest of what was applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Keyed digest of the applied fields as stored by the server. Present only if the server stored them differently from how they were
    /// applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Number of times the controller restored the object while something else keeps changing or deleting it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repairs: Option<Repairs>,
    /// Position in the creation order. Deletion runs in reverse order.
    #[serde(default)]
    pub stage: u32,
}

/// Consecutive repairs of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repairs {
    /// Number of consecutive repairs.
    pub count: u32,
    /// Time of the last repair, in seconds since 1970.
    pub last: i64,
    /// Whether the controller leaves the object as it is for now because it was soon changed again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contested: bool,
}

/// Health of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
pub enum Health {
    /// Not known.
    #[default]
    Unknown,
    /// Not ready yet.
    Progressing,
    /// Healthy.
    Healthy,
    /// Not healthy.
    Degraded,
    /// The object doesn't exist.
    Missing,
}

impl Health {
    /// Sort key by need for attention: missing objects first, healthy ones last.
    pub fn urgency(self) -> u8 {
        match self {
            Self::Healthy => 0,
            Self::Progressing => 1,
            Self::Unknown => 2,
            Self::Degraded => 3,
            Self::Missing => 4,
        }
    }
}
