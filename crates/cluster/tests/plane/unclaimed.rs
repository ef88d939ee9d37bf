//! What a promise renders beside its request, and no workspace lets the controller create.

use cluster::kinds::Promise;
use kube::api::Api;
use promise::api::{Condition, ConditionStatus};
use serde_json::{Value, json};

use crate::world::{Plane, apply, wait};

/// A promise that renders a Lease in the workspace of its request.
fn lease() -> Value {
    json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": "lease"},
        "spec": {
            "version": "1.0.0", "lifecycle": "published",
            "implementation": {"resources": [{"id": "lease", "template": {
                "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "${request.name}"},
            }}]},
        },
    })
}

async fn published(plane: &Plane) -> (Condition, Option<String>) {
    let client = plane.client("admin", "root:platform");
    apply(&client, &lease()).await.unwrap();
    let condition = |promise: &Promise| promise.status.as_ref()?.conditions.iter().find(|c| c.r#type == "Published").cloned();
    let judged = wait(Api::<Promise>::all(client), "lease", "judged", |promise| condition(promise).is_some()).await;
    (condition(&judged).unwrap(), judged.status.unwrap().revision)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promise_that_renders_what_no_claim_allows_is_not_published_on_kcp() {
    let plane = Plane::open().await;
    let controller = plane.controller().await;
    let (condition, revision) = published(&plane).await;
    assert_eq!((condition.status, revision), (ConditionStatus::False, None), "{}", condition.message);
    assert!(condition.message.contains("Name a destination for the Lease"), "{}", condition.message);
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promise_that_renders_the_same_is_published_on_kubernetes() {
    let plane = Plane::namespaces().await;
    let controller = plane.controller().await;
    let (condition, revision) = published(&plane).await;
    assert_eq!(condition.status, ConditionStatus::True, "{}", condition.message);
    assert!(revision.is_some());
    controller.stop().await;
}
