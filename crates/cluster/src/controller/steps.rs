//! What steps of a workflow need besides objects: calls of Endpoints, and dry runs.

use std::time::Duration;

use futures::StreamExt as _;
use promise::api::StepReason;
use promise::lifecycle::Chosen;
use promise::plan::Desired;
use promise::workflow::{Answer, Done, HttpTask, TaskFailure};

use super::context::ControllerContext;
use super::failure::Failure;
use super::http_call::{self, HttpCall, HttpFailure};
use super::objects;
use super::places::Places;
use crate::workspaces::ClusterId;

/// Number of objects that one step checks at the same time.
const CHECKS: usize = 8;

/// Calls an Endpoint of the promise's home.
pub(super) async fn call(ctx: &ControllerContext, release: &Chosen, task: &HttpTask) -> Done {
    let Ok(home) = ClusterId::parse(&release.home.cluster) else {
        let message = "The home workspace of the promise isn't known.".to_owned();
        return Done::Failed(TaskFailure { reason: StepReason::NotAllowed, message });
    };
    let call = HttpCall {
        method: task.method.as_str().to_owned(),
        path: task.path.clone(),
        body: task.body.clone(),
        idempotency_key: task.idempotency_key.clone(),
    };
    let within = task.within.and_then(|left| Duration::try_from(left).ok());
    match http_call::call(ctx, &home, &task.endpoint, &call, within).await {
        Ok(answer) => Done::Answer(Answer { status: answer.status, body: answer.body }),
        Err(failure) => {
            let reason = match &failure {
                HttpFailure::TooLarge | HttpFailure::Redirected { .. } => StepReason::UnexpectedAnswer,
                failure if failure.is_transient() => StepReason::Unreachable,
                _ => StepReason::NotAllowed,
            };
            Done::Failed(TaskFailure { reason, message: http_call::describe(&task.endpoint, &failure) })
        }
    }
}

/// Returns that a step of this type belongs elsewhere: to actions or to workflows.
pub(super) fn not_here() -> Done {
    let message = "This type of step can't run here. Publish the promise again.".to_owned();
    Done::Failed(TaskFailure { reason: StepReason::InvalidPromise, message })
}

/// Asks the servers whether they would take objects. The error passes by itself.
pub(super) async fn dry_run(ctx: &ControllerContext, places: &Places, objects: Vec<Desired>) -> Result<Done, Failure> {
    let checks = objects.into_iter().map(|desired| async move {
        let place = places.place(ctx, desired.key.destination.as_deref())?;
        objects::dry_run(&ctx.targets, (places, &place), &desired.key, &desired.object).await
    });
    let outcomes: Vec<Result<(), Failure>> = futures::stream::iter(checks).buffered(CHECKS).collect().await;
    for outcome in outcomes {
        match outcome {
            Ok(()) => {}
            Err(failure) if failure.transient => return Err(failure),
            Err(failure) => return Ok(Done::Failed(TaskFailure { reason: StepReason::NoCapacity, message: failure.to_string() })),
        }
    }
    Ok(Done::Accepted)
}
