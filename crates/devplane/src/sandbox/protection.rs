//! What the volume controllers of a cluster do about deletions: a claim or a volume that nobody uses may go. The rest of garbage collection is
//! the plane's own ([`crate::garbage`]).

use serde_json::json;

use super::step::{Action, Step, View};

const PROTECTIONS: [&str; 2] = ["kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"];

/// The step of an object that is marked for deletion: the finalizer that is ours to serve.
pub(super) fn leave(view: &View<'_>) -> Option<Step> {
    let finalizers: Vec<&str> = view.object["metadata"]["finalizers"].as_array()?.iter().filter_map(|own| own.as_str()).collect();
    if !finalizers.iter().any(|finalizer| PROTECTIONS.contains(finalizer)) {
        return None;
    }
    let left: Vec<&str> = finalizers.into_iter().filter(|finalizer| !PROTECTIONS.contains(finalizer)).collect();
    let version = &view.object["metadata"]["resourceVersion"];
    Some(Step::new(0.0, vec![Action::Patch(json!({"metadata": {"resourceVersion": version, "finalizers": left}}))]))
}
