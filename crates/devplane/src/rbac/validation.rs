//! What a role binding must look like.

use serde_json::{Value, json};

use super::GROUP;
use crate::status::Cause;

/// Fills in what a binding may leave out: the API groups of the role and of users and groups.
pub fn default_binding(binding: &mut Value) {
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
        causes.push(unsupported("roleRef.apiGroup", &group, &[GROUP]));
    }
    let kinds: &[&str] = if namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    let kind = text(&reference["kind"]);
    if !kinds.contains(&kind.as_str()) {
        causes.push(unsupported("roleRef.kind", &kind, kinds));
    }
    if text(&reference["name"]).is_empty() {
        causes.push(Cause::required("roleRef.name", ""));
    }
    for (index, subject) in binding["subjects"].as_array().into_iter().flatten().enumerate() {
        check_subject(&format!("subjects[{index}]"), subject, &mut causes);
    }
    if old.is_some_and(|old| old["roleRef"] != *reference) {
        let printed = format!(r#"{{"APIGroup":{:?},"Kind":{kind:?},"Name":{:?}}}"#, group, text(&reference["name"]));
        causes.push(Cause {
            reason: "FieldValueInvalid".into(),
            message: format!("Invalid value: {printed}: cannot change roleRef"),
            field: "roleRef".into(),
        });
    }
    causes
}

fn check_subject(at: &str, subject: &Value, causes: &mut Vec<Cause>) {
    let text = |field: &str| subject[field].as_str().unwrap_or_default();
    if text("name").is_empty() {
        causes.push(Cause::required(&format!("{at}.name"), ""));
    }
    match text("kind") {
        "ServiceAccount" if text("namespace").is_empty() => causes.push(Cause::required(&format!("{at}.namespace"), "")),
        "ServiceAccount" if !text("apiGroup").is_empty() => causes.push(unsupported(&format!("{at}.apiGroup"), text("apiGroup"), &[""])),
        "ServiceAccount" => {}
        "User" | "Group" if text("apiGroup") != GROUP => causes.push(unsupported(&format!("{at}.apiGroup"), text("apiGroup"), &[GROUP])),
        "User" | "Group" => {}
        other => causes.push(unsupported(&format!("{at}.kind"), other, &["ServiceAccount", "User", "Group"])),
    }
}

fn unsupported(field: &str, value: &str, supported: &[&str]) -> Cause {
    let supported: Vec<_> = supported.iter().map(|item| format!("{item:?}")).collect();
    Cause {
        reason: "FieldValueNotSupported".into(),
        message: format!("Unsupported value: {value:?}: supported values: {}", supported.join(", ")),
        field: field.into(),
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
