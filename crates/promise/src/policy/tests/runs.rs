//! Policies for actions: what they refuse, what they let wait, and that they leave requests alone.

use std::sync::Arc;

use serde_json::{Value, json};

use super::world::settled;
use crate::api::{PolicySpec, Requester, WaitingKind, WaitingReason};
use crate::context::{ActionContext, Context, RequestContext};
use crate::policy::{
    Origin, PolicySource, Reading, RefusalReason, RunFacts, RunHold, RunVerdict, depends_on_parameters, hold_run, judge_run, validity,
};

fn policy(actions: Value, enforcement: &str, rules: Value) -> PolicySource {
    let spec = json!({
        "title": "Careful", "owner": {"team": "Operations"}, "enforcement": enforcement, "appliesTo": {"actions": actions}, "rules": rules,
    });
    let reading = Arc::new(Reading::of(serde_json::from_value(spec).unwrap(), false));
    PolicySource::new("careful", "root:acme", "acme", Origin::Ancestor { distance: 1 }, reading)
}

fn rule(expression: &str) -> Value {
    json!([{"name": "r", "validate": {"expression": expression, "message": "Ask Operations.", "parameter": ".note"}}])
}

/// Judges a run of `restore` by dana, in the group `shop`, for a request of lee.
fn judged(sources: &[PolicySource]) -> RunVerdict {
    let person = |name: &str, groups: &[&str]| Requester {
        username: name.into(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        ..Requester::default()
    };
    let run = ActionContext { parameters: json!({"note": "now"}), requested_by: person("dana", &["shop"]), ..ActionContext::default() };
    let request = RequestContext { requester: person("lee", &[]), ..RequestContext::default() };
    let context = Context { action: Some(run), request, ..Context::default() };
    let now = "2026-11-27T12:00:00Z".parse().unwrap();
    judge_run(sources, &RunFacts { action: "restore", parameters: &json!({"tier": "production"}), context: &context, now })
}

#[test]
fn a_run_is_refused_unless_the_condition_is_met() {
    for (expression, is_met) in [
        ("action.parameters.note == 'now'", true),
        ("action.parameters.note == 'later'", false),
        ("action.requestedBy.groups.exists(group, group == 'shop')", true),
        ("action.requestedBy.username == request.requester.username", false),
        ("parameters.tier != 'production' || 'operators' in action.requestedBy.groups", false),
        ("has(action.parameters.nothing)", false),
    ] {
        let verdict = judged(&[policy(json!(["restore"]), "block", rule(expression))]);
        assert_eq!(verdict.refusals.is_empty(), is_met, "{expression}");
        for refusal in &verdict.refusals {
            assert!(matches!(&refusal.reason, RefusalReason::Invalid { message, .. } if message == "Ask Operations."));
            let problem = refusal.problem();
            assert_eq!(problem.path, ".parameters.note");
            assert_eq!(problem.message, "Ask Operations. The policy Careful at root:acme (Operations) requires this.");
        }
    }
}

#[test]
fn only_the_named_actions_are_concerned() {
    let of = |actions: Value| judged(&[policy(actions, "block", rule("false"))]).refusals.len();
    assert_eq!(of(json!(["restore"])), 1);
    assert_eq!(of(json!(["re*"])), 1);
    assert_eq!(of(json!(["backup", "rotate"])), 0);
    assert_eq!(of(json!([])), 0, "it is for requests");
    let warned = judged(&[policy(json!(["restore"]), "warn", rule("false"))]);
    assert_eq!((warned.refusals.len(), warned.warnings.len()), (0, 1));
}

#[test]
fn what_cannot_be_evaluated_and_what_is_broken_refuses() {
    let failed = judged(&[policy(json!(["restore"]), "block", rule("action.parameters.nothing == 'x'"))]);
    assert!(matches!(failed.refusals[0].reason, RefusalReason::NotEvaluated { .. }));
    for broken in [
        rule("1 +"),
        rule("nothing.parameters == 1"),
        json!([{"name": "r", "limit": {"count": 1, "per": "workspace"}}]),
        json!([{"name": "r", "window": {"from": "1", "to": "2"}}]),
    ] {
        let sources = [policy(json!(["restore"]), "warn", broken.clone())];
        assert!(matches!(judged(&sources).refusals[0].reason, RefusalReason::Conflict(_)), "{broken}");
        let spec: &PolicySpec = sources[0].spec();
        assert_eq!(validity(spec, false).len(), 1, "{broken}");
    }
    let spec: PolicySpec = serde_json::from_value(json!({"rules": rule("action.parameters.note == 'now'")})).unwrap();
    assert!(validity(&spec, false)[0].message.contains("action"), "policies for requests know no run");
}

#[test]
fn a_run_waits_until_the_windows_of_all_policies_are_open() {
    let windows = |name: &str, spans: &[(&str, &str)]| {
        let rule = |(at, (from, to)): (usize, &(&str, &str))| json!({"name": format!("w{at}"), "window": {"from": from, "to": to}});
        let rules: Vec<Value> = spans.iter().enumerate().map(rule).collect();
        PolicySource { policy: name.into(), ..policy(json!(["*"]), "block", json!(rules)) }
    };
    assert_eq!(judged(&[windows("a", &[("22:00", "23:00"), ("10:00", "14:00")])]).wait, None, "windows of one policy are alternatives");
    let wait = judged(&[windows("a", &[("10:00", "23:00")]), windows("b", &[("22:00", "06:00")])]).wait.unwrap();
    assert_eq!(wait.opens.unwrap().to_string(), "2026-11-27T22:00:00Z");
    assert_eq!(wait.policies.iter().map(|from| from.policy.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(judged(&[windows("a", &[("10:00", "14:00")]), windows("b", &[("22:00", "23:00")])]).wait.unwrap().opens, None);
}

#[test]
fn an_approved_run_waits_for_windows_as_at_its_start_and_for_no_other_rule() {
    let held = |sources: &[PolicySource]| hold_run(sources, "restore", "2026-11-27T12:00:00Z".parse().unwrap());
    let window = |from: &str, to: &str| json!([{"name": "w", "window": {"from": from, "to": to}}]);
    let nights = policy(json!(["restore"]), "block", window("22:00", "06:00"));
    let hold = held(std::slice::from_ref(&nights)).unwrap();
    assert_eq!(hold, RunHold::of(&judged(std::slice::from_ref(&nights)).wait.unwrap()));
    assert_eq!((hold.waiting.kind, hold.waiting.reason), (WaitingKind::Controller, WaitingReason::ChangeWindow));
    assert_eq!(hold.opens.unwrap().to_string(), "2026-11-27T22:00:00Z");
    for open in [
        policy(json!(["restore"]), "block", window("10:00", "14:00")),
        policy(json!(["restore"]), "warn", window("22:00", "06:00")),
        policy(json!(["backup"]), "block", window("22:00", "06:00")),
        policy(json!(["restore"]), "block", rule("false")),
        policy(json!(["restore"]), "block", rule("1 +")),
        policy(json!(["restore"]), "block", json!([{"name": "r", "approve": {"approvers": {"groups": ["operators"]}}}])),
    ] {
        assert_eq!(held(std::slice::from_ref(&open)), None, "{:?}", open.spec());
    }
    let nights = PolicySource { policy: "nights".into(), ..nights };
    let broken = held(&[nights, policy(json!(["restore"]), "block", window("1", "2"))]).unwrap();
    assert_eq!((broken.waiting.kind, broken.waiting.reason), (WaitingKind::Person, WaitingReason::ChangeWindow));
    assert_eq!((broken.waiting.object.as_deref(), broken.opens), (Some("careful"), None));
}

#[test]
fn approvals_are_required_where_their_condition_is_met() {
    let rule = |name: &str, when: Option<&str>| {
        let mut approve = json!({"approvers": {"groups": ["operators"]}, "required": 2, "stage": 2, "expiresAfter": "24h"});
        if let Some(when) = when {
            approve["when"] = json!(when);
        }
        json!({"name": name, "approve": approve})
    };
    for (when, is_met) in [
        (None, true),
        (Some("parameters.tier == 'production'"), true),
        (Some("parameters.tier == 'test'"), false),
        (Some("action.parameters.note == 'now'"), true),
        (Some("!('shop' in action.requestedBy.groups)"), false),
        (Some("action.requestedBy.username == request.requester.username"), false),
    ] {
        for enforcement in ["block", "warn", "audit"] {
            let verdict = judged(&[policy(json!(["restore"]), enforcement, json!([rule("r", when)]))]);
            assert_eq!(verdict.approvals.len(), usize::from(is_met), "{when:?} {enforcement}");
            assert_eq!((verdict.refusals.len(), verdict.warnings.len()), (0, 0), "{when:?}");
            for ruling in verdict.approvals {
                assert_eq!((ruling.from.policy.as_str(), ruling.from.workspace.as_str()), ("careful", "root:acme"));
                assert_eq!((ruling.effect.stage(), ruling.effect.approvers.groups), (2, vec!["operators".to_owned()]));
            }
        }
    }
    let failed = judged(&[policy(json!(["restore"]), "warn", json!([rule("r", Some("action.parameters.nothing == 'x'"))]))]);
    assert!(matches!(failed.refusals[0].reason, RefusalReason::NotEvaluated { .. }) && failed.approvals.is_empty());
    assert!(judged(&[policy(json!(["backup"]), "block", json!([rule("r", None)]))]).approvals.is_empty(), "it is another action");
    let both = judged(&[policy(json!(["*"]), "block", json!([rule("b", None), rule("a", None)]))]).approvals;
    assert_eq!(both.iter().map(|ruling| ruling.from.rule.as_str()).collect::<Vec<_>>(), ["b", "a"], "in the order of the policy");
}

#[test]
fn what_is_wrong_with_an_approval_of_runs_names_the_field() {
    let problems = |approve: Value| {
        let spec = json!({"appliesTo": {"actions": ["restore"]}, "rules": [{"name": "r", "approve": approve}]});
        validity(&serde_json::from_value(spec).unwrap(), false)
    };
    assert_eq!(problems(json!({"approvers": {"groups": ["a"]}, "selfApproval": true, "samePerson": true})), []);
    for (approve, field) in [
        (json!({"required": 0}), ".rules[0].approve.required"),
        (json!({"stage": 0}), ".rules[0].approve.stage"),
        (json!({"expiresAfter": "soon"}), ".rules[0].approve.expiresAfter"),
        (json!({"when": "nothing.parameters == 1"}), ".rules[0].approve.when"),
    ] {
        let paths: Vec<String> = problems(approve.clone()).into_iter().map(|problem| problem.path).collect();
        assert_eq!(paths, [field], "{approve}");
    }
}

#[test]
fn policies_for_actions_leave_requests_alone() {
    let rules = json!([
        {"name": "r", "validate": {"expression": "false", "message": "No."}},
        {"name": "w", "window": {"from": "1", "to": "2"}},
        {"name": "a", "approve": {"approvers": {"groups": ["operators"]}}},
    ]);
    let settled = settled(&[policy(json!(["*"]), "block", rules)], &json!({}));
    assert!(settled.resolved.is_accepted() && settled.effective.is_empty(), "{:?}", settled.resolved.refusals);
    let counts = (settled.effective.sentences.len(), settled.effective.windows.len(), settled.effective.approvals.len());
    assert_eq!(counts, (0, 0, 0));
}

#[test]
fn approvals_depend_on_parameters_that_have_no_value_yet() {
    let run = ActionContext { parameters: json!({"note": "now", "copy": null}), ..ActionContext::default() };
    let context = Context { action: Some(run), ..Context::default() };
    let now = "2026-11-27T12:00:00Z".parse().unwrap();
    let parameters = json!({"tier": "production"});
    let facts = RunFacts { action: "restore", parameters: &parameters, context: &context, now };
    let depends = |when: &str| {
        let rules = json!([{"name": "r", "approve": {"when": when, "approvers": {"users": ["olga"]}}}]);
        depends_on_parameters(&[policy(json!(["restore"]), "block", rules)], &facts)
    };
    for (when, expected) in [
        ("parameters.tier == 'production'", false),
        ("parameters.tier == 'development'", false),
        ("action.parameters.note == 'later'", false),
        ("action.parameters.backup == 'old'", true),
        ("has(action.parameters.backup) && action.parameters.backup == 'old'", true),
        ("has(action.parameters.copy) && action.parameters.copy == 'old'", true),
        ("parameters.tier == 'production' || action.parameters.backup == 'old'", false),
    ] {
        assert_eq!(depends(when), expected, "{when}");
    }
    let without = json!([{"name": "r", "approve": {"approvers": {"users": ["olga"]}}}]);
    assert!(!depends_on_parameters(&[policy(json!(["restore"]), "block", without)], &facts));
    assert!(!depends_on_parameters(&[policy(json!(["restore"]), "block", rule("action.parameters.backup == 'old'"))], &facts));
}
