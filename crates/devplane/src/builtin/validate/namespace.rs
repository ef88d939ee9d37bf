//! Namespaces.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateNamespace`, `ValidateNamespaceStatusUpdate`); pod-security-admission `policy`.

use serde_json::Value;

use super::{
    names::qualified,
    reading::{list, text},
};
use crate::status::Cause;

/// Levels of the security of pods.
const LEVELS: [&str; 3] = ["privileged", "baseline", "restricted"];

/// All rules of a namespace, of its status if that is what is written.
pub(super) fn check(namespace: &Value, subresource: &str, causes: &mut Vec<Cause>) {
    if subresource == "status" {
        return phase(namespace, causes);
    }
    for finalizer in list(&namespace["spec"]["finalizers"]) {
        let name = text(finalizer);
        qualified("spec.finalizers", name, causes);
        if !name.contains('/') && name != "kubernetes" {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            causes.push(Cause::invalid("spec.finalizers", finalizer, why));
        }
    }
    for mode in ["enforce", "audit", "warn"] {
        let label = format!("pod-security.kubernetes.io/{mode}");
        let Some(level) = namespace["metadata"]["labels"].get(&label) else { continue };
        if !LEVELS.iter().any(|known| level == known) {
            let why = format!("must be one of {}", LEVELS.join(", "));
            causes.push(Cause::invalid(&format!("metadata.labels[{label}]"), level, &why));
        }
    }
}

/// A namespace terminates if and only if it is being deleted.
fn phase(namespace: &Value, causes: &mut Vec<Cause>) {
    let (phase, doomed) = (&namespace["status"]["phase"], namespace["metadata"]["deletionTimestamp"].is_string());
    let (wanted, why) = match doomed {
        true => ("Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty"),
        false => ("Active", "may only be 'Active' if `deletionTimestamp` is empty"),
    };
    if phase != wanted {
        causes.push(Cause::invalid("status.Phase", phase, why));
    }
}
