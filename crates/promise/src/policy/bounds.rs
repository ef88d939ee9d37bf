//! Values that a schema node and constraints allow.

use serde_json::Value;

use crate::api::Constrain;

/// Values that a schema node and constraints allow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Minimum number.
    pub minimum: Option<f64>,
    /// Maximum number.
    pub maximum: Option<f64>,
    /// Whether the minimum itself is excluded.
    pub exclusive_minimum: bool,
    /// Whether the maximum itself is excluded.
    pub exclusive_maximum: bool,
    /// Minimum length of a text.
    pub min_length: Option<u64>,
    /// Maximum length of a text.
    pub max_length: Option<u64>,
    /// Minimum number of items.
    pub min_items: Option<u64>,
    /// Maximum number of items.
    pub max_items: Option<u64>,
    /// Allowed values. `None` if any value is allowed.
    pub values: Option<Vec<Value>>,
    /// Whether only whole numbers are allowed.
    pub whole: bool,
    /// Number that values must be a multiple of.
    pub step: Option<f64>,
}

impl Bounds {
    /// Returns the bounds of a schema node alone.
    pub fn of_node(node: &Value) -> Self {
        let flag = |name: &str| node.get(name).and_then(Value::as_bool).unwrap_or(false);
        Self {
            minimum: node.get("minimum").and_then(Value::as_f64),
            maximum: node.get("maximum").and_then(Value::as_f64),
            exclusive_minimum: flag("exclusiveMinimum"),
            exclusive_maximum: flag("exclusiveMaximum"),
            min_length: node.get("minLength").and_then(Value::as_u64),
            max_length: node.get("maxLength").and_then(Value::as_u64),
            min_items: node.get("minItems").and_then(Value::as_u64),
            max_items: node.get("maxItems").and_then(Value::as_u64),
            values: node.get("enum").and_then(Value::as_array).cloned(),
            whole: node.get("type").and_then(Value::as_str) == Some("integer"),
            step: node.get("multipleOf").and_then(Value::as_f64).filter(|step| *step > 0.0),
        }
    }

    /// Applies a constraint.
    pub fn narrow(&mut self, by: &Constrain) {
        let inner = |bound: f64, round: fn(f64) -> f64| if self.whole { round(bound) } else { bound };
        let (minimum, maximum) = (by.minimum.map(|low| inner(low, f64::ceil)), by.maximum.map(|high| inner(high, f64::floor)));
        if let Some(minimum) = minimum
            && self.minimum.is_none_or(|kept| minimum > kept)
        {
            self.minimum = Some(minimum);
            self.exclusive_minimum = false;
        }
        if let Some(maximum) = maximum
            && self.maximum.is_none_or(|kept| maximum < kept)
        {
            self.maximum = Some(maximum);
            self.exclusive_maximum = false;
        }
        self.min_length = self.min_length.max(by.min_length);
        self.max_length = smaller(self.max_length, by.max_length);
        self.min_items = self.min_items.max(by.min_items);
        self.max_items = smaller(self.max_items, by.max_items);
        if !by.r#enum.is_empty() {
            self.values = Some(match self.values.take() {
                Some(values) => values.into_iter().filter(|value| by.r#enum.iter().any(|left| same(left, value))).collect(),
                None => by.r#enum.clone(),
            });
        }
        if let Some(values) = self.values.take() {
            self.values = Some(values.into_iter().filter(|value| self.admits_one(value)).collect());
        }
    }

    /// Whether no value is allowed.
    pub fn is_empty(&self) -> bool {
        let numbers = match (self.minimum, self.maximum) {
            (Some(minimum), Some(maximum)) => {
                minimum > maximum
                    || (minimum == maximum && (self.exclusive_minimum || self.exclusive_maximum))
                    || self.no_multiple_between(minimum, maximum)
            }
            _ => false,
        };
        let crossed = |low: Option<u64>, high: Option<u64>| matches!((low, high), (Some(low), Some(high)) if low > high);
        numbers
            || crossed(self.min_length, self.max_length)
            || crossed(self.min_items, self.max_items)
            || self.values.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether no multiple of the step is between two limits.
    fn no_multiple_between(&self, minimum: f64, maximum: f64) -> bool {
        let Some(step) = self.step.or(self.whole.then_some(1.0)) else { return false };
        let mut first = (minimum / step).ceil() * step;
        if first == minimum && self.exclusive_minimum {
            first += step;
        }
        first > maximum || (first == maximum && self.exclusive_maximum)
    }

    /// Whether a value is within all bounds. Bounds of other types are ignored.
    pub fn admits(&self, value: &Value) -> bool {
        self.admits_one(value) && self.values.as_ref().is_none_or(|values| values.iter().any(|left| same(left, value)))
    }

    fn admits_one(&self, value: &Value) -> bool {
        match value {
            Value::Number(number) => number.as_f64().is_none_or(|number| {
                self.minimum.is_none_or(|low| number > low || (number == low && !self.exclusive_minimum))
                    && self.maximum.is_none_or(|high| number < high || (number == high && !self.exclusive_maximum))
            }),
            Value::String(text) => {
                let length = text.chars().count() as u64;
                self.min_length.is_none_or(|low| length >= low) && self.max_length.is_none_or(|high| length <= high)
            }
            Value::Array(items) => {
                let length = items.len() as u64;
                self.min_items.is_none_or(|low| length >= low) && self.max_items.is_none_or(|high| length <= high)
            }
            Value::Null | Value::Bool(_) | Value::Object(_) => true,
        }
    }
}

fn smaller(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Whether two values are equal by the rules of JSON Schema: 1 and 1.0 are the same number.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || (x.as_f64() == y.as_f64() && (x.is_f64() || y.is_f64())),
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, value)| y.get(key).is_some_and(|other| same(value, other)))
        }
        _ => a == b,
    }
}
