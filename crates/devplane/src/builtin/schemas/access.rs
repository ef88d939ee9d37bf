//! Roles, admission policies and definitions of custom resources.

use serde_json::Value;

use super::{
    Row, open,
    shapes::{atomic, conditions, extended, keyed, kind, list, object, selector, set, text, texts},
};

const RBAC: &str = "rbac.authorization.k8s.io";
const ADMISSION: &str = "admissionregistration.k8s.io";

pub(super) const KINDS: &[Row] = &[
    (RBAC, "ClusterRole", || object([("rules", list(rule())), ("aggregationRule", object([("clusterRoleSelectors", list(selector()))]))])),
    (RBAC, "Role", || object([("rules", list(rule()))])),
    (RBAC, "ClusterRoleBinding", binding),
    (RBAC, "RoleBinding", binding),
    (ADMISSION, "MutatingAdmissionPolicy", policy),
    (ADMISSION, "MutatingAdmissionPolicyBinding", || object([("spec", open())])),
    (ADMISSION, "MutatingWebhookConfiguration", webhooks),
    (ADMISSION, "ValidatingAdmissionPolicy", policy),
    (ADMISSION, "ValidatingAdmissionPolicyBinding", || object([("spec", extended(open(), [("validationActions", set(text()))]))])),
    (ADMISSION, "ValidatingWebhookConfiguration", webhooks),
    ("apiextensions.k8s.io", "CustomResourceDefinition", || {
        let names = object([
            ("plural", text()),
            ("singular", text()),
            ("kind", text()),
            ("listKind", text()),
            ("shortNames", texts()),
            ("categories", texts()),
        ]);
        let spec = extended(open(), [("group", text()), ("names", names.clone()), ("scope", text()), ("versions", list(open()))]);
        let status = object([("conditions", conditions()), ("acceptedNames", names), ("storedVersions", texts())]);
        kind(spec, extended(status, [("observedGeneration", super::shapes::long())]))
    }),
];

fn rule() -> Value {
    object([("apiGroups", texts()), ("nonResourceURLs", texts()), ("resourceNames", texts()), ("resources", texts()), ("verbs", texts())])
}

fn binding() -> Value {
    let subject = atomic(object([("apiGroup", text()), ("kind", text()), ("name", text()), ("namespace", text())]));
    let role = atomic(object([("apiGroup", text()), ("kind", text()), ("name", text())]));
    object([("roleRef", role), ("subjects", list(subject))])
}

fn policy() -> Value {
    let named = |name: &str| keyed(&[name], extended(open(), [(name, text())]));
    let spec = extended(
        open(),
        [("matchConditions", named("name")), ("variables", named("name")), ("validations", list(open())), ("mutations", list(open()))],
    );
    object([("spec", spec), ("status", extended(open(), [("conditions", conditions())]))])
}

fn webhooks() -> Value {
    object([("webhooks", keyed(&["name"], extended(open(), [("name", text())])))])
}
