//! Which writes a policy or a webhook says that it is about.
//! Source: kubernetes `pkg/apis/admissionregistration/validation` (`validateMatchResources`, `validateRule`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::{list, one_of, text};
use crate::objects::metadata;
use crate::registry::NameRule;
use crate::selectors;
use crate::status::Cause;

/// Broken rules of `matchConstraints` or `matchResources`.
pub(super) fn check(constraints: &Value, at: &str, wants_rules: bool, causes: &mut Vec<Cause>) {
    one_of(constraints, at, "matchPolicy", &["Equivalent", "Exact"], causes);
    for selector in ["namespaceSelector", "objectSelector"] {
        causes.extend(selectors::faults(&constraints[selector], &format!("{at}.{selector}")));
    }
    if wants_rules && list(&constraints["resourceRules"]).is_empty() {
        causes.push(Cause::required(&format!("{at}.resourceRules"), ""));
    }
    for field in ["resourceRules", "excludeResourceRules"] {
        for (index, one) in list(&constraints[field]).iter().enumerate() {
            let at = format!("{at}.{field}[{index}]");
            names(&one["resourceNames"], &format!("{at}.resourceNames"), causes);
            rule(one, &at, causes);
        }
    }
}

fn names(names: &Value, at: &str, causes: &mut Vec<Cause>) {
    let mut seen = BTreeSet::new();
    for (index, name) in list(names).iter().map(text).enumerate() {
        let field = format!("{at}[{index}]");
        let faults = metadata::name_faults(NameRule::PathSegment, name);
        causes.extend(faults.iter().map(|fault| Cause::invalid(&field, &name.into(), fault)));
        if !seen.insert(name) {
            causes.push(Cause::duplicate(&field, name));
        }
    }
}

/// Broken rules of one rule over operations and resources.
pub(super) fn rule(rule: &Value, at: &str, causes: &mut Vec<Cause>) {
    for (field, what) in [("operations", "operations"), ("apiGroups", "API groups"), ("apiVersions", "API versions")] {
        let (at, values) = (format!("{at}.{field}"), list(&rule[field]));
        if values.is_empty() {
            causes.push(Cause::required(&at, ""));
        }
        if values.len() > 1 && values.iter().any(|value| value == "*") {
            causes.push(Cause::invalid(&at, &rule[field], &format!("if '*' is present, must not specify other {what}")));
        }
    }
    let operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
    for (index, operation) in list(&rule["operations"]).iter().enumerate().filter(|(_, one)| !operations.contains(&text(one))) {
        causes.push(Cause::unsupported(&format!("{at}.operations[{index}]"), text(operation), &operations));
    }
    // The group may be empty: it is that of the core. A version never is.
    for (index, _) in list(&rule["apiVersions"]).iter().enumerate().filter(|(_, one)| text(one).is_empty()) {
        causes.push(Cause::required(&format!("{at}.apiVersions[{index}]"), ""));
    }
    resources(&rule["resources"], &format!("{at}.resources"), causes);
    one_of(rule, at, "scope", &["*", "Cluster", "Namespaced"], causes);
}

fn resources(resources: &Value, at: &str, causes: &mut Vec<Cause>) {
    let all: Vec<&str> = list(resources).iter().map(text).collect();
    if all.is_empty() {
        causes.push(Cause::required(at, ""));
    }
    // `x/*` and `*/y` of what came before take in what comes after.
    let mut parts_of: BTreeSet<&str> = BTreeSet::new();
    let mut part_of_all: BTreeSet<&str> = BTreeSet::new();
    for (index, one) in all.iter().enumerate() {
        let field = format!("{at}[{index}]");
        if one.is_empty() {
            causes.push(Cause::required(&field, ""));
        }
        let Some((resource, part)) = one.split_once('/') else { continue };
        if parts_of.contains(resource) {
            causes.push(Cause::invalid(&field, &(*one).into(), &format!("if '{resource}/*' is present, must not specify {one}")));
        }
        if part_of_all.contains(part) {
            causes.push(Cause::invalid(&field, &(*one).into(), &format!("if '*/{part}' is present, must not specify {one}")));
        }
        if part == "*" {
            parts_of.insert(resource);
        }
        if resource == "*" {
            part_of_all.insert(part);
        }
    }
    if all.len() > 1 && all.contains(&"*/*") {
        causes.push(Cause::invalid(at, resources, "if '*/*' is present, must not specify other resources"));
    }
    let others = all.iter().filter(|one| !one.is_empty() && !one.contains('/') && **one != "*").count();
    if others > 0 && all.contains(&"*") {
        causes.push(Cause::invalid(at, resources, "if '*' is present, must not specify other resources without subresources"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::status::told;

    #[test]
    fn wildcards_stand_alone() {
        let faults = |value: Value| told(|causes| resources(&value, "r", causes));
        assert_eq!(faults(json!(["pods", "pods/status", "*/scale"])), Vec::<String>::new());
        assert_eq!(faults(json!(["", "pods/*", "pods/status"])).len(), 2);
        let all = faults(json!(["*/*", "pods", "a/b/c"]));
        assert_eq!(all, ["r: Invalid value: [\"*/*\",\"pods\",\"a/b/c\"]: if '*/*' is present, must not specify other resources"]);
        assert_eq!(faults(json!(["*", "pods"])).len(), 1);
    }

    #[test]
    fn a_version_is_never_empty() {
        let value = json!({"apiGroups": [""], "apiVersions": [""], "operations": ["CREATE"], "resources": ["x"]});
        assert_eq!(told(|causes| rule(&value, "r", causes)), ["r.apiVersions[0]: Required value"]);
    }
}
