//! A plane in memory and requests to it as one of its users.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use axum::body::Body;
use devplane::{Clock, Options, Plane, Token};
use http::{Method, Request};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::device::storage;

/// A plane with the users admin, alice, bob and controller; a user's token is his name.
pub struct Server {
    pub plane: Plane,
    router: axum::Router,
}

/// A clock that stands still until it is moved.
#[derive(Clone, Default)]
pub struct Hands(Arc<AtomicI64>);

impl Hands {
    pub fn forward(&self, time: Duration) {
        self.0.fetch_add(i64::try_from(time.as_secs()).unwrap(), Ordering::SeqCst);
    }
}

impl Clock for Hands {
    fn now(&self) -> jiff::Timestamp {
        // 2026-01-01
        jiff::Timestamp::from_second(1_767_225_600 + self.0.load(Ordering::SeqCst)).unwrap()
    }
}

/// How long a test waits for a change before it fails.
const PATIENCE: Duration = Duration::from_secs(10);

/// Tokens of the users.
pub fn tokens() -> Vec<Token> {
    let token = |name: &str, groups: &[&str]| Token {
        token: name.into(),
        username: name.into(),
        uid: String::new(),
        groups: groups.iter().map(|&group| group.to_owned()).collect(),
    };
    // The administrator of the workspaces is that of the cluster at the top, too.
    vec![
        token("admin", &["system:kcp:admin", "system:masters"]),
        token("alice", &["team-a"]),
        token("bob", &["team-b"]),
        token("controller", &["controllers"]),
    ]
}

impl Server {
    pub fn start() -> Self {
        Self::with(Options::new(storage(), tokens(), "https://plane.test"))
    }

    /// A plane whose time only the test moves.
    pub fn at(clock: &Hands) -> Self {
        Self::with(Options { clock: Arc::new(clock.clone()), ..Options::new(storage(), tokens(), "https://plane.test") })
    }

    pub fn with(options: Options) -> Self {
        let plane = Plane::open(options).unwrap();
        Self { router: plane.router(), plane }
    }

    /// Sends any request.
    pub async fn answer(&self, request: Request<Body>) -> http::Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Sends a request and answers status and body.
    pub async fn send(&self, user: &str, method: &str, path: &str, content_type: &str, body: Value) -> (u16, Value) {
        let request = Request::builder()
            .method(Method::from_bytes(method.as_bytes()).unwrap())
            .uri(path)
            .header("authorization", format!("Bearer {user}"))
            .header("content-type", content_type)
            .header("user-agent", "test/1")
            .body(if body.is_null() { Body::empty() } else { Body::from(body.to_string()) })
            .unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    pub async fn get(&self, user: &str, path: &str) -> (u16, Value) {
        self.send(user, "GET", path, "application/json", Value::Null).await
    }

    pub async fn post(&self, user: &str, path: &str, body: Value) -> (u16, Value) {
        self.send(user, "POST", path, "application/json", body).await
    }

    pub async fn merge(&self, user: &str, path: &str, body: Value) -> (u16, Value) {
        self.send(user, "PATCH", path, "application/merge-patch+json", body).await
    }

    /// Creates an object that must be accepted.
    pub async fn create(&self, user: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.post(user, path, body).await;
        assert_eq!(status, 201, "{path}: {answer}");
        answer
    }

    /// Reads until the answer is as wanted, again after each change. The controllers of the plane follow a write, they are not part
    /// of it.
    pub async fn until(&self, user: &str, path: &str, wanted: impl Fn(u16, &Value) -> bool) -> Value {
        let store = &self.plane.state().store;
        let mut follower = store.follow(store.revision());
        loop {
            let (status, answer) = self.get(user, path).await;
            if wanted(status, &answer) {
                return answer;
            }
            let change = tokio::time::timeout(PATIENCE, follower.next(&[])).await;
            assert!(change.is_ok(), "{path} never became as wanted: {answer}");
        }
    }

    /// Opens a watch.
    pub async fn watch(&self, user: &str, path: &str) -> Events {
        let request = Request::builder().uri(path).header("authorization", format!("Bearer {user}")).body(Body::empty()).unwrap();
        let response = self.answer(request).await;
        assert_eq!(response.status(), 200, "{path}");
        Events { body: response.into_body(), rest: Vec::new() }
    }

    /// Makes a workspace under root and answers its logical cluster.
    pub async fn workspace(&self, parent: &str, name: &str, kind: &str) -> String {
        let workspaces = format!("/clusters/{parent}/apis/tenancy.kcp.io/v1alpha1/workspaces");
        let body = json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace", "metadata": {"name": name}, "spec": {"type": {"name": kind, "path": "root"}}});
        self.create("admin", &workspaces, body).await;
        let ready = self.until("admin", &format!("{workspaces}/{name}"), |_, answer| answer["status"]["phase"] == "Ready").await;
        ready["spec"]["cluster"].as_str().unwrap().to_owned()
    }

    /// Exports kinds of a group under a name.
    pub async fn export(&self, workspace: &str, name: &str, group: &str, plurals: &[&str], more: Value) {
        let apis = format!("/clusters/{workspace}/apis/apis.kcp.io");
        let mut resources = Vec::new();
        for plural in plurals {
            let schema = format!("v1.{plural}.{group}");
            let mut kind = plural.trim_end_matches('s').to_owned();
            kind[..1].make_ascii_uppercase();
            let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
            let version = json!({"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": {"type": "object", "properties": {"spec": open, "status": open}}});
            let names =
                json!({"plural": plural, "singular": plural.trim_end_matches('s'), "kind": kind, "listKind": format!("{kind}List")});
            let spec = json!({"group": group, "scope": "Namespaced", "names": names, "versions": [version]});
            let body =
                json!({"apiVersion": "apis.kcp.io/v1alpha1", "kind": "APIResourceSchema", "metadata": {"name": schema}, "spec": spec});
            self.create("admin", &format!("{apis}/v1alpha1/apiresourceschemas"), body).await;
            resources.push(json!({"group": group, "name": plural, "schema": schema, "storage": {"crd": {}}}));
        }
        let mut spec = more;
        spec["resources"] = json!(resources);
        let body = json!({"apiVersion": "apis.kcp.io/v1alpha2", "kind": "APIExport", "metadata": {"name": name}, "spec": spec});
        self.create("admin", &format!("{apis}/v1alpha2/apiexports"), body).await;
        self.until("admin", &format!("{apis}/v1alpha2/apiexports/{name}"), |_, answer| answer["status"]["identityHash"].is_string()).await;
    }

    /// Binds an export and waits until it is in force.
    pub async fn bind(&self, workspace: &str, path: &str, name: &str, claims: Value) -> Value {
        let bindings = format!("/clusters/{workspace}/apis/apis.kcp.io/v1alpha2/apibindings");
        let mut spec = json!({"reference": {"export": {"path": path, "name": name}}});
        if claims.is_array() {
            spec["permissionClaims"] = claims;
        }
        let body = json!({"apiVersion": "apis.kcp.io/v1alpha2", "kind": "APIBinding", "metadata": {"name": name}, "spec": spec});
        self.create("admin", &bindings, body).await;
        self.until("admin", &format!("{bindings}/{name}"), |_, answer| answer["status"]["phase"] == "Bound").await
    }

    /// Gives a user rights in a workspace.
    pub async fn grant(&self, workspace: &str, user: &str, rules: Value) {
        let roles = format!("/clusters/{workspace}/apis/rbac.authorization.k8s.io/v1");
        let (api, kind) = ("rbac.authorization.k8s.io/v1", "ClusterRole");
        self.create(
            "admin",
            &format!("{roles}/clusterroles"),
            json!({"apiVersion": api, "kind": kind, "metadata": {"name": user}, "rules": rules}),
        )
        .await;
        let body = json!({
            "apiVersion": api, "kind": "ClusterRoleBinding", "metadata": {"name": user},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": user},
            "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user}],
        });
        self.create("admin", &format!("{roles}/clusterrolebindings"), body).await;
    }
}

/// What a watch tells.
pub struct Events {
    body: Body,
    rest: Vec<u8>,
}

impl Events {
    /// The next event.
    pub async fn next(&mut self) -> Value {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return serde_json::from_slice(&line).unwrap();
            }
            let frame = tokio::time::timeout(PATIENCE, self.body.frame()).await;
            assert!(frame.is_ok(), "no event came in time");
            self.rest.extend_from_slice(&frame.unwrap().unwrap().unwrap().into_data().unwrap());
        }
    }

    /// The types and names of the next events.
    pub async fn told(&mut self, events: usize) -> Vec<(String, String)> {
        let mut told = Vec::new();
        while told.len() < events {
            let event = self.next().await;
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            told.push((text(&event["type"]), text(&event["object"]["metadata"]["name"])));
        }
        told
    }
}
