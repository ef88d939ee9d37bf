//! StatefulSets: replicas and their claims come one after the other.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    kinds::CLAIM,
    step::{Action, Step, View},
};

pub(super) fn next(view: &View<'_>) -> Option<Step> {
    let (object, generation) = (view.object, view.generation());
    let status = &object["status"];
    let number = |name: &str| status[name].as_i64().unwrap_or_default();
    let wanted = object["spec"]["replicas"].as_i64().unwrap_or(1);
    let revision = revision(&view.key.name, &object["spec"]["template"]);
    let seen = status["observedGeneration"] == generation;
    let same_template = status["updateRevision"] == revision.as_str();
    let mut ready = number("readyReplicas").min(wanted);
    let mut updated = if same_template { number("updatedReplicas").min(wanted) } else { 0 };
    if view.fails() {
        ready = 0;
    } else if seen {
        updated = (updated + 1).min(wanted);
        ready = ready.max(updated);
    }
    let claims = (0..wanted.min(updated + 1)).flat_map(|ordinal| claims(view, ordinal)).collect();
    let done = updated == wanted;
    let current = if done { &revision } else { status["currentRevision"].as_str().unwrap_or(&revision) };
    view.write_and(
        if seen { 1.0 } else { 0.2 },
        claims,
        json!({
            "observedGeneration": generation,
            "replicas": ready.max(updated),
            "readyReplicas": ready,
            "availableReplicas": ready,
            "updatedReplicas": updated,
            "currentReplicas": if done { ready } else { ready - updated.min(ready) },
            "currentRevision": current,
            "updateRevision": revision,
            "collisionCount": 0,
        }),
    )
}

/// The claims of one replica that are not there yet.
fn claims(view: &View<'_>, ordinal: i64) -> Vec<Action> {
    let templates = view.object["spec"]["volumeClaimTemplates"].as_array();
    templates
        .into_iter()
        .flatten()
        .filter_map(|template| {
            let volume = template["metadata"]["name"].as_str()?;
            let name = format!("{volume}-{}-{ordinal}", view.key.name);
            view.create(&CLAIM, &name, json!({"metadata": {"labels": labels(view)}, "spec": template["spec"]}))
        })
        .collect()
}

fn labels(view: &View<'_>) -> Value {
    let labels = &view.object["spec"]["selector"]["matchLabels"];
    if labels.is_object() { labels.clone() } else { json!({}) }
}

/// The revision of a StatefulSet of this name with this template.
pub fn revision(name: &str, template: &Value) -> String {
    let digest = Sha256::digest(template.to_string());
    format!("{name}-{}", &hex::encode(digest)[..10])
}
