//! The objects that were made for a request, as its status lists them (`domain.md` 3).

/// Which Destination something belongs to. Another one of the same name is another one, and so is another cluster behind its credential.
#[derive(Clone, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestinationId {
    /// Logical cluster id of its home.
    pub cluster: String,
    /// uid of the Destination.
    pub uid: String,
    /// uid of the namespace kube-system of the cluster that its credential leads to, where that can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// One object made for a request.
#[derive(Clone, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InventoryItem {
    /// Resource id in the promise; with `[n]` for an item of `forEach`.
    pub id: String,
    /// Name of the Destination; absent means the workspace of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// Which Destination that is; absent in records that were written before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination_id: Option<DestinationId>,
    /// API group; empty for core.
    #[serde(default)]
    pub group: String,
    /// API version.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Namespace; absent for cluster-scoped kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
    /// uid once it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Id outside Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Whether the plane took it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applied: bool,
    /// Whether it works.
    #[serde(default)]
    pub health: Health,
    /// Why it is not healthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Keyed digest of what was applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Keyed digest of the applied fields as the server keeps them; only where it keeps them otherwise than they were applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// How often it was put back, while somebody else keeps changing or removing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repairs: Option<Repairs>,
    /// Position in the order of making; deletion goes the other way.
    #[serde(default)]
    pub stage: u32,
}

/// How often an object was put back in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repairs {
    /// Times in a row.
    pub count: u32,
    /// The last time, in seconds since 1970.
    pub last: i64,
    /// Whether it is left as it is for now, because the change came again soon.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contested: bool,
}

/// Whether an object works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Health {
    /// Not known.
    #[default]
    Unknown,
    /// On its way.
    Progressing,
    /// Works.
    Healthy,
    /// Does not work.
    Degraded,
    /// Gone.
    Missing,
}

impl Health {
    /// How much somebody has to look at it: what is gone first, what works last.
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
