//! Evaluates the promise's own line items of a price.

use schema::expr::{Budget, ExprError, RuntimeProblem, Template};
use serde_json::Value;

use super::Compiled;
use crate::context::Context;
use crate::expression;
use crate::price::LineItem;

/// Maximum number of steps of one item.
const STEPS: u64 = 20_000;

#[derive(Clone, Debug)]
pub(super) struct CompiledItem {
    pub(super) name: String,
    pub(super) monthly: Template,
}

impl CompiledItem {
    fn reads(&self, variable: &str) -> bool {
        self.monthly.references().iter().any(|path| path.first().is_some_and(|root| root == variable))
    }
}

/// Evaluates every item separately.
pub(super) fn costs<'c>(compiled: &'c Compiled, parameters: &Value, context: &Context) -> Vec<LineItem<'c>> {
    if compiled.cost.is_empty() {
        return Vec::new();
    }
    let scope = expression::scope(&compiled.environment, parameters, context);
    let micros = |item: &CompiledItem| {
        let value = item.monthly.evaluate(&scope, &mut Budget::steps(STEPS)).map_err(|error| error.error)?;
        let wrong = || RuntimeProblem::WrongResult { found: value.to_string(), wanted: "a whole number of micro-units" };
        value.as_i64().ok_or_else(|| ExprError::Runtime(wrong()))
    };
    compiled.cost.iter().map(|item| LineItem { name: &item.name, micros: micros(item), reads_prices: item.reads("prices") }).collect()
}

/// Returns the paths that items read, such as `["parameters", "size"]`.
pub(super) fn references(compiled: &Compiled) -> Vec<Vec<String>> {
    compiled.cost.iter().flat_map(|item| item.monthly.references()).collect()
}
