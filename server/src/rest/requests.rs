//! Requests.

use app::view::RequestQuery;
use axum::body::Bytes;
use axum::extract::{Extension, OriginalUri, Path};
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use promise::Error;
use promise::rest::RequestDetail;
use promise::rest::operation::REQUEST;

use super::answer::{self, Answer};
use super::fields::Fields;
use super::parameters::{Parameters, idempotency_key, precondition};
use crate::sign_in::Visitor;

/// Says that nothing was done, because the same call was made before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Path of a request: workspace, namespace and name.
pub(super) type Subject = Path<(String, String, String)>;

pub(crate) async fn list(
    Extension(visitor): Extension<Visitor>,
    Path(workspace): Path<String>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let (slice, fields) = (parameters.slice()?, parameters.fields()?);
    let query = RequestQuery {
        q: parameters.text("q"),
        phase: parameters.text("state"),
        promise: parameters.text("promise"),
        label: parameters.text("label"),
        mine: parameters.flag("mine")?,
        attention: parameters.flag("attention")?,
        below: parameters.flag("below")?,
        ..RequestQuery::default()
    };
    let page = visitor.caller()?.list_requests(&workspace, &query, &slice).await?;
    answer::page(&headers, &fields, page)
}

pub(crate) async fn get(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let detail = visitor.caller()?.request_detail(&workspace, &namespace, &name).await?;
    answer::request(&headers, &fields, &detail)
}

pub(crate) async fn releases(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let page = visitor.caller()?.list_releases(&workspace, &namespace, &name).await?;
    answer::page(&headers, &fields, page)
}

pub(crate) async fn retry(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let detail = visitor.caller()?.retry_request(&workspace, &namespace, &name).await?;
    written(&fields, &detail)
}

pub(crate) async fn cancel(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let detail = visitor.caller()?.cancel_request(&workspace, &namespace, &name).await?;
    written(&fields, &detail)
}

pub(crate) async fn create(
    Extension(visitor): Extension<Visitor>,
    Path(workspace): Path<String>,
    OriginalUri(address): OriginalUri,
    headers: HeaderMap,
    parameters: Parameters,
    body: Bytes,
) -> Answer {
    let (fields, dry_run) = (parameters.fields()?, parameters.flag("dryRun")?);
    let key = idempotency_key(&headers, &[b"POST", address.to_string().as_bytes(), &body])?;
    let caller = visitor.caller()?.clone();
    let acting = caller.clone();
    let once = caller.once(key, async move { acting.create_from_manifest(&workspace, &body, dry_run).await }).await?;
    let mut response = written(&fields, &once.answer)?;
    if !dry_run {
        *response.status_mut() = StatusCode::CREATED;
        response.headers_mut().insert(header::LOCATION, location(&once.answer)?);
    }
    Ok(replayed(response, once.replayed))
}

pub(crate) async fn change(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    headers: HeaderMap,
    parameters: Parameters,
    body: Bytes,
) -> Answer {
    let (fields, dry_run, precondition) = (parameters.fields()?, parameters.flag("dryRun")?, precondition(&headers)?);
    let caller = visitor.caller()?;
    let detail = caller.change_from_manifest((&workspace, &namespace, &name), &body, &precondition, dry_run).await?;
    written(&fields, &detail)
}

pub(crate) async fn delete(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    headers: HeaderMap,
) -> Answer {
    let precondition = precondition(&headers)?;
    let gone = visitor.caller()?.delete_edition((&workspace, &namespace, &name), &precondition).await?;
    Ok(if gone { StatusCode::NO_CONTENT } else { StatusCode::ACCEPTED }.into_response())
}

/// Renders what was written. Whoever writes gets it, whatever they had before.
fn written(fields: &Fields, detail: &RequestDetail) -> Answer {
    answer::request(&HeaderMap::new(), fields, detail)
}

/// Adds to an answer that the call was made before.
pub(super) fn replayed(mut response: Response, replayed: bool) -> Response {
    if replayed {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

fn location(detail: &RequestDetail) -> promise::Result<HeaderValue> {
    let of = &detail.summary;
    let address = app::routes::at(REQUEST, &[&of.workspace, &of.namespace, &of.name]);
    HeaderValue::try_from(address).map_err(|_| Error::Internal)
}
