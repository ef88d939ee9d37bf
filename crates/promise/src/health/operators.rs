//! Rules for objects of operators whose conditions alone don't tell.

use serde_json::Value;

use super::Verdict;
use super::conditions::{find, holds, list, message};

/// Phases of a cluster of CloudNativePG that someone has to resolve.
const CNPG_STOPPED: [&str; 7] = [
    "Unable to create required cluster objects",
    "Cluster cannot proceed to reconciliation due to an unknown plugin being required",
    "Cluster has incomplete or invalid image catalog",
    "Cluster is unrecoverable and needs manual intervention",
    "Cluster cannot execute instance online upgrade due to missing architecture binary",
    "Not enough disk space",
    "Waiting for user action",
];

/// Reasons of cert-manager for an issuance that ended without a certificate.
const ISSUING_FAILED: [&str; 3] = ["Failed", "Denied", "InvalidRequest"];

/// A Certificate of cert-manager. During a renewal it stays usable, and therefore healthy. Returns nothing if it reports nothing yet.
pub(super) fn certificate(object: &Value) -> Option<Verdict> {
    let issuing = find(list(object), "Issuing");
    let ready = find(list(object), "Ready");
    if ready.and_then(holds) == Some(true) {
        return Some(Verdict::healthy());
    }
    let has_failed = |issuing: &&Value| {
        let is_failure = issuing["reason"].as_str().is_some_and(|reason| ISSUING_FAILED.contains(&reason));
        holds(issuing) == Some(false) && (is_failure || !object["status"]["lastFailureTime"].is_null())
    };
    if let Some(failed) = issuing.filter(has_failed) {
        return Some(Verdict::degraded(message(failed)));
    }
    issuing.filter(|issuing| holds(issuing) == Some(true)).or(ready).map(|condition| Verdict::progressing(message(condition)))
}

/// A cluster of CloudNativePG that can't continue without a person. Returns nothing otherwise.
pub(super) fn postgres(object: &Value) -> Option<Verdict> {
    let status = &object["status"];
    let phase = status["phase"].as_str().filter(|phase| CNPG_STOPPED.contains(phase))?;
    let reason = status["phaseReason"].as_str().map(str::trim).filter(|reason| !reason.is_empty());
    let reason = reason.map(|reason| format!(": {}", reason.trim_end_matches('.'))).unwrap_or_default();
    Some(Verdict::degraded(format!("{phase}{reason}")))
}
