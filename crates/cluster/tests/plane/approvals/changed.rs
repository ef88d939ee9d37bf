//! Requests that somebody else changed: who wrote what is decided about does not approve it, whoever asked first.

use cluster::kinds::PromiseRequest;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{Patch, PatchParams};
use promise::api::{DecisionReason, DecisionState};
use promise::names;
use serde_json::{Value, json};

use super::stages::told;
use super::{about, asked, candidate, decide, edit, governed, let_do, level};
use crate::trust::let_erin_in;
use crate::world::{Plane, condition, on_every_plane_in_full, settings, wait};

on_every_plane_in_full![
    whoever_changed_a_request_does_not_approve_it,
    whoever_changed_a_wrapper_does_not_approve_what_is_in_it,
    a_rule_about_the_requester_holds_for_whoever_changes_the_request,
    what_asks_for_approval_of_some_people_asks_when_one_of_them_changes_the_request,
];

/// Changes the spec of a request of Dana's as Erin, who decides about it.
async fn edit_as_erin(plane: &Plane, name: &str, spec: Value) {
    plane.requests("erin").patch(name, &PatchParams::default(), &Patch::Merge(json!({"spec": spec}))).await.unwrap();
}

/// Waits until people are asked about another content than before.
async fn asked_anew(plane: &Plane, name: &str, before: &PromiseRequest) -> PromiseRequest {
    let former = candidate(before).content_hash;
    let another = |request: &PromiseRequest| {
        condition(request, "Approved").starts_with("False AwaitingApproval") && candidate(request).content_hash != former
    };
    plane.until(name, "asked about another content", another).await
}

async fn whoever_changed_a_request_does_not_approve_it(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    let_erin_in(&plane).await;
    let_do(&plane, "override", "erin", &["careful"]).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    let first = asked(&plane, "web").await;
    edit_as_erin(&plane, "web", json!({"parameters": {"level": 9}})).await;
    let hers = asked_anew(&plane, "web", &first).await;
    // Whoever she says that it was.
    let forged = json!({"metadata": {"annotations": {names::CHANGED_BY_ANNOTATION: "dana"}}});
    let kept = plane.requests("erin").patch("web", &PatchParams::default(), &Patch::Merge(&forged)).await.unwrap();
    assert_eq!(kept.annotations()[names::CHANGED_BY_ANNOTATION], "erin");
    // Of several decisions of one second the one whose name comes last is the latest.
    decide(&plane, "erin", &about("a-own", &hers, "approve")).await;
    told(&plane, "a-own", DecisionState::Void, DecisionReason::OwnChange).await;
    let mut broken = about("b-broken", &hers, "approve");
    broken.spec.emergency = true;
    decide(&plane, "erin", &broken).await;
    told(&plane, "b-broken", DecisionState::Void, DecisionReason::OwnChange).await;
    assert_eq!(level(&plane, "web").await, None, "nothing is made");

    // What Dana writes herself again, Erin may decide about.
    edit(&plane, "web", json!({"parameters": {"level": 7}})).await;
    let again = asked_anew(&plane, "web", &hers).await;
    decide(&plane, "erin", &about("c-yes", &again, "approve")).await;
    told(&plane, "c-yes", DecisionState::Counts, None).await;
    plane.ready("web").await;
    assert_eq!(level(&plane, "web").await.as_deref(), Some("7"));
    controller.stop().await;
}

/// A promise of a request with a value of its own.
fn wrapper() -> Value {
    json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private",
        "parameters": {"type": "object", "properties": {"level": {"type": "integer", "default": 2}}},
        "implementation": {"resources": [{"id": "inner", "template": {
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "${request.name}-inner"},
            "spec": {"promise": {"name": "settings"}, "parameters": {"level": "${parameters.level}"}},
        }}]},
    })
}

async fn whoever_changed_a_wrapper_does_not_approve_what_is_in_it(plane: Plane) {
    let controller = governed(&plane, json!({})).await;
    let_erin_in(&plane).await;
    plane.publish("wrapper", wrapper()).await;
    plane.ask("web", "wrapper", json!({})).await;
    let first = asked(&plane, "web-inner").await;
    decide(&plane, "erin", &about("a-yes", &first, "approve")).await;
    plane.ready("web-inner").await;

    edit_as_erin(&plane, "web", json!({"parameters": {"level": 9}})).await;
    let hers = asked_anew(&plane, "web-inner", &first).await;
    assert!(!hers.annotations().contains_key(names::CHANGED_BY_ANNOTATION), "who makes it is not who changed it");
    decide(&plane, "erin", &about("b-own", &hers, "approve")).await;
    told(&plane, "b-own", DecisionState::Void, DecisionReason::OwnChange).await;
    assert_eq!(level(&plane, "web-inner").await.as_deref(), Some("2"));

    edit(&plane, "web", json!({"parameters": {"level": 4}})).await;
    let again = asked_anew(&plane, "web-inner", &hers).await;
    decide(&plane, "erin", &about("c-yes", &again, "approve")).await;
    let is_four = |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["level"] == "4");
    wait(plane.config_maps(), "web-inner-config", "as Dana wants it", is_four).await;
    controller.stop().await;
}

/// A rule that is about who asks.
fn about_people(rule: Value) -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "people"},
        "spec": {"title": "People", "owner": {"team": "operations"}, "appliesTo": {"promises": ["settings"]}, "rules": [rule]},
    })
}

/// What Erin may not have, she does not get by changing what Dana asked for.
async fn a_rule_about_the_requester_holds_for_whoever_changes_the_request(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.publish("wrapper", wrapper()).await;
    let_erin_in(&plane).await;
    plane
        .govern(&about_people(json!({
            "name": "who", "validate": {"expression": "!('operations' in request.requester.groups)", "message": "Ask your team."},
        })))
        .await;
    for (name, promise, inner) in [("web", "settings", "web"), ("wrapped", "wrapper", "wrapped-inner")] {
        plane.ask(name, promise, json!({"level": 2})).await;
        plane.ready(inner).await;
        edit_as_erin(&plane, name, json!({"parameters": {"level": 9}})).await;
        let refused = plane.until(inner, "refused", |r| condition(r, "PoliciesSatisfied").contains("Ask your team.")).await;
        let said = condition(&refused, "PoliciesSatisfied");
        assert!(said.contains("The rule also applies to erin"), "{said}");
        assert_eq!(level(&plane, inner).await.as_deref(), Some("2"), "what runs goes on");

        // Nor by leaving the last word to Dana about something else: she writes it herself, and it is hers then.
        edit(&plane, name, json!({"parameters": {"level": 5}})).await;
        let map = format!("{inner}-config");
        wait(plane.config_maps(), &map, "as Dana wants it", |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["level"] == "5"))
            .await;
    }
    // The other way round: what Dana may not have is not hers because Erin, who may, had the last word.
    plane
        .govern(&about_people(json!({
            "name": "who", "validate": {"expression": "!('shop' in request.requester.groups)", "message": "Ask your team."},
        })))
        .await;
    plane.ask("denied", "settings", json!({"level": 2})).await;
    plane.until("denied", "refused", |r| condition(r, "PoliciesSatisfied").contains("Ask your team.")).await;
    edit_as_erin(&plane, "denied", json!({"parameters": {"level": 9}})).await;
    let generation = plane.requests("dana").get("denied").await.unwrap().metadata.generation.unwrap();
    let judged = |r: &PromiseRequest| r.status.as_ref().is_some_and(|status| status.observed_generation == generation);
    let still = plane.until("denied", "judged again", judged).await;
    assert!(condition(&still, "PoliciesSatisfied").contains("Ask your team."), "{}", condition(&still, "PoliciesSatisfied"));
    assert_eq!(level(&plane, "denied").await, None);
    controller.stop().await;
}

/// A rule with a condition about the requester counts as soon as it holds for one of those who are behind the request.
async fn what_asks_for_approval_of_some_people_asks_when_one_of_them_changes_the_request(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    let_erin_in(&plane).await;
    plane.govern(&about_people(json!({"name": "who", "approve": {"when": "'operations' in request.requester.groups"}}))).await;
    plane.ask("web", "settings", json!({"level": 2})).await;
    plane.ready("web").await;
    edit_as_erin(&plane, "web", json!({"parameters": {"level": 9}})).await;
    asked(&plane, "web").await;
    assert_eq!(level(&plane, "web").await.as_deref(), Some("2"));
    controller.stop().await;
}
