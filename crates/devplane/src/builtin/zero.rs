//! What the Go type of a kind holds before anything was said: structures that are always there. Who creates an object did not set them, so
//! that they are nobody's in `managedFields`.
//! Source: `k8s.io/api` types (structures without pointers, lists without `omitempty`).

use serde_json::{Map, Value, json};

const POD_TEMPLATE: [&str; 6] =
    ["spec", "spec.template", "spec.template.metadata", "spec.template.spec", "spec.template.spec.containers", "spec.strategy"];
const JOB_TEMPLATE: [&str; 8] = [
    "spec",
    "spec.jobTemplate",
    "spec.jobTemplate.metadata",
    "spec.jobTemplate.spec",
    "spec.jobTemplate.spec.template",
    "spec.jobTemplate.spec.template.metadata",
    "spec.jobTemplate.spec.template.spec",
    "spec.jobTemplate.spec.template.spec.containers",
];

/// The structures and lists of a kind.
fn paths(group: &str, kind: &str) -> &'static [&'static str] {
    match (group, kind) {
        ("apps", "Deployment") => &POD_TEMPLATE,
        ("apps", "ReplicaSet") | ("batch", "Job") => &POD_TEMPLATE[..5],
        ("apps", "StatefulSet" | "DaemonSet") => {
            const { &[POD_TEMPLATE[0], POD_TEMPLATE[1], POD_TEMPLATE[2], POD_TEMPLATE[3], POD_TEMPLATE[4], "spec.updateStrategy"] }
        }
        ("batch", "CronJob") => &JOB_TEMPLATE,
        ("", "Pod") => &["spec", "spec.containers"],
        ("", "PodTemplate") => &["template", "template.metadata", "template.spec", "template.spec.containers"],
        ("", "PersistentVolumeClaim") => &["spec", "spec.resources"],
        ("", "Service" | "PersistentVolume" | "Namespace" | "Node" | "ResourceQuota" | "LimitRange")
        | ("autoscaling", "HorizontalPodAutoscaler")
        | ("policy", "PodDisruptionBudget")
        | ("networking.k8s.io", "Ingress" | "IngressClass")
        | ("coordination.k8s.io", "Lease") => &["spec"],
        ("networking.k8s.io", "NetworkPolicy") => &["spec", "spec.podSelector"],
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => &["roleRef"],
        ("admissionregistration.k8s.io" | "authorization.k8s.io", _) | ("authentication.k8s.io", "TokenReview") => &["spec"],
        _ => &[],
    }
}

/// The structures of a kind that are there whatever is said; lists are not among them.
pub(super) fn structures(group: &str, kind: &str) -> impl Iterator<Item = &'static str> {
    paths(group, kind).iter().copied().filter(|path| !path.ends_with("containers") && !path.ends_with("metadata"))
}

/// The fields of an object of a kind of which nothing was said.
pub fn fields(group: &str, kind: &str) -> Map<String, Value> {
    let mut fields = json!({});
    for path in paths(group, kind) {
        let value = if path.ends_with("containers") { Value::Null } else { json!({}) };
        let mut place = &mut fields;
        for part in path.split('.') {
            place = &mut place[part];
        }
        *place = value;
    }
    fields.as_object().cloned().unwrap_or_default()
}

/// A structure without a pointer is there, whether or not something was said of it.
pub(super) fn ensure(object: &mut Value, path: &str) {
    let mut place = object;
    for part in path.split('.') {
        let Some(fields) = place.as_object_mut() else { return };
        let next = fields.entry(part).or_insert(Value::Null);
        if next.is_null() {
            *next = json!({});
        }
        place = next;
    }
}
