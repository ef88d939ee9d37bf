//! Which writes a policy is about: rules over resources and operations, and selectors over labels. Pure functions over JSON.
//! Source: apiserver `admission/plugin/policy/matching`, `admission/plugin/webhook/predicates`.

use std::sync::Arc;

use serde_json::Value;

use crate::{access::Admission, registry::Resource, selectors::LabelSelector};

/// A write as constraints see it.
pub struct Write<'a> {
    /// Who does what where.
    pub admission: &'a Admission<'a>,
    /// The resource in all versions that are served, and by the names of other groups: what `matchPolicy: Equivalent` takes in.
    pub equivalents: &'a [Arc<Resource>],
    /// The new object; none when it is deleted.
    pub object: Option<&'a Value>,
    /// The namespace of the request, null at the cluster scope.
    pub namespace: &'a Value,
}

impl<'a> Write<'a> {
    /// Whether a `matchConstraints` or `matchResources` takes in the write, and as which resource. Absent constraints take in everything.
    pub fn matched(&self, constraints: &Value) -> Option<&'a Resource> {
        let own = self.admission.resource;
        if constraints.is_null() {
            return Some(own);
        }
        let rules = |field: &str| constraints[field].as_array().map(Vec::as_slice).unwrap_or_default();
        let ruled = |rules: &[Value]| {
            let by = |resource: &Resource| rules.iter().any(|rule| rule_matches(rule, self.admission, resource));
            if by(own) {
                return Some(own);
            }
            let equivalent = constraints["matchPolicy"] == "Equivalent";
            self.equivalents.iter().map(|other| &**other).find(|other| equivalent && by(other))
        };
        if !self.is_selected(constraints) || ruled(rules("excludeResourceRules")).is_some() {
            return None;
        }
        match rules("resourceRules") {
            [] => Some(own),
            rules => ruled(rules),
        }
    }

    /// Whether the selectors let the write through: that of objects counts for the state before as well as for the new one, so that
    /// nobody escapes by taking a label away.
    fn is_selected(&self, constraints: &Value) -> bool {
        let (resource, objects) = (self.admission.resource, &constraints["objectSelector"]);
        // A namespace is selected by its own labels; other objects at the cluster scope pass any selector of namespaces.
        let is_namespace = resource.plural == "namespaces" && resource.group.is_empty();
        let labelled = if is_namespace { self.object.or(self.admission.old).unwrap_or(self.namespace) } else { self.namespace };
        [self.object, self.admission.old].into_iter().flatten().any(|state| selects(objects, state))
            && (labelled.is_null() || selects(&constraints["namespaceSelector"], labelled))
    }
}

fn rule_matches(rule: &Value, admission: &Admission<'_>, resource: &Resource) -> bool {
    let attributes = admission.attributes;
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
