//! Objects as Go would write them once it had read them: what is empty counts as unsaid, and structures are always there.
//! Source: `k8s.io/api` types (`omitempty`, structures without pointers).

use serde_json::Value;

use super::zero::ensure;
use crate::protobuf::go_json;

/// Whether objects of a kind are made what Go would write, before they get their defaults: what is empty counts as unsaid.
pub(super) fn is_tidied(group: &str, kind: &str) -> bool {
    match group {
        "" => matches!(
            kind,
            "Endpoints" | "LimitRange" | "Node" | "PersistentVolumeClaim" | "ResourceQuota" | "Secret" | "Service" | "ServiceAccount"
        ),
        "autoscaling" | "coordination.k8s.io" | "networking.k8s.io" | "policy" | "scheduling.k8s.io" | "storage.k8s.io" => true,
        _ => false,
    }
}

/// Structures that Go writes though nothing stands in them.
fn structures(kind: &str) -> &'static [&'static str] {
    match kind {
        "Service" | "Ingress" => &["spec", "status.loadBalancer"],
        "PersistentVolumeClaim" => &["spec.resources", "status"],
        "HorizontalPodAutoscaler" => &["spec.scaleTargetRef", "status"],
        "ResourceQuota" | "PodDisruptionBudget" => &["spec", "status"],
        "Node" => &["spec", "status.daemonEndpoints.kubeletEndpoint", "status.nodeInfo"],
        "NetworkPolicy" => &["spec.podSelector"],
        "LimitRange" | "Lease" | "IngressClass" => &["spec"],
        _ => &[],
    }
}

/// Makes of an object what Go would write of it. Metadata has its own rules.
pub(super) fn tidy(api_version: &str, kind: &str, object: &mut Value) {
    let metadata = object.as_object_mut().and_then(|fields| fields.remove("metadata"));
    // What is always said is put into structures that are there, and structures that stay empty are taken away.
    structures(kind).iter().for_each(|path| ensure(object, path));
    go_json::tidy(api_version, kind, object);
    structures(kind).iter().for_each(|path| ensure(object, path));
    if let Some(fields) = object.as_object_mut() {
        fields.remove("metadata");
        fields.extend(metadata.map(|metadata| ("metadata".to_owned(), metadata)));
    }
}
