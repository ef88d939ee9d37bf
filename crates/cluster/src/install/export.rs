//! The two exports and what they claim in consumers.

use promise::names;
use serde_json::{Value, json};

use super::ROLE_DESTINATION;
use crate::kinds::{Export, api_resource_schemas};

/// Permissions for other kinds in a consumer's workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub group: &'static str,
    pub resource: &'static str,
    pub verbs: &'static [&'static str],
    /// Whether the kind belongs to another export, here always root's.
    pub of_root: bool,
    /// Label that narrows it to the objects that carry it.
    pub label: Option<(&'static str, &'static str)>,
}

const READ: &[&str] = &["get", "list", "watch"];
/// Objects are created and changed by apply, which is a patch that can create.
const MAKE: &[&str] = &["get", "list", "watch", "create", "patch", "delete"];
/// Secrets are read by name alone: other readers that can watch what an export shows, such as the portal for its caches, see none of them.
const KEEP: &[&str] = &["get", "create", "patch", "delete"];
/// Events are created and counted, and left to the control plane, which expires them.
const NOTE: &[&str] = &["get", "create", "patch"];
/// Reviews are requested by creating them; nothing is stored.
const ASK: &[&str] = &["create"];
/// Credentials are read by name.
const LOOK_UP: &[&str] = &["get"];

/// Returns the claims of an export. Export and binding must name the verbs in the same words, otherwise nothing is granted.
pub(super) fn claims(export: Export) -> Vec<Claim> {
    let core = |resource, verbs| Claim { group: "", resource, verbs, of_root: false, label: None };
    match export {
        Export::Requests => vec![
            core("namespaces", MAKE),
            core("configmaps", MAKE),
            core("secrets", KEEP),
            core("events", NOTE),
            Claim { group: "tenancy.kcp.io", resource: "workspaces", verbs: READ, of_root: true, label: None },
        ],
        Export::Catalog => vec![
            Claim {
                group: "",
                resource: "secrets",
                verbs: LOOK_UP,
                of_root: false,
                label: Some((names::SECRET_ROLE_LABEL, ROLE_DESTINATION)),
            },
            // Authors of decisions are checked for permission where the rule lives.
            Claim { group: "authorization.k8s.io", resource: "subjectaccessreviews", verbs: ASK, of_root: false, label: None },
        ],
    }
}

/// Returns an APIExport. `tenancy_identity` is the identity hash of root's export of workspaces.
pub(super) fn api_export(export: Export, tenancy_identity: &str) -> Value {
    let resources: Vec<Value> = api_resource_schemas()
        .iter()
        .filter(|(of, _)| *of == export)
        .map(|(_, schema)| {
            let plural = &schema["spec"]["names"]["plural"];
            json!({"group": names::GROUP, "name": plural, "schema": schema["metadata"]["name"], "storage": {"crd": {}}})
        })
        .collect();
    let claims: Vec<Value> = claims(export).iter().map(|claim| claimed(claim, tenancy_identity)).collect();
    json!({
        "apiVersion": "apis.kcp.io/v1alpha2",
        "kind": "APIExport",
        "metadata": {"name": export.name()},
        "spec": {"resources": resources, "maximalPermissionPolicy": {"local": {}}, "permissionClaims": claims},
    })
}

/// Returns the part of a claim that export and binding have in common.
pub(super) fn claimed(claim: &Claim, tenancy_identity: &str) -> Value {
    let mut value = json!({"group": claim.group, "resource": claim.resource, "verbs": claim.verbs});
    if claim.of_root {
        value["identityHash"] = json!(tenancy_identity);
    }
    value
}
