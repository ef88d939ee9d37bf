//! Each right that the controller may lose shows as a failure with a name.

use cluster::install;
use cluster::kinds::Export;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::json;

use crate::world::{Plane, condition, settings};

/// Rejects one claim of a workspace's binding.
pub async fn reject(plane: &Plane, at: &str, resource: &str) {
    reject_all(plane, at, &[resource]).await;
}

async fn reject_all(plane: &Plane, at: &str, resources: &[&str]) {
    let mut binding = install::api_binding(Export::Requests, &plane.installed().provider, &plane.installed().tenancy_identity);
    for claim in binding["spec"]["permissionClaims"].as_array_mut().unwrap() {
        if resources.iter().any(|resource| claim["resource"] == *resource) {
            claim["state"] = json!("Rejected");
        }
    }
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("apis.kcp.io", "v1alpha2", "APIBinding"));
    let api: Api<DynamicObject> = Api::all_with(plane.client("admin", at), &kind);
    let params = PatchParams::apply("opm-install").force();
    api.patch(install::binding_name(Export::Requests), &params, &Patch::Apply(&binding)).await.unwrap();
    let dropped = |object: Option<&DynamicObject>| {
        let missing = |o: &DynamicObject| install::missing_claims(Export::Requests, &o.data);
        object.is_some_and(|o| resources.iter().all(|resource| missing(o).iter().any(|name| name.starts_with(resource))))
    };
    kube::runtime::wait::await_condition(api, install::binding_name(Export::Requests), dropped).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_claim_on_what_is_made_names_the_object() {
    for (resource, kind) in [("configmaps", "ConfigMap"), ("secrets", "Secret")] {
        let plane = Plane::open().await;
        let controller = plane.controller().await;
        plane.offer().await;
        plane.publish("settings", settings("1.0.0")).await;
        reject(&plane, "root:acme:shop", resource).await;
        plane.ask("web", "settings", json!({})).await;
        let stopped = plane
            .until("web", "stopped by name", |r| {
                let applied = condition(r, "Applied");
                applied.contains(kind) && applied.contains("isn't allowed to")
            })
            .await;
        assert!(condition(&stopped, "Applied").contains(&format!("\"{resource}\"")), "{}", condition(&stopped, "Applied"));
        controller.stop().await;
    }
}

/// Nothing was ever made where no claim was accepted, so that nothing has to be looked for when the workspace goes.
#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_never_accepted_the_claims_can_be_deleted() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    reject_all(&plane, "root:acme:shop", &["namespaces", "configmaps", "secrets", "events"]).await;
    plane.ask("web", "settings", json!({"extra": true})).await;
    let stopped = plane.until("web", "stopped", |r| condition(r, "Applied").contains("isn't allowed to")).await;
    assert!(stopped.metadata.finalizers.is_some_and(|own| !own.is_empty()), "it would be made as soon as the claims are accepted");
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("tenancy.kcp.io", "v1alpha1", "Workspace"));
    let workspaces: Api<DynamicObject> = Api::all_with(plane.client("admin", "root:acme"), &kind);
    workspaces.delete("shop", &kube::api::DeleteParams::default()).await.unwrap();
    let gone = kube::runtime::wait::await_condition(workspaces, "shop", |object: Option<&DynamicObject>| object.is_none());
    tokio::time::timeout(crate::world::PATIENCE, gone).await.expect("the workspace goes").unwrap();
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organisation_that_hides_its_workspaces_leaves_policies_unknown() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("before", "settings", json!({})).await;
    plane.ready("before").await;
    reject(&plane, "root:acme", "workspaces").await;
    plane.ask("web", "settings", json!({})).await;
    let held = plane.until("web", "held", |r| condition(r, "PoliciesSatisfied").starts_with("Unknown PoliciesNotVisible")).await;
    assert!(held.status.as_ref().unwrap().inventory.is_empty());
    let before = plane.requests("dana").get("before").await.unwrap();
    assert!(condition(&before, "Applied").starts_with("True"), "what runs goes on: {}", condition(&before, "Applied"));
    install::bind(&plane.client("admin", "root:acme"), Export::Requests, plane.installed()).await.unwrap();
    plane.ready("web").await;
    controller.stop().await;
}
