//! What was approved is what runs: content that changes without an edit of the spec is decided about again.

use cluster::kinds::{Approval, PromiseRelease};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, Patch, PatchParams};
use promise::api::DecisionState;
use promise::names;
use serde_json::{Value, json};

use super::{about, approvals, asked, candidate, careful, decide, let_decide};
use crate::running::Running;
use crate::world::{Plane, apply, condition, on_every_plane_in_full, wait};

on_every_plane_in_full![
    what_a_label_says_is_approved_with_it,
    a_price_that_changes_while_people_decide_is_the_one_they_were_shown,
    a_secret_that_changes_after_approval_is_decided_about_first,
];

/// A plane on which every request for this promise needs an approval, which Erin may give.
pub(super) async fn governing(plane: &Plane, promise: &str, spec: Value) -> Running {
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish(promise, spec).await;
    let mut policy = careful(json!({}));
    policy["spec"]["appliesTo"]["promises"] = json!([promise]);
    plane.govern(&policy).await;
    let_decide(plane, "erin", &["careful"]).await;
    controller
}

async fn what_a_label_says_is_approved_with_it(plane: Plane) {
    let spec = json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private", "parameters": {"type": "object"},
        "implementation": {"resources": [{"id": "config", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-config"}, "immutable": true,
            "data": {"size": "${has(request.labels.size) ? request.labels.size : 'none'}"},
        }}]},
    });
    let controller = governing(&plane, "sized", spec).await;
    let mut request = crate::world::request("web", "sized", json!({}));
    request.metadata.namespace = Some(plane.namespace().to_owned());
    request.metadata.labels = Some([("size".to_owned(), "small".to_owned())].into());
    plane.requests("dana").create(&kube::api::PostParams::default(), &request).await.unwrap();
    let small = asked(&plane, "web").await;

    let label = |size: &str| Patch::Merge(json!({"metadata": {"labels": {"size": size}}}));
    plane.requests("dana").patch("web", &PatchParams::default(), &label("huge")).await.unwrap();
    let huge = plane.until("web", "asked about the other label", |r| candidate(r).content_hash != candidate(&small).content_hash).await;
    assert!(condition(&huge, "Approved").starts_with("False AwaitingApproval"), "{}", condition(&huge, "Approved"));
    // Whoever saw the small one agreed to nothing else.
    decide(&plane, "erin", &about("small", &small, "approve")).await;
    let counts_not = |approval: &Approval| {
        approval.status.as_ref().is_some_and(|told| matches!(told.state, DecisionState::Void | DecisionState::Superseded))
    };
    wait(approvals(&plane, "admin"), "small", "told that it does not count", counts_not).await;
    assert!(plane.config_maps().get_opt("web-config").await.unwrap().is_none(), "nothing is made");
    plane.requests("dana").patch("web", &PatchParams::default(), &label("small")).await.unwrap();
    let again = plane.until("web", "asked about the first label", |r| candidate(r).content_hash == candidate(&small).content_hash).await;
    decide(&plane, "erin", &about("again", &again, "approve")).await;
    plane.ready("web").await;
    let made = plane.config_maps().get("web-config").await.unwrap();
    assert_eq!(made.data.unwrap()["size"], "small");

    // What runs was rendered with what was recorded, whatever labels say now.
    plane.requests("dana").patch("web", &PatchParams::default(), &label("enormous")).await.unwrap();
    plane.config_maps().delete("web-config", &kube::api::DeleteParams::default()).await.unwrap();
    wait(plane.config_maps(), "web-config", "made again", |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["size"] == "small"))
        .await;
    controller.stop().await;
}

/// A single price that is no part of the total is not in the hash of the content, and yet a template can read it.
async fn a_price_that_changes_while_people_decide_is_the_one_they_were_shown(plane: Plane) {
    let spec = json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private", "parameters": {"type": "object"},
        "cost": {"items": [{"name": "base", "monthly": "${prices.base}"}]},
        "implementation": {"resources": [{"id": "config", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-config"}, "immutable": true,
            "data": {"extra": "${string(prices.extra)}"},
        }}]},
    });
    let controller = governing(&plane, "priced", spec).await;
    let shelf = |extra: &str| {
        json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseCatalog", "metadata": {"name": "standard"},
            "spec": {
                "title": "Standard", "promises": ["*"], "workspaces": ["root:acme:**", "cluster:*"], "currency": "EUR",
                "prices": [{"from": "2020-01-01", "values": {"base": "10.00", "extra": extra}}],
            },
        })
    };
    let platform = plane.client("admin", "root:platform");
    apply(&platform, &shelf("1.00")).await.unwrap();
    plane.ask("web", "priced", json!({})).await;
    let shown = asked(&plane, "web").await;
    apply(&platform, &shelf("2.00")).await.unwrap();
    // Once a later request records the new price, the controller has seen it.
    let recorded = |release: &PromiseRelease| release.spec.context.as_ref().unwrap()["prices"]["extra"].to_string();
    let releases: Api<PromiseRelease> = plane.in_shop("admin");
    let old = recorded(&releases.get(&candidate(&shown).release).await.unwrap());
    for attempt in 0.. {
        let name = format!("later-{attempt}");
        plane.ask(&name, "priced", json!({})).await;
        let later = asked(&plane, &name).await;
        if recorded(&releases.get(&candidate(&later).release).await.unwrap()) != old {
            break;
        }
    }
    let edit = Patch::Merge(json!({"spec": {"reason": "For the shop."}}));
    plane.requests("dana").patch("web", &PatchParams::default(), &edit).await.unwrap();
    decide(&plane, "erin", &about("first", &shown, "approve")).await;
    plane.ready("web").await;
    assert_eq!(plane.config_maps().get("web-config").await.unwrap().data.unwrap()["extra"], old);
    controller.stop().await;
}

pub(super) async fn type_in(plane: &Plane, value: &str) {
    let labels = json!({names::SECRET_ROLE_LABEL: "inputs", names::REQUEST_NAME_LABEL: "web"});
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "stringData": {"password": value},
        "metadata": {"name": "web-inputs", "namespace": plane.namespace(), "labels": labels},
    });
    apply(&plane.client("dana", "root:acme:shop"), &secret).await.unwrap();
}

/// A promise that hands on a typed secret.
pub(super) fn vault() -> Value {
    let reference = json!({"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}});
    json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "private", "secretParameters": [".password"],
        "parameters": {"type": "object", "properties": {"password": reference}},
        "implementation": {"resources": [
            {"id": "access", "template": {
                "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "${request.name}-access"},
                "stringData": {"password": "${parameters.password}"},
            }},
            {"id": "config", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-config"}, "data": {"a": "b"},
            }},
        ]},
    })
}

async fn a_secret_that_changes_after_approval_is_decided_about_first(plane: Plane) {
    let controller = governing(&plane, "vault", vault()).await;
    type_in(&plane, "approved").await;
    plane.ask("web", "vault", json!({"password": {"name": "web-inputs", "key": "password"}})).await;
    let first = asked(&plane, "web").await;
    decide(&plane, "erin", &about("first", &first, "approve")).await;
    plane.ready("web").await;
    let secrets: Api<Secret> = plane.in_shop("dana");
    let holds = |value: &'static [u8]| move |secret: &Secret| secret.data.as_ref().is_some_and(|data| data["password"].0 == value);
    wait(secrets.clone(), "web-access", "made", holds(b"approved")).await;

    type_in(&plane, "changed").await;
    let typed = json!({"metadata": {"annotations": {names::INPUTS_ANNOTATION: "2"}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&typed)).await.unwrap();
    let second = asked(&plane, "web").await;
    assert_ne!(candidate(&second).content_hash, candidate(&first).content_hash);
    let running = second.status.clone().unwrap().current.unwrap();
    assert_eq!(running.release, candidate(&first).release, "what was approved goes on");
    // It is looked after as before, and with the value that was approved.
    plane.config_maps().delete("web-config", &kube::api::DeleteParams::default()).await.unwrap();
    wait(plane.config_maps(), "web-config", "made again", |_: &ConfigMap| true).await;
    assert!(holds(b"approved")(&secrets.get("web-access").await.unwrap()));

    decide(&plane, "erin", &about("second", &second, "approve")).await;
    wait(secrets, "web-access", "changed", holds(b"changed")).await;
    plane.ready("web").await;
    controller.stop().await;
}
