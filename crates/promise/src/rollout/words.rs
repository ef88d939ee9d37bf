//! Rollouts in words: states as labels; what is in the way of an upgrade, and why an instance failed, as sentences.

use super::{MemberReason, MemberState, Obstacle, RolloutState};
use crate::state::ChangeState;
use crate::wording::{counted, upper_first};

/// Returns the label of the state of a rollout.
pub fn state_label(state: RolloutState) -> &'static str {
    match state {
        RolloutState::Running => "In progress",
        RolloutState::Stopped => "Stopped",
        RolloutState::Paused => "Paused",
        RolloutState::Completed => "Completed",
    }
}

/// Returns the label of the state of a rollout with what a completed one left out: an instance that was skipped doesn't run the version.
pub fn outcome_label(state: RolloutState, skipped: usize) -> String {
    match (state, skipped) {
        (RolloutState::Completed, 1..) => format!("{} with {skipped} skipped", state_label(state)),
        _ => state_label(state).to_owned(),
    }
}

/// Returns the label of the state of an instance in a rollout.
pub fn member_label(state: MemberState) -> &'static str {
    match state {
        MemberState::Waiting => "Waiting",
        MemberState::Starting => "Starting",
        MemberState::Started => "Upgrading",
        MemberState::Done => "Upgraded",
        MemberState::Failed => "Failed",
        MemberState::Skipped => "Skipped",
    }
}

/// Returns why an instance failed or was skipped.
pub fn member_reason(reason: &MemberReason) -> String {
    match reason {
        MemberReason::Blocked(what) => obstacle(what),
        MemberReason::Gone => "The request was deleted, or you can't read it any more.".to_owned(),
        MemberReason::ChangedMeanwhile => "Someone chose another version during the rollout.".to_owned(),
        MemberReason::NotApproved(ChangeState::ChangesRequested) => "An approver requested changes.".to_owned(),
        MemberReason::NotApproved(ChangeState::Expired) => "The approval expired.".to_owned(),
        MemberReason::NotApproved(ChangeState::Withdrawn) => "The request for approval was withdrawn.".to_owned(),
        MemberReason::NotApproved(_) => "An approver rejected the upgrade.".to_owned(),
        MemberReason::Refused { message } | MemberReason::Failed { message } => upper_first(message),
        MemberReason::Late { minutes } => format!("It wasn't ready within {}.", counted(u64::from(*minutes), "minute")),
        MemberReason::ByPerson => "You skipped it.".to_owned(),
    }
}

/// Returns what is in the way of an upgrade.
pub fn obstacle(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::Deleting => "It's being deleted.".to_owned(),
        Obstacle::Paused => "It's paused. Resume it first.".to_owned(),
        Obstacle::Unsettled => "Another change is in progress or undecided.".to_owned(),
        Obstacle::Unhealthy => "It isn't healthy. Fix it first.".to_owned(),
        Obstacle::Newer { running } => format!("It runs {running}, which is newer."),
        Obstacle::Unpublished => "This version isn't published.".to_owned(),
        Obstacle::Input { problems, total } => {
            let messages = problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join(" ");
            let needs = if *total == 1 { "1 field needs input.".to_owned() } else { format!("{total} fields need input.") };
            format!("{needs} {messages}")
        }
        Obstacle::Refused { reasons } => reasons.join(" "),
        Obstacle::Unknown { why } | Obstacle::Denied { why } => why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Obstacle, RolloutState, obstacle, outcome_label};
    use crate::problem::Problem;

    #[test]
    fn a_completed_rollout_counts_skipped_instances() {
        let labels = [(RolloutState::Completed, 0), (RolloutState::Completed, 2), (RolloutState::Running, 2)];
        assert_eq!(labels.map(|(state, skipped)| outcome_label(state, skipped)), ["Completed", "Completed with 2 skipped", "In progress"]);
    }

    #[test]
    fn what_is_in_the_way_is_said_with_the_fields() {
        let problem = Problem { path: ".parameters.zone".into(), message: "Enter zone.".into() };
        let input = Obstacle::Input { problems: vec![problem.clone()], total: 1 };
        assert_eq!(obstacle(&input), "1 field needs input. Enter zone.");
        assert_eq!(obstacle(&Obstacle::Input { problems: vec![problem], total: 7 }), "7 fields need input. Enter zone.");
    }
}
