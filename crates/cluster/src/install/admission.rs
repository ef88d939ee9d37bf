//! Admission policies of the provider workspace; they judge our kinds in every consumer, and nobody there can remove them.

use promise::names;
use serde_json::{Value, json};

use super::Identities;

const STAMP: &str = "requester-stamp.platform.opmodel.dev";
const FROZEN: &str = "requester-frozen.platform.opmodel.dev";
const GUARD: &str = "finalizer-guard.platform.opmodel.dev";

/// All policies and their bindings.
pub(super) fn policies(identities: &Identities) -> Vec<Value> {
    let mut all = stamp();
    all.extend(frozen());
    all.extend(guard(&identities.controller));
    all
}

/// Writes who asks into a new request, whatever was sent.
fn stamp() -> Vec<Value> {
    // A JSON patch, because an apply configuration must not touch a list that is replaced as a whole.
    let expression = "[JSONPatch{op: \"add\", path: \"/spec/requester\", value: Object.spec.requester{\
                      username: request.userInfo.username, groups: request.userInfo.groups}}]";
    vec![
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": STAMP},
            "spec": {
                "failurePolicy": "Fail",
                "reinvocationPolicy": "IfNeeded",
                "matchConstraints": matching("promiserequests", &["CREATE"]),
                "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}],
            },
        }),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": STAMP},
            "spec": {"policyName": STAMP},
        }),
    ]
}

/// Who asked cannot be changed afterwards.
fn frozen() -> Vec<Value> {
    let expression = "has(object.spec.requester) == has(oldObject.spec.requester) && \
                      (!has(object.spec.requester) || object.spec.requester == oldObject.spec.requester)";
    validating(
        FROZEN,
        matching("promiserequests", &["UPDATE"]),
        expression,
        "spec.requester was written when the request was created and cannot change; leave it out",
    )
}

/// Only the controller removes the finalizers by which it cleans up.
fn guard(controller: &str) -> Vec<Value> {
    let kept = |finalizer: &str| {
        format!(
            "(!has(oldObject.metadata.finalizers) || !('{finalizer}' in oldObject.metadata.finalizers) || \
             (has(object.metadata.finalizers) && '{finalizer}' in object.metadata.finalizers))"
        )
    };
    let user = controller.replace('\\', "\\\\").replace('\'', "\\'");
    let expression = format!("request.userInfo.username == '{user}' || ({} && {})", kept(names::FINALIZER), kept(names::PROMISE_FINALIZER));
    let mut constraints = matching("promiserequests", &["UPDATE"]);
    constraints["resourceRules"][0]["resources"] = json!(["promiserequests", "promises"]);
    validating(
        GUARD,
        constraints,
        &expression,
        "the finalizers of platform.opmodel.dev are removed by the controller when it has cleaned up",
    )
}

fn validating(name: &str, constraints: Value, expression: &str, message: &str) -> Vec<Value> {
    vec![
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
            "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": constraints,
                "validations": [{"expression": expression, "message": message}],
            },
        }),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name},
            "spec": {"policyName": name, "validationActions": ["Deny"]},
        }),
    ]
}

fn matching(resource: &str, operations: &[&str]) -> Value {
    json!({"resourceRules": [{
        "apiGroups": [names::GROUP], "apiVersions": ["*"], "operations": operations, "resources": [resource],
    }]})
}
