//! The prices of other choices, at the options of a form.

use promise::form::Form;
use promise::preflight::{Choice, PricedChoice};
use serde_json::Value;

/// Adds the price change to each option.
pub(super) fn put(form: &mut Form, choices: &[PricedChoice]) {
    let of = |path: &str, posted: &str| {
        let is = |choice: &Choice| matches!(choice, Choice::Value { path: known, value } if known == path && text(value) == posted);
        choices.iter().find(|priced| is(&priced.choice)).map(said)
    };
    let preset = |name: &str| {
        let is = |choice: &Choice| matches!(choice, Choice::Preset { name: known } if known == name);
        choices.iter().find(|priced| is(&priced.choice)).map(said)
    };
    form.price(&of, &preset);
}

fn said(priced: &PricedChoice) -> String {
    priced.change.to_string()
}

/// Returns a value as a form posts it.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
