//! Trouble that passes by itself is told to nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use cluster::kinds::PromiseRequest;
use futures::{Stream, StreamExt as _};
use http::{Method, StatusCode};
use k8s_openapi::api::core::v1::{ConfigMap, Event, Namespace};
use kube::api::{ListParams, Patch, PatchParams};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Config, watcher};
use kube::{Api, Client};
use promise::api::Phase;
use promise::names;
use serde_json::{Value, json};

use crate::destination::{sandbox_over, trio};
use crate::world::{PATIENCE, Plane, condition, wait};

/// How often a server is still unable to answer a call of this method about the config map of the request.
#[derive(Clone)]
struct Busy {
    method: Method,
    left: Arc<AtomicUsize>,
}

impl Busy {
    fn with(method: Method) -> Self {
        Self { method, left: Arc::default() }
    }

    fn begin(&self, times: usize) {
        self.left.store(times, Ordering::SeqCst);
    }

    fn is_over(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }

    async fn answer(self, request: Request, next: Next) -> Response {
        let meant = *request.method() == self.method && request.uri().path().ends_with("/configmaps/web");
        let takes = |left: usize| left.checked_sub(1);
        if meant && self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, takes).is_ok() {
            // The client itself asks again after 503.
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
        next.run(request).await
    }
}

/// Follows the request until the port is in place, and answers with every other phase that it went through.
async fn phases(mut changes: impl Stream<Item = Result<PromiseRequest, watcher::Error>> + Unpin, generation: i64) -> Vec<Phase> {
    let mut phases = Vec::new();
    loop {
        let request = tokio::time::timeout(PATIENCE, changes.next()).await.expect("it goes on in time").unwrap().unwrap();
        let Some(status) = &request.status else { continue };
        let is_over = status.observed_generation == generation && status.phase == Phase::Ready;
        if is_over && condition(&request, "Ready").starts_with("True") {
            return phases;
        }
        phases.push(status.phase);
    }
}

async fn warnings(plane: &Plane) -> Vec<String> {
    let events: Api<Event> = Api::namespaced(plane.client("dana", "root:acme:shop"), "default");
    let all = events.list(&ListParams::default()).await.unwrap().items;
    all.into_iter().filter(|event| event.type_.as_deref() == Some("Warning")).filter_map(|event| event.reason).collect()
}

async fn namespace(root: &Client, uid: &str) -> String {
    let own = ListParams::default().labels(&format!("{}={uid}", names::REQUEST_UID_LABEL));
    Api::<Namespace>::all(root.clone()).list(&own).await.unwrap().items.remove(0).metadata.name.unwrap()
}

fn port(value: u16) -> Patch<Value> {
    Patch::Merge(json!({"spec": {"parameters": {"port": value}}}))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passing_refusal_of_a_destination_changes_no_phase_and_is_told_to_nobody() {
    let plane = Plane::open().await;
    let (writes, reads) = (Busy::with(Method::PATCH), Busy::with(Method::GET));
    let layers = [writes.clone(), reads.clone()];
    let router = layers
        .into_iter()
        .fold(plane.router(), |router, busy| router.layer(from_fn(move |request: Request, next: Next| busy.clone().answer(request, next))));
    let root = sandbox_over(&plane, router, json!([{"group": "", "kinds": ["ConfigMap", "Secret", "Service"]}])).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    plane.ask("web", "trio", json!({"port": 8080})).await;
    let ready = plane.ready("web").await;
    let maps: Api<ConfigMap> = Api::namespaced(root.clone(), &namespace(&root, ready.metadata.uid.as_deref().unwrap()).await);

    for (at, (busy, value)) in [(&writes, 8081), (&reads, 8082)].into_iter().enumerate() {
        let changes = Box::pin(watcher(plane.requests("dana"), Config::default()).applied_objects());
        busy.begin(4);
        plane.requests("dana").patch("web", &PatchParams::default(), &port(value)).await.unwrap();
        let seen = phases(changes, 2 + i64::try_from(at).unwrap()).await;
        assert!(busy.is_over(), "the server was busy");
        assert!(seen.iter().all(|phase| matches!(phase, Phase::Ready | Phase::Updating)), "{seen:?}");
        wait(maps.clone(), "web", "changed", |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data["port"] == value.to_string()))
            .await;
    }
    assert_eq!(warnings(&plane).await, Vec::<String>::new());

    // What does not pass is told in the end, and what runs meanwhile goes on.
    writes.begin(usize::MAX);
    plane.requests("dana").patch("web", &PatchParams::default(), &port(8083)).await.unwrap();
    let told = plane.until("web", "in trouble", |request| condition(request, "Applied").contains("it tries again")).await;
    assert_eq!(told.status.unwrap().phase, Phase::Degraded);
    writes.begin(0);
    plane.ready("web").await;
    controller.stop().await;
}
