use serde_json::json;

use super::{MilestoneReason, left_behind, milestones, put_back};
use crate::api::{
    ApprovalRule, ApprovalState, ApprovalStatus, CandidateState, CurrentStatus, Decision, DecisionReason, DecisionState, GivenApproval,
    Health, InventoryItem, OutdatedRule, OutdatedStatus, Phase, PromiseRequestStatus, ReleaseRevision, WaitingKind, WaitingOn,
    WaitingReason,
};
use crate::plan::{Action, Hold, Key, Plan, Why};
use crate::problem::Problem;
use crate::status::{Observation, ReleaseFacts, compute};

fn release<'f>(name: &'f str, revision: &'f ReleaseRevision) -> ReleaseFacts<'f> {
    ReleaseFacts {
        name,
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

fn plan(health: Health) -> Plan {
    let item = InventoryItem { id: "cache".into(), kind: "StatefulSet".into(), name: "cache".into(), health, ..InventoryItem::default() };
    let well = health == Health::Healthy;
    Plan { applied: true, healthy: well, settled: well, inventory: vec![item], ..Plan::default() }
}

/// Plays observations one after the other, each written twice as by a restarted controller.
#[derive(Default)]
struct History {
    status: Option<PromiseRequestStatus>,
    time: u32,
}

impl History {
    fn sees(&mut self, seen: &Observation<'_>) -> Vec<(&'static str, bool, String)> {
        self.time += 1;
        let after = compute(self.status.as_ref(), seen, &format!("t{}", self.time));
        let found = milestones(self.status.as_ref(), &after);
        let again = compute(Some(&after), seen, "later");
        assert_eq!(milestones(Some(&after), &again), [], "what was said is not said again");
        self.status = Some(again);
        found.into_iter().map(|found| (found.reason.word(), found.reason.is_warning(), found.message)).collect()
    }
}

fn reasons(found: &[(&'static str, bool, String)]) -> Vec<&'static str> {
    found.iter().map(|(reason, ..)| *reason).collect()
}

#[test]
fn from_nothing_to_ready_step_by_step_and_at_once() {
    let revision = ReleaseRevision::default();
    let (making, done) = (plan(Health::Progressing), plan(Health::Healthy));
    let mut slow = History::default();
    assert_eq!(slow.sees(&Observation::default()), []);
    let action = Action::Apply { id: "cache".into(), key: key(), object: json!({}), why: Why::Create };
    let starting = Plan { applied: false, actions: vec![action], ..plan(Health::Missing) };
    let seen = Observation { candidate: Some(release("r-1", &revision)), plan: Some(&starting), ..Observation::default() };
    let accepted = ("Accepted", false, "Accepted as release r-1 with version 1.0.0 of the promise.".to_owned());
    assert_eq!(slow.sees(&seen), [accepted]);
    let found = slow.sees(&Observation { plan: Some(&making), ..seen.clone() });
    assert_eq!(found, [("Applied", false, "Applied release r-1: 1 object applied.".to_owned())]);
    let ready = Observation { current: Some(release("r-1", &revision)), plan: Some(&done), ..Observation::default() };
    assert_eq!(slow.sees(&ready), [("Ready", false, "Release r-1 is ready to use.".to_owned())]);

    let mut fast = History::default();
    assert_eq!(reasons(&fast.sees(&ready)), ["Accepted", "Applied", "Ready"]);
    let next = Observation { current: Some(release("r-2", &revision)), ..ready };
    assert_eq!(reasons(&fast.sees(&next)), ["Accepted", "Applied", "Ready"], "a change that was made in one round");
}

#[test]
fn a_refusal_is_told_with_its_sentence_and_again_when_it_has_another() {
    let revision = ReleaseRevision::default();
    let done = plan(Health::Healthy);
    let mut history = History::default();
    let few = ["Two replicas are needed.".to_owned()];
    let many = ["Nine replicas are too many.".to_owned()];
    let found = history.sees(&Observation { refusals: &few, ..Observation::default() });
    assert_eq!(found, [("Refused", true, "Two replicas are needed.".to_owned())]);
    assert_eq!(history.sees(&Observation { refusals: &many, ..Observation::default() })[0].2, "Nine replicas are too many.");
    let problems = [Problem { path: ".replicas".into(), message: "Enter a whole number.".into() }];
    let found = history.sees(&Observation { problems: &problems, ..Observation::default() });
    assert_eq!(found, [("Refused", true, ".replicas: Enter a whole number.".to_owned())], "and nothing else, though it failed");
    let runs = Observation { current: Some(release("r-1", &revision)), plan: Some(&done), ..Observation::default() };
    history.sees(&runs);
    assert_eq!(reasons(&history.sees(&Observation { refusals: &few, ..runs })), ["Refused"], "what runs goes on");
}

#[test]
fn trouble_is_told_once_and_its_end_too() {
    let revision = ReleaseRevision::default();
    let (done, mut sick) = (plan(Health::Healthy), plan(Health::Degraded));
    let runs = Observation { current: Some(release("r-1", &revision)), plan: Some(&done), ..Observation::default() };
    let mut history = History::default();
    let denied = Observation {
        candidate: Some(release("r-1", &revision)),
        plan: Some(&sick),
        failure: Some("The controller may not apply StatefulSet cache."),
        ..Observation::default()
    };
    let found = history.sees(&denied);
    assert_eq!(found.last().unwrap(), &("Failed", true, "The controller may not apply StatefulSet cache.".to_owned()));
    let otherwise = history.sees(&Observation { failure: Some("There is no answer."), ..denied });
    assert_eq!(otherwise, [("Failed", true, "There is no answer.".to_owned())]);
    assert_eq!(reasons(&history.sees(&runs)), ["Applied", "Ready"]);
    sick.inventory[0].message = Some("restarted 3 times".into());
    let found = history.sees(&Observation { plan: Some(&sick), ..runs.clone() });
    assert_eq!(found, [("Degraded", true, "StatefulSet cache: restarted 3 times.".to_owned())]);
    sick.inventory[0].message = Some("restarted 4 times".into());
    assert_eq!(history.sees(&Observation { plan: Some(&sick), ..runs.clone() }), [], "words that count along are no news");
    assert_eq!(reasons(&history.sees(&runs)), ["Ready"]);
}

#[test]
fn drift_names_the_object_that_was_put_back() {
    let changed = put_back(&key(), Why::Drift, true).unwrap();
    assert_eq!((changed.reason, changed.reason.is_warning()), (MilestoneReason::DriftCorrected, true));
    assert_eq!(changed.message, "Something else changed StatefulSet cache. The controller restored it.");
    let away = Key { destination: Some("east".into()), ..key() };
    let removed = put_back(&away, Why::Create, true).unwrap();
    assert_eq!(removed.message, "Something else deleted StatefulSet cache at east. The controller re-created it.");
    for (why, known) in [(Why::Create, false), (Why::Change, true), (Why::Adopt, true)] {
        assert_eq!(put_back(&key(), why, known), None, "{why:?}");
    }
}

#[test]
fn a_deletion_tells_what_it_waits_for_and_what_blocks_it() {
    let revision = ReleaseRevision::default();
    let done = plan(Health::Healthy);
    let mut history = History::default();
    history.sees(&Observation { current: Some(release("r-1", &revision)), plan: Some(&done), ..Observation::default() });
    let terminating = Plan { holds: vec![Hold::Terminating { id: "cache".into(), key: key(), held: None }], ..plan(Health::Progressing) };
    let seen = Observation { deleting: true, plan: Some(&terminating), ..Observation::default() };
    let found = history.sees(&seen);
    assert_eq!(
        found,
        [
            ("Deleting", false, "Deletion started: 1 object left.".to_owned()),
            ("DeletionWaits", false, "Waiting for StatefulSet cache to be deleted.".to_owned()),
        ]
    );
    let lost = Hold::Unreachable { id: "cache".into(), key: key(), message: "east does not answer.".into() };
    let lost = Plan { holds: vec![lost], ..plan(Health::Unknown) };
    let found = history.sees(&Observation { plan: Some(&lost), ..seen.clone() });
    assert_eq!(found, [("DeletionBlocked", true, "east does not answer.".to_owned())]);
    let found = history.sees(&Observation { failure: Some("The controller may not delete StatefulSet cache."), ..seen });
    assert_eq!(found.last().unwrap(), &("DeletionBlocked", true, "The controller may not delete StatefulSet cache.".to_owned()));
    let waits = history.status.unwrap().waiting_on.unwrap().message;
    assert_eq!(waits, "Retrying after an error: The controller may not delete StatefulSet cache");
}

#[test]
fn broken_glass_is_a_warning_of_its_own_told_once_for_each() {
    let revision = ReleaseRevision::default();
    let line = |rule: &str, given: &[(&str, DecisionState)], state| ApprovalStatus {
        rule: ApprovalRule { policy: Some("careful".into()), promise: None, name: rule.into() },
        state,
        given: given
            .iter()
            .map(|(name, state)| GivenApproval {
                by: "erin".into(),
                approval: (*name).into(),
                decision: Decision::Approve,
                emergency: true,
                comment: Some("The shop is down".into()),
                state: *state,
                ..GivenApproval::default()
            })
            .collect(),
        ..ApprovalStatus::default()
    };
    let waiting = ReleaseFacts { state: CandidateState::AwaitingApproval, message: Some("Wait."), ..release("r-1", &revision) };
    let seen = Observation { candidate: Some(waiting), ..Observation::default() };
    let mut history = History::default();
    let void = [line("one", &[("a", DecisionState::Void)], ApprovalState::Waiting)];
    assert_eq!(reasons(&history.sees(&Observation { approvals: Some(&void), ..seen.clone() })), ["ApprovalNeeded"], "it did not count");
    // It counts for both rules of its policy, and is one event.
    let broken = [
        line("one", &[("a", DecisionState::Counts)], ApprovalState::Approved),
        line("two", &[("a", DecisionState::Counts)], ApprovalState::Approved),
    ];
    let accepted = Observation { candidate: Some(release("r-1", &revision)), approvals: Some(&broken), ..Observation::default() };
    let found = history.sees(&accepted);
    assert_eq!(reasons(&found), ["ApprovalOverridden", "Approved", "Accepted"]);
    assert_eq!(
        found[0],
        ("ApprovalOverridden", true, "erin overrode all other approvers with the Approval a: The shop is down.".to_owned())
    );
    assert!(found[1].2.contains("EMERGENCY"), "{found:?}");
}

#[test]
fn answers_are_news_and_their_wording_is_not() {
    let revision = ReleaseRevision::default();
    let asks = |message| ReleaseFacts { state: CandidateState::AwaitingApproval, message: Some(message), ..release("r-1", &revision) };
    let line = |state, reason, void: Option<&str>| {
        let given = GivenApproval {
            by: "erin".into(),
            approval: "a".into(),
            decision: Decision::Approve,
            state,
            reason,
            void: void.map(str::to_owned),
            ..GivenApproval::default()
        };
        [ApprovalStatus { given: vec![given], ..ApprovalStatus::default() }]
    };
    let mut history = History::default();
    let mut sees = |message, approvals: &[ApprovalStatus]| {
        let seen = Observation { candidate: Some(asks(message)), approvals: Some(approvals), ..Observation::default() };
        reasons(&history.sees(&seen))
    };
    assert_eq!(sees("One approval is missing.", &[ApprovalStatus::default()]), ["ApprovalNeeded"]);
    let unread = |since| line(DecisionState::Pending, Some(DecisionReason::PermissionUnknown), Some(since));
    assert_eq!(sees("Not readable since 10:00.", &unread("Not readable since 10:00.")), ["ApprovalNeeded"]);
    assert_eq!(sees("Not readable since 10:05.", &unread("Not readable since 10:05.")), Vec::<&str>::new());
    let lacks = line(DecisionState::Void, Some(DecisionReason::NotPermitted), Some("Not readable since 10:05."));
    assert_eq!(sees("Not readable since 10:05.", &lacks), ["ApprovalNeeded"], "the same words about another reason");
}

#[test]
fn changed_policies_are_news_and_their_wording_is_not() {
    let revision = ReleaseRevision::default();
    let rule = |name: &str, sentence: &str| OutdatedRule { rule: name.into(), sentence: Some(sentence.into()), ..OutdatedRule::default() };
    let outdated = |rules| OutdatedStatus { digest: "d".into(), rules, ..OutdatedStatus::default() };
    let mut history = History::default();
    let mut sees = |outdated: &OutdatedStatus| {
        let seen = Observation { current: Some(release("r-1", &revision)), outdated: Some(outdated), ..Observation::default() };
        let found = history.sees(&seen);
        found.iter().filter(|(reason, ..)| *reason == "PolicyOutdated").count()
    };
    assert_eq!(sees(&outdated(vec![rule("size", "Size is at most 3.")])), 1);
    assert_eq!(sees(&outdated(vec![rule("size", "The size is at most 3.")])), 0);
    assert_eq!(sees(&outdated(vec![rule("size", "The size is at most 3."), rule("zone", "The zone is eu.")])), 1);
    let refused = |why: &str| OutdatedStatus { refusals: vec![why.into()], ..outdated(vec![]) };
    assert_eq!([sees(&refused("Size 4 is too large.")), sees(&refused("4 is too large."))], [1, 0]);
}

#[test]
fn what_a_deletion_waits_for_and_when_a_request_expired_are_not_told_from_their_words() {
    let deletes = |object: &str, message: &str| PromiseRequestStatus {
        phase: Phase::Deleting,
        waiting_on: Some(WaitingOn { object: Some(object.into()), ..WaitingOn::new(WaitingKind::Step, WaitingReason::Unhealthy, message) }),
        ..PromiseRequestStatus::default()
    };
    let first = deletes("Job backup", "1 of 3 attempts");
    assert_eq!(milestones(Some(&first), &deletes("Job backup", "2 of 3 attempts")), []);
    assert_eq!(milestones(Some(&first), &deletes("Job close", "1 of 3 attempts"))[0].reason, MilestoneReason::DeletionWaits);

    let expired = |at: &str, message: &str| PromiseRequestStatus {
        phase: Phase::Ready,
        current: Some(CurrentStatus { release: "r-1".into(), expires_at: Some(at.into()), ..CurrentStatus::default() }),
        waiting_on: Some(WaitingOn::new(WaitingKind::Person, WaitingReason::Expired, message)),
        ..PromiseRequestStatus::default()
    };
    let first = expired("2026-11-23T10:00:00Z", "Expired");
    assert_eq!(milestones(Some(&first), &expired("2026-11-23T10:00:00Z", "Has expired")), []);
    let renewed = milestones(Some(&first), &expired("2026-11-24T10:00:00Z", "Expired"));
    assert_eq!(renewed[0].reason, MilestoneReason::RequestExpired);
}

#[test]
fn objects_at_a_destination_that_is_gone_are_counted() {
    let left = left_behind("east", 2);
    assert_eq!((left.reason, left.reason.is_warning()), (MilestoneReason::LeftBehind, true));
    assert_eq!(left.message, "The destination east no longer exists; 2 objects that might still be there can't be removed.");
}
