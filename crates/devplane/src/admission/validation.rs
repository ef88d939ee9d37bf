//! What policies, their bindings and webhooks must look like.
//! Source: kubernetes `pkg/apis/admissionregistration/validation`.

mod bindings;
mod constraints;
mod mutations;
mod webhooks;

use std::collections::BTreeSet;

use schema::expr::{Environment, Type};
use serde_json::Value;

use crate::blocking;
use crate::definitions::label_fault;
use crate::objects::metadata::{self, Unit};
use crate::status::Cause;

/// The most match conditions of a policy.
const MAX_CONDITIONS: usize = 64;
/// The most variables of a policy: each is compiled with all before it.
const MAX_VARIABLES: usize = 256;
/// The most audit annotations of a policy.
const MAX_ANNOTATIONS: usize = 20;
/// The longest expression of an audit annotation, in bytes.
const MAX_ANNOTATION_BYTES: usize = 5 * 1024;
/// How long all expressions of a policy may be together, in bytes: they are read when it is written, and once more for the first write that
/// it judges.
const MAX_EXPRESSION_BYTES: usize = 256 << 10;
/// Words of CEL that nothing can be named by.
const RESERVED: &str =
    "as break const continue else false for function if import in let loop namespace null package return true var void while";

/// All broken rules of a policy, a binding or webhooks, ordered by field. `plural` is the resource that is written.
pub fn check(plural: &str, object: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let (spec, name) = (&object["spec"], object["metadata"]["name"].as_str().unwrap_or_default());
    if plural.ends_with("webhookconfigurations") {
        webhooks::check(&object["webhooks"], plural.starts_with("mutating"), &mut causes);
        // A rule that is not enforced is refused: whoever relies on it must not find out later.
        if causes.is_empty() && !list(&object["webhooks"]).is_empty() {
            let why = "this development server calls no admission webhooks: write a ValidatingAdmissionPolicy or a MutatingAdmissionPolicy";
            causes.push(Cause::forbidden("webhooks", why));
        }
    } else if plural.ends_with("bindings") {
        bindings::check(spec, plural.starts_with("validating"), &mut causes);
    } else if text_of_expressions(spec) > MAX_EXPRESSION_BYTES {
        causes.push(Cause::invalid_shown("spec", "expressions", &format!("may not have more than {MAX_EXPRESSION_BYTES} bytes together")));
    } else {
        blocking::long(|| policy(spec, name, plural.starts_with("validating"), &mut causes));
    }
    causes.sort_by(|one, other| one.field.cmp(&other.field));
    causes
}

/// How many bytes the expressions of a policy have.
fn text_of_expressions(value: &Value) -> usize {
    let is_expression = |name: &str| name == "expression" || name.ends_with("Expression");
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, inner)| match inner.as_str() {
                Some(text) if is_expression(name) => text.len(),
                _ => text_of_expressions(inner),
            })
            .sum(),
        Value::Array(items) => items.iter().map(text_of_expressions).sum(),
        _ => 0,
    }
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

    /// Makes `variables` an object with these fields.
    fn know_variables(&mut self, known: &[(&str, Type)]) {
        let fields = Type::object(known.iter().map(|(name, kind)| (*name, kind.clone())));
        self.environment = std::mem::take(&mut self.environment).variable("variables", fields);
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
        constraints::check(&spec["matchConstraints"], "spec.matchConstraints", true, causes);
    } else {
        causes.push(Cause::required("spec.matchConstraints", ""));
    }
    let mut compiler = Compiler::new(has_parameters);
    conditions(&spec["matchConditions"], "spec.matchConditions", &compiler, causes);
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
    audit_annotations(&spec["auditAnnotations"], name, &compiler, causes);
}

fn audit_annotations(entries: &Value, name: &str, compiler: &Compiler, causes: &mut Vec<Cause>) {
    let count = list(entries).len();
    if count > MAX_ANNOTATIONS {
        let why = format!("must not have more than {MAX_ANNOTATIONS} auditAnnotations");
        causes.push(Cause::invalid("spec.auditAnnotations", entries, &why));
    }
    let mut keys = BTreeSet::new();
    for (index, entry) in list(entries).iter().enumerate() {
        let at = format!("spec.auditAnnotations[{index}]");
        let (field, own) = (format!("{at}.key"), text(&entry["key"]));
        if name.is_empty() {
            causes.push(Cause::invalid(&field, &own.into(), "requires metadata.name be non-empty"));
        } else {
            let key = format!("{name}/{own}");
            let faults = metadata::qualified_faults(&key);
            causes.extend(faults.iter().map(|fault| Cause::invalid(&field, &key.as_str().into(), fault)));
        }
        if !keys.insert(own) {
            causes.push(Cause::duplicate(&field, own));
        }
        let (at, expression) = (format!("{at}.valueExpression"), text(&entry["valueExpression"]));
        match expression.trim().len() {
            0 => causes.push(Cause::required(&at, "valueExpression is not specified")),
            length if length > MAX_ANNOTATION_BYTES => {
                causes.push(Cause::required(&at, &format!("must not exceed {MAX_ANNOTATION_BYTES} bytes in length")));
            }
            _ => compiler.expect(&at, expression, &[Type::String, Type::Null], causes),
        }
    }
}

fn validation(entry: &Value, at: &str, compiler: &Compiler, causes: &mut Vec<Cause>) {
    let (expression, message) = (text(&entry["expression"]), text(&entry["message"]));
    compiler.expect(&format!("{at}.expression"), expression, &[Type::Bool], causes);
    let computed = text(&entry["messageExpression"]);
    if !computed.is_empty() && computed.trim().is_empty() {
        causes.push(Cause::invalid(&format!("{at}.messageExpression"), &computed.into(), "must be non-empty if specified"));
    } else if !computed.is_empty() {
        compiler.expect(&format!("{at}.messageExpression"), computed, &[Type::String], causes);
    }
    if message.trim().is_empty() && !message.is_empty() {
        causes.push(Cause::invalid(&format!("{at}.message"), &message.into(), "must be non-empty if specified"));
    } else if message.trim().contains('\n') {
        causes.push(Cause::invalid(&format!("{at}.message"), &message.into(), "must not contain line breaks"));
    } else if expression.trim().contains('\n') && message.trim().is_empty() {
        causes.push(Cause::required(&format!("{at}.message"), "message must be specified if expression contains line breaks"));
    }
    one_of(entry, at, "reason", &["Forbidden", "Invalid", "RequestEntityTooLarge"], causes);
}

fn parameter_kind(kind: &Value, causes: &mut Vec<Cause>) {
    let (field, said) = ("spec.paramKind.apiVersion", text(&kind["apiVersion"]));
    let (group, version) = said.split_once('/').unwrap_or(("", said));
    if said.is_empty() {
        causes.push(Cause::required(field, ""));
    } else if version.contains('/') {
        causes.push(Cause::invalid(field, &said.into(), &format!("unexpected GroupVersion string: {said}")));
    } else {
        let faults = if group.is_empty() { Vec::new() } else { metadata::subdomain_faults(group, Unit::Characters) };
        if !faults.is_empty() {
            causes.push(Cause::invalid(field, &group.into(), &faults.join(",")));
        }
        if version.is_empty() {
            causes.push(Cause::invalid(field, &said.into(), "version must be specified"));
        } else if let Some(fault) = label_fault(version) {
            causes.push(Cause::invalid(field, &version.into(), &fault));
        }
    }
    let said = text(&kind["kind"]);
    if said.is_empty() {
        causes.push(Cause::required("spec.paramKind.kind", ""));
    } else if let Some(fault) = label_fault(&said.to_lowercase()) {
        let why = format!("may have mixed case, but should otherwise match: {fault}");
        causes.push(Cause::invalid("spec.paramKind.kind", &said.into(), &why));
    }
}

fn conditions(conditions: &Value, field: &str, compiler: &Compiler, causes: &mut Vec<Cause>) {
    at_most(conditions, MAX_CONDITIONS, field, causes);
    let mut names = BTreeSet::new();
    for (index, condition) in list(conditions).iter().enumerate() {
        let at = format!("{field}[{index}]");
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

/// Each variable knows those before it; of several by one name the last counts.
fn variables(variables: &Value, compiler: &mut Compiler, causes: &mut Vec<Cause>) {
    if list(variables).is_empty() || !at_most(variables, MAX_VARIABLES, "spec.variables", causes) {
        return;
    }
    let mut known: Vec<(&str, Type)> = Vec::new();
    compiler.know_variables(&known);
    for (index, variable) in list(variables).iter().enumerate() {
        let (at, name) = (format!("spec.variables[{index}]"), text(&variable["name"]));
        let field = format!("{at}.name");
        if name.trim().is_empty() {
            causes.push(Cause::required(&field, "name is not specified"));
        } else if !is_identifier(name) {
            causes.push(Cause::invalid(&field, &name.into(), "must be a valid CEL identifier"));
        }
        if let Some(kind) = compiler.kind(&format!("{at}.expression"), text(&variable["expression"]), causes) {
            // Types of types of earlier variables grow with each of them: only simple ones are kept.
            let is_simple = matches!(kind, Type::Null | Type::Bool | Type::Int | Type::UInt | Type::Double | Type::String | Type::Bytes);
            known.push((name, if is_simple { kind } else { Type::Dyn }));
            compiler.know_variables(&known);
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_word = name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit());
    is_word && !RESERVED.split(' ').any(|reserved| reserved == name)
}

/// Whether a list is no longer than that; if it is, this is told.
fn at_most(items: &Value, most: usize, at: &str, causes: &mut Vec<Cause>) -> bool {
    let count = list(items).len();
    if count > most {
        causes.push(Cause::too_many(at, count, most));
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
    use serde_json::json;

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
        let early = json!([{"name": "a", "expression": "variables.b"}, {"name": "b", "expression": "1"}, {"name": "b", "expression": "2"}]);
        let faults = policy(|spec| spec["variables"] = early.clone());
        assert_eq!(faults.len(), 1);
        assert!(faults[0].1.contains("undefined field 'b'"), "{faults:?}");
        let faults = policy(|spec| spec["variables"] = json!([{"name": "if", "expression": "true"}]));
        assert_eq!(faults[0].0, "spec.variables[0].name");
        let faults = policy(|spec| spec["variables"] = json!([{"name": "1a", "expression": "true"}]));
        assert_eq!(faults, [("spec.variables[0].name".into(), "Invalid value: \"1a\": must be a valid CEL identifier".into())]);
    }

    #[test]
    fn a_kind_of_parameters_has_a_group_a_version_and_a_kind() {
        let fields = |version: &str, kind: &str| {
            let faults = policy(|spec| spec["paramKind"] = json!({"apiVersion": version, "kind": kind}));
            faults.into_iter().map(|(field, _)| field.replace("spec.paramKind.", "")).collect::<Vec<_>>()
        };
        assert_eq!(fields("rules.example/v1", "ReplicaLimit"), Vec::<String>::new());
        assert_eq!(fields("a/b/c", "a b"), ["apiVersion", "kind"]);
        assert_eq!(fields("A_B/v1", "X"), ["apiVersion"]);
        assert_eq!(fields("a/", "X"), ["apiVersion"]);
        assert_eq!(fields("", ""), ["apiVersion", "kind"]);
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
}
