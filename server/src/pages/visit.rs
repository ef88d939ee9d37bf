//! A page visit: the visitor, and the response with its own content security policy.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use app::actions::{DEMO, THEME, ZONE};
use app::backend::{Backend, Visit};
use app::document::{self, Page};
use app::pages::{refused, refused_from, settle};
use app::view::{Person, SignInProvider};
use axum::extract::{FromRequestParts, Request};
use axum::response::Response;
use cluster::WorkspacePath;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use notify::timing;
use promise::Error;
use promise::date::{DateStyle, Zone};

use super::{entity_tag, recent};
use crate::auth::cookie::{CookieStyle, Kind};
use crate::auth::csrf;
use crate::config::PlaneKind;
use crate::limits::ClientAddress;
use crate::portal::Caller;
use crate::portal::Portal;
use crate::portal::navigation::Navigation;
use crate::portal::rights::Right;
use crate::sign_in::Visitor;
use crate::web::headers::page_policy;
use crate::web::listen::Peer;
use crate::web::request_log::RequestId;

/// Hexadecimal digits of a nonce.
const NONCE: usize = 32;

/// A page visit.
pub struct Visiting {
    portal: Arc<Portal>,
    visitor: Visitor,
    uri: Uri,
    headers: HeaderMap,
    peer: Option<Peer>,
    reference: String,
}

impl FromRequestParts<Arc<Portal>> for Visiting {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, portal: &Arc<Portal>) -> Result<Self, Infallible> {
        Ok(Self::of(portal, parts))
    }
}

impl Visiting {
    /// Returns the visit for a request that passed the gate; without the gate the visitor is anonymous.
    pub fn of(portal: &Arc<Portal>, parts: &Parts) -> Self {
        let visitor = parts.extensions.get::<Visitor>().cloned().unwrap_or(Visitor::Anonymous);
        let reference = parts.extensions.get::<RequestId>().map(|id| id.0.to_string()).unwrap_or_default();
        let peer = parts.extensions.get::<Peer>().copied();
        Self { portal: portal.clone(), visitor, uri: parts.uri.clone(), headers: parts.headers.clone(), peer, reference }
    }

    /// Returns the running portal.
    pub(crate) fn portal(&self) -> &Arc<Portal> {
        &self.portal
    }

    /// Returns the visitor.
    pub(crate) fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// Returns the id of the HTTP request.
    pub(crate) fn request_id(&self) -> &str {
        &self.reference
    }

    /// Checks whether the visitor is on this machine, as far as that can be known. Requests made within this process always are.
    pub(crate) fn is_here(&self) -> bool {
        self.peer.is_none_or(|peer| peer.is_here(&self.headers))
    }

    /// Returns the headers of the request.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns the secret in one of the portal's cookies.
    pub(crate) fn cookie(&self, kind: Kind) -> Option<String> {
        self.portal.sign_in.cookie.read(kind, &self.headers).map(str::to_owned)
    }

    /// Returns the visitor's address.
    pub(crate) fn address(&self) -> ClientAddress {
        self.portal.limits.address(self.peer.as_ref(), &self.headers)
    }

    /// Notes that the visitor did something, so that no page that was kept before is shown to them again, by whatever replica.
    pub(crate) async fn acted(&self) {
        self.portal.writes.fetch_add(1, Ordering::Release);
        let Visitor::Person(caller) = &self.visitor else { return };
        self.portal.navigations.forget(caller.session());
        if let Err(error) = self.portal.store.advance_session(caller.session()).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "other replicas could not be notified of a change");
        }
    }

    /// Runs `act` as the visitor.
    ///
    /// # Errors
    /// The errors of `act`, or an error if the visitor isn't signed in or can't be identified now.
    pub(super) async fn act<T>(&self, act: impl AsyncFnOnce(&Caller) -> Result<T, Error>) -> Result<T, Error> {
        act(self.visitor.caller()?).await
    }

    /// Renders the page at the address of a request; visitors who can't be identified now are told so.
    pub(super) async fn render(self, request: Request) -> Response {
        let visit = self.visit_with_navigation().await;
        self.respond(visit, request).await
    }

    /// Like [`Self::render`], for a page that browsers can keep: an entity tag names its state.
    pub(super) async fn render_revalidated(self, request: Request) -> Response {
        let visit = self.visit_with_navigation().await;
        let nonce = visit.nonce.clone();
        let response = self.respond(visit, request).await;
        entity_tag::named(response, &nonce).await
    }

    async fn respond(&self, visit: Visit, request: Request) -> Response {
        let (nonce, recent) = (visit.nonce.clone(), visit.recent.clone());
        let mut response = match &self.visitor {
            Visitor::Unknown(error) => document::show(visit.clone(), refused(&visit, None, error)).await,
            Visitor::Person(_) | Visitor::Anonymous => app::app::render(visit, request).await,
        };
        if response.status() == StatusCode::OK
            && let Some(cookie) = recent::remember(self.uri.path(), &recent, self.portal.sign_in.cookie)
        {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        secured(response, &nonce)
    }

    /// Renders a page for people who aren't signed in, or want to sign in as another person. Anonymous browsers get the secret that
    /// identifies the page's form; signed-in people have the session's secret.
    pub(super) async fn render_for_strangers(self, request: Request) -> Response {
        if let Visitor::Person(caller) = &self.visitor {
            let visit = self.visit(Some(caller.form_token().to_owned()));
            let nonce = visit.nonce.clone();
            return secured(app::app::render(visit, request).await, &nonce);
        }
        let style = self.portal.sign_in.cookie;
        let known = style.read(Kind::Visit, &self.headers).map(str::to_owned);
        let secret = known.clone().unwrap_or_else(|| self.random());
        let visit = self.visit(Some(csrf::form_token(&secret)));
        let nonce = visit.nonce.clone();
        let mut response = secured(app::app::render(visit, request).await, &nonce);
        if known.is_none()
            && let Some(cookie) = style.set(Kind::Visit, &secret, 3600)
        {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }

    /// Renders a page that has no address of its own. `workspace` is the one that it is about.
    pub(super) async fn answer(self, workspace: &str, page: impl AsyncFnOnce(&Visit) -> Result<Page, Error>) -> Response {
        let visit = self.visit_with_navigation().await;
        let page = settle(&visit, Some(workspace), page(&visit).await);
        let nonce = visit.nonce.clone();
        // What was posted is kept as a draft, or noted.
        self.acted().await;
        secured(document::show(visit, page).await, &nonce)
    }

    /// Renders the page for an error. It has the navigation of other pages, unless the error is about what that would ask for again.
    pub async fn refuse(self, workspace: Option<&str>, error: &Error) -> Response {
        let visit = match error {
            Error::NotFound { .. } | Error::Denied { .. } => self.visit_with_navigation().await,
            _ => self.visit(None),
        };
        let (page, nonce) = (refused(&visit, workspace, error), visit.nonce.clone());
        secured(document::show(visit, page).await, &nonce)
    }

    /// Answers a posted form with the page of an error. `form` is the address where it can be opened again.
    pub async fn refuse_from(self, form: String, error: &Error) -> Response {
        let visit = self.visit_with_navigation().await;
        let (page, nonce) = (refused_from(&visit, error, form), visit.nonce.clone());
        secured(document::show(visit, page).await, &nonce)
    }

    /// Returns the data for a page, with the counts for the navigation.
    pub(super) async fn visit_with_navigation(&self) -> Visit {
        self.portal.people.current(&self.portal.store, self.portal.clock.now()).await;
        let mut visit = self.visit(None);
        if let Visitor::Person(caller) = &self.visitor {
            let Navigation { governs, waits, unread, favourites, favourite_promises } = caller.navigation().await;
            if visit.recent.is_empty() {
                visit.works_in = caller.works_in().await;
            }
            (visit.platform, visit.waits, visit.unread, visit.favourites) = (governs, waits, unread, favourites);
            visit.above = above(caller, self.uri.path()).await;
            visit.creates_in = creates_in(caller, &self.uri).await;
            visit.favourite_promises = favourite_promises;
        }
        visit
    }

    /// Returns the data for a page.
    fn visit(&self, sign_in_token: Option<String>) -> Visit {
        let backend = match &self.visitor {
            Visitor::Person(caller) => Some(Arc::new(Caller::clone(caller)) as Arc<dyn Backend>),
            Visitor::Anonymous | Visitor::Unknown(_) => None,
        };
        let people = self.portal.sign_in.choices().map(|person| Person {
            username: person.name.clone(),
            display_name: person.display_name.clone(),
            role: person.role.clone(),
        });
        let languages = self.headers.get(header::ACCEPT_LANGUAGE).and_then(|languages| languages.to_str().ok());
        Visit {
            backend,
            people: people.collect(),
            providers: self.portal.sign_in.providers().iter().map(|provider| provider_button(provider.config())).collect(),
            takes_tokens: self.portal.sign_in.takes_tokens(),
            sign_in_token: sign_in_token.unwrap_or_default(),
            // 128 bits, as Content Security Policy asks for at least.
            nonce: self.random()[..NONCE].to_owned(),
            assets: self.portal.assets.manifest().clone(),
            theme: theme(&self.headers).to_owned(),
            recent: recent::of(&self.headers),
            works_in: None,
            favourites: Vec::new(),
            above: Vec::new(),
            creates_in: None,
            favourite_promises: Vec::new(),
            platform: false,
            waits: None,
            unread: None,
            embedded: self.portal.plane == PlaneKind::Embedded,
            demo_dismissed: CookieStyle::plain_value(&self.headers, DEMO).is_some(),
            server: self.portal.endpoint.name().to_owned(),
            address: self.uri.path_and_query().map_or("/", |address| address.as_str()).to_owned(),
            reference: self.reference.clone(),
            now: self.portal.clock.now().to_string(),
            names: self.portal.people.names(),
            dates: languages.map(DateStyle::of_languages).unwrap_or_default(),
            zone: zone(&self.headers),
        }
    }

    fn random(&self) -> String {
        let mut bytes = [0; 32];
        self.portal.random.fill(&mut bytes);
        hex::encode(bytes)
    }
}

/// Returns what the sign-in page says about an identity provider.
fn provider_button(provider: &oidc::ProviderConfig) -> SignInProvider {
    SignInProvider { name: provider.name.clone(), title: provider.title.clone() }
}

/// Returns the workspaces above the one in an address that the visitor can enter. Those that can't be checked now are missing.
async fn above(caller: &Caller, address: &str) -> Vec<String> {
    let path = address.strip_prefix("/w/").and_then(|rest| rest.split('/').next()).and_then(|path| WorkspacePath::parse(path).ok());
    let mut parent = path.and_then(|path| path.parent());
    let tree = caller.portal().world.tree();
    let mut open = Vec::new();
    while let Some(path) = parent {
        if let Some(cluster) = tree.cluster(&path)
            && caller.may(&cluster, Right::Enter).await.unwrap_or_default()
        {
            open.push(path.to_string());
        }
        parent = path.parent();
    }
    open
}

/// Returns the workspace that an address is about, if the visitor can create requests there.
async fn creates_in(caller: &Caller, address: &Uri) -> Option<String> {
    let workspace = workspace_of(address)?;
    caller.can_request_in(&workspace).await.then_some(workspace)
}

/// Returns the workspace in the path of an address, or else in its query: that of a cost report, or that from which someone came to a policy.
fn workspace_of(address: &Uri) -> Option<String> {
    if let Some(rest) = address.path().strip_prefix("/w/") {
        return rest.split('/').next().map(str::to_owned);
    }
    let mut pairs = form_urlencoded::parse(address.query()?.as_bytes());
    pairs.find(|(name, value)| matches!(&**name, "workspace" | "from") && !value.is_empty()).map(|(_, value)| value.into_owned())
}

/// Adds the content security policy for a page whose scripts carry `nonce`.
fn secured(mut response: Response, nonce: &str) -> Response {
    if let Ok(policy) = HeaderValue::from_str(&page_policy(nonce)) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Returns `light`, `dark`, or an empty string for the system's setting.
fn theme(headers: &HeaderMap) -> &'static str {
    match CookieStyle::plain_value(headers, THEME) {
        Some("light") => "light",
        Some("dark") => "dark",
        _ => "",
    }
}

/// Returns the reader's time zone; UTC if the browser doesn't say one that the database knows.
fn zone(headers: &HeaderMap) -> Zone {
    let known = CookieStyle::plain_value(headers, ZONE).and_then(|name| Some(Zone::new(name, timing::zone(name)?)));
    known.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_about_the_workspace_in_its_path_or_its_query() {
        let of = |address: &'static str| workspace_of(&Uri::from_static(address));
        let shop = Some("root:acme:shop".to_owned());
        assert_eq!(of("/w/root:acme:shop/requests?workspace=root:acme:data"), shop);
        assert_eq!(of("/w/root:acme:shop"), shop);
        assert_eq!(of("/cost?by=team&workspace=root%3Aacme%3Ashop"), shop);
        assert_eq!(of("/platform/policies/root:acme/spending?from=root:acme:shop"), shop);
        assert_eq!([of("/cost"), of("/cost?workspace="), of("/")], [None, None, None]);
    }

    #[test]
    fn a_zone_that_the_database_does_not_know_is_utc() {
        let of = |cookie: &str| {
            let headers = [(header::COOKIE, HeaderValue::from_str(cookie).unwrap())].into_iter().collect();
            zone(&headers)
        };
        let berlin = of("theme=dark; zone=Europe/Berlin");
        assert_eq!(berlin.date("2026-11-26T23:30:00Z"), "2026-11-27");
        assert!(!berlin.is_utc());
        for unknown in ["zone=Mars/Base", "zone=", "zone=../etc/passwd", "zone=Europe/Berlin; zone=Asia/Tokyo", "theme=dark"] {
            assert!(of(unknown).is_utc(), "{unknown}");
        }
        assert!(of("zone=Etc/UTC").is_utc());
    }
}
