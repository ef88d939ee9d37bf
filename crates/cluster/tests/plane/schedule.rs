//! Schedules of policies: runs at their times, one for each, until the rule or the request says otherwise.

use cluster::kinds::{Policy, PromiseAction, PromiseRequest, object};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::{Api, ResourceExt};
use promise::api::{ActionPhase, ConditionStatus, ScheduleStatus, WaitingReason};
use promise::names;
use serde_json::{Value, json};

use crate::approvals::{edit, level};
use crate::running::Running;
use crate::world::{Plane, on_every_plane_in_full, settings, wait};

on_every_plane_in_full![
    a_run_is_started_at_its_time_and_allowed_by_the_policy,
    the_latest_of_missed_times_is_made_up_for_and_the_others_are_counted,
    a_paused_request_starts_nothing,
    old_runs_are_deleted_with_their_objects_and_those_of_people_stay,
    a_run_that_only_says_so_is_not_scheduled,
    one_run_waits_for_its_turn_and_goes_with_its_rule,
    a_changed_rule_has_its_new_times_at_once,
    a_promise_without_the_action_is_left_alone,
];

/// The promise `settings` with an action that only guards can run, one for everyone, and one that waits.
fn promise() -> Value {
    let mut spec = settings("1.0.0");
    let copy = json!({"id": "copy", "template": {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${action.name}"}, "data": {"note": "${action.parameters.note}"},
    }});
    let parameters = json!({"type": "object", "properties": {"note": {"type": "string", "default": "none"}}});
    let steps = json!([{"id": "make", "apply": {"resources": ["copy"]}}]);
    spec["actions"] = json!({
        "backup": {"allowed": {"groups": ["guards"]}, "parameters": parameters, "resources": [copy], "steps": steps},
        "copy": {"parameters": parameters, "resources": [copy], "steps": steps},
        "hold": {"steps": [{"id": "go", "wait": {"until": "${has(resources.config.data.go)}"}}]},
    });
    spec
}

/// A policy that makes backups.
fn backups(schedule: Value) -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "backups"},
        "spec": {"appliesTo": {"promises": ["settings"]}, "rules": [{"name": "hourly", "schedule": schedule}]},
    })
}

fn hourly() -> Value {
    json!({"action": "backup", "cron": "@hourly", "parameters": {"note": "by schedule"}})
}

/// How far a clock has to be ahead to show this time before a full hour.
fn ahead(before_the_hour: SignedDuration) -> SignedDuration {
    #[expect(clippy::disallowed_methods, reason = "the clock of this test binary")]
    let now = Timestamp::now().as_second();
    SignedDuration::from_secs((-now).rem_euclid(3600)) + SignedDuration::from_hours(1) - before_the_hour
}

fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

/// A running request under the policy, at ten minutes before a full hour.
async fn running(plane: &Plane, schedule: Value) -> Running {
    running_ahead(plane, schedule, ahead(minutes(10))).await
}

/// The same with a clock that is so far ahead.
async fn running_ahead(plane: &Plane, schedule: Value, ahead: SignedDuration) -> Running {
    let controller = plane.controller().await;
    controller.advance(ahead);
    plane.offer().await;
    plane.publish("settings", promise()).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    plane.ready("web").await;
    plane.govern(&backups(schedule)).await;
    controller
}

fn schedule_of(request: &PromiseRequest) -> Option<ScheduleStatus> {
    request.status.as_ref()?.schedules.first().cloned()
}

async fn scheduled(plane: &Plane, what: &str, holds: impl Fn(&ScheduleStatus) -> bool) -> ScheduleStatus {
    schedule_of(&plane.until("web", what, |request| schedule_of(request).is_some_and(|schedule| holds(&schedule))).await).unwrap()
}

fn time(text: Option<&String>) -> Timestamp {
    text.unwrap().parse().unwrap()
}

/// Lets time pass, and has the controller look: nothing wakes it when the clock of a test jumps.
async fn pass(plane: &Plane, controller: &Running, by: SignedDuration) {
    controller.advance(by);
    look(plane, by).await;
}

async fn look(plane: &Plane, why: SignedDuration) {
    let before = plane.requests("dana").get("web").await.unwrap().spec.reason.unwrap_or_default();
    edit(plane, "web", json!({"reason": format!("{before} {why:#}")})).await;
}

fn actions(plane: &Plane) -> Api<PromiseAction> {
    plane.in_shop("dana")
}

async fn act(plane: &Plane, name: &str, action: &str) {
    let spec = json!({"request": "web", "action": action});
    let run = object(name, Some(plane.namespace()), serde_json::from_value(spec).unwrap());
    actions(plane).create(&PostParams::default(), &run).await.unwrap();
}

async fn until(plane: &Plane, name: &str, phase: ActionPhase) -> PromiseAction {
    let is_there = |run: &PromiseAction| run.status.as_ref().is_some_and(|status| status.phase == phase);
    wait(actions(plane), name, &format!("{phase:?}"), is_there).await
}

/// The runs that schedules started, by name: that is, by time.
async fn runs(plane: &Plane) -> Vec<String> {
    let labelled = ListParams::default().labels(names::SCHEDULE_LABEL);
    let mut names: Vec<String> = actions(plane).list(&labelled).await.unwrap().iter().map(ResourceExt::name_any).collect();
    names.sort();
    names
}

/// Waits until a later run than `since` has succeeded, and returns what the request says of it.
async fn backed_up(plane: &Plane, since: Option<&ScheduleStatus>) -> ScheduleStatus {
    let before = since.and_then(|since| since.last_run.clone());
    let status = scheduled(plane, "backed up", |schedule| schedule.last_run.is_some() && schedule.last_run != before).await;
    until(plane, status.last_run.as_ref().unwrap(), ActionPhase::Succeeded).await;
    status
}

async fn a_run_is_started_at_its_time_and_allowed_by_the_policy(plane: Plane) {
    let controller = running(&plane, hourly()).await;
    let before = scheduled(&plane, "scheduled", |_| true).await;
    assert_eq!((before.policy.as_str(), before.rule.as_str(), before.action.as_str()), ("backups", "hourly", "backup"));
    assert_eq!((before.last_at.as_ref(), before.last_run.as_ref(), before.missed), (None, None, 0));
    let due = time(before.next_at.as_ref());
    assert_eq!(due.as_second() % 3600, 0);
    assert!(runs(&plane).await.is_empty());
    pass(&plane, &controller, minutes(10) - SignedDuration::from_secs(6)).await;
    // No one does anything.
    let after = backed_up(&plane, None).await;
    assert_eq!((time(after.last_at.as_ref()), time(after.next_at.as_ref())), (due, due + minutes(60)));
    let run = actions(&plane).get(after.last_run.as_ref().unwrap()).await.unwrap();
    assert!(run.spec.requester.as_ref().unwrap().username.ends_with("opm-controller"), "{:?}", run.spec.requester);
    assert_eq!(run.labels()[names::SCHEDULE_LABEL], after.key);
    let said = [names::SCHEDULE_POLICY_ANNOTATION, names::SCHEDULE_RULE_ANNOTATION, names::SCHEDULED_AT_ANNOTATION];
    assert_eq!(said.map(|name| run.annotations()[name].clone()), ["backups".to_owned(), "hourly".to_owned(), due.to_string()]);
    assert_eq!(run.owner_references()[0].name, "web");
    let copy: ConfigMap = plane.config_maps().get(&run.name_any()).await.unwrap();
    assert_eq!(copy.data.unwrap()["note"], "by schedule");
    assert_eq!(runs(&plane).await.len(), 1);
    controller.stop().await;
}

async fn the_latest_of_missed_times_is_made_up_for_and_the_others_are_counted(plane: Plane) {
    let start = ahead(minutes(10));
    let controller = running_ahead(&plane, hourly(), start).await;
    let due = time(scheduled(&plane, "scheduled", |_| true).await.next_at.as_ref());
    controller.stop().await;
    let controller = plane.controller_ahead(start + minutes(4 * 60 + 25)).await;
    let after = backed_up(&plane, None).await;
    assert_eq!((time(after.last_at.as_ref()), after.missed), (due + minutes(4 * 60), 4));
    // Its clock is set back, and forward again.
    controller.advance(-minutes(5 * 60));
    look(&plane, minutes(1)).await;
    pass(&plane, &controller, minutes(5 * 60)).await;
    pass(&plane, &controller, minutes(50)).await;
    let next = backed_up(&plane, Some(&after)).await;
    assert_eq!((time(next.last_at.as_ref()), next.missed), (due + minutes(5 * 60), 0));
    assert_eq!(runs(&plane).await.len(), 2);
    controller.stop().await;
}

async fn a_paused_request_starts_nothing(plane: Plane) {
    let controller = running(&plane, hourly()).await;
    let due = time(scheduled(&plane, "scheduled", |_| true).await.next_at.as_ref());
    let is_seen = |request: &PromiseRequest| {
        request.spec.paused && request.status.as_ref().is_some_and(|s| Some(s.observed_generation) == request.metadata.generation)
    };
    edit(&plane, "web", json!({"paused": true})).await;
    plane.until("web", "paused", is_seen).await;
    pass(&plane, &controller, minutes(2 * 60 + 20)).await;
    let paused = plane.until("web", "still paused", is_seen).await;
    assert_eq!(time(schedule_of(&paused).unwrap().next_at.as_ref()), due);
    assert!(runs(&plane).await.is_empty());
    edit(&plane, "web", json!({"paused": false})).await;
    let after = backed_up(&plane, None).await;
    assert_eq!((time(after.last_at.as_ref()), after.missed), (due + minutes(2 * 60), 2));
    controller.stop().await;
}

async fn old_runs_are_deleted_with_their_objects_and_those_of_people_stay(plane: Plane) {
    let mut schedule = hourly();
    schedule["retention"] = json!("2h");
    let controller = running(&plane, schedule).await;
    scheduled(&plane, "scheduled", |_| true).await;
    act(&plane, "mine", "copy").await;
    until(&plane, "mine", ActionPhase::Succeeded).await;
    pass(&plane, &controller, minutes(20)).await;
    let first = backed_up(&plane, None).await;
    // It is the only one that succeeded.
    pass(&plane, &controller, minutes(4 * 60)).await;
    let second = backed_up(&plane, Some(&first)).await;
    assert_eq!(second.missed, 3);
    look(&plane, minutes(1)).await;
    plane.gone(actions(&plane), first.last_run.as_ref().unwrap()).await;
    plane.gone(plane.config_maps(), first.last_run.as_ref().unwrap()).await;
    assert_eq!(runs(&plane).await, [second.last_run.unwrap()]);
    assert!(plane.config_maps().get_opt("mine").await.unwrap().is_some());
    controller.stop().await;
}

async fn a_run_that_only_says_so_is_not_scheduled(plane: Plane) {
    let controller = running(&plane, hourly()).await;
    let schedule = scheduled(&plane, "scheduled", |_| true).await;
    pass(&plane, &controller, minutes(20)).await;
    let real = backed_up(&plane, Some(&schedule)).await;
    let stamp = actions(&plane).get(real.last_run.as_ref().unwrap()).await.unwrap().spec.requester;
    let spec = json!({"request": "web", "action": "backup", "requester": stamp});
    let mut forged: PromiseAction = object("forged", Some(plane.namespace()), serde_json::from_value(spec).unwrap());
    let uid = plane.requests("dana").get("web").await.unwrap().uid().unwrap();
    let labels = [(names::SCHEDULE_LABEL, schedule.key.clone()), (names::REQUEST_UID_LABEL, uid)];
    forged.metadata.labels = Some(labels.map(|(name, value)| (name.to_owned(), value)).into());
    forged.metadata.annotations = Some([(names::SCHEDULED_AT_ANNOTATION.to_owned(), "2099-01-01T00:00:00Z".to_owned())].into());
    actions(&plane).create(&PostParams::default(), &forged).await.unwrap();
    let refused = until(&plane, "forged", ActionPhase::Refused).await;
    assert_eq!(refused.status.unwrap().message.as_deref(), Some("Only guards can run “backup”."));
    // Nor is it taken for a later run.
    pass(&plane, &controller, minutes(60)).await;
    let next = backed_up(&plane, Some(&real)).await;
    assert_eq!(time(next.last_at.as_ref()), time(real.last_at.as_ref()) + minutes(60));
    controller.stop().await;
}

async fn one_run_waits_for_its_turn_and_goes_with_its_rule(plane: Plane) {
    let controller = running(&plane, hourly()).await;
    scheduled(&plane, "scheduled", |_| true).await;
    act(&plane, "hold", "hold").await;
    until(&plane, "hold", ActionPhase::Running).await;
    pass(&plane, &controller, minutes(20)).await;
    let first = scheduled(&plane, "started", |schedule| schedule.last_run.is_some()).await;
    let waits = |run: &PromiseAction| run.status.as_ref().and_then(|status| Some(status.waiting_on.as_ref()?.reason));
    let name = first.last_run.as_ref().unwrap();
    wait(actions(&plane), name, "waiting", |run| waits(run) == Some(WaitingReason::OtherAction)).await;
    pass(&plane, &controller, minutes(60)).await;
    let missed = scheduled(&plane, "missed", |schedule| schedule.missed == 1).await;
    assert_eq!(missed.last_run, first.last_run);
    assert_eq!(runs(&plane).await, std::slice::from_ref(name));
    let policies: Api<Policy> = Api::all(plane.client("admin", "root:platform"));
    policies.delete("backups", &DeleteParams::default()).await.unwrap();
    plane.gone(actions(&plane), name).await;
    plane.until("web", "no longer scheduled", |request| schedule_of(request).is_none()).await;
    pass(&plane, &controller, minutes(60)).await;
    plane.ready("web").await;
    assert!(runs(&plane).await.is_empty());
    until(&plane, "hold", ActionPhase::Running).await;
    controller.stop().await;
}

async fn a_changed_rule_has_its_new_times_at_once(plane: Plane) {
    let controller = running(&plane, json!({"action": "backup", "cron": "30 3 29 2 *", "timezone": "Europe/Berlin"})).await;
    let leap = time(scheduled(&plane, "scheduled", |_| true).await.next_at.as_ref());
    assert_eq!(leap.strftime("%m-%d %H:%M").to_string(), "02-29 02:30");
    plane.govern(&backups(hourly())).await;
    let now = scheduled(&plane, "hourly", |schedule| schedule.cron == "@hourly").await;
    assert!(time(now.next_at.as_ref()) < leap);
    pass(&plane, &controller, minutes(20)).await;
    backed_up(&plane, None).await;
    controller.stop().await;
}

async fn a_promise_without_the_action_is_left_alone(plane: Plane) {
    let controller = running(&plane, json!({"action": "restore", "cron": "@hourly"})).await;
    let policies: Api<Policy> = Api::all(plane.client("admin", "root:platform"));
    let said = policies.get("backups").await.unwrap().status.unwrap().conditions.remove(0);
    assert_eq!(said.status, ConditionStatus::False);
    assert!(said.message.ends_with("Name an existing action: the promise has no restore."), "{}", said.message);
    pass(&plane, &controller, minutes(20)).await;
    edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    let request = plane.ready("web").await;
    assert_eq!(level(&plane, "web").await.as_deref(), Some("5"), "the policy doesn't refuse changes");
    assert_eq!(schedule_of(&request), None);
    assert!(runs(&plane).await.is_empty());
    controller.stop().await;
}

/// The controller dies before each of its writes in turn. Whatever it had done then, the time has one run, which succeeds.
#[tokio::test(flavor = "multi_thread")]
async fn a_time_has_one_run_whenever_the_controller_dies() {
    for writes in 0..6 {
        let plane = Plane::open().await;
        let late = ahead(minutes(10)) + minutes(20);
        let controller = running_ahead(&plane, hourly(), late - minutes(20)).await;
        scheduled(&plane, "scheduled", |_| true).await;
        controller.stop().await;
        let (controller, hanging) = plane.mortal_controller(writes).await;
        pass(&plane, &controller, late).await;
        tokio::select! {
            () = hanging.notified() => {}
            _ = backed_up(&plane, None) => {}
        }
        controller.crash();
        let controller = plane.controller_ahead(late).await;
        let after = backed_up(&plane, None).await;
        assert_eq!((runs(&plane).await, after.missed), (vec![after.last_run.unwrap()], 0), "after {writes}");
        controller.stop().await;
    }
}
