//! Addresses that answer a file instead of a page.

use app::backend::Cost as _;
use axum::response::{IntoResponse, Response};
use http::header;
use promise::Result;
use promise::view::{CostFile, CostQuery};

use super::visit::Visiting;
use crate::web::asked::Asked;

pub(crate) async fn cost_export(visiting: Visiting, Asked(query): Asked<CostQuery>) -> Response {
    let answer = visiting.act(async |caller| caller.cost_export(&query).await).await;
    file(visiting, "cost", answer).await
}

pub(crate) async fn cost_focus(visiting: Visiting, Asked(query): Asked<CostQuery>) -> Response {
    let answer = visiting.act(async |caller| caller.cost_focus(&query).await).await;
    file(visiting, "cost-focus", answer).await
}

/// A file to be kept; a refusal is a page.
async fn file(visiting: Visiting, name: &str, answer: Result<CostFile>) -> Response {
    match answer {
        Ok(CostFile { month, text }) => {
            let disposition = format!("attachment; filename=\"{name}-{month}.csv\"");
            let heads = [(header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, disposition)];
            (heads, text).into_response()
        }
        Err(error) => visiting.refuse(None, &error).await,
    }
}
