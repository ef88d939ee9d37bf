//! Laws of every rollout, whatever its requests do and whenever the process ends.

use std::collections::BTreeMap;

use jiff::Timestamp;
use proptest::prelude::*;

use super::NOW;
use crate::rollout::{Member, MemberReason, MemberState, Observed, Rollout, RolloutState, Step, next};

/// How a request behaves after its upgrade was written.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Ready,
    Refused,
    Late,
    /// It isn't ready for the version, so nothing is written.
    Unready,
}

/// What a person, or an accident, does between two steps.
#[derive(Clone, Copy, Debug)]
enum Event {
    Nothing,
    /// The process ends before it notes that an upgrade was written.
    Crash,
    Stop,
    Resume,
    Skip,
    Retry,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![6 => Just(Fate::Ready), 1 => Just(Fate::Refused), 1 => Just(Fate::Late), 2 => Just(Fate::Unready)]
}

fn event() -> impl Strategy<Value = Event> {
    let all = [Event::Crash, Event::Stop, Event::Resume, Event::Skip, Event::Retry];
    prop_oneof![4 => Just(Event::Nothing), 3 => prop::sample::select(all.to_vec())]
}

struct World {
    rollout: Rollout,
    members: Vec<Member>,
    fates: Vec<Fate>,
    /// Requests whose spec selects the version, and how often it was written.
    written: BTreeMap<usize, usize>,
    now: Timestamp,
}

impl World {
    fn observed(&self, member: usize) -> Observed {
        match self.fates[member] {
            _ if !self.written.contains_key(&member) => Observed::NotRequested,
            Fate::Ready => Observed::Ready,
            Fate::Refused => Observed::Failed(MemberReason::Refused { message: String::new() }),
            Fate::Late | Fate::Unready => Observed::InProgress { accepted: None },
        }
    }

    fn step(&mut self, event: Event) -> Step {
        let step = next(&self.rollout, &self.members, |member| self.observed(member), self.now);
        match &step {
            Step::Settle { member, state, .. } => self.members[*member].state = *state,
            Step::Start { member, wave } => {
                self.members[*member] = Member { state: MemberState::Starting, wave: *wave, since: Some(self.now) };
                if matches!(self.fates[*member], Fate::Unready) {
                    self.members[*member] = Member { state: MemberState::Skipped, wave: 0, since: None };
                } else {
                    *self.written.entry(*member).or_default() += 1;
                    if !matches!(event, Event::Crash) {
                        self.members[*member].state = MemberState::Started;
                    }
                }
            }
            Step::Stop => self.rollout.state = RolloutState::Stopped,
            Step::Complete => self.rollout.state = RolloutState::Completed,
            Step::Wait { until } => self.now = until.unwrap_or(self.now),
        }
        step
    }

    fn act(&mut self, event: Event) {
        let failed = self.members.iter().position(|one| one.state == MemberState::Failed);
        match (event, failed) {
            _ if self.rollout.state == RolloutState::Completed => {}
            (Event::Stop, _) => self.rollout.state = RolloutState::Stopped,
            (Event::Resume, _) => self.rollout.state = RolloutState::Running,
            (Event::Skip, Some(failed)) => {
                self.members[failed].state = MemberState::Skipped;
                self.rollout.state = RolloutState::Running;
            }
            (Event::Retry, Some(failed)) => {
                // Someone has fixed it.
                self.fates[failed] = Fate::Ready;
                self.members[failed] = Member { state: MemberState::Starting, since: Some(self.now), ..self.members[failed].clone() };
                self.rollout.state = RolloutState::Running;
            }
            _ => {}
        }
    }

    fn is_over(&self, member: &Member) -> bool {
        matches!(member.state, MemberState::Done | MemberState::Skipped)
    }
}

proptest! {
    #[test]
    fn waves_stay_apart_failures_stop_and_everything_ends(
        fates in prop::collection::vec(fate(), 0..12),
        wave_size in 1_usize..4,
        events in prop::collection::vec(event(), 0..60),
    ) {
        let members = vec![Member::default(); fates.len()];
        let rollout = Rollout { state: RolloutState::Running, wave_size, minutes: 30 };
        let mut world = World { rollout, members, fates, written: BTreeMap::new(), now: NOW };
        // In the end, someone skips what fails, so that the rollout comes to its end.
        let end = std::iter::repeat_n(Event::Skip, 200);
        for event in events.into_iter().chain(end) {
            world.act(event);
            let before = world.members.clone();
            let state = world.rollout.state;
            let step = world.step(event);
            if let Step::Start { member, wave } = &step {
                prop_assert_eq!(state, RolloutState::Running, "nothing begins while it is stopped");
                let retried = before[*member].state == MemberState::Starting;
                prop_assert!(retried || before.iter().all(|one| one.state != MemberState::Failed), "nothing begins after a failure");
                prop_assert!(retried || before[*member].state == MemberState::Waiting);
                let earlier = before.iter().filter(|one| one.wave > 0 && one.wave < *wave);
                prop_assert!(retried || earlier.clone().all(|one| world.is_over(one)), "a wave waits for the one before");
            }
            let in_progress = world.members.iter().filter(|one| one.state.is_in_progress()).count();
            prop_assert!(in_progress <= wave_size, "a wave has a size");
            let over = before.iter().zip(&world.members).filter(|(before, _)| world.is_over(before));
            prop_assert!(over.clone().all(|(before, after)| before == after), "what is over stays so");
            if world.rollout.state == RolloutState::Completed {
                prop_assert!(world.members.iter().all(|one| world.is_over(one)));
            }
            if matches!(step, Step::Wait { .. }) && world.rollout.state == RolloutState::Stopped {
                world.act(Event::Resume);
            }
        }
        prop_assert_eq!(world.rollout.state, RolloutState::Completed);
        prop_assert!(world.written.values().all(|times| *times == 1), "no upgrade is written twice once it is seen");
    }
}
