//! The next step of a rollout.

use jiff::Timestamp;

use super::{Member, MemberReason, MemberState, Observed, Rollout, RolloutState};

/// The next step of a rollout. Members are given by their position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Notes what became of a member.
    Settle {
        /// The member.
        member: usize,
        /// Its new state.
        state: MemberState,
        /// Why, if it failed.
        reason: Option<MemberReason>,
    },
    /// Writes the upgrade of a member as part of a wave. The same for one whose upgrade might not have been written before the process ended.
    Start {
        /// The member.
        member: usize,
        /// The wave, from 1.
        wave: u32,
    },
    /// Stops, because a member failed.
    Stop,
    /// Every member is upgraded or skipped.
    Complete,
    /// There is nothing to do until a member changes, or until then.
    Wait {
        /// When the first member in progress is late.
        until: Option<Timestamp>,
    },
}

/// Returns the next step. `observed` says what a member in progress says about its upgrade.
///
/// While a rollout is stopped, members in progress are still followed, and nothing else begins.
pub fn next(rollout: &Rollout, members: &[Member], observed: impl Fn(usize) -> Observed, now: Timestamp) -> Step {
    let starts = match rollout.state {
        RolloutState::Running => true,
        RolloutState::Stopped => false,
        RolloutState::Paused | RolloutState::Completed => return Step::Wait { until: None },
    };
    let mut until: Option<Timestamp> = None;
    for (member, one) in members.iter().enumerate().filter(|(_, one)| one.state.is_in_progress()) {
        let settle = |state, reason| Step::Settle { member, state, reason };
        let since = one.since.unwrap_or(now);
        match observed(member) {
            Observed::Gone => return settle(MemberState::Failed, Some(MemberReason::Gone)),
            Observed::NotRequested if one.state == MemberState::Started => {
                return settle(MemberState::Failed, Some(MemberReason::ChangedMeanwhile));
            }
            Observed::NotRequested if starts => return Step::Start { member, wave: one.wave },
            Observed::NotRequested => {}
            Observed::Ready => return settle(MemberState::Done, None),
            Observed::Failed(reason) => return settle(MemberState::Failed, Some(reason)),
            Observed::AwaitingApproval | Observed::InProgress { .. } if one.state == MemberState::Starting => {
                return settle(MemberState::Started, None);
            }
            Observed::AwaitingApproval => {}
            Observed::InProgress { accepted } => {
                let late = rollout.deadline(accepted.map_or(since, |accepted| accepted.max(since)));
                if late <= now {
                    return settle(MemberState::Failed, Some(MemberReason::Late { minutes: rollout.minutes }));
                }
                until = Some(until.map_or(late, |until| until.min(late)));
            }
        }
    }
    if !starts {
        return Step::Wait { until };
    }
    if members.iter().any(|one| one.state == MemberState::Failed) {
        return Step::Stop;
    }
    let is_in_progress = members.iter().any(|one| one.state.is_in_progress());
    let Some(member) = members.iter().position(|one| one.state == MemberState::Waiting) else {
        return if is_in_progress { Step::Wait { until } } else { Step::Complete };
    };
    match wave(rollout, members, is_in_progress) {
        Some(wave) => Step::Start { member, wave },
        None => Step::Wait { until },
    }
}

/// Returns the wave that the next member belongs to. `None` if it has to wait for the present wave.
fn wave(rollout: &Rollout, members: &[Member], is_in_progress: bool) -> Option<u32> {
    let present = members.iter().map(|one| one.wave).max().unwrap_or_default();
    let size = members.iter().filter(|one| one.wave == present).count();
    match present {
        1.. if size < rollout.wave_size => Some(present),
        _ if is_in_progress => None,
        present => Some(present + 1),
    }
}
