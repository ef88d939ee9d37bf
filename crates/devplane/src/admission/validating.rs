//! ValidatingAdmissionPolicy: what must hold of a write.
//! Source: apiserver `admission/plugin/policy/validating`.

use schema::expr::ExprError;
use serde_json::Value;

use super::evaluate::{Allowance, Values, evaluate};
use super::matching::Write;
use super::{Enforced, enforced, equivalents, is_judged, namespace, parameters, refusal, request, source};
use crate::access::Admission;
use crate::objects::convert;
use crate::request::Operation;
use crate::status::ApiError;
use crate::{ClusterId, State, blocking};

/// Judges a write by all policies that match it; warnings come back.
///
/// # Errors
/// The first refusal, with all warnings.
pub fn validate(state: &State, admission: &Admission<'_>, object: Option<&Value>) -> Result<Vec<String>, ApiError> {
    if !is_judged(admission) {
        return Ok(Vec::new());
    }
    let source = source(state, admission);
    let pairs = enforced(state, &source, "validatingadmissionpolic");
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    blocking::long(|| validate_by(&pairs, &source, state, admission, object))
}

/// Judges a write by these policies of a cluster.
fn validate_by(
    pairs: &[Enforced],
    source: &ClusterId,
    state: &State,
    admission: &Admission<'_>,
    object: Option<&Value>,
) -> Result<Vec<String>, ApiError> {
    let mut warnings = Vec::new();
    let (namespace, equivalents) = (namespace(state, admission), equivalents(state, admission));
    let object = object.filter(|_| admission.operation != Operation::Delete);
    let write = Write { admission, equivalents: &equivalents, object, namespace: &namespace };
    let mut values = Values::new(&state.programs.of(source), namespace.clone(), &Allowance::default());
    let mut refused: Option<ApiError> = None;
    for pair in pairs {
        let (policy, binding) = (&pair.policy["spec"], &pair.binding["spec"]);
        let Some(matched) = write.matched(&policy["matchConstraints"]) else { continue };
        if write.matched(&binding["matchResources"]).is_none() {
            continue;
        }
        let names = format!("'{}' with binding '{}'", text(&pair.policy["metadata"]["name"]), text(&pair.binding["metadata"]["name"]));
        let mut deny = |denial: &Denial| {
            let said = format!("ValidatingAdmissionPolicy {names} denied request: {}", denial.message);
            refused.get_or_insert_with(|| refusal(admission, &denial.reason, &said));
        };
        let parameters = match parameters(state, source, pair, admission) {
            Ok(parameters) => parameters,
            // What cannot be put into force denies, whatever the binding does with those who break the rules.
            Err(why) => {
                if !ignores_failures(policy) {
                    deny(&Denial::misconfigured(why));
                }
                continue;
            }
        };
        let seen =
            |state: Option<&Value>| state.map(|state| convert::between(admission.resource, matched, state.clone())).unwrap_or_default();
        values.set_write(seen(object), seen(admission.old), request(admission, matched));
        let acts = |action: &str| binding["validationActions"].as_array().into_iter().flatten().any(|own| own == action);
        for parameters in parameters {
            values.set_parameters(parameters);
            for denial in judge(pair, &mut values) {
                if acts("Warn") {
                    warnings.push(format!("Validation failed for ValidatingAdmissionPolicy {names}: {}", denial.message));
                }
                if acts("Deny") {
                    deny(&denial);
                }
            }
        }
    }
    match refused {
        Some(refused) => Err(refused.with_warnings(warnings)),
        None => Ok(warnings),
    }
}

/// Why a policy denies.
struct Denial {
    reason: String,
    message: String,
}

impl Denial {
    fn misconfigured(message: String) -> Self {
        Self { reason: "Invalid".into(), message }
    }
}

/// Whether a policy that cannot be evaluated lets the write pass.
pub(super) fn ignores_failures(policy: &Value) -> bool {
    policy["failurePolicy"] == "Ignore"
}

/// Judges by one policy: all broken rules. What cannot be evaluated denies, unless the policy ignores failures.
fn judge(pair: &Enforced, values: &mut Values) -> Vec<Denial> {
    let spec = &pair.policy["spec"];
    let ignores = ignores_failures(spec);
    match conditions_hold(spec, values) {
        Ok(true) => {}
        Ok(false) => return Vec::new(),
        Err(_) if ignores => return Vec::new(),
        Err(message) => return vec![Denial::misconfigured(message)],
    }
    values.define(&spec["variables"]);
    let judged = spec["validations"].as_array().into_iter().flatten().filter_map(|validation| {
        let expression = text(&validation["expression"]);
        match evaluate(expression, values) {
            Ok(Value::Bool(true)) => None,
            Ok(_) => {
                let reason = validation["reason"].as_str().unwrap_or("Invalid").to_owned();
                Some(Denial { reason, message: message(validation, values) })
            }
            Err(_) if ignores => None,
            Err(error) => Some(Denial::misconfigured(failed(expression, &error))),
        }
    });
    judged.collect()
}

fn failed(expression: &str, error: &ExprError) -> String {
    format!("expression '{expression}' resulted in error: {}", error.cause())
}

/// Whether all `matchConditions` hold.
///
/// # Errors
/// The text about one that cannot be evaluated.
pub(super) fn conditions_hold(spec: &Value, values: &Values) -> Result<bool, String> {
    for condition in spec["matchConditions"].as_array().into_iter().flatten() {
        let expression = text(&condition["expression"]);
        match evaluate(expression, values) {
            Ok(Value::Bool(true)) => {}
            Ok(_) => return Ok(false),
            Err(error) => return Err(failed(expression, &error)),
        }
    }
    Ok(true)
}

fn message(validation: &Value, values: &Values) -> String {
    let computed = validation["messageExpression"].as_str().and_then(|expression| match evaluate(expression, values) {
        Ok(Value::String(text)) if !text.trim().is_empty() && !text.contains('\n') => Some(text),
        _ => None,
    });
    let said = || validation["message"].as_str().filter(|said| !said.is_empty()).map(str::to_owned);
    computed.or_else(said).unwrap_or_else(|| format!("failed expression: {}", text(&validation["expression"]).trim()))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
