//! Addresses that return a file instead of a page.

use app::backend::{Cost as _, Requests as _, Resources as _};
use app::view::{CostFile, CostQuery, RequestQuery, ResourceQuery};
use axum::body::Body;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::header;
use promise::Result;

use super::query::Query;
use super::visit::Visiting;

pub(crate) async fn cost_export(visiting: Visiting, Query(query): Query<CostQuery>) -> Response {
    let answer = visiting.act(async |caller| caller.cost_export(&query).await).await;
    file(visiting, "cost", answer).await
}

pub(crate) async fn cost_focus(visiting: Visiting, Query(query): Query<CostQuery>) -> Response {
    let answer = visiting.act(async |caller| caller.cost_focus(&query).await).await;
    file(visiting, "cost-focus", answer).await
}

pub(crate) async fn requests_csv(visiting: Visiting, Path(workspace): Path<String>, Query(query): Query<RequestQuery>) -> Response {
    match visiting.act(async |caller| caller.requests_csv(&workspace, &query).await).await {
        Ok(text) => attachment("requests.csv", text),
        Err(error) => visiting.refuse(Some(&workspace), &error).await,
    }
}

pub(crate) async fn all_requests_csv(visiting: Visiting, Query(query): Query<RequestQuery>) -> Response {
    match visiting.act(async |caller| caller.requests_csv("", &query).await).await {
        Ok(text) => attachment("requests.csv", text),
        Err(error) => visiting.refuse(None, &error).await,
    }
}

/// Returns the audit log as it is read, record by record.
pub(crate) async fn audit_export(visiting: Visiting) -> Response {
    match visiting.act(async |caller| caller.audit_export().await).await {
        Ok(lines) => {
            let heads = [
                (header::CONTENT_TYPE, "application/jsonl; charset=utf-8"),
                (header::CONTENT_DISPOSITION, "attachment; filename=\"audit.jsonl\""),
            ];
            (heads, Body::from_stream(lines)).into_response()
        }
        Err(error) => visiting.refuse(None, &error).await,
    }
}

pub(crate) async fn resources_csv(visiting: Visiting, Path(workspace): Path<String>, Query(query): Query<ResourceQuery>) -> Response {
    match visiting.act(async |caller| caller.resources_csv(&workspace, &query).await).await {
        Ok(text) => attachment("resources.csv", text),
        Err(error) => visiting.refuse(Some(&workspace), &error).await,
    }
}

/// Returns a file with the costs of a month; a refusal is rendered as a page.
async fn file(visiting: Visiting, name: &str, answer: Result<CostFile>) -> Response {
    match answer {
        Ok(CostFile { month, text }) => attachment(&format!("{name}-{month}.csv"), text),
        Err(error) => visiting.refuse(None, &error).await,
    }
}

/// Returns CSV text that the browser saves under a name.
fn attachment(name: &str, text: String) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let heads = [(header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, disposition)];
    (heads, text).into_response()
}
