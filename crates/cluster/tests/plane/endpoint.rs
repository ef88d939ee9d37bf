//! Endpoints say whether they can be called, on every plane.

use cluster::install;
use cluster::kinds::Endpoint;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use promise::names;
use serde_json::{Value, json};

use crate::world::{Plane, apply, wait};

crate::world::on_every_plane_in_full![
    an_endpoint_says_whether_it_can_be_called,
    what_the_schema_of_an_endpoint_and_a_workflow_refuses_is_not_stored,
];

fn endpoint(spec: Value) -> Value {
    json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Endpoint", "metadata": {"name": "tickets"}, "spec": spec})
}

/// Waits for the condition `Valid` with this reason; the answer is its message.
async fn valid(api: &Api<Endpoint>, reason: &str) -> String {
    let conditions = |endpoint: &Endpoint| endpoint.status.clone().unwrap_or_default().conditions;
    let said = wait(api.clone(), "tickets", reason, |endpoint: &Endpoint| {
        let current = endpoint.status.as_ref().map(|status| status.observed_generation) == endpoint.metadata.generation;
        current && conditions(endpoint).iter().any(|condition| condition.r#type == "Valid" && condition.reason == reason)
    })
    .await;
    conditions(&said)[0].message.clone()
}

async fn an_endpoint_says_whether_it_can_be_called(plane: Plane) {
    let controller = plane.controller().await;
    let home = plane.client("admin", "root:platform");
    let api: Api<Endpoint> = Api::all(home.clone());
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": install::SYSTEM_NAMESPACE}});
    apply(&home, &namespace).await.unwrap();

    let reference = json!({"namespace": install::SYSTEM_NAMESPACE, "name": "tickets"});
    apply(&home, &endpoint(json!({"url": "http://tickets.example.org", "paths": ["/../admin"], "secretRef": reference}))).await.unwrap();
    let said = valid(&api, "Invalid").await;
    assert!(said.contains(".url: ") && said.contains(".paths[0]: "), "{said}");

    let good = json!({"url": "https://tickets.example.org", "paths": ["/tickets/*"]});
    api.patch("tickets", &PatchParams::default(), &Patch::Merge(&json!({"spec": good}))).await.unwrap();
    let said = valid(&api, "NoCredential").await;
    assert!(said.contains("of the endpoint tickets"), "{said}");

    let labels = json!({names::SECRET_ROLE_LABEL: install::ROLE_DESTINATION});
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "stringData": {"token": "s3cret"},
        "metadata": {"name": "tickets", "namespace": install::SYSTEM_NAMESPACE, "labels": labels},
    });
    apply(&home, &secret).await.unwrap();
    assert_eq!(valid(&api, "Valid").await, "The endpoint can be called");

    // The credential of a cluster is labelled in the same way.
    let key = json!({"spec": {"secretRef": {"key": "kubeconfig"}}, "metadata": {"labels": {"changed": "once"}}});
    let cluster = json!({"stringData": {"kubeconfig": "s3cret"}});
    let secrets: Api<k8s_openapi::api::core::v1::Secret> = Api::namespaced(home.clone(), install::SYSTEM_NAMESPACE);
    secrets.patch("tickets", &PatchParams::default(), &Patch::Merge(&cluster)).await.unwrap();
    api.patch("tickets", &PatchParams::default(), &Patch::Merge(&key)).await.unwrap();
    let said = valid(&api, "NoCredential").await;
    assert!(said.contains("credential of a destination") && !said.contains("s3cret"), "{said}");

    api.delete("tickets", &DeleteParams::default()).await.unwrap();
    plane.gone(api, "tickets").await;
    controller.stop().await;
}

async fn what_the_schema_of_an_endpoint_and_a_workflow_refuses_is_not_stored(plane: Plane) {
    let home = plane.client("admin", "root:platform");
    let url = "https://tickets.example.org";
    for spec in [
        json!({"paths": ["/tickets"]}),
        json!({"url": url, "methods": ["TRACE"]}),
        json!({"url": url, "authorization": {"type": "digest"}}),
        json!({"url": url, "secretRef": {"name": "tickets"}}),
    ] {
        assert!(apply(&home, &endpoint(spec.clone())).await.is_err(), "{spec}");
    }
    let workflow = |spec: Value| json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseWorkflow", "metadata": {"name": "ticket"}, "spec": spec});
    for spec in [
        json!({"title": "Ticket"}),
        json!({"workflow": {"steps": [{"title": "No id"}]}}),
        json!({"workflow": {"steps": [{"id": "ask", "http": {"endpoint": "tickets"}}]}}),
    ] {
        assert!(apply(&home, &workflow(spec.clone())).await.is_err(), "{spec}");
    }
    let steps = json!({"steps": [{"id": "ask", "http": {"endpoint": "tickets", "path": "/tickets"}}]});
    apply(&home, &workflow(json!({"title": "Ticket", "workflow": steps}))).await.unwrap();
    let stored = Api::<cluster::kinds::PromiseWorkflow>::all(home).get("ticket").await.unwrap();
    assert_eq!(stored.spec.workflow.steps[0].http.as_ref().map(|http| http.endpoint.as_str()), Some("tickets"));
}
