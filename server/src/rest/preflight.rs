//! `POST /api/v1/workspaces/{workspace}/preflight`: preflight of the PromiseRequest in the body, YAML or JSON. Nothing is written.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Extension, Path};
use promise::api::PreflightAnswer;

use crate::error::HttpProblem;
use crate::sign_in::Visitor;

pub(crate) async fn preflight(
    Extension(visitor): Extension<Visitor>,
    Path(workspace): Path<String>,
    body: Bytes,
) -> Result<Json<PreflightAnswer>, HttpProblem> {
    Ok(Json(visitor.caller()?.preflight_manifest(&workspace, &body).await?))
}
