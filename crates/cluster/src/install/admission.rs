//! Admission policies. On kcp they stand in the provider workspace and judge our kinds in every consumer, and nobody there can remove
//! them; on Kubernetes they are the cluster's.

use promise::names;
use serde_json::{Value, json};

use super::Identities;

const STAMP: &str = "requester-stamp.platform.opmodel.dev";
const FROZEN: &str = "requester-frozen.platform.opmodel.dev";
const DECIDER: &str = "decider-stamp.platform.opmodel.dev";
const DECIDED: &str = "approval-frozen.platform.opmodel.dev";
const TAKEN_BACK: &str = "approval-taken-back.platform.opmodel.dev";
const GUARD: &str = "finalizer-guard.platform.opmodel.dev";
const RECORDS: &str = "records-guard.platform.opmodel.dev";

/// What holds on every plane: policies and their bindings.
pub(super) fn policies(identities: &Identities) -> Vec<Value> {
    let mut all = stamp(STAMP, "promiserequests", "requester");
    all.extend(frozen());
    all.extend(stamp(DECIDER, "approvals", "decidedBy"));
    all.extend(decided());
    all.extend(taken_back(&identities.controller));
    all.extend(guard(&identities.controller));
    all
}

/// Writes who creates an object of a kind into a field of its spec, whatever was sent: who asks, or who decides.
fn stamp(name: &str, resource: &str, field: &str) -> Vec<Value> {
    // A JSON patch, because an apply configuration must not touch a list that is replaced as a whole.
    let expression = format!(
        "[JSONPatch{{op: \"add\", path: \"/spec/{field}\", value: Object.spec.{field}{{\
         username: request.userInfo.username, groups: request.userInfo.groups}}}}]"
    );
    vec![
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": name},
            "spec": {
                "failurePolicy": "Fail",
                "reinvocationPolicy": "IfNeeded",
                "matchConstraints": matching(resource, &["CREATE"]),
                "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}],
            },
        }),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": name},
            "spec": {"policyName": name},
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

/// What somebody decided cannot be changed afterwards, by anybody. It can be deleted, and counts no more then.
fn decided() -> Vec<Value> {
    validating(
        DECIDED,
        matching("approvals", &["UPDATE"]),
        "object.spec == oldObject.spec",
        "a decision does not change; create another Approval",
    )
}

/// A decision is taken back by who took it: whoever may decide may not remove what others decided. What is above people, garbage collection
/// and the removal of whole workspaces, goes on.
fn taken_back(controller: &str) -> Vec<Value> {
    let user = quoted(controller);
    let expression = format!(
        "!has(oldObject.spec.decidedBy) || oldObject.spec.decidedBy.username == request.userInfo.username || \
         request.userInfo.username == {user} || \
         (request.userInfo.username.startsWith('system:') && (!request.userInfo.username.startsWith('system:serviceaccount:') || \
         request.userInfo.username.startsWith('system:serviceaccount:kube-system:'))) || \
         (has(request.userInfo.groups) && 'system:masters' in request.userInfo.groups)"
    );
    validating(
        TAKEN_BACK,
        matching("approvals", &["DELETE"]),
        &expression,
        "a decision is taken back by who took it; decide yourself in another Approval",
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
    let user = quoted(controller);
    let expression = format!("request.userInfo.username == {user} || ({} && {})", kept(names::FINALIZER), kept(names::PROMISE_FINALIZER));
    let mut constraints = matching("promiserequests", &["UPDATE"]);
    constraints["resourceRules"][0]["resources"] = json!(["promiserequests", "promises"]);
    validating(
        GUARD,
        constraints,
        &expression,
        "the finalizers of platform.opmodel.dev are removed by the controller when it has cleaned up",
    )
}

/// Status, releases and revisions are the controller's, whatever rights somebody has. On kcp the maximal permission policy says so. Removing
/// releases and revisions is left to the cluster's own controllers, which clean up, and to its superusers.
pub(super) fn records(controller: &str) -> Vec<Value> {
    let user = quoted(controller);
    let expression = format!(
        "request.userInfo.username == {user} || (request.operation == 'DELETE' && (\
         request.userInfo.username.startsWith('system:serviceaccount:kube-system:') || \
         request.userInfo.username == 'system:kube-controller-manager' || \
         (has(request.userInfo.groups) && 'system:masters' in request.userInfo.groups)))"
    );
    let rule = |resources: &[&str], operations: &[&str]| json!({"apiGroups": [names::GROUP], "apiVersions": ["*"], "operations": operations, "resources": resources});
    let constraints = json!({"resourceRules": [
        rule(&["promisereleases", "promiserevisions"], &["CREATE", "UPDATE", "DELETE"]),
        rule(&["promiserequests/status", "promises/status", "policies/status", "destinations/status", "approvals/status"], &["UPDATE"]),
    ]});
    validating(RECORDS, constraints, &expression, "status, releases and revisions are written by the controller alone")
}

/// A text as CEL writes it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
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
