//! Approvals that policies require before the steps of an action.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::action::{self, Observed, Turn, is_held, phase_in_queue, waits_for_turn};
use crate::api::{
    ActionPhase, ApprovalState, ApprovalStatus, Approve, PromiseActionSpec, PromiseActionStatus, StepPhase, StepReason, WaitingKind,
    WaitingOn, WaitingReason, WorkflowName, WorkflowPhase,
};
use crate::context::Context;
use crate::path::Path;
use crate::policy::{Origin, Provenance, Ruling};
use crate::render::Compiled;
use crate::workflow::{Input, Run, StepDecision, advance, provenance, required_steps, skip_effect};

const START: &str = "2026-05-01T08:00:00Z";

fn ruling(policy: &str, approve: Value) -> Ruling<Approve> {
    let from = Provenance {
        origin: Origin::Ancestor { distance: 1 },
        title: Some(format!("The {policy} policy")),
        owner: Some("Operations".into()),
        reason: Some("Data would be lost".into()),
        ..Provenance::of_promise("root:acme", "acme", policy, "agree")
    };
    Ruling { from, path: Path::default(), effect: serde_json::from_value(approve).unwrap() }
}

fn spec() -> crate::api::PromiseSpec {
    let step = |id: &str| json!({"id": id, "validate": {"expression": "${true}", "message": "No."}});
    let mut check = step("check");
    check["dependsOn"] = json!(["load"]);
    serde_json::from_value(json!({
        "version": "1.0.0", "parameters": {"type": "object"}, "implementation": {"resources": []},
        "actions": {"restore": {"steps": [step("load"), check, step("note")]}},
    }))
    .unwrap()
}

/// A run of an action, and what people decided about its steps.
struct Acting {
    compiled: Compiled,
    run: Run,
    decided: BTreeMap<String, ApprovalState>,
    now: Timestamp,
    retry: Option<&'static str>,
    windows_open: bool,
}

impl Acting {
    fn new(approvals: &[Ruling<Approve>]) -> Self {
        Self::with(approvals, true)
    }

    fn with(approvals: &[Ruling<Approve>], windows_open: bool) -> Self {
        let compiled = action::compile(&spec(), "restore").unwrap();
        let workflow = compiled.workflows().get(WorkflowName::Action).unwrap();
        let run = Run::start(workflow, WorkflowName::Action, "orders-1", None, START).asking(required_steps(approvals));
        let (decided, now) = (BTreeMap::new(), START.parse().unwrap());
        let mut acting = Self { compiled: compiled.asking(&run.steps), run, decided, now, retry: None, windows_open };
        acting.advance();
        acting
    }

    fn advance(&mut self) {
        let workflow = self.compiled.workflows().get(WorkflowName::Action).unwrap();
        let decision = |question: crate::workflow::StepQuestion| {
            let rule = question.policy.as_ref().map(|policy| policy.approval_rule()).unwrap_or_default();
            let state = self.decided.get(&question.step).copied().unwrap_or_default();
            let line = ApprovalStatus { rule, state, ..ApprovalStatus::default() };
            StepDecision { step: question.step, content_hash: question.content_hash, line }
        };
        let input = Input {
            workflow,
            uid: "a-1",
            parameters: &json!({}),
            context: &Context::default(),
            resources: &json!({}),
            unapplied: &BTreeSet::new(),
            unhealthy: &BTreeSet::new(),
            remaining: &BTreeSet::new(),
            jobs: &BTreeMap::new(),
            called: &BTreeMap::new(),
            woken: &BTreeSet::new(),
            decisions: &self.run.questions(workflow, "a-1").into_iter().map(decision).collect::<Vec<_>>(),
            can_roll_back: false,
            is_back: false,
            paused: false,
            windows_open: self.windows_open,
            retry: self.retry,
            cancel: None,
            now: self.now,
        };
        self.run = advance(&input, self.run.clone(), BTreeMap::new()).run;
    }

    fn decide(&mut self, step: &str, state: ApprovalState) {
        self.decided.insert(step.to_owned(), state);
        self.advance();
    }

    fn phases(&self) -> Vec<String> {
        self.run.steps.iter().map(|step| format!("{} {:?}", step.id, step.phase)).collect()
    }

    fn hash(&self, step: usize) -> Option<String> {
        self.run.steps[step].content_hash.clone()
    }

    /// Returns the status of the run whose first step waits for this.
    fn status(&self, held: Option<&WaitingOn>) -> PromiseActionStatus {
        let seen = Observed { generation: 1, run: &self.run, inventory: &[], outputs: &[], held, failure: None };
        action::status(&PromiseActionStatus::default(), &seen, START)
    }

    /// Returns the status of the run when something can't be done now.
    fn failing(&self, previous: &PromiseActionStatus, failure: &str) -> PromiseActionStatus {
        let seen = Observed { generation: 1, run: &self.run, inventory: &[], outputs: &[], held: None, failure: Some(failure) };
        action::status(previous, &seen, START)
    }
}

/// What a run waits for whose window is closed.
fn window() -> WaitingOn {
    WaitingOn::new(WaitingKind::Controller, WaitingReason::ChangeWindow, "Waits for the window of Nights.")
}

#[test]
fn the_steps_of_an_action_wait_for_every_approval_stage_by_stage() {
    let mut acting = Acting::new(&[ruling("late", json!({"stage": 2})), ruling("early", json!({}))]);
    let waiting = ["policy-1 Running", "policy-2 Pending", "load Pending", "check Pending", "note Pending"];
    assert_eq!(acting.phases(), waiting);
    let first = acting.run.steps[0].clone();
    assert_eq!(first.title.as_deref(), Some("Approval required by The early policy"));
    assert_eq!(first.policy.as_ref().map(|policy| (policy.source.as_str(), policy.rule.as_str())), Some(("root:acme", "agree")));
    assert!(acting.hash(0).is_some() && acting.hash(1).is_none());
    acting.decide("policy-1", ApprovalState::Approved);
    assert_eq!(acting.phases()[..3], ["policy-1 Succeeded", "policy-2 Running", "load Pending"]);
    assert_ne!(acting.hash(1), first.content_hash);
    acting.decide("policy-2", ApprovalState::Approved);
    assert_eq!(acting.run.status.phase, WorkflowPhase::Succeeded, "{:?}", acting.phases());
}

#[test]
fn without_approvals_nothing_changes() {
    let acting = Acting::new(&[]);
    assert_eq!(acting.phases(), ["load Succeeded", "check Succeeded", "note Succeeded"]);
}

#[test]
fn a_rejection_ends_the_run_and_a_retry_asks_again_about_this_rule_alone() {
    let mut acting = Acting::new(&[ruling("one", json!({})), ruling("other", json!({}))]);
    let before = (acting.hash(0), acting.hash(1));
    acting.decide("policy-1", ApprovalState::Rejected);
    assert_eq!(acting.phases()[..3], ["policy-1 Failed", "policy-2 Pending", "load Pending"]);
    assert_eq!(acting.run.status.phase, WorkflowPhase::Failed, "no one else is asked about a run that has ended");
    assert_eq!(acting.run.steps[0].reason, Some(StepReason::Rejected));
    (acting.retry, acting.decided) = (Some("1"), BTreeMap::new());
    acting.advance();
    assert_eq!(acting.phases()[..3], ["policy-1 Running", "policy-2 Running", "load Pending"]);
    assert_ne!(acting.hash(0), before.0);
    assert_eq!(acting.hash(1), before.1, "what was decided about it still counts");
}

#[test]
fn an_approval_that_no_one_gives_in_time_expires_and_is_requested_again() {
    let mut acting = Acting::new(&[ruling("one", json!({"expiresAfter": "2h"}))]);
    let before = acting.hash(0);
    acting.now += SignedDuration::from_hours(2);
    acting.advance();
    assert_eq!((acting.run.status.phase, acting.run.steps[0].reason), (WorkflowPhase::Failed, Some(StepReason::TimedOut)));
    acting.retry = Some("1");
    acting.advance();
    assert_eq!(acting.run.steps[0].phase, StepPhase::Running);
    assert_ne!(acting.hash(0), before, "late decisions don't count");
}

#[test]
fn what_was_required_at_the_start_is_in_the_status_without_its_condition() {
    let required = ruling("one", json!({"when": "parameters.tier == 'production'", "approvers": {"groups": ["operators"]}}));
    let acting = Acting::new(std::slice::from_ref(&required));
    let status = PromiseActionStatus { steps: acting.run.steps.clone(), ..PromiseActionStatus::default() };
    let stored: PromiseActionStatus = serde_json::from_value(serde_json::to_value(&status).unwrap()).unwrap();
    assert_eq!(stored.steps, acting.run.steps);
    let policy = stored.steps[0].policy.as_deref().unwrap();
    assert_eq!(policy.approve, Approve { when: None, ..required.effect });
    assert_eq!(provenance(policy), Provenance { origin: Origin::Reference, ..required.from });
}

#[test]
fn every_step_of_the_action_needs_an_approval_that_someone_skips() {
    let acting = Acting::new(&[ruling("one", json!({})), ruling("other", json!({}))]);
    let spec = spec();
    let effect = skip_effect(&spec.actions["restore"].steps, &acting.run.steps, "policy-1");
    assert_eq!(effect.later.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["load", "check", "note"]);
}

#[test]
fn an_approved_run_begins_its_steps_once_windows_are_open() {
    let mut acting = Acting::with(&[ruling("one", json!({})), ruling("other", json!({}))], false);
    acting.decide("policy-1", ApprovalState::Approved);
    assert!(!acting.run.awaits_opening(), "another approval is missing");
    acting.decide("policy-2", ApprovalState::Approved);
    for _ in 0..2 {
        let waiting = ["policy-1 Succeeded", "policy-2 Succeeded", "load Pending", "check Pending", "note Pending"];
        assert_eq!((acting.phases().as_slice(), acting.run.awaits_opening()), (&waiting.map(str::to_owned)[..], true));
        acting.advance();
    }
    acting.windows_open = true;
    acting.advance();
    assert_eq!((acting.run.status.phase, acting.run.awaits_opening()), (WorkflowPhase::Succeeded, false), "{:?}", acting.phases());
    assert!(acting.run.steps.iter().all(|step| step.attempts == 1), "{:?}", acting.run.steps);
}

#[test]
fn windows_hold_neither_a_run_without_approvals_nor_one_that_has_begun() {
    assert_eq!(Acting::with(&[], false).run.status.phase, WorkflowPhase::Succeeded, "its windows were open when it started");
    let mut acting = Acting::new(&[ruling("one", json!({}))]);
    acting.decide("policy-1", ApprovalState::Approved);
    for step in &mut acting.run.steps[2..] {
        (step.phase, step.attempts, step.started_at) = (StepPhase::Pending, 0, None);
    }
    (acting.run.steps[1].phase, acting.run.status.phase) = (StepPhase::Failed, WorkflowPhase::Failed);
    (acting.windows_open, acting.retry) = (false, Some("1"));
    acting.advance();
    assert_eq!(acting.run.status.phase, WorkflowPhase::Succeeded, "a retry continues it: {:?}", acting.phases());
}

#[test]
fn a_run_that_waits_for_approvers_or_then_for_a_window_says_so_and_keeps_no_one_waiting() {
    let mut acting = Acting::with(&[ruling("one", json!({}))], false);
    let asking = acting.status(None);
    assert_eq!((asking.phase, phase_in_queue(Some(&asking))), (ActionPhase::Running, ActionPhase::Pending), "it waits for people");
    assert_eq!(asking.waiting_on.as_ref().map(|waiting| waiting.reason), Some(WaitingReason::RunApprovalNeeded));
    acting.decide("policy-1", ApprovalState::Approved);
    let held = acting.status(Some(&window()));
    assert_eq!((held.phase, phase_in_queue(Some(&held))), (ActionPhase::Running, ActionPhase::Pending));
    assert!(is_held(Some(&held)));
    assert_eq!(held.waiting_on, Some(WaitingOn { since: Some(START.to_owned()), ..window() }));
    // What it waits for is removed before its first step begins: from then on others wait.
    let passed = acting.status(None);
    assert_eq!((phase_in_queue(Some(&passed)), passed.waiting_on.clone()), (ActionPhase::Running, None));

    let turn = |name: &str, second: u8, status: &PromiseActionStatus| {
        Turn::of(name.to_owned(), format!("2026-05-01T08:00:0{second}Z"), &PromiseActionSpec::default(), Some(status))
    };
    let own = turn("own", 1, &PromiseActionStatus::default());
    let waits = |other: Turn| waits_for_turn(&own, &[other]).map(|waiting| waiting.reason);
    assert_eq!(waits(turn("asking", 0, &asking)), None);
    assert_eq!(waits(turn("approved", 0, &held)), None);
    assert_eq!(waits(turn("approved", 0, &passed)), Some(WaitingReason::OtherAction));
    // What can't be done now, such as reading the policies, doesn't make them wait either.
    let failing = acting.failing(&held, "The policies can't be read");
    let waiting = failing.waiting_on.as_ref().map(|waiting| (waiting.kind, waiting.message.as_str()));
    assert_eq!(waiting, Some((WaitingKind::Controller, "The policies can't be read")));
    assert_eq!(waits(turn("approved", 0, &failing)), None);
    assert_eq!(waits(turn("approved", 0, &acting.failing(&PromiseActionStatus::default(), "No answer"))), None);
    let queued = acting.status(Some(&WaitingOn::new(WaitingKind::Step, WaitingReason::OtherAction, "Waiting for another.")));
    assert_eq!(waits(turn("approved", 0, &queued)), Some(WaitingReason::OtherAction), "it is next");
    assert_eq!(waits(turn("approved", 2, &queued)), None, "it was created later");

    acting.windows_open = true;
    acting.advance();
    let done = acting.status(Some(&window()));
    assert_eq!((done.phase, done.waiting_on), (ActionPhase::Succeeded, None));
}
