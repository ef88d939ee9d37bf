//! Exports and bindings in their older version `v1alpha1`, which knows no verbs of claims and names schemas only. Stored is
//! `v1alpha2`; other kinds have one version.
//! Source: kcp `sdk/apis/apis/v1alpha1` (conversion to v1alpha2).

use serde_json::{Map, Value, json};

use super::APIS;
use crate::registry::Resource;

/// Whether objects of the resource look different from how they are stored.
pub fn differs(resource: &Resource) -> bool {
    resource.group == APIS && resource.version == "v1alpha1" && ["apiexports", "apibindings"].contains(&resource.plural.as_str())
}

/// The stored object as the resource shows it.
pub fn shown(resource: &Resource, mut object: Value) -> Value {
    if differs(resource) {
        let spec = &mut object["spec"];
        if resource.plural == "apiexports" {
            let schemas: Vec<Value> = list(&spec["resources"]).iter().map(|own| own["schema"].clone()).collect();
            replace(spec, "resources", "latestResourceSchemas", schemas);
        }
        let claims: Vec<Value> =
            list(&spec["permissionClaims"]).iter().map(|claim| without(claim, &["verbs", "selector", "defaultSelector"])).collect();
        replace(spec, "permissionClaims", "permissionClaims", claims);
    }
    object
}

/// The object as it is stored.
pub fn stored(resource: &Resource, mut object: Value) -> Value {
    if differs(resource) {
        let is_export = resource.plural == "apiexports";
        let spec = &mut object["spec"];
        if is_export {
            let resources: Vec<Value> = list(&spec["latestResourceSchemas"]).iter().filter_map(exported).collect();
            replace(spec, "latestResourceSchemas", "resources", resources);
        }
        let complete = |claim: &Value| {
            let mut claim = without(claim, &["all", "resourceSelector"]);
            claim["verbs"] = json!(["*"]);
            for field in ["group", "identityHash"] {
                if claim[field].is_null() {
                    claim[field] = json!("");
                }
            }
            if !is_export {
                claim["selector"] = json!({"matchAll": true});
            }
            claim
        };
        let claims: Vec<Value> = list(&spec["permissionClaims"]).iter().map(complete).collect();
        replace(spec, "permissionClaims", "permissionClaims", claims);
    }
    object
}

/// `v1.widgets.example.org` as an entry of `resources`.
fn exported(schema: &Value) -> Option<Value> {
    let mut parts = schema.as_str()?.splitn(3, '.').skip(1);
    let (name, group) = (parts.next()?, parts.next()?);
    Some(json!({"group": if group == "core" { "" } else { group }, "name": name, "schema": schema, "storage": {"crd": {}}}))
}

/// The fields of a claim without these and without empty ones.
fn without(claim: &Value, fields: &[&str]) -> Value {
    let kept = claim.as_object().into_iter().flatten().filter(|(name, value)| !fields.contains(&name.as_str()) && **value != "");
    Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
}

fn replace(spec: &mut Value, old: &str, new: &str, list: Vec<Value>) {
    if let Some(fields) = spec.as_object_mut() {
        fields.remove(old);
        if !list.is_empty() {
            fields.insert(new.to_owned(), Value::Array(list));
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_reads_in_both_versions() {
        let old = crate::kinds::resources().iter().find(|kind| kind.plural == "apiexports" && kind.version == "v1alpha1").unwrap();
        let spec = json!({
            "resources": [{"group": "ax.dev", "name": "wheels", "schema": "v1.wheels.ax.dev", "storage": {"crd": {}}}],
            "permissionClaims": [{"group": "", "identityHash": "", "resource": "configmaps", "verbs": ["*"]}],
        });
        let shown = shown(old, json!({"spec": spec}));
        assert_eq!(shown["spec"], json!({"latestResourceSchemas": ["v1.wheels.ax.dev"], "permissionClaims": [{"resource": "configmaps"}]}));
        assert_eq!(stored(old, shown)["spec"], spec);
    }
}
