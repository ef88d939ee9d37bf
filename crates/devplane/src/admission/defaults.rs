//! What a policy, its binding or a webhook may leave out.
//! Source: kubernetes `pkg/apis/admissionregistration/v1/defaults.go`.

use serde_json::{Value, json};

/// Fills in selectors, scopes and the failure policy. `plural` is the resource that is written.
pub fn fill(plural: &str, object: &mut Value) {
    if plural.ends_with("webhookconfigurations") {
        for webhook in object.get_mut("webhooks").and_then(Value::as_array_mut).into_iter().flatten() {
            fill_webhook(webhook, plural.starts_with("mutating"));
        }
        return;
    }
    let Some(spec) = object.get_mut("spec").filter(|spec| spec.is_object()) else { return };
    if plural.ends_with("bindings") {
        if spec["matchResources"].is_object() {
            fill_constraints(&mut spec["matchResources"]);
        }
        return;
    }
    if spec["matchConstraints"].is_object() {
        fill_constraints(&mut spec["matchConstraints"]);
    }
    set(spec, "failurePolicy", json!("Fail"));
    if plural == "validatingadmissionpolicies" {
        set(object, "status", json!({}));
    }
}

fn fill_webhook(webhook: &mut Value, mutating: bool) {
    set(webhook, "failurePolicy", json!("Fail"));
    set(webhook, "matchPolicy", json!("Equivalent"));
    set(webhook, "namespaceSelector", json!({}));
    set(webhook, "objectSelector", json!({}));
    set(webhook, "timeoutSeconds", json!(10));
    if mutating {
        set(webhook, "reinvocationPolicy", json!("Never"));
    }
    if let Some(service) = webhook.pointer_mut("/clientConfig/service") {
        set(service, "port", json!(443));
    }
    for rule in webhook.get_mut("rules").and_then(Value::as_array_mut).into_iter().flatten() {
        set(rule, "scope", json!("*"));
    }
}

fn fill_constraints(constraints: &mut Value) {
    set(constraints, "namespaceSelector", json!({}));
    set(constraints, "objectSelector", json!({}));
    set(constraints, "matchPolicy", json!("Equivalent"));
    for field in ["resourceRules", "excludeResourceRules"] {
        for rule in constraints.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten() {
            set(rule, "scope", json!("*"));
        }
    }
}

fn set(object: &mut Value, field: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        let current = fields.entry(field).or_insert(Value::Null);
        if current.is_null() {
            *current = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_completed() {
        let mut policy = json!({"spec": {"matchConstraints": {"resourceRules": [{"resources": ["a"]}]}, "failurePolicy": "Ignore"}});
        fill("validatingadmissionpolicies", &mut policy);
        assert_eq!(policy["spec"]["failurePolicy"], "Ignore");
        assert_eq!(policy["spec"]["matchConstraints"]["resourceRules"][0]["scope"], "*");
        assert_eq!(policy["spec"]["matchConstraints"]["matchPolicy"], "Equivalent");
        assert_eq!(policy["status"], json!({}));
    }

    #[test]
    fn a_webhook_is_completed() {
        let mut hooks = json!({"webhooks": [{"clientConfig": {"service": {"name": "s"}}, "rules": [{}]}]});
        fill("mutatingwebhookconfigurations", &mut hooks);
        let webhook = &hooks["webhooks"][0];
        assert_eq!((&webhook["timeoutSeconds"], &webhook["reinvocationPolicy"]), (&json!(10), &json!("Never")));
        assert_eq!((&webhook["clientConfig"]["service"]["port"], &webhook["rules"][0]["scope"]), (&json!(443), &json!("*")));
    }

    #[test]
    fn a_binding_without_constraints_stays_without() {
        let mut binding = json!({"spec": {"policyName": "p"}});
        fill("validatingadmissionpolicybindings", &mut binding);
        assert_eq!(binding, json!({"spec": {"policyName": "p"}}));
    }
}
