//! Search.

use app::view::SearchQuery;
use axum::extract::Extension;
use http::HeaderMap;

use super::answer::{self, Answer};
use super::parameters::Parameters;
use crate::sign_in::Visitor;

pub(crate) async fn find(Extension(visitor): Extension<Visitor>, headers: HeaderMap, parameters: Parameters) -> Answer {
    let (slice, fields) = (parameters.slice()?, parameters.fields()?);
    let query = SearchQuery { q: parameters.text("q"), kind: parameters.text("kind"), workspace: parameters.text("workspace"), page: 0 };
    let page = visitor.caller()?.find(&query, &slice).await?;
    answer::page(&headers, &fields, page)
}
