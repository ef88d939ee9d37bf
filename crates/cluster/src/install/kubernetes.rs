//! What a plain Kubernetes cluster needs: identities, roles and admission policies around the CustomResourceDefinitions.
//!
//! RBAC takes the place of kcp's maximal permission policy. Since anyone who grants `*` in a namespace grants write access to the records
//! of the controller as well, an admission policy protects those in addition.

use promise::names;
use serde_json::{Value, json};

use super::{FULFILLER, Identities, LEASE, SYSTEM_NAMESPACE, admission, files, rbac};
use crate::kinds::crds;

const RBAC: &str = "rbac.authorization.k8s.io/v1";
const READ: &[&str] = &["get", "list", "watch"];
const WATCHES: &[&str] = &["list", "watch"];
/// Objects are created and changed by apply, which is a patch that can create.
const MAKES: &[&str] = &["get", "list", "watch", "create", "patch", "delete"];

/// Returns our own namespace, the identities in it, and their roles.
pub(super) fn rights(identities: &Identities) -> Vec<Value> {
    let mut all = vec![files::namespace()];
    all.extend(identities.service_accounts());
    all.extend(rbac::cluster_role("opm-controller", &identities.subjects(&identities.controller), &controller()));
    all.extend(own_role(identities));
    all.extend(rbac::cluster_role("opm-portal", &identities.subjects(&identities.portal), &portal()));
    all.extend(rbac::orphans_role(identities));
    all.push(role(FULFILLER, &[], &[rule("", &["configmaps", "secrets"], MAKES), rule(names::GROUP, &["promiserequests"], MAKES)]));
    all.extend(people());
    all
}

/// Returns everything of an installation, in an order in which each finds what it needs.
pub(super) fn objects(identities: &Identities) -> Vec<Value> {
    let mut all = crds();
    all.extend(rights(identities));
    all.extend(policies(identities));
    all
}

/// Returns all admission policies and their bindings.
pub(super) fn policies(identities: &Identities) -> Vec<Value> {
    admission::of_cluster(identities)
}

/// Returns what a namespace needs so that requests can be fulfilled in it: an identity of its own, and the permissions of that identity.
pub(super) fn served(namespace: &str) -> Vec<Value> {
    let metadata = json!({"name": FULFILLER, "namespace": namespace});
    vec![
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}),
        json!({
            "apiVersion": RBAC, "kind": "RoleBinding", "metadata": metadata,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": FULFILLER},
            "subjects": [{"kind": "ServiceAccount", "name": FULFILLER, "namespace": namespace}],
        }),
    ]
}

/// Roles of the controller: it reads what people wrote, and writes what it found out. It creates objects as the namespace's own identity.
fn controller() -> Vec<Value> {
    let own = |resources: &[&str], verbs: &[&str]| rule(names::GROUP, resources, verbs);
    vec![
        own(&["promiseworkflows", "promisecatalogs", "policies", "destinations", "endpoints", "approvals"], WATCHES),
        own(&["promises", "promiserequests", "promiseactions"], &["get", "list", "watch", "patch"]),
        // A request that expired.
        own(&["promiserequests"], &["delete"]),
        // Runs that schedules of policies start.
        own(&["promiseactions"], &["create", "delete"]),
        own(rbac::STATUS, &["patch"]),
        own(&["promiserevisions"], &["list", "watch", "create"]),
        own(&["promisereleases"], &["get", "list", "watch", "create", "delete"]),
        rule("", &["namespaces"], WATCHES),
        rule("", &["events"], &["get", "create", "patch"]),
        rule("authorization.k8s.io", &["subjectaccessreviews"], &["create"]),
        json!({"apiGroups": [""], "resources": ["serviceaccounts"], "resourceNames": [FULFILLER], "verbs": ["impersonate"]}),
        json!({
            "apiGroups": ["authentication.k8s.io"], "resources": [format!("userextras/{}", names::IMPERSONATED_BY_EXTRA)],
            "resourceNames": [names::IMPERSONATED_BY_CONTROLLER], "verbs": ["impersonate"],
        }),
    ]
}

/// Roles for the controller's own objects, and for the credentials of Destinations.
fn own_role(identities: &Identities) -> Vec<Value> {
    let metadata = json!({"name": "opm-controller", "namespace": SYSTEM_NAMESPACE});
    vec![
        json!({
            "apiVersion": RBAC, "kind": "Role", "metadata": metadata,
            "rules": [
                // `create` can't be narrowed to a name: the name isn't known when permissions are checked.
                {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"]},
                {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "resourceNames": [LEASE], "verbs": ["get", "update"]},
                rule("", &["secrets"], &["get", "create"]),
                // What it has to leave behind, and what was orphaned.
                rule("", &["configmaps"], &["create", "list", "watch"]),
            ],
        }),
        json!({
            "apiVersion": RBAC, "kind": "RoleBinding", "metadata": metadata,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "opm-controller"},
            "subjects": identities.subjects(&identities.controller),
        }),
    ]
}

/// Roles of the portal: its caches. Single objects are read as the user who views them.
fn portal() -> Vec<Value> {
    let catalog =
        ["promises", "promiseworkflows", "promiserevisions", "promisecatalogs", "policies", "destinations", "endpoints", "approvals"];
    let kinds = [&catalog[..], &["promiserequests", "promiseactions", "promisereleases"]].concat();
    vec![rule(names::GROUP, &kinds, WATCHES), rule("", &["namespaces"], WATCHES)]
}

/// Roles for people. Those about requests become part of the built-in `view`, `edit` and `admin`. Only the controller writes status,
/// releases and revisions.
fn people() -> Vec<Value> {
    let own = |resources: &[&str], verbs: &[&str]| rule(names::GROUP, resources, verbs);
    let reads = own(&["promiserequests", "promiserequests/status", "promiseactions", "promiseactions/status", "promisereleases"], READ);
    let catalog = ["promises", "promiseworkflows", "promisecatalogs", "policies", "destinations", "endpoints", "approvals"];
    let governed = ["promises", "policies"];
    let approve = own(&governed, &[names::APPROVE_VERB]);
    let decides = own(&["approvals"], &["get", "list", "watch", "create", "delete"]);
    vec![
        role("opm-viewer", &["view", "edit", "admin"], std::slice::from_ref(&reads)),
        role("opm-user", &["edit", "admin"], &[own(&["promiserequests", "promiseactions"], rbac::EVERY_VERB), reads.clone()]),
        role("opm-approver", &[], &[own(&governed, READ), approve.clone(), decides.clone()]),
        // Separate from the others: its holder approves alone, and everyone is notified.
        role("opm-emergency-approver", &[], &[own(&governed, READ), own(&governed, &[names::EMERGENCY_VERB]), decides]),
        role(
            "opm-platform",
            &[],
            &[own(&catalog, rbac::EVERY_VERB), approve, own(&["promiserevisions"], READ), own(rbac::STATUS, READ), reads],
        ),
    ]
}

fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> Value {
    json!({"apiGroups": [group], "resources": resources, "verbs": verbs})
}

fn role(name: &str, becomes_part_of: &[&str], rules: &[Value]) -> Value {
    let labels = becomes_part_of.iter().map(|role| (format!("rbac.authorization.k8s.io/aggregate-to-{role}"), json!("true")));
    let mut metadata = json!({"name": name});
    if !becomes_part_of.is_empty() {
        metadata["labels"] = Value::Object(labels.collect());
    }
    json!({"apiVersion": RBAC, "kind": "ClusterRole", "metadata": metadata, "rules": rules})
}
