mod changes;
mod finalizers;

use super::{Observation, ReleaseFacts, compute, milestones};
use crate::api::{
    CandidateState, Condition, ConditionStatus, Health, InventoryItem, Phase, PromiseRequestStatus, QuestionStatus, ReleaseRevision,
    WaitingKind, WaitingOn, WaitingReason,
};
use crate::plan::{Action, Hold, Key, Plan, Why};
use crate::problem::Problem;
use crate::sentence::{Actor, status_sentence};
use serde_json::json;

fn revision() -> ReleaseRevision {
    ReleaseRevision { cluster: "c".into(), name: "redis-0123456789".into(), hash: "01".into() }
}

fn release(revision: &ReleaseRevision) -> ReleaseFacts<'_> {
    ReleaseFacts {
        name: "r-1",
        version: "1.0.0",
        revision,
        content_hash: "h",
        generation: 1,
        expires_at: None,
        state: CandidateState::Accepted,
        message: None,
        policies_changed: false,
    }
}

fn key() -> Key {
    Key { destination: None, group: "apps".into(), version: "v1".into(), kind: "StatefulSet".into(), namespace: None, name: "cache".into() }
}

fn item(health: Health) -> InventoryItem {
    InventoryItem {
        id: "cache".into(),
        kind: "StatefulSet".into(),
        name: "cache".into(),
        health,
        applied: true,
        ..InventoryItem::default()
    }
}

fn working() -> Plan {
    Plan { applied: true, healthy: true, settled: true, inventory: vec![item(Health::Healthy)], ..Plan::default() }
}

fn waiting(message: &str) -> Plan {
    Plan {
        applied: true,
        inventory: vec![item(Health::Progressing)],
        holds: vec![Hold::Unhealthy { id: "cache".into(), key: key(), message: Some(message.into()) }],
        ..Plan::default()
    }
}

fn approval_of(group: &str) -> WaitingOn {
    let waiting = WaitingOn::new(WaitingKind::Person, WaitingReason::ApprovalNeeded, "An approval is missing");
    WaitingOn { who: vec![group.to_owned()], ..waiting }
}

fn condition<'s>(status: &'s PromiseRequestStatus, name: &str) -> &'s Condition {
    status.conditions.iter().find(|condition| condition.r#type == name).unwrap()
}

/// Returns the condition that summarizes the others, as `status reason: message`.
fn ready(status: &PromiseRequestStatus) -> String {
    let ready = condition(status, "Ready");
    format!("{:?} {}: {}", ready.status, ready.reason, ready.message)
}

#[test]
fn from_nothing_to_ready_with_times_kept() {
    let revision = revision();
    let start = compute(None, &Observation { generation: 1, ..Observation::default() }, "t0");
    assert_eq!(start.phase, Phase::Pending);
    assert_eq!(status_sentence(Some(&start)).who, Actor::Platform);

    let making = Plan {
        actions: vec![Action::Apply { id: "cache".into(), key: key(), object: json!({}), why: Why::Create }],
        inventory: vec![item(Health::Missing)],
        ..Plan::default()
    };
    let seen = Observation { generation: 1, candidate: Some(release(&revision)), plan: Some(&making), ..Observation::default() };
    let status = compute(Some(&start), &seen, "t1");
    assert_eq!(status.phase, Phase::Provisioning);

    let first = waiting("0 of 3 replicas are ready");
    let seen = Observation { generation: 1, current: Some(release(&revision)), plan: Some(&first), ..Observation::default() };
    let status = compute(Some(&status), &seen, "t2");
    assert_eq!((status.phase, status.waiting_on.as_ref().unwrap().kind), (Phase::Provisioning, WaitingKind::Step));
    assert_eq!(status_sentence(Some(&status)).what, "StatefulSet cache isn't healthy yet: 0 of 3 replicas are ready");

    let second = waiting("1 of 3 replicas are ready");
    let status = compute(Some(&status), &Observation { plan: Some(&second), ..seen.clone() }, "t3");
    assert_eq!(ready(&status), "False Provisioning: StatefulSet cache isn't healthy yet: 1 of 3 replicas are ready");
    assert_eq!(condition(&status, "Ready").last_transition_time.as_deref(), Some("t0"), "other words are no other status");
    let waits = status.waiting_on.as_ref().unwrap();
    assert_eq!((waits.since.as_deref(), waits.message.contains("1 of 3")), (Some("t2"), true), "the matter is the same");

    let done = working();
    let seen = Observation { plan: Some(&done), ..seen };
    let status = compute(Some(&status), &seen, "t4");
    assert_eq!((status.phase, &status.waiting_on), (Phase::Ready, &None));
    assert_eq!(condition(&status, "Healthy").last_transition_time.as_deref(), Some("t4"));
    assert_eq!(condition(&status, "Ready").last_transition_time.as_deref(), Some("t4"));
    assert_eq!(status.current.as_ref().unwrap().since.as_deref(), Some("t2"));
    assert_eq!(status_sentence(Some(&status)).since.as_deref(), Some("t4"));

    assert_eq!(compute(Some(&status), &seen, "t5"), status, "the same observation is the same status");
}

#[test]
fn what_was_ready_degrades_and_does_not_fail() {
    let revision = revision();
    let done = working();
    let seen = Observation { generation: 1, current: Some(release(&revision)), plan: Some(&done), ..Observation::default() };
    let ready = compute(None, &seen, "t0");
    let sick = Plan { healthy: false, inventory: vec![item(Health::Degraded)], ..waiting("crash loop") };
    let status = compute(Some(&ready), &Observation { plan: Some(&sick), ..seen.clone() }, "t1");
    assert_eq!(status.phase, Phase::Degraded);
    assert_eq!(condition(&status, "Applied").status, ConditionStatus::True, "applied and healthy are two lights");
    assert_eq!(condition(&status, "Healthy").status, ConditionStatus::False);

    let fresh = compute(None, &Observation { plan: Some(&sick), ..seen }, "t1");
    assert_eq!(fresh.phase, Phase::Failed, "what never was ready has failed");
}

#[test]
fn a_change_is_rolled_out_until_something_of_it_breaks() {
    let revision = revision();
    let done = working();
    let seen = Observation { generation: 1, current: Some(release(&revision)), plan: Some(&done), ..Observation::default() };
    let ready = compute(None, &seen, "t0");
    let next = ReleaseFacts { name: "r-2", ..release(&revision) };
    let rolling = waiting("1 of 3 replicas are up to date");
    let seen = Observation { generation: 2, candidate: Some(next), plan: Some(&rolling), ..seen };
    let updating = compute(Some(&ready), &seen, "t1");
    assert_eq!(updating.phase, Phase::Updating);

    let sick = Plan { healthy: false, inventory: vec![item(Health::Degraded)], ..waiting("crash loop") };
    let status = compute(Some(&updating), &Observation { plan: Some(&sick), ..seen }, "t2");
    assert_eq!(status.phase, Phase::Degraded);
    assert!(status_sentence(Some(&status)).what.contains("crash loop"), "{:?}", status_sentence(Some(&status)));
}

/// An operator only begins to restart what was changed after everything looked finished.
#[test]
fn a_wanted_change_is_no_outage_and_the_same_later_without_one_is() {
    let (revision, done, slow) = (revision(), working(), waiting("2 of 3 replicas are ready"));
    let seen = Observation { generation: 1, current: Some(release(&revision)), plan: Some(&done), ..Observation::default() };
    let ready = compute(None, &seen, "2026-11-23T10:00:00Z");
    let next = Observation { generation: 2, current: Some(ReleaseFacts { name: "r-2", generation: 2, ..release(&revision) }), ..seen };
    let changed = compute(Some(&ready), &next, "2026-11-23T12:00:00Z");
    assert_eq!(changed.phase, Phase::Ready);
    let restarts = Observation { plan: Some(&slow), ..next.clone() };
    let updating = compute(Some(&changed), &restarts, "2026-11-23T12:00:30Z");
    assert_eq!((updating.phase, condition(&updating, "Ready").reason.as_str()), (Phase::Updating, "Updating"));
    let settled = compute(Some(&updating), &next, "2026-11-23T12:02:00Z");
    assert_eq!(settled.phase, Phase::Ready);
    assert_eq!(compute(Some(&settled), &restarts, "2026-11-23T12:30:00Z").phase, Phase::Degraded, "nobody changed anything");
    let sick = Plan { healthy: false, inventory: vec![item(Health::Degraded)], ..waiting("crash loop") };
    let broken = Observation { plan: Some(&sick), ..next };
    assert_eq!(compute(Some(&changed), &broken, "2026-11-23T12:00:30Z").phase, Phase::Degraded, "what breaks is an outage");
}

#[test]
fn what_only_lacks_room_is_queued_and_not_refused() {
    let refusals = ["At most one is allowed here.".to_owned()];
    let full = Observation { generation: 1, refusals: &refusals, full: true, ..Observation::default() };
    let status = compute(None, &full, "t0");
    assert_eq!((status.phase, status.waiting_on.as_ref().unwrap().kind), (Phase::Pending, WaitingKind::Capacity));
    assert_eq!(condition(&status, "PoliciesSatisfied").reason, "NoRoom");
    let told: Vec<_> = milestones(None, &status).into_iter().map(|told| (told.reason.word(), told.reason.is_warning())).collect();
    assert_eq!(told, [("Queued", false)]);
    assert_eq!(milestones(Some(&status), &compute(Some(&status), &full, "t1")), []);
}

#[test]
fn drift_that_is_put_back_is_told_by_its_condition_alone() {
    let revision = revision();
    let done = working();
    let seen = Observation { generation: 1, current: Some(release(&revision)), plan: Some(&done), ..Observation::default() };
    let ready = compute(None, &seen, "t0");
    let repair = Action::Apply { id: "cache".into(), key: key(), object: json!({}), why: Why::Drift };
    let drifted =
        Plan { applied: false, settled: false, actions: vec![repair], drift: vec![("cache".into(), ".spec.replicas".into())], ..working() };
    let status = compute(Some(&ready), &Observation { plan: Some(&drifted), ..seen }, "t1");
    assert_eq!(status.phase, Phase::Ready);
    let told = condition(&status, "DriftFree");
    assert_eq!((told.status, told.message.contains(".spec.replicas of cache")), (ConditionStatus::False, true));
}

#[test]
fn a_refused_change_leaves_what_runs_alone() {
    let revision = revision();
    let done = working();
    let problems = [Problem { path: ".parameters.replicas".into(), message: "Enter a whole number.".into() }];
    let seen =
        Observation { generation: 2, current: Some(release(&revision)), plan: Some(&done), problems: &problems, ..Observation::default() };
    let status = compute(None, &seen, "t0");
    assert_eq!(status.phase, Phase::Ready);
    assert_eq!(condition(&status, "Accepted").status, ConditionStatus::False);
    assert_eq!(status_sentence(Some(&status)).who, Actor::Requester);

    let new = Observation { generation: 1, problems: &problems, ..Observation::default() };
    assert_eq!(compute(None, &new, "t0").phase, Phase::Failed);
    let refusals = ["Two replicas are needed.".to_owned()];
    let refused = Observation { generation: 1, refusals: &refusals, ..Observation::default() };
    assert_eq!(compute(None, &refused, "t0").phase, Phase::Rejected);
}

#[test]
fn policies_that_cannot_be_seen_are_unknown() {
    let seen =
        Observation { generation: 1, policies_unknown: Some("root:acme cannot be read; Olga can mend it."), ..Observation::default() };
    let status = compute(None, &seen, "t0");
    assert_eq!(condition(&status, "PoliciesSatisfied").status, ConditionStatus::Unknown);
    assert_eq!(status.phase, Phase::Pending);
    assert!(status_sentence(Some(&status)).what.contains("root:acme"));
}

#[test]
fn a_fault_of_the_promise_waits_for_its_authors_and_one_of_the_request_for_the_requester() {
    for (path, who) in [(".implementation.resources[0].template.data", Actor::PromiseTeam), (".parameters.size", Actor::Requester)] {
        let problems = [Problem { path: path.into(), message: "Make it smaller.".into() }];
        let status = compute(None, &Observation { generation: 1, problems: &problems, ..Observation::default() }, "t0");
        let sentence = status_sentence(Some(&status));
        assert_eq!((sentence.who, sentence.what.as_str()), (who, "Make it smaller"), "{path}");
    }
}

#[test]
fn what_was_turned_down_or_has_expired_waits_for_its_requester_unless_something_runs() {
    let revision = revision();
    for (state, message) in [
        (CandidateState::Rejected, "Erin turned it down: too large. Edit the request to ask again."),
        (CandidateState::Expired, "Nobody decided in time. Edit the request to ask again."),
    ] {
        let over = ReleaseFacts { state, message: Some(message), name: "r-2", ..release(&revision) };
        let new = Observation { generation: 1, candidate: Some(over), ..Observation::default() };
        let status = compute(None, &new, "t0");
        assert_eq!((status.phase, status.waiting_on.as_ref().unwrap().kind), (Phase::Rejected, WaitingKind::Person));
        let told = status_sentence(Some(&status));
        assert!(told.is_requesters() && told.what == message.trim_end_matches('.'), "{told:?}");
        let done = working();
        let runs = compute(None, &Observation { current: Some(release(&revision)), plan: Some(&done), ..new }, "t0");
        assert_eq!((runs.phase, runs.waiting_on), (Phase::Ready, None), "{message}");
    }
}

#[test]
fn a_candidate_dates_from_its_question_and_the_ball_from_whoever_has_it() {
    let (revision, question) = (revision(), QuestionStatus { content_hash: "h".into(), since: "t1".into(), ..QuestionStatus::default() });
    let waiting = |generation| ReleaseFacts { state: CandidateState::AwaitingApproval, generation, ..release(&revision) };
    let (operations, owners) = (approval_of("operations"), approval_of("owners"));
    let seen = Observation {
        generation: 1,
        candidate: Some(waiting(1)),
        question: Some(&question),
        decides: Some(&operations),
        ..Observation::default()
    };
    let first = compute(None, &seen, "t1");
    assert_eq!(first.question.as_ref(), Some(&question));
    let edited = compute(Some(&first), &Observation { generation: 2, candidate: Some(waiting(2)), ..seen.clone() }, "t2");
    assert_eq!(edited.candidate.as_ref().unwrap().since.as_deref(), Some("t1"), "it is asked about as before");
    assert_eq!(edited.waiting_on.as_ref().unwrap().since.as_deref(), Some("t1"));
    let next = Observation { decides: Some(&owners), ..seen.clone() };
    assert_eq!(compute(Some(&edited), &next, "t3").waiting_on.unwrap().since.as_deref(), Some("t3"), "others have to act since then");
    let again = QuestionStatus { since: "t4".into(), ..question.clone() };
    let asked = compute(Some(&edited), &Observation { question: Some(&again), ..seen }, "t4");
    assert_eq!(asked.candidate.unwrap().since.as_deref(), Some("t4"));
}

#[test]
fn ready_is_true_once_what_is_asked_for_now_runs_and_says_otherwise_who_holds_the_ball() {
    let revision = revision();
    let (done, slow) = (working(), waiting("0 of 3 replicas are ready"));
    let hidden = Hold::Unreachable { id: "cache".into(), key: key(), message: "StatefulSet cache cannot be looked at: no answer.".into() };
    let unseen = Plan { inventory: vec![item(Health::Unknown)], holds: vec![hidden], ..Plan::default() };
    let worse = Plan { inventory: vec![item(Health::Unknown), item(Health::Degraded)], ..unseen.clone() };
    let problems = [Problem { path: ".parameters.replicas".into(), message: "Enter a whole number.".into() }];
    let refusals = ["Choose two replicas.".to_owned()];
    let unknown = Some("root:acme cannot be read; Olga can mend it.");
    let next = |generation: i64, state: CandidateState, message: Option<&'static str>| {
        Some(ReleaseFacts { name: "r-2", generation, state, message, ..release(&revision) })
    };
    let asked = |generation: i64| next(generation, CandidateState::AwaitingApproval, None);
    let turned_down = Some("Erin turned it down.");

    let new = Observation { generation: 1, ..Observation::default() };
    let runs = Observation { current: Some(release(&revision)), plan: Some(&done), ..new.clone() };
    let edited = Observation { generation: 2, ..runs.clone() };
    let in_place = "True Ready: Ready to use";
    let table = [
        (new.clone(), Phase::Pending, "False Pending: The controller is checking this request"),
        (Observation { problems: &problems, ..new.clone() }, Phase::Failed, "False Failed: Enter a whole number"),
        (Observation { refusals: &refusals, ..new.clone() }, Phase::Rejected, "False Rejected: Choose two replicas"),
        (Observation { candidate: asked(1), ..new.clone() }, Phase::AwaitingApproval, "False AwaitingApproval: Waiting for approval"),
        (
            Observation { policies_unknown: unknown, ..new.clone() },
            Phase::Pending,
            "False Pending: root:acme cannot be read; Olga can mend it",
        ),
        (
            Observation { plan: Some(&slow), ..runs.clone() },
            Phase::Provisioning,
            "False Provisioning: StatefulSet cache isn't healthy yet: 0 of 3 replicas are ready",
        ),
        (
            Observation { plan: Some(&unseen), ..runs.clone() },
            Phase::Provisioning,
            "Unknown Unreachable: StatefulSet cache cannot be looked at: no answer",
        ),
        (
            Observation { plan: Some(&worse), ..runs.clone() },
            Phase::Failed,
            "False Failed: StatefulSet cache cannot be looked at: no answer",
        ),
        (runs.clone(), Phase::Ready, in_place),
        // Changes elsewhere don't create a new generation of the request.
        (Observation { candidate: asked(1), ..runs.clone() }, Phase::Ready, in_place),
        (Observation { policies_unknown: unknown, ..runs.clone() }, Phase::Ready, in_place),
        (Observation { refusals: &refusals, ..runs.clone() }, Phase::Ready, in_place),
        // An edit that isn't in place, while the last accepted release is running and healthy.
        (Observation { problems: &problems, ..edited.clone() }, Phase::Ready, "False Invalid: Enter a whole number"),
        (Observation { refusals: &refusals, ..edited.clone() }, Phase::Ready, "False Refused: Choose two replicas"),
        (Observation { refusals: &refusals, full: true, ..edited.clone() }, Phase::Ready, "False NoRoom: Choose two replicas"),
        (
            Observation { policies_unknown: unknown, ..edited.clone() },
            Phase::Ready,
            "False PoliciesNotVisible: root:acme cannot be read; Olga can mend it",
        ),
        (Observation { candidate: asked(2), ..edited.clone() }, Phase::Ready, "False AwaitingApproval: Waiting for approval"),
        (
            Observation { candidate: next(2, CandidateState::Rejected, turned_down), ..edited.clone() },
            Phase::Ready,
            "False Rejected: Erin turned it down",
        ),
        (
            Observation { candidate: next(2, CandidateState::Accepted, None), plan: Some(&slow), ..edited.clone() },
            Phase::Updating,
            "False Updating: StatefulSet cache isn't healthy yet: 0 of 3 replicas are ready",
        ),
        (Observation { current: next(2, CandidateState::Accepted, None), ..edited }, Phase::Ready, in_place),
        (Observation { deleting: true, plan: None, ..runs }, Phase::Deleting, "False Deleting: Deleting resources"),
    ];
    for (seen, phase, told) in table {
        let status = compute(None, &seen, "t0");
        assert_eq!((status.phase, ready(&status).as_str()), (phase, told));
        assert_eq!(status.conditions[0].r#type, "Ready", "what sums them up comes first");
        assert_eq!(status.conditions[0].observed_generation, Some(seen.generation));
        assert_eq!(compute(Some(&status), &seen, "t1"), status, "the same observation is the same status: {told}");
    }
}

#[test]
fn ready_dates_from_when_it_became_so() {
    let revision = revision();
    let (done, slow) = (working(), waiting("0 of 3 replicas are ready"));
    let of = |generation: i64| ReleaseFacts { generation, ..release(&revision) };
    let runs = Observation { generation: 1, current: Some(of(1)), plan: Some(&done), ..Observation::default() };
    let edited = Observation { generation: 2, ..runs.clone() };
    let accepted = ReleaseFacts { name: "r-2", ..of(2) };
    let waits = ReleaseFacts { state: CandidateState::AwaitingApproval, ..accepted };
    let history = [
        (runs.clone(), "True", "t0"),
        (Observation { candidate: Some(waits), ..edited.clone() }, "False", "t1"),
        (Observation { candidate: Some(accepted), plan: Some(&slow), ..edited }, "False", "t1"),
        (Observation { generation: 2, current: Some(of(2)), ..runs.clone() }, "True", "t3"),
        // An edit that doesn't affect the content, such as a change of the reason.
        (Observation { generation: 3, current: Some(of(3)), ..runs }, "True", "t3"),
    ];
    let mut last = None;
    for (time, (seen, word, since)) in history.into_iter().enumerate() {
        let status = compute(last.as_ref(), &seen, &format!("t{time}"));
        let told = condition(&status, "Ready");
        assert_eq!((format!("{:?}", told.status).as_str(), told.last_transition_time.as_deref()), (word, Some(since)));
        assert_eq!(told.observed_generation, Some(seen.generation));
        last = Some(status);
    }
}

#[test]
fn what_an_object_says_of_itself_does_not_change_how_it_is_waited_for() {
    let revision = revision();
    let inner = waiting("More waits for status.endpoint of database");
    let seen = Observation { generation: 1, current: Some(release(&revision)), plan: Some(&inner), ..Observation::default() };
    let what = status_sentence(Some(&compute(None, &seen, "t0"))).what;
    assert_eq!(what, "StatefulSet cache isn't healthy yet: More waits for status.endpoint of database");
}

/// Returns when the running release was accepted, and when it was Ready for the first time.
fn measured(status: &PromiseRequestStatus) -> (Option<&str>, Option<&str>) {
    let current = status.current.as_ref().unwrap();
    (current.accepted_at.as_deref(), current.ready_at.as_deref())
}

#[test]
fn an_outage_leaves_alone_when_a_release_was_ready_first_and_the_next_release_has_its_own_time() {
    let (revision, making, done) = (revision(), waiting("0 of 3 replicas are ready"), working());
    let asked = ReleaseFacts { state: CandidateState::AwaitingApproval, ..release(&revision) };
    let waits = compute(None, &Observation { generation: 1, candidate: Some(asked), ..Observation::default() }, "t0");
    assert_eq!(waits.candidate.as_ref().unwrap().accepted_at, None, "people have not decided yet");
    let begun = Observation { generation: 1, candidate: Some(release(&revision)), plan: Some(&making), ..Observation::default() };
    let accepted = compute(Some(&waits), &begun, "t1");
    let making_it = compute(Some(&accepted), &begun, "t2");
    assert_eq!(making_it.candidate.as_ref().unwrap().accepted_at.as_deref(), Some("t1"));

    let runs = Observation { generation: 1, current: Some(release(&revision)), plan: Some(&done), ..Observation::default() };
    let ready = compute(Some(&making_it), &runs, "t3");
    assert_eq!(measured(&ready), (Some("t1"), Some("t3")));
    let sick = Plan { healthy: false, inventory: vec![item(Health::Degraded)], ..waiting("crash loop") };
    let degraded = compute(Some(&ready), &Observation { plan: Some(&sick), ..runs.clone() }, "t4");
    let mended = compute(Some(&degraded), &runs, "t5");
    assert_eq!((degraded.phase, mended.phase), (Phase::Degraded, Phase::Ready));
    assert_eq!(condition(&mended, "Healthy").last_transition_time.as_deref(), Some("t5"));
    assert_eq!((measured(&degraded), measured(&mended)), (measured(&ready), measured(&ready)));
    assert_eq!(compute(Some(&mended), &runs, "t6"), mended, "the same observation is the same status");

    let next = ReleaseFacts { name: "r-2", generation: 2, ..release(&revision) };
    let rolling = compute(Some(&mended), &Observation { candidate: Some(next), plan: Some(&making), ..runs.clone() }, "t7");
    assert_eq!(measured(&rolling), measured(&ready), "what runs is still the former release");
    let rolled = compute(Some(&rolling), &Observation { current: Some(next), ..runs.clone() }, "t8");
    assert_eq!(measured(&rolled), (Some("t7"), Some("t8")));

    let unready = compute(Some(&making_it), &Observation { plan: Some(&making), ..runs }, "t3");
    assert_eq!(measured(&unready), (Some("t1"), None), "it never was");
}

#[test]
fn of_a_release_whose_acceptance_was_not_kept_the_last_turn_of_its_health_is_all_there_is() {
    let (revision, done) = (revision(), working());
    let runs = Observation { generation: 1, current: Some(release(&revision)), plan: Some(&done), ..Observation::default() };
    let mut old = compute(None, &runs, "t0");
    let current = old.current.as_mut().unwrap();
    (current.accepted_at, current.ready_at) = (None, None);
    let seen = compute(Some(&old), &runs, "t9");
    assert_eq!(measured(&seen), (None, Some("t0")));
    assert_eq!(compute(Some(&seen), &runs, "t10"), seen, "it is written once");
}
