//! kcp: permissions in the provider workspace, and the cap on what consumers can do with our kinds.

use promise::names;
use serde_json::{Value, json};

use super::{Identities, KEYS, LEASE, SYSTEM_NAMESPACE};
use crate::kinds::Export;

/// Verbs of the controller on what the requests export shows: it applies objects, records releases and events, and deletes.
const FULFILS: &[&str] = &["get", "list", "watch", "create", "patch", "delete"];
/// Verbs of the controller on what the catalog export shows: it records revisions and writes status.
const PUBLISHES: &[&str] = &["get", "list", "watch", "create", "patch"];
/// Verbs of the portal on what both exports show: it keeps caches. Single objects are read as the user who views them.
const WATCHES: &[&str] = &["list", "watch"];

/// The statuses, which only the controller writes.
pub(super) const STATUS: &[&str] = &[
    "promiserequests/status",
    "promiseactions/status",
    "promises/status",
    "policies/status",
    "destinations/status",
    "endpoints/status",
    "approvals/status",
];

pub(super) const EVERY_VERB: &[&str] = &["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/// Prefix that the control plane puts before users and groups when it asks the provider for the maximal permission policy.
const CAPPED: &str = "apis.kcp.io:binding:";

/// Returns all roles and their bindings.
pub(super) fn roles(identities: &Identities) -> Vec<Value> {
    let [requests, catalog] = [Export::Requests.name(), Export::Catalog.name()];
    let enter = json!({"nonResourceURLs": ["/"], "verbs": ["access"]});
    let slices = json!({"apiGroups": ["apis.kcp.io"], "resources": ["apiexportendpointslices"], "verbs": ["list", "watch"]});
    let of = |resource: &str, exports: &[&str], verbs: &[&str]| json!({"apiGroups": ["apis.kcp.io"], "resources": [resource], "resourceNames": exports, "verbs": verbs});
    let content = |exports: &[&str], verbs: &[&str]| of("apiexports/content", exports, verbs);
    let bind = |export: &str| of("apiexports", &[export], &["bind"]);

    let mut all = identities.service_accounts();
    let works = [enter.clone(), slices.clone(), content(&[requests], FULFILS), content(&[catalog], PUBLISHES)];
    all.extend(cluster_role("opm-controller", &identities.subjects(&identities.controller), &works));
    all.extend(cluster_role(
        "opm-portal",
        &identities.subjects(&identities.portal),
        &[enter, slices, content(&[requests, catalog], WATCHES)],
    ));
    all.extend(cluster_role("opm-bind-requests", &[group("system:authenticated")], &[bind(requests)]));
    all.extend(cluster_role("opm-bind-catalog", &[group(&identities.publishers)], &[bind(catalog)]));
    all.extend(cluster_role("opm-maximal-permissions", &[group(&format!("{CAPPED}system:authenticated"))], &maximal()));
    all.extend(own_role(identities));
    all.extend(orphans_role(identities));
    all
}

/// Returns the most that anyone can do with our kinds, workspace admins included: status, releases and revisions belong to the controller.
fn maximal() -> Vec<Value> {
    let rule = |resources: &[&str], verbs: &[&str]| json!({"apiGroups": [names::GROUP], "resources": resources, "verbs": verbs});
    vec![
        rule(
            &[
                "promises",
                "promiseworkflows",
                "promisecatalogs",
                "policies",
                "destinations",
                "endpoints",
                "approvals",
                "promiserequests",
                "promiseactions",
            ],
            EVERY_VERB,
        ),
        // The cap applies to access reviews as well.
        rule(&["promises", "policies"], &[names::APPROVE_VERB, names::EMERGENCY_VERB]),
        rule(&["promiserevisions", "promisereleases"], &["get", "list", "watch"]),
        rule(STATUS, &["get"]),
    ]
}

/// Returns the role for the controller's own objects: the Lease that makes it the leader, and its key.
fn own_role(identities: &Identities) -> Vec<Value> {
    let metadata = json!({"name": "opm-controller", "namespace": SYSTEM_NAMESPACE});
    vec![
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": metadata,
            "rules": [
                // `create` can't be narrowed to a name: the name isn't known when permissions are checked.
                {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"]},
                {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "resourceNames": [LEASE], "verbs": ["get", "update"]},
                {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
                {"apiGroups": [""], "resources": ["secrets"], "resourceNames": [KEYS], "verbs": ["get"]},
                // What it has to leave behind, and what was orphaned.
                {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "list", "watch"]},
            ],
        }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": metadata,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "opm-controller"},
            "subjects": identities.subjects(&identities.controller),
        }),
    ]
}

/// Returns the role for what the portal reads there: orphans, because they count toward limits and budgets.
pub(super) fn orphans_role(identities: &Identities) -> Vec<Value> {
    let metadata = json!({"name": "opm-portal", "namespace": SYSTEM_NAMESPACE});
    vec![
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": metadata,
            "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": WATCHES}],
        }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": metadata,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "opm-portal"},
            "subjects": identities.subjects(&identities.portal),
        }),
    ]
}

pub(super) fn cluster_role(name: &str, subjects: &[Value], rules: &[Value]) -> Vec<Value> {
    vec![
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules}),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": subjects,
        }),
    ]
}

fn group(name: &str) -> Value {
    json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": name})
}
