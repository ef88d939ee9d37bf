//! Roles and bindings that every cluster, or every workspace, has from the start.
//! Source: kubernetes `plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go`; kcp `pkg/authorization/bootstrap`.

use serde_json::{Value, json};

use super::GROUP;
use crate::authn::{AUTHENTICATED, MASTERS, UNAUTHENTICATED, WORKSPACES_ADMIN};

/// Grants entry to a workspace and nothing else.
pub const WORKSPACE_ACCESS: &str = "system:kcp:workspace:access";

/// What a Kubernetes cluster starts with; stored like any other object.
pub fn cluster() -> Vec<Value> {
    let mut objects = common();
    objects.push(binding("cluster-admin", "cluster-admin", &[MASTERS]));
    objects
}

/// What holds in all workspaces without being stored in any of them.
pub fn workspaces() -> Vec<Value> {
    let mut objects = common();
    objects.push(role(WORKSPACE_ACCESS, json!([{"nonResourceURLs": ["/"], "verbs": ["access"]}])));
    objects.push(binding("system:kcp:admin", "cluster-admin", &[MASTERS, WORKSPACES_ADMIN]));
    objects
}

/// What the root workspace stores on top: everybody may enter it, read the workspaces in it and use the built-in types.
pub fn root_workspace() -> Vec<Value> {
    let read = ["get", "list", "watch"];
    vec![
        role(
            "system:kcp:tenancy:reader",
            json!([
                {"nonResourceURLs": ["/"], "verbs": ["access"]},
                {"apiGroups": ["tenancy.kcp.io"], "resources": ["workspaces", "workspacetypes"], "verbs": read},
            ]),
        ),
        role(
            "system:kcp:tenancy:user",
            json!([
                {"apiGroups": ["tenancy.kcp.io"], "resources": ["workspacetypes"], "resourceNames": ["universal", "organization", "team"], "verbs": ["use"]},
                {"apiGroups": ["apis.kcp.io"], "resources": ["apiexports"], "resourceNames": ["tenancy.kcp.io", "topology.kcp.io"], "verbs": ["bind"]},
            ]),
        ),
        binding("system:kcp:authenticated:reader", "system:kcp:tenancy:reader", &[AUTHENTICATED]),
        binding("system:kcp:authenticated:user", "system:kcp:tenancy:user", &[AUTHENTICATED]),
    ]
}

fn common() -> Vec<Value> {
    let everything = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}, {"nonResourceURLs": ["*"], "verbs": ["*"]}]);
    let mut objects = vec![
        role("cluster-admin", everything),
        role(
            "system:discovery",
            json!([{"nonResourceURLs": ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/"], "verbs": ["get"]}]),
        ),
        role(
            "system:public-info-viewer",
            json!([{"nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"], "verbs": ["get"]}]),
        ),
        role(
            "system:basic-user",
            json!([
                {"apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"], "verbs": ["create"]},
                {"apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"], "verbs": ["create"]},
            ]),
        ),
        binding("system:discovery", "system:discovery", &[AUTHENTICATED]),
        binding("system:basic-user", "system:basic-user", &[AUTHENTICATED]),
        binding("system:public-info-viewer", "system:public-info-viewer", &[AUTHENTICATED, UNAUTHENTICATED]),
    ];
    objects.extend(user_facing());
    objects
}

/// `view`, `edit` and `admin`, which collect the rules of labelled roles, and the roles they collect from.
fn user_facing() -> Vec<Value> {
    let read = ["get", "list", "watch"];
    let write = ["create", "delete", "deletecollection", "patch", "update"];
    let all = [&read[..], &write[..]].concat();
    let core = ["configmaps", "endpoints", "persistentvolumeclaims", "pods", "replicationcontrollers", "serviceaccounts", "services"];
    let apps = ["daemonsets", "deployments", "replicasets", "statefulsets"];
    let view = json!([
        {"apiGroups": [""], "resources": core, "verbs": read},
        {"apiGroups": [""], "resources": ["bindings", "events", "limitranges", "namespaces", "namespaces/status", "pods/log", "pods/status", "resourcequotas", "resourcequotas/status"], "verbs": read},
        {"apiGroups": ["apps"], "resources": apps, "verbs": read},
        {"apiGroups": ["batch"], "resources": ["cronjobs", "jobs"], "verbs": read},
        {"apiGroups": ["networking.k8s.io"], "resources": ["ingresses", "networkpolicies"], "verbs": read},
    ]);
    let edit = json!([
        {"apiGroups": [""], "resources": ["secrets"], "verbs": read},
        {"apiGroups": [""], "resources": ["serviceaccounts"], "verbs": ["impersonate"]},
        {"apiGroups": [""], "resources": core, "verbs": write},
        {"apiGroups": [""], "resources": ["secrets", "events"], "verbs": write},
        {"apiGroups": ["apps"], "resources": apps, "verbs": write},
        {"apiGroups": ["batch"], "resources": ["cronjobs", "jobs"], "verbs": write},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": all},
        {"apiGroups": ["networking.k8s.io"], "resources": ["ingresses", "networkpolicies"], "verbs": write},
    ]);
    let admin = json!([
        {"apiGroups": ["authorization.k8s.io"], "resources": ["localsubjectaccessreviews"], "verbs": ["create"]},
        {"apiGroups": [GROUP], "resources": ["rolebindings", "roles"], "verbs": all},
    ]);
    let mut objects = Vec::new();
    for (name, into, rules) in [("view", Some("edit"), view), ("edit", Some("admin"), edit), ("admin", None, admin)] {
        let label = |target: &str| format!("{GROUP}/aggregate-to-{target}");
        let mut collecting = role(name, Value::Null);
        collecting["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {label(name): "true"}}]});
        if let Some(into) = into {
            collecting["metadata"]["labels"][label(into)] = json!("true");
        }
        let mut collected = role(&format!("system:aggregate-to-{name}"), rules);
        collected["metadata"]["labels"][label(name)] = json!("true");
        objects.extend([collecting, collected]);
    }
    objects
}

fn role(name: &str, rules: Value) -> Value {
    json!({"apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRole", "metadata": metadata(name), "rules": rules})
}

fn binding(name: &str, role: &str, groups: &[&str]) -> Value {
    let subjects: Vec<_> = groups.iter().map(|group| json!({"kind": "Group", "apiGroup": GROUP, "name": group})).collect();
    json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "ClusterRoleBinding",
        "metadata": metadata(name),
        "subjects": subjects,
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role},
    })
}

fn metadata(name: &str) -> Value {
    json!({
        "name": name,
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    })
}
