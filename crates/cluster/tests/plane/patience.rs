//! Trouble that passes by itself is told to nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use cluster::Endpoint;
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
use crate::world::{PATIENCE, Plane, apply, condition, wait};

crate::world::on_every_plane_in_full![
    a_passing_refusal_of_a_destination_changes_no_phase_and_is_told_to_nobody,
    a_passing_refusal_of_the_plane_itself_changes_no_phase_and_is_told_to_nobody,
];

/// How often a server is still unable to answer a call of this method about what a path ends with.
#[derive(Clone)]
pub struct Busy {
    method: Method,
    path: String,
    left: Arc<AtomicUsize>,
}

impl Busy {
    pub fn with(method: Method, path: &str) -> Self {
        Self { method, path: path.to_owned(), left: Arc::default() }
    }

    /// The server, as busy as these say.
    pub fn at<const N: usize>(router: Router, busy: [&Self; N]) -> Router {
        busy.into_iter()
            .cloned()
            .fold(router, |router, busy| router.layer(from_fn(move |request: Request, next: Next| busy.clone().answer(request, next))))
    }

    pub fn begin(&self, times: usize) {
        self.left.store(times, Ordering::SeqCst);
    }

    pub fn is_over(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }

    async fn answer(self, request: Request, next: Next) -> Response {
        let meant = *request.method() == self.method && request.uri().path().ends_with(&self.path);
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
    let events: Api<Event> = plane.in_shop("dana");
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

async fn a_passing_refusal_of_a_destination_changes_no_phase_and_is_told_to_nobody(plane: Plane) {
    let [writes, reads] = [Method::PATCH, Method::GET].map(|method| Busy::with(method, "/configmaps/web"));
    let root = sandbox_over(
        &plane,
        Busy::at(plane.router(), [&writes, &reads]),
        json!([{"group": "", "kinds": ["ConfigMap", "Secret", "Service"]}]),
    )
    .await;
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

    // What does not pass is told in the end. What runs meanwhile works, so that it is no outage.
    writes.begin(usize::MAX);
    plane.requests("dana").patch("web", &PatchParams::default(), &port(8083)).await.unwrap();
    let told = plane.until("web", "in trouble", |request| condition(request, "Applied").contains("it tries again")).await;
    assert!(condition(&told, "Ready").starts_with("False Refused"), "{}", condition(&told, "Ready"));
    assert_eq!(told.status.unwrap().phase, Phase::Ready);
    writes.begin(0);
    plane.until("web", "changed", |request| condition(request, "Ready").starts_with("True Ready")).await;
    controller.stop().await;
}

/// A promise with a typed secret and something else to edit.
fn vault() -> Value {
    let reference = json!({"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}});
    json!({
        "version": "1.0.0", "lifecycle": "published", "secretParameters": [".password"],
        "parameters": {"type": "object", "properties": {"password": reference, "port": {"type": "integer", "default": 80}}},
        "implementation": {"resources": [{"id": "config", "template": {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"port": "${string(parameters.port)}"},
        }}]},
    })
}

async fn a_passing_refusal_of_the_plane_itself_changes_no_phase_and_is_told_to_nobody(plane: Plane) {
    let (releases, secrets) = (Busy::with(Method::POST, "/promisereleases"), Busy::with(Method::GET, "/secrets/web-inputs"));
    let endpoint = Endpoint::in_process("busy", Busy::at(plane.router(), [&releases, &secrets]));
    let controller = plane.controller_over(endpoint).await;
    plane.offer().await;
    plane.publish("vault", vault()).await;
    let typed = json!({
        "apiVersion": "v1", "kind": "Secret", "stringData": {"password": "hunter"},
        "metadata": {"name": "web-inputs", "namespace": plane.namespace(), "labels": {
            names::SECRET_ROLE_LABEL: "inputs", names::REQUEST_NAME_LABEL: "web",
        }},
    });
    apply(&plane.client("dana", "root:acme:shop"), &typed).await.unwrap();
    plane.ask("web", "vault", json!({"password": {"name": "web-inputs", "key": "password"}})).await;
    plane.ready("web").await;
    for (at, busy) in [&releases, &secrets].into_iter().enumerate() {
        let changes = Box::pin(watcher(plane.requests("dana"), Config::default()).applied_objects());
        busy.begin(4);
        plane.requests("dana").patch("web", &PatchParams::default(), &port(8081 + u16::try_from(at).unwrap())).await.unwrap();
        let seen = phases(changes, 2 + i64::try_from(at).unwrap()).await;
        assert!(busy.is_over(), "the server was busy");
        assert!(seen.iter().all(|phase| matches!(phase, Phase::Ready | Phase::Updating)), "{seen:?}");
    }
    assert_eq!(warnings(&plane).await, Vec::<String>::new());
    controller.stop().await;
}
