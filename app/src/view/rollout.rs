//! A rollout: the upgrade of many instances in waves.

use promise::rollout::{MemberReason, MemberState, RolloutState};
use promise::state::RequestStates;
use serde::{Deserialize, Serialize};

use super::fleet::AuthoredPromise;

/// A rollout to start, as it was posted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolloutForm {
    /// Path of the promise's workspace.
    pub place: String,
    /// Name of the promise.
    pub promise: String,
    /// Version to upgrade to.
    pub to: String,
    /// Number of instances of a wave, as typed.
    pub wave: String,
    /// How long each instance has to be ready in minutes, as typed.
    pub minutes: String,
    /// Chosen instances, as [`super::FleetRow::key`] names them.
    pub items: Vec<String>,
    /// Whether all instances that match are upgraded, as far as they are ready for the version.
    pub all: bool,
    /// Search text of the list.
    pub q: String,
    /// Workspace filter of the list.
    pub workspace: String,
    /// Version filter of the list.
    pub version: String,
}

impl RolloutForm {
    /// Reads the fields of a form.
    pub fn posted(fields: &[(String, String)]) -> Self {
        let first = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone()).unwrap_or_default();
        Self {
            place: first("place"),
            promise: first("promise"),
            to: first("to"),
            wave: first("wave"),
            minutes: first("minutes"),
            items: fields.iter().filter(|(name, _)| name == "item").map(|(_, value)| value.clone()).collect(),
            all: first("which") == "all",
            q: first("q"),
            workspace: first("workspace"),
            version: first("version"),
        }
    }
}

/// What a person does with a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RolloutCommand {
    /// Nothing further begins.
    Stop,
    /// It is in progress, in this session.
    Resume,
    /// The failed instance is tried again.
    Retry,
    /// The failed instance stays as it is.
    Skip,
}

impl RolloutCommand {
    /// Returns the command of a posted button.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "stop" => Self::Stop,
            "resume" => Self::Resume,
            "retry" => Self::Retry,
            "skip" => Self::Skip,
            _ => return None,
        })
    }
}

/// An instance of a rollout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutMember {
    /// Its position.
    pub position: i64,
    /// Path of its workspace. Empty if the user can't see it any more; then there is no name either.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// The version that it ran when the rollout began.
    pub from: String,
    /// Its state in the rollout.
    pub state: MemberState,
    /// Its wave, from 1; zero before its turn.
    pub wave: u32,
    /// States of the request; absent once it is gone.
    pub states: Option<RequestStates>,
    /// Why it failed or was skipped.
    pub reason: Option<MemberReason>,
}

/// Numbers of instances of a rollout, by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutCounts {
    /// All of them.
    pub total: usize,
    /// Upgraded.
    pub done: usize,
    /// In progress.
    pub in_progress: usize,
    /// Their turn hasn't come.
    pub waiting: usize,
    /// Failed.
    pub failed: usize,
    /// Skipped.
    pub skipped: usize,
}

/// The page of a rollout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutPage {
    /// The promise.
    pub promise: AuthoredPromise,
    /// The rollout's id.
    pub id: String,
    /// Version that it upgrades to.
    pub version: String,
    /// Its state.
    pub state: RolloutState,
    /// Number of instances of a wave.
    pub wave_size: u32,
    /// How long each instance has to be ready, in minutes.
    pub minutes: u32,
    /// Whether instances that aren't ready for the version are skipped.
    pub skips: bool,
    /// RFC 3339 time of its start.
    pub created: String,
    /// Numbers of instances.
    pub counts: RolloutCounts,
    /// The instances that failed.
    pub failed: Vec<RolloutMember>,
    /// Whether an instance waits for approvers.
    pub awaits_approval: bool,
    /// Instances of this page, in their order.
    pub members: Vec<RolloutMember>,
    /// Page number, starting at 1.
    pub page: usize,
    /// Number of pages.
    pub pages: usize,
    /// Name for the state that the page shows.
    pub seen: String,
}
