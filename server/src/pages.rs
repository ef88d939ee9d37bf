//! Answers with pages of [`app::app::App`], and what stands beside them: files, and posts that change nothing.
//! Who may use which address is said in [`crate::routes`].

mod files;
pub(crate) mod posts;
mod visit;

use std::sync::Arc;

use app::routes::safe_redirect;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderMap, Method, StatusCode, Uri};
use promise::Error;

pub(crate) use files::{cost_export, cost_focus, resources_csv};
pub use visit::Visiting;

use crate::state::Portal;

pub(crate) type Named = Path<(String, String)>;
pub(crate) type Placed = Path<(String, String, String)>;

/// The page at the address of a request.
pub(crate) async fn render(portal: Arc<Portal>, request: Request) -> Response {
    let (visiting, request) = visit(&portal, request);
    visiting.render(request).await
}

/// The same for a page that strangers may open.
pub(crate) async fn render_for_strangers(portal: Arc<Portal>, request: Request) -> Response {
    let (visiting, request) = visit(&portal, request);
    visiting.render_for_strangers(request).await
}

fn visit(portal: &Arc<Portal>, request: Request) -> (Visiting, Request) {
    let (parts, body) = request.into_parts();
    (Visiting::of(portal, &parts), Request::from_parts(parts, body))
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
