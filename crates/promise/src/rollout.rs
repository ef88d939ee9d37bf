//! Upgrades of many requests in waves: what is in the way of a request, what became of the ones that were started, and what comes next.
//!
//! A rollout decides nothing about a request. Each upgrade is a change of `spec.promise.version` by the person who started the rollout, with
//! the rules of any change. A wave begins when the former one is ready on the new version; the first request that isn't stops the rollout.

mod observe;
mod readiness;
mod step;
#[cfg(test)]
mod tests;
mod words;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

pub use observe::{Observed, Sighting};
pub use readiness::{Obstacle, Outlook, Readiness, judged, unjudged};
pub use step::{Step, next};
pub use words::{member_label, member_reason, obstacle, outcome_label, state_label};

use crate::state::ChangeState;

/// Maximum number of requests of a rollout.
pub const MAX_MEMBERS: usize = 2_000;
/// Maximum number of requests of a wave.
pub const MAX_WAVE: usize = 100;
/// Usual number of requests of a wave.
pub const USUAL_WAVE: usize = 5;
/// Usual time that a request has to be ready, in minutes.
pub const USUAL_MINUTES: u32 = 30;
/// Maximum of that time, in minutes.
pub const MAX_MINUTES: u32 = 7 * 24 * 60;

/// State of a rollout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RolloutState {
    /// It is in progress.
    #[default]
    Running,
    /// A person stopped it, or a request that failed did.
    Stopped,
    /// The session of its person has ended, so it can't act for them.
    Paused,
    /// Every request is upgraded or skipped.
    Completed,
}

impl RolloutState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Running, Self::Stopped, Self::Paused, Self::Completed];

    /// Returns the value that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Paused => "paused",
            Self::Completed => "completed",
        }
    }
}

/// State of a request in a rollout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "utoipa", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum MemberState {
    /// Its turn hasn't come.
    #[default]
    Waiting,
    /// Its upgrade is being written. Whether it was is only known from the request.
    Starting,
    /// Its upgrade was written.
    Started,
    /// It is ready on the new version.
    Done,
    /// It isn't, and stops the rollout.
    Failed,
    /// It stays as it is.
    Skipped,
}

impl MemberState {
    /// All states.
    pub const ALL: [Self; 6] = [Self::Waiting, Self::Starting, Self::Started, Self::Done, Self::Failed, Self::Skipped];

    /// Returns the value that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Starting => "starting",
            Self::Started => "started",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// Whether its upgrade has begun and isn't over.
    pub fn is_in_progress(self) -> bool {
        matches!(self, Self::Starting | Self::Started)
    }
}

/// Why a request failed or was skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MemberReason {
    /// It couldn't be upgraded as it is.
    Blocked(Obstacle),
    /// It was deleted, or the person can't read it any more.
    Gone,
    /// Someone selected another version after its upgrade was written.
    ChangedMeanwhile,
    /// Its change wasn't approved.
    NotApproved(ChangeState),
    /// The control plane refused its change.
    Refused {
        /// The reason that its status reports.
        message: String,
    },
    /// It failed on the new version.
    Failed {
        /// The reason that its status reports.
        message: String,
    },
    /// It wasn't ready in time.
    Late {
        /// The time that it had, in minutes.
        minutes: u32,
    },
    /// The person skipped it.
    ByPerson,
}

/// What decides about the next step of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rollout {
    /// Its state.
    pub state: RolloutState,
    /// Maximum number of requests of a wave; at least one.
    pub wave_size: usize,
    /// Time that a request has to be ready, in minutes.
    pub minutes: u32,
}

impl Rollout {
    /// Returns when a request is late that has been able to go on since `since`.
    fn deadline(&self, since: Timestamp) -> Timestamp {
        since.saturating_add(SignedDuration::from_mins(i64::from(self.minutes))).unwrap_or(Timestamp::MAX)
    }
}

/// A request of a rollout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Its state.
    pub state: MemberState,
    /// The wave that it belongs to, from 1. Zero before its turn, and if it was skipped because it wasn't ready for the version.
    pub wave: u32,
    /// When its upgrade began, or began again.
    pub since: Option<Timestamp>,
}
