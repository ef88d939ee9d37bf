//! The promise's own rules.

use schema::expr::Type;
use schema::structural::Schema;
use serde_json::Value;

use super::Draft;
use super::parameters::is_scalar;
use crate::api::{PolicySpec, Rule};
use crate::expression;
use crate::path::Path;
use crate::policy;

pub(super) fn check(draft: &mut Draft<'_>, schema: &Schema) {
    let spec = draft.spec;
    let own = PolicySpec { rules: spec.policies.clone(), ..PolicySpec::default() };
    for problem in policy::validity(&own, draft.trusted) {
        let path = problem.path.replacen(".rules", ".policies", 1);
        draft.problem(path, problem.message);
    }
    for (index, rule) in spec.policies.iter().enumerate() {
        let place = format!(".policies[{index}]");
        expressions(draft, rule, schema, &place);
        parameters(draft, rule, &place);
    }
    let mut names = std::collections::BTreeSet::new();
    for (index, reference) in spec.policy_refs.iter().enumerate() {
        if !names.insert(&reference.name) {
            draft.problem(format!(".policyRefs[{index}]"), format!("Remove it: {} is named already.", reference.name));
        }
    }
}

fn expressions(draft: &mut Draft<'_>, rule: &Rule, schema: &Schema, place: &str) {
    let environment = expression::environment(schema);
    let validate = rule.validate.as_ref().map(|validate| ("validate.expression", validate.expression.as_str()));
    let approve = rule.approve.as_ref().and_then(|approve| Some(("approve.when", approve.when.as_deref()?)));
    for (field, source) in [validate, approve].into_iter().flatten() {
        let path = format!("{place}.{field}");
        // What is wrong whatever the schema says was told with the rule itself.
        let is_told = draft.problems.iter().any(|problem| problem.path == path);
        if let (false, Err(error)) = (is_told, environment.compile_as(source, &Type::Bool)) {
            draft.problem(path, expression::sentence(&error));
        }
    }
}

/// Rules are about parameters that exist, and give values that fit them.
fn parameters(draft: &mut Draft<'_>, rule: &Rule, place: &str) {
    let values = [
        ("constrain", rule.constrain.as_ref().map(|constrain| (&constrain.parameter, None))),
        ("set", rule.set.as_ref().map(|set| (&set.parameter, Some(&set.value)))),
        ("default", rule.default.as_ref().map(|default| (&default.parameter, Some(&default.value)))),
    ];
    for (kind, parameter) in values {
        let Some((parameter, value)) = parameter else { continue };
        let Some(node) = Path::parse(parameter).ok().and_then(|path| policy::node_at(&draft.json, &path).cloned()) else {
            draft.problem(format!("{place}.{kind}.parameter"), format!("Name a parameter of the schema: there is no {parameter}."));
            continue;
        };
        if let Some(value) = value {
            fits(draft, &node, value, &format!("{place}.{kind}.value"));
        }
    }
}

fn fits(draft: &mut Draft<'_>, node: &Value, value: &Value, place: &str) {
    // The node is checked as the only field of an object, since the root of a schema has to be one.
    let wrapped = Schema::parse_lenient(&serde_json::json!({"type": "object", "properties": {"value": node}}));
    let errors = wrapped.validate(&serde_json::json!({"value": value}));
    if let Some(error) = errors.first() {
        let what = if is_scalar(wrapped.property("value").and_then(Schema::kind)) { "a value" } else { "a complete value" };
        draft.problem(place, format!("Give {what} that fits the parameter: {}.", error.body()));
    }
}
