//! Pages and posts of `app`: one handler for each address of `app::routes`. A handler takes the address apart, asks the page, and answers.
//! Which handler stands at which address, and who may use it, is said in [`crate::routes`].

pub(crate) mod approvals;
mod files;
pub(crate) mod posts;
mod visit;

use std::sync::Arc;

use app::backend::{FormOf, Resources as _, Sample, SignInProblem, Visit};
use app::pages::{catalog, cost, gallery, home, notifications, platform, requests, resources, sign_in, workspaces};
use app::routes::safe_redirect;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderMap, Method, StatusCode, Uri, header};
use promise::Error;
use promise::view::{
    CatalogQuery, CostQuery, DeliveriesQuery, NoticesQuery, ObjectKey, OverviewQuery, PoliciesQuery, RequestQuery, ResourceQuery,
};
use serde::Deserialize;

pub(crate) use files::{cost_export, cost_focus};
pub use visit::Visiting;

use crate::state::Portal;
use crate::web::asked::Asked;

/// What an address of a promise's or request's page may say besides its path.
#[derive(Deserialize)]
pub(crate) struct Also {
    home: Option<String>,
    draft: Option<String>,
    start: Option<String>,
    #[serde(default)]
    tab: String,
    #[serde(default)]
    page: usize,
}

/// Which part of a request is shown.
#[derive(Deserialize)]
pub(crate) struct Shown {
    #[serde(default, alias = "tab")]
    view: String,
    #[serde(default)]
    page: usize,
    #[serde(default)]
    origin: String,
    #[serde(default)]
    fold: String,
}

/// Which lines of what the platform makes are shown.
#[derive(Deserialize)]
pub(crate) struct Lines {
    home: Option<String>,
    draft: Option<String>,
    #[serde(default)]
    origin: String,
}

/// Where to go after signing in, and why the last attempt failed.
#[derive(Deserialize)]
pub(crate) struct SigningIn {
    #[serde(default)]
    back: String,
    #[serde(default)]
    problem: String,
    #[serde(default)]
    wait: u64,
}

#[derive(Deserialize)]
pub(crate) struct Find {
    #[serde(default)]
    q: String,
    #[serde(default)]
    from: String,
}

/// What an address of a policy's page may say besides its path: from where somebody comes, and sample values.
#[derive(Deserialize)]
pub(crate) struct Tried {
    #[serde(default)]
    from: String,
    #[serde(default)]
    promise: String,
    #[serde(default, rename = "in")]
    place: String,
    r#try: Option<String>,
}

/// Which page of a list is shown.
#[derive(Deserialize)]
pub(crate) struct Number {
    #[serde(default)]
    page: usize,
}

/// For which workspace a new policy is, and what was typed.
#[derive(Deserialize)]
pub(crate) struct PolicyDraft {
    #[serde(default)]
    workspace: String,
    draft: Option<String>,
}

pub(crate) type Named = Path<(String, String)>;
pub(crate) type Placed = Path<(String, String, String)>;

pub(crate) async fn home_page(visiting: Visiting) -> Response {
    visiting.answer(async |visit: &Visit| home::page(visit).await).await
}

/// What was posted from a page and refused a moment ago.
#[derive(Deserialize)]
pub(crate) struct Refused {
    #[serde(default)]
    pub(crate) refused: String,
}

/// Which refusal is shown.
#[derive(Deserialize)]
pub(crate) struct RefusalId {
    #[serde(default)]
    id: String,
}

pub(crate) async fn refused_page(visiting: Visiting, Asked(RefusalId { id }): Asked<RefusalId>) -> Response {
    visiting.answer(async |visit: &Visit| app::pages::kept(visit, &id).await).await
}

pub(crate) async fn sign_in_page(visiting: Visiting, Asked(SigningIn { back, problem, wait }): Asked<SigningIn>) -> Response {
    let problem = SignInProblem::parse(&problem, wait);
    let mut answer = visiting.answer_strangers(|visit| sign_in::page(visit, &back, problem)).await;
    if let Some(SignInProblem::TooManyAttempts(seconds)) = problem {
        answer.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    answer
}

pub(crate) async fn workspaces_page(visiting: Visiting, Asked(find): Asked<Find>) -> Response {
    visiting.answer(async |visit: &Visit| workspaces::page(visit, &find.q, &find.from).await).await
}

pub(crate) async fn cost_page(visiting: Visiting, Asked(query): Asked<CostQuery>) -> Response {
    visiting.answer(async |visit: &Visit| cost::page(visit, &query).await).await
}

pub(crate) async fn catalog_page(visiting: Visiting, Path(workspace): Path<String>, Asked(query): Asked<CatalogQuery>) -> Response {
    visiting.answer(async |visit: &Visit| catalog::list(visit, &workspace, &query).await).await
}

pub(crate) async fn promise_page(visiting: Visiting, Path((workspace, name)): Named, Asked(also): Asked<Also>) -> Response {
    let shown = catalog::Shown { home: also.home.as_deref(), tab: &also.tab, number: also.page };
    visiting.answer(async |visit: &Visit| catalog::promise(visit, &workspace, &name, shown).await).await
}

pub(crate) async fn new_page(visiting: Visiting, Path((workspace, name)): Named, Asked(also): Asked<Also>) -> Response {
    let Also { home, draft, start, .. } = also;
    let form = FormOf::New { promise: &name, home: home.as_deref(), start: start.as_deref() };
    visiting.answer(async |visit: &Visit| requests::form(visit, &workspace, form, draft.as_deref()).await).await
}

pub(crate) async fn review_new_page(visiting: Visiting, Path((workspace, name)): Named, Asked(also): Asked<Also>) -> Response {
    let (home, draft) = (also.home, also.draft.unwrap_or_default());
    let form = FormOf::New { promise: &name, home: home.as_deref(), start: None };
    visiting.answer(async |visit: &Visit| requests::review(visit, &workspace, form, &draft).await).await
}

pub(crate) async fn adds_new_page(visiting: Visiting, Path((workspace, name)): Named, Asked(lines): Asked<Lines>) -> Response {
    let Lines { home, draft, origin } = lines;
    let form = FormOf::New { promise: &name, home: home.as_deref(), start: None };
    visiting.answer(async |visit: &Visit| requests::adds(visit, &workspace, form, draft.as_deref(), &origin).await).await
}

pub(crate) async fn adds_edit_page(visiting: Visiting, Path((workspace, namespace, name)): Placed, Asked(lines): Asked<Lines>) -> Response {
    let form = FormOf::Edit { namespace: &namespace, name: &name };
    visiting.answer(async |visit: &Visit| requests::adds(visit, &workspace, form, lines.draft.as_deref(), &lines.origin).await).await
}

pub(crate) async fn requests_page(visiting: Visiting, Path(workspace): Path<String>, Asked(query): Asked<RequestQuery>) -> Response {
    visiting.answer(async |visit: &Visit| requests::list(visit, &workspace, &query).await).await
}

pub(crate) async fn request_page(
    visiting: Visiting,
    Path((workspace, namespace, name)): Placed,
    Asked(shown): Asked<Shown>,
    Asked(refused): Asked<Refused>,
) -> Response {
    let view = requests::View {
        origin: requests::OriginFilter::parse(&shown.origin),
        fold: requests::Fold::parse(&shown.fold),
        ..requests::View::parse(&shown.view, shown.page)
    };
    let page = async |visit: &Visit| match visit.refusal(&refused.refused).await {
        Some(refusal) => requests::with_message(visit, &workspace, &namespace, &name, &refusal.message()).await,
        None => requests::detail(visit, &workspace, &namespace, &name, view).await,
    };
    visiting.answer(page).await
}

pub(crate) async fn resources_page(visiting: Visiting, Path(workspace): Path<String>, Asked(query): Asked<ResourceQuery>) -> Response {
    visiting.answer(async |visit: &Visit| resources::list(visit, &workspace, &query).await).await
}

/// Workspace, namespace and name of a request, kind and name of an object.
type Made = Path<(String, String, String, String, String)>;

pub(crate) async fn object_page(
    visiting: Visiting,
    Path((workspace, namespace, request, kind, name)): Made,
    Asked(key): Asked<ObjectKey>,
) -> Response {
    let key = ObjectKey { kind, name, ..key };
    visiting.answer(async |visit: &Visit| resources::object(visit, &workspace, &namespace, &request, &key).await).await
}

/// A file for spreadsheets.
pub(crate) async fn resources_csv(visiting: Visiting, Path(workspace): Path<String>, Asked(query): Asked<ResourceQuery>) -> Response {
    let asked = async { visiting.visitor().caller()?.resources_csv(&workspace, &query).await };
    match asked.await {
        Ok(text) => {
            let kind = (header::CONTENT_TYPE, "text/csv; charset=utf-8");
            let saved = (header::CONTENT_DISPOSITION, "attachment; filename=\"resources.csv\"");
            ([kind, saved], text).into_response()
        }
        Err(error) => visiting.refuse(Some(&workspace), &error).await,
    }
}

pub(crate) async fn edit_page(visiting: Visiting, Path((workspace, namespace, name)): Placed, Asked(also): Asked<Also>) -> Response {
    let form = FormOf::Edit { namespace: &namespace, name: &name };
    visiting.answer(async |visit: &Visit| requests::form(visit, &workspace, form, also.draft.as_deref()).await).await
}

pub(crate) async fn review_edit_page(visiting: Visiting, Path((workspace, namespace, name)): Placed, Asked(also): Asked<Also>) -> Response {
    let draft = also.draft.unwrap_or_default();
    let form = FormOf::Edit { namespace: &namespace, name: &name };
    visiting.answer(async |visit: &Visit| requests::review(visit, &workspace, form, &draft).await).await
}

pub(crate) async fn delete_page(
    visiting: Visiting,
    Path((workspace, namespace, name)): Placed,
    Asked(refused): Asked<Refused>,
) -> Response {
    let page = async |visit: &Visit| {
        let problem = visit.refusal(&refused.refused).await.map(|refusal| refusal.message());
        requests::delete(visit, &workspace, &namespace, &name, problem.as_deref()).await
    };
    visiting.answer(page).await
}

pub(crate) async fn notifications_page(visiting: Visiting, Asked(query): Asked<NoticesQuery>) -> Response {
    visiting.answer(async |visit: &Visit| notifications::list(visit, &query).await).await
}

pub(crate) async fn notification_settings_page(visiting: Visiting, Asked(Refused { refused }): Asked<Refused>) -> Response {
    visiting.answer(async |visit: &Visit| notifications::settings(visit, visit.refusal(&refused).await).await).await
}

pub(crate) async fn stand_in_page(visiting: Visiting, Asked(Refused { refused }): Asked<Refused>) -> Response {
    visiting.answer(async |visit: &Visit| notifications::stand_in(visit, visit.refusal(&refused).await).await).await
}

pub(crate) async fn deliveries_page(visiting: Visiting, Asked(query): Asked<DeliveriesQuery>) -> Response {
    visiting.answer(async |visit: &Visit| platform::deliveries(visit, &query).await).await
}

pub(crate) async fn emergencies_page(visiting: Visiting, Asked(number): Asked<Number>) -> Response {
    visiting.answer(async |visit: &Visit| platform::emergencies(visit, number.page).await).await
}

pub(crate) async fn overview_page(visiting: Visiting, Asked(query): Asked<OverviewQuery>) -> Response {
    visiting.answer(async |visit: &Visit| platform::overview(visit, &query).await).await
}

pub(crate) async fn policies_page(visiting: Visiting, Asked(query): Asked<PoliciesQuery>) -> Response {
    visiting.answer(async |visit: &Visit| platform::list(visit, &query).await).await
}

pub(crate) async fn policy_page(visiting: Visiting, Path((place, name)): Named, Asked(tried): Asked<Tried>) -> Response {
    let Tried { from, promise, place: within, r#try } = tried;
    let sample = r#try.map(|text| Sample { promise, workspace: within, text });
    visiting.answer(async |visit: &Visit| platform::policy(visit, &place, &name, &from, sample.as_ref()).await).await
}

pub(crate) async fn policy_new_page(visiting: Visiting, Asked(PolicyDraft { workspace, draft }): Asked<PolicyDraft>) -> Response {
    visiting.answer(async |visit: &Visit| platform::new(visit, &workspace, draft.as_deref()).await).await
}

pub(crate) async fn policy_edit_page(
    visiting: Visiting,
    Path((place, name)): Named,
    Asked(PolicyDraft { draft, .. }): Asked<PolicyDraft>,
) -> Response {
    visiting.answer(async |visit: &Visit| platform::text(visit, &place, &name, draft.as_deref()).await).await
}

pub(crate) async fn gallery_page(visiting: Visiting) -> Response {
    visiting.answer(async |visit: &Visit| gallery::page(visit)).await
}

/// An address that is asked in a way that it does not answer. A browser that opens an address for posts, such as by loading an answer again,
/// is led to the page above it, where the form was.
pub(crate) async fn not_that_way(method: Method, uri: Uri) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    // Above an action there is no page.
    let above = uri.path().rsplit_once('/').map_or("/", |(above, _)| if above.starts_with("/do/") { "/" } else { above });
    Redirect::to(safe_redirect(above)).into_response()
}

/// A file of the site, else a page that says that there is nothing.
pub(crate) async fn file(State(portal): State<Arc<Portal>>, visiting: Visiting, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    if !portal.assets.has(&path) {
        return visiting.refuse(None, &Error::NotFound { what: "page at this address".to_owned() }).await;
    }
    let headers: HeaderMap = request.headers().clone();
    // Compressing takes a moment the first time.
    tokio::task::spawn_blocking(move || portal.assets.answer(&path, &headers))
        .await
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}
