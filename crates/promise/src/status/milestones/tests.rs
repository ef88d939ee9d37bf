use serde_json::json;

use super::{MilestoneReason, milestones, put_back};
use crate::api::{
    ApprovalRule, ApprovalState, ApprovalStatus, CandidateState, Decision, DecisionState, GivenApproval, Health, InventoryItem,
    PromiseRequestStatus, ReleaseRevision,
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
