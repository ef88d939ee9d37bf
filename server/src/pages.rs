//! Responds with pages of [`app::app::App`], and with what isn't a page: files, and POSTs that change nothing. [`crate::routes`] says who
//! can use which address.

mod entity_tag;
mod files;
mod fragments;
pub mod panics;
pub(crate) mod posts;
pub(crate) mod query;
pub(crate) mod recent;
mod visit;

use std::sync::Arc;

use app::routes::safe_redirect;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderMap, Method, StatusCode, Uri};
use promise::Error;
use store::SiteFile;

pub(crate) use files::{all_requests_csv, audit_export, cost_export, cost_focus, requests_csv, resources_csv};
pub(crate) use fragments::suggestions;
pub use visit::Visiting;

use crate::portal::Portal;
use crate::web::assets::Assets;

pub(crate) type Named = Path<(String, String)>;
pub(crate) type Placed = Path<(String, String, String)>;

/// Renders the page at the address of a request.
pub(crate) async fn render(portal: Arc<Portal>, request: Request) -> Response {
    let (visiting, request) = visit(&portal, request);
    visiting.render(request).await
}

/// Renders a page that browsers can keep and ask for again.
pub(crate) async fn render_revalidated(portal: Arc<Portal>, request: Request) -> Response {
    let (visiting, request) = visit(&portal, request);
    visiting.render_revalidated(request).await
}

/// Renders a page that anonymous visitors can open.
pub(crate) async fn render_for_strangers(portal: Arc<Portal>, request: Request) -> Response {
    let (visiting, request) = visit(&portal, request);
    visiting.render_for_strangers(request).await
}

fn visit(portal: &Arc<Portal>, request: Request) -> (Visiting, Request) {
    let (parts, body) = request.into_parts();
    (Visiting::of(portal, &parts), Request::from_parts(parts, body))
}

/// Answers a request whose method the address doesn't support. A browser that opens the address of a POST, for example by reloading a
/// response, is redirected to the page above it, which has the form.
pub(crate) async fn not_that_way(method: Method, uri: Uri) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    // An action has no page above it.
    let above = uri.path().rsplit_once('/').map_or("/", |(above, _)| if above.starts_with("/do/") { "/" } else { above });
    Redirect::to(safe_redirect(above)).into_response()
}

/// Returns a file of another version of the site, for a page of that version: during a rollout, and for pages that were open before it.
async fn former(portal: &Portal, path: &str) -> Option<SiteFile> {
    if !Assets::can_be_versioned(path) {
        return None;
    }
    let found = portal.store.site_file(path).await;
    found.inspect_err(|error| tracing::warn!(error = error as &dyn std::error::Error, "a file of the site could not be read")).ok()?
}

/// Returns a file of the site, or a page that says that nothing was found.
pub(crate) async fn file(State(portal): State<Arc<Portal>>, visiting: Visiting, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    if !portal.assets.has(&path) {
        if let Some(file) = former(&portal, &path).await {
            return Assets::answer_former(file);
        }
        return visiting.refuse(None, &Error::NotFound { what: "page at this address".to_owned() }).await;
    }
    let headers: HeaderMap = request.headers().clone();
    // Compressing takes a moment on first use.
    tokio::task::spawn_blocking(move || portal.assets.answer(&path, &headers))
        .await
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}
