//! What a Destination's credential may not or cannot do is named in the request that needs it.

use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::destination::{sandbox, trio};
use crate::world::{Plane, apply, condition};

/// Does something to the credential of the destination, and hears what a request that needs it says.
async fn said_after(spoil: impl AsyncFnOnce(&Plane, &kube::Client)) -> (Plane, kube::Client, String) {
    let plane = Plane::open().await;
    let root = sandbox(&plane, &["ConfigMap", "Secret", "Service"]).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    // A controller that is connected already has no need to read the credential again.
    controller.stop().await;
    spoil(&plane, &root).await;
    let controller = plane.controller().await;
    plane.ask("web", "trio", json!({})).await;
    let stopped = plane.until("web", "stopped", |r| condition(r, "Applied").contains("destination")).await;
    let said = condition(&stopped, "Applied");
    let ball = stopped.status.unwrap().waiting_on.unwrap().message;
    assert!(said.contains("sandbox"), "{said}");
    assert!(ball.contains("sandbox"), "{ball}");
    controller.stop().await;
    (plane, root, said)
}

fn secrets(plane: &Plane) -> Api<Secret> {
    Api::namespaced(plane.client("admin", "root:platform"), "opm-system")
}

async fn write(plane: &Plane, data: Value) {
    let patch = json!({"data": null, "stringData": data});
    secrets(plane).patch("sandbox", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_that_the_credential_lacks_is_named_and_regained() {
    let everything_but = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "sandbox"},
        "rules": [
            {"apiGroups": [""], "resources": ["namespaces", "secrets", "services"], "verbs": ["*"]},
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]},
            {"nonResourceURLs": ["*"], "verbs": ["get"]},
        ],
    });
    let (plane, root, said) = said_after(async |_, root| drop(apply(root, &everything_but).await.unwrap())).await;
    assert!(said.contains("ConfigMap web at sandbox") && said.contains("\"configmaps\""), "{said}");
    assert!(said.contains("The destination's owner can grant this permission"), "{said}");
    let mut everything = everything_but;
    everything["rules"] = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}, {"nonResourceURLs": ["*"], "verbs": ["get"]}]);
    apply(&root, &everything).await.unwrap();
    let controller = plane.controller().await;
    plane.ready("web").await;
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_that_is_not_there_is_named() {
    let spoil = async |plane: &Plane, _: &kube::Client| {
        secrets(plane).delete("sandbox", &DeleteParams::default()).await.unwrap();
    };
    let (_, _, said) = said_after(spoil).await;
    assert!(said.contains("credential opm-system/sandbox of the destination sandbox"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_that_is_garbage_is_named_and_not_repeated() {
    for garbage in [json!({"kubeconfig": "marker-of-a-secret"}), json!({"kubeconfig": "users: marker-of-a-secret"}), json!({"other": "x"})]
    {
        let (_, _, said) = said_after(async |plane, _| write(plane, garbage.clone()).await).await;
        assert!(said.contains("The credential of the destination sandbox"), "{said}");
        assert!(!said.contains("marker-of-a-secret"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_is_named() {
    let spoil = async |plane: &Plane, _: &kube::Client| {
        let secret = secrets(plane).get("sandbox").await.unwrap();
        let kubeconfig = String::from_utf8(secret.data.unwrap()["kubeconfig"].0.clone()).unwrap();
        write(plane, json!({"kubeconfig": kubeconfig.replace("token-of-sandbox", "token-of-nobody")})).await;
    };
    let (_, _, said) = said_after(spoil).await;
    assert!(said.contains("The destination sandbox doesn't accept its credential"), "{said}");
}
