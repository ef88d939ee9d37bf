//! The promise's own items of a price.

use schema::expr::{Budget, ExprError, Template};
use serde_json::Value;

use super::Compiled;
use crate::context::Context;
use crate::expression;

/// Steps that one item may take.
const STEPS: u64 = 20_000;

/// One evaluated item.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost<'c> {
    /// Label.
    pub name: &'c str,
    /// Micro-units a month.
    pub micros: Result<i64, ExprError>,
    /// Whether it reads `prices`, and so is in the currency of the price list.
    pub reads_prices: bool,
}

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

/// Evaluates every item by itself.
pub(super) fn costs<'c>(compiled: &'c Compiled, parameters: &Value, context: &Context) -> Vec<Cost<'c>> {
    if compiled.cost.is_empty() {
        return Vec::new();
    }
    let scope = expression::scope(&compiled.environment, parameters, context);
    let micros = |item: &CompiledItem| {
        let value = item.monthly.evaluate(&scope, &mut Budget::steps(STEPS)).map_err(|error| error.error)?;
        value.as_i64().ok_or_else(|| ExprError::Runtime(format!("it gives {value} where a whole number of micro-units is needed")))
    };
    compiled.cost.iter().map(|item| Cost { name: &item.name, micros: micros(item), reads_prices: item.reads("prices") }).collect()
}

/// Paths that items read, such as `["parameters", "size"]`.
pub(super) fn references(compiled: &Compiled) -> Vec<Vec<String>> {
    compiled.cost.iter().flat_map(|item| item.monthly.references()).collect()
}
