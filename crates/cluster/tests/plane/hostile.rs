//! Promises that ask for too much: they come to an end, and everyone else's requests become ready meanwhile.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cluster::kinds::PromiseRequest;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams};
use promise::api::{Phase, StepPhase, WorkflowPhase};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::destination::sandbox_over;
use crate::workflow::tickets::Tickets;
use crate::world::{Plane, apply, condition, on_every_plane, settings, wait};

on_every_plane![a_promise_that_requests_itself_comes_to_an_end, promises_request_promises_up_to_a_limit];

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
    let requests = |name: &str| {
        json!([{"id": "again", "template": {
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "${request.name}-x"},
            "spec": {"promise": {"name": name}, "parameters": {}},
        }}])
    };
    plane.publish("loop", promise(requests("between"))).await;
    plane.publish("between", promise(requests("loop"))).await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "loop", json!({})).await;
    let last = "web-x-x";
    let is_refused = |request: &PromiseRequest| condition(request, "Accepted").contains("A request for loop created this one");
    let refused = plane.until(last, "refused", is_refused).await;
    assert!(refused.status.unwrap().inventory.is_empty());
    assert!(plane.requests("dana").get_opt(&format!("{last}-x")).await.unwrap().is_none());
    plane.ask("other", "settings", json!({})).await;
    plane.ready("other").await;

    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    assert!(plane.requests("dana").get_opt(last).await.unwrap().is_none(), "nothing of it is left");
    controller.stop().await;
}

async fn promises_request_promises_up_to_a_limit(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    for level in 0..10 {
        let next = json!([{"id": "next", "template": {
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "${request.name}-x"},
            "spec": {"promise": {"name": format!("level-{}", level + 1)}, "parameters": {}},
        }}]);
        plane.publish(&format!("level-{level}"), promise(next)).await;
    }
    plane.ask("web", "level-0", json!({})).await;
    let last = format!("web{}", "-x".repeat(9));
    let refused = plane.until(&last, "refused", |request| condition(request, "Accepted").contains("8 times in a row")).await;
    assert!(refused.status.unwrap().inventory.is_empty());
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
    let is_running = |request: &PromiseRequest| {
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

/// Returns a value of a ConfigMap.
fn value(map: &ConfigMap, name: &str) -> Option<String> {
    map.data.as_ref()?.get(name).cloned()
}

/// Changes the object that the template of the copy reads, each time the copy is written.
async fn keep_turning(plane: &Plane) {
    for turn in 1_u32.. {
        let turn = turn.to_string();
        let patch = json!({"data": {"turn": turn}});
        plane.config_maps().patch("web-clock", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
        wait(plane.config_maps(), "web-copy", "as the clock", |map: &ConfigMap| value(map, "turn").as_ref() == Some(&turn)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_gives_something_else_each_time_is_applied_less_and_less_often() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    plane.offer().await;
    let object = |name: &str, data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data});
    let copied = "${has(resources.clock.data.turn) ? resources.clock.data.turn : 'none'}";
    let restless = json!([
        {"id": "clock", "template": object("${request.name}-clock", json!({"zone": "UTC"}))},
        {"id": "copy", "template": object("${request.name}-copy", json!({"turn": copied}))},
    ]);
    plane.publish("restless", promise(restless)).await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "restless", json!({})).await;
    plane.ready("web").await;
    let why = |request: &PromiseRequest| {
        let waiting = request.status.as_ref().and_then(|status| status.waiting_on.as_ref());
        waiting.map(|waiting| waiting.message.clone()).unwrap_or_default()
    };
    let held = tokio::select! {
        held = plane.until("web", "held back", |request| why(request).contains("keeps changing")) => held,
        () = keep_turning(&plane) => unreachable!("a clock never stops"),
    };
    assert!(why(&held).starts_with("ConfigMap web-copy isn't healthy yet"), "{}", why(&held));
    let copy = plane.config_maps().get("web-copy").await.unwrap();
    assert_eq!(value(&copy, "turn").as_deref(), Some("10"), "ten changes follow at once, and the next one waits for a minute");

    plane.ask("other", "settings", json!({})).await;
    plane.ready("other").await;
    let edit = json!({"spec": {"parameters": {"count": 2}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    wait(plane.config_maps(), "web-copy", "as the new release wants it", |map: &ConfigMap| value(map, "turn").as_deref() == Some("11"))
        .await;
    plane.ready("web").await;
    controller.stop().await;
}

/// Starts a server that must not be reached. Returns its port and the number of connections to it.
async fn internal_server() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let (port, connections) = (listener.local_addr().unwrap().port(), Arc::<AtomicUsize>::default());
    let count = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            drop(stream);
        }
    });
    (port, connections)
}

/// Starts a server that redirects every call to a port of this machine. Returns its port.
async fn redirecting_server(to: u16) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let elsewhere = axum::response::Redirect::temporary(&format!("http://127.0.0.1:{to}/tickets"));
    let router = axum::Router::new().fallback(move || std::future::ready(elsewhere.clone()));
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn an_http_step_reaches_no_private_address_by_number_name_or_redirect() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    let (port, connections) = internal_server().await;
    let redirecting = redirecting_server(port).await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let (unlisted, listed) = (json!([]), json!(["127.0.0.1/32"]));
    let endpoints = [
        ("number", format!("https://127.0.0.1:{port}"), &unlisted, "isn't public"),
        ("metadata", format!("https://169.254.169.254:{port}"), &unlisted, "isn't public"),
        ("mapped", format!("https://[::ffff:127.0.0.1]:{port}"), &unlisted, "isn't public"),
        ("name", format!("https://localhost:{port}"), &unlisted, "isn't public"),
        ("redirect", format!("http://127.0.0.1:{redirecting}"), &listed, "isn't followed"),
    ];
    for (name, url, addresses, _) in &endpoints {
        let endpoint = json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Endpoint", "metadata": {"name": name},
            "spec": {"url": url, "paths": ["/tickets"], "methods": ["GET"], "addresses": addresses},
        });
        apply(&plane.client("admin", "root:platform"), &endpoint).await.unwrap();
        let mut curious = settings("1.0.0");
        curious["workflows"] = json!({"provision": {"steps": [
            {"id": "look", "retry": {"limit": 0}, "http": {"endpoint": name, "method": "GET", "path": "/tickets"}},
            {"id": "objects", "dependsOn": ["look"], "apply": {"resources": ["config", "access", "more"]}},
        ]}});
        plane.publish(&format!("curious-{name}"), curious).await;
        plane.ask(name, &format!("curious-{name}"), json!({})).await;
    }
    plane.ask("other", "settings", json!({})).await;
    plane.ready("other").await;
    for (name, _, _, why) in &endpoints {
        let failed = plane.until(name, "failed", |request| {
            let run = request.status.as_ref().and_then(|status| status.workflow.as_ref());
            run.is_some_and(|run| run.phase == WorkflowPhase::Failed)
        });
        let step = failed.await.status.unwrap().steps.remove(0);
        assert!(step.message.as_ref().is_some_and(|message| message.contains(why)), "{name}: {step:?}");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0, "nothing was sent to the server");
    controller.stop().await;
}
