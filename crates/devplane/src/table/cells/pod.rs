//! Cells of pods (kubernetes `pkg/printers/internalversion/printers.go`, `printPod`).

use jiff::Timestamp;
use serde_json::Value;

use super::{list, number, or_none, since, text};

/// What a pod says of its containers.
struct Summary {
    ready: usize,
    reason: String,
    restarts: i64,
    /// When a container ended last before it was started again.
    last: String,
}

impl Summary {
    /// Counts the restarts of a container.
    fn restarted(&mut self, status: &Value) {
        self.restarts += number(&status["restartCount"]);
        let ended = status["lastState"]["terminated"]["finishedAt"].as_str().unwrap_or_default();
        // Times of the same form are in the order of their texts.
        if ended > self.last.as_str() {
            self.last = ended.to_owned();
        }
    }
}

fn of(pod: &Value) -> Summary {
    let (spec, status) = (&pod["spec"], &pod["status"]);
    let said = status["reason"].as_str().filter(|reason| !reason.is_empty()).or(status["phase"].as_str()).unwrap_or_default();
    let mut summary = Summary { ready: 0, reason: said.to_owned(), restarts: 0, last: String::new() };
    let conditions = list(&status["conditions"]);
    if conditions.iter().any(|own| own["type"] == "PodScheduled" && own["reason"] == "SchedulingGated") {
        summary.reason = "SchedulingGated".into();
    }
    let mut of_sidecars = Summary { ready: 0, reason: String::new(), restarts: 0, last: String::new() };
    let initializing = initialize(spec, status, &mut summary, &mut of_sidecars);
    if !initializing || holds(conditions, "Initialized") {
        (summary.restarts, summary.last) = (of_sidecars.restarts, of_sidecars.last);
        run(list(&status["containerStatuses"]), conditions, &mut summary);
    }
    if !pod["metadata"]["deletionTimestamp"].is_null() {
        let ended = status["phase"] == "Succeeded" || status["phase"] == "Failed";
        if status["reason"] == "NodeLost" {
            summary.reason = "Unknown".into();
        } else if !ended {
            summary.reason = "Terminating".into();
        }
    }
    summary
}

/// Looks at the containers that come before the others, up to the first that is not done. Whether there is one.
fn initialize(spec: &Value, status: &Value, summary: &mut Summary, of_sidecars: &mut Summary) -> bool {
    let declared = list(&spec["initContainers"]);
    for (index, container) in list(&status["initContainerStatuses"]).iter().enumerate() {
        let is_sidecar = declared.iter().any(|own| own["name"] == container["name"] && stays(own));
        summary.restarted(container);
        if is_sidecar {
            of_sidecars.restarted(container);
        }
        let (ended, waiting) = (&container["state"]["terminated"], &container["state"]["waiting"]["reason"]);
        if !ended.is_null() && number(&ended["exitCode"]) == 0 {
            continue;
        }
        if is_sidecar && container["started"] == true {
            summary.ready += usize::from(container["ready"] == true);
            continue;
        }
        summary.reason = match waiting.as_str().unwrap_or_default() {
            _ if !ended.is_null() => format!("Init:{}", end(ended)),
            "" | "PodInitializing" => format!("Init:{index}/{}", declared.len()),
            reason => format!("Init:{reason}"),
        };
        return true;
    }
    false
}

/// Looks at the containers, the last first: the reason of the first is told.
fn run(containers: &[Value], conditions: &[Value], summary: &mut Summary) {
    let mut runs = false;
    for container in containers.iter().rev() {
        summary.restarted(container);
        let state = &container["state"];
        match state["waiting"]["reason"].as_str().unwrap_or_default() {
            "" if !state["terminated"].is_null() => summary.reason = end(&state["terminated"]),
            "" => {
                if container["ready"] == true && !state["running"].is_null() {
                    runs = true;
                    summary.ready += 1;
                }
            }
            reason => summary.reason = reason.to_owned(),
        }
    }
    if summary.reason == "Completed" && runs {
        summary.reason = if holds(conditions, "Ready") { "Running" } else { "NotReady" }.to_owned();
    }
}

/// Why a container ended.
fn end(ended: &Value) -> String {
    match (ended["reason"].as_str().unwrap_or_default(), number(&ended["signal"])) {
        ("", 0) => format!("ExitCode:{}", number(&ended["exitCode"])),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn holds(conditions: &[Value], kind: &str) -> bool {
    conditions.iter().any(|own| own["type"] == kind && own["status"] == "True")
}

/// Whether a container that comes before the others stays with them.
fn stays(container: &Value) -> bool {
    container["restartPolicy"] == "Always"
}

pub(in crate::table) fn pod_ready(object: &Value) -> Value {
    let sidecars = list(&object["spec"]["initContainers"]).iter().filter(|container| stays(container)).count();
    format!("{}/{}", of(object).ready, list(&object["spec"]["containers"]).len() + sidecars).into()
}

/// The phase, or the reason that says more.
pub(in crate::table) fn pod_status(object: &Value) -> Value {
    of(object).reason.into()
}

/// How often containers were started again, and how long ago that was.
pub(in crate::table) fn pod_restarts(object: &Value, now: Timestamp) -> Value {
    let summary = of(object);
    if summary.restarts == 0 || summary.last.is_empty() {
        return summary.restarts.to_string().into();
    }
    let ago = text(&since(&summary.last.as_str().into(), now));
    format!("{} ({} ago)", summary.restarts, ago.as_str().unwrap_or_default()).into()
}

pub(in crate::table) fn pod_address(object: &Value) -> Value {
    or_none(list(&object["status"]["podIPs"]).first().map_or(&object["status"]["podIP"], |address| &address["ip"]))
}

/// How many of the conditions that a pod waits for are true.
pub(in crate::table) fn pod_gates(object: &Value) -> Value {
    let gates = list(&object["spec"]["readinessGates"]);
    if gates.is_empty() {
        return "<none>".into();
    }
    let conditions = list(&object["status"]["conditions"]);
    let open = gates.iter().filter(|gate| holds(conditions, gate["conditionType"].as_str().unwrap_or_default())).count();
    format!("{open}/{}", gates.len()).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pod_tells_the_reason_that_says_most() {
        let told = |status: Value| {
            let spec = json!({"initContainers": [{"name": "i"}, {"name": "s", "restartPolicy": "Always"}], "containers": [{"name": "c"}, {"name": "d"}]});
            let pod = json!({"metadata": {}, "spec": spec, "status": status});
            format!("{} {}", pod_ready(&pod).as_str().unwrap_or_default(), pod_status(&pod).as_str().unwrap_or_default())
        };
        assert_eq!(told(json!({"phase": "Pending"})), "0/3 Pending");
        let waiting = json!({"name": "i", "state": {"waiting": {"reason": "ErrImagePull"}}});
        assert_eq!(told(json!({"phase": "Pending", "initContainerStatuses": [waiting]})), "0/3 Init:ErrImagePull");
        let done = json!({"name": "i", "state": {"terminated": {"exitCode": 0}}});
        let open = json!({"name": "s", "state": {"running": {}}});
        assert_eq!(told(json!({"phase": "Pending", "initContainerStatuses": [done, open]})), "0/3 Init:1/2");
        let containers = json!([{"ready": true, "state": {"running": {}}}, {"state": {"terminated": {"exitCode": 2}}}]);
        assert_eq!(told(json!({"phase": "Running", "containerStatuses": containers})), "1/3 ExitCode:2");
    }

    #[test]
    fn restarts_are_told_with_their_time() {
        let now = "2024-01-01T00:01:00Z".parse().expect("a time");
        let status = json!({"restartCount": 2, "lastState": {"terminated": {"finishedAt": "2024-01-01T00:00:00Z"}}});
        assert_eq!(pod_restarts(&json!({"metadata": {}, "status": {"containerStatuses": [status]}}), now), "2 (60s ago)");
        assert_eq!(pod_restarts(&json!({"metadata": {}}), now), "0");
    }
}
