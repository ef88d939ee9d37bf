//! The values that expressions of a policy see, and their evaluation.
//! Source: apiserver `admission/plugin/cel/{activation,condition}.go`.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::LazyLock,
};

use schema::expr::{Budget, Environment, Exhausted, ExprError, RULE_STEPS, STEPS, Scope, Type};
use serde_json::{Map, Value};

use super::programs::ClusterPrograms;

/// Steps of all policies together for one write, however many there are and however many parameters they have.
const REQUEST_STEPS: u64 = 2 * RULE_STEPS;

/// What all policies together may still use for one write. Clones are the same.
#[derive(Debug, Clone)]
pub struct Allowance(Rc<Cell<u64>>);

impl Default for Allowance {
    fn default() -> Self {
        Self(Rc::new(Cell::new(REQUEST_STEPS)))
    }
}

/// The values of one write for one policy.
pub struct Values {
    object: Value,
    old: Value,
    request: Value,
    namespace: Value,
    parameters: Value,
    variables: Map<String, Value>,
    /// Steps that all expressions of the policy have left for this write.
    left: RefCell<u64>,
    allowance: Allowance,
    programs: ClusterPrograms,
}

impl Values {
    /// Values for the policies of a cluster, without a write, parameters and variables yet.
    pub fn new(programs: &ClusterPrograms, namespace: Value, allowance: &Allowance) -> Self {
        let (object, old, request, parameters) = Default::default();
        let (left, allowance, programs) = (RefCell::new(RULE_STEPS), allowance.clone(), programs.clone());
        Self { object, old, request, namespace, parameters, variables: Map::new(), left, allowance, programs }
    }

    /// The object as it is now.
    pub fn object(&self) -> &Value {
        &self.object
    }

    /// Replaces the object: the next mutation sees it so.
    pub fn set_object(&mut self, object: Value) {
        self.object = object;
    }

    /// Shows the write as one of another version.
    pub fn set_write(&mut self, object: Value, old: Value, request: Value) {
        (self.object, self.old, self.request) = (object, old, request);
    }

    /// Sets `params`, and forgets the variables and the costs of the policy before.
    pub fn set_parameters(&mut self, parameters: Option<Value>) {
        self.parameters = parameters.unwrap_or_default();
        self.variables.clear();
        self.left = RefCell::new(RULE_STEPS);
    }

    /// Evaluates the `variables` of a policy in their order. One that fails is absent: only what reads it fails.
    pub fn define(&mut self, variables: &Value) {
        for variable in variables.as_array().into_iter().flatten() {
            let text = |field: &str| variable[field].as_str().unwrap_or_default();
            if let Ok(value) = evaluate(text("expression"), self) {
                self.variables.insert(text("name").to_owned(), value);
            }
        }
    }

    fn scope(&self, environment: &Environment) -> Scope {
        let scope = environment.scope().with("object", &self.object).with("oldObject", &self.old).with("request", &self.request);
        let scope = scope.with("namespaceObject", &self.namespace).with("params", &self.parameters);
        scope.with("variables", &Value::Object(self.variables.clone()))
    }
}

/// Policies judge objects of any kind: all variables are open.
static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
    let names = ["object", "oldObject", "request", "namespaceObject", "params", "variables"];
    names.into_iter().fold(Environment::new(), |environment, name| environment.variable(name, Type::Dyn))
});

/// The value of an expression.
///
/// # Errors
/// What cannot be read, is absent, or fails.
pub fn evaluate(expression: &str, values: &Values) -> Result<Value, ExprError> {
    // Each expression has its own limit, within what the policy has left, and all of them.
    let mut left = values.left.borrow_mut();
    let allowed = STEPS.min(*left).min(values.allowance.0.get());
    // To be read at all costs a step for each of its bytes, whether or not it was compiled before.
    let Some(rest) = allowed.checked_sub(expression.len() as u64) else { return Err(Exhausted::Steps.into()) };
    let program = values.programs.program(expression, &ENVIRONMENT)?;
    let mut budget = Budget::steps(rest);
    let result = program.evaluate(&values.scope(&ENVIRONMENT), &mut budget);
    let used = allowed - budget.remaining();
    *left -= used;
    values.allowance.0.set(values.allowance.0.get() - used);
    result
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ClusterId, admission::programs::Programs};

    fn values(object: Value) -> Values {
        let mut values = Values::new(&Programs::default().of(&ClusterId::root()), Value::Null, &Allowance::default());
        values.set_write(object, Value::Null, json!({"userInfo": {"username": "alice"}}));
        values
    }

    #[test]
    fn an_object_is_judged() {
        let values = values(json!({"spec": {"note": "good"}}));
        let expression = "!has(object.spec) || !has(object.spec.note) || object.spec.note != 'evil'";
        assert_eq!(evaluate(expression, &values), Ok(json!(true)));
        assert_eq!(evaluate("oldObject == null", &values), Ok(json!(true)));
    }

    #[test]
    fn a_typed_literal_gives_a_patch() {
        let source = r#"[JSONPatch{op: "add", path: "/spec/by", value: Object.spec.by{name: request.userInfo.username}}]"#;
        let patch = evaluate(&super::super::literals::as_maps(source), &values(json!({}))).unwrap();
        assert_eq!(patch, json!([{"op": "add", "path": "/spec/by", "value": {"name": "alice"}}]));
    }

    #[test]
    fn all_expressions_of_a_policy_share_one_budget() {
        let values = values(json!({"list": (0..300).collect::<Vec<_>>()}));
        let loops = "object.list.all(a, object.list.all(b, a + b >= 0))";
        let results: Vec<_> = (0..40).map(|_| evaluate(loops, &values)).collect();
        assert_eq!(results[0], Ok(json!(true)));
        assert!(matches!(results[39], Err(ExprError::Budget(_))), "{:?}", results[39]);
    }

    #[test]
    fn the_text_of_expressions_is_part_of_the_budget() {
        let values = values(json!({}));
        let long = format!("'{}' != ''", "x".repeat(15_000));
        let results: Vec<_> = (0..400).map(|_| evaluate(&long, &values)).collect();
        assert_eq!(results[0], Ok(json!(true)));
        assert!(matches!(results[399], Err(ExprError::Budget(_))), "{:?}", results[399]);
    }

    #[test]
    fn all_policies_of_a_write_share_one_budget() {
        let mut values = values(json!({"list": (0..300).collect::<Vec<_>>()}));
        let loops = "object.list.all(a, object.list.all(b, a + b >= 0))";
        let mut first_of_each = Vec::new();
        for _ in 0..40 {
            values.set_parameters(None);
            first_of_each.push(evaluate(loops, &values));
            while evaluate(loops, &values).is_ok() {}
        }
        assert_eq!(first_of_each[1], Ok(json!(true)), "a policy has a budget of its own");
        assert!(matches!(first_of_each[39], Err(ExprError::Budget(_))), "{:?}", first_of_each[39]);
    }

    #[test]
    fn a_failing_variable_is_absent() {
        let mut values = values(json!({"a": 1}));
        values.define(&json!([{"name": "bad", "expression": "object.none.at.all"}, {"name": "good", "expression": "object.a + 1"}]));
        assert_eq!(evaluate("variables.good", &values), Ok(json!(2)));
        assert!(evaluate("variables.bad", &values).is_err());
    }
}
