//! What a policy that mutates must look like beyond what all policies do.
//! Source: kubernetes `pkg/apis/admissionregistration/validation` (`validateMutatingAdmissionPolicySpec`).

use schema::expr::{ExprError, Type};
use serde_json::Value;

use super::{Compiler, list, text};
use crate::admission::literals;
use crate::status::Cause;

/// Operations that may be named: all but a deletion.
const OPERATIONS: [&str; 4] = ["*", "CONNECT", "CREATE", "UPDATE"];

/// Broken rules of the mutations, and when they are made again.
pub(super) fn check(spec: &Value, compiler: &Compiler, causes: &mut Vec<Cause>) {
    operations(&spec["matchConstraints"], "spec.matchConstraints", causes);
    let mutations = list(&spec["mutations"]);
    if mutations.is_empty() {
        causes.push(Cause::required("spec.mutations", "mutations must contain at least one item"));
    }
    for (index, entry) in mutations.iter().enumerate() {
        mutation(entry, &format!("spec.mutations[{index}]"), compiler, causes);
    }
    match text(&spec["reinvocationPolicy"]) {
        "" => causes.push(Cause::required("spec.reinvocationPolicy", "")),
        "IfNeeded" | "Never" => {}
        other => causes.push(Cause::unsupported("spec.reinvocationPolicy", other, &["IfNeeded", "Never"])),
    }
}

/// What is deleted cannot be mutated.
pub(super) fn operations(constraints: &Value, at: &str, causes: &mut Vec<Cause>) {
    let rules = list(&constraints["resourceRules"]).iter();
    for operation in rules.flat_map(|rule| list(&rule["operations"])).map(text).filter(|operation| !OPERATIONS.contains(operation)) {
        causes.push(Cause::unsupported(&format!("{at}.resourceRules.operations"), operation, &OPERATIONS));
    }
}

fn mutation(entry: &Value, at: &str, compiler: &Compiler, causes: &mut Vec<Cause>) {
    let patch_type = text(&entry["patchType"]);
    let (own, other, gives) = match patch_type {
        "" => return causes.push(Cause::required(&format!("{at}.patchType"), "")),
        "JSONPatch" => ("jsonPatch", "applyConfiguration", "list(JSONPatch)"),
        "ApplyConfiguration" => ("applyConfiguration", "jsonPatch", "Object"),
        _ => return causes.push(Cause::unsupported(&format!("{at}.patchType"), patch_type, &["ApplyConfiguration", "JSONPatch"])),
    };
    if entry[own].is_object() {
        expression(text(&entry[own]["expression"]), &format!("{at}.{own}.expression"), gives, compiler, causes);
    } else {
        causes.push(Cause::required(&format!("{at}.{own}"), &format!("must be specified when patchType is {patch_type}")));
    }
    if entry[other].is_object() {
        let why = format!("must not be specified when patchType is {patch_type}");
        causes.push(Cause::invalid(&format!("{at}.{other}"), &format!("{{{other}}}").into(), &why));
    }
}

/// The types of patches are those of the values that literals of them become.
fn expression(written: &str, at: &str, gives: &str, compiler: &Compiler, causes: &mut Vec<Cause>) {
    if written.trim().is_empty() {
        return causes.push(Cause::required(at, ""));
    }
    let mut found = Vec::new();
    let kind = compiler.kind(at, &literals::as_maps(written.trim()), &mut found);
    // What cannot even be read is told of what was written, not of the maps that it would become.
    if !found.is_empty()
        && let Err(error @ ExprError::Syntax { .. }) = compiler.environment.compile(written.trim())
    {
        let why = format!("compilation failed: {}", error.report());
        return causes.push(Cause::invalid(at, &written.trim().into(), &why));
    }
    // What is told is what was written.
    causes.extend(found.into_iter().map(|cause| match cause.message.split_once(": compilation failed") {
        Some((_, why)) => Cause::invalid(at, &written.trim().into(), &format!("compilation failed{why}")),
        None => cause,
    }));
    let fits = match &kind {
        None | Some(Type::Dyn) => true,
        // A list of which nothing is known is none of patches.
        Some(Type::List(items)) => gives.starts_with("list") && (**items != Type::Dyn || written.contains("JSONPatch")),
        Some(Type::Map(..) | Type::Object(_)) => gives == "Object",
        Some(_) => false,
    };
    if let Some(kind) = kind.filter(|_| !fits) {
        causes.push(Cause::invalid(at, &written.trim().into(), &format!("must evaluate to {gives} but got {kind}")));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::check as check_policy;
    use super::*;

    fn faults(change: impl Fn(&mut Value)) -> Vec<(String, String)> {
        let rule = json!({"apiGroups": ["a"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["widgets"]});
        let mutation = json!({"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: 'add', path: '/a', value: 1}]"}});
        let mut spec = json!({"matchConstraints": {"resourceRules": [rule]}, "mutations": [mutation], "reinvocationPolicy": "Never"});
        change(&mut spec);
        let causes = check_policy("mutatingadmissionpolicies", &json!({"metadata": {"name": "p"}, "spec": spec}));
        causes.into_iter().map(|cause| (cause.field, cause.message)).collect()
    }

    #[test]
    fn a_mutating_policy_says_what_it_changes_and_when_again() {
        assert_eq!(faults(|_| ()), []);
        let fields = |change: &dyn Fn(&mut Value)| faults(change).into_iter().map(|(field, _)| field).collect::<Vec<_>>();
        assert_eq!(fields(&|spec| spec["mutations"] = json!([])), ["spec.mutations"]);
        assert_eq!(fields(&|spec| spec["reinvocationPolicy"] = json!("Often")), ["spec.reinvocationPolicy"]);
        assert_eq!(fields(&|spec| spec["mutations"][0]["patchType"] = json!("Frob")), ["spec.mutations[0].patchType"]);
        assert_eq!(
            fields(&|spec| spec["mutations"][0] = json!({"patchType": "ApplyConfiguration", "jsonPatch": {}})),
            ["spec.mutations[0].applyConfiguration", "spec.mutations[0].jsonPatch"]
        );
        let deleting = |spec: &mut Value| spec["matchConstraints"]["resourceRules"][0]["operations"] = json!(["DELETE"]);
        assert_eq!(fields(&deleting), ["spec.matchConstraints.resourceRules.operations"]);
    }

    #[test]
    fn its_expressions_compile_to_patches() {
        let of = |expression: &str| {
            let found = faults(|spec| spec["mutations"][0]["jsonPatch"]["expression"] = json!(expression));
            found.into_iter().map(|(_, message)| message).collect::<Vec<_>>()
        };
        assert_eq!(of(""), ["Required value"]);
        assert_eq!(of("1"), ["Invalid value: \"1\": must evaluate to list(JSONPatch) but got int"]);
        assert!(of("[JSONPatch{")[0].starts_with("Invalid value: \"[JSONPatch{\": compilation failed: "));
    }
}
