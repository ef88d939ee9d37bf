//! Workspaces.

use axum::extract::Extension;
use http::HeaderMap;

use super::answer::{self, Answer};
use super::parameters::Parameters;
use crate::sign_in::Visitor;

pub(crate) async fn list(Extension(visitor): Extension<Visitor>, headers: HeaderMap, parameters: Parameters) -> Answer {
    let (slice, fields) = (parameters.slice()?, parameters.fields()?);
    let page = visitor.caller()?.list_workspaces(parameters.get("q").unwrap_or_default(), &slice).await?;
    answer::page(&headers, &fields, page)
}
