use jiff::{Timestamp, ToSpan as _};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ChangeWindow, ChangeWindows, window_outcomes};
use crate::api::{Enforcement, PolicyResult, WaitingKind, WaitingReason, Window};
use crate::path::Path;
use crate::policy::{Origin, Provenance, Ruling};

fn window(of: Value) -> ChangeWindow {
    ChangeWindow::parse(&serde_json::from_value::<Window>(of).unwrap()).unwrap()
}

fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

fn ruling(policy: &str, enforcement: Enforcement, of: Value) -> Ruling<Window> {
    let from = Provenance {
        origin: Origin::Ancestor { distance: 1 },
        workspace: "root:acme".into(),
        cluster: "acme".into(),
        policy: policy.into(),
        rule: "window".into(),
        title: None,
        owner: None,
        reason: None,
        enforcement,
    };
    Ruling { from, path: Path::default(), effect: serde_json::from_value(of).unwrap() }
}

fn blocking(policy: &str, of: Value) -> Ruling<Window> {
    ruling(policy, Enforcement::Block, of)
}

/// Returns when the first opening after a time starts and ends.
fn opening(of: &ChangeWindow, after: &str) -> (String, String) {
    let (start, end) = of.spans(at(after)).into_iter().find(|(_, end)| *end > at(after)).unwrap();
    (start.to_string(), end.to_string())
}

#[test]
fn a_window_over_midnight_belongs_to_the_day_on_which_it_opens() {
    let friday = window(json!({"days": ["fri"], "from": "22:00", "to": "06:00", "timezone": "Europe/Berlin"}));
    for (time, open) in [
        ("2026-11-27T20:59:59Z", false),
        ("2026-11-27T21:00:00Z", true),
        ("2026-11-28T04:59:59Z", true),
        ("2026-11-28T05:00:00Z", false),
        ("2026-11-27T02:00:00Z", false),
    ] {
        assert_eq!(friday.is_open(at(time)), open, "{time}");
    }
    assert_eq!(friday.next_opening(at("2026-11-28T05:00:00Z")), Some(at("2026-12-04T21:00:00Z")));
    assert_eq!(friday.next_opening(at("2026-11-28T01:00:00Z")), Some(at("2026-11-28T01:00:00Z")), "it is open");
}

#[test]
fn windows_follow_the_clocks_when_they_change() {
    // On 29 March 2026, clocks in Berlin skip 02:00 to 03:00; on 25 October 2026, they show it twice.
    for (from, to, day, expected) in [
        ("02:30", "04:00", "2026-03-29T00:00:00Z", ("2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z")),
        ("01:00", "02:30", "2026-03-28T23:00:00Z", ("2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z")),
        ("01:00", "04:00", "2026-03-28T23:00:00Z", ("2026-03-29T00:00:00Z", "2026-03-29T02:00:00Z")),
        ("02:30", "04:00", "2026-10-24T23:00:00Z", ("2026-10-25T00:30:00Z", "2026-10-25T03:00:00Z")),
        ("01:00", "02:30", "2026-10-24T22:30:00Z", ("2026-10-24T23:00:00Z", "2026-10-25T00:30:00Z")),
        // Wholly skipped: the next one is a day later.
        ("02:10", "02:50", "2026-03-29T00:00:00Z", ("2026-03-30T00:10:00Z", "2026-03-30T00:50:00Z")),
    ] {
        let of = window(json!({"from": from, "to": to, "timezone": "Europe/Berlin"}));
        assert_eq!(opening(&of, day), (expected.0.to_owned(), expected.1.to_owned()), "{from} to {to}");
    }
}

#[test]
fn windows_of_one_policy_are_alternatives_and_policies_are_open_together() {
    let weeknights = blocking("hours", json!({"days": ["mon", "tue", "wed", "thu", "fri"], "from": "20:00", "to": "23:00"}));
    let weekends = blocking("hours", json!({"days": ["sat", "sun"], "from": "08:00", "to": "12:00"}));
    let mornings = blocking("mornings", json!({"from": "09:00", "to": "10:00"}));
    let noon = at("2026-11-25T12:00:00Z");
    let one = ChangeWindows::blocking(&[weeknights.clone(), weekends.clone()]).wait(noon).unwrap();
    assert_eq!(one.opens, Some(at("2026-11-25T20:00:00Z")));
    let rules = [weeknights.clone(), weekends, mornings.clone()];
    let both = ChangeWindows::blocking(&rules).wait(noon).unwrap();
    let names: Vec<&str> = both.policies.iter().map(|from| from.policy.as_str()).collect();
    assert_eq!((both.opens, names), (Some(at("2026-11-28T09:00:00Z")), vec!["hours", "mornings"]));
    let one_is_open = ChangeWindows::blocking(&rules).wait(at("2026-11-25T09:30:00Z")).unwrap();
    assert_eq!((one_is_open.opens, one_is_open.policies.len()), (Some(at("2026-11-28T09:00:00Z")), 1), "only hours is closed");
    assert!(ChangeWindows::blocking(&rules).wait(at("2026-11-28T09:00:00Z")).is_none());
    let overridden = ChangeWindows::blocking(&rules).without(|from| from.policy == "hours");
    assert!(overridden.wait(at("2026-11-25T09:30:00Z")).is_none());
    let never = ChangeWindows::blocking(&[weeknights, mornings]).wait(noon).unwrap();
    assert_eq!((never.opens, never.policies.len(), never.waiting_on().kind), (None, 2, WaitingKind::Person));
    assert_eq!(
        never.sentence(),
        "Won't be carried out: the windows of hours (set at root:acme) and mornings (set at root:acme) aren't open at the same time in \
         the next five weeks."
    );
}

#[test]
fn a_wait_names_the_opening_as_clocks_there_show_it() {
    let nights = blocking("nights", json!({"days": ["sat"], "from": "22:00", "to": "06:00", "timezone": "Europe/Berlin"}));
    let wait = ChangeWindows::blocking(&[nights]).wait(at("2026-11-27T12:00:00Z")).unwrap();
    assert_eq!(wait.sentence(), "Will be carried out on Saturday, 28 November at 22:00 (Europe/Berlin).");
    let waits = wait.waiting_on();
    assert_eq!((waits.kind, waits.reason, waits.object.as_deref()), (WaitingKind::Controller, WaitingReason::ChangeWindow, Some("nights")));
    assert_eq!(waits.message, "Waits for the window of nights: opens on Saturday, 28 November at 22:00 (Europe/Berlin)");
    assert_eq!(wait.answer().opens_at.as_deref(), Some("2026-11-28T21:00:00Z"));
}

#[test]
fn a_policy_that_does_not_block_only_warns() {
    let rules = [ruling("nights", Enforcement::Warn, json!({"from": "22:00", "to": "06:00"}))];
    assert!(ChangeWindows::blocking(&rules).wait(at("2026-11-27T12:00:00Z")).is_none());
    let result = |time: Option<&str>| window_outcomes(&rules, time.map(at))[0].result;
    assert_eq!(result(Some("2026-11-27T12:00:00Z")), PolicyResult::Warned);
    assert_eq!((result(Some("2026-11-27T23:00:00Z")), result(None)), (PolicyResult::Passed, PolicyResult::Passed));
}

proptest! {
    /// The opening is open, nothing before it is, and an open window opens at once.
    #[test]
    fn the_next_opening_is_the_first_open_moment(
        days in proptest::collection::btree_set(0usize..7, 0..4),
        (from, to) in (0i64..24 * 60, 0i64..24 * 60).prop_filter("it opens", |(from, to)| from != to),
        zone in proptest::sample::select(vec!["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]),
        second in 1_767_225_600i64..1_830_297_600,
        before in proptest::collection::vec(0i64..1000, 8),
    ) {
        let time = |minutes: i64| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        let names: Vec<&str> = days.iter().map(|day| super::DAYS[*day].0).collect();
        let of = window(json!({"days": names, "from": time(from), "to": time(to), "timezone": zone}));
        let now = Timestamp::from_second(second).unwrap();
        let next = of.next_opening(now).unwrap();
        prop_assert!(of.is_open(next), "{next}");
        prop_assert_eq!(of.is_open(now), next == now);
        let gap = next.as_second() - now.as_second();
        for share in before {
            let earlier = now + (gap * share / 1000).seconds();
            prop_assert!(earlier >= next || !of.is_open(earlier), "{earlier} before {next}");
        }
    }

    /// The order of policies makes no difference, and a common opening is open in each.
    #[test]
    fn a_common_opening_is_open_everywhere(
        hours in proptest::collection::vec((0i64..24, 1i64..24), 1..4),
        second in 1_767_225_600i64..1_830_297_600,
    ) {
        let now = Timestamp::from_second(second).unwrap();
        let rules: Vec<Ruling<Window>> = hours.iter().enumerate().map(|(index, (from, length))| {
            let of = json!({"from": format!("{from:02}:00"), "to": format!("{:02}:00", (from + length) % 24), "timezone": "Europe/Berlin"});
            blocking(&format!("p{index}"), of)
        }).collect();
        let opens = |rules: &[Ruling<Window>]| ChangeWindows::blocking(rules).wait(now).map(|wait| wait.opens);
        let mut turned = rules.clone();
        turned.reverse();
        prop_assert_eq!(opens(&rules), opens(&turned));
        if let Some(Some(opens)) = opens(&rules) {
            prop_assert!(ChangeWindows::blocking(&rules).wait(opens).is_none());
        }
    }
}
