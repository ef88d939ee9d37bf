//! Bindings: how a workspace uses an export.

use serde_json::{Value, json};

use super::export::{Claim, claimed, claims};
use crate::kinds::Export;
use crate::workspaces::ClusterId;

/// Returns the name of the binding that we generate in a consumer.
pub fn binding_name(export: Export) -> &'static str {
    export.name()
}

/// Returns an APIBinding that accepts every claim of the export. It names the provider by id: a forged path can make a path ambiguous, an
/// id can't.
pub fn api_binding(export: Export, provider: &ClusterId, tenancy_identity: &str) -> Value {
    binding(export, provider.as_str(), tenancy_identity)
}

/// Returns an existing binding, updated to what its export claims now. What people rejected stays rejected; what is new is accepted.
pub(super) fn renewed(export: Export, tenancy_identity: &str, known: &Value) -> Value {
    let provider = known.pointer("/spec/reference/export/path").and_then(Value::as_str).unwrap_or_default();
    let mut renewed = binding(export, provider, tenancy_identity);
    renewed["metadata"]["name"] = known["metadata"]["name"].clone();
    let decided = known.pointer("/spec/permissionClaims").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for claim in renewed["spec"]["permissionClaims"].as_array_mut().into_iter().flatten() {
        let group = |claim: &Value| claim["group"].as_str().unwrap_or_default().to_owned();
        let before = decided.iter().find(|before| before["resource"] == claim["resource"] && group(before) == group(claim));
        if let Some(state) = before.map(|before| &before["state"]).filter(|state| state.is_string()) {
            claim["state"] = state.clone();
        }
    }
    renewed
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

/// Returns the claims of the export that a binding doesn't grant, as `resource.group`. Neither rejected nor undecided claims show in a
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

    use super::{api_binding, missing_claims, renewed};
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

    #[test]
    fn a_renewed_binding_claims_what_is_claimed_today_and_leaves_rejections() {
        let today = api_binding(Export::Requests, &ClusterId::parse("p1").unwrap(), "hash");
        let mut known = today.clone();
        for claim in known["spec"]["permissionClaims"].as_array_mut().unwrap() {
            claim["verbs"] = json!(["*"]);
            claim["state"] = json!(if claim["resource"] == "events" { "Rejected" } else { "Accepted" });
        }
        known["spec"]["permissionClaims"].as_array_mut().unwrap().retain(|claim| claim["resource"] != "secrets");
        let renewed = renewed(Export::Requests, "hash", &known);
        let mut expected = today;
        for claim in expected["spec"]["permissionClaims"].as_array_mut().unwrap().iter_mut().filter(|claim| claim["resource"] == "events") {
            claim["state"] = json!("Rejected");
        }
        assert_eq!(renewed, expected);
    }
}
