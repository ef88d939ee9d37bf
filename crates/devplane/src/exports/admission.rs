//! What is checked when an APIResourceSchema or an APIExport is written.
//! Source: kcp `pkg/admission/{apiexport,apiresourceschema}`.

use serde_json::{Map, Value};

use crate::definitions;

/// Resources that can be claimed without saying whose they are: (group, plural).
const CLAIMABLE: [(&str, &str); 29] = [
    ("", "namespaces"),
    ("", "configmaps"),
    ("", "secrets"),
    ("", "serviceaccounts"),
    ("", "events"),
    ("", "resourcequotas"),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("apis.kcp.io", "apibindings"),
    ("apis.kcp.io", "apiconversions"),
    ("apis.kcp.io", "apiexportendpointslices"),
    ("apis.kcp.io", "apiexports"),
    ("apis.kcp.io", "apiresourceschemas"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
    ("certificates.k8s.io", "certificatesigningrequests"),
    ("coordination.k8s.io", "leases"),
    ("core.kcp.io", "logicalclusters"),
    ("events.k8s.io", "events"),
    ("rbac.authorization.k8s.io", "clusterrolebindings"),
    ("rbac.authorization.k8s.io", "clusterroles"),
    ("rbac.authorization.k8s.io", "rolebindings"),
    ("rbac.authorization.k8s.io", "roles"),
];

/// Whether a resource is one that every workspace serves by itself.
pub fn is_claimable_built_in(group: &str, resource: &str) -> bool {
    CLAIMABLE.contains(&(group, resource))
}

/// Judges a schema: its name ends in what it is about, its versions are such as a definition may have, and it never changes.
///
/// # Errors
/// The text of the refusal, which follows `… is forbidden: `.
pub fn schema(object: &Value, old: Option<&Value>) -> Result<(), String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let name = text(&object["metadata"]["name"]);
    let (group, plural) = (text(&object["spec"]["group"]), text(&object["spec"]["names"]["plural"]));
    let suffix = format!(".{plural}.{}", if group.is_empty() { "core" } else { &group });
    if old.is_none() && !name.ends_with(&suffix) {
        return Err(format!("[metadata.name: Invalid value: {name:?}: must end in {suffix}]"));
    }
    if old.is_none() {
        let faults: Vec<String> = definitions::exported_versions(object).iter().map(ToString::to_string).collect();
        if !faults.is_empty() {
            return Err(format!("[{}]", faults.join(", ")));
        }
    }
    if old.is_some_and(|old| old["spec"] != object["spec"]) {
        return Err(format!("[spec: Invalid value: {}: is immutable]", in_order(&object["spec"])));
    }
    Ok(())
}

/// Judges an export: claims of what is not built in name an identity.
///
/// # Errors
/// The text of the refusal.
pub fn export(object: &Value) -> Result<(), String> {
    for (index, claim) in object["spec"]["permissionClaims"].as_array().into_iter().flatten().enumerate() {
        let text = |field: &str| claim[field].as_str().unwrap_or_default();
        if text("identityHash").is_empty() && !is_claimable_built_in(text("group"), text("resource")) {
            return Err(format!(
                "spec.permissionClaims[{index}].identityHash: Invalid value: \"\": identityHash is required for API types that are not built-in"
            ));
        }
    }
    Ok(())
}

/// The order in which the reference server prints the fields of a schema; the content of `schema` itself is sorted by name.
const ORDER: [&str; 21] = [
    "group",
    "plural",
    "singular",
    "shortNames",
    "kind",
    "listKind",
    "categories",
    "names",
    "scope",
    "name",
    "served",
    "storage",
    "deprecated",
    "deprecationWarning",
    "schema",
    "subresources",
    "additionalPrinterColumns",
    "versions",
    "conversion",
    "nameValidation",
    "status",
];

fn in_order(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
            let printed = fields.into_iter().map(|(name, value)| {
                let printed = if name == "schema" { sorted(value).to_string() } else { in_order(value) };
                format!("{name:?}:{printed}")
            });
            format!("{{{}}}", printed.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(in_order).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<_> = fields.iter().collect();
            names.sort_by_key(|(name, _)| name.as_str());
            Value::Object(names.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wheel(scope: &str) -> Value {
        json!({"metadata": {"name": "v1.wheels.ax.dev"}, "spec": {
            "scope": scope, "group": "ax.dev", "nameValidation": "DNS1123Subdomain", "names": {"plural": "wheels", "kind": "Wheel"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"type": "object", "properties": {}}, "subresources": {"status": {}}}],
        }})
    }

    #[test]
    fn a_name_says_what_the_schema_is_about() {
        let mut schema_object = wheel("Namespaced");
        assert_eq!(schema(&schema_object, None), Ok(()));
        schema_object["metadata"]["name"] = json!("axles");
        assert_eq!(schema(&schema_object, None).unwrap_err(), "[metadata.name: Invalid value: \"axles\": must end in .wheels.ax.dev]");
    }

    #[test]
    fn a_schema_does_not_change() {
        assert_eq!(schema(&wheel("Cluster"), Some(&wheel("Cluster"))), Ok(()));
        assert_eq!(
            schema(&wheel("Cluster"), Some(&wheel("Namespaced"))).unwrap_err(),
            "[spec: Invalid value: {\"group\":\"ax.dev\",\"names\":{\"plural\":\"wheels\",\"kind\":\"Wheel\"},\"scope\":\"Cluster\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"properties\":{},\"type\":\"object\"},\"subresources\":{\"status\":{}}}],\"nameValidation\":\"DNS1123Subdomain\"}: is immutable]"
        );
    }

    #[test]
    fn foreign_resources_are_claimed_by_identity() {
        let claim = |group: &str, hash: &str| json!({"spec": {"permissionClaims": [{"group": group, "resource": "configmaps", "identityHash": hash}]}});
        assert_eq!(export(&claim("", "")), Ok(()));
        assert_eq!(export(&claim("other.dev", "abc")), Ok(()));
        assert!(export(&claim("other.dev", "")).is_err());
    }
}
