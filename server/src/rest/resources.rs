//! Resources.

use app::view::ResourceQuery;
use axum::extract::{Extension, Path};
use http::HeaderMap;

use super::answer::{self, Answer};
use super::parameters::Parameters;
use crate::sign_in::Visitor;

pub(crate) async fn list(
    Extension(visitor): Extension<Visitor>,
    Path(workspace): Path<String>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let (slice, fields) = (parameters.slice()?, parameters.fields()?);
    let query = ResourceQuery {
        q: parameters.text("q"),
        kind: parameters.text("kind"),
        health: parameters.text("health"),
        promise: parameters.text("promise"),
        drifted: parameters.flag("drifted")?,
        below: parameters.flag("below")?,
        ..ResourceQuery::default()
    };
    let page = visitor.caller()?.list_resources(&workspace, &query, &slice).await?;
    answer::page(&headers, &fields, page)
}
