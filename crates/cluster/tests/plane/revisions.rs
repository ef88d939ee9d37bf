//! A revision is its whole hash: a name proves nothing, because whoever writes two promises can look for two that share it.

use cluster::kinds::{Promise, PromiseRevision, object};
use kube::ResourceExt;
use kube::api::{Api, PostParams};
use promise::api::{PromiseRevisionSpec, PromiseSpec};
use serde_json::{Value, json};

use crate::world::{Plane, apply, settings, wait};

crate::world::on_kubernetes![a_revision_of_other_content_under_the_name_is_not_taken_for_the_published_one,];

/// The home's revisions as the controller writes them, where that is possible past the controller.
pub fn of_controller(plane: &Plane) -> Api<PromiseRevision> {
    Api::all(plane.client("opm-controller", "root:platform"))
}

pub fn revision(name: &str, spec: &Value) -> PromiseRevision {
    let spec: PromiseSpec = serde_json::from_value(spec.clone()).unwrap();
    let hash = promise::revision::hash(&spec).unwrap();
    object(name, None, PromiseRevisionSpec { promise: "settings".to_owned(), version: spec.version.clone(), hash, spec })
}

/// What an author could make run instead of what was read.
pub fn other() -> Value {
    let mut other = settings("0.9.0");
    other["implementation"]["resources"][0]["template"]["data"]["forged"] = json!("yes");
    other
}

async fn a_revision_of_other_content_under_the_name_is_not_taken_for_the_published_one(plane: Plane) {
    let spec: PromiseSpec = serde_json::from_value(settings("1.0.0")).unwrap();
    let name = promise::revision::name("settings", &promise::revision::hash(&spec).unwrap());
    let made = of_controller(&plane).create(&PostParams::default(), &revision(&name, &other())).await.unwrap();
    let controller = plane.controller().await;
    let client = plane.client("admin", "root:platform");
    let promise = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": "settings"}, "spec": settings("1.0.0"),
    });
    apply(&client, &promise).await.unwrap();
    let published = |promise: &Promise| promise.status.as_ref()?.conditions.iter().find(|c| c.r#type == "Published").cloned();
    let refused = wait(Api::<Promise>::all(client), "settings", "looked at", |promise| published(promise).is_some()).await;
    let published = published(&refused).unwrap();
    assert_eq!((published.reason.as_str(), published.status), ("Invalid", promise::api::ConditionStatus::False), "{}", published.message);
    assert!(published.message.contains(&made.name_any()), "{}", published.message);
    assert_eq!(refused.status.unwrap().revision, None);
    controller.stop().await;
}
