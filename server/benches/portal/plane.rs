//! The plane behind a portal, as its admin: a promise of ConfigMap, Secret and Service, and requests for it.

use std::path::Path;
use std::time::{Duration, Instant};

use cluster::endpoint::Credential;
use cluster::{Endpoint, Scope, WorkspacePath};
use futures::{StreamExt, TryStreamExt};
use kube::api::{Api, DynamicObject, ListParams, PostParams, WatchEvent, WatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use crate::portal::Portal;

/// The small promise that is ordered.
const SMALL: &str = "settings-099";

/// The plane behind a portal, as its admin.
pub struct Plane {
    endpoint: Endpoint,
    credential: Credential,
}

impl Plane {
    /// Reads the kubeconfig that the portal wrote.
    pub fn open(data: &Path) -> Self {
        let yaml = std::fs::read_to_string(Portal::kubeconfig(data)).expect("the portal wrote a kubeconfig");
        let (endpoint, credential) = Endpoint::from_kubeconfig("plane", &yaml).expect("a kubeconfig");
        Self { endpoint, credential }
    }

    /// A client for a workspace.
    pub fn client(&self, workspace: &str) -> kube::Client {
        let token = self.credential.token.as_ref().expect("the context has a token");
        self.endpoint.client(token, &Scope::Workspace(WorkspacePath::parse(workspace).expect("a workspace path")))
    }

    /// The promises of the trusted home.
    pub fn promises(&self) -> Api<DynamicObject> {
        Api::all_with(self.client("root:platform"), &kind("Promise", "promises"))
    }

    /// The policies of the trusted home.
    pub fn policies(&self) -> Api<DynamicObject> {
        Api::all_with(self.client("root:platform"), &kind("Policy", "policies"))
    }

    /// The requests of the shop.
    pub fn requests(&self) -> Api<DynamicObject> {
        Api::namespaced_with(self.client("root:acme:shop"), "default", &kind("PromiseRequest", "promiserequests"))
    }

    /// Publishes a small promise under so many names that the catalog has `rows` rows.
    pub async fn publish_copies(&self, rows: usize) {
        let there = self.promises().list(&ListParams::default()).await.expect("promises").items.len();
        for number in there..rows {
            self.publish(&format!("settings-{number:03}")).await;
        }
        self.all_published().await;
    }

    /// Publishes the small promise under this name; answers how many promises there are.
    pub async fn publish_pattern(&self, name: &str) -> usize {
        self.publish(name).await;
        self.all_published().await;
        self.promises().list(&ListParams::default()).await.expect("promises").items.len()
    }

    async fn all_published(&self) {
        let end = Instant::now() + Duration::from_secs(60);
        while self
            .promises()
            .list(&ListParams::default())
            .await
            .expect("promises")
            .items
            .iter()
            .any(|promise| promise.data["status"]["revision"].is_null())
        {
            assert!(Instant::now() < end, "not every promise was published in a minute");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn publish(&self, name: &str) {
        let promise = json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": name},
            "spec": {
                "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
                "presentation": {"displayName": format!("Settings {name}"), "summary": "A config map, a secret and a service.", "category": "runtime", "tags": ["bench"]},
                "parameters": {"type": "object", "properties": {"text": {"type": "string", "default": "hello"}}},
                "implementation": {"resources": [
                    {"id": "config", "destination": "sandbox", "template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"text": "${parameters.text}"}}},
                    {"id": "secret", "destination": "sandbox", "template": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "${request.name}"}, "stringData": {"text": "${parameters.text}"}}},
                    {"id": "service", "destination": "sandbox", "template": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "${request.name}"}, "spec": {"selector": {"app": "${request.name}"}, "ports": [{"name": "http", "port": 80}]}}}
                ]}
            }
        });
        self.promises()
            .create(&PostParams::default(), &serde_json::from_value(promise).expect("a promise"))
            .await
            .expect("the promise is created");
    }

    /// Orders the small promise and waits for Ready; answers the path of its page.
    pub async fn order_and_wait(&self, name: &str) -> String {
        self.order(SMALL, name, json!({"text": name})).await;
        format!("/w/root:acme:shop/requests/default/{name}")
    }

    /// Creates a request.
    pub async fn create(&self, promise: &str, name: &str, parameters: Value) {
        let request = json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": name, "namespace": "default"},
            "spec": {"promise": {"name": promise, "workspace": "root:platform"}, "parameters": parameters}
        });
        let request = serde_json::from_value(request).expect("a request");
        self.requests().create(&PostParams::default(), &request).await.expect("the request is created");
    }

    /// Time from sending the create to the watch event that says Ready.
    pub async fn order(&self, promise: &str, name: &str, parameters: Value) -> Duration {
        let api = self.requests();
        let from =
            api.list_metadata(&ListParams::default().limit(1)).await.expect("requests").metadata.resource_version.expect("a version");
        let mut events = api.watch(&WatchParams::default(), &from).await.expect("a watch").boxed();
        let sent = Instant::now();
        self.create(promise, name, parameters).await;
        while let Some(event) = events.try_next().await.expect("an event") {
            if let WatchEvent::Modified(object) = event {
                let phase = object.data["status"]["phase"].as_str().unwrap_or_default();
                assert!(!matches!(phase, "Failed" | "Rejected"), "{name} is {phase}: {}", object.data["status"]["conditions"]);
                if object.metadata.name.as_deref() == Some(name) && phase == "Ready" {
                    return sent.elapsed();
                }
            }
        }
        panic!("the watch ended before {name} was Ready")
    }
}

fn kind(kind: &str, plural: &str) -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(promise::names::GROUP, promise::names::VERSION, kind), plural)
}
