//! Rules for the workloads of Kubernetes, from the numbers that their controllers report.
//!
//! The counts are those of kstatus (`pkg/kstatus/status/core.go` of sigs.k8s.io/cli-utils). A failure to create pods is a failure here, as
//! in Argo CD, and a running Job isn't done yet.

use serde_json::Value;

use super::Verdict;
use super::conditions::{find, holds, list, message};

const UNREPORTED: &str = "Its controller hasn't reported yet";

fn count(object: &Value, part: &str, name: &str, absent: i64) -> i64 {
    object[part][name].as_i64().unwrap_or(absent)
}

fn reported(object: &Value) -> bool {
    object["status"].as_object().is_some_and(|status| !status.is_empty())
}

/// Returns a condition that is true.
fn holding<'o>(object: &'o Value, name: &str) -> Option<&'o Value> {
    find(list(object), name).filter(|condition| holds(condition) == Some(true))
}

fn updates_on_delete(object: &Value) -> bool {
    object["spec"]["updateStrategy"]["type"] == "OnDelete"
}

pub(super) fn deployment(object: &Value) -> Verdict {
    let wanted = count(object, "spec", "replicas", 1);
    let updated = count(object, "status", "updatedReplicas", 0);
    let available = count(object, "status", "availableReplicas", 0);
    let present = count(object, "status", "replicas", 0);
    let stuck = find(list(object), "Progressing").filter(|condition| condition["reason"] == "ProgressDeadlineExceeded");
    if let Some(failed) = stuck.or_else(|| holding(object, "ReplicaFailure")) {
        return Verdict::degraded(message(failed));
    }
    let unavailable = find(list(object), "Available").filter(|condition| holds(condition) == Some(false));
    if !reported(object) {
        Verdict::progressing(UNREPORTED)
    } else if updated < wanted && object["spec"]["paused"] == true {
        Verdict::progressing(format!("Its rollout is paused: {updated} of {wanted} replicas run the new version"))
    } else if updated < wanted {
        Verdict::progressing(format!("{updated} of {wanted} replicas run the new version"))
    } else if present > updated {
        Verdict::progressing(format!("{} old replicas are still present", present - updated))
    } else if present > wanted {
        superfluous(present - wanted)
    } else if available < wanted {
        Verdict::progressing(format!("{available} of {wanted} replicas are available"))
    } else if let Some(unavailable) = unavailable {
        Verdict::progressing(message(unavailable))
    } else {
        Verdict::healthy()
    }
}

fn superfluous(count: i64) -> Verdict {
    Verdict::progressing(format!("{} still to be removed", crate::wording::counted(count.unsigned_abs(), "replica")))
}

/// Replicas below the partition keep the old version.
pub(super) fn stateful_set(object: &Value) -> Verdict {
    let wanted = count(object, "spec", "replicas", 1);
    let present = count(object, "status", "replicas", 0);
    let ready = count(object, "status", "readyReplicas", 0);
    let updated = count(object, "status", "updatedReplicas", 0);
    let partition = object["spec"]["updateStrategy"]["rollingUpdate"]["partition"].as_i64().unwrap_or(0);
    let due = (wanted - partition).max(0);
    let revisions = (object["status"]["currentRevision"].as_str(), object["status"]["updateRevision"].as_str());
    let is_changed = matches!(revisions, (Some(current), Some(update)) if current != update);
    if !reported(object) {
        Verdict::progressing(UNREPORTED)
    } else if ready < wanted {
        Verdict::progressing(format!("{ready} of {wanted} replicas are ready"))
    } else if present > wanted {
        superfluous(present - wanted)
    } else if updates_on_delete(object) || !is_changed {
        Verdict::healthy()
    } else if updated < due {
        Verdict::progressing(format!("{updated} of {due} replicas run the new version"))
    } else if partition == 0 {
        Verdict::progressing("The new version isn't in force for all replicas yet")
    } else {
        Verdict::healthy()
    }
}

pub(super) fn daemon_set(object: &Value) -> Verdict {
    let wanted = count(object, "status", "desiredNumberScheduled", 0);
    let available = count(object, "status", "numberAvailable", 0);
    let updated = if updates_on_delete(object) { wanted } else { count(object, "status", "updatedNumberScheduled", 0) };
    if !reported(object) {
        Verdict::progressing(UNREPORTED)
    } else if updated < wanted || available < wanted {
        Verdict::progressing(format!("{} of {wanted} nodes run it", available.min(updated)))
    } else {
        Verdict::healthy()
    }
}

/// A ReplicaSet or a ReplicationController.
pub(super) fn replica_set(object: &Value) -> Verdict {
    let wanted = count(object, "spec", "replicas", 1);
    let available = count(object, "status", "availableReplicas", 0);
    let present = count(object, "status", "replicas", 0);
    if let Some(failed) = holding(object, "ReplicaFailure") {
        return Verdict::degraded(message(failed));
    }
    if !reported(object) {
        Verdict::progressing(UNREPORTED)
    } else if available < wanted {
        Verdict::progressing(format!("{available} of {wanted} replicas are available"))
    } else if present > wanted {
        superfluous(present - wanted)
    } else {
        Verdict::healthy()
    }
}

/// A suspended Job is as its spec wants it.
pub(super) fn job(object: &Value) -> Verdict {
    if let Some(failed) = holding(object, "Failed").or_else(|| holding(object, "FailureTarget")) {
        return Verdict::degraded(message(failed));
    }
    if holding(object, "Complete").is_some() || holding(object, "Suspended").is_some() {
        return Verdict::healthy();
    }
    if object["spec"]["suspend"] == true {
        return Verdict::progressing("Suspended");
    }
    let wanted = count(object, "spec", "completions", count(object, "spec", "parallelism", 1));
    Verdict::progressing(format!("{} of {wanted} runs are completed", count(object, "status", "succeeded", 0)))
}

pub(super) fn namespace(object: &Value) -> Verdict {
    match object["status"]["phase"].as_str() {
        Some("Terminating") => Verdict::progressing("Being deleted"),
        _ => Verdict::healthy(),
    }
}
