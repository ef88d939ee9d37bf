//! Versions of a promise: which one a request runs, when it moves to another, and how it returns to the one before.

use cluster::kinds::{Policy, PromiseRelease, PromiseRequest};
use jiff::SignedDuration;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use promise::api::{CandidateState, Phase, WaitingReason};
use serde_json::{Value, json};

use crate::approvals::{about, asked, careful, decide, edit, let_decide, level};
use crate::running::Running;
use crate::windows::{before_the_opening, nights};
use crate::world::{Plane, condition, on_every_plane, request, settings};

on_every_plane![
    a_new_version_runs_only_where_it_is_requested,
    patch_releases_are_installed_automatically_and_minor_releases_are_not,
    minor_releases_are_installed_automatically_and_major_releases_are_not,
    an_upgrade_that_requires_a_new_field_is_refused_until_it_is_entered,
    a_rollback_runs_the_earlier_release_again,
    a_rollback_needs_the_approval_that_a_new_release_needs,
    an_automatic_upgrade_waits_for_its_window,
    a_version_that_is_not_published_is_refused_and_the_running_one_stays,
    a_paused_request_is_neither_changed_nor_corrected_until_it_is_resumed,
];

/// The promise `settings` in a version that requires a zone.
fn zoned(version: &str) -> Value {
    let mut spec = settings(version);
    spec["parameters"]["required"] = json!(["zone"]);
    spec["parameters"]["properties"]["zone"] = json!({"type": "string"});
    spec["implementation"]["resources"][0]["template"]["data"]["zone"] = json!("${parameters.zone}");
    spec
}

/// A request that runs version 1.0.0 at level 2.
async fn running(plane: &Plane) -> Running {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    assert_eq!(version(&plane.ready("web").await), "1.0.0");
    controller
}

fn version(request: &PromiseRequest) -> String {
    request.status.as_ref().unwrap().current.as_ref().unwrap().version.clone()
}

fn release(request: &PromiseRequest) -> String {
    request.status.as_ref().unwrap().current.as_ref().unwrap().release.clone()
}

/// Waits until a request runs a version.
async fn reaches(plane: &Plane, name: &str, version: &str) -> PromiseRequest {
    let runs = |request: &PromiseRequest| {
        let current = request.status.as_ref().and_then(|status| status.current.as_ref());
        current.is_some_and(|current| current.version == version) && condition(request, "Ready").starts_with("True")
    };
    plane.until(name, &format!("upgraded to {version}"), runs).await
}

/// Waits until another request runs a version: from then on the controller knows it.
async fn is_published(plane: &Plane, version: &str) {
    let mut other = request("other", "settings", json!({}));
    other.metadata.namespace = Some(plane.namespace().to_owned());
    other.spec.promise.version = Some(format!("={version}"));
    plane.requests("dana").create(&PostParams::default(), &other).await.unwrap();
    reaches(plane, "other", version).await;
}

async fn config(plane: &Plane) -> ConfigMap {
    plane.config_maps().get("web-config").await.unwrap()
}

async fn a_new_version_runs_only_where_it_is_requested(plane: Plane) {
    let controller = running(&plane).await;
    plane.publish("settings", settings("1.1.0")).await;
    is_published(&plane, "1.1.0").await;
    edit(&plane, "web", json!({"parameters": {"level": 4}})).await;
    assert_eq!(version(&plane.ready("web").await), "1.0.0", "an edit isn't an upgrade");
    edit(&plane, "web", json!({"promise": {"version": "1.1.0"}})).await;
    reaches(&plane, "web", "1.1.0").await;
    assert_eq!(level(&plane, "web").await.as_deref(), Some("4"), "its values move with it");
    controller.stop().await;
}

async fn patch_releases_are_installed_automatically_and_minor_releases_are_not(plane: Plane) {
    let controller = running(&plane).await;
    edit(&plane, "web", json!({"upgrade": "patch"})).await;
    plane.ready("web").await;
    plane.publish("settings", settings("1.0.1")).await;
    reaches(&plane, "web", "1.0.1").await;
    plane.publish("settings", settings("1.1.0")).await;
    is_published(&plane, "1.1.0").await;
    edit(&plane, "web", json!({"parameters": {"level": 4}})).await;
    assert_eq!(version(&plane.ready("web").await), "1.0.1");
    controller.stop().await;
}

async fn minor_releases_are_installed_automatically_and_major_releases_are_not(plane: Plane) {
    let controller = running(&plane).await;
    edit(&plane, "web", json!({"upgrade": "minor"})).await;
    plane.ready("web").await;
    plane.publish("settings", settings("1.1.0")).await;
    reaches(&plane, "web", "1.1.0").await;
    plane.publish("settings", settings("2.0.0")).await;
    is_published(&plane, "2.0.0").await;
    edit(&plane, "web", json!({"parameters": {"level": 4}})).await;
    assert_eq!(version(&plane.ready("web").await), "1.1.0");
    controller.stop().await;
}

async fn an_upgrade_that_requires_a_new_field_is_refused_until_it_is_entered(plane: Plane) {
    let controller = running(&plane).await;
    plane.publish("settings", zoned("2.0.0")).await;
    edit(&plane, "web", json!({"promise": {"version": "2.0.0"}})).await;
    let is_refused = |request: &PromiseRequest| {
        let accepted = condition(request, "Accepted");
        accepted.starts_with("False") && accepted.contains(".parameters.zone")
    };
    let refused = plane.until("web", "refused by its field", is_refused).await;
    assert_eq!(refused.status.as_ref().unwrap().phase, Phase::Ready, "the running release stays");
    assert_eq!((version(&refused).as_str(), level(&plane, "web").await.as_deref()), ("1.0.0", Some("2")));
    edit(&plane, "web", json!({"parameters": {"zone": "north"}})).await;
    reaches(&plane, "web", "2.0.0").await;
    assert_eq!(config(&plane).await.data.unwrap()["zone"], "north");
    controller.stop().await;
}

async fn a_rollback_runs_the_earlier_release_again(plane: Plane) {
    let controller = running(&plane).await;
    let first = plane.requests("dana").get("web").await.unwrap();
    plane.publish("settings", zoned("2.0.0")).await;
    edit(&plane, "web", json!({"promise": {"version": "2.0.0"}, "parameters": {"level": 6, "zone": "north"}})).await;
    let second = reaches(&plane, "web", "2.0.0").await;
    assert_ne!(release(&second), release(&first));
    edit(&plane, "web", json!({"promise": {"version": "=1.0.0"}, "parameters": {"level": 2, "zone": null}})).await;
    let back = reaches(&plane, "web", "1.0.0").await;
    assert_eq!(release(&back), release(&first), "the same content is the same release");
    assert_eq!(back.status.as_ref().unwrap().current.as_ref().unwrap().generation, back.metadata.generation);
    assert!(back.metadata.generation > second.metadata.generation, "a rollback is a change like any other");
    let data = config(&plane).await.data.unwrap();
    assert_eq!((data["level"].as_str(), data.get("zone")), ("2", None));
    let releases: Api<PromiseRelease> = plane.in_shop("dana");
    assert!(releases.get_opt(&release(&second)).await.unwrap().is_some(), "the newer release can be chosen again");
    controller.stop().await;
}

async fn a_rollback_needs_the_approval_that_a_new_release_needs(plane: Plane) {
    let controller = running(&plane).await;
    plane.publish("settings", settings("1.1.0")).await;
    edit(&plane, "web", json!({"promise": {"version": "1.1.0"}, "parameters": {"level": 6}})).await;
    reaches(&plane, "web", "1.1.0").await;
    plane.govern(&careful(json!({"approvers": {"groups": ["operations"]}}))).await;
    let_decide(&plane, "erin", &["careful"]).await;
    edit(&plane, "web", json!({"promise": {"version": "=1.0.0"}, "parameters": {"level": 2}})).await;
    let waiting = asked(&plane, "web").await;
    let candidate = waiting.status.as_ref().unwrap().candidate.clone().unwrap();
    assert_eq!((candidate.version.as_str(), candidate.state), ("1.0.0", CandidateState::AwaitingApproval));
    assert_eq!((version(&waiting).as_str(), level(&plane, "web").await.as_deref()), ("1.1.0", Some("6")));
    decide(&plane, "erin", &about("back", &waiting, "approve")).await;
    reaches(&plane, "web", "1.0.0").await;
    assert_eq!(level(&plane, "web").await.as_deref(), Some("2"));
    controller.stop().await;
}

async fn an_automatic_upgrade_waits_for_its_window(plane: Plane) {
    let controller = running(&plane).await;
    edit(&plane, "web", json!({"upgrade": "minor"})).await;
    plane.ready("web").await;
    before_the_opening(&controller, SignedDuration::from_hours(1));
    plane.govern(&nights("nights", "03:00", "04:00")).await;
    plane.publish("settings", settings("1.1.0")).await;
    let waits = |request: &PromiseRequest| {
        let status = request.status.as_ref();
        status.and_then(|status| Some(status.waiting_on.as_ref()?.reason)) == Some(WaitingReason::ChangeWindow)
    };
    let waiting = plane.until("web", "waiting for its window", waits).await;
    let candidate = waiting.status.as_ref().unwrap().candidate.clone().unwrap();
    assert_eq!((candidate.version.as_str(), candidate.state), ("1.1.0", CandidateState::AwaitingWindow));
    assert_eq!(version(&waiting), "1.0.0");
    let policies: Api<Policy> = Api::all(plane.client("admin", "root:platform"));
    policies.delete("nights", &DeleteParams::default()).await.unwrap();
    reaches(&plane, "web", "1.1.0").await;
    controller.stop().await;
}

async fn a_version_that_is_not_published_is_refused_and_the_running_one_stays(plane: Plane) {
    let controller = running(&plane).await;
    edit(&plane, "web", json!({"promise": {"version": "3"}})).await;
    let is_refused = |request: &PromiseRequest| condition(request, "Accepted").starts_with("False");
    let refused = plane.until("web", "refused", is_refused).await;
    let accepted = condition(&refused, "Accepted");
    assert!(accepted.contains(".promise.version") && accepted.contains("Published: 1.0.0."), "{accepted}");
    assert_eq!((refused.status.as_ref().unwrap().phase, version(&refused).as_str()), (Phase::Ready, "1.0.0"));
    edit(&plane, "web", json!({"promise": {"version": null}})).await;
    let settled = plane.ready("web").await;
    assert!(condition(&settled, "Ready").starts_with("True"), "{}", condition(&settled, "Ready"));
    controller.stop().await;
}

async fn a_paused_request_is_neither_changed_nor_corrected_until_it_is_resumed(plane: Plane) {
    let controller = running(&plane).await;
    edit(&plane, "web", json!({"paused": true})).await;
    plane.ready("web").await;
    let drift = json!({"data": {"level": "9"}});
    plane.config_maps().patch("web-config", &PatchParams::default(), &Patch::Merge(&drift)).await.unwrap();
    let edited = edit(&plane, "web", json!({"parameters": {"level": 4}})).await;
    let is_held = |request: &PromiseRequest| {
        let Some(status) = request.status.as_ref() else { return false };
        let waits = status.waiting_on.as_ref().is_some_and(|waits| waits.reason == WaitingReason::Paused);
        waits && Some(status.observed_generation) == edited.metadata.generation
    };
    plane.until("web", "paused with a change", is_held).await;
    assert_eq!(level(&plane, "web").await.as_deref(), Some("9"));
    edit(&plane, "web", json!({"paused": false})).await;
    plane.ready("web").await;
    assert_eq!(level(&plane, "web").await.as_deref(), Some("4"));
    controller.stop().await;
}
