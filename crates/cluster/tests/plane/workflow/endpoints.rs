//! Steps whose Endpoint can't be called until someone changes it.

use promise::api::{StepReason, WorkflowPhase};
use serde_json::json;

use super::tickets::Tickets;
use super::{objects, promise, run, ticket};
use crate::world::{Plane, apply};

crate::world::on_every_plane_in_full![a_workflow_that_could_not_call_its_endpoint_continues_when_the_endpoint_can_be_called,];

async fn a_workflow_that_could_not_call_its_endpoint_continues_when_the_endpoint_can_be_called(plane: Plane) {
    let (controller, tickets) = (plane.controller().await, Tickets::open().await);
    tickets.new_tickets_are("resolved");
    plane.offer().await;
    plane.publish("settings", promise("1.0.0", json!({"provision": {"steps": [ticket("Open it"), objects("ticket")]}}))).await;
    plane.ask("web", "settings", json!({})).await;
    let failed = |attempt: u32| {
        move |request: &cluster::kinds::PromiseRequest| {
            let workflow = request.status.as_ref().and_then(|status| status.workflow.as_ref());
            workflow.is_some_and(|workflow| workflow.phase == WorkflowPhase::Failed && workflow.attempt >= attempt)
        }
    };
    let missing = plane.until("web", "failed without its Endpoint", failed(1)).await;
    assert_eq!(missing.status.unwrap().steps[0].reason, Some(StepReason::NotAllowed));

    let home = plane.client("admin", "root:platform");
    let mut endpoint = tickets.endpoint();
    endpoint["spec"]["paths"] = json!(["/others"]);
    apply(&home, &endpoint).await.unwrap();
    let refused = plane.until("web", "failed with an Endpoint that doesn't list the path", failed(2)).await;
    assert_eq!(refused.status.unwrap().steps[0].reason, Some(StepReason::NotAllowed));

    apply(&home, &tickets.endpoint()).await.unwrap();
    let ready = plane.ready("web").await;
    assert_eq!(run(&ready).map(|(_, phase)| phase), Some(WorkflowPhase::Succeeded));
    assert_eq!(tickets.titles(), ["Open it"]);
    controller.stop().await;
}
