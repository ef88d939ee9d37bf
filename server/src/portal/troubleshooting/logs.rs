//! The end of the log of one container.

use std::pin::pin;

use app::backend::LogQuery;
use futures::AsyncReadExt as _;
use k8s_openapi::api::core::v1::Pod as PodKind;
use kube::api::{Api, LogParams};
use promise::Result;
use promise::api::InventoryItem;
use promise::rest::{NotRead, RequestLog};
use promise::troubleshooting::{LOG_LINES, LogTail, NotReadReason, Workload, chosen_container, tail};

use super::pods::{self, Pod, Pods};
use super::read::{Reader, Unread, named};

/// Most bytes that are read of a log. Lines are long, and the last ones are wanted; what is shown is less.
const MOST_READ: u32 = 1 << 20;
/// Number of lines of a log whose lines are too long for more. Container runtimes usually split lines after 16 KiB, so these fit.
const FEW: u32 = 20;

/// Returns the pods of the objects of an inventory, and the log that is wanted.
///
/// # Errors
/// If the user is signed out, or the portal fails.
pub(super) async fn read(reader: &Reader<'_>, inventory: &[InventoryItem], query: &LogQuery) -> Result<RequestLog> {
    let Pods { found, not_read } = pods::read(reader, inventory).await?;
    let chosen = found.iter().find(|pod| query.pod.is_empty() || pod.item.name == query.pod);
    let log = match chosen {
        Some(pod) => of(reader, pod, query).await,
        // A pod of someone else gets the same answer as one that doesn't exist.
        None if !query.pod.is_empty() => Err(missing(named(Workload::Pod, &query.pod))),
        None => Ok((None, LogTail::default())),
    };
    let container = || chosen.and_then(|pod| chosen_container(&pod.object, &query.container));
    let (container, shown, log_not_read) = match log {
        Ok((container, shown)) => (container, shown, None),
        Err(Unread::Reason(reason)) => (container(), LogTail::default(), Some(NotRead::from(reason))),
        Err(Unread::Failed(error)) => return Err(error),
    };
    Ok(RequestLog {
        pod: chosen.map(|pod| pod.item.name.clone()),
        container,
        previous: query.previous,
        lines: shown.lines,
        truncated: shown.is_cut,
        log_not_read,
        not_read: not_read.into_iter().map(NotRead::from).collect(),
        pods: found.into_iter().map(|pod| pod.item).collect(),
    })
}

/// Returns the name of the container, and the end of its log.
async fn of(reader: &Reader<'_>, pod: &Pod, query: &LogQuery) -> std::result::Result<(Option<String>, LogTail), Unread> {
    let Some(container) = chosen_container(&pod.object, &query.container) else {
        return Err(missing(format!("Container/{}", query.container)));
    };
    let status = pods::status(&pod.object, &container);
    let has_restarted = status["restartCount"].as_u64().is_some_and(|count| count > 0);
    if query.previous && !has_restarted {
        return Err(Unread::Reason(NotReadReason::NoEarlierRun { container }));
    }
    if let Some(waiting) = status["state"]["waiting"].as_object().filter(|_| !has_restarted) {
        let waiting = waiting.get("reason").and_then(|reason| reason.as_str()).unwrap_or_default().to_owned();
        return Err(Unread::Reason(NotReadReason::NotStarted { container, waiting }));
    }
    let lines = query.lines.clamp(1, LOG_LINES);
    let bytes = end(reader, pod, &container, query.previous, lines).await?;
    // The limit cuts off the end, which is what is wanted.
    let is_cut = bytes.len() >= MOST_READ as usize;
    let (bytes, lines) =
        if is_cut && lines > FEW { (end(reader, pod, &container, query.previous, FEW).await?, FEW) } else { (bytes, lines) };
    let shown = tail(&String::from_utf8_lossy(&bytes), lines as usize);
    Ok((Some(container), LogTail { is_cut: is_cut || shown.is_cut, ..shown }))
}

/// Reads the last lines of a log, up to [`MOST_READ`] bytes from the first of them.
async fn end(reader: &Reader<'_>, pod: &Pod, container: &str, previous: bool, lines: u32) -> std::result::Result<Vec<u8>, Unread> {
    let params = LogParams {
        container: Some(container.to_owned()),
        previous,
        tail_lines: Some(lines.into()),
        limit_bytes: Some(MOST_READ.into()),
        ..LogParams::default()
    };
    let api: Api<PodKind> = Api::namespaced(reader.client.clone(), &pod.item.namespace);
    let object = || named(Workload::Pod, &pod.item.name);
    let reading = async {
        let stream = api.log_stream(&pod.item.name, &params).await.map_err(|error| refused(reader, pod, &error))?;
        let mut bytes = Vec::new();
        let read = pin!(stream).take(MOST_READ.into()).read_to_end(&mut bytes).await;
        read.map(|_| bytes).map_err(|_| Unread::Reason(NotReadReason::Unreachable { object: object() }))
    };
    reader.in_time(reading, object).await?
}

fn missing(object: String) -> Unread {
    Unread::Reason(NotReadReason::Missing { object })
}

/// Returns why a log isn't returned. The API server answers 400 for a container that has no log, and 5xx if the node doesn't respond
/// (kubernetes `pkg/registry/core/pod/strategy.go`).
fn refused(reader: &Reader<'_>, pod: &Pod, error: &kube::Error) -> Unread {
    match error {
        kube::Error::Api(status) if status.code == 400 => Unread::Reason(NotReadReason::LogRefused { message: status.message.clone() }),
        kube::Error::Api(status) if status.code >= 500 => {
            tracing::info!(code = status.code, message = status.message, pod = pod.item.name, "the log of a pod can't be read");
            Unread::Reason(NotReadReason::NodeUnreachable { pod: pod.item.name.clone() })
        }
        error => reader.unread(error, "get", "pods/log", || named(Workload::Pod, &pod.item.name)),
    }
}
