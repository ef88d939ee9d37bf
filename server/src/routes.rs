//! Every route of the portal and who can use it: one table that the router is built from and that the access tests walk through.
//!
//! A route can't be added without an access rule, and [`crate::router`] enforces the rule in front of the handler.

use std::sync::Arc;

use app::actions::{
    AskAgain, CancelRun, CancelWorkflow, ChangeRequest, ChooseTheme, Comment, Decide, DecideTogether, DeletePolicy, DeletePreset,
    DeleteRequest, DeleteView, DirectRollout, DiscardDraft, DismissDemo, DismissTour, EndDelegation, EndSession, MarkRead, Posted,
    PreviewPromise, RenameView, RetirePromise, RetryDelivery, RetryRun, RetryWorkflow, RevealOutput, RollOut, RunAction,
    SaveNotificationSettings, SavePolicy, SavePreset, SavePromise, SaveView, SetDelegate, SetFavourite, SetFavouritePromise, ShareDraft,
    SignIn, SignOut, SkipStep, StartRollout, SubmitRequest, SwitchPolicy, VerifyAuditLog, Withdraw,
};
use app::routes::{BACK_CHANNEL_LOGOUT, LIVE, page, post};
use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, delete, on, put};
use http::Method;
use leptos::server_fn::ServerFn;
use promise::rest::operation;

use crate::actions;
use crate::federation;
use crate::health;
use crate::live;
use crate::pages::{self, posts};
use crate::portal::Portal;
use crate::rest;

/// Liveness of the process.
pub const ALIVE: &str = "/healthz";
/// Readiness of the portal.
pub const READY: &str = "/readyz";
/// Files of the built site; an address without a file gets a page that says so.
pub const FILE: &str = "/{*path}";

/// Who can use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Monitoring of the process: by any host name, without a session. It reveals nothing about people.
    Probe,
    /// Everyone, signed in or not. It reveals nothing about people.
    Anyone,
    /// Everyone, but only on the embedded plane; elsewhere the page doesn't exist. It reveals nothing about people.
    EmbeddedPlane,
    /// Signed-in people; it is about that person only, or adds up what the plane lets that person list.
    SignedIn,
    /// Signed-in people; it shows the policies that the plane lets the person read, and otherwise only the texts of those that apply to the
    /// person.
    Policies,
    /// Signed-in people; it shows the decisions that the person can make, or can see as part of a request, and no others.
    Decisions,
    /// Signed-in people who can publish promises in a trusted home; others are told why they can't.
    Platform,
    /// Signed-in people who can enter the workspace that the request names; everything else is requested from the plane as that person.
    Workspace,
    /// Identity providers: what they send counts by its signature alone. Cookies don't count.
    Provider,
    /// Programs with a bearer token of the plane; cookies don't count. Everything is requested from the plane as the holder of the token.
    Bearer,
}

/// A method at an address.
pub struct Route {
    /// GET (which also answers HEAD) or POST; for programs also PUT or DELETE.
    pub method: Method,
    /// Pattern of the address, in axum syntax.
    pub pattern: &'static str,
    /// Who can use it.
    pub access: Access,
    /// The handler; `None` for a page, which the application renders.
    pub(crate) handler: Option<MethodRouter<Arc<Portal>>>,
    /// Whether clients can keep the answer and ask each time whether it changed. Pages with a form are rendered anew each time, and one object
    /// is always read from the control plane.
    revalidated: bool,
}

impl Route {
    /// Checks whether clients can keep the answer and ask each time whether it changed.
    pub fn is_revalidated(&self) -> bool {
        self.revalidated
    }

    /// Checks whether the application renders a page at this address.
    pub fn is_page(&self) -> bool {
        self.handler.is_none()
    }
}

/// Returns the application's page at a pattern.
pub(crate) fn page_at(pattern: &str) -> Option<Route> {
    table().into_iter().find(|route| route.is_page() && route.pattern == pattern)
}

/// Returns the whole table.
pub fn table() -> Vec<Route> {
    use Access::{Anyone, Bearer, Decisions, EmbeddedPlane, Platform, Policies, Probe, Provider, SignedIn, Workspace};
    vec![
        get(ALIVE, Probe, health::alive),
        get(READY, Probe, health::ready),
        page(page::SIGN_IN, Anyone),
        action::<SignIn>(Anyone),
        get(page::SIGN_IN_WITH, Anyone, federation::start),
        get(page::SIGN_IN_CALLBACK, Anyone, federation::callback),
        get(page::SIGN_OUT_WITH, Anyone, federation::sign_out),
        post(BACK_CHANNEL_LOGOUT, Provider, federation::ended),
        get(FILE, Anyone, pages::file),
        page(page::GALLERY, EmbeddedPlane),
        revalidated(page::HOME, SignedIn),
        page(page::REFUSED, SignedIn),
        revalidated(page::WORKSPACES, SignedIn),
        revalidated(page::COST, SignedIn),
        revalidated(page::SEARCH, SignedIn),
        get(page::SEARCH_SUGGESTIONS, SignedIn, pages::suggestions),
        revalidated(page::KEYBOARD, SignedIn),
        revalidated(page::API, SignedIn),
        get(page::COST_EXPORT, SignedIn, pages::cost_export),
        get(page::COST_FOCUS, SignedIn, pages::cost_focus),
        action::<SignOut>(SignedIn),
        page(page::SESSIONS, SignedIn),
        action::<EndSession>(SignedIn),
        action::<ChooseTheme>(SignedIn),
        action::<DismissTour>(SignedIn),
        action::<DismissDemo>(SignedIn),
        action::<SetFavourite>(SignedIn),
        action::<SetFavouritePromise>(SignedIn),
        action::<SaveView>(SignedIn),
        action::<RenameView>(SignedIn),
        action::<DeleteView>(SignedIn),
        action::<ShareDraft>(SignedIn),
        action::<DiscardDraft>(SignedIn),
        revalidated(page::NOTIFICATIONS, SignedIn),
        action::<MarkRead>(SignedIn),
        page(page::NOTIFICATION_SETTINGS, SignedIn),
        action::<SaveNotificationSettings>(SignedIn),
        page(page::STAND_IN, SignedIn),
        action::<SetDelegate>(SignedIn),
        action::<EndDelegation>(SignedIn),
        revalidated(page::DELIVERIES, Platform),
        action::<RetryDelivery>(Platform),
        page(page::AUDIT, Platform),
        page(page::AUDIT_RECORD, Platform),
        action::<VerifyAuditLog>(Platform),
        get(page::AUDIT_EXPORT, Platform, pages::audit_export),
        revalidated(page::PLATFORM, SignedIn),
        revalidated(page::EMERGENCIES, SignedIn),
        revalidated(page::PROMISES, SignedIn),
        page(page::PROMISE_PREVIEW, SignedIn),
        action::<PreviewPromise>(SignedIn),
        page(page::AUTHOR, SignedIn),
        page(page::PROMISE_NEW, SignedIn),
        page(page::PROMISE_EDIT, SignedIn),
        action::<SavePromise>(SignedIn),
        page(page::PROMISE_RETIRE, SignedIn),
        action::<RetirePromise>(SignedIn),
        page(page::FLEET, SignedIn),
        action::<StartRollout>(SignedIn),
        page(page::ROLLOUT, SignedIn),
        action::<DirectRollout>(SignedIn),
        revalidated(page::POLICIES, Policies),
        revalidated(page::POLICY, Policies),
        page(page::POLICY_NEW, Policies),
        page(page::POLICY_EDIT, Policies),
        page(page::POLICY_DELETE, Policies),
        action::<SavePolicy>(Policies),
        action::<SwitchPolicy>(Policies),
        action::<DeletePolicy>(Policies),
        post(post::PREFLIGHT_POLICY, Policies, posts::preflight_policy),
        revalidated(page::APPROVALS, Decisions),
        page(page::APPROVAL, Decisions),
        page(page::ALIKE, Decisions),
        action::<Decide>(Decisions),
        action::<DecideTogether>(Decisions),
        action::<Comment>(Decisions),
        action::<Withdraw>(Decisions),
        action::<AskAgain>(Decisions),
        page(page::WORKSPACE, Workspace),
        revalidated(page::CATALOG, Workspace),
        revalidated(page::PROMISE, Workspace),
        page(page::REQUEST_NEW, Workspace),
        action::<SubmitRequest>(Workspace),
        page(page::REQUEST_REVIEW, Workspace),
        post(post::PREFLIGHT_NEW, Workspace, posts::preflight_new),
        page(page::REQUEST_ADDS, Workspace),
        page(page::ALL_REQUESTS, SignedIn),
        get(page::ALL_REQUESTS_CSV, SignedIn, pages::all_requests_csv),
        revalidated(page::REQUESTS, Workspace),
        get(page::REQUESTS_CSV, Workspace, pages::requests_csv),
        page(page::PRESETS, Workspace),
        action::<SavePreset>(Workspace),
        action::<DeletePreset>(Workspace),
        revalidated(page::RESOURCES, Workspace),
        get(page::RESOURCES_CSV, Workspace, pages::resources_csv),
        revalidated(page::REQUEST, Workspace),
        page(page::OBJECT, Workspace),
        page(page::REQUEST_EDIT, Workspace),
        action::<ChangeRequest>(Workspace),
        page(page::EDIT_REVIEW, Workspace),
        post(post::PREFLIGHT_EDIT, Workspace, posts::preflight_edit),
        page(page::EDIT_ADDS, Workspace),
        action::<RollOut>(Workspace),
        action::<RetryWorkflow>(Workspace),
        action::<CancelWorkflow>(Workspace),
        page(page::ACTION, Workspace),
        action::<RunAction>(Workspace),
        page(page::RUN, Workspace),
        action::<CancelRun>(Workspace),
        action::<RetryRun>(Workspace),
        page(page::SKIP, Workspace),
        page(page::SKIP_IN_RUN, Workspace),
        action::<SkipStep>(Workspace),
        page(page::REQUEST_REVEALED, Workspace),
        page(page::REQUEST_DELETE, Workspace),
        action::<DeleteRequest>(Workspace),
        action::<RevealOutput>(Workspace),
        get(LIVE, Workspace, live::subscribe),
        get(operation::OPENAPI, Anyone, rest::openapi::description),
        get(operation::SIGN_IN, Anyone, rest::sign_in::providers),
        list(operation::WORKSPACES, rest::workspaces::list),
        list(operation::PROMISES, rest::promises::list),
        get(operation::PROMISE, Bearer, rest::promises::get),
        get(operation::PUBLICATION, Bearer, rest::promises::publication),
        of_programs(Method::PUT, operation::PUBLICATION, put(rest::promises::publish)),
        get(operation::FLEET, Bearer, rest::promises::fleet),
        get(operation::ROLLOUTS, Bearer, rest::promises::rollouts),
        get(operation::ROLLOUT, Bearer, rest::promises::rollout),
        post(operation::STOP_ROLLOUT, Bearer, rest::promises::stop_rollout),
        list(operation::REQUESTS, rest::requests::list),
        post(operation::REQUESTS, Bearer, rest::requests::create),
        get(operation::REQUEST, Bearer, rest::requests::get),
        of_programs(Method::PUT, operation::REQUEST, put(rest::requests::change)),
        of_programs(Method::DELETE, operation::REQUEST, delete(rest::requests::delete)),
        get(operation::RELEASES, Bearer, rest::requests::releases),
        post(operation::RETRY, Bearer, rest::requests::retry),
        post(operation::CANCEL, Bearer, rest::requests::cancel),
        get(operation::ACTIONS, Bearer, rest::runs::actions),
        post(operation::ACTION, Bearer, rest::runs::start),
        get(operation::RUNS, Bearer, rest::runs::list),
        get(operation::RUN, Bearer, rest::runs::get),
        post(operation::RETRY_RUN, Bearer, rest::runs::retry),
        post(operation::CANCEL_RUN, Bearer, rest::runs::cancel),
        post(operation::SKIP, Bearer, rest::steps::skip),
        post(operation::SKIP_IN_RUN, Bearer, rest::steps::skip_in_run),
        get(operation::EVENTS, Bearer, rest::troubleshooting::events),
        get(operation::LOGS, Bearer, rest::troubleshooting::logs),
        get(operation::WATCH, Bearer, rest::watch::watch),
        post(operation::PREFLIGHT, Bearer, rest::preflight::preflight),
        list(operation::APPROVALS, rest::approvals::list),
        post(operation::DECISIONS, Bearer, rest::approvals::decide),
        list(operation::RESOURCES, rest::resources::list),
        get(operation::COST, Bearer, rest::cost::report),
        get(operation::SEARCH, Bearer, rest::search::find),
    ]
}

/// Returns the whole table as text: method, access and pattern of each route, one per line.
pub fn text() -> String {
    table().iter().map(|route| format!("{} {:?} {}\n", route.method, route.access, route.pattern)).collect()
}

/// Creates the route of a page of [`app::app::App`].
fn page(pattern: &'static str, access: Access) -> Route {
    Route { method: Method::GET, pattern, access, handler: None, revalidated: false }
}

/// Creates the route of a page that browsers can keep and ask for again.
fn revalidated(pattern: &'static str, access: Access) -> Route {
    Route { revalidated: true, ..page(pattern, access) }
}

fn get<T: 'static>(pattern: &'static str, access: Access, handler: impl Handler<T, Arc<Portal>>) -> Route {
    Route { method: Method::GET, pattern, access, handler: Some(on(MethodFilter::GET, handler)), revalidated: false }
}

fn post<T: 'static>(pattern: &'static str, access: Access, handler: impl Handler<T, Arc<Portal>>) -> Route {
    Route { method: Method::POST, pattern, access, handler: Some(on(MethodFilter::POST, handler)), revalidated: false }
}

/// Creates the route of a list that programs can keep and ask for again.
fn list<T: 'static>(pattern: &'static str, handler: impl Handler<T, Arc<Portal>>) -> Route {
    Route { revalidated: true, ..get(pattern, Access::Bearer, handler) }
}

/// Creates a route for programs with a method that pages don't use.
fn of_programs(method: Method, pattern: &'static str, handler: MethodRouter<Arc<Portal>>) -> Route {
    Route { method, pattern, access: Access::Bearer, handler: Some(handler), revalidated: false }
}

/// Creates the route of a server function, which is called by POST at an address of its own.
fn action<T>(access: Access) -> Route
where
    Posted<T>: ServerFn,
{
    post(app::actions::path::<T>(), access, actions::perform)
}
