//! Deployments: replicas become ready one after the other, and are replaced one after the other when the template changes.

use serde_json::json;

use super::{
    conditions::{Condition, Extra, conditions, simulated},
    step::{Step, View},
};

pub(super) fn next(view: &View<'_>) -> Option<Step> {
    let (object, generation) = (view.object, view.generation());
    let status = &object["status"];
    let number = |name: &str| status[name].as_i64().unwrap_or_default();
    let wanted = object["spec"]["replicas"].as_i64().unwrap_or(1);
    if view.fails() {
        let text = simulated("the image cannot be pulled: connection refused by the registry");
        let wanted_conditions = vec![
            Condition::new("Available", false, "MinimumReplicasUnavailable", simulated("the Deployment has too few replicas")),
            Condition::new("Progressing", false, "ProgressDeadlineExceeded", text),
        ];
        return view.write(
            2.0,
            json!({
                "observedGeneration": generation,
                "replicas": wanted,
                "updatedReplicas": wanted,
                "readyReplicas": null,
                "availableReplicas": null,
                "unavailableReplicas": wanted,
                "conditions": conditions(object, view.now, Extra::UpdateTime, wanted_conditions),
            }),
        );
    }
    let seen = status["observedGeneration"] == generation;
    // Without a change of number it is the template that changed: all replicas are replaced, while the old ones still answer.
    let rollout = !seen && number("replicas") == wanted && number("readyReplicas") == wanted;
    let (ready, updated) = if rollout { (wanted, 0) } else { (number("readyReplicas").min(wanted), number("updatedReplicas").min(wanted)) };
    let (after, ready, updated) = if seen {
        let stride = (wanted + 3) / 4;
        let updated = (updated + stride).min(wanted);
        (0.8, ready.max(updated), updated)
    } else {
        (0.2, ready, updated)
    };
    let done = updated == wanted && ready == wanted;
    let available = if ready == wanted {
        Condition::new("Available", true, "MinimumReplicasAvailable", simulated("the Deployment has enough replicas"))
    } else {
        Condition::new("Available", false, "MinimumReplicasUnavailable", simulated(format!("{ready} of {wanted} replicas are ready")))
    };
    let progressing = if done {
        Condition::new("Progressing", true, "NewReplicaSetAvailable", simulated("the Deployment has progressed"))
    } else {
        Condition::new("Progressing", true, "ReplicaSetUpdated", simulated(format!("{updated} of {wanted} replicas are up to date")))
    };
    let missing = wanted - ready;
    view.write(
        after,
        json!({
            "observedGeneration": generation,
            "replicas": wanted,
            "updatedReplicas": updated,
            "readyReplicas": ready,
            "availableReplicas": ready,
            "unavailableReplicas": if missing == 0 { json!(null) } else { json!(missing) },
            "conditions": conditions(object, view.now, Extra::UpdateTime, vec![available, progressing]),
        }),
    )
}
