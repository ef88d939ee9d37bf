use std::sync::Arc;

use cluster::ClusterId;
use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use cluster::watch::Key;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use promise::api::{Condition, ConditionStatus, CurrentStatus, Phase, PromiseRef, PromiseRequestSpec, PromiseRequestStatus, WaitingOn};

use super::*;
use crate::portal::register::Known;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

const NOW: &str = "2026-11-22T12:00:00Z";

/// Returns a request of `promise`, created at a time, in a phase.
fn line(promise: &str, made: &str, phase: Phase) -> PromiseRequest {
    let reference = PromiseRef { name: promise.into(), ..PromiseRef::default() };
    let spec = PromiseRequestSpec { promise: reference, ..PromiseRequestSpec::default() };
    let mut request = object::<PromiseRequestKind>("a", Some("default"), spec);
    request.metadata.creation_timestamp = Some(Time(at(made)));
    request.status = Some(PromiseRequestStatus { phase, ..PromiseRequestStatus::default() });
    request
}

fn with(mut request: PromiseRequest, change: impl FnOnce(&mut PromiseRequestStatus)) -> PromiseRequest {
    change(request.status.as_mut().unwrap());
    request
}

/// Returns a request that runs a version, took this many seconds, and recovered from an outage.
fn ready(promise: &str, version: &str, took: i64) -> PromiseRequest {
    with(line(promise, "2026-11-20T00:00:00Z", Phase::Ready), |status| {
        let ready = at("2026-11-20T00:00:10Z").as_second() + took;
        status.current = Some(CurrentStatus {
            version: version.into(),
            accepted_at: Some("2026-11-20T00:00:10Z".into()),
            ready_at: Some(Timestamp::from_second(ready).unwrap().to_string()),
            ..CurrentStatus::default()
        });
        status.conditions = vec![Condition {
            r#type: "Healthy".into(),
            status: ConditionStatus::True,
            reason: "Healthy".into(),
            last_transition_time: Some(NOW.into()),
            ..Condition::default()
        }];
    })
}

fn overview(requests: Vec<PromiseRequest>) -> OverviewPage {
    let acme = ClusterId::parse("acme").unwrap();
    let key = |number: usize| Key::new(acme.clone(), "default", format!("request-{number}"));
    let mut known = Known::default();
    known.follow(requests.into_iter().enumerate().map(|(number, request)| (key(number), Arc::new(request))).collect());
    let mut sum = Counts::default();
    known.each(&acme).for_each(|counts| sum += counts);
    let whole = Whole::new(vec![("root:acme".to_owned(), sum)], None, Vec::new());
    added_up(&whole, OverviewRange::Quarter, |of| (of.name.clone(), "1.10.0".to_owned()), at(NOW).as_second())
}

#[test]
fn times_are_those_of_what_was_measured() {
    let mut requests: Vec<PromiseRequest> = (1..=10).map(|took| ready("redis", "1.9.0", took * 10)).collect();
    requests.push(ready("redis", "1.10.0", -5));
    requests.push(line("redis", "2026-11-20T00:00:00Z", Phase::Failed));
    let page = overview(requests);
    let time = &page.times[0];
    assert_eq!((time.half, time.most, time.measured, time.failed, time.all), (50, 100, 10, 1, 12));
    assert_eq!(page.versions[0].versions, [("1.10.0".to_owned(), 1), ("1.9.0".to_owned(), 10)], "numbers, not letters");
    assert_eq!((page.adoption[0].instances, page.on_newest()), (11, (1, 11)));
}

#[test]
fn every_request_is_counted_once_in_its_week_and_phase() {
    let page = overview(vec![
        line("a", "2026-11-16T00:00:00Z", Phase::Ready),
        line("a", "2026-11-15T23:59:59Z", Phase::Failed),
        line("b", "2026-11-22T11:00:00Z", Phase::Provisioning),
        line("b", "2020-01-01T00:00:00Z", Phase::Rejected),
    ]);
    assert_eq!(page.weeks.len(), 12);
    let (last, before) = (&page.weeks[11], &page.weeks[10]);
    assert_eq!((last.day.as_str(), last.ready, last.under_way, before.failed), ("2026-11-16", 1, 1, 1));
    assert_eq!((page.weeks.iter().map(WeekLine::all).sum::<usize>(), page.requests.counted()), (3, 4));
    assert_eq!(page.states.iter().map(|(_, count)| count).sum::<usize>(), 4);
    assert_eq!(page.reasons, [("Other".to_owned(), 2)]);
}

#[test]
fn questions_are_counted_by_their_age() {
    let asked = |since: &str| {
        let since = Some(since.to_owned());
        with(line("a", "2026-11-01T00:00:00Z", Phase::AwaitingApproval), |status| {
            status.waiting_on = Some(WaitingOn { since, ..WaitingOn::default() });
        })
    };
    let page = overview(vec![asked("2026-11-22T11:30:00Z"), asked("2026-11-22T08:00:00Z"), asked("2026-11-01T08:00:00Z")]);
    assert_eq!(page.waiting.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 0, 1, 0, 1]);
}
