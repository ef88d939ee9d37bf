//! Which definitions are refused.

use std::sync::Arc;

use schema::structural::Schema;
use serde_json::Value;

use crate::status::Cause;

/// Broken rules of a definition; `old` is the stored state of one that is changed.
pub fn validate(definition: &Value, old: Option<&Value>) -> Vec<Cause> {
    let spec = &definition["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (group, plural, name) = (text(&spec["group"]), text(&spec["names"]["plural"]), text(&definition["metadata"]["name"]));
    let mut causes = Vec::new();
    for (field, value) in [("spec.group", &group), ("spec.names.plural", &plural), ("spec.names.kind", &text(&spec["names"]["kind"]))] {
        if value.is_empty() {
            causes.push(Cause::required(field, ""));
        }
    }
    if name != format!("{plural}.{group}") {
        causes.push(Cause::invalid("metadata.name", &name.clone().into(), "must be spec.names.plural+\".\"+spec.group"));
    }
    match spec["scope"].as_str() {
        Some("Namespaced" | "Cluster") => {}
        None | Some("") => causes.push(Cause::required("spec.scope", "")),
        Some(other) => {
            let message = format!("Unsupported value: \"{other}\": supported values: \"Cluster\", \"Namespaced\"");
            causes.push(Cause { reason: "FieldValueNotSupported".into(), message, field: "spec.scope".into() });
        }
    }
    let versions = spec["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
    if versions.is_empty() {
        causes.push(Cause::required("spec.versions", "must have exactly one version marked as storage version"));
    } else if versions.iter().filter(|version| version["storage"] == true).count() != 1 {
        causes.push(Cause::invalid("spec.versions", &spec["versions"], "must have exactly one version marked as storage version"));
    }
    for (index, version) in versions.iter().enumerate() {
        let missing = format!("spec.versions[{index}].schema.openAPIV3Schema");
        match version.pointer("/schema/openAPIV3Schema") {
            None | Some(Value::Null) => causes.push(Cause::required(&missing, "")),
            Some(schema) => {
                // A schema that all versions share is told at the place where older definitions had it.
                let place = if versions.len() == 1 { "spec.validation.openAPIV3Schema".to_owned() } else { missing };
                if let Err(errors) = parsed(schema) {
                    causes.extend(errors.into_iter().map(|error| Cause::from(error.prefixed(&place))));
                }
            }
        }
    }
    if let Some(old) = old {
        for field in ["group", "scope"] {
            immutable(&mut causes, &format!("spec.{field}"), &spec[field], &old["spec"][field]);
        }
        for field in ["plural", "kind"] {
            immutable(&mut causes, &format!("spec.names.{field}"), &spec["names"][field], &old["spec"]["names"][field]);
        }
    }
    causes
}

fn parsed(schema: &Value) -> Result<Arc<Schema>, Vec<schema::structural::FieldError>> {
    Schema::parse(schema).map(Arc::new)
}

fn immutable(causes: &mut Vec<Cause>, field: &str, new: &Value, old: &Value) {
    if new != old {
        causes.push(Cause::invalid(field, new, "field is immutable"));
    }
}
