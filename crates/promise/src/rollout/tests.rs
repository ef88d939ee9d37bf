//! Tables of what a request says, and of what comes next.

mod laws;
mod seen;

use jiff::Timestamp;

use super::*;

const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);

fn rollout(state: RolloutState) -> Rollout {
    Rollout { state, wave_size: 2, minutes: 30 }
}

fn member(state: MemberState, wave: u32) -> Member {
    Member { state, wave, since: (wave > 0).then_some(NOW) }
}

fn going(_: usize) -> Observed {
    Observed::InProgress { accepted: None }
}

fn after(minutes: i64) -> Timestamp {
    NOW + SignedDuration::from_mins(minutes)
}

#[test]
fn a_wave_begins_when_the_former_one_is_ready() {
    use MemberState::{Done, Skipped, Started, Waiting};
    let next_of = |members: &[(MemberState, u32)]| {
        let members: Vec<Member> = members.iter().map(|(state, wave)| member(*state, *wave)).collect();
        next(&rollout(RolloutState::Running), &members, going, NOW)
    };
    let waits = Step::Wait { until: Some(after(30)) };
    for (members, step) in [
        (vec![(Waiting, 0), (Waiting, 0)], Step::Start { member: 0, wave: 1 }),
        (vec![(Started, 1), (Waiting, 0), (Waiting, 0)], Step::Start { member: 1, wave: 1 }),
        (vec![(Started, 1), (Started, 1), (Waiting, 0)], waits.clone()),
        (vec![(Done, 1), (Started, 1), (Waiting, 0)], waits.clone()),
        (vec![(Done, 1), (Done, 1), (Waiting, 0)], Step::Start { member: 2, wave: 2 }),
        (vec![(Done, 1), (Skipped, 0), (Waiting, 0), (Waiting, 0)], Step::Start { member: 2, wave: 1 }),
        (vec![(Done, 1), (Skipped, 1), (Waiting, 0)], Step::Start { member: 2, wave: 2 }),
        (vec![(Done, 1), (Done, 1), (Started, 2)], waits),
        (vec![(Done, 1), (Skipped, 1), (Skipped, 0)], Step::Complete),
        (Vec::new(), Step::Complete),
    ] {
        assert_eq!(next_of(&members), step, "{members:?}");
    }
}

#[test]
fn a_member_in_progress_is_settled_by_what_it_says() {
    let of = |state: MemberState, observed: Observed, minutes: i64| {
        next(&rollout(RolloutState::Running), &[member(state, 1)], |_| observed.clone(), after(minutes))
    };
    let settled = |state, reason| Step::Settle { member: 0, state, reason };
    let failed = |reason| settled(MemberState::Failed, Some(reason));
    let (starting, started) = (MemberState::Starting, MemberState::Started);
    let going = |accepted: Option<i64>| Observed::InProgress { accepted: accepted.map(after) };
    let refused = MemberReason::Refused { message: "Replicas can be at most 5.".into() };
    for (state, observed, minutes, step) in [
        (started, Observed::Ready, 1, settled(MemberState::Done, None)),
        (starting, Observed::Ready, 1, settled(MemberState::Done, None)),
        (started, Observed::Gone, 1, failed(MemberReason::Gone)),
        (started, Observed::Failed(refused.clone()), 1, failed(refused)),
        (started, Observed::NotRequested, 1, failed(MemberReason::ChangedMeanwhile)),
        (starting, Observed::NotRequested, 1, Step::Start { member: 0, wave: 1 }),
        (starting, going(None), 1, settled(started, None)),
        (started, going(None), 29, Step::Wait { until: Some(after(30)) }),
        (started, going(None), 30, failed(MemberReason::Late { minutes: 30 })),
        (started, going(Some(60)), 61, Step::Wait { until: Some(after(90)) }),
        (started, Observed::AwaitingApproval, 5_000, Step::Wait { until: None }),
    ] {
        assert_eq!(of(state, observed.clone(), minutes), step, "{state:?} {observed:?}");
    }
}

#[test]
fn a_failed_member_stops_the_rollout_and_nothing_begins_until_it_goes_on() {
    let members = [member(MemberState::Failed, 1), member(MemberState::Started, 1), member(MemberState::Waiting, 0)];
    assert_eq!(next(&rollout(RolloutState::Running), &members, going, NOW), Step::Stop);
    assert_eq!(next(&rollout(RolloutState::Stopped), &members, going, NOW), Step::Wait { until: Some(after(30)) });
    let ready = |_: usize| Observed::Ready;
    let settled = Step::Settle { member: 1, state: MemberState::Done, reason: None };
    assert_eq!(next(&rollout(RolloutState::Stopped), &members, ready, NOW), settled, "the others are still followed");
    let unwritten = [member(MemberState::Starting, 1)];
    let unseen = |_: usize| Observed::NotRequested;
    assert_eq!(next(&rollout(RolloutState::Stopped), &unwritten, unseen, NOW), Step::Wait { until: None });
    for state in [RolloutState::Paused, RolloutState::Completed] {
        assert_eq!(next(&rollout(state), &members, ready, NOW), Step::Wait { until: None });
    }
}

#[test]
fn stored_words_name_one_state_each() {
    let words: std::collections::BTreeSet<&str> = MemberState::ALL.into_iter().map(MemberState::word).collect();
    assert_eq!(words.len(), MemberState::ALL.len());
    let words: std::collections::BTreeSet<&str> = RolloutState::ALL.into_iter().map(RolloutState::word).collect();
    assert_eq!(words.len(), RolloutState::ALL.len());
}
