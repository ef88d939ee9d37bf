//! Each right that an installation gives to the controller of plain Kubernetes is taken away in turn, and the controller says which one it
//! lacks: so it has no right that it does not need.

use std::time::Duration;

use cluster::controller::ControllerState;
use cluster::kinds::{Destination, Policy, Promise, PromiseAction, PromiseRequest};
use kube::Api;
use promise::api::ActionPhase;
use serde_json::{Value, json};

use super::admin;
use crate::approvals::edit;
use crate::expiry::expire;
use crate::own_rights::{Right, is_for_what_is_lost, rights_in};
use crate::running::Running;
use crate::world::{PATIENCE, Plane, apply, condition, settings, wait};

/// What can be done.
const MENDED: &str = "opm-portal bootstrap";

/// Rights whose loss stands in the log alone: events are lost, and records stay that nobody needs any more.
const LOGGED: &[(&str, &str)] =
    &[("get", "events"), ("create", "events"), ("patch", "events"), ("delete", "promisereleases"), ("get", "promisereleases")];

#[tokio::test(flavor = "multi_thread")]
async fn each_right_taken_away_is_named() {
    let rights = rights_in("deploy/kubernetes/10-rights.yaml", "ServiceAccount");
    assert!(rights.len() >= 35, "{rights:#?}");
    for right in rights.iter().filter(|right| !LOGGED.contains(&(right.verb.as_str(), right.thing.as_str())) && !is_for_what_is_lost(right))
    {
        let plane = Plane::namespaces().await;
        // What is made once is there, unless it is the making that is forbidden.
        if right.verb != "create" {
            let mut before = plane.beginning_controller();
            before.until("working", |state| *state == ControllerState::Ready).await;
            before.stop().await;
        }
        apply(&admin(&plane), &right.role_without).await.unwrap();
        let controller = plane.beginning_controller();
        work_of_every_kind(&plane).await;
        if matches!(right.thing.as_str(), "subjectaccessreviews" | "approvals/status") {
            somebody_decides(&plane).await;
        }
        if (right.verb.as_str(), right.thing.as_str()) == ("delete", "promiserequests") {
            expire(&plane, &controller, "web").await;
        }
        if right.thing == "promiseactions" && matches!(right.verb.as_str(), "create" | "delete") {
            schedule(&plane, &controller, if right.verb == "create" { 0 } else { 2 }).await;
        }
        let words = named(right);
        let naming = async {
            loop {
                let said = everything_said(&plane, &controller).await;
                if words.iter().all(|word| said.contains(word)) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        if tokio::time::timeout(PATIENCE, naming).await.is_err() {
            panic!("{} {} is not named: {}", right.verb, right.thing, everything_said(&plane, &controller).await);
        }
        controller.stop().await;
    }
}

/// What the controller has to say without a right: the verb, the thing, and who can fix it. The plane itself names the first two.
fn named(right: &Right) -> [&str; 3] {
    let thing = match right.thing.split_once(" of ") {
        // It is refused as what is done as somebody else.
        _ if right.verb == "impersonate" => "configmaps",
        Some((_, resource)) => resource,
        None => &right.thing,
    };
    [&right.verb, thing, MENDED]
}

/// One of everything that the controller looks after.
async fn work_of_every_kind(plane: &Plane) {
    let own = |kind: &str, name: &str, spec: Value| json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec});
    let low = json!({"name": "low", "constrain": {"parameter": ".level", "maximum": 9}});
    let look = json!({"name": "look", "approve": {"when": "parameters.level == 9"}});
    let reference = json!({"namespace": "opm-system", "name": "absent"});
    let mut scheduled = settings("1.0.0");
    scheduled["actions"] = json!({"backup": {"steps": [{"id": "check", "validate": {"expression": "${true}", "message": "Always."}}]}});
    scheduled["policies"] = json!([{"name": "hourly", "schedule": {"action": "backup", "cron": "@hourly", "retention": "1m"}}]);
    for object in [
        own("Promise", "settings", scheduled),
        own("Policy", "modest", json!({"title": "Modest", "rules": [low, look], "appliesTo": {"promises": ["settings"]}})),
        own("Destination", "other", json!({"title": "Other", "type": "cluster", "secretRef": reference})),
        own("Endpoint", "tickets", json!({"url": "https://tickets.example.org", "paths": ["/tickets"]})),
    ] {
        apply(&admin(plane), &object).await.unwrap();
    }
    plane.offer().await;
    plane.ask("web", "settings", json!({})).await;
    plane.ask("held", "settings", json!({"level": 9})).await;
    // Whatever comes of it, the controller reads it, makes it one of its request, and says so.
    let run = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseAction", "metadata": {"name": "backup", "namespace": "shop"},
        "spec": {"request": "web", "action": "backup"},
    });
    apply(&admin(plane), &run).await.unwrap();
}

/// Hours pass until a schedule has started so many runs, and is to start another one or to delete the first.
async fn schedule(plane: &Plane, controller: &Running, runs: usize) {
    plane.until("web", "scheduled", |request| request.status.as_ref().is_some_and(|status| !status.schedules.is_empty())).await;
    let last = |request: &PromiseRequest| request.status.as_ref()?.schedules.first()?.last_run.clone();
    let mut before = None;
    for run in 0..runs.max(1) {
        controller.advance(jiff::SignedDuration::from_hours(1));
        edit(plane, "web", json!({"reason": format!("hour {run}")})).await;
        if run < runs {
            let name = last(&plane.until("web", "run", |request| last(request).is_some() && last(request) != before).await).unwrap();
            let is_over = |run: &PromiseAction| run.status.as_ref().is_some_and(|status| status.phase == ActionPhase::Succeeded);
            wait(plane.in_shop::<PromiseAction>("dana"), &name, "over", is_over).await;
            before = Some(name);
        }
    }
}

/// A decision about the request that waits for one.
async fn somebody_decides(plane: &Plane) {
    let held = plane.until("held", "waiting for an approval", |r| condition(r, "Approved").contains("AwaitingApproval")).await;
    let decision = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Approval", "metadata": {"name": "held"},
        "spec": {
            "request": {"namespace": "shop", "name": "held", "uid": held.metadata.uid}, "rule": {"policy": "modest", "name": "look"},
            "contentHash": held.status.unwrap().candidate.unwrap().content_hash, "decision": "approve",
        },
    });
    apply(&admin(plane), &decision).await.unwrap();
}

/// What the controller says of itself, and what it writes where people look.
async fn everything_said(plane: &Plane, controller: &Running) -> String {
    let promise = Api::<Promise>::all(admin(plane)).get("settings").await.unwrap().status;
    let policy = Api::<Policy>::all(admin(plane)).get("modest").await.unwrap().status;
    let destination = Api::<Destination>::all(admin(plane)).get("other").await.unwrap().status;
    let request = plane.requests("dana").get("web").await.unwrap().status;
    let state = controller.state.borrow().to_string();
    let held = plane.requests("dana").get("held").await.unwrap().status;
    format!("{state} {}", json!([promise, policy, destination, request, held]))
}
