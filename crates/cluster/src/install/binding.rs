//! Bindings: how a workspace comes to use an export.

use serde_json::{Value, json};

use super::export::{Claim, claimed, claims};
use crate::kinds::Export;
use crate::workspaces::ClusterId;

/// Name of the binding that we generate in a consumer.
pub fn binding_name(export: Export) -> &'static str {
    export.name()
}

/// An APIBinding that accepts every claim of the export. It names the provider by id: a forged path can make a path
/// ambiguous, an id cannot.
pub fn api_binding(export: Export, provider: &ClusterId, tenancy_identity: &str) -> Value {
    binding(export, provider.as_str(), tenancy_identity)
}

pub(super) fn binding(export: Export, provider: &str, tenancy_identity: &str) -> Value {
    let accepted: Vec<Value> = claims(export)
        .iter()
        .map(|claim| {
            let mut value = claimed(claim, tenancy_identity);
            value["state"] = json!("Accepted");
            value["selector"] = match claim.label {
                Some((key, label)) => json!({"matchLabels": {key: label}}),
                None => json!({"matchAll": true}),
            };
            value
        })
        .collect();
    json!({
        "apiVersion": "apis.kcp.io/v1alpha2",
        "kind": "APIBinding",
        "metadata": {"name": binding_name(export)},
        "spec": {"reference": {"export": {"path": provider, "name": export.name()}}, "permissionClaims": accepted},
    })
}

/// Claims of the export that a binding does not grant, as `resource.group`; neither rejected nor undecided claims show in a
/// condition, so the list in force is compared with ours.
pub fn missing_claims(export: Export, binding: &Value) -> Vec<String> {
    let applied = binding.pointer("/status/appliedPermissionClaims").and_then(Value::as_array);
    let applied = applied.map(Vec::as_slice).unwrap_or_default();
    claims(export).iter().filter(|claim| !applied.iter().any(|entry| grants(entry, claim))).map(name).collect()
}

fn grants(entry: &Value, claim: &Claim) -> bool {
    let verbs: Vec<&str> = entry["verbs"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    entry["group"].as_str().unwrap_or_default() == claim.group
        && entry["resource"].as_str() == Some(claim.resource)
        && claim.verbs.iter().all(|verb| verbs.contains(verb))
}

fn name(claim: &Claim) -> String {
    if claim.group.is_empty() { claim.resource.to_owned() } else { format!("{}.{}", claim.resource, claim.group) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{api_binding, missing_claims};
    use crate::kinds::Export;
    use crate::workspaces::ClusterId;

    #[test]
    fn a_claim_that_is_not_in_force_is_named() {
        let mut binding = api_binding(Export::Requests, &ClusterId::parse("p1").unwrap(), "hash");
        assert_eq!(missing_claims(Export::Requests, &binding).len(), 5, "nothing is in force before the plane says so");
        binding["status"] = json!({"appliedPermissionClaims": binding["spec"]["permissionClaims"]});
        assert!(missing_claims(Export::Requests, &binding).is_empty());
        binding["status"]["appliedPermissionClaims"].as_array_mut().unwrap().retain(|c| c["resource"] != "workspaces");
        assert_eq!(missing_claims(Export::Requests, &binding), ["workspaces.tenancy.kcp.io"]);
        binding["status"]["appliedPermissionClaims"][0]["verbs"] = json!(["*"]);
        assert_eq!(missing_claims(Export::Requests, &binding), ["namespaces", "workspaces.tenancy.kcp.io"], "verbs are compared as words");
    }
}
