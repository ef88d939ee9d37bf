//! Requests that promises make: the plane stamps the controller, and they are as much one's own as what made them.

use kube::api::DeleteParams;
use promise::api::{DecisionReason, DecisionState};
use serde_json::{Value, json};

use super::stages::told;
use super::{about, asked, decide, edit, governed, let_decide, level};
use crate::running::Running;
use crate::world::{Plane, condition, on_every_plane_in_full, settings};

on_every_plane_in_full![
    whoever_orders_a_wrapper_does_not_approve_what_is_in_it,
    what_was_handed_over_is_approved_by_nobody,
    a_rule_about_the_requester_holds_for_who_ordered_a_wrapper,
];

/// A promise of a request.
fn wrapper() -> Value {
    json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private",
        "parameters": {"type": "object", "properties": {}},
        "implementation": {"resources": [{"id": "inner", "template": {
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": "${request.name}-inner"},
            "spec": {"promise": {"name": "settings"}, "parameters": {"level": 2}},
        }}]},
    })
}

/// A plane on which Dana may decide about settings, and has ordered a wrapper around them that nobody has to approve.
async fn wrapped(plane: &Plane) -> Running {
    let controller = governed(plane, json!({})).await;
    let_decide(plane, "dana", &["careful"]).await;
    plane.publish("wrapper", wrapper()).await;
    plane.ask("web", "wrapper", json!({})).await;
    controller
}

async fn whoever_orders_a_wrapper_does_not_approve_what_is_in_it(plane: Plane) {
    let controller = wrapped(&plane).await;
    let waiting = asked(&plane, "web-inner").await;
    assert_ne!(waiting.spec.requester.as_ref().unwrap().username, "dana", "it is stamped with who made it");
    decide(&plane, "dana", &about("own", &waiting, "approve")).await;
    told(&plane, "own", DecisionState::Void, DecisionReason::OwnRequest).await;
    assert_eq!(level(&plane, "web-inner").await, None);
    plane.until("web", "waiting for what is in it", |r| condition(r, "Ready").contains("web-inner isn't healthy yet: ")).await;
    decide(&plane, "erin", &about("yes", &waiting, "approve")).await;
    plane.ready("web-inner").await;
    plane.ready("web").await;
    controller.stop().await;
}

async fn what_was_handed_over_is_approved_by_nobody(plane: Plane) {
    let controller = wrapped(&plane).await;
    let waiting = asked(&plane, "web-inner").await;
    edit(&plane, "web", json!({"deletionPolicy": "Orphan"})).await;
    plane.requests("dana").delete("web", &DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    for who in ["dana", "erin"] {
        decide(&plane, who, &about(who, &waiting, "approve")).await;
        told(&plane, who, DecisionState::Void, DecisionReason::RequesterUnknown).await;
    }
    assert_eq!(level(&plane, "web-inner").await, None);
    controller.stop().await;
}

/// What Dana may not have herself she gets through no promise of a promise either.
async fn a_rule_about_the_requester_holds_for_who_ordered_a_wrapper(plane: Plane) {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.publish("wrapper", wrapper()).await;
    let mut outer = wrapper();
    outer["implementation"]["resources"][0]["template"]["spec"] = json!({"promise": {"name": "wrapper"}, "parameters": {}});
    plane.publish("outer", outer).await;
    let rule = |expression: &str| {
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "people"},
            "spec": {
                "title": "People", "owner": {"team": "operations"}, "appliesTo": {"promises": ["settings"]},
                "rules": [{"name": "who", "validate": {"expression": expression, "message": "Ask operations."}}],
            },
        })
    };
    plane.govern(&rule("request.requester.username != 'dana'")).await;
    let refused = |request: &cluster::kinds::PromiseRequest| condition(request, "PoliciesSatisfied").contains("Ask operations.");
    for (name, promise, inner) in [("own", "settings", "own"), ("web", "wrapper", "web-inner"), ("far", "outer", "far-inner-inner")] {
        plane.ask(name, promise, json!({})).await;
        plane.until(inner, "refused", refused).await;
        assert_eq!(level(&plane, inner).await, None, "{inner}");
    }

    // Who may have it gets it, and what is made knows who that is.
    plane.govern(&rule("request.requester.username == 'dana'")).await;
    plane.ask("more", "outer", json!({})).await;
    plane.ready("more").await;
    let made = plane.config_maps().get("more-inner-inner-config").await.unwrap();
    assert_eq!(made.data.unwrap()["who"], "dana");
    controller.stop().await;
}
