//! Every route of the portal with who may use it: one table, from which the router is made and which the access tests walk.
//!
//! A route cannot be added without saying who may use it, and what is said is enforced by [`crate::router`] in front of the handler.

use std::sync::Arc;

use app::actions::{
    AskAgain, ChangeRequest, ChooseTheme, Comment, Decide, DecideTogether, DeleteRequest, DeleteView, EndDelegation, MarkRead, Posted,
    RenameView, RetryDelivery, RollOut, SaveNotificationSettings, SavePolicy, SaveView, SetDelegate, SignIn, SignOut, SubmitRequest,
    Withdraw,
};
use app::routes::{LIVE, page, post};
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use http::Method;
use leptos::server_fn::ServerFn;

use crate::actions;
use crate::live;
use crate::pages::{self, posts};
use crate::rest;
use crate::state::Portal;
use crate::web::health;

/// Liveness of the process.
pub const ALIVE: &str = "/healthz";
/// Readiness of the portal.
pub const READY: &str = "/readyz";
/// Files of the built site; an address at which there is none says so in a page.
pub const FILE: &str = "/{*path}";

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// What looks after the process: by any name, without a session. It learns nothing about anybody.
    Probe,
    /// Everybody, signed in or not. It shows nothing about anybody.
    Anyone,
    /// Everybody, and only on the embedded plane; elsewhere there is no such page. It shows nothing about anybody.
    EmbeddedPlane,
    /// Whoever is signed in; it is about that person alone, or adds up what the plane lets that person list.
    SignedIn,
    /// Whoever is signed in; of policies it shows what the plane lets that person read, and to others the words of those that concern them.
    Policies,
    /// Whoever is signed in; of decisions it shows what the person may decide about, or may see as a request, and for everybody else there
    /// are none.
    Decisions,
    /// Whoever is signed in and may publish promises in a trusted home; others are told why not.
    Platform,
    /// Whoever is signed in and may enter the workspace that the request names; everything else is asked of the plane as that person.
    Workspace,
    /// Programs with a bearer token of the plane; no cookie counts. Everything is asked of the plane as the holder of the token.
    Bearer,
}

/// One address and method.
pub struct Route {
    /// GET (which answers HEAD too) or POST.
    pub method: Method,
    /// Pattern of the address, as axum writes it.
    pub pattern: &'static str,
    /// Who may use it.
    pub access: Access,
    /// What answers; nothing for a page, which the application has.
    pub(crate) handler: Option<MethodRouter<Arc<Portal>>>,
}

impl Route {
    /// Whether the application has a page there.
    pub fn is_page(&self) -> bool {
        self.handler.is_none()
    }
}

/// Who may open the page at an address of the application.
pub(crate) fn page_access(pattern: &str) -> Option<Access> {
    table().into_iter().find(|route| route.is_page() && route.pattern == pattern).map(|route| route.access)
}

/// The whole table.
pub fn table() -> Vec<Route> {
    use Access::{Anyone, Bearer, Decisions, EmbeddedPlane, Platform, Policies, Probe, SignedIn, Workspace};
    vec![
        get(ALIVE, Probe, health::alive),
        get(READY, Probe, health::ready),
        page(page::SIGN_IN, Anyone),
        action::<SignIn>(Anyone),
        get(FILE, Anyone, pages::file),
        page(page::GALLERY, EmbeddedPlane),
        page(page::HOME, SignedIn),
        page(page::REFUSED, SignedIn),
        page(page::WORKSPACES, SignedIn),
        page(page::COST, SignedIn),
        get(page::COST_EXPORT, SignedIn, pages::cost_export),
        get(page::COST_FOCUS, SignedIn, pages::cost_focus),
        action::<SignOut>(SignedIn),
        action::<ChooseTheme>(SignedIn),
        action::<SaveView>(SignedIn),
        action::<RenameView>(SignedIn),
        action::<DeleteView>(SignedIn),
        page(page::NOTIFICATIONS, SignedIn),
        action::<MarkRead>(SignedIn),
        page(page::NOTIFICATION_SETTINGS, SignedIn),
        action::<SaveNotificationSettings>(SignedIn),
        page(page::STAND_IN, SignedIn),
        action::<SetDelegate>(SignedIn),
        action::<EndDelegation>(SignedIn),
        page(page::DELIVERIES, Platform),
        action::<RetryDelivery>(Platform),
        page(page::PLATFORM, SignedIn),
        page(page::EMERGENCIES, SignedIn),
        page(page::POLICIES, Policies),
        page(page::POLICY, Policies),
        page(page::POLICY_NEW, Policies),
        page(page::POLICY_EDIT, Policies),
        action::<SavePolicy>(Policies),
        page(page::APPROVALS, Decisions),
        page(page::APPROVAL, Decisions),
        page(page::ALIKE, Decisions),
        action::<Decide>(Decisions),
        action::<DecideTogether>(Decisions),
        action::<Comment>(Decisions),
        action::<Withdraw>(Decisions),
        action::<AskAgain>(Decisions),
        page(page::CATALOG, Workspace),
        page(page::PROMISE, Workspace),
        page(page::REQUEST_NEW, Workspace),
        action::<SubmitRequest>(Workspace),
        page(page::REQUEST_REVIEW, Workspace),
        post(post::PREFLIGHT_NEW, Workspace, posts::preflight_new),
        page(page::REQUEST_ADDS, Workspace),
        page(page::REQUESTS, Workspace),
        page(page::RESOURCES, Workspace),
        get(page::RESOURCES_CSV, Workspace, pages::resources_csv),
        page(page::REQUEST, Workspace),
        page(page::OBJECT, Workspace),
        page(page::REQUEST_EDIT, Workspace),
        action::<ChangeRequest>(Workspace),
        page(page::EDIT_REVIEW, Workspace),
        post(post::PREFLIGHT_EDIT, Workspace, posts::preflight_edit),
        page(page::EDIT_ADDS, Workspace),
        action::<RollOut>(Workspace),
        page(page::REQUEST_DELETE, Workspace),
        action::<DeleteRequest>(Workspace),
        post(post::REVEAL, Workspace, posts::reveal),
        get(LIVE, Workspace, live::subscribe),
        post(rest::PREFLIGHT, Bearer, rest::preflight::preflight),
    ]
}

/// The whole table in words: method, access and pattern of each route, a line each.
pub fn text() -> String {
    table().iter().map(|route| format!("{} {:?} {}\n", route.method, route.access, route.pattern)).collect()
}

/// A page of [`app::app::App`].
fn page(pattern: &'static str, access: Access) -> Route {
    Route { method: Method::GET, pattern, access, handler: None }
}

fn get<T: 'static>(pattern: &'static str, access: Access, handler: impl Handler<T, Arc<Portal>>) -> Route {
    Route { method: Method::GET, pattern, access, handler: Some(on(MethodFilter::GET, handler)) }
}

fn post<T: 'static>(pattern: &'static str, access: Access, handler: impl Handler<T, Arc<Portal>>) -> Route {
    Route { method: Method::POST, pattern, access, handler: Some(on(MethodFilter::POST, handler)) }
}

/// A server function, which is called by POST at an address of its own.
fn action<T>(access: Access) -> Route
where
    Posted<T>: ServerFn,
{
    post(app::actions::path::<T>(), access, actions::perform)
}
