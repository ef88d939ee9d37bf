//! The product on plain Kubernetes: `bootstrap`, `doctor`, `serve --plane kubeconfig`, on a real kube-apiserver.

use std::time::Duration;

use app::backend::SignInProblem;
use cluster::endpoint::Own;
use cluster::kinds::PromiseRequest;
use cluster::{Scope, Topology};
use http::StatusCode;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::wait::await_condition;
use opm_portal::config::{BootstrapArgs, Config, DoctorArgs, ImpersonationArgs, OnServer, PlaneConfig, SignInConfig, Storage};
use opm_portal::install;
use opm_portal::router::router;
use opm_portal::serve::{Edges, Running};
use promise::api::Phase;
use serde_json::{Value, json};
use testplane::{Person, Server};

use crate::browser::{Browser, HOST, Product, fill};

/// How long anything may take that a server or the controller does by itself.
const PATIENCE: Duration = Duration::from_secs(60);
const PEOPLE: &[Person] = &[
    Person { name: "admin", groups: &["system:masters"] },
    Person { name: "dana", groups: &["shop-developers"] },
    Person { name: "eve", groups: &[] },
];

/// A server with its kubeconfig in a file, as an operator has it.
pub struct Site {
    server: Server,
    file: tempfile::NamedTempFile,
    own: Own,
}

impl Site {
    pub async fn open() -> Option<Self> {
        Some(Self::of(testplane::kubernetes(PEOPLE).await?).await)
    }

    /// A server that also accepts the tokens that an `AuthenticationConfiguration` names.
    pub async fn trusting(configuration: &Value) -> Option<Self> {
        Some(Self::of(testplane::kubernetes_trusting(PEOPLE, &configuration.to_string()).await?).await)
    }

    async fn of(server: Server) -> Self {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), server.kubeconfig("admin")).expect("written");
        let own = Own::open(Some(file.path()), None).await.expect("a kubeconfig");
        Self { server, file, own }
    }

    pub fn server(&self) -> OnServer {
        let provider = "root:opm".parse().expect("a path");
        OnServer { kubeconfig: Some(self.file.path().to_owned()), context: None, provider }
    }

    pub fn client(&self) -> kube::Client {
        self.own.client_at(&Topology::Namespaces, &Scope::Root)
    }

    /// Address of the server.
    pub fn address(&self) -> &str {
        self.server.address()
    }

    /// The certificate that vouches for it.
    pub fn certificate(&self) -> &str {
        self.server.certificate()
    }

    pub async fn apply(&self, object: Value) {
        self.apply_with(&object, &PatchParams::apply("test").force()).await;
    }

    /// Applies an object whose every field has to be known and given once.
    pub async fn apply_strictly(&self, object: &Value) {
        self.apply_with(object, &PatchParams::apply("helm").force().validation_strict()).await;
    }

    /// A definition that was applied a moment ago is served a moment later, and its storage is ready after that; a busy server can also run
    /// out of time. Applying the same again is safe.
    async fn apply_with(&self, object: &Value, how: &PatchParams) {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (group, version) = text("/apiVersion").split_once('/').unwrap_or(("", text("/apiVersion")));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("/kind")));
        let api: Api<DynamicObject> = match text("/metadata/namespace") {
            "" => Api::all_with(self.client(), &resource),
            namespace => Api::namespaced_with(self.client(), namespace, &resource),
        };
        let applied = async {
            loop {
                match api.patch(text("/metadata/name"), how, &Patch::Apply(object)).await {
                    Err(kube::Error::Api(status)) if is_not_yet(&status) => {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                    outcome => return outcome,
                }
            }
        };
        let applied = tokio::time::timeout(PATIENCE, applied).await.expect("the kind is served");
        applied.unwrap_or_else(|error| panic!("{object}: {error}"));
    }

    /// A namespace in which Dana's group may order.
    pub async fn shop(&self) {
        let namespaces: Api<Namespace> = Api::all(self.client());
        let shop: Namespace = serde_json::from_value(json!({"metadata": {"name": "shop"}})).expect("a namespace");
        namespaces.create(&PostParams::default(), &shop).await.expect("created");
        self.apply(json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "developers", "namespace": "shop"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "opm-user"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "shop-developers"}],
        }))
        .await;
    }

    pub async fn publish(&self) {
        self.apply(json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "Promise", "metadata": {"name": "settings"},
            "spec": {
                "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
                "presentation": {"displayName": "Settings", "summary": "A config map of settings", "category": "Configuration"},
                "parameters": {"type": "object", "properties": {"colour": {"type": "string", "enum": ["green", "blue"], "default": "green"}}},
                "implementation": {"resources": [{
                    "id": "settings",
                    "template": {
                        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"},
                        "data": {"colour": "${parameters.colour}"}
                    }
                }]},
            },
        }))
        .await;
    }

    /// Installs everything, with a namespace for requests and a promise.
    pub async fn prepared(&self) {
        self.shop().await;
        let bootstrap = bootstrap_args(self.server());
        install::bootstrap(&bootstrap).await.expect("installed");
        self.publish().await;
    }

    /// Lets the portal impersonate people, as docs/operating.md says.
    pub async fn lets_the_portal_impersonate(&self) {
        let impersonation = ImpersonationArgs { is_on: true, groups: Vec::new() };
        install::bootstrap(&BootstrapArgs { impersonation, ..bootstrap_args(self.server()) }).await.expect("installed");
    }

    async fn serve(&self) -> Product {
        self.serving(SignInConfig { samples: false, tokens: true, ..SignInConfig::default() }, Edges::default()).await
    }

    /// Opens everything, where people sign in as configured.
    pub async fn serving(&self, sign_in: SignInConfig, edges: Edges) -> Product {
        let config = Config {
            plane: PlaneConfig::Kubeconfig { server: self.server(), trusted_homes: Vec::new() },
            storage: Storage::Memory,
            listen: ([127, 0, 0, 1], 0).into(),
            web: true,
            controller: true,
            database: None,
            session_key_file: None,
            metrics: None,
            public_url: Some(format!("http://{HOST}").parse().expect("an address")).filter(|_| !sign_in.providers.is_empty()),
            notify: notify::NotifyConfig::default(),
            limits: opm_portal::limits::LimitsConfig::default(),
            sign_in,
            audit: opm_portal::audit::AuditConfig::default(),
        };
        let running = Running::open(&config, edges).await.expect("the portal opens");
        let router = router(&running.portal);
        Product { running, router }
    }
}

/// Whether the request can be retried: the API server doesn't serve the group or kind yet (404), its storage is starting (429), or it is
/// overloaded (503 and 504).
fn is_not_yet(status: &kube::core::Status) -> bool {
    match status.code {
        404 => ["page not found", "could not find the requested"].iter().any(|text| status.message.contains(text)),
        code => [429, 503, 504].contains(&code),
    }
}

/// Arguments that install everything, and prepare the namespace `shop`.
fn bootstrap_args(server: OnServer) -> BootstrapArgs {
    let impersonation = ImpersonationArgs::default();
    BootstrapArgs { server, homes: Vec::new(), namespaces: vec!["shop".to_owned()], impersonation }
}

/// Arguments that check everything, with these groups that the portal impersonates.
pub fn doctor_args(server: OnServer, groups: &[&str]) -> DoctorArgs {
    let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
    DoctorArgs { server, homes: Vec::new(), impersonation: ImpersonationArgs { is_on: !groups.is_empty(), groups } }
}

/// Signs in with a token.
pub async fn signed_in(product: &Product, person: &str) -> Browser {
    let mut browser = product.browser();
    let page = browser.get("/sign-in").await;
    assert!(page.text.contains("name=\"token\"") && !page.text.contains("name=\"person\""), "{}", page.text);
    let token = Server::token(person);
    let answer = browser.post("/do/account/sign-in", &[("_token", &page.hidden("_token")), ("token", &token)]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    browser
}

/// Checks what bootstrap and doctor say and do about people who are impersonated.
async fn impersonates(site: &Site) {
    let named = doctor_args(site.server(), &["oidc:shop-developers"]);
    let lacks = install::doctor(&named).await.expect_err("the portal impersonates no one yet").to_string();
    for part in ["can't impersonate users", "can't impersonate the group oidc:shop-developers", "--oidc-group oidc:shop-developers"] {
        assert!(lacks.contains(part), "{part}: {lacks}");
    }
    let impersonation = named.impersonation.clone();
    install::bootstrap(&BootstrapArgs { impersonation, ..bootstrap_args(site.server()) }).await.expect("installed");
    let ready = install::doctor(&named).await.unwrap_or_else(|missing| panic!("{missing}"));
    // Users can't be limited; groups are.
    assert!(ready.contains("can impersonate system:kube-controller-manager") && !ready.contains("system:masters"), "{ready}");

    let all = ImpersonationArgs { is_on: true, groups: Vec::new() };
    install::bootstrap(&BootstrapArgs { impersonation: all.clone(), ..bootstrap_args(site.server()) }).await.expect("installed");
    let warned = install::doctor(&DoctorArgs { impersonation: all, ..doctor_args(site.server(), &[]) }).await;
    let warned = warned.unwrap_or_else(|missing| panic!("{missing}"));
    assert!(warned.contains("can impersonate system:masters") && warned.contains("--oidc-group GROUP"), "{warned}");
    // Without the flag, the permission is a risk.
    let unasked = install::doctor(&doctor_args(site.server(), &[])).await.unwrap_or_else(|missing| panic!("{missing}"));
    assert!(unasked.contains("2 warnings") && unasked.contains("remove the permission"), "{unasked}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_orders_on_a_cluster_that_was_bootstrapped() {
    let Some(site) = Site::open().await else { return };
    let doctor = doctor_args(site.server(), &[]);
    let before = install::doctor(&doctor).await.expect_err("an empty cluster lacks everything").to_string();
    assert!(before.contains("opm-portal bootstrap"), "{before}");
    site.shop().await;
    let bootstrap = bootstrap_args(site.server());
    install::bootstrap(&bootstrap).await.expect("installed");
    install::bootstrap(&bootstrap).await.expect("installed again");
    let after = install::doctor(&doctor).await.unwrap_or_else(|missing| panic!("{missing}"));
    assert!(after.contains("is ready") && !after.contains("warning"), "{after}");
    impersonates(&site).await;
    site.publish().await;

    let product = site.serve().await;
    let mut stranger = product.browser();
    let page = stranger.get("/sign-in").await;
    let refused = stranger.post("/do/account/sign-in", &[("_token", &page.hidden("_token")), ("token", "no-token-of-anybody")]).await;
    assert_eq!(refused.location(), app::routes::sign_in_again("/", SignInProblem::TokenRefused));
    let refused = stranger.follow(refused).await;
    assert!(refused.status == StatusCode::FORBIDDEN && refused.text.contains("accept this token"), "{}", refused.text);
    assert!(!refused.text.contains("no-token-of-anybody"), "what was typed is not repeated");

    let mut dana = signed_in(&product, "dana").await;
    let catalog = dana.until("/w/cluster:shop/catalog", |page| page.text.contains("/w/cluster:shop/promises/settings")).await;
    assert!(!catalog.text.contains("Nothing real is created"), "{}", catalog.text);
    let form = "/w/cluster:shop/promises/settings/request";
    let elsewhere = fill(&mut dana, form, &[("/name", "mine"), ("/namespace", "kube-system")], "submit").await;
    assert_ne!(elsewhere.status, StatusCode::SEE_OTHER, "a request stays in its workspace: {}", elsewhere.text);
    let written = fill(&mut dana, form, &[("/name", "mine")], "submit").await;
    assert_eq!(written.location(), "/w/cluster:shop/requests/shop/mine", "{}", written.text);

    let requests: Api<PromiseRequest> = Api::namespaced(site.client(), "shop");
    let ready = |request: Option<&PromiseRequest>| {
        request.and_then(|request| request.status.as_ref()).is_some_and(|status| status.phase == Phase::Ready)
    };
    let waited = tokio::time::timeout(PATIENCE, await_condition(requests.clone(), "mine", ready)).await;
    assert!(matches!(waited, Ok(Ok(_))), "never ready: {:#?}", requests.get("mine").await.expect("the request").status);
    assert_eq!(requests.get("mine").await.expect("the request").spec.requester.expect("the stamp").username, "dana");
    let maps: Api<ConfigMap> = Api::namespaced(site.client(), "shop");
    let made = maps.get("mine").await.expect("the config map");
    assert_eq!(made.data.expect("data").get("colour").map(String::as_str), Some("green"));
    let page = dana.until(written.location(), |page| page.text.contains("Ready")).await;
    assert_eq!(page.status, StatusCode::OK);

    // The workspace is the namespace: its role bindings say who its members are, to people who can read them.
    let overview = dana.get("/w/cluster:shop").await;
    assert!(
        overview.text.contains("/w/cluster:shop/requests/shop/mine") && overview.text.contains("view the members"),
        "{}",
        overview.text
    );
    let overview = signed_in(&product, "admin").await.get("/w/cluster:shop").await;
    assert!(overview.text.contains(">shop-developers</span>") && overview.text.contains("Create requests"), "{}", overview.text);

    // Somebody without rights finds neither the workspace nor the request.
    let mut eve = signed_in(&product, "eve").await;
    for address in ["/w/cluster:shop", "/w/cluster:shop/catalog", "/w/cluster/catalog", written.location(), "/w/cluster:shop/requests"] {
        let answer = eve.get(address).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}: {}", answer.text);
    }
    // A request of another namespace is none of this workspace, whoever asks.
    assert_eq!(dana.get("/w/cluster:shop/requests/default/mine").await.status, StatusCode::NOT_FOUND);
    assert_eq!(dana.get("/dev/ui").await.status, StatusCode::NOT_FOUND, "only the embedded plane has a gallery");

    let delete = "/w/cluster:shop/requests/shop/mine/delete";
    let token = dana.get(delete).await.hidden("_token");
    let sure = dana
        .act(
            "/do/requests/delete",
            &[("_token", &token), ("workspace", "cluster:shop"), ("namespace", "shop"), ("name", "mine"), ("confirmation", "mine")],
        )
        .await;
    assert_eq!(sure.status, StatusCode::SEE_OTHER, "{}", sure.text);
    let gone = await_condition(requests, "mine", |request: Option<&PromiseRequest>| request.is_none());
    assert!(matches!(tokio::time::timeout(PATIENCE, gone).await, Ok(Ok(_))), "never gone");
    let left = maps.list(&ListParams::default()).await.expect("a list").items;
    assert!(left.iter().all(|map| map.metadata.name.as_deref() != Some("mine")), "{left:?}");
    product.running.close().await;
}
