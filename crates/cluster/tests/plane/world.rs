//! A small installation: provider, trusted home, an organisation with a team, and the people in it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::response::IntoResponse as _;
use cluster::controller::ControllerState;
use cluster::endpoint::{Credential, ServiceAccount};
use cluster::install::{self, Installed};
use cluster::kinds::{Export, Policy, Promise, PromiseRequest};
use cluster::world::Access;
use cluster::{Endpoint, Scope, Token, Topology, WorkspacePath};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::wait::await_condition;
use kube::{Client, ResourceExt};
use serde_json::{Value, json};
use testplane::Person;
use tokio::sync::Notify;
use tower::ServiceExt;

use crate::running::{Machine, Running};

mod controllers;
mod kubernetes;
mod memory;

/// Longest wait for anything. Everything is expected within a second or two, but machines have other things to do at the same time.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A plane with an installation.
pub struct Plane {
    reached: Reached,
    pub endpoint: Endpoint,
    pub topology: Topology,
    installed: Option<Installed>,
    /// Tokens that the plane made, by name of whom they are.
    pub accounts: BTreeMap<&'static str, Token>,
}

enum Reached {
    Embedded(devplane::Plane),
    /// The one that all tests share.
    Server(testplane::Turn),
}

/// Everybody whom a plane knows besides its own ServiceAccounts. Only the first has rights to begin with.
const PEOPLE: &[Person] = &[
    Person { name: "admin", groups: &["system:masters", "system:kcp:admin"] },
    Person { name: "opm-controller", groups: &[] },
    Person { name: "opm-portal", groups: &[] },
    Person { name: "dana", groups: &["shop"] },
    Person { name: "erin", groups: &["operations"] },
    Person { name: "olga", groups: &["operations"] },
    Person { name: "sandbox", groups: &["owners"] },
];

pub fn token(name: &str) -> Token {
    Token::new(testplane::Server::token(name))
}

/// Makes a test of each function, on each plane: `<test>::workspaces` and `<test>::namespaces` on the embedded plane, `<test>::kubernetes` on
/// a real kube-apiserver. The named functions of [`Plane`] start the last two.
macro_rules! on_planes {
    ($namespaces:ident, $kubernetes:ident: $($test:ident),* $(,)?) => {
        $(mod $test {
            #[tokio::test(flavor = "multi_thread")]
            async fn workspaces() {
                super::$test(crate::world::Plane::open().await).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn namespaces() {
                let plane: Option<crate::world::Plane> = crate::world::Plane::$namespaces().await.into();
                if let Some(plane) = plane {
                    super::$test(plane).await;
                }
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn kubernetes() {
                if let Some(plane) = crate::world::Plane::$kubernetes().await {
                    super::$test(plane).await;
                }
            }
        })*
    };
}
pub(crate) use on_planes;

/// The tests of [`on_planes`], where there is a real kube-apiserver.
macro_rules! on_every_plane {
    ($($test:ident),* $(,)?) => { crate::world::on_planes![namespaces, kubernetes: $($test),*]; };
}
pub(crate) use on_every_plane;

/// The same for what hardly depends on the plane: in CI on the embedded plane with workspaces, in the full size on every plane.
macro_rules! on_every_plane_in_full {
    ($($test:ident),* $(,)?) => { crate::world::on_planes![namespaces_in_full, kubernetes_in_full: $($test),*]; };
}
pub(crate) use on_every_plane_in_full;

/// The same on plain Kubernetes alone: `<test>::namespaces` and `<test>::kubernetes`.
macro_rules! on_kubernetes {
    ($($test:ident),* $(,)?) => {
        $(mod $test {
            #[tokio::test(flavor = "multi_thread")]
            async fn namespaces() {
                super::$test(crate::world::Plane::namespaces().await).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn kubernetes() {
                if let Some(plane) = crate::world::Plane::kubernetes().await {
                    super::$test(plane).await;
                }
            }
        })*
    };
}
pub(crate) use on_kubernetes;

pub fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

impl Plane {
    /// Everything installed, and both exports bound.
    pub async fn open() -> Self {
        Self::at("https://127.0.0.1:1").await
    }

    /// The same, as a server that names this address for its exports.
    pub async fn at(url: &str) -> Self {
        let plane = Self::unbound_at(url).await;
        plane.bind().await;
        plane.let_dana_in().await;
        plane
    }

    /// Binds both exports where they are used.
    pub async fn bind(&self) {
        for (at, export) in [
            ("root", Export::Requests),
            ("root:platform", Export::Requests),
            ("root:platform", Export::Catalog),
            ("root:acme", Export::Requests),
            ("root:acme", Export::Catalog),
            ("root:acme:shop", Export::Requests),
        ] {
            install::bind(&self.client("admin", at), export, self.installed()).await.unwrap();
        }
    }

    /// The embedded plane, which has a slow disk.
    fn embedded(url: &str) -> (devplane::Plane, Endpoint) {
        Self::embedded_on(devplane::Storage::Device(testplane::SlowDisk::empty()), Arc::new(devplane::SystemClock), url)
    }

    fn embedded_on(storage: devplane::Storage, clock: Arc<dyn devplane::Clock>, url: &str) -> (devplane::Plane, Endpoint) {
        let known = |person: &Person| devplane::Token {
            token: token(person.name).expose().to_string(),
            username: person.name.to_owned(),
            uid: person.name.to_owned(),
            groups: person.groups.iter().map(|group| (*group).to_owned()).collect(),
        };
        let tokens = PEOPLE.iter().map(known).collect();
        let plane = devplane::Plane::open(devplane::Options { clock, ..devplane::Options::new(storage, tokens, url) }).unwrap();
        let endpoint = Endpoint::in_process("test plane", plane.router());
        (plane, endpoint)
    }

    /// The embedded plane's top, which is plain Kubernetes: everything installed, and the namespace `shop` served.
    pub async fn namespaces() -> Self {
        let (plane, endpoint) = Self::embedded("https://127.0.0.1:1");
        Self::bootstrapped(Reached::Embedded(plane), endpoint).await
    }

    /// The same in the full size alone.
    pub async fn namespaces_in_full() -> Option<Self> {
        if testplane::full() { Some(Self::namespaces().await) } else { None }
    }

    async fn bootstrapped(reached: Reached, endpoint: Endpoint) -> Self {
        let mut plane = Self { reached, endpoint, topology: Topology::Namespaces, installed: None, accounts: BTreeMap::new() };
        let admin = plane.client("admin", "cluster");
        if plane.is_bare() {
            apply(&admin, &json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})).await.unwrap();
            plane.bootstrap(&["shop"]).await;
        }
        for name in ["opm-controller", "opm-portal"] {
            let account = ServiceAccount { namespace: install::SYSTEM_NAMESPACE.to_owned(), name: name.to_owned() };
            plane.accounts.insert(name, account.issue(&admin).await.unwrap().token);
        }
        plane.let_dana_in().await;
        plane
    }

    /// Whether nothing was installed on it: the server that tests share keeps what the first installs.
    fn is_bare(&self) -> bool {
        match &self.reached {
            Reached::Embedded(_) => true,
            Reached::Server(turn) => turn.is_first(),
        }
    }

    /// What `opm-portal bootstrap` does on plain Kubernetes.
    pub async fn bootstrap(&self, namespaces: &[&str]) {
        let options = install::Options { namespaces: namespaces.iter().map(|name| (*name).to_owned()).collect(), ..Default::default() };
        install::bootstrap(&self.endpoint, &self.administrator(), &self.topology, &options).await.unwrap();
    }

    /// The credential by which it is installed.
    pub fn administrator(&self) -> Credential {
        Credential { token: Some(token("admin")), prefix: String::new() }
    }

    /// What it serves, to be answered otherwise, held up or counted on the way: a real server is reached through it.
    pub fn router(&self) -> axum::Router {
        match &self.reached {
            Reached::Embedded(plane) => plane.router(),
            Reached::Server(turn) => turn.server().router(),
        }
    }

    /// What was installed in the provider workspace of a kcp.
    pub fn installed(&self) -> &Installed {
        self.installed.as_ref().expect("it has workspaces")
    }

    /// Whether workspaces are namespaces.
    pub fn has_namespaces(&self) -> bool {
        self.topology == Topology::Namespaces
    }

    /// The namespace of the shop's requests.
    pub fn namespace(&self) -> &'static str {
        if self.has_namespaces() { "shop" } else { "default" }
    }

    /// What a home is called: there is one where workspaces are namespaces.
    pub fn home<'a>(&self, at: &'a str) -> &'a str {
        if self.has_namespaces() { "cluster" } else { at }
    }

    /// Installed and not used by any workspace yet.
    pub async fn unbound() -> Self {
        Self::unbound_at("https://127.0.0.1:1").await
    }

    async fn unbound_at(url: &str) -> Self {
        Self::unbound_over(Self::embedded(url)).await
    }

    async fn unbound_over((plane, endpoint): (devplane::Plane, Endpoint)) -> Self {
        let admin = |at: &str| endpoint.client(&token("admin"), &Scope::Workspace(path(at)));
        for (parent, name) in [("root", "opm"), ("root", "platform"), ("root", "acme"), ("root:acme", "shop")] {
            workspace(&admin(parent), name).await;
        }
        let installed = install::provider(&admin("root:opm"), &install::Options::default()).await.unwrap();
        let topology = Topology::Workspaces { provider: path("root:opm") };
        Self { reached: Reached::Embedded(plane), endpoint, topology, installed: Some(installed), accounts: BTreeMap::new() }
    }

    /// The token of somebody.
    pub fn token(&self, who: &str) -> Token {
        self.accounts.get(who).cloned().unwrap_or_else(|| token(who))
    }

    /// A client of somebody in a workspace; where workspaces are namespaces it is the server itself.
    pub fn client(&self, who: &str, at: &str) -> Client {
        let scope = if self.has_namespaces() { Scope::Root } else { Scope::Workspace(path(at)) };
        self.endpoint.client(&self.token(who), &scope)
    }

    /// A client of somebody in a workspace who impersonates `user`. What headers a plane over a network gets beyond the name is the
    /// endpoint's to say, so groups and extra fields are for the embedded plane.
    pub fn impersonating(&self, who: &str, at: &str, user: &str, others: &[(&'static str, &str)]) -> Client {
        let scope = if self.has_namespaces() { Scope::Root } else { Scope::Workspace(path(at)) };
        if others.is_empty() {
            return self.endpoint.client_as(&self.token(who), &scope, user);
        }
        let (router, others) = (self.router(), others.iter().map(|(name, value)| (*name, (*value).to_owned())).collect::<Vec<_>>());
        let service = tower::service_fn(move |mut request: http::Request<kube::client::Body>| {
            for (name, value) in &others {
                request.headers_mut().append(*name, value.parse().unwrap());
            }
            router.clone().oneshot(request)
        });
        Endpoint::in_process("impersonating", service).client_as(&self.token(who), &scope, user)
    }

    /// Requests of the shop as somebody.
    pub fn requests(&self, who: &str) -> Api<PromiseRequest> {
        self.in_shop(who)
    }

    /// Config maps of the shop as its people see them.
    pub fn config_maps(&self) -> Api<ConfigMap> {
        self.in_shop("admin")
    }

    /// Objects of the shop as somebody.
    pub fn in_shop<K>(&self, who: &str) -> Api<K>
    where
        K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client(who, "root:acme:shop"), self.namespace())
    }

    /// Publishes a promise in the trusted home and waits until its revision is there.
    pub async fn publish(&self, name: &str, spec: Value) {
        self.publish_at("root:platform", name, spec).await;
    }

    /// The same in another home.
    pub async fn publish_at(&self, home: &str, name: &str, spec: Value) {
        let client = self.client("admin", home);
        let body = json!({"apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": name}, "spec": spec});
        apply(&client, &body).await.unwrap();
        let api: Api<Promise> = Api::all(client);
        let version = spec["version"].as_str().unwrap().to_owned();
        wait(api, name, "published", |promise: &Promise| {
            promise.status.as_ref().is_some_and(|s| {
                s.conditions
                    .iter()
                    .any(|c| c.r#type == "Published" && c.status == promise::api::ConditionStatus::True && c.message.contains(&version))
            })
        })
        .await;
    }

    /// Offers every promise of the trusted home to the organisation.
    pub async fn offer(&self) {
        let shelf = json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseCatalog", "metadata": {"name": "standard"},
            "spec": {"title": "Standard", "promises": ["*"], "workspaces": ["root:acme:**", "cluster:*"]},
        });
        apply(&self.client("admin", "root:platform"), &shelf).await.unwrap();
    }

    /// Sets a policy in the trusted home, and waits until the controller knows it.
    pub async fn govern(&self, policy: &Value) {
        let client = self.client("admin", "root:platform");
        let generation = apply(&client, policy).await.unwrap().metadata.generation.unwrap_or_default();
        let looked_at = |policy: &Policy| policy.status.as_ref().is_some_and(|status| status.observed_generation == generation);
        wait(Api::<Policy>::all(client), policy["metadata"]["name"].as_str().unwrap(), "looked at", looked_at).await;
    }

    /// Asks for a promise as Dana.
    pub async fn ask(&self, name: &str, promise: &str, parameters: Value) -> PromiseRequest {
        let mut request = request(name, promise, parameters);
        request.metadata.namespace = Some(self.namespace().to_owned());
        self.requests("dana").create(&PostParams::default(), &request).await.unwrap()
    }

    /// Waits until a request says what `holds` wants to hear.
    pub async fn until(&self, name: &str, what: &str, holds: impl Fn(&PromiseRequest) -> bool) -> PromiseRequest {
        wait(self.requests("dana"), name, what, holds).await
    }

    /// Waits until a request is ready.
    pub async fn ready(&self, name: &str) -> PromiseRequest {
        self.until(name, "Ready", |request| {
            let settled = |s: &promise::api::PromiseRequestStatus| {
                s.phase == promise::api::Phase::Ready && Some(s.observed_generation) == request.metadata.generation && s.current.is_some()
            };
            request.status.as_ref().is_some_and(settled)
        })
        .await
    }

    /// Waits until an object is gone.
    pub async fn gone<K>(&self, api: Api<K>, name: &str)
    where
        K: kube::Resource + Clone + std::fmt::Debug + serde::de::DeserializeOwned + Send + 'static,
    {
        let waiting = await_condition(api, name, |object: Option<&K>| object.is_none());
        tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{name} stays")).unwrap();
    }

    async fn let_dana_in(&self) {
        let shop = self.client("admin", "root:acme:shop");
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "dana"},
            "rules": [
                {"nonResourceURLs": ["/"], "verbs": ["access"]},
                {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
            ],
        });
        // Whoever administers a workspace has every right in it.
        let (kind, metadata) = match self.topology {
            Topology::Workspaces { .. } => ("ClusterRoleBinding", json!({"name": "dana"})),
            Topology::Namespaces => ("RoleBinding", json!({"name": "dana", "namespace": self.namespace()})),
        };
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "dana"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "shop"}],
        });
        apply(&shop, &role).await.unwrap();
        apply(&shop, &binding).await.unwrap();
        self.lets_in("dana").await;
    }

    /// Waits until somebody's rights count: a server learns of them by watching.
    pub async fn lets_in(&self, who: &str) {
        // Where our kinds are not bound yet, whoever is in hears that they are not there.
        let closed = |error: &kube::Error| matches!(error, kube::Error::Api(status) if status.code == 403);
        let waiting = async {
            while self.requests(who).get("nobody-asked-for-this").await.is_err_and(|error| closed(&error)) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{who} is not let in"));
    }
}

/// A promise of a config map and a secret in the request's own workspace.
pub fn settings(version: &str) -> Value {
    json!({
        "version": version, "lifecycle": "published", "visibility": "private",
        "parameters": {
            "type": "object",
            "properties": {"level": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3}, "extra": {"type": "boolean", "default": false}},
        },
        "implementation": {"resources": [
            {"id": "config", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-config"},
                "data": {"level": "${string(parameters.level)}", "who": "${request.requester.username}"},
            }},
            {"id": "access", "template": {
                "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "${request.name}-access"},
                "stringData": {"password": "hunter-${string(parameters.level)}", "of": "${resources.config.metadata.name}"},
            }},
            {"id": "more", "includeWhen": "${parameters.extra}", "template": {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}-more"}, "data": {"a": "b"},
            }},
        ]},
        "outputs": [
            {"name": "config", "value": "${resources.config.metadata.name}"},
            {"name": "password", "secretRef": {"resource": "access", "key": "password"}},
        ],
    })
}

pub fn request(name: &str, promise: &str, parameters: Value) -> PromiseRequest {
    let spec = json!({"promise": {"name": promise}, "parameters": parameters});
    cluster::kinds::object(name, Some("default"), serde_json::from_value(spec).unwrap())
}

pub async fn apply(client: &Client, object: &Value) -> Result<DynamicObject, kube::Error> {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("/apiVersion").split_once('/').unwrap_or(("", text("/apiVersion")));
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("/kind")));
    let api: Api<DynamicObject> = match text("/metadata/namespace") {
        "" => Api::all_with(client.clone(), &resource),
        namespace => Api::namespaced_with(client.clone(), namespace, &resource),
    };
    api.patch(text("/metadata/name"), &PatchParams::apply("test").force(), &Patch::Apply(object)).await
}

/// Waits for an object; on failure it says what the object looked like.
pub async fn wait<K>(api: Api<K>, name: &str, what: &str, holds: impl Fn(&K) -> bool) -> K
where
    K: kube::Resource + Clone + std::fmt::Debug + serde::de::DeserializeOwned + serde::Serialize + Send + 'static,
{
    let waiting = await_condition(api.clone(), name, |object: Option<&K>| object.is_some_and(&holds));
    match tokio::time::timeout(PATIENCE, waiting).await {
        Ok(Ok(Some(object))) => object,
        Ok(other) => panic!("{name} is not {what}: {:?}", other.map(|_| ())),
        Err(_) => panic!("{name} is not {what}: {:#}", serde_json::to_value(api.get(name).await.unwrap()).unwrap()),
    }
}

/// Makes a workspace of a kcp and waits until it is ready.
pub async fn workspace(parent: &Client, name: &str) {
    let object = json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace", "metadata": {"name": name}});
    let created = apply(parent, &object).await.unwrap();
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("tenancy.kcp.io", "v1alpha1", "Workspace"));
    let api: Api<DynamicObject> = Api::all_with(parent.clone(), &resource);
    wait_dynamic(api, &created.name_any(), |object| object.data.pointer("/status/phase").is_some_and(|phase| phase == "Ready")).await;
}

async fn wait_dynamic(api: Api<DynamicObject>, name: &str, holds: impl Fn(&DynamicObject) -> bool) {
    let waiting = await_condition(api, name, |object: Option<&DynamicObject>| object.is_some_and(&holds));
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{name} is not ready")).unwrap();
}

/// A condition of a request, as `status reason: message`.
pub fn condition(request: &PromiseRequest, name: &str) -> String {
    let status = request.status.as_ref();
    let found = status.and_then(|s| s.conditions.iter().find(|condition| condition.r#type == name));
    found.map(|c| format!("{:?} {}: {}", c.status, c.reason, c.message)).unwrap_or_default()
}
