//! Skips of steps of workflows.

use app::backend::StepOf;
use axum::body::Bytes;
use axum::extract::{Extension, OriginalUri, Path};
use http::{HeaderMap, StatusCode, Uri};
use promise::rest::SkipBody;
use promise::{Error, Problem};

use super::answer::{self, Answer};
use super::fields::Fields;
use super::parameters::idempotency_key;
use super::requests::replayed;
use crate::sign_in::Visitor;

pub(crate) async fn skip(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name, step)): Path<(String, String, String, String)>,
    OriginalUri(address): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    record(&visitor, StepAddress { workspace, namespace, name, run: None, step }, &address, &headers, &body).await
}

pub(crate) async fn skip_in_run(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name, run, step)): Path<(String, String, String, String, String)>,
    OriginalUri(address): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    record(&visitor, StepAddress { workspace, namespace, name, run: Some(run), step }, &address, &headers, &body).await
}

/// The step that a path names.
struct StepAddress {
    workspace: String,
    namespace: String,
    name: String,
    run: Option<String>,
    step: String,
}

async fn record(visitor: &Visitor, of: StepAddress, address: &Uri, headers: &HeaderMap, body: &[u8]) -> Answer {
    let skip: SkipBody = serde_json::from_slice(body).map_err(|error| {
        let message = format!("Send the reason as JSON, such as {{\"comment\": \"Done by hand.\"}}: {error}.");
        Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
    })?;
    let key = idempotency_key(headers, &[b"POST", address.to_string().as_bytes(), body])?;
    let caller = visitor.caller()?.clone();
    let acting = caller.clone();
    let recorded = async move {
        let step = StepOf { namespace: &of.namespace, request: &of.name, run: of.run.as_deref(), step: &of.step };
        acting.skip_step_recorded(&of.workspace, step, &skip).await
    };
    let once = caller.once(key, recorded).await?;
    let mut response = answer::value(&HeaderMap::new(), &Fields::default(), &once.answer)?;
    *response.status_mut() = StatusCode::CREATED;
    Ok(replayed(response, once.replayed))
}
