//! The servers, and a fresh namespace on one of them for each behaviour.

use std::time::Duration;

use cluster::endpoint::Target as Consumers;
use cluster::kinds::{Export, PromiseRequest};
use cluster::{ClusterId, Endpoint, Scope, Token, WorkspacePath, install};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::wait::{await_condition, conditions};
use serde_json::{Value, json};
use testplane::{Person, Server};

/// Longest wait for anything that a server does by itself.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Everybody whom the servers know. Only the first two have rights to begin with.
const PEOPLE: &[Person] = &[
    Person { name: "admin", groups: &["system:masters", "system:kcp:admin"] },
    Person { name: "opm-controller", groups: &["system:masters", "system:kcp:admin"] },
    Person { name: "dana", groups: &["shop"] },
    // Never has any, also not that to enter.
    Person { name: "olaf", groups: &[] },
];

/// A server to show behaviours on.
pub struct Target {
    pub name: &'static str,
    endpoint: Endpoint,
    scope: Scope,
    _reached: Reached,
}

enum Reached {
    Embedded,
    /// Through another target, which ends it.
    Through,
    /// Ended when it is dropped.
    Server {
        _running: Server,
    },
}

impl Target {
    /// A workspace of the embedded plane, which has a slow disk.
    pub async fn embedded() -> Self {
        let known = |person: &Person| devplane::Token {
            token: Server::token(person.name),
            username: person.name.to_owned(),
            uid: person.name.to_owned(),
            groups: person.groups.iter().map(|group| (*group).to_owned()).collect(),
        };
        let tokens = PEOPLE.iter().map(known).collect();
        let storage = devplane::Storage::Device(testplane::SlowDisk::empty());
        let plane = devplane::Plane::open(devplane::Options::new(storage, tokens, "https://127.0.0.1:1")).unwrap();
        let endpoint = Endpoint::in_process("embedded plane", plane.router());
        let scope = Scope::Workspace(WorkspacePath::root());
        let mut target = Self { name: "embedded", endpoint, scope, _reached: Reached::Embedded };
        target.found_workspace().await;
        target
    }

    /// A kube-apiserver with its etcd, where there is one.
    pub async fn kubernetes() -> Option<Self> {
        let server = testplane::kubernetes(PEOPLE).await?;
        let (endpoint, _) = Endpoint::from_kubeconfig("kubernetes", &server.kubeconfig("admin")).unwrap();
        Some(Self { name: "kubernetes", endpoint, scope: Scope::Root, _reached: Reached::Server { _running: server } })
    }

    /// A fresh workspace of a kcp, by its URL, where there is a kcp.
    pub async fn kcp() -> Option<Self> {
        let server = testplane::kcp(PEOPLE).await?;
        let (endpoint, _) = Endpoint::from_kubeconfig("kcp", &server.kubeconfig("admin")).unwrap();
        let running = Reached::Server { _running: server };
        let mut target = Self { name: "kcp", endpoint, scope: Scope::Workspace(WorkspacePath::root()), _reached: running };
        target.found_workspace().await;
        Some(target)
    }

    /// A workspace that binds the export of requests, through the virtual workspace of the export; none where there are no workspaces.
    pub async fn consumer(&self) -> Option<Self> {
        let Scope::Workspace(home) = &self.scope else { return None };
        let at = |scope: Scope| Self { name: self.name, endpoint: self.endpoint.clone(), scope, _reached: Reached::Through };
        let mut ids = Vec::new();
        for name in ["provider", "consumer"] {
            self.apply(&workspace(name)).await;
            let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("tenancy.kcp.io", "v1alpha1", "Workspace"));
            let workspaces: Api<DynamicObject> = Api::all_with(self.client("admin"), &kind);
            let ready = |object: Option<&DynamicObject>| object.is_some_and(|object| object.data["status"]["phase"] == "Ready");
            let made = tokio::time::timeout(PATIENCE, await_condition(workspaces, name, ready)).await.expect("ready in time").unwrap();
            let id = made.and_then(|object| object.data["spec"]["cluster"].as_str().map(str::to_owned)).unwrap();
            ids.push((at(Scope::Workspace(home.child(name).unwrap())), ClusterId::parse(&id).unwrap()));
        }
        let [(provider, _), (consumer, id)] = ids.as_slice() else { panic!("there are two") };
        let installed = install::provider(&provider.client("admin"), &install::Options::default()).await.unwrap();
        let bound = || async { install::bind(&consumer.client("admin"), Export::Requests, &installed).await.is_ok() };
        until("the export can be bound", bound).await;
        let export = Export::Requests.name().to_owned();
        let through = at(Scope::Export { cluster: installed.provider.clone(), export, target: Consumers::Workspace(id.clone()) });
        let config_maps: Api<ConfigMap> = Api::namespaced(through.client("opm-controller"), "default");
        until("the consumer is served", || async { config_maps.list(&ListParams::default()).await.is_ok() }).await;
        Some(through)
    }

    /// Goes from the root, which everybody may enter, to a fresh workspace.
    async fn found_workspace(&mut self) {
        // The types of workspaces come some time after the server says that it is ready.
        until("root has its types", || async { self.try_apply(&workspace("contract")).await.is_ok() }).await;
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("tenancy.kcp.io", "v1alpha1", "Workspace"));
        let workspaces: Api<DynamicObject> = Api::all_with(self.client("admin"), &kind);
        // The label comes last of all that tells of its being ready.
        let ready = |object: Option<&DynamicObject>| {
            let labels = object.and_then(|object| object.metadata.labels.as_ref());
            labels.and_then(|labels| labels.get("tenancy.kcp.io/phase")).is_some_and(|phase| phase == "Ready")
        };
        tokio::time::timeout(PATIENCE, await_condition(workspaces, "contract", ready)).await.expect("ready in time").unwrap();
        self.scope = Scope::Workspace(WorkspacePath::root().child("contract").unwrap());
        self.let_in().await;
    }

    /// In a workspace of kcp one needs access before any other right counts: a person, and somebody who acts as a service account.
    async fn let_in(&self) {
        self.apply(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "contract-access"},
            "rules": [{"nonResourceURLs": ["/"], "verbs": ["access"]}],
        }))
        .await;
        self.apply(&json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "contract-access"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "contract-access"},
            "subjects": [
                {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "dana"},
                {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:serviceaccounts"},
            ],
        }))
        .await;
    }

    /// A client of a person.
    fn client(&self, person: &str) -> Client {
        self.endpoint.client(&Token::new(Server::token(person)), &self.scope)
    }

    /// Our definitions and admission policies, as `deploy/` has them.
    pub async fn install(&self) {
        let files = install::files().unwrap();
        let mut objects = Vec::new();
        for (_, text) in files.iter().filter(|(file, _)| file.starts_with("deploy/crds/") || *file == "deploy/kcp/40-admission.yaml") {
            let documents: Vec<Value> = serde_saphyr::from_multiple(text).unwrap();
            objects.extend(documents);
        }
        for object in &objects {
            self.apply(object).await;
        }
        let definitions: Api<CustomResourceDefinition> = Api::all(self.client("admin"));
        for definition in objects.iter().filter(|object| object["kind"] == "CustomResourceDefinition") {
            let established =
                await_condition(definitions.clone(), definition["metadata"]["name"].as_str().unwrap(), conditions::is_crd_established());
            tokio::time::timeout(PATIENCE, established).await.expect("established in time").unwrap();
        }
    }

    async fn apply(&self, object: &Value) {
        self.try_apply(object).await.unwrap();
    }

    async fn try_apply(&self, object: &Value) -> Result<(), kube::Error> {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap();
        let (group, version) = text("/apiVersion").split_once('/').unwrap();
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("/kind")));
        let api: Api<DynamicObject> = Api::all_with(self.client("admin"), &resource);
        api.patch(text("/metadata/name"), &PatchParams::apply("contract").force(), &Patch::Apply(object)).await.map(drop)
    }

    /// A new namespace, with clients of everybody.
    pub async fn ground(&self, namespace: &str) -> Ground {
        let namespace: String = namespace.chars().take(63).collect();
        let namespace = namespace.trim_end_matches('-').to_owned();
        let clients = PEOPLE.iter().map(|person| (person.name, self.client(person.name))).collect();
        let ground = Ground { namespace, clients, endpoint: self.endpoint.clone(), scope: self.scope.clone() };
        let object = Namespace {
            metadata: kube::core::ObjectMeta { name: Some(ground.namespace.clone()), ..Default::default() },
            ..Default::default()
        };
        Api::all(ground.client("admin")).create(&PostParams::default(), &object).await.unwrap();
        ground
    }
}

/// A namespace of its own on a server.
pub struct Ground {
    pub namespace: String,
    clients: Vec<(&'static str, Client)>,
    endpoint: Endpoint,
    scope: Scope,
}

impl Ground {
    /// A client of a person.
    pub fn client(&self, person: &str) -> Client {
        self.clients.iter().find(|(name, _)| *name == person).unwrap().1.clone()
    }

    /// Whether nobody does anything here who may not enter, which is a right of its own in workspaces of kcp.
    pub fn is_entered(&self) -> bool {
        matches!(self.scope, Scope::Workspace(_))
    }

    /// A client of a person who says that they are somebody else.
    pub fn client_as(&self, person: &str, user: &str) -> Client {
        self.endpoint.client_as(&Token::new(Server::token(person)), &self.scope, user)
    }

    /// A client of whoever has a token.
    pub fn client_with(&self, token: &str) -> Client {
        self.endpoint.client(&Token::new(token), &self.scope)
    }

    /// What the controller sees of all workspaces at once through the export, and the id of the one where this namespace is.
    pub fn everywhere(&self) -> (Client, &ClusterId) {
        let Scope::Export { cluster, export, target: Consumers::Workspace(id) } = &self.scope else {
            panic!("this is no way through an export")
        };
        let all = Scope::Export { cluster: cluster.clone(), export: export.clone(), target: Consumers::Wildcard };
        (self.endpoint.client(&Token::new(Server::token("opm-controller")), &all), id)
    }

    /// Config maps of the namespace as the controller sees them.
    pub fn config_maps_of_the_controller(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client("opm-controller"), &self.namespace)
    }

    /// Config maps of the namespace as its administrator sees them.
    pub fn config_maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client("admin"), &self.namespace)
    }

    /// Requests of the namespace as a person sees them.
    pub fn requests(&self, person: &str) -> Api<PromiseRequest> {
        Api::namespaced(self.client(person), &self.namespace)
    }

    /// A right in the namespace for dana, by a Role of its own.
    pub async fn grant(&self, name: &str, rule: Value) {
        self.grant_to(&json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "dana"}), name, rule).await;
    }

    /// The same for somebody else.
    pub async fn grant_to(&self, subject: &Value, name: &str, rule: Value) {
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name}, "rules": [rule]});
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
            "subjects": [subject],
        });
        for (kind, object) in [("Role", role), ("RoleBinding", binding)] {
            let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("rbac.authorization.k8s.io", "v1", kind));
            let api: Api<DynamicObject> = Api::namespaced_with(self.client("admin"), &self.namespace, &resource);
            api.create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap();
        }
    }
}

/// A workspace of kcp.
fn workspace(name: &str) -> Value {
    json!({"apiVersion": "tenancy.kcp.io/v1alpha1", "kind": "Workspace", "metadata": {"name": name}})
}

/// A config map with one entry.
pub fn config_map(name: &str, value: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}, "data": {"key": value}})).unwrap()
}

/// A request of a promise.
pub fn request(name: &str) -> PromiseRequest {
    let object = json!({
        "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest", "metadata": {"name": name},
        "spec": {"promise": {"name": "redis", "workspace": "root:platform"}, "parameters": {"size": "small"}},
    });
    serde_json::from_value(object).unwrap()
}

/// Code and reason of a refusal.
pub fn refused<T: std::fmt::Debug>(answer: Result<T, kube::Error>) -> (u16, String) {
    match answer.unwrap_err() {
        kube::Error::Api(status) => (status.code, status.reason.clone()),
        other => panic!("no Status: {other:?}"),
    }
}

/// Asks again until it holds: what a server learns by watching takes it a moment.
pub async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let asking = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.unwrap_or_else(|_| panic!("waited in vain until {what}"));
}
