//! Events about the objects of a request, and logs of their pods.

use serde::{Deserialize, Serialize};

use crate::troubleshooting::NotReadReason;

/// Events about the objects of a request and about their pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestEvents {
    /// The events, newest first.
    pub items: Vec<EventItem>,
    /// Number of older events that aren't returned.
    pub left_out: u64,
    /// What isn't read, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<NotRead>,
}

/// A Kubernetes event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventItem {
    /// `Normal` or `Warning`.
    pub r#type: String,
    /// Word for programs, such as `FailedScheduling`.
    pub reason: String,
    /// Text for people.
    pub message: String,
    /// Kind of the object that it is about.
    pub kind: String,
    /// Name of the object.
    pub name: String,
    /// Namespace of the object. Absent for cluster-scoped kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// How often it happened.
    pub count: u32,
    /// RFC 3339 time at which it last happened.
    pub last_seen: String,
    /// Component that reported it. Absent if it isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Something that isn't read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NotRead {
    /// Why.
    pub reason: NotReadReason,
    /// The same for people.
    pub message: String,
}

impl From<NotReadReason> for NotRead {
    fn from(reason: NotReadReason) -> Self {
        Self { message: reason.to_string(), reason }
    }
}

/// The end of a log of a pod of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RequestLog {
    /// Pods that belong to the objects of the request, newest first.
    pub pods: Vec<PodItem>,
    /// Name of the pod. Absent if there is none to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// Name of the container. Absent if there is none to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Whether it is the log of the run before the container's last restart.
    pub previous: bool,
    /// The last lines, oldest first.
    pub lines: Vec<String>,
    /// Whether the log might have earlier lines.
    pub truncated: bool,
    /// Why there is no log. Absent if it was read, or if there is no pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_not_read: Option<NotRead>,
    /// Pods that aren't read, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<NotRead>,
}

/// A pod that belongs to an object of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PodItem {
    /// Name.
    pub name: String,
    /// Namespace.
    pub namespace: String,
    /// Kind of the object of the request that it belongs to; `Pod` if it is one itself.
    pub owner_kind: String,
    /// Name of that object.
    pub owner: String,
    /// Phase, such as `Running`. Empty before the pod has one.
    pub phase: String,
    /// RFC 3339 time of its creation.
    pub created: String,
    /// Its containers.
    pub containers: Vec<ContainerItem>,
}

/// A container of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContainerItem {
    /// Name.
    pub name: String,
    /// How often it restarted.
    pub restarts: u32,
    /// Why it isn't running, such as `CrashLoopBackOff` or `Completed`. Absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl PodItem {
    /// Returns how often its containers restarted.
    pub fn restarts(&self) -> u32 {
        self.containers.iter().map(|container| container.restarts).fold(0, u32::saturating_add)
    }
}
