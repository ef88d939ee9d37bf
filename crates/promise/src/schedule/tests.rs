use jiff::{SignedDuration, Timestamp, ToSpan as _};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Facts, KEPT, Scheduled, ScheduledRun, is_started, note, run_name, schedule};
use crate::api::{ActionPhase, PolicySpec, PromiseRequestStatus, ScheduleStatus};
use crate::policy::{ActionSchedule, Origin, PolicySource, Reading, Ruling, scheduled};

fn rules(schedules: &[Value]) -> Vec<Ruling<ActionSchedule>> {
    let rule = |(at, of): (usize, &Value)| json!({"name": format!("r{at}"), "schedule": of});
    let rules: Vec<Value> = schedules.iter().enumerate().map(rule).collect();
    let spec: PolicySpec = serde_json::from_value(json!({"rules": rules})).unwrap();
    let reading = std::sync::Arc::new(Reading::of(spec, false));
    scheduled(&[PolicySource::new("backups", "root:acme", "acme", Origin::Ancestor { distance: 1 }, reading)])
}

fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

/// A request as a controller sees it again and again.
struct World {
    rules: Vec<Ruling<ActionSchedule>>,
    known: Vec<ScheduleStatus>,
    runs: Vec<ScheduledRun>,
    paused: bool,
}

impl World {
    fn of(schedules: &[Value]) -> Self {
        Self { rules: rules(schedules), known: Vec::new(), runs: Vec::new(), paused: false }
    }

    fn look(&self, now: &str) -> Scheduled {
        let Self { rules, known, runs, paused } = self;
        schedule(&Facts { request: "web", uid: "u1", rules, known, runs, paused: *paused, now: at(now) })
    }

    /// Does what follows, and returns the times of the started runs.
    fn pass(&mut self, now: &str) -> Vec<String> {
        let mut next = self.look(now);
        self.runs.retain(|run| !next.drops.contains(run));
        let mut times = Vec::new();
        for start in &next.starts {
            let status = next.statuses.iter_mut().find(|status| status.key == start.key).unwrap();
            note(status, start, Some(format!("uid of {}", start.name)));
            if self.runs.iter().any(|run| run.name == start.name) {
                continue;
            }
            times.push(start.at.to_string());
            let (name, key, at) = (start.name.clone(), start.key.clone(), start.at);
            self.runs.push(ScheduledRun { uid: format!("uid of {name}"), name, key, at, phase: ActionPhase::Pending, finished: None });
        }
        self.known = next.statuses;
        times
    }

    fn end(&mut self, phase: ActionPhase) {
        for run in self.runs.iter_mut().filter(|run| !run.phase.is_over()) {
            (run.phase, run.finished) = (phase, Some(run.at + 5.minutes()));
        }
    }

    fn missed(&self) -> u32 {
        self.known[0].missed
    }
}

fn nightly() -> Value {
    json!({"action": "backup", "cron": "0 2 * * *", "timezone": "Europe/Berlin", "retention": "7d"})
}

#[test]
fn a_run_is_started_once_for_its_time() {
    let mut world = World::of(&[nightly()]);
    assert_eq!(world.pass("2026-11-27T12:00:00Z"), [] as [&str; 0], "a new schedule waits for its next time");
    let status = world.known[0].clone();
    assert_eq!((status.policy.as_str(), status.rule.as_str(), status.source.as_str()), ("backups", "r0", "root:acme"));
    assert_eq!((status.next_at.as_deref(), status.last_at), (Some("2026-11-28T01:00:00Z"), None));
    assert_eq!(world.pass("2026-11-28T00:59:59Z"), [] as [&str; 0]);
    assert_eq!(world.pass("2026-11-28T01:00:00Z"), ["2026-11-28T01:00:00Z"]);
    assert_eq!(world.pass("2026-11-28T01:00:00Z"), [] as [&str; 0]);
    let status = &world.known[0];
    assert_eq!((status.last_run.as_ref(), status.last_at.as_deref()), (Some(&world.runs[0].name), Some("2026-11-28T01:00:00Z")));
    assert_eq!(status.next_at.as_deref(), Some("2026-11-29T01:00:00Z"));
    // A clock that goes back repeats nothing.
    world.end(ActionPhase::Succeeded);
    assert_eq!(world.pass("2026-11-27T00:30:00Z"), [] as [&str; 0]);
    assert_eq!(world.pass("2026-11-28T01:00:00Z"), [] as [&str; 0]);
    assert_eq!(world.pass("2026-11-29T01:00:00Z"), ["2026-11-29T01:00:00Z"]);
}

#[test]
fn a_run_that_was_created_before_the_status_was_written_is_not_created_again() {
    let mut world = World::of(&[nightly()]);
    world.pass("2026-11-27T12:00:00Z");
    let before = world.known.clone();
    world.pass("2026-11-28T01:00:00Z");
    for now in ["2026-11-28T01:00:30Z", "2026-11-30T02:00:00Z"] {
        world.known.clone_from(&before);
        assert_eq!(world.pass(now), [] as [&str; 0]);
        assert_eq!(world.known[0].last_run.as_ref(), Some(&world.runs[0].name));
        assert_eq!((world.missed(), world.known[0].next_at.as_deref()), (0, Some("2026-11-29T01:00:00Z")));
    }
    // It still waits for its turn.
    assert_eq!(world.pass("2026-11-30T02:00:00Z"), [] as [&str; 0]);
    assert_eq!(world.missed(), 2);
}

#[test]
fn only_the_recorded_run_counts_as_started() {
    let mut world = World::of(&[nightly()]);
    world.pass("2026-11-27T12:00:00Z");
    world.pass("2026-11-28T01:00:00Z");
    let status = PromiseRequestStatus { schedules: world.known.clone(), ..PromiseRequestStatus::default() };
    let uid = &world.runs[0].uid;
    assert!(is_started(Some(&status), uid) && !is_started(Some(&status), "other") && !is_started(None, uid));
    // What else claims a time of the rule changes nothing.
    let claims = ScheduledRun { name: "forged".into(), uid: "forged".into(), at: at("2026-11-29T01:00:00Z"), ..world.runs[0].clone() };
    world.runs[0].phase = ActionPhase::Succeeded;
    world.runs.push(claims);
    assert_eq!(world.pass("2026-11-29T01:00:00Z"), ["2026-11-29T01:00:00Z"]);
    // Something else has the name of a run.
    let next = world.look("2026-11-30T01:00:00Z");
    let mut status = next.statuses[0].clone();
    world.runs.clear();
    let starts = world.look("2026-11-30T01:00:00Z").starts;
    note(&mut status, &starts[0], None);
    assert_eq!((status.last_run, status.next_at.as_deref()), (world.known[0].last_run.clone(), Some("2026-12-01T01:00:00Z")));
}

#[test]
fn the_latest_of_missed_times_is_made_up_for_unless_it_is_long_ago() {
    for (now, started, missed) in [
        ("2026-11-28T01:59:00Z", vec!["2026-11-28T01:00:00Z"], 0),
        ("2026-11-28T02:00:01Z", vec![], 1),
        ("2026-11-30T01:20:00Z", vec!["2026-11-30T01:00:00Z"], 2),
        ("2026-11-30T12:00:00Z", vec![], 3),
    ] {
        let mut world = World::of(&[nightly()]);
        world.pass("2026-11-27T12:00:00Z");
        assert_eq!(world.pass(now), started, "{now}");
        assert_eq!(world.missed(), missed, "{now}");
        world.end(ActionPhase::Succeeded);
        for on_time in ["2026-12-01T01:00:00Z", "2026-12-02T01:00:00Z"] {
            assert_eq!(world.pass(on_time), [on_time]);
            world.end(ActionPhase::Succeeded);
        }
        assert_eq!(world.missed(), 0, "none was missed before this one");
    }
    let mut often = World::of(&[json!({"action": "backup", "cron": "*/5 * * * *"})]);
    often.pass("2025-11-27T12:01:00Z");
    assert_eq!(often.pass("2026-11-27T12:01:00Z"), ["2026-11-27T12:00:00Z"], "after a year");
    assert_eq!(often.missed(), 1_000);
}

#[test]
fn no_second_run_waits_for_its_turn() {
    let mut world = World::of(&[json!({"action": "backup", "cron": "@hourly"})]);
    world.pass("2026-11-27T11:30:00Z");
    assert_eq!(world.pass("2026-11-27T12:00:00Z").len(), 1);
    assert_eq!(world.pass("2026-11-27T13:00:00Z"), [] as [&str; 0]);
    assert_eq!(world.pass("2026-11-27T14:00:00Z"), [] as [&str; 0]);
    assert_eq!(world.missed(), 2);
    // While the first runs, the next one can wait.
    world.runs[0].phase = ActionPhase::Running;
    assert_eq!(world.pass("2026-11-27T15:00:00Z"), ["2026-11-27T15:00:00Z"]);
    assert_eq!((world.missed(), world.runs.len()), (0, 2));
}

#[test]
fn schedules_of_a_paused_request_stand_still() {
    let mut world = World::of(&[json!({"action": "backup", "cron": "@hourly"})]);
    world.pass("2026-11-27T11:30:00Z");
    world.paused = true;
    assert_eq!(world.pass("2026-11-27T14:10:00Z"), [] as [&str; 0]);
    assert_eq!(world.known[0].next_at.as_deref(), Some("2026-11-27T12:00:00Z"));
    world.paused = false;
    assert_eq!(world.pass("2026-11-27T14:10:00Z"), ["2026-11-27T14:00:00Z"]);
    assert_eq!(world.missed(), 2);
}

#[test]
fn a_changed_rule_has_its_new_times_at_once_and_a_removed_one_none() {
    let mut world = World::of(&[nightly()]);
    world.pass("2026-11-27T12:00:00Z");
    world.rules = rules(&[json!({"action": "backup", "cron": "0 * * * *"})]);
    assert_eq!(world.pass("2026-11-27T12:30:00Z"), [] as [&str; 0]);
    assert_eq!(world.known[0].next_at.as_deref(), Some("2026-11-27T13:00:00Z"));
    world.pass("2026-11-27T13:00:00Z");
    assert_eq!(world.runs.len(), 1);
    world.rules.clear();
    assert_eq!(world.pass("2026-11-27T14:00:00Z"), [] as [&str; 0]);
    assert_eq!((world.known.len(), world.runs.len()), (0, 0), "a run that still waits goes with its rule");
}

#[test]
fn two_rules_for_one_action_are_two_schedules() {
    let mut world = World::of(&[nightly(), nightly()]);
    world.pass("2026-11-27T12:00:00Z");
    assert_eq!(world.pass("2026-11-28T01:00:00Z").len(), 2);
    assert_ne!(world.runs[0].name, world.runs[1].name);
}

#[test]
fn times_that_clocks_skip_or_repeat_happen_once() {
    // On 29 March 2026, clocks in Berlin skip 02:00 to 03:00; on 25 October 2026, they show it twice.
    let half = json!({"action": "backup", "cron": "30 2 * * *", "timezone": "Europe/Berlin"});
    let times = |from: &str, count: usize| {
        let rule = &rules(std::slice::from_ref(&half))[0].effect;
        let next = std::iter::successors(rule.next(at(from)), |last| rule.next(*last));
        next.take(count).map(|time| time.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(times("2026-03-28T12:00:00Z", 2), ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]);
    assert_eq!(times("2026-10-24T12:00:00Z", 2), ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]);
    assert_eq!(times("2026-10-25T01:10:00Z", 1), ["2026-10-26T01:30:00Z"], "between both");
}

#[test]
fn old_runs_go_and_the_latest_that_succeeded_stays() {
    let mut world = World::of(&[nightly()]);
    world.pass("2026-11-01T12:00:00Z");
    for (day, phase) in [(2, ActionPhase::Succeeded), (3, ActionPhase::Succeeded), (4, ActionPhase::Failed), (5, ActionPhase::Refused)] {
        assert_eq!(world.pass(&format!("2026-11-{day:02}T01:00:00Z")).len(), 1);
        world.end(phase);
    }
    let days = |world: &World| world.runs.iter().map(|run| run.at.strftime("%d").to_string()).collect::<Vec<_>>();
    world.paused = true;
    world.pass("2026-11-10T12:00:00Z");
    assert_eq!(days(&world), ["03", "04", "05"]);
    world.pass("2026-12-10T12:00:00Z");
    assert_eq!(days(&world), ["03"]);

    let mut hourly = World::of(&[json!({"action": "backup", "cron": "@hourly"})]);
    let start = at("2026-11-01T00:30:00Z");
    hourly.pass(&start.to_string());
    for hour in 1..40 {
        hourly.pass(&(start + SignedDuration::from_hours(hour)).to_string());
        hourly.end(if hour == 2 { ActionPhase::Succeeded } else { ActionPhase::Failed });
    }
    hourly.pass("2026-11-02T15:45:00Z");
    assert_eq!(hourly.runs.len(), KEPT + 1, "the newest, and the one that succeeded");
}

#[test]
fn names_follow_from_the_time_and_fit() {
    let name = |request: &str, action: &str, second: i64| run_name(request, "u1", action, "k", Timestamp::from_second(second).unwrap());
    let plain = name("orders-db", "backup", 1_795_831_200);
    assert!(plain.starts_with("orders-db-backup-202611280200-"), "{plain}");
    assert_eq!(plain, name("orders-db", "backup", 1_795_831_200));
    assert_ne!(plain, name("orders-db", "backup", 1_795_831_260));
    assert!(plain.len() < 52);
    for (request, action) in [("a".repeat(253), "b".repeat(63)), ("a.".repeat(100), "-".repeat(3)), ("r".into(), "y-".repeat(30))] {
        let long = name(&request, &action, 0);
        assert!(long.len() <= 52 && !long.contains(".-"), "{long}");
    }
}

proptest! {
    /// However often and late it is looked at, no time has two runs, and each is on the schedule.
    #[test]
    fn no_time_has_two_runs(
        cron in proptest::sample::select(vec!["*/5 * * * *", "0 2 * * *", "30 2 * * 0", "15 1-3 * * *"]),
        zone in proptest::sample::select(vec!["UTC", "Europe/Berlin", "Australia/Lord_Howe"]),
        start in 1_767_225_600i64..1_798_761_600,
        steps in proptest::collection::vec(-7_200i64..100_000, 1..30),
    ) {
        let mut world = World::of(&[json!({"action": "backup", "cron": cron, "timezone": zone})]);
        let rule = world.rules[0].effect.clone();
        let (mut now, mut started) = (start, std::collections::BTreeSet::new());
        for step in steps {
            now += step;
            for time in world.pass(&Timestamp::from_second(now).unwrap().to_string()) {
                let time = at(&time);
                prop_assert_eq!(rule.next(time - 1.second()), Some(time));
                prop_assert!(started.last().is_none_or(|last| *last < time) && time.as_second() <= now);
                started.insert(time);
            }
            world.end(ActionPhase::Succeeded);
        }
    }
}
