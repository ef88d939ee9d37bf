//! Workflows that promises refer to by name, and outputs of steps as outputs of a promise.

use cluster::Endpoint;
use cluster::kinds::{Promise, PromiseRequest};
use kube::Api;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::tickets::Tickets;
use super::{objects, promise, ticket, with_tickets};
use crate::approvals::edit;
use crate::world::{Plane, apply, wait};

crate::world::on_every_plane_in_full![
    a_promise_runs_the_workflow_that_it_refers_to_as_it_was_published,
    a_promise_waits_while_its_workflow_cannot_be_read,
    a_promise_is_published_with_a_workflow_that_the_watch_has_not_delivered,
    an_output_of_a_step_is_an_output_of_the_request_and_stays_with_later_releases,
];

fn shared(title: &str) -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseWorkflow", "metadata": {"name": "with-ticket"},
        "spec": {"title": "With a ticket", "workflow": {"steps": [ticket(title), objects("ticket")]}},
    })
}

fn referring(version: &str) -> Value {
    promise(version, json!({"provision": {"ref": "with-ticket"}}))
}

fn referring_promise() -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": "settings"}, "spec": referring("1.0.0"),
    })
}

/// Waits until the condition `Published` of the promise contains a text.
async fn until_published_contains(plane: &Plane, text: &str) {
    let promises: Api<Promise> = Api::all(plane.client("admin", "root:platform"));
    let message = |promise: &Promise| {
        let published = promise.status.as_ref()?.conditions.iter().find(|condition| condition.r#type == "Published")?;
        Some(published.message.clone())
    };
    wait(promises, "settings", text, |promise| message(promise).is_some_and(|message| message.contains(text))).await;
}

async fn fulfilled(plane: &Plane, name: &str, tickets: &Tickets) -> Option<String> {
    plane.ask(name, "settings", json!({})).await;
    plane.ready(name).await;
    tickets.titles().pop()
}

async fn a_promise_runs_the_workflow_that_it_refers_to_as_it_was_published(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    tickets.new_tickets_are("resolved");
    let home = plane.client("admin", "root:platform");
    apply(&home, &referring_promise()).await.unwrap();
    until_published_contains(&plane, "with-ticket").await;
    apply(&home, &shared("Open ${request.name}")).await.unwrap();
    until_published_contains(&plane, "Version 1.0.0 is published").await;
    assert_eq!(fulfilled(&plane, "web", &tickets).await.as_deref(), Some("Open web"));

    apply(&home, &shared("Ask about ${request.name}")).await.unwrap();
    until_published_contains(&plane, "Increase the version").await;
    assert_eq!(fulfilled(&plane, "second", &tickets).await.as_deref(), Some("Open second"), "what was published stays");
    plane.publish("settings", referring("1.1.0")).await;
    assert_eq!(fulfilled(&plane, "third", &tickets).await.as_deref(), Some("Ask about third"));
    controller.stop().await;
}

async fn a_promise_waits_while_its_workflow_cannot_be_read(plane: Plane) {
    let (controller, blind) = plane.blinded_controller("/promiseworkflows").await;
    let home = plane.client("admin", "root:platform");
    plane.offer().await;
    blind.send_replace(true);
    apply(&home, &shared("Open it")).await.unwrap();
    apply(&home, &referring_promise()).await.unwrap();
    until_published_contains(&plane, "can't read the PromiseWorkflow with-ticket").await;
    blind.send_replace(false);
    until_published_contains(&plane, "Version 1.0.0 is published").await;
    controller.stop().await;
}

async fn a_promise_is_published_with_a_workflow_that_the_watch_has_not_delivered(plane: Plane) {
    let router = plane.router();
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let router = router.clone();
        let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        let is_silent = is_watch && request.uri().path().ends_with("/promiseworkflows");
        async move {
            if is_silent {
                std::future::pending::<()>().await;
            }
            router.oneshot(request).await
        }
    });
    let controller = plane.controller_over(Endpoint::in_process("silent", service)).await;
    let home = plane.client("admin", "root:platform");
    plane.offer().await;
    apply(&home, &shared("Open it")).await.unwrap();
    apply(&home, &referring_promise()).await.unwrap();
    until_published_contains(&plane, "Version 1.0.0 is published").await;
    controller.stop().await;
}

fn zone(request: &PromiseRequest) -> Option<Value> {
    request.status.as_ref()?.outputs.iter().find(|output| output.name == "zone")?.value.clone()
}

async fn an_output_of_a_step_is_an_output_of_the_request_and_stays_with_later_releases(plane: Plane) {
    let (controller, tickets) = with_tickets(&plane).await;
    let mut spec = promise("1.0.0", json!({"provision": {"steps": [ticket("Open it"), objects("ticket")]}}));
    spec["outputs"].as_array_mut().unwrap().push(json!({"name": "zone", "value": "${steps.ticket.zone}"}));
    plane.publish("settings", spec).await;
    plane.ask("web", "settings", json!({})).await;
    let waiting = plane.until("web", "waiting for its ticket", super::has_ticket).await;
    assert_eq!(zone(&waiting), None);
    tickets.decide("resolved");
    assert_eq!(zone(&plane.ready("web").await), Some(json!("zone-0")));
    edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    let later = plane.ready("web").await;
    assert_eq!((zone(&later), later.status.unwrap().workflow), (Some(json!("zone-0")), None), "the change has no workflow");
    controller.stop().await;
}
