//! What the binding of a policy must look like.
//! Source: kubernetes `pkg/apis/admissionregistration/validation` (`validateValidatingAdmissionPolicyBindingSpec`, `validateParamRef`).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{constraints, list, mutations, one_of, text};
use crate::{
    objects::metadata::{self, Unit},
    registry::NameRule,
    selectors,
    status::Cause,
};

/// Broken rules of the binding of a policy.
pub(super) fn check(spec: &Value, validating: bool, causes: &mut Vec<Cause>) {
    let name = text(&spec["policyName"]);
    if name.is_empty() {
        causes.push(Cause::required("spec.policyName", ""));
    } else {
        let faults = metadata::subdomain_faults(name, Unit::Characters);
        causes.extend(faults.iter().map(|fault| Cause::invalid("spec.policyName", &name.into(), fault)));
    }
    if spec["paramRef"].is_object() {
        parameter_reference(&spec["paramRef"], causes);
    }
    if spec["matchResources"].is_object() {
        constraints::check(&spec["matchResources"], "spec.matchResources", false, causes);
    }
    if validating {
        actions(&spec["validationActions"], causes);
    } else {
        mutations::operations(&spec["matchResources"], "spec.matchResources", causes);
    }
}

/// Which objects are the parameters of the policy.
fn parameter_reference(reference: &Value, causes: &mut Vec<Cause>) {
    let (named, selects) = (!text(&reference["name"]).is_empty(), !reference["selector"].is_null());
    let faults = metadata::name_faults(NameRule::PathSegment, text(&reference["name"]));
    causes.extend(faults.iter().map(|fault| Cause::invalid("spec.paramRef.name", &reference["name"], fault)));
    match (named, selects) {
        (true, true) => {
            for field in ["name", "selector"] {
                causes.push(Cause::forbidden(&format!("spec.paramRef.{field}"), "name and selector are mutually exclusive"));
            }
        }
        (false, false) => causes.push(Cause::required("spec.paramRef", "one of name or selector must be specified")),
        _ => {}
    }
    causes.extend(selectors::faults(&reference["selector"], "spec.paramRef.selector"));
    if text(&reference["parameterNotFoundAction"]).is_empty() {
        causes.push(Cause::required("spec.paramRef.parameterNotFoundAction", ""));
    }
    one_of(reference, "spec.paramRef", "parameterNotFoundAction", &["Deny", "Allow"], causes);
}

/// What is done about objects that break the policy.
fn actions(actions: &Value, causes: &mut Vec<Cause>) {
    let given: Vec<&str> = list(actions).iter().map(text).collect();
    if given.is_empty() {
        causes.push(Cause::required("spec.validationActions", "at least one validation action is required"));
    }
    let mut seen = BTreeSet::new();
    for (index, action) in given.iter().enumerate() {
        let at = format!("spec.validationActions[{index}]");
        if !["Audit", "Deny", "Warn"].contains(action) {
            causes.push(Cause::unsupported(&at, action, &["Audit", "Deny", "Warn"]));
        }
        if !seen.insert(action) {
            causes.push(Cause::duplicate(&at, action));
        }
    }
    if given.contains(&"Deny") && given.contains(&"Warn") {
        let why = "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
        causes.push(Cause::invalid("spec.validationActions", &json!(["Deny", "Warn"]), why));
    }
}

#[cfg(test)]
mod tests {
    use super::super::check as check_binding;
    use super::*;

    #[test]
    fn a_binding_does_one_thing_with_one_kind_of_parameters() {
        let faults =
            |spec: Value| check_binding("validatingadmissionpolicybindings", &json!({"spec": spec})).into_iter().map(|cause| cause.field);
        let wanted = ["spec.paramRef.name", "spec.paramRef.selector", "spec.validationActions"];
        let reference = json!({"name": "x", "selector": {}, "parameterNotFoundAction": "Deny"});
        let spec = json!({"policyName": "p", "validationActions": ["Deny", "Warn"], "paramRef": reference});
        assert_eq!(faults(spec).collect::<Vec<_>>(), wanted);
        assert_eq!(faults(json!({"policyName": "p", "validationActions": ["Audit", "Deny"]})).count(), 0);
    }
}
