//! The table of built-in kinds: one line for each resource, in the order of discovery.
//! Source: kubernetes `pkg/controlplane/instance.go`; the discovery documents of a server.

use std::sync::LazyLock;

use crate::registry::{self, GroupResource, Resource, Shape, Subresource};

/// Which API servers of the plane serve a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Served {
    /// The sandbox cluster and kcp workspaces.
    Everywhere,
    /// The sandbox cluster alone: kcp workspaces have no workloads.
    Sandbox,
    /// kcp workspaces alone.
    Workspaces,
}

use Served::{Everywhere, Sandbox, Workspaces};

/// Verbs of an ordinary built-in resource, sorted as discovery has them.
const ALL: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
/// Namespaces cannot be deleted by collection.
const NAMESPACES: &[&str] = &["create", "delete", "get", "list", "patch", "update", "watch"];
/// Reviews are asked, never stored.
const REVIEW: &[&str] = &["create"];

/// What a subresource answers with: name, then group, version and kind where they differ from the resource's, then verbs.
struct Part(&'static str, &'static str, &'static str, &'static str, &'static [&'static str]);

const STATUS: Part = Part("status", "", "", "", &["get", "patch", "update"]);
const SCALE: Part = Part("scale", "autoscaling", "v1", "Scale", &["get", "patch", "update"]);
const FINALIZE: Part = Part("finalize", "", "", "", &["update"]);
const LOG: Part = Part("log", "", "", "", &["get"]);
const ATTACH: Part = Part("attach", "", "", "PodAttachOptions", &["create", "get"]);
const EXEC: Part = Part("exec", "", "", "PodExecOptions", &["create", "get"]);
const PORT_FORWARD: Part = Part("portforward", "", "", "PodPortForwardOptions", &["create", "get"]);
const EVICTION: Part = Part("eviction", "policy", "v1", "Eviction", &["create"]);
const TOKEN: Part = Part("token", "authentication.k8s.io", "v1", "TokenRequest", &["create"]);
const APPROVAL: Part = Part("approval", "", "", "", &["get", "patch", "update"]);

/// One resource.
struct Row {
    group: &'static str,
    version: &'static str,
    plural: &'static str,
    kind: &'static str,
    short_names: &'static [&'static str],
    categories: &'static [&'static str],
    namespaced: bool,
    verbs: &'static [&'static str],
    parts: &'static [Part],
    served: Served,
}

/// A namespaced resource with all verbs.
const fn own(group: &'static str, version: &'static str, plural: &'static str, kind: &'static str, served: Served) -> Row {
    Row { group, version, plural, kind, short_names: &[], categories: &[], namespaced: true, verbs: ALL, parts: &[], served }
}

/// A cluster-scoped resource with all verbs.
const fn wide(group: &'static str, version: &'static str, plural: &'static str, kind: &'static str, served: Served) -> Row {
    Row { namespaced: false, ..own(group, version, plural, kind, served) }
}

impl Row {
    const fn short(mut self, names: &'static [&'static str]) -> Self {
        self.short_names = names;
        self
    }

    const fn all_category(mut self) -> Self {
        self.categories = &["all"];
        self
    }

    const fn parts(mut self, parts: &'static [Part]) -> Self {
        self.parts = parts;
        self
    }

    const fn verbs(mut self, verbs: &'static [&'static str]) -> Self {
        self.verbs = verbs;
        self
    }
}

const ADMISSION: &str = "admissionregistration.k8s.io";
const EXTENSIONS: &str = "apiextensions.k8s.io";
const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";

const ROWS: &[Row] = &[
    own("", "v1", "configmaps", "ConfigMap", Everywhere).short(&["cm"]),
    own("", "v1", "endpoints", "Endpoints", Sandbox).short(&["ep"]),
    own("", "v1", "events", "Event", Everywhere).short(&["ev"]),
    own("", "v1", "limitranges", "LimitRange", Sandbox).short(&["limits"]),
    wide("", "v1", "namespaces", "Namespace", Everywhere).short(&["ns"]).verbs(NAMESPACES).parts(&[FINALIZE, STATUS]),
    wide("", "v1", "nodes", "Node", Sandbox).short(&["no"]).parts(&[STATUS]),
    own("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", Sandbox).short(&["pvc"]).parts(&[STATUS]),
    wide("", "v1", "persistentvolumes", "PersistentVolume", Sandbox).short(&["pv"]).parts(&[STATUS]),
    own("", "v1", "pods", "Pod", Sandbox).short(&["po"]).all_category().parts(&[ATTACH, EVICTION, EXEC, LOG, PORT_FORWARD, STATUS]),
    own("", "v1", "podtemplates", "PodTemplate", Sandbox),
    own("", "v1", "resourcequotas", "ResourceQuota", Everywhere).short(&["quota"]).parts(&[STATUS]),
    own("", "v1", "secrets", "Secret", Everywhere),
    own("", "v1", "serviceaccounts", "ServiceAccount", Everywhere).short(&["sa"]).parts(&[TOKEN]),
    own("", "v1", "services", "Service", Sandbox).short(&["svc"]).all_category().parts(&[STATUS]),
    wide(ADMISSION, "v1", "mutatingadmissionpolicies", "MutatingAdmissionPolicy", Everywhere),
    wide(ADMISSION, "v1", "mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding", Everywhere),
    wide(ADMISSION, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", Everywhere),
    wide(ADMISSION, "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", Everywhere).parts(&[STATUS]),
    wide(ADMISSION, "v1", "validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding", Everywhere),
    wide(ADMISSION, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", Everywhere),
    wide(EXTENSIONS, "v1", "customresourcedefinitions", "CustomResourceDefinition", Everywhere).short(&["crd", "crds"]).parts(&[STATUS]),
    own("apps", "v1", "controllerrevisions", "ControllerRevision", Sandbox),
    own("apps", "v1", "daemonsets", "DaemonSet", Sandbox).short(&["ds"]).all_category().parts(&[STATUS]),
    own("apps", "v1", "deployments", "Deployment", Sandbox).short(&["deploy"]).all_category().parts(&[SCALE, STATUS]),
    own("apps", "v1", "replicasets", "ReplicaSet", Sandbox).short(&["rs"]).all_category().parts(&[SCALE, STATUS]),
    own("apps", "v1", "statefulsets", "StatefulSet", Sandbox).short(&["sts"]).all_category().parts(&[SCALE, STATUS]),
    wide(AUTHENTICATION, "v1", "selfsubjectreviews", "SelfSubjectReview", Everywhere).verbs(REVIEW),
    wide(AUTHENTICATION, "v1", "tokenreviews", "TokenReview", Everywhere).verbs(REVIEW),
    own(AUTHORIZATION, "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview", Everywhere).verbs(REVIEW),
    wide(AUTHORIZATION, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", Everywhere).verbs(REVIEW),
    wide(AUTHORIZATION, "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", Everywhere).verbs(REVIEW),
    wide(AUTHORIZATION, "v1", "subjectaccessreviews", "SubjectAccessReview", Everywhere).verbs(REVIEW),
    own("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", Sandbox)
        .short(&["hpa"])
        .all_category()
        .parts(&[STATUS]),
    own("batch", "v1", "cronjobs", "CronJob", Sandbox).short(&["cj"]).all_category().parts(&[STATUS]),
    own("batch", "v1", "jobs", "Job", Sandbox).all_category().parts(&[STATUS]),
    wide("certificates.k8s.io", "v1", "certificatesigningrequests", "CertificateSigningRequest", Workspaces)
        .short(&["csr"])
        .parts(&[APPROVAL, STATUS]),
    own("coordination.k8s.io", "v1", "leases", "Lease", Everywhere),
    own("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", Sandbox),
    own("events.k8s.io", "v1", "events", "Event", Everywhere).short(&["ev"]),
    wide("networking.k8s.io", "v1", "ingressclasses", "IngressClass", Sandbox),
    own("networking.k8s.io", "v1", "ingresses", "Ingress", Sandbox).short(&["ing"]).parts(&[STATUS]),
    own("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", Sandbox).short(&["netpol"]),
    own("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", Sandbox).short(&["pdb"]).parts(&[STATUS]),
    wide(RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding", Everywhere),
    wide(RBAC, "v1", "clusterroles", "ClusterRole", Everywhere),
    own(RBAC, "v1", "rolebindings", "RoleBinding", Everywhere),
    own(RBAC, "v1", "roles", "Role", Everywhere),
    wide("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", Sandbox).short(&["pc"]),
    wide("storage.k8s.io", "v1", "storageclasses", "StorageClass", Sandbox).short(&["sc"]),
];

static ALL_RESOURCES: LazyLock<Vec<(Served, Resource)>> = LazyLock::new(|| ROWS.iter().map(|row| (row.served, resource(row))).collect());

/// What the sandbox cluster serves by itself.
pub fn of_sandbox() -> impl Iterator<Item = &'static Resource> {
    ALL_RESOURCES.iter().filter(|(served, _)| *served != Workspaces).map(|(_, resource)| resource)
}

/// What every kcp workspace serves by itself, kcp's own groups not included.
pub fn of_workspaces() -> impl Iterator<Item = &'static Resource> {
    ALL_RESOURCES.iter().filter(|(served, _)| *served != Sandbox).map(|(_, resource)| resource)
}

/// Whether a kind extends the API server itself.
fn extends(row: &Row) -> bool {
    row.group == ADMISSION || row.group == EXTENSIONS
}

fn resource(row: &Row) -> Resource {
    let words = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect();
    // Events are stored once and shown by two groups.
    let storage_group = if row.plural == "events" { "" } else { row.group };
    Resource {
        group: row.group.into(),
        version: row.version.into(),
        plural: row.plural.into(),
        singular: row.kind.to_lowercase(),
        kind: row.kind.into(),
        list_kind: format!("{}List", row.kind),
        namespaced: row.namespaced,
        verbs: words(row.verbs),
        short_names: words(row.short_names),
        categories: if extends(row) { words(&["api-extensions"]) } else { words(row.categories) },
        subresources: row
            .parts
            .iter()
            .map(|Part(name, group, version, kind, verbs)| Subresource {
                name: (*name).into(),
                group: (*group).into(),
                version: (*version).into(),
                kind: if kind.is_empty() { row.kind.into() } else { (*kind).into() },
                verbs: words(verbs),
            })
            .collect(),
        storage: GroupResource::new(storage_group, row.plural),
        storage_version: row.version.into(),
        traits: registry::builtin::traits(row.group, row.plural, row.verbs),
        shape: Shape::BuiltIn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_have_no_workloads() {
        let served: Vec<&str> = of_workspaces().filter(|r| r.group.is_empty()).map(|r| r.plural.as_str()).collect();
        assert_eq!(served, ["configmaps", "events", "namespaces", "resourcequotas", "secrets", "serviceaccounts"]);
        assert!(of_workspaces().all(|r| r.group != "apps"));
    }

    #[test]
    fn names_are_unique_within_a_group() {
        let mut seen = std::collections::BTreeSet::new();
        assert!(ROWS.iter().all(|row| seen.insert((row.group, row.plural)) && seen.insert((row.group, row.kind))));
    }

    #[test]
    fn both_groups_of_events_share_their_storage() {
        let keys: Vec<_> = of_sandbox().filter(|r| r.kind == "Event").map(|r| r.storage.clone()).collect();
        assert_eq!(keys.len(), 2);
        assert_eq!(keys[0], keys[1]);
    }
}
