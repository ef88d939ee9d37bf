//! Approvals that policies require before the steps of an action.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::action;
use crate::api::{ApprovalState, ApprovalStatus, Approve, PromiseActionStatus, StepPhase, StepReason, WorkflowName, WorkflowPhase};
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
}

impl Acting {
    fn new(approvals: &[Ruling<Approve>]) -> Self {
        let compiled = action::compile(&spec(), "restore").unwrap();
        let workflow = compiled.workflows().get(WorkflowName::Action).unwrap();
        let run = Run::start(workflow, WorkflowName::Action, "orders-1", None, START).asking(required_steps(approvals));
        let (decided, now) = (BTreeMap::new(), START.parse().unwrap());
        let mut acting = Self { compiled: compiled.asking(&run.steps), run, decided, now, retry: None };
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
