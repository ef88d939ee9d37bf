//! Decisions that do not count, one by one: each says of itself why, in its status, and changes nothing else.

use cluster::kinds::Approval;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use promise::api::{ApprovalState, CandidateState, DecisionReason, DecisionState, DecisionStatus};
use serde_json::{Value, json};

use super::{about, approvals, asked, candidate, decide, governed, let_decide, level};
use crate::trust::refused;
use crate::world::{Plane, on_every_plane_in_full, wait};

on_every_plane_in_full![
    a_decision_that_does_not_count_says_so_and_changes_nothing,
    nobody_but_the_controller_says_what_became_of_a_decision
];

/// Somebody's attempt, as what differs from a decision that would count.
struct Attempt {
    name: &'static str,
    who: &'static str,
    spec: Value,
    reason: DecisionReason,
}

fn attempt(name: &'static str, who: &'static str, spec: Value, reason: DecisionReason) -> Attempt {
    Attempt { name, who, spec, reason }
}

/// Everything that is tried. Erin may decide about the rule, and so may Dana, who asked; the sandbox may write decisions and decide nothing.
fn attempts(plane: &Plane) -> Vec<Attempt> {
    use DecisionReason::{
        NoSuchRule, NotPermitted, OtherContent, OtherRequest, OverrideMustApprove, OverrideWithoutComment, OwnRequest, RequestNotFound,
    };
    let forged = json!({"decidedBy": {"username": "erin", "groups": ["system:masters"]}});
    let elsewhere = if plane.has_namespaces() { "cluster:elsewhere" } else { "elsewhere" };
    vec![
        attempt("wrong-hash", "erin", json!({"contentHash": "0000"}), OtherContent),
        attempt("no-hash", "erin", json!({"contentHash": ""}), OtherContent),
        attempt("wrong-person", "sandbox", json!({}), NotPermitted),
        attempt("forged-decider", "sandbox", forged, NotPermitted),
        attempt("rejects-without-right", "sandbox", json!({"decision": "reject"}), NotPermitted),
        attempt("own", "dana", json!({}), OwnRequest),
        attempt("other-rule", "erin", json!({"rule": {"name": "other"}}), NoSuchRule),
        attempt("other-policy", "erin", json!({"rule": {"policy": "other"}}), NoSuchRule),
        attempt("of-a-promise", "erin", json!({"rule": {"policy": null, "promise": "careful"}}), NoSuchRule),
        attempt("of-both", "erin", json!({"rule": {"promise": "careful"}}), NoSuchRule),
        attempt("other-uid", "erin", json!({"request": {"uid": "another"}}), RequestNotFound),
        attempt("other-name", "erin", json!({"request": {"name": "other"}}), OtherRequest),
        attempt("other-namespace", "erin", json!({"request": {"namespace": "other"}}), OtherRequest),
        attempt("other-workspace", "erin", json!({"request": {"cluster": elsewhere}}), OtherRequest),
        attempt("a-path", "erin", json!({"request": {"uid": "x", "name": "../../web?watch=true"}}), RequestNotFound),
        attempt("emergency", "erin", json!({"emergency": true}), NotPermitted),
        attempt("silent-emergency", "erin", json!({"emergency": true, "comment": ""}), OverrideWithoutComment),
        attempt("emergency-no", "erin", json!({"emergency": true, "decision": "reject"}), OverrideMustApprove),
    ]
}

/// The approval as its status says it.
async fn told(plane: &Plane, name: &str, what: &str, holds: impl Fn(&DecisionStatus) -> bool) -> Approval {
    wait(approvals(plane, "admin"), name, what, |approval: &Approval| approval.status.as_ref().is_some_and(&holds)).await
}

async fn a_decision_that_does_not_count_says_so_and_changes_nothing(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    let_decide(&plane, "dana", &["careful"]).await;
    let_decide(&plane, "sandbox", &["another"]).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "web").await;
    for Attempt { name, who, spec, reason } in attempts(&plane) {
        let mut tried = json!(about(name, &waiting, "approve"));
        merge(&mut tried["spec"], spec);
        decide(&plane, who, &serde_json::from_value(tried).unwrap()).await;
        let approval = told(&plane, name, &format!("{reason:?}"), |status| status.reason == Some(reason)).await;
        let status = approval.status.unwrap();
        assert_eq!(status.state, DecisionState::Void, "{name}: {status:?}");
        assert!(status.observed_at.is_some() && status.message.ends_with('.'), "{name}: {status:?}");
    }
    if !plane.has_namespaces() {
        let elsewhere: Api<Approval> = Api::all(plane.client("admin", "root:acme"));
        elsewhere.create(&PostParams::default(), &about("elsewhere", &waiting, "approve")).await.unwrap();
        let holds =
            |approval: &Approval| approval.status.as_ref().is_some_and(|status| status.reason == Some(DecisionReason::OtherWorkspace));
        wait(elsewhere, "elsewhere", "OtherWorkspace", holds).await;
    }
    let after = plane.requests("dana").get("web").await.unwrap();
    assert_eq!(candidate(&after).content_hash, candidate(&waiting).content_hash);
    assert_eq!(candidate(&after).state, CandidateState::AwaitingApproval);
    assert_eq!(after.status.as_ref().unwrap().approvals[0].state, ApprovalState::Waiting);
    assert!(after.status.unwrap().current.is_none());
    assert_eq!(level(&plane, "web").await, None, "nothing is made");

    decide(&plane, "erin", &about("yes", &waiting, "approve")).await;
    plane.ready("web").await;
    let yes = told(&plane, "yes", "counted", |status| status.state == DecisionState::Counts).await;
    assert_eq!(yes.status.unwrap().message, "Counts for the rule look of the policy careful.");
    // Whoever comes after that changes nothing either.
    decide(&plane, "erin", &about("after", &waiting, "reject")).await;
    told(&plane, "after", "AlreadyDecided", |status| status.reason == Some(DecisionReason::AlreadyDecided)).await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    told(&plane, "yes", "of a request that is gone", |status| status.state == DecisionState::Superseded).await;
    controller.stop().await;
}

async fn nobody_but_the_controller_says_what_became_of_a_decision(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let waiting = asked(&plane, "web").await;
    let mut born = about("born-counting", &waiting, "approve");
    born.spec.content_hash = "0000".into();
    born.status = Some(DecisionStatus { state: DecisionState::Counts, message: "It counts.".into(), ..DecisionStatus::default() });
    decide(&plane, "erin", &born).await;
    told(&plane, "born-counting", "void", |status| status.state == DecisionState::Void).await;
    let forged = json!({"status": {"state": "counts", "message": "It counts."}});
    for who in ["erin", "dana", "opm-portal", "admin"] {
        let api = approvals(&plane, who);
        refused(who, api.patch_status("born-counting", &PatchParams::default(), &Patch::Merge(&forged)).await);
        let applied = json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Approval", "metadata": {"name": "born-counting"},
            "status": {"state": "counts", "message": "It counts."},
        });
        refused(who, api.patch_status("born-counting", &PatchParams::apply("forger").force(), &Patch::Apply(&applied)).await);
    }
    // Whoever may decide does not remove what others decided.
    let_decide(&plane, "sandbox", &["careful"]).await;
    decide(&plane, "erin", &about("no", &waiting, "reject")).await;
    told(&plane, "no", "counted", |status| status.state == DecisionState::Counts).await;
    decide(&plane, "sandbox", &about("yes", &waiting, "approve")).await;
    refused("sandbox", approvals(&plane, "sandbox").delete("no", &DeleteParams::default()).await);
    approvals(&plane, "erin").delete("no", &DeleteParams::default()).await.unwrap();
    plane.ready("web").await;
    controller.stop().await;
}

/// Lays one value over another, as a merge patch does.
fn merge(into: &mut Value, over: Value) {
    match over {
        Value::Object(fields) if into.is_object() => {
            for (name, value) in fields {
                merge(&mut into[&name], value);
            }
        }
        Value::Null => *into = Value::Null,
        value => *into = value,
    }
}
