//! Pages and server functions of `app`, and the files that they use.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;

use crate::state::Portal;

/// All pages, server functions and files.
pub fn routes(_portal: &Arc<Portal>) -> Router<Arc<Portal>> {
    Router::new().fallback(file)
}

/// A file of the site.
async fn file(State(portal): State<Arc<Portal>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    if !portal.assets.has(&path) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let headers = request.headers().clone();
    // Compressing takes a moment the first time.
    tokio::task::spawn_blocking(move || portal.assets.answer(&path, &headers))
        .await
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}
