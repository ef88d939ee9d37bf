//! Evaluates what a call sends or a Job runs, and what its answer or result means.

use std::collections::BTreeMap;

use schema::expr::{Budget, Environment, ExprError, Scope, Template, TemplateError};
use serde_json::{Map, Value, json};

use super::compile::{CompiledCall, CompiledWorkflow, Outputs};
use super::{Answer, HttpTask, TaskFailure};
use crate::api::{StepReason, StepStatus};
use crate::context::Context;
use crate::expression;

/// Maximum number of steps of one expression.
const BUDGET: u64 = 50_000;
/// Maximum size of the outputs of one step, as JSON in bytes: they are stored in the status of the request.
const OUTPUTS_LIMIT: usize = 4096;

/// Values that the expressions of steps can read.
pub(super) struct Values<'a> {
    pub workflow: &'a CompiledWorkflow,
    pub parameters: &'a Value,
    pub context: &'a Context,
    /// Observed objects by id of their resource, a list of them for `forEach`.
    pub resources: &'a Value,
}

impl Values<'_> {
    fn scope(&self, environment: &Environment, steps: &[StepStatus]) -> Scope {
        let mut scope = expression::scope(environment, self.parameters, self.context);
        scope.set("resources", self.resources);
        let outputs: Map<String, Value> = steps
            .iter()
            .filter(|step| !step.outputs.is_empty())
            .map(|step| (step.id.clone(), step.outputs.clone().into_iter().collect::<Map<_, _>>().into()))
            .collect();
        scope.set("steps", &Value::Object(outputs));
        scope
    }

    /// Evaluates a condition. `None` if it reads something that doesn't exist yet.
    pub fn holds(&self, condition: &Template, steps: &[StepStatus]) -> Result<Option<bool>, TaskFailure> {
        truth(condition, &self.scope(&self.workflow.environment, steps))
    }

    /// Returns the values of a call.
    pub fn call(
        &self,
        call: &CompiledCall,
        endpoint: &str,
        step: &StepStatus,
        key: String,
        steps: &[StepStatus],
    ) -> Result<HttpTask, TaskFailure> {
        let scope = self.scope(&self.workflow.environment, steps);
        let path = text(&call.path, &scope)?;
        let body = call.body.as_ref().map(|body| body.evaluate(&scope, &mut budget()).map_err(|error| broken(&error))).transpose()?;
        let (endpoint, method) = (endpoint.to_owned(), call.method);
        Ok(HttpTask { step: step.id.clone(), endpoint, method, path, body, idempotency_key: key, within: None })
    }

    /// Returns a text, such as the path of a poll.
    pub fn text(&self, template: &Template, steps: &[StepStatus]) -> Result<String, TaskFailure> {
        text(template, &self.scope(&self.workflow.environment, steps))
    }

    /// Returns a value, such as the Job of a step.
    pub fn value(&self, template: &Template, steps: &[StepStatus]) -> Result<Value, TaskFailure> {
        template.evaluate(&self.scope(&self.workflow.environment, steps), &mut budget()).map_err(|error| broken(&error))
    }

    /// Returns the result of a Job for expressions.
    pub fn about_result(&self, result: &Value, steps: &[StepStatus]) -> About {
        let mut scope = self.scope(&self.workflow.with_result, steps);
        scope.set("result", result);
        About { scope }
    }

    /// Returns an answer for expressions.
    pub fn about(&self, answer: &Answer, steps: &[StepStatus]) -> About {
        let mut scope = self.scope(&self.workflow.with_answer, steps);
        scope.set("answer", &json!({"status": answer.status, "body": answer.body}));
        About { scope }
    }
}

/// An answer or a result, for expressions.
pub(super) struct About {
    scope: Scope,
}

impl About {
    /// Evaluates a condition. Without what it reads, it isn't true.
    pub fn holds(&self, condition: &Template) -> Result<bool, TaskFailure> {
        Ok(truth(condition, &self.scope)?.unwrap_or(false))
    }

    /// Returns a message of the promise.
    pub fn message(&self, message: &Template) -> Option<String> {
        text(message, &self.scope).ok().filter(|text| !text.is_empty())
    }

    /// Returns the outputs.
    pub fn outputs(&self, outputs: &Outputs) -> Result<BTreeMap<String, Value>, TaskFailure> {
        let mut values = BTreeMap::new();
        for (name, template) in outputs {
            let value = template.evaluate(&self.scope, &mut budget()).map_err(|error| broken(&error))?;
            values.insert(name.clone(), value);
        }
        let size: usize = values.values().map(|value| value.to_string().len()).sum();
        if size > OUTPUTS_LIMIT {
            let message = format!("The outputs have {size} bytes as JSON. A step can have at most {OUTPUTS_LIMIT}.");
            return Err(TaskFailure { reason: StepReason::InvalidPromise, message });
        }
        Ok(values)
    }
}

fn budget() -> Budget {
    Budget::steps(BUDGET)
}

fn truth(condition: &Template, scope: &Scope) -> Result<Option<bool>, TaskFailure> {
    match condition.evaluate(scope, &mut budget()) {
        Ok(Value::Bool(holds)) => Ok(Some(holds)),
        Ok(other) => {
            let message = format!("An expression must return true or false, but it returns {other}.");
            Err(TaskFailure { reason: StepReason::InvalidPromise, message })
        }
        Err(TemplateError { error: ExprError::AbsentPath(_), .. }) => Ok(None),
        Err(error) => Err(broken(&error)),
    }
}

fn text(template: &Template, scope: &Scope) -> Result<String, TaskFailure> {
    match template.evaluate(scope, &mut budget()) {
        Ok(Value::String(text)) => Ok(text),
        Ok(other) => Ok(other.to_string()),
        Err(error) => Err(broken(&error)),
    }
}

fn broken(error: &TemplateError) -> TaskFailure {
    TaskFailure { reason: StepReason::InvalidPromise, message: expression::sentence(&error.error) }
}
