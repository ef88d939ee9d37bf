//! What the garbage collector of a cluster does: objects go after their owners, and finalizers of deletion are served.

use serde_json::{Value, json};

use super::{
    kinds::Kind,
    step::{Action, Step, View},
    world::uid,
};

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";
const PROTECTION: &str = "kubernetes.io/pvc-protection";

/// The step of an object whose owners all seem to be gone. Whether they are is asked again before it is deleted.
pub(super) fn collect(view: &View<'_>) -> Option<Step> {
    let owners: Vec<&Value> = view.object["metadata"]["ownerReferences"].as_array().into_iter().flatten().collect();
    // Owners of kinds that nobody watches here cannot be judged.
    let all_gone = !owners.is_empty()
        && owners
            .iter()
            .all(|owner| Kind::of_reference(owner).is_some() && view.world.by_uid(owner["uid"].as_str().unwrap_or_default()).is_none());
    all_gone.then(|| Step::new(0.0, vec![Action::Collect]))
}

/// The step of an object that is marked for deletion: one of the finalizers that are ours to serve.
pub(super) fn leave(view: &View<'_>) -> Option<Step> {
    let finalizers: Vec<&str> = view.object["metadata"]["finalizers"].as_array()?.iter().filter_map(Value::as_str).collect();
    let dependants: Vec<_> = view.world.dependants(uid(view.object)).cloned().collect();
    let ours = finalizers.iter().copied().find(|finalizer| [FOREGROUND, ORPHAN, PROTECTION].contains(finalizer))?;
    let actions = match ours {
        FOREGROUND if !dependants.is_empty() => dependants.into_iter().map(Action::Delete).collect(),
        // Nothing here orphans dependants that still name their owner: they would be collected.
        ORPHAN if !dependants.is_empty() => return None,
        _ => {
            let left: Vec<&str> = finalizers.into_iter().filter(|finalizer| *finalizer != ours).collect();
            let version = &view.object["metadata"]["resourceVersion"];
            vec![Action::Patch(json!({"metadata": {"resourceVersion": version, "finalizers": left}}))]
        }
    };
    Some(Step::new(0.0, actions))
}
