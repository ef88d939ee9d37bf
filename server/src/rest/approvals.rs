//! Approvals and decisions.

use axum::body::Bytes;
use axum::extract::{Extension, OriginalUri, Path};
use http::{HeaderMap, StatusCode};
use promise::rest::DecisionBody;
use promise::{Error, Problem};

use super::answer::{self, Answer};
use super::fields::Fields;
use super::parameters::{Parameters, idempotency_key};
use super::requests::{Subject, replayed};
use crate::sign_in::Visitor;

pub(crate) async fn list(Extension(visitor): Extension<Visitor>, headers: HeaderMap, parameters: Parameters) -> Answer {
    let (slice, fields) = (parameters.slice()?, parameters.fields()?);
    let page = visitor.caller()?.list_approvals(&slice).await?;
    answer::page(&headers, &fields, page)
}

pub(crate) async fn decide(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    OriginalUri(address): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let decision: DecisionBody = serde_json::from_slice(&body).map_err(|error| {
        let message = format!("Send a decision as JSON, with contentHash and decision: {error}.");
        Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
    })?;
    let key = idempotency_key(&headers, &[b"POST", address.to_string().as_bytes(), &body])?;
    let caller = visitor.caller()?.clone();
    let acting = caller.clone();
    let once = caller.once(key, async move { acting.decide_request(&workspace, &namespace, &name, &decision).await }).await?;
    let mut response = answer::value(&HeaderMap::new(), &Fields::default(), &once.answer)?;
    *response.status_mut() = StatusCode::CREATED;
    Ok(replayed(response, once.replayed))
}
