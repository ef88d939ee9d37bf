//! Roles and bindings that every cluster, or every workspace, has from the start.
//! Source: kubernetes `plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go`; kcp `pkg/authorization/bootstrap`.

use serde_json::{Value, json};

use super::GROUP;
use crate::authn::{AUTHENTICATED, MASTERS, WORKSPACES_ADMIN};

/// Grants entry to a workspace and nothing else.
pub const WORKSPACE_ACCESS: &str = "system:kcp:workspace:access";

/// What a Kubernetes cluster starts with.
const POLICY: &str = include_str!("policy.txt");

/// Roles of a Kubernetes cluster that hold in workspaces, too; the others are those of nodes, schedulers and controllers.
const FOR_PEOPLE: [&str; 10] = [
    "admin",
    "cluster-admin",
    "edit",
    "system:aggregate-to-admin",
    "system:aggregate-to-edit",
    "system:aggregate-to-view",
    "system:basic-user",
    "system:discovery",
    "system:public-info-viewer",
    "view",
];

/// What a Kubernetes cluster starts with; stored like any other object.
pub fn cluster() -> Vec<Value> {
    let mut objects: Vec<Value> = Vec::new();
    for line in POLICY.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] | ["#", ..] => {}
            ["role", name, attributes @ ..] => objects.push(built_in_role(name, attributes)),
            ["binding", name, words @ ..] => objects.push(built_in_binding(name, words)),
            words => objects.last_mut().into_iter().for_each(|role| add_rule(role, words)),
        }
    }
    objects
}

/// What holds in all workspaces without being stored in any of them.
pub fn workspaces() -> Vec<Value> {
    let mut objects = cluster();
    objects.retain(|object| {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        // Their administrators have a binding of their own.
        FOR_PEOPLE.contains(&name) && !(object["kind"] == "ClusterRoleBinding" && name == "cluster-admin")
    });
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

/// A role without its rules.
fn built_in_role(name: &str, attributes: &[&str]) -> Value {
    let label = |target: &str| format!("{GROUP}/aggregate-to-{target}");
    let mut role = object("Role", name);
    role["rules"] = Value::Null;
    for attribute in attributes {
        match attribute.split_once('=') {
            Some(("to", target)) => role["metadata"]["labels"][label(target)] = json!("true"),
            Some(("from", target)) => role["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {label(target): "true"}}]}),
            _ => {}
        }
    }
    role
}

fn add_rule(role: &mut Value, words: &[&str]) {
    let rule = match words {
        [verbs, paths] => json!({"nonResourceURLs": listed(paths), "verbs": listed(verbs)}),
        [verbs, groups, resources] => json!({"apiGroups": listed(groups), "resources": listed(resources), "verbs": listed(verbs)}),
        [verbs, groups, resources, names] => {
            json!({"apiGroups": listed(groups), "resources": listed(resources), "resourceNames": listed(names), "verbs": listed(verbs)})
        }
        _ => return,
    };
    match role["rules"].as_array_mut() {
        Some(rules) => rules.push(rule),
        None => role["rules"] = json!([rule]),
    }
}

fn listed(words: &str) -> Vec<&str> {
    words.split(',').map(|word| if word == "-" { "" } else { word }).collect()
}

fn built_in_binding(name: &str, words: &[&str]) -> Value {
    let (kind, mut role) = name.split_once('/').map_or(("ClusterRole", name), |(_, own)| ("Role", own));
    let mut subjects = Vec::new();
    for (word, named) in words.iter().filter_map(|word| word.split_once(['=', ':'])) {
        match word {
            "role" => role = named,
            "account" => {
                let (namespace, account) = named.split_once('/').unwrap_or_default();
                subjects.push(json!({"kind": "ServiceAccount", "name": account, "namespace": namespace}));
            }
            "group" => subjects.push(json!({"kind": "Group", "apiGroup": GROUP, "name": named})),
            _ => subjects.push(json!({"kind": "User", "apiGroup": GROUP, "name": named})),
        }
    }
    let mut binding = object("RoleBinding", name);
    binding["roleRef"] = json!({"apiGroup": GROUP, "kind": kind, "name": role});
    if !subjects.is_empty() {
        binding["subjects"] = subjects.into();
    }
    binding
}

/// An object of a kind, or where its name names no namespace, of the kind for a whole cluster.
fn object(kind: &str, name: &str) -> Value {
    let (kind, metadata) = match name.split_once('/') {
        Some((namespace, name)) => {
            let mut metadata = metadata(name);
            metadata["namespace"] = namespace.into();
            (kind.to_owned(), metadata)
        }
        None => (format!("Cluster{kind}"), metadata(name)),
    };
    json!({"apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": metadata})
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_policy_is_understood() {
        let objects = cluster();
        let lines = POLICY.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (rules, others): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with(' '));
        assert_eq!(objects.len(), others.len());
        assert_eq!(objects.iter().filter_map(|object| object["rules"].as_array()).map(Vec::len).sum::<usize>(), rules.len());
        let find = |kind: &str, name: &str| objects.iter().find(|object| object["kind"] == kind && object["metadata"]["name"] == name);
        let cleaner = find("RoleBinding", "system:controller:token-cleaner").unwrap();
        assert_eq!(cleaner["metadata"]["namespace"], "kube-system");
        assert_eq!(cleaner["subjects"], json!([{"kind": "ServiceAccount", "name": "token-cleaner", "namespace": "kube-system"}]));
        let reader = find("RoleBinding", "system::extension-apiserver-authentication-reader").unwrap();
        assert_eq!(reader["roleRef"]["name"], "extension-apiserver-authentication-reader");
        let edit = find("ClusterRole", "edit").unwrap();
        assert_eq!((&edit["rules"], &edit["metadata"]["labels"][format!("{GROUP}/aggregate-to-admin")]), (&Value::Null, &json!("true")));
        assert_eq!(find("ClusterRole", "system:aggregate-to-view").unwrap()["rules"][2]["apiGroups"], json!([""]));
    }

    #[test]
    fn workspaces_have_the_roles_of_people() {
        let names = |kind: &str| {
            let objects = workspaces();
            let named = objects.iter().filter(|object| object["kind"] == kind).filter_map(|object| object["metadata"]["name"].as_str());
            named.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(names("ClusterRole").len(), FOR_PEOPLE.len() + 1);
        let bindings = ["system:basic-user", "system:discovery", "system:public-info-viewer", "system:kcp:admin"];
        assert_eq!(names("ClusterRoleBinding"), bindings);
    }
}
