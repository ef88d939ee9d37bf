//! A browser without JavaScript: it keeps cookies, says where its posts come from, and finds hidden inputs of forms.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::{Extension, Router};
use cluster::Token;
use devplane::sandbox::Pace;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use notify::NotifyConfig;
use opm_portal::audit::AuditConfig;
use opm_portal::clock::Clock;
use opm_portal::config::{Config, DatabaseUrl, PlaneConfig, SignInConfig, Storage};
use opm_portal::limits::LimitsConfig;
use opm_portal::portal::Caller;
use opm_portal::portal::caller::Shown;
use opm_portal::router::router;
use opm_portal::serve::{Edges, Running};
use opm_portal::web::listen::Peer;
use tower::ServiceExt as _;

/// The name under which the tests reach the portal.
pub const HOST: &str = "localhost:8080";

/// A running portal on an empty plane in memory, with the sample world.
pub struct Product {
    /// Everything that is open.
    pub running: Running,
    /// All routes.
    pub router: Router,
}

impl Product {
    /// Opens everything.
    pub async fn open() -> Self {
        Self::with(Storage::Memory, true, NotifyConfig::default()).await
    }

    /// Opens everything but the controller: then nothing is written to the plane unless somebody asks for it.
    pub async fn quiet() -> Self {
        Self::with(Storage::Memory, false, NotifyConfig::default()).await
    }

    /// Opens everything in a folder.
    pub async fn in_folder(folder: &Path) -> Self {
        Self::with(Storage::Directory(folder.to_owned()), true, NotifyConfig::default()).await
    }

    /// Opens everything in a folder, where the sample world begins with its history.
    pub async fn lived_in(folder: &Path) -> Self {
        let config = config(Storage::Directory(folder.to_owned()), None, true, NotifyConfig::default());
        let plane = PlaneConfig::Embedded { listen: ([127, 0, 0, 1], 0).into(), examples: None, history: true, authentication: None };
        Self::configured(Config { plane, ..config }, edges()).await
    }

    /// Opens everything in a folder, with the portal's memory on a database server.
    pub async fn on(folder: &Path, database: DatabaseUrl) -> Self {
        Self::opened(Storage::Directory(folder.to_owned()), Some(database), true, NotifyConfig::default(), edges()).await
    }

    /// Opens everything, and tells people as configured.
    pub async fn telling(notify: NotifyConfig) -> Self {
        Self::with(Storage::Memory, true, notify).await
    }

    /// Opens everything, at the time of a clock.
    pub async fn at(clock: Arc<dyn Clock>) -> Self {
        Self::opened(Storage::Memory, None, true, NotifyConfig::default(), Edges { clock, ..edges() }).await
    }

    /// Opens everything but the controller, with limits and at the time of a clock.
    pub async fn limited(limits: LimitsConfig, clock: Arc<dyn Clock>) -> Self {
        let config = Config { limits, ..config(Storage::Memory, None, false, NotifyConfig::default()) };
        Self::configured(config, Edges { clock, ..edges() }).await
    }

    /// Opens everything, with or without the controller, where people sign in as configured, on a plane that accepts the tokens that a file
    /// names.
    pub async fn federated(sign_in: SignInConfig, authentication: &Path, controller: bool, clock: Arc<dyn Clock>) -> Self {
        let config = config(Storage::Memory, None, controller, NotifyConfig::default());
        let (listen, authentication) = (([127, 0, 0, 1], 0).into(), Some(authentication.to_owned()));
        let plane = PlaneConfig::Embedded { listen, examples: None, history: false, authentication };
        let public_url = Some(format!("http://{HOST}").parse().expect("an address"));
        Self::configured(Config { plane, public_url, sign_in, ..config }, Edges { clock, ..edges() }).await
    }

    /// Opens everything in a folder, with settings of the audit log.
    pub async fn audited(folder: &Path, audit: AuditConfig) -> Self {
        let config = config(Storage::Directory(folder.to_owned()), None, false, NotifyConfig::default());
        Self::configured(Config { audit, ..config }, edges()).await
    }

    async fn with(storage: Storage, controller: bool, notify: NotifyConfig) -> Self {
        Self::opened(storage, None, controller, notify, edges()).await
    }

    async fn opened(storage: Storage, database: Option<DatabaseUrl>, controller: bool, notify: NotifyConfig, edges: Edges) -> Self {
        Self::configured(config(storage, database, controller, notify), edges).await
    }

    pub async fn configured(config: Config, edges: Edges) -> Self {
        let running = Running::open(&config, edges).await.expect("the portal opens");
        let router = router(&running.portal);
        Self { running, router }
    }

    /// Waits until the controller has published a version of each sample promise, and the portal knows: what is asked for sooner waits.
    pub async fn publishes_samples(&self) {
        let known = &self.running.portal.world;
        let published = async {
            while known.promises.snapshot().is_empty()
                || !known.promises.snapshot().iter().all(|(key, promise)| {
                    let name = promise.status.as_ref().and_then(|status| status.revision.clone());
                    name.is_some_and(|name| known.revisions.get(&key.beside(name)).is_some())
                })
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), published).await.expect("a version of each sample promise");
    }

    /// The token of somebody who may do everything.
    pub fn admin(&self) -> &Token {
        let sandbox = self.running.sandbox.as_ref().expect("an embedded plane");
        sandbox.identities.token("plane-admin").expect("an admin")
    }

    /// A browser in which nobody is signed in.
    pub fn browser(&self) -> Browser {
        Browser { router: self.router.clone(), cookies: BTreeMap::new() }
    }

    /// A browser in which `person` is signed in.
    pub async fn signed_in(&self, person: &str) -> Browser {
        self.browser().signs_in(person).await
    }
}

/// Tests open more pages in a second than a person does, so requests are not limited.
pub fn config(storage: Storage, database: Option<DatabaseUrl>, controller: bool, notify: NotifyConfig) -> Config {
    Config {
        plane: PlaneConfig::Embedded { listen: ([127, 0, 0, 1], 0).into(), examples: None, history: false, authentication: None },
        storage,
        listen: ([127, 0, 0, 1], 0).into(),
        web: true,
        controller,
        database,
        session_key_file: None,
        metrics: None,
        public_url: None,
        notify,
        limits: LimitsConfig { requests_per_second: None, ..LimitsConfig::default() },
        sign_in: SignInConfig::default(),
        audit: AuditConfig::default(),
    }
}

/// The edges of this machine, where what is pretended comes up sooner.
pub fn edges() -> Edges {
    Edges { pace: Pace::faster(50.0), ..Edges::default() }
}

/// A browser.
#[derive(Clone)]
pub struct Browser {
    router: Router,
    cookies: BTreeMap<String, String>,
}

/// An answer, read whole.
#[derive(Debug)]
pub struct Answer {
    /// Status.
    pub status: StatusCode,
    /// Headers.
    pub headers: http::HeaderMap,
    /// Body.
    pub text: String,
}

impl Browser {
    /// A browser without a session, whose requests a router answers.
    pub fn at(router: Router) -> Self {
        Self { router, cookies: BTreeMap::new() }
    }

    /// The same browser on a machine with this address.
    pub fn from(mut self, address: &str) -> Self {
        self.router = self.router.layer(Extension(Peer(Some(address.parse().expect("an address")))));
        self
    }

    /// The same browser with `person` signed in.
    pub async fn signs_in(mut self, person: &str) -> Self {
        let page = self.get("/sign-in").await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text);
        let answer = self.post("/do/account/sign-in", &[("_token", &page.hidden("_token")), ("person", person)]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        self
    }

    /// The same browser, signed in with a token: on any plane but the embedded one.
    pub async fn brings(mut self, token: &str) -> Self {
        let page = self.get("/sign-in").await;
        let answer = self.post("/do/account/sign-in", &[("_token", &page.hidden("_token")), ("token", token)]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
        self
    }

    /// The value of a cookie that it holds.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get(name).map(String::as_str)
    }

    /// Holds a cookie that someone else put there.
    pub fn holds(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }

    /// Opens an address until its answer fits: what the portal knows follows the plane a moment later.
    pub async fn until(&mut self, address: &str, fits: impl Fn(&Answer) -> bool) -> Answer {
        let asking = async {
            loop {
                let answer = self.get(address).await;
                if fits(&answer) {
                    return answer;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), asking).await.unwrap_or_else(|_| panic!("{address} never fits"))
    }

    /// The person who is signed in, as pages act for them.
    pub async fn caller(&self, product: &Product) -> Caller {
        for value in self.cookies.values() {
            if let Some(caller) = Caller::verify(&product.running.portal, Shown::Cookie(value)).await.expect("an answer") {
                return caller;
            }
        }
        panic!("nobody is signed in");
    }

    /// Opens an address.
    pub async fn get(&mut self, address: &str) -> Answer {
        self.send(self.request("GET", address, Body::empty())).await
    }

    /// Opens an address with a further header.
    pub async fn get_with(&mut self, address: &str, name: &'static str, value: &str) -> Answer {
        let mut request = self.request("GET", address, Body::empty());
        request.headers_mut().insert(name, value.parse().expect("a value"));
        self.send(request).await
    }

    /// Goes on with its cookies at another run of the portal.
    pub fn moves_to(&mut self, product: &Product) {
        self.moves_to_router(product.router.clone());
    }

    /// Sends further requests, with the same cookies, to another router.
    pub fn moves_to_router(&mut self, router: Router) {
        self.router = router;
    }

    /// Asks for the head of an answer.
    pub async fn head(&mut self, address: &str) -> Answer {
        self.send(self.request("HEAD", address, Body::empty())).await
    }

    /// Opens an address without reading its body, for streams.
    pub async fn stream(&self, address: &str) -> Response<Body> {
        self.router.clone().oneshot(self.request("GET", address, Body::empty())).await.expect("an answer")
    }

    /// Sends a form from a page of the portal.
    pub async fn post(&mut self, address: &str, pairs: &[(&str, &str)]) -> Answer {
        let mut request = self.form(address, pairs);
        request.headers_mut().insert(header::ORIGIN, format!("http://{HOST}").parse().expect("an origin"));
        self.send(request).await
    }

    /// Sends a form to an action. Where nothing was done, the answer is the page that says why.
    pub async fn act(&mut self, address: &str, pairs: &[(&str, &str)]) -> Answer {
        let answer = self.post(address, pairs).await;
        if answer.location().contains("refused") { self.follow(answer).await } else { answer }
    }

    /// Sends the form of a request's page: the fields of the address are hidden inputs there.
    pub async fn send_form(&mut self, page: &str, pairs: &[(&str, &str)]) -> Answer {
        let (action, hidden) = request_form(page);
        let hidden: Vec<(&str, &str)> = hidden.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.act(action, &[&hidden, pairs].concat()).await
    }

    /// The page to which an answer leads; the answer itself where it leads nowhere.
    pub async fn follow(&mut self, answer: Answer) -> Answer {
        match answer.location() {
            "" => answer,
            location => {
                assert_eq!(answer.status, StatusCode::SEE_OTHER, "{location}");
                let location = location.to_owned();
                self.get(&location).await
            }
        }
    }

    /// Gets what the browser has already with an entity tag.
    pub async fn get_again(&mut self, address: &str, tag: &HeaderValue) -> Answer {
        let mut request = self.request("GET", address, Body::empty());
        request.headers_mut().insert(header::IF_NONE_MATCH, tag.clone());
        self.send(request).await
    }

    /// Sends a form from another site.
    pub async fn post_from(&mut self, origin: &str, address: &str, pairs: &[(&str, &str)]) -> Answer {
        let mut request = self.form(address, pairs);
        request.headers_mut().insert(header::ORIGIN, origin.parse().expect("an origin"));
        self.send(request).await
    }

    /// Sends a request as it is, with the cookies.
    pub async fn send(&mut self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        for cookie in response.headers().get_all(header::SET_COOKIE) {
            let cookie = cookie.to_str().expect("a cookie");
            let (pair, rest) = cookie.split_once(';').expect("attributes");
            let (name, value) = pair.split_once('=').expect("a value");
            if rest.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        Answer { status: parts.status, headers: parts.headers, text: String::from_utf8_lossy(&bytes).into_owned() }
    }

    /// A form that no browser has said the origin of.
    pub fn form(&self, address: &str, pairs: &[(&str, &str)]) -> Request<Body> {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        let mut request = self.request("POST", address, Body::from(body));
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        request.headers_mut().insert(header::CONTENT_TYPE, kind);
        request
    }

    fn request(&self, method: &str, address: &str, body: Body) -> Request<Body> {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Request::builder()
            .method(method)
            .uri(address)
            .header(header::HOST, HOST)
            .header(header::ACCEPT, "text/html")
            .header(header::COOKIE, cookies.join("; "))
            .body(body)
            .expect("a request")
    }
}

impl Answer {
    /// The value of the first hidden input of that name, if there is one.
    pub fn hidden_or_none(&self, name: &str) -> Option<String> {
        self.text.contains(&format!("name=\"{name}\"")).then(|| self.hidden(name))
    }

    /// The value of the first hidden input of that name.
    pub fn hidden(&self, name: &str) -> String {
        let marked = self.text.split("<input").find(|input| input.contains(&format!("name=\"{name}\""))).unwrap_or_default();
        let value = marked.split("value=\"").nth(1).and_then(|rest| rest.split('"').next());
        value.unwrap_or_else(|| panic!("no input {name} in {}", self.text)).to_owned()
    }

    /// Where the answer leads.
    pub fn location(&self) -> &str {
        self.headers.get(header::LOCATION).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// The action of the form at `/w/WORKSPACE/promises/NAME/request` or `/w/WORKSPACE/requests/NAMESPACE/NAME/edit`, and the hidden inputs that say
/// which form it is.
pub fn request_form(page: &str) -> (&'static str, Vec<(&'static str, String)>) {
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let parts: Vec<&str> = path.split('/').collect();
    let named =
        |names: &[&'static str], values: &[&str]| names.iter().copied().zip(values.iter().map(|value| (*value).to_owned())).collect();
    match parts.as_slice() {
        ["", "w", workspace, "promises", promise, "request"] => {
            let home = query.strip_prefix("home=").unwrap_or_default();
            ("/do/requests/submit", named(&["workspace", "promise", "home"], &[*workspace, *promise, home]))
        }
        ["", "w", workspace, "requests", namespace, name, "edit"] => {
            ("/do/requests/change", named(&["workspace", "namespace", "name"], &[*workspace, *namespace, *name]))
        }
        _ => panic!("{page} has no form of a request"),
    }
}

/// Fills a form with its hidden inputs and the pairs, and presses `button`.
pub async fn fill(browser: &mut Browser, address: &str, pairs: &[(&str, &str)], button: &str) -> Answer {
    let page = browser.get(address).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let (token, cluster) = (page.hidden("_token"), page.hidden("_cluster"));
    let version = if page.text.contains("name=\"_version\"") { page.hidden("_version") } else { String::new() };
    let mut all = vec![("_token", token.as_str()), ("_cluster", cluster.as_str()), ("_op", button)];
    if !version.is_empty() {
        all.push(("_version", version.as_str()));
    }
    all.extend(pairs);
    browser.send_form(address, &all).await
}
