//! Cost.

use app::view::CostQuery;
use axum::extract::{Extension, Path};
use http::HeaderMap;

use super::answer::{self, Answer};
use super::parameters::Parameters;
use crate::sign_in::Visitor;

pub(crate) async fn report(
    Extension(visitor): Extension<Visitor>,
    Path(workspace): Path<String>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let (slice, fields) = (parameters.slice()?, parameters.fields()?);
    let query = CostQuery { workspace, by: parameters.text("by"), month: parameters.text("month"), ..CostQuery::default() };
    let report = visitor.caller()?.cost_report(&query, &slice).await?;
    answer::value(&headers, &fields, &report)
}
