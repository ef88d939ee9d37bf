//! Texts of rollouts.

pub(crate) use promise::rollout::{member_label as member, member_reason as reason, outcome_label as outcome, state_label as state};
use promise::wording::counted;

use crate::view::{RolloutCounts, RolloutPage};

pub(crate) const ROLLOUT: &str = "Rollout";
pub(crate) const INSTANCE: &str = "Instance";
pub(crate) const HIDDEN: &str = "An instance you can no longer see";
pub(crate) const FROM: &str = "From";
pub(crate) const WAVE: &str = "Wave";
pub(crate) const PROGRESS: &str = "Progress";
pub(crate) const REQUEST: &str = "Request";
pub(crate) const REQUEST_GONE: &str = "Deleted";
pub(crate) const STOP: &str = "Stop";
pub(crate) const RESUME: &str = "Resume";
pub(crate) const CONTINUE: &str = "Continue";
pub(crate) const RETRY: &str = "Retry";
pub(crate) const SKIP: &str = "Skip";
pub(crate) const STOPPED_BY_YOU: &str = "You stopped this rollout. Upgrades that had begun are finished.";
pub(crate) const PAUSED: &str = "Your session ended";
pub(crate) const PAUSED_TEXT: &str = "A rollout acts with your session, so this one paused when you signed out or your session ended. Upgrades that had begun are finished. Continue it in this session.";
pub(crate) const AWAITING_APPROVAL: &str = "The wave is waiting for approval. The next one starts after that.";
pub(crate) const FAILED: &str = "An instance stopped this rollout";

pub(crate) fn title(promise: &str, version: &str) -> String {
    format!("Upgrade of {promise} to {version}")
}

/// How a rollout works.
pub(crate) fn terms(page: &RolloutPage) -> String {
    let size = counted(u64::from(page.wave_size), "instance");
    let time = counted(u64::from(page.minutes), "minute");
    let skips = if page.skips { " Instances that aren't ready for the version are skipped." } else { "" };
    format!("Waves of {size}. Each has {time} to be ready.{skips}")
}

/// How far it is.
pub(crate) fn progress(counts: &RolloutCounts) -> String {
    let of = format!("{} of {} upgraded", counts.done, counted(counts.total as u64, "instance"));
    let more = [(counts.in_progress, "in progress"), (counts.waiting, "waiting"), (counts.failed, "failed"), (counts.skipped, "skipped")];
    let more = more.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    std::iter::once(of).chain(more).collect::<Vec<_>>().join(" · ")
}

/// For screen readers, after the label of a button.
pub(crate) fn of_instance(name: &str) -> String {
    format!(" {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_names_what_there_is() {
        let counts = RolloutCounts { total: 20, done: 4, in_progress: 5, waiting: 10, failed: 1, skipped: 0 };
        assert_eq!(progress(&counts), "4 of 20 instances upgraded · 5 in progress · 10 waiting · 1 failed");
        assert_eq!(progress(&RolloutCounts { total: 1, done: 1, ..RolloutCounts::default() }), "1 of 1 instance upgraded");
    }
}
