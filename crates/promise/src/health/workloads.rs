//! Rules for built-in Kubernetes kinds.

use serde_json::Value;

use super::Verdict;
use super::conditions::{find, holds, message};

fn count(object: &Value, part: &str, name: &str, absent: i64) -> i64 {
    object[part][name].as_i64().unwrap_or(absent)
}

fn conditions(object: &Value) -> &[Value] {
    object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn reported(object: &Value) -> bool {
    object["status"].as_object().is_some_and(|status| !status.is_empty())
}

pub(super) fn deployment(object: &Value) -> Verdict {
    let wanted = count(object, "spec", "replicas", 1);
    let updated = count(object, "status", "updatedReplicas", 0);
    let available = count(object, "status", "availableReplicas", 0);
    let present = count(object, "status", "replicas", 0);
    let stuck = find(conditions(object), "Progressing").filter(|condition| condition["reason"] == "ProgressDeadlineExceeded");
    if let Some(stuck) = stuck {
        return Verdict::degraded(message(stuck));
    }
    if let Some(failed) = find(conditions(object), "ReplicaFailure").filter(|condition| holds(condition) == Some(true)) {
        return Verdict::degraded(message(failed));
    }
    if !reported(object) {
        Verdict::progressing("Its controller hasn't reported yet")
    } else if updated < wanted {
        Verdict::progressing(format!("{updated} of {wanted} replicas run the new version"))
    } else if present > updated {
        Verdict::progressing(format!("{} old replicas are still present", present - updated))
    } else if available < wanted {
        Verdict::progressing(format!("{available} of {wanted} replicas are available"))
    } else {
        Verdict::healthy()
    }
}

pub(super) fn stateful_set(object: &Value) -> Verdict {
    let wanted = count(object, "spec", "replicas", 1);
    let ready = count(object, "status", "readyReplicas", 0);
    let updated = count(object, "status", "updatedReplicas", wanted);
    let rolling = object["spec"]["updateStrategy"]["type"] != "OnDelete";
    let revisions = (object["status"]["currentRevision"].as_str(), object["status"]["updateRevision"].as_str());
    if !reported(object) {
        Verdict::progressing("Its controller hasn't reported yet")
    } else if ready < wanted {
        Verdict::progressing(format!("{ready} of {wanted} replicas are ready"))
    } else if rolling && matches!(revisions, (Some(current), Some(update)) if current != update) && updated < wanted {
        Verdict::progressing(format!("{updated} of {wanted} replicas run the new version"))
    } else {
        Verdict::healthy()
    }
}

pub(super) fn daemon_set(object: &Value) -> Verdict {
    let wanted = count(object, "status", "desiredNumberScheduled", 0);
    let updated = count(object, "status", "updatedNumberScheduled", 0);
    let available = count(object, "status", "numberAvailable", 0);
    if !reported(object) {
        Verdict::progressing("Its controller hasn't reported yet")
    } else if updated < wanted || available < wanted {
        Verdict::progressing(format!("{} of {wanted} nodes run it", available.min(updated)))
    } else {
        Verdict::healthy()
    }
}

pub(super) fn job(object: &Value) -> Verdict {
    if let Some(failed) = find(conditions(object), "Failed").filter(|condition| holds(condition) == Some(true)) {
        return Verdict::degraded(message(failed));
    }
    if find(conditions(object), "Complete").and_then(holds) == Some(true) {
        return Verdict::healthy();
    }
    if object["spec"]["suspend"] == true {
        return Verdict::progressing("Suspended");
    }
    let wanted = count(object, "spec", "completions", 1);
    Verdict::progressing(format!("{} of {wanted} runs are completed", count(object, "status", "succeeded", 0)))
}

pub(super) fn pod(object: &Value) -> Verdict {
    let waiting = object["status"]["containerStatuses"].as_array().into_iter().flatten().find_map(|container| {
        let reason = container["state"]["waiting"]["reason"].as_str()?;
        matches!(reason, "CrashLoopBackOff" | "ImagePullBackOff" | "ErrImagePull" | "CreateContainerConfigError" | "InvalidImageName")
            .then(|| format!("The container {} reports {reason}", container["name"].as_str().unwrap_or_default()))
    });
    if let Some(waiting) = waiting {
        return Verdict::degraded(waiting);
    }
    match object["status"]["phase"].as_str() {
        Some("Succeeded") => Verdict::healthy(),
        Some("Failed") => Verdict::degraded(object["status"]["message"].as_str().unwrap_or("Failed")),
        Some("Running") if find(conditions(object), "Ready").and_then(holds) == Some(true) => Verdict::healthy(),
        _ => Verdict::progressing("Its containers aren't ready"),
    }
}

pub(super) fn claim(object: &Value) -> Verdict {
    match object["status"]["phase"].as_str() {
        Some("Bound") => Verdict::healthy(),
        Some("Lost") => Verdict::degraded("Its volume is lost"),
        _ => Verdict::progressing("No volume yet"),
    }
}

pub(super) fn service(object: &Value) -> Verdict {
    if object["spec"]["type"] != "LoadBalancer" {
        return Verdict::healthy();
    }
    let addressed = object["status"]["loadBalancer"]["ingress"].as_array().is_some_and(|ingress| !ingress.is_empty());
    if addressed { Verdict::healthy() } else { Verdict::progressing("No address yet") }
}

pub(super) fn namespace(object: &Value) -> Verdict {
    match object["status"]["phase"].as_str() {
        Some("Terminating") => Verdict::progressing("Being deleted"),
        _ => Verdict::healthy(),
    }
}
