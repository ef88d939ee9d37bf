//! Rules for Argo CD, Argo Rollouts and Flux.

use serde_json::Value;

use super::conditions::{find, holds, list, message};
use super::{Verdict, words};
use crate::api::Health;

/// Reasons of Flux for `Ready: False` that aren't failures of the object itself.
const FLUX_WAITS: [&str; 3] = ["DependencyNotReady", "Progressing", "ArtifactNotReady"];

/// An Application of Argo CD is as healthy as its objects, once all of them are as in its source.
pub(super) fn application(object: &Value) -> Verdict {
    let status = &object["status"];
    let own = words::of_health(object);
    if let Some(degraded) = own.clone().filter(|own| own.health == Health::Degraded) {
        return degraded;
    }
    let text = |value: &Value| value.as_str().map(|text| text.trim().trim_end_matches('.').to_owned()).filter(|text| !text.is_empty());
    let operation = &status["operationState"];
    if let Some("Failed" | "Error") = operation["phase"].as_str() {
        return Verdict::degraded(text(&operation["message"]).unwrap_or_else(|| "The last sync failed".to_owned()));
    }
    // These conditions have no status: they are listed as long as they hold.
    let is_error = |condition: &&Value| condition["type"].as_str().is_some_and(|name| name.ends_with("Error"));
    if let Some(error) = list(object).iter().find(is_error) {
        return Verdict::degraded(message(error));
    }
    if let Some("Running" | "Terminating") = operation["phase"].as_str() {
        return Verdict::progressing(text(&operation["message"]).unwrap_or_else(|| "Its objects are being synced".to_owned()));
    }
    match status["sync"]["status"].as_str() {
        Some("OutOfSync") => Verdict::progressing("Its objects aren't in sync with their source"),
        Some("Unknown") => Verdict::progressing("Its sync status is unknown"),
        _ => own.unwrap_or_else(Verdict::unreported),
    }
}

/// A Rollout of Argo Rollouts: its phase sums up its conditions. Returns nothing if it reports none.
pub(super) fn rollout(object: &Value) -> Option<Verdict> {
    let phase = object["status"]["phase"].as_str()?;
    let message = object["status"]["message"].as_str().map(str::trim).filter(|message| !message.is_empty());
    let message = message.map_or_else(|| format!("Reports the phase {phase}"), |message| message.trim_end_matches('.').to_owned());
    Some(match phase {
        "Healthy" => Verdict::healthy(),
        "Degraded" => Verdict::degraded(message),
        _ => Verdict::progressing(message),
    })
}

/// Returns that Flux doesn't reconcile an object, if it is suspended. Its status might then be from any earlier time.
pub(super) fn suspended(group: &str, object: &Value) -> Option<Verdict> {
    (is_flux(group) && object["spec"]["suspend"] == true).then(|| Verdict::progressing("Suspended"))
}

/// An object of Flux that isn't ready and isn't being reconciled has failed, as in Argo CD. kstatus would wait for it. Returns nothing for
/// everything else, which the general rule covers.
pub(super) fn flux(object: &Value) -> Option<Verdict> {
    let is_true = |name: &str| find(list(object), name).and_then(holds) == Some(true);
    let ready = find(list(object), "Ready").filter(|ready| holds(ready) == Some(false))?;
    let waits = ready["reason"].as_str().is_some_and(|reason| FLUX_WAITS.contains(&reason));
    (!waits && !is_true("Reconciling") && !is_true("Stalled")).then(|| Verdict::degraded(message(ready)))
}

/// Checks whether a group is one of Flux.
pub(super) fn is_flux(group: &str) -> bool {
    group.ends_with(".fluxcd.io")
}
