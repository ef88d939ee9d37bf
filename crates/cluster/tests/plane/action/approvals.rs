//! Policies that require an approval of runs: people are asked once, by the rule as it was when the run started, and their answer decides
//! what follows.

use cluster::kinds::{Policy, PromiseAction, object};
use kube::api::DeleteParams;
use kube::{Api, ResourceExt};
use promise::api::{ActionPhase, DecisionReason, StepPhase, StepStatus, WaitingKind};
use serde_json::{Value, json};

use super::{act, actions, go, until, with_request};
use crate::approvals::{decide, let_decide};
use crate::world::{Plane, on_every_plane_in_full, wait};

on_every_plane_in_full![
    an_approved_run_goes_on_and_a_rejected_one_ends_and_says_by_whom,
    a_policy_that_comes_or_goes_later_leaves_a_run_that_has_started_alone,
    the_person_who_runs_an_action_doesnt_approve_it,
    one_person_doesnt_approve_a_run_for_two_policies,
];

/// A policy that requires an approval of runs of actions.
fn careful(name: &str, actions: &str, approve: Value) -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": name},
        "spec": {
            "title": format!("Careful {name}"), "appliesTo": {"promises": ["settings"], "actions": [actions]},
            "rules": [{"name": "look", "approve": approve}],
        },
    })
}

pub fn steps(run: &PromiseAction) -> &[StepStatus] {
    run.status.as_ref().map(|status| status.steps.as_slice()).unwrap_or_default()
}

/// Waits until approvers can decide about a step of a run.
pub async fn asked(plane: &Plane, name: &str, step: &str) -> PromiseAction {
    let is_open = |known: &StepStatus| {
        known.id == step && known.phase == StepPhase::Running && known.approval.is_some() && known.content_hash.is_some()
    };
    wait(actions(plane), name, &format!("asking about {step}"), |run| steps(run).iter().any(is_open)).await
}

/// Decides about a step of a run that a policy requires.
pub async fn answer(plane: &Plane, who: &str, name: &str, run: &PromiseAction, (step, decision): (&str, &str)) {
    let request = plane.requests("dana").get("web").await.unwrap();
    let step = steps(run).iter().find(|known| known.id == step).unwrap();
    let policy = step.policy.as_ref().unwrap();
    let spec = json!({
        "request": {"namespace": request.namespace(), "name": "web", "uid": request.uid()},
        "rule": {"policy": policy.policy, "name": policy.rule},
        "contentHash": step.content_hash, "decision": decision, "comment": "because I looked",
    });
    decide(plane, who, &object(name, None, serde_json::from_value(spec).unwrap())).await;
}

/// Waits until a run lists a decision that doesn't count for this reason.
async fn uncounted(plane: &Plane, name: &str, reason: DecisionReason) {
    let lists = |run: &PromiseAction| {
        let lines = steps(run).iter().filter_map(|step| step.approval.as_deref());
        lines.flat_map(|line| &line.given).any(|given| given.reason == Some(reason))
    };
    wait(actions(plane), name, &format!("{reason:?}"), lists).await;
}

async fn an_approved_run_goes_on_and_a_rejected_one_ends_and_says_by_whom(plane: Plane) {
    let controller = with_request(&plane).await;
    let approve = json!({"when": "action.parameters.note != 'free'", "approvers": {"groups": ["operations"]}});
    plane.govern(&careful("careful", "back*", approve)).await;
    let_decide(&plane, "erin", &["careful"]).await;
    act(&plane, "free", "backup", json!({"note": "free"})).await;
    let free = until(&plane, "free", ActionPhase::Succeeded).await;
    assert_eq!(steps(&free).len(), 2, "its condition isn't met");

    act(&plane, "good", "backup", json!({})).await;
    let asking = asked(&plane, "good", "policy-1").await;
    let phases: Vec<_> = steps(&asking).iter().map(|step| (step.id.as_str(), step.phase)).collect();
    assert_eq!(phases, [("policy-1", StepPhase::Running), ("make", StepPhase::Pending), ("check", StepPhase::Pending)]);
    let waiting = asking.status.as_ref().unwrap().waiting_on.clone().unwrap();
    assert_eq!((waiting.kind, waiting.who.as_slice()), (WaitingKind::Person, &["operations".to_owned()][..]));
    assert_eq!(plane.config_maps().get_opt("good").await.unwrap(), None, "nothing is made yet");
    answer(&plane, "erin", "yes", &asking, ("policy-1", "approve")).await;
    let done = until(&plane, "good", ActionPhase::Succeeded).await;
    assert!(steps(&done)[0].message.as_ref().unwrap().starts_with("erin approved it"), "{:?}", steps(&done)[0]);

    act(&plane, "bad", "backup", json!({})).await;
    let asking = asked(&plane, "bad", "policy-1").await;
    answer(&plane, "erin", "no", &asking, ("policy-1", "reject")).await;
    let ended = until(&plane, "bad", ActionPhase::Failed).await;
    assert!(steps(&ended)[0].message.as_ref().unwrap().starts_with("erin rejected it"), "{:?}", steps(&ended)[0]);
    assert_eq!(plane.config_maps().get_opt("bad").await.unwrap(), None);
    controller.stop().await;
}

async fn a_policy_that_comes_or_goes_later_leaves_a_run_that_has_started_alone(plane: Plane) {
    let controller = with_request(&plane).await;
    act(&plane, "before", "wait", json!({})).await;
    until(&plane, "before", ActionPhase::Running).await;
    plane.govern(&careful("careful", "*", json!({"approvers": {"groups": ["operations"]}}))).await;
    let_decide(&plane, "erin", &["careful"]).await;
    go(&plane).await;
    let before = until(&plane, "before", ActionPhase::Succeeded).await;
    assert_eq!(steps(&before).iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["go"]);

    act(&plane, "after", "backup", json!({})).await;
    let asking = asked(&plane, "after", "policy-1").await;
    let policies: Api<Policy> = Api::all(plane.client("admin", "root:platform"));
    policies.delete("careful", &DeleteParams::default()).await.unwrap();
    // The rule still says who decides, and that someone has to.
    answer(&plane, "erin", "yes", &asking, ("policy-1", "approve")).await;
    let after = until(&plane, "after", ActionPhase::Succeeded).await;
    let line = steps(&after)[0].approval.as_ref().unwrap();
    assert_eq!((line.given.len(), line.given[0].by.as_str()), (1, "erin"));
    controller.stop().await;
}

async fn the_person_who_runs_an_action_doesnt_approve_it(plane: Plane) {
    let controller = with_request(&plane).await;
    plane.govern(&careful("careful", "*", json!({}))).await;
    let_decide(&plane, "dana", &["careful"]).await;
    let_decide(&plane, "erin", &["careful"]).await;
    act(&plane, "b", "backup", json!({})).await;
    let asking = asked(&plane, "b", "policy-1").await;
    answer(&plane, "dana", "own", &asking, ("policy-1", "approve")).await;
    uncounted(&plane, "b", DecisionReason::OwnRequest).await;
    assert_eq!(plane.config_maps().get_opt("b").await.unwrap(), None);
    answer(&plane, "erin", "yes", &asking, ("policy-1", "approve")).await;
    until(&plane, "b", ActionPhase::Succeeded).await;
    controller.stop().await;
}

async fn one_person_doesnt_approve_a_run_for_two_policies(plane: Plane) {
    let controller = with_request(&plane).await;
    plane.govern(&careful("first", "*", json!({}))).await;
    plane.govern(&careful("second", "*", json!({}))).await;
    let_decide(&plane, "erin", &["first", "second"]).await;
    let_decide(&plane, "olga", &["first", "second"]).await;
    act(&plane, "b", "backup", json!({})).await;
    asked(&plane, "b", "policy-1").await;
    let asking = asked(&plane, "b", "policy-2").await;
    answer(&plane, "erin", "one", &asking, ("policy-1", "approve")).await;
    answer(&plane, "erin", "two", &asking, ("policy-2", "approve")).await;
    uncounted(&plane, "b", DecisionReason::ApprovedElsewhere).await;
    assert_eq!(plane.config_maps().get_opt("b").await.unwrap(), None);
    answer(&plane, "olga", "three", &asking, ("policy-2", "approve")).await;
    until(&plane, "b", ActionPhase::Succeeded).await;
    controller.stop().await;
}

/// The controller dies before each of its writes in turn, before people are asked and after they decided.
#[tokio::test(flavor = "multi_thread")]
async fn people_are_asked_about_a_run_once_whichever_write_the_controller_dies_before() {
    for writes in 0..8 {
        let plane = Plane::open().await;
        let controller = with_request(&plane).await;
        plane.govern(&careful("careful", "*", json!({}))).await;
        let_decide(&plane, "erin", &["careful"]).await;
        controller.stop().await;
        act(&plane, "b", "backup", json!({})).await;
        let (mortal, hanging) = plane.mortal_controller(writes).await;
        tokio::select! {
            () = hanging.notified() => {}
            _ = asked(&plane, "b", "policy-1") => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        let asking = asked(&plane, "b", "policy-1").await;
        controller.crash();

        let (mortal, hanging) = plane.mortal_controller(writes).await;
        answer(&plane, "erin", "yes", &asking, ("policy-1", "approve")).await;
        tokio::select! {
            () = hanging.notified() => {}
            _ = until(&plane, "b", ActionPhase::Succeeded) => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        let done = until(&plane, "b", ActionPhase::Succeeded).await;
        let attempts: Vec<_> = steps(&done).iter().map(|step| (step.id.as_str(), step.attempts)).collect();
        assert_eq!(attempts, [("policy-1", 1), ("make", 1), ("check", 1)], "after {writes} writes");
        let given = &steps(&done)[0].approval.as_ref().unwrap().given;
        assert_eq!(given.len(), 1, "after {writes} writes");
        assert_eq!(Some(&given[0].content_hash), steps(&asking)[0].content_hash.as_ref(), "after {writes} writes");
        controller.stop().await;
    }
}
