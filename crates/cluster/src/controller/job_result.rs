//! The result of a Job: what its pod or a ConfigMap says, and the last lines of its log.

use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{DynamicObject, ListParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use promise::api::StepReason;
use promise::plan::{Desired, Key};
use promise::workflow::{Done, JobResultTask, TaskFailure};
use serde_json::Value;

use super::context::ControllerContext;
use super::failure::Failure;
use super::outage::complete;
use super::places::Places;
use super::refusals::CallFailure;
use super::target::Place;
use crate::error::is_missing;

/// Label with which Kubernetes marks the pods of a Job.
const JOB_NAME: &str = "batch.kubernetes.io/job-name";
/// Longest log, in bytes.
const LOG_LIMIT: usize = 4096;

/// Reads the result of the Job of a step. The error passes by itself.
pub(super) async fn read(ctx: &ControllerContext, places: &Places, job: Vec<Desired>, task: &JobResultTask) -> Result<Done, Failure> {
    let nothing = Done::JobResult { result: Value::Null, log: Vec::new() };
    let Some(Desired { key, .. }) = job.into_iter().next() else { return Ok(nothing) };
    let place = places.place(ctx, key.destination.as_deref())?;
    match result(ctx, &place, &key, task).await {
        Err(failure) if !failure.transient => {
            Ok(Done::Failed(TaskFailure { reason: StepReason::NotAllowed, message: failure.to_string() }))
        }
        done => done,
    }
}

async fn result(ctx: &ControllerContext, place: &Place, key: &Key, task: &JobResultTask) -> Result<Done, Failure> {
    let pod = newest_pod(ctx, place, key).await?;
    let result = match &task.config_map {
        Some(name) => config_map(ctx, place, key, name).await?,
        None => pod.as_ref().map(termination_message).unwrap_or_default(),
    };
    let log = match pod.as_ref().and_then(|pod| pod.metadata.name.as_deref()) {
        Some(name) if task.log_lines > 0 => log(ctx, place, key, name, task.log_lines).await,
        _ => Vec::new(),
    };
    Ok(Done::JobResult { result, log })
}

async fn newest_pod(ctx: &ControllerContext, place: &Place, key: &Key) -> Result<Option<Pod>, Failure> {
    let api: Api<DynamicObject> = beside(ctx, place, key, "Pod").await?;
    let pods = complete(api.list(&ListParams::default().labels(&format!("{JOB_NAME}={}", key.name)))).await;
    let pods = pods.map_err(|error| refused(place, &error, &format!("list the pods of {key}")))?;
    let newest = pods.items.into_iter().max_by_key(|pod| pod.metadata.creation_timestamp.as_ref().map(|at| at.0));
    Ok(newest.and_then(|pod| pod.try_parse().ok()))
}

async fn config_map(ctx: &ControllerContext, place: &Place, key: &Key, name: &str) -> Result<Value, Failure> {
    let api: Api<DynamicObject> = beside(ctx, place, key, "ConfigMap").await?;
    match complete(api.get(name)).await {
        Ok(found) => {
            let found: Option<ConfigMap> = found.try_parse().ok();
            Ok(serde_json::to_value(found.and_then(|found| found.data).unwrap_or_default()).unwrap_or_default())
        }
        Err(error) if is_missing(&error) => Ok(Value::Null),
        Err(error) => Err(refused(place, &error, &format!("read ConfigMap {name}"))),
    }
}

/// Returns what the last container that ended says: JSON, or text.
fn termination_message(pod: &Pod) -> Value {
    let statuses = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
    let ended = statuses.filter_map(|status| status.state.as_ref()?.terminated.as_ref());
    let messages = ended.filter_map(|ended| Some((ended.finished_at.as_ref().map(|at| at.0), ended.message.as_deref()?)));
    let last = messages.filter(|(_, message)| !message.trim().is_empty()).max_by_key(|(at, _)| *at);
    last.map(|(_, message)| serde_json::from_str(message).unwrap_or_else(|_| Value::from(message.trim()))).unwrap_or_default()
}

/// Returns the last lines of the log of a pod. A log that can't be read is no reason for a step to fail.
async fn log(ctx: &ControllerContext, place: &Place, key: &Key, pod: &str, lines: u32) -> Vec<String> {
    let Ok(client) = client(ctx, place, "Pod").await else { return Vec::new() };
    let namespace = key.namespace.as_deref().unwrap_or_default();
    let address = format!("/api/v1/namespaces/{namespace}/pods/{pod}/log?tailLines={lines}");
    let Ok(request) = Request::get(address).body(Vec::new()) else { return Vec::new() };
    match complete(client.request_text(request)).await {
        Ok(text) => tail(&text, lines as usize),
        Err(error) => {
            tracing::info!(%error, job = %key, "the log of a step can't be read");
            Vec::new()
        }
    }
}

/// Returns the last lines of a log that fit.
fn tail(text: &str, lines: usize) -> Vec<String> {
    let mut size = 0;
    let fits = |line: &&str| {
        size += line.len();
        size <= LOG_LIMIT
    };
    let mut last: Vec<String> = text.lines().rev().take(lines).take_while(fits).map(str::to_owned).collect();
    last.reverse();
    last
}

async fn client(ctx: &ControllerContext, place: &Place, kind: &str) -> Result<Client, Failure> {
    Ok(ctx.targets.reach(place, &GroupVersionKind::gvk("", "v1", kind)).await?.client)
}

/// Returns the objects of a core kind next to a Job.
async fn beside(ctx: &ControllerContext, place: &Place, key: &Key, kind: &str) -> Result<Api<DynamicObject>, Failure> {
    let reach = ctx.targets.reach(place, &GroupVersionKind::gvk("", "v1", kind)).await?;
    let namespace = key.namespace.as_deref().unwrap_or_default();
    Ok(Api::namespaced_with(reach.client, namespace, &reach.resource))
}

fn refused(place: &Place, error: &kube::Error, doing: &str) -> Failure {
    let name = match place {
        Place::Destination(key) => key.name.as_str(),
        Place::Workspace(_) => "workspace",
    };
    Failure::of(error, CallFailure::at(name, error, doing))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{LOG_LIMIT, tail, termination_message};

    #[test]
    fn the_container_that_ended_last_says_the_result_as_json_or_as_text() {
        let ended = |message: &str, at: &str| {
            json!({"name": "c", "image": "", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"terminated": {"exitCode": 0, "message": message, "finishedAt": at}}})
        };
        let of = |statuses: serde_json::Value| {
            let pod = json!({"apiVersion": "v1", "kind": "Pod", "status": {"containerStatuses": statuses}});
            termination_message(&serde_json::from_value(pod).unwrap())
        };
        let early = ended("no", "2026-05-01T08:00:00Z");
        assert_eq!(of(json!([ended(r#"{"bucket": "b-1"}"#, "2026-05-01T08:00:07Z"), early])), json!({"bucket": "b-1"}));
        assert_eq!(of(json!([ended("disk full\n", "2026-05-01T08:00:07Z")])), json!("disk full"));
        assert_eq!(of(json!([])), json!(null));
    }

    #[test]
    fn only_the_last_lines_of_a_log_are_kept() {
        assert_eq!(tail("one\ntwo\nthree\n", 2), ["two", "three"]);
        let long = "x".repeat(LOG_LIMIT);
        assert_eq!(tail(&format!("first\n{long}"), 5), std::slice::from_ref(&long));
        assert_eq!(tail(&format!("{long}\nlast"), 5), ["last"]);
    }
}
