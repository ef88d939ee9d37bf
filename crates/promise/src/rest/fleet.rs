//! Instances of a promise, as its authors see them, and rollouts of a version to them.

use serde::{Deserialize, Serialize};

use super::request::{ChangeState, RequestState};
use crate::rollout::{MemberState, RolloutState};

/// An instance of a promise, checked against a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FleetItem {
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace of the request.
    pub namespace: String,
    /// Name of the request.
    pub name: String,
    /// Version that it runs. Absent before anything runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// State of the request.
    pub state: RequestState,
    /// State of its pending change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ChangeState>,
    /// Version that it was checked against. Absent if none is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Whether it can be upgraded to that version as it is.
    pub verdict: FleetVerdict,
    /// What is in the way, as a sentence. Absent unless it is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Labels of values that the version has no field for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
}

/// Whether an instance can be upgraded to a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum FleetVerdict {
    /// It runs that version.
    UpToDate,
    /// It can.
    Ready,
    /// It can, once approvers have decided.
    NeedsApproval,
    /// Something is in the way.
    Blocked,
}

impl FleetVerdict {
    /// Returns the label for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::UpToDate => "Up to date",
            Self::Ready => "Ready to upgrade",
            Self::NeedsApproval => "Needs approval",
            Self::Blocked => "Blocked",
        }
    }
}

/// A rollout of yours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolloutSummary {
    /// Its id.
    pub id: String,
    /// Version that it upgrades to.
    pub version: String,
    /// State.
    pub state: RolloutState,
    /// RFC 3339 time of its start.
    pub created: String,
}

/// A rollout of yours, with a part of its instances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolloutDetail {
    /// What lists have.
    #[serde(flatten)]
    pub summary: RolloutSummary,
    /// Number of instances of a wave.
    pub wave_size: u32,
    /// How long each instance has to be ready, in minutes.
    pub minutes: u32,
    /// Whether instances that aren't ready for the version are skipped. Otherwise they stop the rollout.
    pub skips: bool,
    /// How many instances it has, and what became of them.
    pub progress: RolloutProgress,
    /// A part of its instances, in their order.
    pub instances: Vec<RolloutInstance>,
    /// Token to read the next part, as the query parameter `continue`. Absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#continue: Option<String>,
}

/// Numbers of all instances of a rollout, by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolloutProgress {
    /// All of them.
    pub total: u64,
    /// Upgraded.
    pub done: u64,
    /// In progress.
    pub in_progress: u64,
    /// Their turn hasn't come.
    pub waiting: u64,
    /// Failed.
    pub failed: u64,
    /// Skipped.
    pub skipped: u64,
}

/// An instance in a rollout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolloutInstance {
    /// Path of its workspace. Absent if you can no longer list it; then there is no name either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Namespace of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Version that it ran when the rollout began.
    pub from: String,
    /// Its state in the rollout.
    pub state: MemberState,
    /// Its wave, from 1. Zero before its turn.
    pub wave: u32,
    /// Why it failed or was skipped, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
