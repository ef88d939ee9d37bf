//! What a policy and its binding must look like (`pkg/apis/admissionregistration/validation`).

mod mutations;

use std::collections::BTreeSet;

use schema::expr::{Environment, Type};
use serde_json::{Value, json};

use crate::objects::metadata::{self, Unit};
use crate::selectors;
use crate::status::Cause;

/// The most match conditions of a policy.
const MAX_CONDITIONS: usize = 64;
/// The most variables of a policy: each is compiled with all before it.
const MAX_VARIABLES: usize = 256;

/// All broken rules of a policy or binding, ordered by field. `plural` is the resource that is written.
pub fn check(plural: &str, object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let (spec, name) = (&object["spec"], object["metadata"]["name"].as_str().unwrap_or_default());
    if plural.ends_with("bindings") {
        binding(spec, plural.starts_with("validating"), &mut causes);
    } else {
        policy(spec, name, plural.starts_with("validating"), &mut causes);
    }
    causes.sort_by(|one, other| one.field.cmp(&other.field));
    causes
}

/// What a policy's expressions know, and what they must give.
struct Compiler {
    environment: Environment,
}

impl Compiler {
    fn new(has_parameters: bool) -> Self {
        let names = ["object", "oldObject", "request", "namespaceObject"];
        let known = names.into_iter().chain(has_parameters.then_some("params"));
        Self { environment: known.fold(Environment::new(), |environment, name| environment.variable(name, Type::Dyn)) }
    }

    /// The type of an expression; what is wrong with it is told at `at`.
    fn kind(&self, at: &str, expression: &str, causes: &mut Vec<Cause>) -> Option<Type> {
        if expression.trim().is_empty() {
            causes.push(Cause::required(at, "expression is not specified"));
            return None;
        }
        match self.environment.compile(expression) {
            Ok(program) => Some(program.kind().clone()),
            Err(error) => {
                causes.push(Cause::invalid(at, &expression.into(), &format!("compilation failed: {}", error.report())));
                None
            }
        }
    }

    /// An expression that must give one of these types.
    fn expect(&self, at: &str, expression: &str, wanted: &[Type], causes: &mut Vec<Cause>) {
        let Some(kind) = self.kind(at, expression, causes) else { return };
        if kind == Type::Dyn || wanted.contains(&kind) {
            return;
        }
        let names: Vec<String> =
            wanted.iter().map(|kind| if *kind == Type::Null { "null_type".into() } else { kind.to_string() }).collect();
        let wanted = if let [one] = names.as_slice() { one.clone() } else { format!("one of [{}]", names.join(" ")) };
        causes.push(Cause::invalid(at, &expression.into(), &format!("must evaluate to {wanted} but got {kind}")));
    }
}

fn policy(spec: &Value, name: &str, validating: bool, causes: &mut Vec<Cause>) {
    one_of(spec, "spec", "failurePolicy", &["Fail", "Ignore"], causes);
    let has_parameters = spec["paramKind"].is_object();
    if has_parameters {
        parameter_kind(&spec["paramKind"], causes);
    }
    if spec["matchConstraints"].is_object() {
        constraints(&spec["matchConstraints"], "spec.matchConstraints", true, causes);
    } else {
        causes.push(Cause::required("spec.matchConstraints", ""));
    }
    let mut compiler = Compiler::new(has_parameters);
    conditions(&spec["matchConditions"], &compiler, causes);
    variables(&spec["variables"], &mut compiler, causes);
    if !validating {
        return mutations::check(spec, &compiler, causes);
    }
    let (validations, annotations) = (list(&spec["validations"]), list(&spec["auditAnnotations"]));
    if validations.is_empty() && annotations.is_empty() {
        for field in ["spec.validations", "spec.auditAnnotations"] {
            causes.push(Cause::required(field, "validations or auditAnnotations must contain at least one item"));
        }
    }
    for (index, entry) in validations.iter().enumerate() {
        validation(entry, &format!("spec.validations[{index}]"), &compiler, causes);
    }
    for (index, entry) in annotations.iter().enumerate() {
        let at = format!("spec.auditAnnotations[{index}]");
        let key = format!("{name}/{}", text(&entry["key"]));
        let faults = metadata::qualified_faults(&key);
        causes.extend(faults.iter().map(|fault| Cause::invalid(&format!("{at}.key"), &key.as_str().into(), fault)));
        if text(&entry["valueExpression"]).trim().is_empty() {
            causes.push(Cause::required(&format!("{at}.valueExpression"), "valueExpression is not specified"));
            continue;
        }
        compiler.expect(&format!("{at}.valueExpression"), text(&entry["valueExpression"]), &[Type::String, Type::Null], causes);
    }
}

fn validation(entry: &Value, at: &str, compiler: &Compiler, causes: &mut Vec<Cause>) {
    let (expression, message) = (text(&entry["expression"]), text(&entry["message"]));
    compiler.expect(&format!("{at}.expression"), expression, &[Type::Bool], causes);
    let computed = entry["messageExpression"].as_str();
    if let Some(computed) = computed {
        compiler.expect(&format!("{at}.messageExpression"), computed, &[Type::String], causes);
    }
    if message.trim().is_empty() && !message.is_empty() {
        causes.push(Cause::invalid(&format!("{at}.message"), &message.into(), "must be non-empty if specified"));
    } else if message.trim().contains('\n') {
        causes.push(Cause::invalid(&format!("{at}.message"), &message.into(), "must not contain line breaks"));
    } else if expression.trim().contains('\n') && message.trim().is_empty() && computed.is_none() {
        causes.push(Cause::required(&format!("{at}.message"), "message must be specified if expression contains line breaks"));
    }
    one_of(entry, at, "reason", &["Forbidden", "Invalid", "RequestEntityTooLarge"], causes);
}

fn parameter_kind(kind: &Value, causes: &mut Vec<Cause>) {
    match text(&kind["apiVersion"]) {
        "" => causes.push(Cause::required("spec.paramKind.apiVersion", "")),
        version if version.matches('/').count() > 1 => {
            let why = format!("unexpected GroupVersion string: {version}");
            causes.push(Cause::invalid("spec.paramKind.apiVersion", &version.into(), &why));
        }
        _ => {}
    }
    if text(&kind["kind"]).is_empty() {
        causes.push(Cause::required("spec.paramKind.kind", ""));
    }
}

fn conditions(conditions: &Value, compiler: &Compiler, causes: &mut Vec<Cause>) {
    at_most(conditions, MAX_CONDITIONS, "spec.matchConditions", causes);
    let mut names = BTreeSet::new();
    for (index, condition) in list(conditions).iter().enumerate() {
        let at = format!("spec.matchConditions[{index}]");
        let (name, expression) = (text(&condition["name"]), text(&condition["expression"]));
        if expression.trim().is_empty() {
            causes.push(Cause::required(&format!("{at}.expression"), ""));
        } else {
            compiler.expect(&format!("{at}.expression"), expression, &[Type::Bool], causes);
        }
        let field = format!("{at}.name");
        if name.is_empty() {
            causes.push(Cause::required(&field, ""));
        } else {
            causes.extend(metadata::qualified_faults(name).iter().map(|fault| Cause::invalid(&field, &name.into(), fault)));
        }
        if !name.is_empty() && !names.insert(name) {
            causes.push(Cause::duplicate(&field, name));
        }
    }
}

/// Each variable knows those before it.
fn variables(variables: &Value, compiler: &mut Compiler, causes: &mut Vec<Cause>) {
    if !at_most(variables, MAX_VARIABLES, "spec.variables", causes) {
        return;
    }
    let mut known: Vec<(&str, Type)> = Vec::new();
    for (index, variable) in list(variables).iter().enumerate() {
        let (at, name) = (format!("spec.variables[{index}]"), text(&variable["name"]));
        let field = format!("{at}.name");
        let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
        if name.is_empty() {
            causes.push(Cause::required(&field, "name is not specified"));
        } else if !name.starts_with(is_start) || !name.chars().all(|c| is_start(c) || c.is_ascii_digit()) {
            causes.push(Cause::invalid(&field, &name.into(), "must be a valid CEL identifier"));
        } else if known.iter().any(|(own, _)| *own == name) {
            causes.push(Cause::duplicate(&field, name));
        }
        if let Some(kind) = compiler.kind(&format!("{at}.expression"), text(&variable["expression"]), causes) {
            // Types of types of earlier variables grow with each of them: only simple ones are kept.
            let is_simple = matches!(kind, Type::Null | Type::Bool | Type::Int | Type::UInt | Type::Double | Type::String | Type::Bytes);
            known.push((name, if is_simple { kind } else { Type::Dyn }));
            let fields = Type::object(known.iter().map(|(name, kind)| (*name, kind.clone())));
            compiler.environment = std::mem::take(&mut compiler.environment).variable("variables", fields);
        }
    }
}

fn binding(spec: &Value, validating: bool, causes: &mut Vec<Cause>) {
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
        constraints(&spec["matchResources"], "spec.matchResources", false, causes);
    }
    if validating {
        actions(&spec["validationActions"], causes);
    } else {
        mutations::operations(&spec["matchResources"], "spec.matchResources", causes);
    }
}

fn parameter_reference(reference: &Value, causes: &mut Vec<Cause>) {
    let (named, selects) = (!text(&reference["name"]).is_empty(), !reference["selector"].is_null());
    match (named, selects) {
        (true, true) => {
            for field in ["name", "selector"] {
                causes.push(Cause::forbidden(&format!("spec.paramRef.{field}"), "name and selector are mutually exclusive"));
            }
        }
        (false, false) => causes.push(Cause::required("spec.paramRef", "one of name or selector must be specified")),
        _ => causes.extend(selectors::faults(&reference["selector"], "spec.paramRef.selector")),
    }
    if text(&reference["parameterNotFoundAction"]).is_empty() {
        causes.push(Cause::required("spec.paramRef.parameterNotFoundAction", ""));
    }
    one_of(reference, "spec.paramRef", "parameterNotFoundAction", &["Deny", "Allow"], causes);
}

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

fn constraints(constraints: &Value, at: &str, wants_rules: bool, causes: &mut Vec<Cause>) {
    one_of(constraints, at, "matchPolicy", &["Equivalent", "Exact"], causes);
    for selector in ["namespaceSelector", "objectSelector"] {
        causes.extend(selectors::faults(&constraints[selector], &format!("{at}.{selector}")));
    }
    if wants_rules && list(&constraints["resourceRules"]).is_empty() {
        causes.push(Cause::required(&format!("{at}.resourceRules"), ""));
    }
    for field in ["resourceRules", "excludeResourceRules"] {
        for (index, one) in list(&constraints[field]).iter().enumerate() {
            rule(one, &format!("{at}.{field}[{index}]"), causes);
        }
    }
}

fn rule(rule: &Value, at: &str, causes: &mut Vec<Cause>) {
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
    let resources = list(&rule["resources"]);
    if resources.is_empty() {
        causes.push(Cause::required(&format!("{at}.resources"), ""));
    }
    let whole = resources.iter().filter(|resource| !text(resource).contains('/')).count();
    let faults = [
        ("*/*", resources.len() > 1, "if '*/*' is present, must not specify other resources"),
        ("*", whole > 1, "if '*' is present, must not specify other resources without subresources"),
    ];
    for (wildcard, crowded, why) in faults {
        if crowded && resources.iter().any(|resource| resource == wildcard) {
            causes.push(Cause::invalid(&format!("{at}.resources"), &rule["resources"], why));
        }
    }
    one_of(rule, at, "scope", &["*", "Cluster", "Namespaced"], causes);
    let mut seen = BTreeSet::new();
    for (index, name) in list(&rule["resourceNames"]).iter().map(text).enumerate() {
        if !seen.insert(name) {
            causes.push(Cause::duplicate(&format!("{at}.resourceNames[{index}]"), name));
        }
    }
}

/// Whether a list is no longer than that; if it is, this is told.
fn at_most(items: &Value, most: usize, at: &str, causes: &mut Vec<Cause>) -> bool {
    let count = list(items).len();
    if count > most {
        let message = format!("Too many: {count}: must have at most {most} items");
        causes.push(Cause { reason: "FieldValueTooMany".into(), message, field: at.into() });
    }
    count <= most
}

/// A field that may be absent, else must have one of these values.
fn one_of(object: &Value, at: &str, field: &str, supported: &[&str], causes: &mut Vec<Cause>) {
    if let Some(said) = object[field].as_str().filter(|said| !said.is_empty() && !supported.contains(said)) {
        causes.push(Cause::unsupported(&format!("{at}.{field}"), said, supported));
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(change: impl Fn(&mut Value)) -> Vec<(String, String)> {
        let rule = json!({"apiGroups": ["a"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["widgets"]});
        let mut policy = json!({"metadata": {"name": "p"}, "spec": {
            "matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "object.a == 1"}],
        }});
        change(&mut policy["spec"]);
        check("validatingadmissionpolicies", &policy).into_iter().map(|cause| (cause.field, cause.message)).collect()
    }

    #[test]
    fn a_fine_policy_has_no_faults() {
        assert_eq!(policy(|_| ()), []);
        let with_all = |spec: &mut Value| {
            spec["paramKind"] = json!({"apiVersion": "v1", "kind": "ConfigMap"});
            spec["variables"] = json!([{"name": "a", "expression": "params.x"}, {"name": "b", "expression": "variables.a"}]);
            spec["matchConditions"] = json!([{"name": "not-bob", "expression": "request.userInfo.username != 'bob'"}]);
            spec["validations"][0]["messageExpression"] = json!("'a' + variables.b");
        };
        assert_eq!(policy(with_all), []);
    }

    #[test]
    fn expressions_must_compile_and_have_the_right_type() {
        let message = |expression: &str| policy(|spec| spec["validations"][0]["expression"] = json!(expression)).remove(0).1;
        assert_eq!(message(" "), "Required value: expression is not specified");
        assert_eq!(message("1"), "Invalid value: \"1\": must evaluate to bool but got int");
        assert!(message("params.x == 1").contains("undeclared reference to 'params'"));
        assert!(message("variables.x == 1").contains("undeclared reference to 'variables'"));
        let faults = policy(|spec| spec["variables"] = json!([{"name": "1a", "expression": "true"}]));
        assert_eq!(faults, [("spec.variables[0].name".into(), "Invalid value: \"1a\": must be a valid CEL identifier".into())]);
    }

    #[test]
    fn lists_have_an_end() {
        let variables = |count: usize| (0..count).map(|i| json!({"name": format!("v{i}"), "expression": "{'a': variables}"})).skip(1);
        let many = |count: usize| {
            let first = json!({"name": "v0", "expression": "{'a': object}"});
            let all: Vec<Value> = std::iter::once(first).chain(variables(count)).collect();
            policy(|spec| spec["variables"] = json!(all))
        };
        assert_eq!(many(256), []);
        assert_eq!(many(257), [("spec.variables".into(), "Too many: 257: must have at most 256 items".into())]);
        let conditions: Vec<Value> = (0..65).map(|i| json!({"name": format!("c{i}"), "expression": "true"})).collect();
        let faults = policy(|spec| spec["matchConditions"] = json!(conditions));
        assert_eq!(faults, [("spec.matchConditions".into(), "Too many: 65: must have at most 64 items".into())]);
    }

    #[test]
    fn faults_are_told_in_the_order_of_their_fields() {
        let faults = check("validatingadmissionpolicies", &json!({"metadata": {"name": "p"}}));
        let fields: Vec<&str> = faults.iter().map(|cause| cause.field.as_str()).collect();
        assert_eq!(fields, ["spec.auditAnnotations", "spec.matchConstraints", "spec.validations"]);
    }

    #[test]
    fn a_binding_does_one_thing_with_one_kind_of_parameters() {
        let faults = |spec: Value| check("validatingadmissionpolicybindings", &json!({"spec": spec})).into_iter().map(|cause| cause.field);
        let wanted = ["spec.paramRef.name", "spec.paramRef.selector", "spec.validationActions"];
        let reference = json!({"name": "x", "selector": {}, "parameterNotFoundAction": "Deny"});
        let spec = json!({"policyName": "p", "validationActions": ["Deny", "Warn"], "paramRef": reference});
        assert_eq!(faults(spec).collect::<Vec<_>>(), wanted);
        assert_eq!(faults(json!({"policyName": "p", "validationActions": ["Audit", "Deny"]})).count(), 0);
    }
}
