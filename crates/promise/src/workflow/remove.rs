//! How far a step is that deletes objects in an action.
//!
//! Their uids are recorded when the step begins, because the controller re-creates objects of the request: those must not be deleted.

use serde_json::Value;

use super::progress::{Progress, succeeded};
use super::{Done, Task, words};
use crate::api::{StepReason, StepStatus};

/// Name of the output with the uids.
const UIDS: &str = "uids";

/// Returns how far the step is. `observed` are the objects by id of their resource.
pub(super) fn progress(observed: &Value, resources: &[String], step: &StepStatus, done: Option<Done>) -> Progress {
    let present: Vec<(&str, &str)> = resources.iter().flat_map(|id| uids(observed, id).map(move |uid| (id.as_str(), uid))).collect();
    let Some(recorded) = step.outputs.get(UIDS).and_then(Value::as_array) else {
        let uids = present.iter().map(|(_, uid)| Value::from(*uid)).collect();
        return Progress::Noted { outputs: [(UIDS.to_owned(), Value::Array(uids))].into() };
    };
    let left: Vec<(&str, &str)> = present.into_iter().filter(|(_, uid)| recorded.iter().any(|known| known == uid)).collect();
    match done {
        _ if left.is_empty() => succeeded(),
        Some(Done::Failed(failure)) => failure.into(),
        Some(Done::Accepted | Done::Answer(_)) => {
            let ids: Vec<&str> = left.iter().map(|(id, _)| *id).collect();
            Progress::Waits { reason: StepReason::Deleting, message: Some(words::left(StepReason::Deleting, &ids)) }
        }
        Some(Done::JobResult { .. }) | None => {
            Progress::Asks(Task::Delete { step: step.id.clone(), uids: left.iter().map(|(_, uid)| (*uid).to_owned()).collect() })
        }
    }
}

/// Returns the uids of the objects of a resource.
fn uids<'v>(observed: &'v Value, id: &str) -> impl Iterator<Item = &'v str> {
    let of = |object: &'v Value| object["metadata"]["uid"].as_str();
    let found = &observed[id];
    found.as_array().into_iter().flatten().chain(found.is_object().then_some(found)).filter_map(of)
}
