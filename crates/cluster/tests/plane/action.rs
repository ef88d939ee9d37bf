//! Actions of requests: they run once and in turn, for those who are allowed, survive the controller, and are cleaned up.

use cluster::kinds::{PromiseAction, object};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use promise::api::{ActionPhase, Requester, WaitingReason};
use promise::names;
use serde_json::{Value, json};

use crate::running::Running;
use crate::world::{Plane, on_every_plane, settings, wait};

mod approvals;
mod policies;
mod windows;

on_every_plane![
    an_action_makes_its_objects_and_takes_them_along_when_it_is_deleted,
    actions_of_a_request_run_one_after_the_other,
    an_action_is_refused_to_people_who_are_not_named,
    a_field_of_the_promise_is_not_changed_and_others_are,
    an_object_is_rotated_once,
    an_action_can_be_cancelled_and_a_failed_one_retried,
    what_an_action_is_about_cannot_be_edited,
];

/// The promise `settings` with actions.
fn promise() -> Value {
    let mut spec = settings("1.0.0");
    spec["actions"] = json!({
        "backup": {
            "title": "Back up",
            "parameters": {"type": "object", "properties": {"note": {"type": "string", "default": "manual"}}},
            "resources": [{"id": "copy", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${action.name}"},
                "data": {"note": "${action.parameters.note}", "level": "${resources.config.data.level}", "by": "${action.requestedBy.username}"},
            }}],
            "steps": [{"id": "make", "apply": {"resources": ["copy"]}}, {"id": "check", "dependsOn": ["make"], "wait": {"resources": ["copy"]}}],
            "outputs": [{"name": "copy", "value": "${resources.copy.metadata.name}"}, {"name": "level", "value": "${parameters.level}"}],
        },
        "restore": {
            "parameters": {"type": "object", "required": ["backup"], "properties": {"backup": {"type": "string"}}},
            "form": {"fields": {".backup": {"reference": {"action": "backup"}}}},
            "steps": [{"id": "mark", "patch": {"resource": "config", "merge": {"data": {"restored": "${action.parameters.backup}"}}}}],
        },
        "wait": {"steps": [{"id": "go", "wait": {"until": "${has(resources.config.data.go)}"}}]},
        "guard": {"allowed": {"groups": ["guards"]}, "steps": [{"id": "mark", "patch": {"resource": "config", "merge": {"data": {"a": "b"}}}}]},
        "raise": {"steps": [{"id": "raise", "patch": {"resource": "config", "merge": {"data": {"level": "9"}}}}]},
        "rotate": {"steps": [
            {"id": "drop", "delete": {"resources": ["access"]}},
            {"id": "again", "dependsOn": ["drop"], "wait": {"until": "${has(resources.access.metadata.uid)}"}},
        ]},
        "check": {"steps": [{"id": "check", "validate": {"expression": "${has(resources.config.data.go)}", "message": "It must go."}}]},
    });
    spec
}

fn actions(plane: &Plane) -> Api<PromiseAction> {
    plane.in_shop("dana")
}

pub async fn act(plane: &Plane, name: &str, action: &str, parameters: Value) {
    let spec = json!({"request": "web", "action": action, "parameters": parameters});
    let run = object(name, Some(plane.namespace()), serde_json::from_value(spec).unwrap());
    actions(plane).create(&PostParams::default(), &run).await.unwrap();
}

pub async fn until(plane: &Plane, name: &str, phase: ActionPhase) -> PromiseAction {
    let is_there = |run: &PromiseAction| run.status.as_ref().is_some_and(|status| status.phase == phase);
    wait(actions(plane), name, &format!("{phase:?}"), is_there).await
}

/// A request `web` with a controller.
async fn with_request(plane: &Plane) -> Running {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", promise()).await;
    plane.ask("web", "settings", json!({"level": 4})).await;
    plane.ready("web").await;
    controller
}

async fn config(plane: &Plane) -> ConfigMap {
    plane.config_maps().get("web-config").await.unwrap()
}

async fn go(plane: &Plane) {
    let patch = json!({"data": {"go": "yes"}});
    plane.config_maps().patch("web-config", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
}

async fn an_action_makes_its_objects_and_takes_them_along_when_it_is_deleted(plane: Plane) {
    let controller = with_request(&plane).await;
    act(&plane, "first", "backup", json!({"note": "before"})).await;
    let done = until(&plane, "first", ActionPhase::Succeeded).await;
    let status = done.status.unwrap();
    let outputs: Vec<Value> = status.outputs.iter().map(|output| output.value.clone()).collect();
    assert_eq!(outputs, [json!("first"), json!(4)]);
    assert_eq!(status.release, plane.requests("dana").get("web").await.unwrap().status.unwrap().current.map(|current| current.release));
    assert!(status.started_at.is_some() && status.finished_at.is_some());
    let copy = plane.config_maps().get("first").await.unwrap().data.unwrap();
    assert_eq!((copy["note"].as_str(), copy["level"].as_str(), copy["by"].as_str()), ("before", "4", "dana"));
    assert_eq!(done.spec.requester.map(|Requester { username, .. }| username).as_deref(), Some("dana"));

    act(&plane, "second", "backup", json!({})).await;
    until(&plane, "second", ActionPhase::Succeeded).await;
    actions(&plane).delete("first", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.config_maps(), "first").await;
    plane.gone(actions(&plane), "first").await;
    assert!(plane.config_maps().get_opt("second").await.unwrap().is_some());
    assert_eq!(actions(&plane).get("second").await.unwrap().metadata.owner_references.unwrap()[0].name, "web");
    controller.stop().await;
}

async fn actions_of_a_request_run_one_after_the_other(plane: Plane) {
    let controller = with_request(&plane).await;
    act(&plane, "a", "wait", json!({})).await;
    until(&plane, "a", ActionPhase::Running).await;
    act(&plane, "b", "backup", json!({})).await;
    let waiting =
        wait(actions(&plane), "b", "waiting", |run: &PromiseAction| run.status.as_ref().is_some_and(|status| status.waiting_on.is_some()));
    let waiting = waiting.await.status.unwrap().waiting_on.unwrap();
    assert_eq!((waiting.reason, waiting.object.as_deref()), (WaitingReason::OtherAction, Some("a")));
    assert_eq!(waiting.who, ["dana"]);
    assert_eq!(plane.config_maps().get_opt("b").await.unwrap(), None);
    go(&plane).await;
    until(&plane, "a", ActionPhase::Succeeded).await;
    until(&plane, "b", ActionPhase::Succeeded).await;

    act(&plane, "of-nothing", "restore", json!({"backup": "a"})).await;
    let refused = until(&plane, "of-nothing", ActionPhase::Refused).await.status.unwrap().message.unwrap();
    assert_eq!(refused, ".backup: choose a backup of this request that succeeded; a isn't one.");
    act(&plane, "of-b", "restore", json!({"backup": "b"})).await;
    until(&plane, "of-b", ActionPhase::Succeeded).await;
    assert_eq!(config(&plane).await.data.unwrap()["restored"], "b");
    controller.stop().await;
}

async fn an_action_is_refused_to_people_who_are_not_named(plane: Plane) {
    let controller = with_request(&plane).await;
    let spec = json!({
        "request": "web", "action": "guard", "requester": {"username": "guard", "groups": ["guards"]},
    });
    let run = object("forged", Some(plane.namespace()), serde_json::from_value(spec).unwrap());
    actions(&plane).create(&PostParams::default(), &run).await.unwrap();
    let refused = until(&plane, "forged", ActionPhase::Refused).await;
    assert_eq!(refused.status.unwrap().message.as_deref(), Some("Only guards can run “guard”."));
    act(&plane, "unknown", "nothing", json!({})).await;
    let refused = until(&plane, "unknown", ActionPhase::Refused).await;
    assert_eq!(refused.status.unwrap().message.as_deref(), Some("The promise has no action nothing."));
    act(&plane, "wrong", "backup", json!({"note": 5})).await;
    until(&plane, "wrong", ActionPhase::Refused).await;
    assert!(!config(&plane).await.data.unwrap().contains_key("a"));
    controller.stop().await;
}

async fn a_field_of_the_promise_is_not_changed_and_others_are(plane: Plane) {
    let controller = with_request(&plane).await;
    act(&plane, "raise", "raise", json!({})).await;
    let failed = until(&plane, "raise", ActionPhase::Failed).await;
    let message = failed.status.unwrap().message.unwrap();
    assert!(message.contains(".data.level is set by the promise; change the request instead."), "{message}");
    act(&plane, "b", "backup", json!({})).await;
    until(&plane, "b", ActionPhase::Succeeded).await;
    act(&plane, "mark", "restore", json!({"backup": "b"})).await;
    until(&plane, "mark", ActionPhase::Succeeded).await;
    // The next release leaves it as it is.
    crate::approvals::edit(&plane, "web", json!({"parameters": {"level": 5}})).await;
    plane.ready("web").await;
    let data = config(&plane).await.data.unwrap();
    assert_eq!((data["level"].as_str(), data["restored"].as_str()), ("5", "b"));
    controller.stop().await;
}

async fn an_object_is_rotated_once(plane: Plane) {
    let controller = with_request(&plane).await;
    let secrets: Api<k8s_openapi::api::core::v1::Secret> = plane.in_shop("admin");
    let before = secrets.get("web-access").await.unwrap().metadata.uid;
    act(&plane, "turn", "rotate", json!({})).await;
    until(&plane, "turn", ActionPhase::Succeeded).await;
    let after = secrets.get("web-access").await.unwrap().metadata.uid;
    assert!(after.is_some() && after != before);
    plane.ready("web").await;
    assert_eq!(secrets.get("web-access").await.unwrap().metadata.uid, after);
    controller.stop().await;
}

async fn an_action_can_be_cancelled_and_a_failed_one_retried(plane: Plane) {
    let controller = with_request(&plane).await;
    act(&plane, "long", "wait", json!({})).await;
    until(&plane, "long", ActionPhase::Running).await;
    let cancel = json!({"spec": {"cancel": true}});
    actions(&plane).patch("long", &PatchParams::default(), &Patch::Merge(&cancel)).await.unwrap();
    until(&plane, "long", ActionPhase::Cancelled).await;

    act(&plane, "check", "check", json!({})).await;
    let failed = until(&plane, "check", ActionPhase::Failed).await;
    let status = failed.status.unwrap();
    assert_eq!(status.message.as_deref(), Some("The step check failed: It must go."));
    go(&plane).await;
    let retry = json!({"metadata": {"annotations": {names::RETRY_ANNOTATION: status.workflow.unwrap().attempt.to_string()}}});
    actions(&plane).patch("check", &PatchParams::default(), &Patch::Merge(&retry)).await.unwrap();
    until(&plane, "check", ActionPhase::Succeeded).await;
    controller.stop().await;
}

async fn what_an_action_is_about_cannot_be_edited(plane: Plane) {
    let controller = with_request(&plane).await;
    act(&plane, "b", "backup", json!({"note": "a"})).await;
    until(&plane, "b", ActionPhase::Succeeded).await;
    for change in [
        json!({"action": "rotate"}),
        json!({"request": "other"}),
        json!({"parameters": {"note": "b"}}),
        json!({"requester": {"username": "guard"}}),
        json!({"requester": null}),
    ] {
        let patch = json!({"spec": change});
        let refused = actions(&plane).patch("b", &PatchParams::default(), &Patch::Merge(&patch)).await;
        assert!(refused.is_err_and(|error| error.to_string().contains("only spec.cancel can be set")), "{change}");
    }
    let status = json!({"status": {"phase": "Failed"}});
    assert!(actions(&plane).patch_status("b", &PatchParams::default(), &Patch::Merge(&status)).await.is_err());
    controller.stop().await;
}

/// The controller dies before each of its writes in turn. Whatever it had done then, the run ends once, with one copy.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_survives_the_controller_at_each_of_its_writes() {
    for writes in 0..12 {
        let plane = Plane::open().await;
        let controller = with_request(&plane).await;
        controller.stop().await;
        act(&plane, "turn", "rotate", json!({})).await;
        act(&plane, "b", "backup", json!({})).await;
        let (controller, hanging) = plane.mortal_controller(writes).await;
        tokio::select! {
            () = hanging.notified() => {}
            _ = until(&plane, "b", ActionPhase::Succeeded) => {}
        }
        controller.crash();
        let controller = plane.controller().await;
        for name in ["turn", "b"] {
            let done = until(&plane, name, ActionPhase::Succeeded).await;
            assert_eq!(done.status.unwrap().steps.iter().map(|step| step.attempts).collect::<Vec<_>>(), [1, 1], "{name} after {writes}");
        }
        plane.ready("web").await;
        assert_eq!(plane.config_maps().get("b").await.unwrap().data.unwrap()["level"], "4");
        controller.stop().await;
    }
}
