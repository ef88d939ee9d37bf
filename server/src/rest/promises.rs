//! Promises.

use app::view::{CatalogQuery, Sort};
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
    let query = CatalogQuery {
        q: parameters.text("q"),
        category: parameters.text("category"),
        tag: parameters.text("tag"),
        owner: parameters.text("team"),
        lifecycle: parameters.text("lifecycle"),
        sort: Sort::Usual,
        page: 0,
    };
    let page = visitor.caller()?.list_promises(&workspace, &query, &slice).await?;
    answer::page(&headers, &fields, page)
}

pub(crate) async fn get(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, name)): Path<(String, String)>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let detail = visitor.caller()?.promise_detail(&workspace, &name, parameters.get("home")).await?;
    answer::value(&headers, &fields, &detail)
}
