//! Preflight of a PromiseRequest, YAML or JSON. Nothing is written.

use axum::body::Bytes;
use axum::extract::{Extension, Path};
use http::HeaderMap;

use super::answer::{self, Answer};
use super::parameters::Parameters;
use crate::sign_in::Visitor;

pub(crate) async fn preflight(
    Extension(visitor): Extension<Visitor>,
    Path(workspace): Path<String>,
    parameters: Parameters,
    body: Bytes,
) -> Answer {
    let fields = parameters.fields()?;
    let answer = visitor.caller()?.preflight_manifest(&workspace, &body).await?;
    answer::value(&HeaderMap::new(), &fields, &answer)
}
