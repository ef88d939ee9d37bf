//! Fields of policies, bindings and webhooks that nobody knows: they go, and their paths are told.
//! Source: `k8s.io/api/admissionregistration/v1/types.go`.

use serde_json::Value;

/// A field and those below it; none below where anything goes.
struct Field(&'static str, &'static [Field]);

const fn leaf(name: &'static str) -> Field {
    Field(name, &[])
}

const REQUIREMENT: &[Field] = &[leaf("key"), leaf("operator"), leaf("values")];
const SELECTOR: &[Field] = &[leaf("matchLabels"), Field("matchExpressions", REQUIREMENT)];
const RULE: &[Field] = &[leaf("operations"), leaf("apiGroups"), leaf("apiVersions"), leaf("resources"), leaf("scope")];
const NAMED_RULE: &[Field] =
    &[leaf("resourceNames"), leaf("operations"), leaf("apiGroups"), leaf("apiVersions"), leaf("resources"), leaf("scope")];
const CONSTRAINTS: &[Field] = &[
    Field("namespaceSelector", SELECTOR),
    Field("objectSelector", SELECTOR),
    Field("resourceRules", NAMED_RULE),
    Field("excludeResourceRules", NAMED_RULE),
    leaf("matchPolicy"),
];
const NAMED: &[Field] = &[leaf("name"), leaf("expression")];
const EXPRESSION: &[Field] = &[leaf("expression")];
const PARAMETER_KIND: &[Field] = &[leaf("apiVersion"), leaf("kind")];
const REFERENCE: &[Field] = &[leaf("name"), leaf("namespace"), Field("selector", SELECTOR), leaf("parameterNotFoundAction")];

const VALIDATION: &[Field] = &[leaf("expression"), leaf("message"), leaf("reason"), leaf("messageExpression")];
const ANNOTATION: &[Field] = &[leaf("key"), leaf("valueExpression")];
const MUTATION: &[Field] = &[leaf("patchType"), Field("applyConfiguration", EXPRESSION), Field("jsonPatch", EXPRESSION)];

const VALIDATING: &[Field] = &[
    Field("paramKind", PARAMETER_KIND),
    Field("matchConstraints", CONSTRAINTS),
    Field("validations", VALIDATION),
    leaf("failurePolicy"),
    Field("auditAnnotations", ANNOTATION),
    Field("matchConditions", NAMED),
    Field("variables", NAMED),
];
const MUTATING: &[Field] = &[
    Field("paramKind", PARAMETER_KIND),
    Field("matchConstraints", CONSTRAINTS),
    Field("variables", NAMED),
    Field("mutations", MUTATION),
    leaf("failurePolicy"),
    Field("matchConditions", NAMED),
    leaf("reinvocationPolicy"),
];
const VALIDATING_BINDING: &[Field] =
    &[leaf("policyName"), Field("paramRef", REFERENCE), Field("matchResources", CONSTRAINTS), leaf("validationActions")];
const MUTATING_BINDING: &[Field] = &[leaf("policyName"), Field("paramRef", REFERENCE), Field("matchResources", CONSTRAINTS)];
const SERVICE: &[Field] = &[leaf("namespace"), leaf("name"), leaf("path"), leaf("port")];
const CLIENT: &[Field] = &[leaf("url"), Field("service", SERVICE), leaf("caBundle")];
const MUTATING_WEBHOOK: &[Field] = &[
    leaf("name"),
    Field("clientConfig", CLIENT),
    Field("rules", RULE),
    leaf("failurePolicy"),
    leaf("matchPolicy"),
    Field("namespaceSelector", SELECTOR),
    Field("objectSelector", SELECTOR),
    leaf("sideEffects"),
    leaf("timeoutSeconds"),
    leaf("admissionReviewVersions"),
    Field("matchConditions", NAMED),
    leaf("reinvocationPolicy"),
];
/// All but the last field.
const VALIDATING_WEBHOOK: &[Field] = match MUTATING_WEBHOOK {
    [shared @ .., _] => shared,
    [] => &[],
};

/// Drops what an object of this resource does not have; the answer is the paths, `spec.validations[0].frob`.
pub fn prune(plural: &str, object: &mut Value) -> Vec<String> {
    let (part, fields) = match plural {
        "validatingadmissionpolicies" => ("spec", VALIDATING),
        "mutatingadmissionpolicies" => ("spec", MUTATING),
        "validatingadmissionpolicybindings" => ("spec", VALIDATING_BINDING),
        "mutatingadmissionpolicybindings" => ("spec", MUTATING_BINDING),
        "validatingwebhookconfigurations" => ("webhooks", VALIDATING_WEBHOOK),
        "mutatingwebhookconfigurations" => ("webhooks", MUTATING_WEBHOOK),
        _ => return Vec::new(),
    };
    let mut unknown = Vec::new();
    if let Some(value) = object.get_mut(part) {
        keep(value, fields, part, &mut unknown);
    }
    unknown
}

/// Keeps these fields alone, of an object or of each item of a list.
fn keep(value: &mut Value, fields: &[Field], at: &str, unknown: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                keep(item, fields, &format!("{at}[{index}]"), unknown);
            }
        }
        Value::Object(found) => {
            found.retain(|name, _| {
                let keeps = fields.iter().any(|Field(known, _)| known == name);
                if !keeps {
                    unknown.push(format!("{at}.{name}"));
                }
                keeps
            });
            for Field(name, below) in fields.iter().filter(|Field(_, below)| !below.is_empty()) {
                if let Some(inner) = found.get_mut(*name) {
                    keep(inner, below, &format!("{at}.{name}"), unknown);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_go_at_any_depth() {
        let rule = json!({"apiGroups": ["a"], "frob": 1});
        let mut policy = json!({"spec": {"frob": 1, "matchConstraints": {"resourceRules": [rule]}, "variables": [{"name": "a", "x": 1}]}});
        let told = prune("validatingadmissionpolicies", &mut policy);
        assert_eq!(told, ["spec.frob", "spec.matchConstraints.resourceRules[0].frob", "spec.variables[0].x"]);
        let kept = json!({"spec": {"matchConstraints": {"resourceRules": [{"apiGroups": ["a"]}]}, "variables": [{"name": "a"}]}});
        assert_eq!(policy, kept);
        let mut webhooks = json!({"webhooks": [{"name": "a", "reinvocationPolicy": "Never"}]});
        assert_eq!(prune("validatingwebhookconfigurations", &mut webhooks), ["webhooks[0].reinvocationPolicy"]);
    }
}
