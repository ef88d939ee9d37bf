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
use crate::pages::{self, approvals, posts};
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
    /// What answers.
    pub(crate) handler: MethodRouter<Arc<Portal>>,
}

/// The whole table.
pub fn table() -> Vec<Route> {
    use Access::{Anyone, Bearer, Decisions, EmbeddedPlane, Platform, Policies, Probe, SignedIn, Workspace};
    vec![
        get(ALIVE, Probe, health::alive),
        get(READY, Probe, health::ready),
        get(page::SIGN_IN, Anyone, pages::sign_in_page),
        action::<SignIn>(Anyone),
        get(FILE, Anyone, pages::file),
        get(page::GALLERY, EmbeddedPlane, pages::gallery_page),
        get(page::HOME, SignedIn, pages::home_page),
        get(page::REFUSED, SignedIn, pages::refused_page),
        get(page::WORKSPACES, SignedIn, pages::workspaces_page),
        get(page::COST, SignedIn, pages::cost_page),
        get(page::COST_EXPORT, SignedIn, pages::cost_export),
        get(page::COST_FOCUS, SignedIn, pages::cost_focus),
        action::<SignOut>(SignedIn),
        action::<ChooseTheme>(SignedIn),
        action::<SaveView>(SignedIn),
        action::<RenameView>(SignedIn),
        action::<DeleteView>(SignedIn),
        get(page::NOTIFICATIONS, SignedIn, pages::notifications_page),
        action::<MarkRead>(SignedIn),
        get(page::NOTIFICATION_SETTINGS, SignedIn, pages::notification_settings_page),
        action::<SaveNotificationSettings>(SignedIn),
        get(page::STAND_IN, SignedIn, pages::stand_in_page),
        action::<SetDelegate>(SignedIn),
        action::<EndDelegation>(SignedIn),
        get(page::DELIVERIES, Platform, pages::deliveries_page),
        action::<RetryDelivery>(Platform),
        get(page::PLATFORM, SignedIn, pages::overview_page),
        get(page::EMERGENCIES, SignedIn, pages::emergencies_page),
        get(page::POLICIES, Policies, pages::policies_page),
        get(page::POLICY, Policies, pages::policy_page),
        get(page::POLICY_NEW, Policies, pages::policy_new_page),
        get(page::POLICY_EDIT, Policies, pages::policy_edit_page),
        action::<SavePolicy>(Policies),
        get(page::APPROVALS, Decisions, approvals::inbox_page),
        get(page::APPROVAL, Decisions, approvals::light_page),
        get(page::ALIKE, Decisions, approvals::alike_page),
        action::<Decide>(Decisions),
        action::<DecideTogether>(Decisions),
        action::<Comment>(Decisions),
        action::<Withdraw>(Decisions),
        action::<AskAgain>(Decisions),
        get(page::CATALOG, Workspace, pages::catalog_page),
        get(page::PROMISE, Workspace, pages::promise_page),
        get(page::REQUEST_NEW, Workspace, pages::new_page),
        action::<SubmitRequest>(Workspace),
        get(page::REQUEST_REVIEW, Workspace, pages::review_new_page),
        post(post::PREFLIGHT_NEW, Workspace, posts::preflight_new),
        get(page::REQUEST_ADDS, Workspace, pages::adds_new_page),
        get(page::REQUESTS, Workspace, pages::requests_page),
        get(page::RESOURCES, Workspace, pages::resources_page),
        get(page::RESOURCES_CSV, Workspace, pages::resources_csv),
        get(page::REQUEST, Workspace, pages::request_page),
        get(page::OBJECT, Workspace, pages::object_page),
        get(page::REQUEST_EDIT, Workspace, pages::edit_page),
        action::<ChangeRequest>(Workspace),
        get(page::EDIT_REVIEW, Workspace, pages::review_edit_page),
        post(post::PREFLIGHT_EDIT, Workspace, posts::preflight_edit),
        get(page::EDIT_ADDS, Workspace, pages::adds_edit_page),
        action::<RollOut>(Workspace),
        get(page::REQUEST_DELETE, Workspace, pages::delete_page),
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

fn get<T: 'static>(pattern: &'static str, access: Access, handler: impl Handler<T, Arc<Portal>>) -> Route {
    Route { method: Method::GET, pattern, access, handler: on(MethodFilter::GET, handler) }
}

fn post<T: 'static>(pattern: &'static str, access: Access, handler: impl Handler<T, Arc<Portal>>) -> Route {
    Route { method: Method::POST, pattern, access, handler: on(MethodFilter::POST, handler) }
}

/// A server function, which is called by POST at an address of its own.
fn action<T>(access: Access) -> Route
where
    Posted<T>: ServerFn,
{
    post(app::actions::path::<T>(), access, actions::perform)
}
