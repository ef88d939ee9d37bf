//! ValidatingAdmissionPolicy: what must hold of a write.

use serde_json::{Value, json};

use super::evaluate::{Values, evaluate};
use super::{Enforced, enforced, is_judged, judged_object, matching, namespace, parameters, refusal, request, source};
use crate::State;
use crate::access::Admission;
use crate::status::ApiError;

/// Judges a write by all policies that match it; warnings come back.
///
/// # Errors
/// The refusal of the first policy that denies it.
pub fn validate(state: &State, admission: &Admission<'_>, object: Option<&Value>) -> Result<Vec<String>, ApiError> {
    let mut warnings = Vec::new();
    if !is_judged(admission) {
        return Ok(warnings);
    }
    let source = source(state, admission);
    let pairs = enforced(state, &source, "validatingadmissionpolic");
    if pairs.is_empty() {
        return Ok(warnings);
    }
    let namespace = namespace(state, admission);
    let old = admission.old.cloned().unwrap_or_default();
    let mut values = Values::new(judged_object(admission, object), old.clone(), request(admission), namespace.clone());
    let labelled = object.unwrap_or(&old);
    for pair in &pairs {
        let applies = [&pair.policy["spec"]["matchConstraints"], &pair.binding["spec"]["matchResources"]];
        if !applies.into_iter().all(|constraints| matching::matches(constraints, admission, labelled, &namespace)) {
            continue;
        }
        let outcome = parameters(state, &source, pair, admission).map_err(Denial::misconfigured).and_then(|parameters| {
            values.set_parameters(parameters);
            judge(pair, &mut values)
        });
        let Err(denial) = outcome else { continue };
        let (policy, binding) = (text(&pair.policy["metadata"]["name"]), text(&pair.binding["metadata"]["name"]));
        let acts = |action: &str| pair.binding["spec"]["validationActions"].as_array().into_iter().flatten().any(|own| own == action);
        if acts("Warn") {
            warnings
                .push(format!("Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {}", denial.message));
        }
        if acts("Deny") {
            let said = format!("ValidatingAdmissionPolicy '{policy}' with binding '{binding}' denied request: {}", denial.message);
            return Err(refusal(admission, &denial.reason, &said));
        }
    }
    Ok(warnings)
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

/// Judges by one policy. What cannot be evaluated denies, unless the policy ignores failures.
fn judge(pair: &Enforced, values: &mut Values) -> Result<(), Denial> {
    let spec = &pair.policy["spec"];
    let ignores = spec["failurePolicy"] == "Ignore";
    match conditions_hold(spec, values) {
        Ok(true) => {}
        Ok(false) => return Ok(()),
        Err(_) if ignores => return Ok(()),
        Err(message) => return Err(Denial::misconfigured(message)),
    }
    values.define(&spec["variables"]);
    for validation in spec["validations"].as_array().into_iter().flatten() {
        let expression = text(&validation["expression"]);
        match evaluate(expression, values) {
            Ok(Value::Bool(true)) => {}
            Ok(_) => {
                let reason = validation["reason"].as_str().unwrap_or("Invalid").to_owned();
                return Err(Denial { reason, message: message(validation, values) });
            }
            Err(_) if ignores => {}
            Err(error) => {
                let message = format!("expression '{expression}' resulted in error: {error}");
                return Err(Denial::misconfigured(message));
            }
        }
    }
    Ok(())
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
            Err(error) => return Err(format!("match condition '{}' resulted in error: {error}", text(&condition["name"]))),
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

/// Expressions of a policy that do not compile, as causes of an Invalid answer.
pub fn check(policy: &Value) -> Vec<crate::status::Cause> {
    let mut causes = Vec::new();
    let spec = &policy["spec"];
    for (list, field) in [
        ("matchConditions", "expression"),
        ("variables", "expression"),
        ("validations", "expression"),
        ("validations", "messageExpression"),
    ] {
        for (index, entry) in spec[list].as_array().into_iter().flatten().enumerate() {
            let Some(expression) = entry[field].as_str() else { continue };
            if let Some(report) = super::evaluate::report(expression) {
                causes.push(crate::status::Cause::invalid(
                    &format!("spec.{list}[{index}].{field}"),
                    &json!(expression),
                    &format!("compilation failed: {report}"),
                ));
            }
        }
    }
    causes
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
