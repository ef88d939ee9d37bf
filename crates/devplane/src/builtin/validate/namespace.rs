//! Namespaces.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidateNamespace`, `ValidateNamespaceStatusUpdate`); pod-security-admission `policy`.

use serde_json::Value;

use crate::objects::metadata::qualified_faults;
use crate::status::Cause;

const LEVELS: [&str; 3] = ["privileged", "baseline", "restricted"];

pub(super) fn check(namespace: &Value, subresource: &str, causes: &mut Vec<Cause>) {
    if subresource == "status" {
        return phase(namespace, causes);
    }
    for finalizer in namespace["spec"]["finalizers"].as_array().into_iter().flatten() {
        let name = finalizer.as_str().unwrap_or_default();
        let faults = qualified_faults(name);
        causes.extend(faults.iter().map(|fault| Cause::invalid("spec.finalizers", finalizer, fault)));
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
