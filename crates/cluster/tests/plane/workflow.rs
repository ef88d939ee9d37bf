//! Workflows of promises: steps come before objects, are retried, rolled back, and survive the controller.

mod approve;
mod endpoints;
mod jobs;
mod lost;
mod rollback;
mod shared;
pub mod tickets;

use k8s_openapi::api::core::v1::Secret;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use promise::api::{ActionPhase, CandidateState, Phase, StepPhase, WaitingReason, WorkflowName, WorkflowPhase};
use promise::names;
use serde_json::{Value, json};

use self::tickets::Tickets;
use crate::action::{act, until};
use crate::approvals::edit;
use crate::running::Running;
use crate::world::{Plane, apply, condition, on_every_plane, settings};

on_every_plane![
    a_ticket_comes_before_the_objects,
    a_step_that_failed_is_retried_and_opens_no_second_ticket,
    an_upgrade_that_fails_returns_to_the_former_release,
    a_first_release_that_fails_is_taken_away_again,
    a_deletion_tells_others_before_the_objects_go,
    what_the_server_would_refuse_is_found_before_anything_is_made,
    a_deletion_is_not_cancelled_by_someone_who_cancelled_an_earlier_run,
    the_deletion_of_a_request_without_objects_has_its_steps,
    an_action_returns_what_its_last_step_returned,
];

/// The promise `settings` with workflows.
fn promise(version: &str, workflows: Value) -> Value {
    let mut spec = settings(version);
    spec["workflows"] = workflows;
    spec
}

fn ticket(title: &str) -> Value {
    json!({"id": "ticket", "title": "Open a ticket", "retry": {"limit": 0}, "http": {
        "endpoint": "tickets", "method": "POST", "path": "/tickets", "body": {"title": title},
        "outputs": {"id": "${answer.body.id}"},
        "poll": {"path": "/tickets/${steps.ticket.id}", "until": "${answer.body.status == 'resolved'}",
            "failWhen": "${answer.body.status == 'rejected'}", "message": "The ticket was rejected.", "every": "2s",
            "outputs": {"zone": "${answer.body.answer}"}},
        "undo": {"method": "DELETE", "path": "/tickets/${steps.ticket.id}"}}})
}

fn objects(after: &str) -> Value {
    json!({"id": "objects", "apply": {"resources": ["config", "access", "more"]}, "dependsOn": [after]})
}

/// A plane with a ticket system.
async fn with_tickets(plane: &Plane) -> (Running, Tickets) {
    let controller = plane.controller().await;
    let tickets = Tickets::open().await;
    apply(&plane.client("admin", "root:platform"), &tickets.endpoint()).await.unwrap();
    plane.offer().await;
    (controller, tickets)
}

fn step(request: &cluster::kinds::PromiseRequest, id: &str) -> Option<StepPhase> {
    request.status.as_ref()?.steps.iter().find(|step| step.id == id).map(|step| step.phase)
}

fn run(request: &cluster::kinds::PromiseRequest) -> Option<(WorkflowName, WorkflowPhase)> {
    request.status.as_ref()?.workflow.as_ref().map(|run| (run.name, run.phase))
}

fn waits(request: &cluster::kinds::PromiseRequest) -> Option<WaitingReason> {
    Some(request.status.as_ref()?.waiting_on.as_ref()?.reason)
}

/// Whether its ticket is open. That it is going to be opened is recorded before.
fn has_ticket(request: &cluster::kinds::PromiseRequest) -> bool {
    request.status.as_ref().is_some_and(|status| status.steps.iter().any(|step| step.id == "ticket" && step.answered))
}

async fn level(plane: &Plane) -> Option<String> {
    plane.config_maps().get_opt("web-config").await.unwrap()?.data?.remove("level")
}

/// Retries what failed, as `kubectl annotate` does.
async fn retry(plane: &Plane) {
    let request = plane.requests("dana").get("web").await.unwrap();
    let attempt = request.status.unwrap().workflow.unwrap().attempt;
    let patch = json!({"metadata": {"annotations": {names::RETRY_ANNOTATION: attempt.to_string()}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
}

async fn a_ticket_comes_before_the_objects(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    plane.publish("settings", promise("1.0.0", json!({"provision": {"steps": [objects("ticket"), ticket("Open ${request.name}")]}}))).await;
    plane.ask("web", "settings", json!({})).await;
    let waiting = plane.until("web", "waiting for its ticket", has_ticket).await;
    assert_eq!(waits(&waiting), Some(WaitingReason::StepRunning));
    assert_eq!((step(&waiting, "ticket"), step(&waiting, "objects")), (Some(StepPhase::Running), Some(StepPhase::Pending)));
    assert_eq!(waiting.status.as_ref().unwrap().phase, Phase::Provisioning);
    assert_eq!(level(&plane).await, None, "nothing is made before");
    assert_eq!(tickets.titles(), ["Open web"]);

    tickets.decide("resolved");
    let ready = plane.ready("web").await;
    assert_eq!(run(&ready), Some((WorkflowName::Provision, WorkflowPhase::Succeeded)));
    assert_eq!(ready.status.unwrap().steps[1].outputs["zone"], "zone-0");
    assert_eq!(tickets.titles(), ["Open web"]);

    // Without a workflow for it, a later release is rolled out at once.
    edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    plane.ready("web").await;
    assert_eq!(level(&plane).await.as_deref(), Some("5"));
    controller.stop().await;
}

async fn a_step_that_failed_is_retried_and_opens_no_second_ticket(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    tickets.is_down(true);
    tickets.new_tickets_are("resolved");
    plane.publish("settings", promise("1.0.0", json!({"provision": {"steps": [ticket("Open it"), objects("ticket")]}}))).await;
    plane.ask("web", "settings", json!({})).await;
    let failed = plane.until("web", "failed", |request| run(request).is_some_and(|(_, phase)| phase == WorkflowPhase::Failed)).await;
    assert_eq!((failed.status.as_ref().unwrap().phase, waits(&failed)), (Phase::Failed, Some(WaitingReason::StepFailed)));
    assert!(condition(&failed, "Applied").contains("“Open a ticket” failed: The endpoint responded with HTTP 503."));
    retry(&plane).await;
    let again = plane.until("web", "failed again", |request| {
        run(request).is_some_and(|(_, phase)| phase == WorkflowPhase::Failed) && request.status != failed.status
    });
    again.await;
    tickets.is_down(false);
    retry(&plane).await;
    plane.ready("web").await;
    assert_eq!(tickets.titles(), ["Open it"]);
    controller.stop().await;
}

async fn an_upgrade_that_fails_returns_to_the_former_release(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    tickets.new_tickets_are("resolved");
    let check = json!({
        "id": "check", "dependsOn": ["objects"], "onFailure": "rollback",
        "validate": {"expression": "${parameters.level < 6}", "message": "The level is too high."},
    });
    plane.publish("settings", promise("1.0.0", json!({"upgrade": {"steps": [ticket("Raise it"), objects("ticket"), check]}}))).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    plane.ready("web").await;
    assert_eq!(tickets.titles(), Vec::<String>::new(), "the first release has no workflow");

    edit(&plane, "web", json!({"parameters": {"level": 7, "extra": true}})).await;
    let back = plane.until("web", "rolled back", |request| run(request) == Some((WorkflowName::Upgrade, WorkflowPhase::RolledBack))).await;
    let status = back.status.as_ref().unwrap();
    assert_eq!((status.phase, waits(&back)), (Phase::Ready, Some(WaitingReason::RolledBack)));
    let candidate = status.candidate.as_ref().unwrap();
    assert_eq!(candidate.state, CandidateState::Failed);
    assert_eq!(candidate.message.as_deref(), Some("The step check failed: The level is too high."));
    assert!(condition(&back, "Ready").starts_with("False"), "{}", condition(&back, "Ready"));
    assert_eq!(level(&plane).await.as_deref(), Some("4"));
    plane.gone(plane.config_maps(), "web-more").await;
    assert_eq!((tickets.titles(), tickets.left()), (vec!["Raise it".to_owned()], vec![]));

    // It stays there until someone edits or retries it.
    edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    let ready = plane.ready("web").await;
    assert_eq!(level(&plane).await.as_deref(), Some("5"));
    assert!(condition(&ready, "Ready").starts_with("True"), "{}", condition(&ready, "Ready"));
    assert_eq!(tickets.left(), ["Raise it"], "the second change has a ticket of its own");
    controller.stop().await;
}

async fn a_first_release_that_fails_is_taken_away_again(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    tickets.new_tickets_are("rejected");
    let mut step = ticket("Open it");
    (step["dependsOn"], step["onFailure"]) = (json!(["objects"]), json!("rollback"));
    let objects = json!({"id": "objects", "apply": {"resources": ["config", "access", "more"]}});
    plane.publish("settings", promise("1.0.0", json!({"provision": {"steps": [objects, step]}}))).await;
    plane.ask("web", "settings", json!({})).await;
    let back = plane.until("web", "rolled back", |request| run(request).is_some_and(|(_, phase)| phase == WorkflowPhase::RolledBack)).await;
    assert_eq!((back.status.as_ref().unwrap().phase, waits(&back)), (Phase::Failed, Some(WaitingReason::RolledBack)));
    assert_eq!(level(&plane).await, None);
    assert!(back.status.unwrap().inventory.is_empty());

    tickets.new_tickets_are("resolved");
    retry(&plane).await;
    plane.ready("web").await;
    assert_eq!(level(&plane).await.as_deref(), Some("3"));
    assert_eq!(tickets.titles(), ["Open it", "Open it"], "another attempt after a rejection is another ticket");
    controller.stop().await;
}

async fn a_deletion_tells_others_before_the_objects_go(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    let first = json!({"id": "access", "delete": {"resources": ["access"]}});
    let mut notice = ticket("Close ${request.name}");
    notice["dependsOn"] = json!(["access"]);
    plane.publish("settings", promise("1.0.0", json!({"deprovision": {"steps": [first, notice]}}))).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.until("web", "waiting for its ticket", has_ticket).await;
    assert!(plane.in_shop::<Secret>("admin").get_opt("web-access").await.unwrap().is_none(), "it goes first");
    assert_eq!(level(&plane).await.as_deref(), Some("3"), "the rest stays until the steps are done");
    tickets.decide("resolved");
    plane.gone(plane.requests("dana"), "web").await;
    assert_eq!(level(&plane).await, None);
    assert_eq!(tickets.titles(), ["Close web"]);
    controller.stop().await;
}

async fn what_the_server_would_refuse_is_found_before_anything_is_made(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    let mut spec = promise(
        "1.0.0",
        json!({"provision": {"steps": [
            {"id": "room", "capacity": {"resources": ["config", "more"]}},
            {"id": "objects", "apply": {"resources": ["config", "access", "more"]}, "dependsOn": ["room"]},
        ]}}),
    );
    // No server takes this name.
    spec["implementation"]["resources"][2]["template"]["metadata"]["name"] = json!("${request.name}_${string(parameters.level)}");
    plane.publish("settings", spec).await;
    plane.ask("web", "settings", json!({"extra": true})).await;
    let failed = plane.until("web", "failed", |request| run(request).is_some_and(|(_, phase)| phase == WorkflowPhase::Failed)).await;
    assert!(condition(&failed, "Applied").contains("The step room failed: "), "{}", condition(&failed, "Applied"));
    assert_eq!(level(&plane).await, None);
    edit(&plane, "web", json!({"parameters": {"extra": false}})).await;
    plane.ready("web").await;
    controller.stop().await;
}

async fn the_deletion_of_a_request_without_objects_has_its_steps(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    tickets.new_tickets_are("resolved");
    let mut spec = promise("1.0.0", json!({"deprovision": {"steps": [ticket("Close ${request.name}")]}}));
    let more = spec["implementation"]["resources"][2].take();
    spec["implementation"]["resources"] = json!([more]);
    spec["outputs"] = json!([]);
    plane.publish("settings", spec).await;
    plane.ask("web", "settings", json!({"extra": false})).await;
    assert!(plane.ready("web").await.status.unwrap().inventory.is_empty());
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    assert_eq!(tickets.titles(), ["Close web"]);
    controller.stop().await;
}

/// A release without a workflow starts the count of attempts again.
async fn a_deletion_is_not_cancelled_by_someone_who_cancelled_an_earlier_run(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    let workflows = json!({
        "provision": {"steps": [ticket("Open it"), objects("ticket")]}, "deprovision": {"steps": [ticket("Close it")]},
    });
    plane.publish("settings", promise("1.0.0", workflows)).await;
    plane.ask("web", "settings", json!({})).await;
    plane.until("web", "waiting for its ticket", has_ticket).await;
    let patch = json!({"metadata": {"annotations": {names::CANCEL_ANNOTATION: "1"}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    plane.until("web", "cancelled", |request| run(request).is_some_and(|(_, phase)| phase == WorkflowPhase::Failed)).await;
    tickets.decide("resolved");
    tickets.new_tickets_are("resolved");
    retry(&plane).await;
    plane.ready("web").await;
    edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    assert_eq!(run(&plane.ready("web").await), None, "this release has no workflow");
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    assert_eq!(tickets.titles().last().map(String::as_str), Some("Close it"));
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn before_whichever_write_the_controller_dies_steps_have_their_effect_once() {
    let plane = Plane::open().await;
    let (controller, tickets) = with_tickets(&plane).await;
    tickets.new_tickets_are("resolved");
    let workflows = json!({
        "provision": {"steps": [ticket("Open ${request.name}"), objects("ticket")]},
        "deprovision": {"steps": [ticket("Close ${request.name}")]},
    });
    plane.publish("settings", promise("1.0.0", workflows)).await;
    controller.crash();
    for writes in 0..14 {
        let name = format!("web-{writes}");
        let (mortal, hangs) = plane.mortal_controller(writes).await;
        plane.ask(&name, "settings", json!({"level": 4, "extra": true})).await;
        tokio::select! {
            () = hangs.notified() => {}
            _ = plane.ready(&name) => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        let ready = plane.ready(&name).await;
        controller.crash();
        let own = ListParams::default().labels(&format!("{}={}", names::REQUEST_UID_LABEL, ready.metadata.uid.unwrap()));
        assert_eq!(plane.config_maps().list(&own).await.unwrap().items.len(), 2, "after {writes} writes");

        let (mortal, hangs) = plane.mortal_controller(writes).await;
        plane.requests("dana").delete(&name, &DeleteParams::default()).await.unwrap();
        tokio::select! {
            () = hangs.notified() => {}
            () = plane.gone(plane.requests("dana"), &name) => {}
        }
        mortal.crash();
        let controller = plane.controller().await;
        plane.gone(plane.requests("dana"), &name).await;
        controller.crash();
        let about = |title: &str| tickets.titles().iter().filter(|known| **known == format!("{title} {name}")).count();
        assert_eq!((about("Open"), about("Close")), (1, 1), "after {writes} writes");
    }
}

async fn an_action_returns_what_its_last_step_returned(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    tickets.new_tickets_are("resolved");
    let mut ask = ticket("Help ${request.name}");
    ask["http"].as_object_mut().unwrap().remove("undo");
    let mut spec = settings("1.0.0");
    spec["actions"] = json!({"ask": {"steps": [ask], "outputs": [{"name": "zone", "value": "${steps.ticket.zone}"}]}});
    plane.publish("settings", spec).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    act(&plane, "help", "ask", json!({})).await;
    let done = until(&plane, "help", ActionPhase::Succeeded).await;
    let outputs: Vec<Value> = done.status.unwrap().outputs.into_iter().map(|output| output.value).collect();
    assert_eq!(outputs, [json!("zone-0")]);
    controller.stop().await;
}
