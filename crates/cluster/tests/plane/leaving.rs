//! A workspace that is deleted takes everything in it along: the controller brings nothing back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use cluster::Endpoint;
use http::{Method, header};
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use crate::world::{PATIENCE, Plane, settings};

/// Shows the request `web` as live although it is being deleted: on kcp its releases go first, and minutes can lie between.
#[derive(Clone, Default)]
struct ReleasesFirst {
    shows_live: Arc<AtomicBool>,
    /// How often it was shown so.
    shown: Arc<AtomicUsize>,
    /// Releases that were to be recorded.
    recorded: Arc<AtomicUsize>,
}

impl ReleasesFirst {
    async fn answer(self, request: Request, next: Next) -> Response {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        if method == Method::POST && path.ends_with("/promisereleases") {
            self.recorded.fetch_add(1, Ordering::SeqCst);
        }
        let answer = next.run(request).await;
        let reads = method == Method::GET && path.ends_with("/promiserequests/web");
        if !reads || !self.shows_live.load(Ordering::SeqCst) {
            return answer;
        }
        let (mut parts, body) = answer.into_parts();
        let mut object: Value = serde_json::from_slice(&to_bytes(body, usize::MAX).await.unwrap()).unwrap();
        if object["metadata"].as_object_mut().is_some_and(|metadata| metadata.remove("deletionTimestamp").is_some()) {
            self.shown.fetch_add(1, Ordering::SeqCst);
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        Response::from_parts(parts, Body::from(object.to_string()))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_recorded_again_in_a_workspace_that_is_deleted_and_everything_goes() {
    let plane = Plane::open().await;
    let releases = ReleasesFirst::default();
    let answers = releases.clone();
    let router = plane.router().layer(from_fn(move |request: Request, next: Next| answers.clone().answer(request, next)));
    let controller = plane.controller_over(Endpoint::in_process("releases first", router)).await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    let recorded = releases.recorded.load(Ordering::SeqCst);
    assert_eq!(recorded, 1);

    releases.shows_live.store(true, Ordering::SeqCst);
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("tenancy.kcp.io", "v1alpha1", "Workspace"));
    let workspaces: Api<DynamicObject> = Api::all_with(plane.client("admin", "root:acme"), &kind);
    workspaces.delete("shop", &DeleteParams::default()).await.unwrap();
    let looked = async {
        while releases.shown.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, looked).await.expect("the controller looks at the request");

    // Rounds of one request follow each other: when it is gone, the one before has ended.
    releases.shows_live.store(false, Ordering::SeqCst);
    let note = Patch::Merge(json!({"metadata": {"annotations": {"example.org/note": "look again"}}}));
    plane.requests("admin").patch("web", &PatchParams::default(), &note).await.unwrap();
    let gone = kube::runtime::wait::await_condition(workspaces, "shop", |object: Option<&DynamicObject>| object.is_none());
    tokio::time::timeout(PATIENCE, gone).await.expect("the workspace goes").unwrap();
    assert_eq!(releases.recorded.load(Ordering::SeqCst), recorded);
    controller.stop().await;
}
