//! The application: the page at each address.
//!
//! To add a page: an address in [`crate::routes::page`], a `<Route>` here, and a line in the server's table that says who can open it.

mod address;
mod views;

use axum::body::Body;
use http::{Request, Response};
use leptos::prelude::*;
use leptos_router::SsrMode::Async;
use leptos_router::components::{FlatRoutes, Route, Router};
use promise::{Error, Result};

use self::address::Address;
pub use self::address::query;
use self::views::*;
use crate::backend::Visit;
use crate::document::{Page, respond};
use crate::pages;
use crate::routes::{Pattern, has_dot_segments, page};

/// Every page of the portal.
#[component]
pub fn App() -> impl IntoView {
    view! {
        <Router>
            <FlatRoutes fallback=nowhere>
                <Route path=Pattern(page::HOME) view=|| load(home_page) ssr=Async/>
                <Route path=Pattern(page::SIGN_IN) view=|| load(sign_in_page) ssr=Async/>
                <Route path=Pattern(page::SESSIONS) view=|| load(session_list) ssr=Async/>
                <Route path=Pattern(page::REFUSED) view=|| load(refusal) ssr=Async/>
                <Route path=Pattern(page::WORKSPACES) view=|| load(workspace_list) ssr=Async/>
                <Route path=Pattern(page::COST) view=|| load(cost_report) ssr=Async/>
                <Route path=Pattern(page::SEARCH) view=|| load(search_results) ssr=Async/>
                <Route path=Pattern(page::KEYBOARD) view=|| load(keyboard_shortcuts) ssr=Async/>
                <Route path=Pattern(page::API) view=|| load(rest_api) ssr=Async/>

                <Route path=Pattern(page::WORKSPACE) view=|| load(workspace_page) ssr=Async/>
                <Route path=Pattern(page::CATALOG) view=|| load(catalog_list) ssr=Async/>
                <Route path=Pattern(page::PROMISE) view=|| load(promise) ssr=Async/>
                <Route path=Pattern(page::REQUEST_NEW) view=|| load(request_form) ssr=Async/>
                <Route path=Pattern(page::REQUEST_REVIEW) view=|| load(request_review) ssr=Async/>
                <Route path=Pattern(page::REQUEST_ADDS) view=|| load(request_adds) ssr=Async/>

                <Route path=Pattern(page::ALL_REQUESTS) view=|| load(all_requests) ssr=Async/>
                <Route path=Pattern(page::REQUESTS) view=|| load(request_list) ssr=Async/>
                <Route path=Pattern(page::REQUEST) view=|| load(request) ssr=Async/>
                <Route path=Pattern(page::REQUEST_EDIT) view=|| load(edit_form) ssr=Async/>
                <Route path=Pattern(page::EDIT_REVIEW) view=|| load(edit_review) ssr=Async/>
                <Route path=Pattern(page::EDIT_ADDS) view=|| load(edit_adds) ssr=Async/>
                <Route path=Pattern(page::REQUEST_REVEALED) view=|| load(revealed_output) ssr=Async/>
                <Route path=Pattern(page::ACTION) view=|| load(action_form) ssr=Async/>
                <Route path=Pattern(page::RUN) view=|| load(run) ssr=Async/>
                <Route path=Pattern(page::SKIP) view=|| load(step_skip) ssr=Async/>
                <Route path=Pattern(page::SKIP_IN_RUN) view=|| load(step_skip) ssr=Async/>
                <Route path=Pattern(page::REQUEST_DELETE) view=|| load(request_deletion) ssr=Async/>

                <Route path=Pattern(page::PRESETS) view=|| load(preset_list) ssr=Async/>
                <Route path=Pattern(page::RESOURCES) view=|| load(resource_list) ssr=Async/>
                <Route path=Pattern(page::OBJECT) view=|| load(object) ssr=Async/>

                <Route path=Pattern(page::APPROVALS) view=|| load(inbox) ssr=Async/>
                <Route path=Pattern(page::APPROVAL) view=|| load(approval) ssr=Async/>
                <Route path=Pattern(page::ALIKE) view=|| load(alike) ssr=Async/>

                <Route path=Pattern(page::NOTIFICATIONS) view=|| load(notification_list) ssr=Async/>
                <Route path=Pattern(page::NOTIFICATION_SETTINGS) view=|| load(notification_settings) ssr=Async/>
                <Route path=Pattern(page::STAND_IN) view=|| load(delegation) ssr=Async/>

                <Route path=Pattern(page::PLATFORM) view=|| load(overview) ssr=Async/>
                <Route path=Pattern(page::EMERGENCIES) view=|| load(emergencies) ssr=Async/>
                <Route path=Pattern(page::DELIVERIES) view=|| load(deliveries) ssr=Async/>
                <Route path=Pattern(page::AUDIT) view=|| load(audit_log) ssr=Async/>
                <Route path=Pattern(page::AUDIT_RECORD) view=|| load(audit_record) ssr=Async/>
                <Route path=Pattern(page::PROMISES) view=|| load(promise_list) ssr=Async/>
                <Route path=Pattern(page::PROMISE_PREVIEW) view=|| load(promise_preview) ssr=Async/>
                <Route path=Pattern(page::AUTHOR) view=|| load(author) ssr=Async/>
                <Route path=Pattern(page::PROMISE_NEW) view=|| load(promise_new) ssr=Async/>
                <Route path=Pattern(page::PROMISE_EDIT) view=|| load(promise_edit) ssr=Async/>
                <Route path=Pattern(page::PROMISE_RETIRE) view=|| load(promise_retire) ssr=Async/>
                <Route path=Pattern(page::FLEET) view=|| load(fleet) ssr=Async/>
                <Route path=Pattern(page::ROLLOUT) view=|| load(rollout) ssr=Async/>
                <Route path=Pattern(page::POLICIES) view=|| load(policy_list) ssr=Async/>
                <Route path=Pattern(page::POLICY_NEW) view=|| load(policy_form) ssr=Async/>
                <Route path=Pattern(page::POLICY) view=|| load(policy) ssr=Async/>
                <Route path=Pattern(page::POLICY_EDIT) view=|| load(policy_edit_form) ssr=Async/>
                <Route path=Pattern(page::POLICY_DELETE) view=|| load(policy_delete) ssr=Async/>

                <Route path=Pattern(page::GALLERY) view=|| load(design_system) ssr=Async/>
            </FlatRoutes>
        </Router>
    }
}

/// Renders the page at the address of a request.
pub async fn render(visit: Visit, request: Request<Body>) -> Response<Body> {
    if has_dot_segments(request.uri().path()) {
        return respond(visit, request, nowhere).await;
    }
    respond(visit, request, App).await
}

/// Renders a route: its page, or an error page.
fn load<F, P>(page: F) -> impl IntoView
where
    F: FnOnce(Visit, Address) -> P,
    P: Future<Output = Result<Page>> + Send + 'static,
{
    let (visit, address) = (expect_context::<Visit>(), Address::current());
    let workspace = Some(address.workspace().to_owned()).filter(|workspace| !workspace.is_empty());
    let page = page(visit.clone(), address);
    Suspend::new(async move { pages::settle(&visit, workspace.as_deref(), page.await).into_view(&visit) })
}

/// Renders the error page of an address without a route.
fn nowhere() -> impl IntoView {
    let visit = expect_context::<Visit>();
    let error = Error::NotFound { what: "page at this address".to_owned() };
    pages::settle(&visit, None, Err(error)).into_view(&visit)
}
