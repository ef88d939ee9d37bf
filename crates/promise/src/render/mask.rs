//! Hides the contents of Secrets from expressions.

use serde_json::Value;

/// Placeholder for every value of a Secret.
pub(crate) const MASK: &str = "********";

/// Returns an observed object as expressions see it: without values of Secrets and without managed fields.
pub fn masked(object: &Value) -> Value {
    let mut object = object.clone();
    if object["apiVersion"] == "v1" && object["kind"] == "Secret" {
        for part in ["data", "stringData"] {
            if let Some(values) = object.get_mut(part).and_then(Value::as_object_mut) {
                values.values_mut().for_each(|value| *value = MASK.into());
            }
        }
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
        // The last applied configuration contains the object, including a Secret's values.
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
        }
    }
    object
}
