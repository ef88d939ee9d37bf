//! One visit of a page: who comes, and the answer with its own content security policy.

use std::convert::Infallible;
use std::sync::Arc;

use app::actions::THEME;
use app::backend::{Backend, Visit};
use app::document::{self, Page};
use app::pages::refused;
use axum::extract::{FromRequestParts, Request};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Uri, header};
use promise::Error;
use promise::view::Person;

use crate::auth::cookie::{CookieStyle, Kind};
use crate::auth::{Caller, Visitor, csrf};
use crate::config::PlaneKind;
use crate::limits::ClientAddress;
use crate::state::Portal;
use crate::web::headers::page_policy;
use crate::web::listen::Peer;
use crate::web::request_log::RequestId;

/// One visit of a page.
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
    /// The visit of a request that has passed the gate; without one nobody is signed in.
    pub fn of(portal: &Arc<Portal>, parts: &Parts) -> Self {
        let visitor = parts.extensions.get::<Visitor>().cloned().unwrap_or(Visitor::Anonymous);
        let reference = parts.extensions.get::<RequestId>().map(|id| id.0.to_string()).unwrap_or_default();
        let peer = parts.extensions.get::<Peer>().copied();
        Self { portal: portal.clone(), visitor, uri: parts.uri.clone(), headers: parts.headers.clone(), peer, reference }
    }

    /// The running portal.
    pub(crate) fn portal(&self) -> &Arc<Portal> {
        &self.portal
    }

    /// Who comes.
    pub(crate) fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// The id of the request.
    pub(crate) fn request_id(&self) -> &str {
        &self.reference
    }

    /// Whether they are on this machine, as far as that can be told: within this process nobody comes from elsewhere.
    pub(crate) fn is_here(&self) -> bool {
        self.peer.is_none_or(|peer| peer.is_here(&self.headers))
    }

    /// From where they come.
    pub(crate) fn address(&self) -> ClientAddress {
        self.portal.limits.address(self.peer.as_ref(), &self.headers)
    }

    /// Does something as the person who visits.
    ///
    /// # Errors
    /// What `act` says; or nobody is signed in, or cannot be known now.
    pub(super) async fn act<T>(&self, act: impl AsyncFnOnce(&Caller) -> Result<T, Error>) -> Result<T, Error> {
        act(self.visitor.caller()?).await
    }

    /// Answers with the page at the address of a request; who cannot be known now is told so.
    pub(super) async fn render(self, request: Request) -> Response {
        let visit = self.visit_with_navigation().await;
        let nonce = visit.nonce.clone();
        let response = match &self.visitor {
            Visitor::Unknown(error) => document::show(visit.clone(), refused(&visit, None, error)).await,
            Visitor::Person(_) | Visitor::Anonymous => app::app::render(visit, request).await,
        };
        secured(response, &nonce)
    }

    /// Answers with a page for people who are not signed in, or want to be somebody else. Strangers' browsers get the secret by which the
    /// page's form is known again; who is signed in has that of the session.
    pub(super) async fn render_for_strangers(self, request: Request) -> Response {
        if let Visitor::Person(caller) = &self.visitor {
            let visit = self.visit(Some(caller.form_token().to_owned()));
            let nonce = visit.nonce.clone();
            return secured(app::app::render(visit, request).await, &nonce);
        }
        let style = self.portal.doors.cookie;
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

    /// Answers with a page that stands at no address. `workspace` is the one that it is about.
    pub(super) async fn answer(self, workspace: &str, page: impl AsyncFnOnce(&Visit) -> Result<Page, Error>) -> Response {
        let visit = self.visit_with_navigation().await;
        let page = Page::settle(&visit, Some(workspace), page(&visit).await);
        let nonce = visit.nonce.clone();
        secured(document::show(visit, page).await, &nonce)
    }

    /// Answers with the page for an error.
    pub async fn refuse(self, workspace: Option<&str>, error: &Error) -> Response {
        let visit = self.visit(None);
        let (page, nonce) = (refused(&visit, workspace, error), visit.nonce.clone());
        secured(document::show(visit, page).await, &nonce)
    }

    /// What a page is given, with what the navigation counts.
    async fn visit_with_navigation(&self) -> Visit {
        let mut visit = self.visit(None);
        if let Some(backend) = &visit.backend {
            let (governs, waits, unread) = futures::join!(backend.governs(), backend.waits(), backend.unread());
            // Where nobody can tell, an entry of the navigation is missing, and not the page.
            (visit.platform, visit.waits, visit.unread) = (governs.unwrap_or_default(), waits, unread);
        }
        visit
    }

    /// What a page is given.
    fn visit(&self, sign_in_token: Option<String>) -> Visit {
        let backend = match &self.visitor {
            Visitor::Person(caller) => Some(Arc::new(Caller::clone(caller)) as Arc<dyn Backend>),
            Visitor::Anonymous | Visitor::Unknown(_) => None,
        };
        let people = self.portal.doors.people().map(|person| Person {
            username: person.name.clone(),
            display_name: person.display_name.clone(),
            role: person.role.clone(),
        });
        Visit {
            backend,
            people: people.collect(),
            sign_in_token: sign_in_token.unwrap_or_default(),
            nonce: self.random(),
            assets: self.portal.assets.manifest().clone(),
            theme: theme(&self.headers).to_owned(),
            platform: false,
            waits: None,
            unread: None,
            embedded: self.portal.plane == PlaneKind::Embedded,
            server: self.portal.endpoint.name().to_owned(),
            address: self.uri.path_and_query().map_or("/", |address| address.as_str()).to_owned(),
            reference: self.reference.clone(),
            now: self.portal.clock.now().to_string(),
        }
    }

    fn random(&self) -> String {
        let mut bytes = [0; 32];
        self.portal.random.fill(&mut bytes);
        hex::encode(bytes)
    }
}

/// The answer with the content security policy of a page whose scripts carry `nonce`.
fn secured(mut response: Response, nonce: &str) -> Response {
    if let Ok(policy) = HeaderValue::from_str(&page_policy(nonce)) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// `light`, `dark`, or nothing for what the system says.
fn theme(headers: &HeaderMap) -> &'static str {
    match CookieStyle::plain_value(headers, THEME) {
        Some("light") => "light",
        Some("dark") => "dark",
        _ => "",
    }
}
