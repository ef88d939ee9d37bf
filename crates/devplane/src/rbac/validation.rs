//! What roles and their bindings must look like.
//! Source: kubernetes `pkg/apis/rbac/validation/validation.go`.

use serde_json::{Value, json};

use super::GROUP;
use crate::objects::metadata::{self, Unit};
use crate::selectors;
use crate::status::Cause;

/// Fills in what a binding may leave out: the API groups of the role and of users and groups.
pub fn default_binding(binding: &mut Value) {
    if binding["roleRef"].is_null() {
        binding["roleRef"] = json!({});
    }
    if let Some(reference) = binding.get_mut("roleRef").and_then(Value::as_object_mut)
        && reference.get("apiGroup").is_none_or(|group| group == "")
    {
        reference.insert("apiGroup".into(), json!(GROUP));
    }
    for subject in binding.get_mut("subjects").and_then(Value::as_array_mut).into_iter().flatten() {
        let person = subject["kind"] == "User" || subject["kind"] == "Group";
        if let Some(subject) = subject.as_object_mut()
            && person
            && subject.get("apiGroup").is_none_or(|group| group == "")
        {
            subject.insert("apiGroup".into(), json!(GROUP));
        }
    }
}

/// What is wrong with a binding. `namespaced` tells RoleBinding from ClusterRoleBinding.
pub fn check_binding(binding: &Value, old: Option<&Value>, namespaced: bool) -> Vec<Cause> {
    let mut causes = Vec::new();
    let reference = &binding["roleRef"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let group = text(&reference["apiGroup"]);
    if group != GROUP {
        causes.push(Cause::unsupported("roleRef.apiGroup", &group, &[GROUP]));
    }
    let kinds: &[&str] = if namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    let kind = text(&reference["kind"]);
    if !kinds.contains(&kind.as_str()) {
        causes.push(Cause::unsupported("roleRef.kind", &kind, kinds));
    }
    if text(&reference["name"]).is_empty() {
        causes.push(Cause::required("roleRef.name", ""));
    }
    for (index, subject) in binding["subjects"].as_array().into_iter().flatten().enumerate() {
        check_subject(&format!("subjects[{index}]"), subject, namespaced, &mut causes);
    }
    if old.is_some_and(|old| old["roleRef"] != *reference) {
        let printed = format!(r#"{{"APIGroup":{:?},"Kind":{kind:?},"Name":{:?}}}"#, group, text(&reference["name"]));
        causes.push(Cause::invalid_shown("roleRef", &printed, "cannot change roleRef"));
    }
    causes
}

fn check_subject(at: &str, subject: &Value, namespaced: bool, causes: &mut Vec<Cause>) {
    let text = |field: &str| subject[field].as_str().unwrap_or_default();
    if text("name").is_empty() {
        causes.push(Cause::required(&format!("{at}.name"), ""));
    }
    match text("kind") {
        "ServiceAccount" => {
            let (name, field) = (text("name"), format!("{at}.name"));
            let faults = if name.is_empty() { Vec::new() } else { metadata::subdomain_faults(name, Unit::Characters) };
            causes.extend(faults.iter().map(|fault| Cause::invalid(&field, &name.into(), fault)));
            if !text("apiGroup").is_empty() {
                causes.push(Cause::unsupported(&format!("{at}.apiGroup"), text("apiGroup"), &[""]));
            }
            // In a namespace the binding's own is meant.
            if !namespaced && text("namespace").is_empty() {
                causes.push(Cause::required(&format!("{at}.namespace"), ""));
            }
        }
        "User" | "Group" if text("apiGroup") != GROUP => {
            causes.push(Cause::unsupported(&format!("{at}.apiGroup"), text("apiGroup"), &[GROUP]))
        }
        "User" | "Group" => {}
        other => causes.push(Cause::unsupported(&format!("{at}.kind"), other, &["ServiceAccount", "User", "Group"])),
    }
}

/// What is wrong with a role, ordered by field. `namespaced` tells Role from ClusterRole.
pub fn check_role(role: &Value, namespaced: bool) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (index, rule) in role["rules"].as_array().into_iter().flatten().enumerate() {
        check_rule(rule, &format!("rules[{index}]"), namespaced, &mut causes);
    }
    let aggregation = &role["aggregationRule"];
    if !namespaced && aggregation.is_object() {
        let selectors = aggregation["clusterRoleSelectors"].as_array().map(Vec::as_slice).unwrap_or_default();
        let at = "aggregationRule.clusterRoleSelectors";
        if selectors.is_empty() {
            causes.push(Cause::required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
        }
        for (index, selector) in selectors.iter().enumerate() {
            let at = format!("{at}[{index}]");
            let faults = selectors::faults(selector, &at);
            if !faults.is_empty() {
                causes.push(Cause::invalid(&at, &Value::Null, "invalid label selector."));
            }
            causes.extend(faults);
        }
    }
    causes.sort_by(|one, other| one.field.cmp(&other.field));
    causes
}

fn check_rule(rule: &Value, at: &str, namespaced: bool, causes: &mut Vec<Cause>) {
    let has = |field: &str| rule[field].as_array().is_some_and(|list| !list.is_empty());
    let mut require = |field: &str, why: &str| {
        if !has(field) {
            causes.push(Cause::required(&format!("{at}.{field}"), why));
        }
    };
    require("verbs", "verbs must contain at least one value");
    if !has("nonResourceURLs") {
        require("apiGroups", "resource rules must supply at least one api group");
        require("resources", "resource rules must supply at least one resource");
        return;
    }
    let mixed = ["apiGroups", "resources", "resourceNames"].into_iter().any(has);
    for (broken, why) in [
        (namespaced, "namespaced rules cannot apply to non-resource URLs"),
        (mixed, "rules cannot apply to both regular resources and non-resource URLs"),
    ] {
        if broken {
            causes.push(Cause::invalid(&format!("{at}.nonResourceURLs"), &rule["nonResourceURLs"], why));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_filled_in() {
        let mut binding = json!({"roleRef": {"kind": "Role", "name": "r"}, "subjects": [{"kind": "User", "name": "a"}, {"kind": "ServiceAccount", "name": "s", "namespace": "n"}]});
        default_binding(&mut binding);
        assert_eq!(binding["roleRef"]["apiGroup"], GROUP);
        assert_eq!(binding["subjects"][0]["apiGroup"], GROUP);
        assert_eq!(check_binding(&binding, None, true), []);
    }

    #[test]
    fn a_rule_is_about_something_and_about_one_sort_of_things() {
        let fields = |role: Value, namespaced| check_role(&role, namespaced).into_iter().map(|cause| cause.field).collect::<Vec<_>>();
        assert_eq!(fields(json!({"rules": [{}]}), true), ["rules[0].apiGroups", "rules[0].resources", "rules[0].verbs"]);
        let paths = json!({"rules": [{"nonResourceURLs": ["/x"], "verbs": ["get"]}]});
        assert_eq!(fields(paths.clone(), true), ["rules[0].nonResourceURLs"]);
        assert_eq!(fields(paths, false), [""; 0]);
        let mixed = json!({"rules": [{"nonResourceURLs": ["/x"], "resources": ["a"], "verbs": ["get"]}]});
        assert_eq!(fields(mixed, false), ["rules[0].nonResourceURLs"]);
        let aggregated = json!({"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a b": "c"}}]}, "rules": null});
        let at = "aggregationRule.clusterRoleSelectors[0]";
        assert_eq!(fields(aggregated, false), [at.to_owned(), format!("{at}.matchLabels")]);
        assert_eq!(fields(json!({"aggregationRule": {}}), false), ["aggregationRule.clusterRoleSelectors"]);
    }

    #[test]
    fn all_faults_are_told_in_order() {
        let binding = json!({"roleRef": {"apiGroup": "x", "kind": "Thing", "name": ""}, "subjects": [{"kind": "Robot", "name": "x"}]});
        let fields: Vec<_> = check_binding(&binding, None, true).into_iter().map(|cause| cause.field).collect();
        assert_eq!(fields, ["roleRef.apiGroup", "roleRef.kind", "roleRef.name", "subjects[0].kind"]);
    }

    #[test]
    fn the_role_cannot_change() {
        let binding = |name: &str| json!({"roleRef": {"apiGroup": GROUP, "kind": "Role", "name": name}});
        let causes = check_binding(&binding("two"), Some(&binding("one")), true);
        assert_eq!(
            causes[0].message,
            r#"Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"two"}: cannot change roleRef"#
        );
    }
}
