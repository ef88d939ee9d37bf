//! The rule for pods.

use serde_json::Value;

use super::conditions::{find, holds, list, message};
use super::{Verdict, freshness};

/// Seconds during which a scheduler looks for a node. As in kstatus, a pod that has none afterwards has failed.
const SCHEDULING: i64 = 15;

pub(super) fn pod(object: &Value, now: i64) -> Verdict {
    let phase = object["status"]["phase"].as_str();
    match phase {
        Some("Succeeded") => return Verdict::healthy(),
        Some("Failed") => return Verdict::degraded(why_failed(object)),
        _ => {}
    }
    if let Some(failure) = containers(object).find_map(|container| failure(object, container)) {
        return Verdict::degraded(failure);
    }
    let ready = find(list(object), "Ready");
    if phase == Some("Running") && ready.and_then(holds) == Some(true) {
        return Verdict::healthy();
    }
    let unscheduled = find(list(object), "PodScheduled").filter(|condition| holds(condition) == Some(false));
    if let Some(unscheduled) = unscheduled {
        let searching = freshness::left(&object["metadata"]["creationTimestamp"], now, SCHEDULING);
        return match searching {
            _ if unscheduled["reason"] != "Unschedulable" => Verdict::progressing(message(unscheduled)),
            Some(left) => Verdict { again: Some(left), ..Verdict::progressing(message(unscheduled)) },
            None => Verdict::degraded(message(unscheduled)),
        };
    }
    let unready = ready.filter(|condition| condition["message"].as_str().is_some_and(|text| !text.is_empty()));
    Verdict::progressing(unready.map_or_else(|| "Its containers aren't ready".to_owned(), message))
}

/// Returns the states of all containers, those that start first at the front.
fn containers(object: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["initContainerStatuses", "containerStatuses"].map(|name| object["status"][name].as_array());
    lists.into_iter().flatten().flatten()
}

/// Returns why a container can't run, as a sentence without a full stop.
fn failure(object: &Value, container: &Value) -> Option<String> {
    let name = container["name"].as_str().unwrap_or_default();
    let exit = &container["state"]["terminated"];
    if object["spec"]["restartPolicy"] == "Never" && exit["exitCode"].as_i64().is_some_and(|code| code != 0) {
        return Some(format!("The container {name} {}", exited(exit)));
    }
    let waiting = &container["state"]["waiting"];
    let reason = waiting["reason"].as_str().filter(|reason| is_failure(reason))?;
    let last = &container["lastState"]["terminated"];
    // The message of a crash names a growing pause.
    let why = match waiting["message"].as_str().map(str::trim).filter(|text| !text.is_empty()) {
        _ if last["exitCode"].is_i64() => format!(": it {}", exited(last)),
        Some(text) if reason != "CrashLoopBackOff" => format!(": {}", text.trim_end_matches('.')),
        _ => String::new(),
    };
    Some(format!("The container {name} reports {reason}{why}"))
}

/// Checks whether a container that waits for this reason doesn't start without a change, such as `ErrImagePull`, `ImagePullBackOff`,
/// `CrashLoopBackOff`, `CreateContainerConfigError` or `InvalidImageName`.
fn is_failure(reason: &str) -> bool {
    reason.starts_with("Err") || reason.starts_with("Invalid") || reason.ends_with("BackOff") || reason.ends_with("Error")
}

/// Returns how a container ended: `exited with code 137 (OOMKilled)`.
fn exited(terminated: &Value) -> String {
    let code = terminated["exitCode"].as_i64().unwrap_or_default();
    let reason = terminated["reason"].as_str().filter(|reason| !reason.is_empty() && *reason != "Error");
    let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    format!("exited with code {code}{reason}")
}

fn why_failed(object: &Value) -> String {
    let text = |name: &str| object["status"][name].as_str().map(str::trim).filter(|text| !text.is_empty());
    let failed = |container: &&Value| container["state"]["terminated"]["exitCode"].as_i64().is_some_and(|code| code != 0);
    let exit = || {
        let container = containers(object).find(failed)?;
        let name = container["name"].as_str().unwrap_or_default();
        Some(format!("The container {name} {}", exited(&container["state"]["terminated"])))
    };
    match text("message") {
        Some(message) => message.trim_end_matches('.').to_owned(),
        None => exit().or_else(|| text("reason").map(|reason| format!("Reports {reason}"))).unwrap_or_else(|| "Failed".to_owned()),
    }
}
