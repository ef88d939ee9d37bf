//! What a plain Kubernetes cluster needs: identities, rights and admission policies around the CustomResourceDefinitions.
//!
//! RBAC takes the place of kcp's maximal permission policy, and since whoever gives somebody `*` in a namespace gives away the records of
//! the controller as well, an admission policy keeps those besides.

use promise::names;
use serde_json::{Value, json};

use super::{FULFILLER, Identities, LEASE, SYSTEM_NAMESPACE, admission, files, rbac};
use crate::kinds::crds;

const RBAC: &str = "rbac.authorization.k8s.io/v1";
const READ: &[&str] = &["get", "list", "watch"];
const WATCHES: &[&str] = &["list", "watch"];
/// Objects are made and changed by apply, which is a patch that may create.
const MAKES: &[&str] = &["get", "list", "watch", "create", "patch", "delete"];

/// The namespace of our own, the identities in it, and who may do what.
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

/// Everything of an installation, in an order in which each finds what it needs.
pub(super) fn objects(identities: &Identities) -> Vec<Value> {
    let mut all = crds();
    all.extend(rights(identities));
    all.extend(policies(identities));
    all
}

/// All admission policies and their bindings.
pub(super) fn policies(identities: &Identities) -> Vec<Value> {
    admission::of_cluster(identities)
}

/// What a namespace needs in which requests are to be fulfilled: an identity of its own, and what that may do.
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

/// The controller: it reads what people wrote, and writes what it found out. What it makes, it makes as the namespace's own identity.
fn controller() -> Vec<Value> {
    let own = |resources: &[&str], verbs: &[&str]| rule(names::GROUP, resources, verbs);
    vec![
        own(&["promisecatalogs", "policies", "destinations", "approvals"], WATCHES),
        own(&["promises", "promiserequests"], &["get", "list", "watch", "patch"]),
        own(&["promises/status", "policies/status", "destinations/status", "approvals/status", "promiserequests/status"], &["patch"]),
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

/// What the controller keeps for itself, and the credentials of Destinations.
fn own_role(identities: &Identities) -> Vec<Value> {
    let metadata = json!({"name": "opm-controller", "namespace": SYSTEM_NAMESPACE});
    vec![
        json!({
            "apiVersion": RBAC, "kind": "Role", "metadata": metadata,
            "rules": [
                // `create` cannot be narrowed to a name: the name is not known when rights are checked.
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

/// The portal: caches. Single objects are read as the person who looks.
fn portal() -> Vec<Value> {
    let catalog = ["promises", "promiserevisions", "promisecatalogs", "policies", "destinations", "approvals"];
    let kinds = [&catalog[..], &["promiserequests", "promisereleases"]].concat();
    vec![rule(names::GROUP, &kinds, WATCHES), rule("", &["namespaces"], WATCHES)]
}

/// Roles for people. Those about requests become part of the built-in `view`, `edit` and `admin`; nobody but the controller writes status,
/// releases and revisions.
fn people() -> Vec<Value> {
    let own = |resources: &[&str], verbs: &[&str]| rule(names::GROUP, resources, verbs);
    let reads = own(&["promiserequests", "promiserequests/status", "promisereleases"], READ);
    let catalog = ["promises", "promisecatalogs", "policies", "destinations", "approvals"];
    let governed = ["promises", "policies"];
    let approve = own(&governed, &[names::APPROVE_VERB]);
    let decides = own(&["approvals"], &["get", "list", "watch", "create", "delete"]);
    vec![
        role("opm-viewer", &["view", "edit", "admin"], std::slice::from_ref(&reads)),
        role("opm-user", &["edit", "admin"], &[own(&["promiserequests"], rbac::EVERY_VERB), reads.clone()]),
        role("opm-approver", &[], &[own(&governed, READ), approve.clone(), decides.clone()]),
        // Apart from the others: whoever has it approves alone, and everybody is told.
        role("opm-emergency-approver", &[], &[own(&governed, READ), own(&governed, &[names::EMERGENCY_VERB]), decides]),
        role(
            "opm-platform",
            &[],
            &[
                own(&catalog, rbac::EVERY_VERB),
                approve,
                own(&["promiserevisions", "promises/status", "policies/status", "destinations/status", "approvals/status"], READ),
                reads,
            ],
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
