//! The status of an Approval.

use super::{request, spec};
use crate::api::{
    ApprovalRule, ApprovalSpec, ApprovalState, ApprovalStatus, CandidateState, CandidateStatus, Decision, DecisionReason, DecisionState,
    DecisionStatus, GivenApproval, PromiseRequestStatus, QuestionStatus, StepPolicy, StepStatus,
};
use crate::approval::{RequestInQuestion, Verdict, Written, verdict};

/// A request that waits for the rule `look` of the policy `careful`, with these decisions in the workspace `c1`.
fn waiting(given: Vec<GivenApproval>) -> PromiseRequestStatus {
    let rule = ApprovalRule { policy: Some("careful".into()), promise: None, name: "look".into() };
    let line = ApprovalStatus { rule, source: "root:acme".into(), cluster: "c1".into(), given, stage: 1, ..ApprovalStatus::default() };
    let candidate = CandidateStatus { content_hash: "h".into(), state: CandidateState::AwaitingApproval, ..CandidateStatus::default() };
    let question = QuestionStatus { content_hash: "h".into(), ..QuestionStatus::default() };
    PromiseRequestStatus { approvals: vec![line], candidate: Some(candidate), question: Some(question), ..PromiseRequestStatus::default() }
}

fn given(state: DecisionState, void: Option<&str>) -> GivenApproval {
    GivenApproval { approval: "mine".into(), content_hash: "h".into(), state, void: void.map(str::to_owned), ..GivenApproval::default() }
}

fn of(spec: &ApprovalSpec, cluster: &str, before: Option<&DecisionStatus>, status: Option<&PromiseRequestStatus>) -> Option<Verdict> {
    let request = request();
    let asked = status.map(|status| RequestInQuestion { request: &request, status, steps: &[] });
    verdict(&Written { name: "mine", cluster, spec, before }, asked.as_ref())
}

#[test]
fn the_request_has_the_last_word() {
    let spec = spec("amara", Decision::Approve);
    let counts = of(&spec, "c1", None, Some(&waiting(vec![given(DecisionState::Counts, None)]))).unwrap();
    assert_eq!((counts.state, counts.heard), (DecisionState::Counts, true));
    assert_eq!(counts.message, "Counts for the rule look of the policy careful.");
    for state in [DecisionState::Void, DecisionState::Superseded, DecisionState::Pending] {
        let told = of(&spec, "c1", None, Some(&waiting(vec![given(state, Some("Not so."))]))).unwrap();
        assert_eq!(told, Verdict { state, reason: None, message: "Not so.".into(), heard: true });
    }
    assert_eq!(of(&spec, "c1", None, Some(&waiting(vec![]))), None, "it is heard in a moment");
    assert_eq!(of(&spec, "c1", None, Some(&waiting(vec![GivenApproval { approval: "another".into(), ..GivenApproval::default() }]))), None);
}

#[test]
fn what_no_request_hears_of_is_told_by_comparison() {
    let good = || spec("amara", Decision::Approve);
    let changed = |change: fn(&mut ApprovalSpec)| {
        let mut spec = good();
        change(&mut spec);
        spec
    };
    let waits = waiting(vec![]);
    let mut decided = waiting(vec![GivenApproval { approval: "first".into(), ..given(DecisionState::Counts, None) }]);
    decided.approvals[0].state = ApprovalState::Approved;
    decided.candidate = None;
    for (spec, cluster, status, says) in [
        (good(), "c1", None, "There is no request default/web with the uid u-1."),
        (
            changed(|spec| spec.request.name = "other".into()),
            "c1",
            Some(&waits),
            "The request with the uid u-1 is default/web, but this decision names another one.",
        ),
        (changed(|spec| spec.request.cluster = Some("c9".into())), "c1", Some(&waits), "this decision names another one"),
        (good(), "c2", Some(&waits), "Decisions for the policy careful belong in root:acme, where it is set. This one is elsewhere."),
        (
            changed(|spec| spec.rule.name = "other".into()),
            "c1",
            Some(&waits),
            "No rule other of the policy careful requires approval of web now.",
        ),
        (
            changed(|spec| spec.rule.policy = Some("other".into())),
            "c1",
            Some(&waits),
            "No rule look of the policy other requires approval of web now.",
        ),
        (good(), "c1", Some(&decided), "web was already decided"),
        (
            changed(|spec| spec.content_hash = "x".into()),
            "c1",
            Some(&decided),
            "This decision is for content x, but no approval of web is pending",
        ),
        (good(), "c1", Some(&PromiseRequestStatus::default()), "No rule look of the policy careful requires approval of web now."),
    ] {
        let told = of(&spec, cluster, None, status).unwrap();
        assert!(!told.heard && told.state == DecisionState::Void && told.message.contains(says), "{told:?}");
    }
}

#[test]
fn what_counted_once_is_superseded_and_never_void() {
    let spec = spec("amara", Decision::Approve);
    for (before, now) in [
        (DecisionState::Counts, Some(DecisionState::Superseded)),
        (DecisionState::Pending, Some(DecisionState::Void)),
        (DecisionState::Superseded, None),
        (DecisionState::Void, None),
    ] {
        let before = DecisionStatus { state: before, ..DecisionStatus::default() };
        let told = of(&spec, "c1", Some(&before), None).map(|told| told.state);
        assert_eq!(told, now, "{before:?}: the reason that was given stays");
    }
}

#[test]
fn while_a_request_is_refused_what_was_decided_about_it_stays() {
    let mut refused = waiting(vec![]);
    refused.approvals = Vec::new();
    refused.candidate = None;
    let spec = spec("amara", Decision::Approve);
    assert_eq!(of(&spec, "c1", None, Some(&refused)), None);
    refused.question = None;
    assert!(of(&spec, "c1", None, Some(&refused)).is_some());
}

#[test]
fn a_skip_of_a_step_that_a_policy_requires_belongs_in_the_workspace_of_the_policy() {
    let policy = StepPolicy { policy: "careful".into(), rule: "look".into(), cluster: "c1".into(), ..StepPolicy::default() };
    let steps = [StepStatus {
        id: "policy-1".into(),
        content_hash: Some("h".into()),
        approval: waiting(vec![]).approvals.pop().map(Box::new),
        policy: Some(Box::new(policy)),
        ..StepStatus::default()
    }];
    let (request, status) = (request(), PromiseRequestStatus::default());
    let asked = RequestInQuestion { request: &request, status: &status, steps: &steps };
    let skip = spec("amara", Decision::Skip);
    let of = |cluster| verdict(&Written { name: "mine", cluster, spec: &skip, before: None }, Some(&asked));
    assert_eq!(of("c1"), None, "the step takes it into account");
    assert_eq!(of("c2").and_then(|verdict| verdict.reason), Some(DecisionReason::OtherWorkspace));
}
