//! Day-2 actions of requests, and their runs.

use app::backend::{ActionOf, RunOf};
use axum::body::Bytes;
use axum::extract::{Extension, OriginalUri, Path};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use promise::rest::operation::RUN;
use promise::rest::{RunBody, RunDetail};
use promise::{Error, Problem};

use super::answer::{self, Answer};
use super::parameters::{Parameters, idempotency_key};
use super::requests::{Subject, replayed};
use crate::portal::runs::RunCommand;
use crate::sign_in::Visitor;

/// Path of an action or a run: workspace, namespace and name of the request, and name of the action or run.
type Below = Path<(String, String, String, String)>;

pub(crate) async fn actions(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let page = visitor.caller()?.list_actions(&workspace, &namespace, &name).await?;
    answer::page(&headers, &fields, page)
}

pub(crate) async fn start(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name, action)): Below,
    OriginalUri(address): OriginalUri,
    headers: HeaderMap,
    parameters: Parameters,
    body: Bytes,
) -> Answer {
    let fields = parameters.fields()?;
    let sent = if body.is_empty() { Ok(RunBody::default()) } else { serde_json::from_slice(&body) };
    let sent: RunBody = sent.map_err(|error| {
        let message = format!("Send JSON such as {{\"parameters\": {{}}}}: {error}.");
        Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
    })?;
    let key = idempotency_key(&headers, &[b"POST", address.to_string().as_bytes(), &body])?;
    let caller = visitor.caller()?.clone();
    let (acting, of) = (caller.clone(), [workspace.clone(), namespace.clone(), name.clone()]);
    let run = async move {
        let action = ActionOf { namespace: &namespace, request: &name, action: &action };
        acting.start_run(&workspace, action, sent).await
    };
    let once = caller.once(key, run).await?;
    let mut response = answer::value(&HeaderMap::new(), &fields, &once.answer)?;
    *response.status_mut() = StatusCode::CREATED;
    response.headers_mut().insert(header::LOCATION, location(&of, &once.answer)?);
    Ok(replayed(response, once.replayed))
}

fn location([workspace, namespace, name]: &[String; 3], run: &RunDetail) -> promise::Result<HeaderValue> {
    let address = app::routes::at(RUN, &[workspace, namespace, name, &run.summary.name]);
    HeaderValue::try_from(address).map_err(|_| Error::Internal)
}

pub(crate) async fn list(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name)): Subject,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let (slice, fields) = (parameters.slice()?, parameters.fields()?);
    let page = visitor.caller()?.list_runs(&workspace, &namespace, &name, &slice).await?;
    answer::page(&headers, &fields, page)
}

pub(crate) async fn get(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name, run)): Below,
    headers: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let fields = parameters.fields()?;
    let of = RunOf { namespace: &namespace, request: &name, run: &run };
    let detail = visitor.caller()?.run_detail(&workspace, of).await?;
    answer::value(&headers, &fields, &detail)
}

pub(crate) async fn cancel(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name, run)): Below,
    parameters: Parameters,
) -> Answer {
    command(&visitor, [workspace, namespace, name, run], &parameters, RunCommand::Cancel).await
}

pub(crate) async fn retry(
    Extension(visitor): Extension<Visitor>,
    Path((workspace, namespace, name, run)): Below,
    parameters: Parameters,
) -> Answer {
    command(&visitor, [workspace, namespace, name, run], &parameters, RunCommand::Retry).await
}

/// Cancels or retries the run at an address, and answers with it, whatever the caller had of it before.
async fn command(
    visitor: &Visitor,
    [workspace, namespace, name, run]: [String; 4],
    parameters: &Parameters,
    command: RunCommand,
) -> Answer {
    let fields = parameters.fields()?;
    let of = RunOf { namespace: &namespace, request: &name, run: &run };
    let detail = visitor.caller()?.command_run(&workspace, of, command).await?;
    answer::value(&HeaderMap::new(), &fields, &detail)
}
