//! What of a pod may change.
//! Source: kubernetes `pkg/apis/core/validation` (`ValidatePodUpdate`).

use serde_json::{Value, json};

use super::super::{
    changes,
    reading::{count, entries, is_blank, items, text},
};
use super::containers;
use crate::{protobuf::go_internal, status::Cause};

const FIXED: &str = "pod updates may not change fields other than \
                     `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
                     `spec.tolerations` (only additions to existing tolerations),\
                     `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";

pub(super) fn check(spec: &Value, old: &Value, causes: &mut Vec<Cause>) {
    for list in ["containers", "initContainers"] {
        let field = format!("spec.{list}");
        if count(&spec[list]) != count(&old[list]) {
            causes.push(Cause::forbidden(&field, "pod updates may not add or remove containers"));
            return;
        }
        for (index, container) in items(&spec[list]) {
            if is_blank(&container["image"]) {
                causes.push(Cause::required(&format!("{field}[{index}].image"), ""));
            }
            containers::padded_image(container, &format!("{field}[{index}]"), causes);
        }
    }
    if !deadline(&spec["activeDeadlineSeconds"], &old["activeDeadlineSeconds"], causes) {
        return;
    }
    tolerations(spec, old, causes);
    for (index, gate) in items(&spec["schedulingGates"]) {
        let name = text(&gate["name"]);
        if !items(&old["schedulingGates"]).any(|(_, known)| text(&known["name"]) == name) {
            let detail = format!("only deletion is allowed, but found new scheduling gate '{name}'");
            causes.push(Cause::forbidden(&format!("spec.schedulingGates[{index}].name"), &detail));
        }
    }
    let munged = munged(spec, old);
    let (before, after) = (go_internal::indented("v1", "PodSpec", old), go_internal::indented("v1", "PodSpec", &munged));
    if before != after {
        causes.push(Cause::forbidden("spec", &format!("{FIXED}{}", changes::unified(&before, &after))));
    }
}

/// A deadline comes nearer and never goes; the answer is whether to look further.
fn deadline(new: &Value, old: &Value, causes: &mut Vec<Cause>) -> bool {
    let field = "spec.activeDeadlineSeconds";
    match (new.as_i64(), old.as_i64()) {
        (Some(seconds), _) if !(0..=i64::from(i32::MAX)).contains(&seconds) => {
            causes.push(Cause::invalid(field, new, "must be between 0 and 2147483647, inclusive"));
            false
        }
        (Some(seconds), Some(before)) if before < seconds => {
            causes.push(Cause::invalid(field, new, "must be less than or equal to previous value"));
            false
        }
        (None, Some(_)) => {
            causes.push(Cause::invalid(field, &Value::Null, "must not update from a positive integer to nil value"));
            true
        }
        _ => true,
    }
}

/// Tolerations come and never go; how long they hold may change.
fn tolerations(spec: &Value, old: &Value, causes: &mut Vec<Cause>) {
    let lasting = |toleration: &Value| {
        let mut fields = toleration.as_object().cloned().unwrap_or_default();
        fields.remove("tolerationSeconds");
        fields
    };
    let new: Vec<_> = items(&spec["tolerations"]).map(|(_, toleration)| lasting(toleration)).collect();
    if items(&old["tolerations"]).all(|(_, toleration)| new.contains(&lasting(toleration))) {
        super::scheduling::tolerations(&spec["tolerations"], "spec.tolerations", causes);
    } else {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        causes.push(Cause::forbidden("spec.tolerations", detail));
    }
}

/// The new spec with the old values of all that may change.
fn munged(spec: &Value, old: &Value) -> Value {
    let mut munged = spec.clone();
    for list in ["containers", "initContainers"] {
        for (index, container) in items(&old[list]) {
            if let Some(place) = munged.get_mut(list).and_then(|list| list.get_mut(index)).and_then(Value::as_object_mut) {
                place.insert("image".into(), container["image"].clone());
            }
        }
    }
    let grace = "terminationGracePeriodSeconds";
    let mut kept = vec!["activeDeadlineSeconds", "schedulingGates", "tolerations"];
    if old[grace].as_i64().is_some_and(|seconds| seconds < 0) && spec[grace] == 1 {
        kept.push(grace);
    }
    // Pods that nobody may place yet can still be told where to go.
    if !is_blank(&old["schedulingGates"]) {
        if contains(&spec["nodeSelector"], &old["nodeSelector"]) {
            kept.push("nodeSelector");
        }
        if old["affinity"]["nodeAffinity"].is_null() {
            munged = without_node_affinity(munged);
        }
    }
    let Some(fields) = munged.as_object_mut() else { return json!({}) };
    for name in kept {
        match old.get(name) {
            Some(value) => fields.insert(name.into(), value.clone()),
            None => fields.remove(name),
        };
    }
    munged
}

fn contains(new: &Value, old: &Value) -> bool {
    entries(old).all(|(key, value)| new.get(key) == Some(value))
}

fn without_node_affinity(mut spec: Value) -> Value {
    if let Some(affinity) = spec.get_mut("affinity").and_then(Value::as_object_mut) {
        affinity.remove("nodeAffinity");
    }
    if let Some(fields) = spec.as_object_mut()
        && fields.get("affinity").is_some_and(is_blank)
    {
        fields.remove("affinity");
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_change_and_policies_stay() {
        let old = json!({"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Always"});
        let mut new = old.clone();
        new["containers"][0]["image"] = json!("j");
        let mut causes = Vec::new();
        check(&new, &old, &mut causes);
        assert_eq!(causes, []);
        new["restartPolicy"] = json!("Never");
        check(&new, &old, &mut causes);
        assert!(
            causes[0]
                .message
                .contains("\n@@ -35,7 +35,7 @@\n   }\n  ],\n  \"EphemeralContainers\": null,\n- \"RestartPolicy\": \"Always\",\n")
        );
    }
}
