//! Exports and bindings in their older version `v1alpha1`, which knows no verbs of claims and names schemas only. Stored is
//! `v1alpha2`; other kinds have one version.
//! Source: kcp `sdk/apis/apis/v1alpha1` (conversion to v1alpha2).

use serde_json::{Map, Value, json};

use super::APIS;
use crate::document::set;
use crate::registry::Resource;

/// Whether objects of the resource look different from how they are stored.
pub fn differs(resource: &Resource) -> bool {
    resource.group == APIS && resource.version == "v1alpha1" && ["apiexports", "apibindings"].contains(&resource.plural.as_str())
}

/// The stored object as the resource shows it.
pub fn shown(resource: &Resource, mut object: Value) -> Value {
    if differs(resource) {
        let Some(spec) = object.get_mut("spec") else { return object };
        if resource.plural == "apiexports" {
            convert(spec, "resources", "latestResourceSchemas", |own| own.get("schema").cloned());
        }
        convert(spec, "permissionClaims", "permissionClaims", |claim| without(claim, &["verbs", "selector", "defaultSelector"]));
    }
    object
}

/// The object as it is stored.
pub fn stored(resource: &Resource, mut object: Value) -> Value {
    if differs(resource) {
        let is_export = resource.plural == "apiexports";
        let Some(spec) = object.get_mut("spec") else { return object };
        if is_export {
            convert(spec, "latestResourceSchemas", "resources", exported);
        }
        let complete = |claim: &Value| {
            let mut claim = without(claim, &["all", "resourceSelector"])?;
            set(&mut claim, ["verbs"], json!(["*"]));
            for field in ["group", "identityHash"] {
                if claim[field].is_null() {
                    set(&mut claim, [field], "");
                }
            }
            if !is_export {
                set(&mut claim, ["selector"], json!({"matchAll": true}));
            }
            Some(claim)
        };
        convert(spec, "permissionClaims", "permissionClaims", complete);
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
fn without(claim: &Value, fields: &[&str]) -> Option<Value> {
    let kept = claim.as_object()?.iter().filter(|(name, value)| !fields.contains(&name.as_str()) && **value != "");
    Some(Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>()))
}

/// Puts the items of one field, each converted, into another one. What cannot be converted stays as it is, for the schema to refuse.
fn convert(spec: &mut Value, old: &str, new: &str, item: impl Fn(&Value) -> Option<Value>) {
    let Some(fields) = spec.as_object_mut() else { return };
    let converted = match fields.remove(old) {
        Some(Value::Array(items)) => items.iter().map(|own| item(own).unwrap_or_else(|| own.clone())).collect::<Vec<_>>().into(),
        Some(other) => other,
        None => return,
    };
    if converted != json!([]) {
        fields.insert(new.to_owned(), converted);
    }
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

    #[test]
    fn what_cannot_be_converted_is_kept_for_the_schema_to_refuse() {
        let old = crate::kinds::resources().iter().find(|kind| kind.plural == "apiexports" && kind.version == "v1alpha1").unwrap();
        let kept = |spec: Value| stored(old, json!({"spec": spec}))["spec"].clone();
        assert_eq!(kept(json!("x")), json!("x"));
        assert_eq!(
            kept(json!({"latestResourceSchemas": 1, "permissionClaims": ["x"]})),
            json!({"resources": 1, "permissionClaims": ["x"]})
        );
        assert_eq!(stored(old, json!({})), json!({}));
    }
}
