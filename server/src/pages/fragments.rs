//! Addresses that return a fragment of HTML, for a script that puts it into the open page.

use app::view::SearchQuery;
use axum::response::{IntoResponse as _, Response};
use http::header;

use super::query::Query;
use super::visit::Visiting;

/// Media type of fragments. Browsers don't render it as a page, so nobody can be led to one.
const FRAGMENT: &str = "application/vnd.opm-portal.fragment";

/// Returns the results of a search for the palette.
pub(crate) async fn suggestions(visiting: Visiting, Query(query): Query<SearchQuery>) -> Response {
    let visit = visiting.visit_with_navigation().await;
    match app::pages::search::suggestions(&visit, &query).await {
        Ok(html) => ([(header::CONTENT_TYPE, FRAGMENT)], html).into_response(),
        Err(error) => visiting.refuse(None, &error).await,
    }
}
