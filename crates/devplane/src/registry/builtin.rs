//! The built-in part of what clusters serve, from the table in `builtin::kinds`.
//! Source: kubernetes `pkg/controlplane/instance.go`.

use std::sync::{Arc, LazyLock};

use super::{NameRule, Resource, Traits};
use crate::builtin::kinds;

/// What plain Kubernetes serves.
pub fn kubernetes() -> &'static [Arc<Resource>] {
    static ALL: LazyLock<Vec<Arc<Resource>>> = LazyLock::new(|| kinds::of_sandbox().cloned().map(Arc::new).collect());
    &ALL
}

/// What of plain Kubernetes every kcp workspace serves.
pub fn workspace() -> &'static [Arc<Resource>] {
    static ALL: LazyLock<Vec<Arc<Resource>>> = LazyLock::new(|| kinds::of_workspaces().cloned().map(Arc::new).collect());
    &ALL
}

/// Kinds whose spec changes count in `metadata.generation`, beside those with an own group below.
const GENERATIONS: [&str; 14] = [
    "ingressclasses",
    "priorityclasses",
    "cronjobs",
    "daemonsets",
    "deployments",
    "endpointslices",
    "ingresses",
    "jobs",
    "networkpolicies",
    "poddisruptionbudgets",
    "pods",
    "podtemplates",
    "replicasets",
    "statefulsets",
];

/// Resources that a PUT creates (`AllowCreateOnUpdate` of their strategies).
const CREATED_BY_PUT: [&str; 9] =
    ["clusterrolebindings", "clusterroles", "endpoints", "events", "leases", "limitranges", "rolebindings", "roles", "services"];

/// The rules of a built-in kind; `verbs` tells reviews apart.
pub fn traits(group: &str, plural: &str, verbs: &[&str]) -> Traits {
    let extension = ["admissionregistration.k8s.io", "apiextensions.k8s.io"].contains(&group);
    Traits {
        generation: extension || GENERATIONS.contains(&plural),
        unconditional_update: !extension && plural != "leases",
        create_on_update: CREATED_BY_PUT.contains(&plural),
        name: match (group, plural) {
            ("rbac.authorization.k8s.io", _) => NameRule::PathSegment,
            ("", "namespaces" | "services") => NameRule::Label,
            _ => NameRule::Subdomain,
        },
        review: verbs == ["create"],
    }
}
