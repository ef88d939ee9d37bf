//! Promises that ask for too much: they come to an end, and everyone else's requests become ready meanwhile.

use kube::api::DeleteParams;
use promise::api::{Phase, StepPhase};
use serde_json::{Value, json};

use crate::destination::sandbox_over;
use crate::workflow::tickets::Tickets;
use crate::world::{Plane, apply, condition, on_every_plane, settings};

on_every_plane![a_promise_that_requests_itself_comes_to_an_end];

fn promise(resources: Value) -> Value {
    json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private",
        "parameters": {"type": "object", "properties": {"count": {"type": "integer", "default": 1}}},
        "implementation": {"resources": resources},
    })
}

async fn a_promise_that_requests_itself_comes_to_an_end(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    let again = json!([{"id": "again", "template": {
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "${request.name}-x"},
        "spec": {"promise": {"name": "loop"}, "parameters": {}},
    }}]);
    plane.publish("loop", promise(again)).await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "loop", json!({})).await;
    let last = format!("web{}", "-x".repeat(9));
    let refused = plane.until(&last, "refused", |request| condition(request, "Accepted").contains("8 times in a row")).await;
    assert!(refused.status.unwrap().inventory.is_empty());
    assert!(plane.requests("dana").get_opt(&format!("{last}-x")).await.unwrap().is_none());
    plane.ask("other", "settings", json!({})).await;
    plane.ready("other").await;

    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    assert!(plane.requests("dana").get_opt(&last).await.unwrap().is_none(), "nothing of it is left");
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_for_each_of_very_many_items_is_refused() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    plane.offer().await;
    let many = json!([{"id": "many", "forEach": "${range(parameters.count)}", "template": {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-${string(index)}"}}}]);
    plane.publish("many", promise(many)).await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "many", json!({"count": 1_000_000_000})).await;
    plane.ask("other", "settings", json!({})).await;
    plane.ready("other").await;
    let refused = plane.until("web", "refused", |request| condition(request, "Accepted").starts_with("False")).await;
    assert_eq!(refused.status.unwrap().inventory, []);
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workflows_that_never_end_keep_no_one_else_waiting() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    let tickets = Tickets::open().await;
    apply(&plane.client("admin", "root:platform"), &tickets.endpoint()).await.unwrap();
    plane.offer().await;
    let mut endless = settings("1.0.0");
    endless["workflows"] = json!({"provision": {"steps": [
        {"id": "ticket", "http": {"endpoint": "tickets", "method": "POST", "path": "/tickets", "body": {"title": "${request.name}"},
            "outputs": {"id": "${answer.body.id}"},
            "poll": {"path": "/tickets/${steps.ticket.id}", "until": "${answer.body.status == 'resolved'}", "every": "2s"}}},
        {"id": "objects", "dependsOn": ["ticket"], "apply": {"resources": ["config", "access", "more"]}},
    ]}});
    plane.publish("endless", endless).await;
    plane.publish("settings", settings("1.0.0")).await;
    for number in 0..40 {
        plane.ask(&format!("stuck-{number}"), "endless", json!({})).await;
    }
    let is_running = |request: &cluster::kinds::PromiseRequest| {
        request.status.as_ref().is_some_and(|status| status.steps.iter().any(|step| step.phase == StepPhase::Running && step.answered))
    };
    for number in 0..40 {
        plane.until(&format!("stuck-{number}"), "polling", is_running).await;
    }
    plane.ask("other", "settings", json!({})).await;
    plane.ready("other").await;
    assert_eq!(tickets.titles().len(), 40, "each has one ticket");
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_jobs_keeps_no_one_else_waiting() {
    let plane = Plane::open().await;
    let kinds = json!([{"group": "batch", "kinds": ["Job"]}, {"group": "", "kinds": ["ConfigMap"]}]);
    sandbox_over(&plane, plane.router(), kinds).await;
    let controller = plane.controller().await;
    plane.offer().await;
    let job = json!({"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "run", "image": "busybox"}]}}}});
    let steps: Vec<Value> = (0..50).map(|n| json!({"id": format!("job{n}"), "job": {"destination": "sandbox", "template": job}})).collect();
    let mut flood = promise(json!([]));
    flood["workflows"] = json!({"provision": {"steps": steps}});
    plane.publish("flood", flood).await;
    plane.publish("settings", settings("1.0.0")).await;
    for number in 0..5 {
        plane.ask(&format!("flood-{number}"), "flood", json!({})).await;
    }
    plane.ask("other", "settings", json!({})).await;
    plane.ready("other").await;
    let waiting = plane.until("flood-4", "running its Jobs", |request| {
        request
            .status
            .as_ref()
            .is_some_and(|status| status.inventory.iter().filter(|item| item.kind == "Job" && item.uid.is_some()).count() == 50)
    });
    assert_eq!(waiting.await.status.unwrap().phase, Phase::Provisioning);
    for number in 0..5 {
        plane.requests("dana").delete(&format!("flood-{number}"), &DeleteParams::default()).await.unwrap();
    }
    for number in 0..5 {
        plane.gone(plane.requests("dana"), &format!("flood-{number}")).await;
    }
    controller.stop().await;
}
