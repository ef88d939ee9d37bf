//! Which writes a policy is about: rules over resources and operations, and selectors over labels. Pure functions over JSON.

use serde_json::Value;

use crate::access::Admission;
use crate::selectors::LabelSelector;

/// Whether a `matchConstraints` or `matchResources` takes in a write. `object` is the one whose labels count, `namespace` that of the
/// request. Absent constraints take in everything.
pub fn matches(constraints: &Value, admission: &Admission<'_>, object: &Value, namespace: &Value) -> bool {
    if constraints.is_null() {
        return true;
    }
    let rules = |field: &str| constraints[field].as_array().map(Vec::as_slice).unwrap_or_default();
    let included = constraints["resourceRules"].is_null() || rules("resourceRules").iter().any(|rule| rule_matches(rule, admission));
    let excluded = rules("excludeResourceRules").iter().any(|rule| rule_matches(rule, admission));
    // A namespace is selected by its own labels; other objects at the cluster scope pass any selector of namespaces.
    let own_labels = if admission.resource.plural == "namespaces" && admission.resource.group.is_empty() { object } else { namespace };
    included
        && !excluded
        && selects(&constraints["objectSelector"], object)
        && (own_labels.is_null() || selects(&constraints["namespaceSelector"], own_labels))
}

fn rule_matches(rule: &Value, admission: &Admission<'_>) -> bool {
    let (attributes, resource) = (admission.attributes, admission.resource);
    let has = |field: &str, wanted: &str| rule[field].as_array().into_iter().flatten().any(|own| own == "*" || own == wanted);
    let names = rule["resourceNames"].as_array().map(Vec::as_slice).unwrap_or_default();
    let scope = match rule["scope"].as_str() {
        Some("Namespaced") => resource.namespaced,
        Some("Cluster") => !resource.namespaced,
        _ => true,
    };
    scope
        && has("apiGroups", &resource.group)
        && has("apiVersions", &resource.version)
        && has("operations", admission.operation.as_str())
        && rule["resources"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .any(|own| resource_matches(own, &resource.plural, &attributes.subresource))
        && (names.is_empty() || names.iter().any(|own| *own == attributes.name.as_str()))
}

/// `widgets`, `widgets/status`, `widgets/*`, `*`, `*/*` or `*/status`.
fn resource_matches(own: &str, plural: &str, subresource: &str) -> bool {
    let (resource, sub) = own.split_once('/').unwrap_or((own, ""));
    (resource == "*" || resource == plural) && (sub == "*" || sub == subresource)
}

fn selects(selector: &Value, object: &Value) -> bool {
    LabelSelector::from_object(selector).matches(&object["metadata"]["labels"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subresources_are_named() {
        assert!(resource_matches("widgets", "widgets", ""));
        assert!(!resource_matches("widgets", "widgets", "status"));
        assert!(resource_matches("widgets/*", "widgets", "status"));
        assert!(resource_matches("*/*", "widgets", ""));
        assert!(!resource_matches("*", "widgets", "status"));
    }
}
