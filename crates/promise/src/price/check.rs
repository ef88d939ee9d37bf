//! Checks the prices of a catalog, when it is written and again when it is used.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::day::Day;
use super::money::decimal_micros;
use crate::api::PromiseCatalogSpec;
use crate::path::Path;
use crate::problem::Problem;

/// Maximum nesting depth of prices.
pub const PRICES_DEPTH: usize = 8;

/// Returns everything that is wrong with the prices of a catalog, with paths such as `.prices[0].values.db.small`. Empty if all are valid.
pub fn problems(spec: &PromiseCatalogSpec) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut problem = |path: String, message: String| problems.push(Problem { path, message });
    match spec.currency.as_deref() {
        None if spec.prices.is_empty() => {}
        None => problem(".currency".to_owned(), "Enter the currency of the prices, such as EUR.".to_owned()),
        Some(code) if is_currency(code) => {}
        Some(code) => problem(".currency".to_owned(), format!("Enter the currency as three uppercase letters such as EUR, not {code:?}.")),
    }
    let mut days = BTreeSet::new();
    for (index, list) in spec.prices.iter().enumerate() {
        let path = format!(".prices[{index}]");
        match Day::parse(&list.from) {
            None => problem(format!("{path}.from"), format!("Enter the date as YYYY-MM-DD: {:?} isn't a valid date.", list.from)),
            Some(day) if !days.insert(day) => {
                problem(format!("{path}.from"), format!("Choose another start date: another price list begins on {day}."));
            }
            Some(_) => {}
        }
        let (_, faults) = micros(&list.values);
        for (at, message) in faults {
            problem(format!("{path}.values{at}"), message);
        }
    }
    problems
}

/// Whether a text has the form of an ISO 4217 code.
pub(super) fn is_currency(code: &str) -> bool {
    code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Converts prices to micro-units with the same nesting, without invalid ones. Also returns what is wrong with those, by path in the list.
pub(super) fn micros(values: &BTreeMap<String, Value>) -> (Value, BTreeMap<Path, String>) {
    let mut faults = BTreeMap::new();
    let fields = values.iter().filter_map(|(name, value)| {
        let path = Path::default().child(name);
        Some((name.clone(), node(value, &path, 1, &mut faults)?))
    });
    let prices: Map<String, Value> = fields.collect();
    (Value::Object(prices), faults)
}

fn node(value: &Value, path: &Path, depth: usize, faults: &mut BTreeMap<Path, String>) -> Option<Value> {
    let fault = match value {
        Value::Object(_) if depth > PRICES_DEPTH => format!("Reduce the nesting of prices: at most {PRICES_DEPTH} levels are allowed."),
        Value::Object(fields) => {
            let fields = fields.iter().filter_map(|(name, value)| {
                let inner = path.child(name);
                Some((name.clone(), node(value, &inner, depth + 1, faults)?))
            });
            return Some(Value::Object(fields.collect()));
        }
        Value::String(text) => match decimal_micros(text) {
            Ok(micros) => return Some(micros.into()),
            Err(why) => {
                format!("Enter the price as a decimal such as 24.80, at least 0 and with at most 6 decimal places: {text:?} {why}.")
            }
        },
        other => format!("Enter the price as text, such as \"24.80\", so that it stays exact, not as {other}."),
    };
    faults.insert(path.clone(), fault);
    None
}
