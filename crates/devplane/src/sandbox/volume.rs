//! Claims: each is bound to a volume of its own.

use serde_json::json;

use super::{
    step::{Action, Step, View},
    world::uid,
};

/// The class that claims get if they name none.
const CLASS: &str = "simulated";

pub(super) fn next(view: &View<'_>) -> Option<Step> {
    if view.fails() {
        // As in a cluster without a provisioner: the claim waits.
        return None;
    }
    let spec = &view.object["spec"];
    let mut actions = Vec::new();
    if spec["volumeName"].is_null() {
        let class = spec["storageClassName"].as_str().unwrap_or(CLASS);
        let volume = format!("pvc-{}", uid(view.object));
        actions.push(Action::Patch(json!({"spec": {"volumeName": volume, "storageClassName": class}})));
    }
    view.write_and(
        0.7,
        actions,
        json!({
            "phase": "Bound",
            "accessModes": spec["accessModes"],
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
        }),
    )
}
