//! What one month costs by the promise's own items.

use schema::expr::{Budget, Template};
use serde_json::Value;

use super::Compiled;
use crate::context::Context;
use crate::expression;

/// One line of an estimate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostLine {
    /// Label.
    pub name: String,
    /// Micro-units of the currency a month; nothing where a price is missing or the expression fails: unknown is not 0.
    pub monthly: Option<i64>,
}

#[derive(Clone, Debug)]
pub(super) struct CompiledItem {
    pub(super) name: String,
    pub(super) monthly: Template,
}

/// Evaluates every item by itself.
pub(super) fn estimate(compiled: &Compiled, parameters: &Value, context: &Context) -> Vec<CostLine> {
    let scope = expression::scope(&compiled.environment, parameters, context);
    let monthly = |item: &CompiledItem| item.monthly.evaluate(&scope, &mut Budget::steps(20_000)).ok()?.as_i64();
    compiled.cost.iter().map(|item| CostLine { name: item.name.clone(), monthly: monthly(item) }).collect()
}
