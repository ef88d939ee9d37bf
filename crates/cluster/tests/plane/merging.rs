//! A plane that merges every apply through the virtual workspace of an export into what is there, as kcp does: no apply ever removes a field.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cluster::Endpoint;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt as _;
use kube::api::{Api, Patch, PatchParams};
use kube::client::Body;
use promise::names;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::running::Running;
use crate::world::{Plane, condition, settings, wait};

/// Starts a controller on such a plane, and counts what it must not send: applies through virtual workspaces, which would remove nothing, and
/// statuses without the version that they were made for.
async fn controller(plane: &Plane) -> (Running, Arc<AtomicUsize>) {
    let (router, wrong) = (plane.router(), Arc::new(AtomicUsize::new(0)));
    let count = wrong.clone();
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let (router, count) = (router.clone(), count.clone());
        async move {
            if request.method() == Method::PATCH && request.uri().path().ends_with("/status") {
                let (parts, body) = request.into_parts();
                let bytes = body.collect_bytes().await.unwrap();
                let status: Value = serde_json::from_slice(&bytes).unwrap();
                count.fetch_add(usize::from(!status["metadata"]["resourceVersion"].is_string()), Ordering::SeqCst);
                return router.oneshot(http::Request::from_parts(parts, Body::from(bytes))).await;
            }
            let sent = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
            let is_apply = request.method() == Method::PATCH && sent.starts_with("application/apply-patch");
            if !is_apply || !request.uri().path().starts_with("/services/apiexport/") {
                return router.oneshot(request).await;
            }
            count.fetch_add(1, Ordering::SeqCst);
            let (parts, body) = request.into_parts();
            let bytes = body.collect_bytes().await.unwrap();
            let mut merge = http::Request::from_parts(parts.clone(), Body::from(bytes.clone()));
            merge.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/merge-patch+json"));
            merge.headers_mut().remove(CONTENT_LENGTH);
            let path = parts.uri.path_and_query().unwrap().as_str().replace("force=true", "force=false").replace("&force=false", "");
            *merge.uri_mut() = path.parse().unwrap();
            match router.clone().oneshot(merge).await {
                // What is not there is made.
                Ok(answer) if answer.status() == StatusCode::NOT_FOUND => {
                    router.oneshot(http::Request::from_parts(parts, Body::from(bytes))).await
                }
                answer => answer,
            }
        }
    });
    (plane.controller_over(Endpoint::in_process("merging", service)).await, wrong)
}

/// The second version leaves out what the first made of the config map, and a secret output.
fn without(version: &str) -> Value {
    let mut spec = settings(version);
    spec["implementation"]["resources"][0]["template"]["data"].as_object_mut().unwrap().remove("who");
    spec
}

fn labelled(version: &str) -> Value {
    let mut spec = settings(version);
    spec["implementation"]["resources"][0]["template"]["metadata"]["labels"] = json!({"tier": "first"});
    spec["implementation"]["resources"][1]["template"]["stringData"]["once"] = json!("more");
    spec
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_release_leaves_out_goes_from_the_objects_beside_its_request() {
    let plane = Plane::open().await;
    let (controller, wrong) = controller(&plane).await;
    plane.offer().await;
    plane.publish("settings", labelled("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 5})).await;
    plane.ready("web").await;
    let secrets: Api<Secret> = plane.in_shop("dana");
    assert!(secrets.get("web-access").await.unwrap().data.unwrap().contains_key("once"));
    // What others add is theirs.
    let added = json!({"metadata": {"labels": {"theirs": "yes"}}, "data": {"theirs": "kept"}});
    plane.config_maps().patch("web-config", &PatchParams::default(), &Patch::Merge(&added)).await.unwrap();

    plane.publish("settings", without("2.0.0")).await;
    let edit = json!({"spec": {"promise": {"version": "2.0.0"}, "parameters": {"level": 6}}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&edit)).await.unwrap();
    let ready = plane.ready("web").await;
    assert_eq!(ready.status.unwrap().current.unwrap().version, "2.0.0");
    let map = plane.config_maps().get("web-config").await.unwrap();
    let data: Vec<(String, String)> = map.data.clone().unwrap().into_iter().collect();
    let expected = [("level", "6"), ("theirs", "kept")].map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(data, expected, "what the release leaves out goes, and nothing else");
    assert_eq!((map.labels().get("tier"), map.labels().get("theirs").map(String::as_str)), (None, Some("yes")));
    let secret = secrets.get("web-access").await.unwrap();
    assert_eq!(secret.data.unwrap().keys().collect::<Vec<_>>(), ["of", "password"]);

    // Drift is put back without taking what others added.
    let drift = json!({"data": {"level": "forged"}});
    plane.config_maps().patch("web-config", &PatchParams::default(), &Patch::Merge(&drift)).await.unwrap();
    let back = |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["level"] == "6" && data["theirs"] == "kept");
    wait(plane.config_maps(), "web-config", "put back", back).await;
    assert_eq!(wrong.load(Ordering::SeqCst), 0, "no apply goes through a virtual workspace, and no status without its version");
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_field_that_says_nothing_any_more_goes_and_a_refused_edit_rolls_nothing_back() {
    let plane = Plane::open().await;
    let (controller, wrong) = controller(&plane).await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({"level": 5})).await;
    plane.ready("web").await;
    let edit = |level: i64| Patch::Merge(json!({"spec": {"parameters": {"level": level}}}));
    plane.requests("dana").patch("web", &PatchParams::default(), &edit(7)).await.unwrap();
    let status = plane.ready("web").await.status.unwrap();
    assert!(status.waiting_on.is_none() && status.candidate.is_none(), "{:?} {:?}", status.waiting_on, status.candidate);
    let current = status.current.unwrap();

    let refused = plane.requests("dana").patch("web", &PatchParams::default(), &edit(12)).await.unwrap();
    let told = plane
        .until("web", "refused", |r| {
            condition(r, "Accepted").starts_with("False") && r.status.as_ref().map(|s| s.observed_generation) == refused.metadata.generation
        })
        .await;
    assert_eq!(told.status.unwrap().current.unwrap().release, current.release);
    // Another request is looked at after this one, so that its end says that nothing more was done about this.
    plane.ask("other", "settings", json!({})).await;
    plane.ready("other").await;
    assert_eq!(plane.config_maps().get("web-config").await.unwrap().data.unwrap()["level"], "7");
    assert_eq!(wrong.load(Ordering::SeqCst), 0, "no apply goes through a virtual workspace, and no status without its version");
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_handed_over_carries_no_account_of_its_fields() {
    let plane = Plane::open().await;
    let (controller, _) = controller(&plane).await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    let made = plane.config_maps().get("web-config").await.unwrap();
    assert!(made.annotations().contains_key(names::APPLIED_FIELDS_ANNOTATION), "{:?}", made.annotations());
    let orphan = json!({"spec": {"deletionPolicy": "Orphan"}});
    plane.requests("dana").patch("web", &PatchParams::default(), &Patch::Merge(&orphan)).await.unwrap();
    plane.requests("dana").delete("web", &kube::api::DeleteParams::default()).await.unwrap();
    plane.gone(plane.requests("dana"), "web").await;
    let left = plane.config_maps().get("web-config").await.unwrap();
    let ours: Vec<&String> = left.annotations().keys().filter(|key| key.starts_with(names::GROUP)).collect();
    assert_eq!(ours, [names::RELEASED_ANNOTATION], "it says whose it was, and nothing else");
    controller.stop().await;
}
