//! How the control plane is reached, and with which identity.
//!
//! An [`Endpoint`] is a transport without identity. [`Endpoint::client`] adds a bearer token and the path prefix of a [`Scope`] to every
//! request, so that every `kube::Api<K>` works unchanged in any workspace.

mod calls;
mod hosts;
mod kubeconfig;
mod layer;
mod own;
mod scope;
mod service_account;
mod stall;
mod token;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, Uri};
use kube::client::Body;
use promise::names;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service};

pub use kubeconfig::{Credential, KubeconfigError};
pub use own::{ContextToken, Own, OwnError};
pub use scope::{Scope, Target};
pub use service_account::{Issued, ServiceAccount};
pub use token::{ImpersonationError, Token};

use self::calls::ServerKind;
use crate::topology::Topology;

type Transport = BoxCloneSyncService<Request<Body>, Response<Body>, BoxError>;

/// A control plane or a Destination: where requests go, without an identity.
#[derive(Clone)]
pub struct Endpoint {
    transport: Transport,
    name: Arc<str>,
    kind: ServerKind,
    /// Path in front of the prefix of every scope, such as the path of a proxy.
    base: Arc<str>,
    /// How other servers of the control plane are reached; `None` if this is the only one.
    hosts: Option<Arc<hosts::Hosts>>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Endpoint").field(&self.name).finish()
    }
}

impl Endpoint {
    /// Reaches a control plane in this process through its router. The same tokens and checks apply as over the network.
    pub fn in_process<S, B>(name: &str, service: S) -> Self
    where
        S: Service<Request<Body>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        // `kube::Client` is the only public way to make a `kube::client::Body` from a foreign response body. It runs one small task per
        // clone of the transport, here exactly one.
        let client = kube::Client::new(service, "default");
        Self::over(name, client)
    }

    /// Reaches a server through the current context of a kubeconfig: https with its CA, and at most the credentials that are inline in it.
    /// Files, commands and plugins are refused, because a kubeconfig might come from a Secret.
    pub fn from_kubeconfig(name: &str, yaml: &str) -> Result<(Self, Credential), KubeconfigError> {
        let (client, credential) = kubeconfig::open(yaml)?;
        Ok((Self { kind: ServerKind::Destination, ..Self::over(name, client) }, credential))
    }

    fn over(name: &str, client: kube::Client) -> Self {
        let transport = tower::service_fn(move |request| {
            let client = client.clone();
            async move { client.send(request).await.map_err(BoxError::from) }
        });
        Self {
            transport: BoxCloneSyncService::new(transport),
            name: Arc::from(name),
            kind: ServerKind::Plane,
            base: Arc::default(),
            hosts: None,
        }
    }

    /// Returns the server that the control plane names by an address such as `https://shard-2:6443/prefix`. The path is put in front of
    /// every scope. In this process there is one server, whatever the address says.
    ///
    /// # Errors
    /// If the address isn't an https address, or the connection can't be prepared. Nothing is sent.
    pub async fn at(&self, server: &str) -> Result<Self, OwnError> {
        let Some(hosts) = &self.hosts else { return Ok(self.clone()) };
        let address: Uri = server.parse().map_err(|_| OwnError::NotSecure(server.to_owned()))?;
        let base = Arc::from(address.path().trim_end_matches('/'));
        if hosts.is_own(&address) {
            return Ok(Self { base, ..self.clone() });
        }
        let client = hosts.open(&address).await?;
        Ok(Self { base, hosts: self.hosts.clone(), ..Self::over(&self.name, client) })
    }

    /// Checks whether an address is on this server.
    pub fn leads_to(&self, server: &str) -> bool {
        let Some(hosts) = &self.hosts else { return true };
        server.parse().is_ok_and(|address: Uri| hosts.is_own(&address))
    }

    /// Returns the name that people use for this endpoint.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a client that acts with `token` inside `scope`.
    pub fn client(&self, token: &Token, scope: &Scope) -> kube::Client {
        self.authorized(Some(token), format!("{}{}", self.base, scope.prefix()), None)
    }

    /// Returns a client that acts with `token` as another user, by impersonation. The control plane decides whether that is allowed.
    pub fn client_as(&self, token: &Token, scope: &Scope, username: &str) -> kube::Client {
        self.acting(token, scope, layer::ActsAs { user: username, by: None })
    }

    /// Like [`Endpoint::client_as`], for the controller. It identifies itself, so that its objects differ from those of people who can
    /// impersonate the same user.
    pub fn controller_as(&self, token: &Token, scope: &Scope, username: &str) -> kube::Client {
        self.acting(token, scope, layer::ActsAs { user: username, by: Some(names::IMPERSONATED_BY_CONTROLLER) })
    }

    fn acting(&self, token: &Token, scope: &Scope, acts_as: layer::ActsAs<'_>) -> kube::Client {
        self.authorized(Some(token), format!("{}{}", self.base, scope.prefix()), Some(acts_as))
    }

    /// Returns a client with the credential of a kubeconfig, inside the path of its server address.
    pub fn client_with(&self, credential: &Credential) -> kube::Client {
        self.authorized(credential.token.as_ref(), credential.prefix.clone(), None)
    }

    /// Returns a client with the credential of a kubeconfig, in `scope` of the control plane that its server address leads to.
    pub fn client_at(&self, credential: &Credential, topology: &Topology, scope: &Scope) -> kube::Client {
        let prefix = format!("{}{}", topology.base(&credential.prefix), scope.prefix());
        self.authorized(credential.token.as_ref(), prefix, None)
    }

    fn authorized(&self, token: Option<&Token>, prefix: String, acts_as: Option<layer::ActsAs<'_>>) -> kube::Client {
        let layered = layer::Authorized::new(self.transport.clone(), self.kind, token, prefix, acts_as);
        kube::Client::new(layered, "default")
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::ready;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use futures::{StreamExt, stream};
    use http::{Request, Response};
    use http_body::Frame;
    use http_body_util::{Full, StreamBody};
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::Api;
    use kube::api::{ListParams, WatchParams};
    use kube::client::Body;

    use super::{Endpoint, Scope, Target, Token};
    use crate::workspaces::{ClusterId, WorkspacePath};

    type Seen = Arc<Mutex<Vec<(String, String)>>>;

    /// Answers with a config map after `busy` responses with status 429, and records path and authorization of each request.
    fn endpoint(busy: usize) -> (Endpoint, Seen) {
        let seen = Seen::default();
        let notes = seen.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let header = request.headers().get("authorization").map(|v| v.to_str().unwrap_or_default().to_owned());
            let mut notes = notes.lock().unwrap();
            notes.push((request.uri().to_string(), header.unwrap_or_default()));
            let response = if notes.len() <= busy {
                Response::builder().status(429).header("retry-after", "0").body(Full::from("storage is (re)initializing")).unwrap()
            } else {
                Response::new(Full::from(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#))
            };
            async move { Ok::<_, Infallible>(response) }
        });
        (Endpoint::in_process("test", service), seen)
    }

    #[tokio::test]
    async fn prefix_and_token_stand_in_front_of_every_call() {
        let (endpoint, seen) = endpoint(0);
        let token = Token::new("t0");
        let export = |target| Scope::Export { cluster: ClusterId::parse("prov1").unwrap(), export: "e.dev".into(), target };
        for scope in [
            Scope::Root,
            Scope::Workspace(WorkspacePath::parse("root:acme").unwrap()),
            Scope::Cluster(ClusterId::parse("abc1").unwrap()),
            Scope::Cluster(ClusterId::cluster()),
            Scope::Cluster(ClusterId::of_namespace("shop").unwrap()),
            Scope::Workspace(WorkspacePath::parse("cluster:shop").unwrap()),
            export(Target::Wildcard),
            export(Target::Workspace(ClusterId::parse("abc1").unwrap())),
        ] {
            let api: Api<ConfigMap> = Api::namespaced(endpoint.client(&token, &scope), "default");
            api.get("a").await.unwrap();
        }
        let rest = "/api/v1/namespaces/default/configmaps/a";
        let expected: Vec<_> = [
            "",
            "/clusters/root:acme",
            "/clusters/abc1",
            "",
            "",
            "",
            "/services/apiexport/prov1/e.dev/clusters/*",
            "/services/apiexport/prov1/e.dev/clusters/abc1",
        ]
        .map(|prefix| (format!("{prefix}{rest}"), "Bearer t0".to_owned()))
        .to_vec();
        assert_eq!(*seen.lock().unwrap(), expected);
    }

    #[tokio::test]
    async fn a_token_that_impersonates_names_the_person_and_every_group_on_each_call() {
        let seen: Arc<Mutex<Vec<http::HeaderMap>>> = Arc::default();
        let notes = seen.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            notes.lock().unwrap().push(request.headers().clone());
            ready(Ok::<_, Infallible>(Response::new(Full::from(r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}"#))))
        });
        let endpoint = Endpoint::in_process("test", service);
        let dana = Token::new("own").impersonating("jürgen", &["shop".to_owned(), "data".to_owned()]).unwrap();
        let client = endpoint.client(&dana, &Scope::Root);
        let request = || Request::get("/api/v1/namespaces/default/configmaps/a").header("impersonate-group", "system:masters");
        client.request::<ConfigMap>(request().body(Vec::new()).unwrap()).await.unwrap();
        let headers = seen.lock().unwrap().remove(0);
        assert_eq!(headers["authorization"], "Bearer own");
        assert_eq!(headers["impersonate-user"].as_bytes(), "jürgen".as_bytes());
        let groups: Vec<_> = headers.get_all("impersonate-group").iter().collect();
        assert_eq!(groups, ["shop", "data"], "and no other");
    }

    #[tokio::test]
    async fn a_plane_that_is_still_starting_is_asked_again() {
        let (endpoint, seen) = endpoint(2);
        let api: Api<ConfigMap> = Api::namespaced(endpoint.client(&Token::new("t"), &Scope::Root), "default");
        api.get("a").await.unwrap();
        assert_eq!(seen.lock().unwrap().len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_says_nothing_is_given_up() {
        let service = tower::service_fn(|_: Request<Body>| std::future::pending::<Result<Response<Full<bytes::Bytes>>, Infallible>>());
        let endpoint = Endpoint::in_process("test", service);
        let api: Api<ConfigMap> = Api::namespaced(endpoint.client(&Token::new("t"), &Scope::Root), "default");
        let error = api.get("a").await.unwrap_err();
        assert!(crate::error::is_unanswered(&error), "{error}");
    }

    /// A server that starts every response and never finishes it.
    fn stalling() -> Endpoint {
        let service = tower::service_fn(|_: Request<Body>| {
            let begun = Frame::data(bytes::Bytes::from_static(br#"{"apiVersion":"v1","#));
            let body = StreamBody::new(stream::once(ready(Ok::<_, Infallible>(begun))).chain(stream::pending()));
            ready(Ok::<_, Infallible>(Response::new(body)))
        });
        Endpoint::in_process("test", service)
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_stops_in_the_middle_of_an_answer_is_given_up_and_a_quiet_watch_is_not() {
        let api: Api<ConfigMap> = Api::namespaced(stalling().client(&Token::new("t"), &Scope::Root), "default");
        let begun = tokio::time::Instant::now();
        let error = api.get("a").await.unwrap_err();
        assert!(crate::error::is_unanswered(&error), "{error}");
        assert!(api.list(&ListParams::default()).await.is_err());
        assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
        let mut events = std::pin::pin!(api.watch(&WatchParams::default(), "1").await.unwrap());
        let quiet = tokio::time::timeout(Duration::from_secs(3600), events.next()).await;
        assert!(quiet.is_err(), "its reader bounds it");
    }

    #[tokio::test]
    async fn a_name_that_climbs_is_refused_before_it_is_sent() {
        let (endpoint, seen) = endpoint(0);
        let scope = Scope::Workspace(WorkspacePath::parse("root:acme").unwrap());
        let api: Api<ConfigMap> = Api::namespaced(endpoint.client(&Token::new("t"), &scope), "default");
        let names = ["../../../../root/api/v1/namespaces/default/secrets/x", "..", "%2e%2E", ".%2e/x", "%2e%2e%2fsecrets%2Fx", "a%2Fb"];
        for name in names {
            assert!(api.get(name).await.is_err(), "{name}");
        }
        assert!(seen.lock().unwrap().is_empty());
        // Names can have inner dots, and a selector isn't a path.
        api.get("a.b..c").await.unwrap();
        let _events = api.watch(&WatchParams::default().labels("example.com/a=b"), "1").await.unwrap();
        assert!(seen.lock().unwrap()[1].0.contains("labelSelector=example.com%2Fa%3Db"));
    }
}
