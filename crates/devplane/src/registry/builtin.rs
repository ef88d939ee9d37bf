//! The built-in part of what clusters serve, from the table in `builtin::kinds`.

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
const GENERATIONS: [&str; 12] = [
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

/// The rules of a built-in kind; `verbs` tells reviews apart.
pub fn traits(group: &str, plural: &str, verbs: &[&str]) -> Traits {
    let extension = ["admissionregistration.k8s.io", "apiextensions.k8s.io"].contains(&group);
    Traits {
        generation: extension || GENERATIONS.contains(&plural),
        unconditional_update: !extension && plural != "leases",
        name: match (group, plural) {
            ("rbac.authorization.k8s.io", _) => NameRule::PathSegment,
            ("", "namespaces" | "services") => NameRule::Label,
            _ => NameRule::Subdomain,
        },
        review: verbs == ["create"],
    }
}
