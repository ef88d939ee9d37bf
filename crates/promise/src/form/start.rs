//! Starting points of a new form, as named in links: an example or a preset of the promise.

use serde_json::Value;

use crate::api::PromiseSpec;

/// Returns the link text of an example: `example:<name>`.
pub fn from_example(name: &str) -> String {
    format!("example:{name}")
}

/// Returns the link text of a preset: `preset:<name>`.
pub fn from_preset(name: &str) -> String {
    format!("preset:{name}")
}

/// Returns the parameters for a link text, or `None` if the promise has no such example or preset.
pub fn starts_from(promise: &PromiseSpec, text: &str) -> Option<Value> {
    let (kind, name) = text.split_once(':')?;
    let nothing = || Value::Object(serde_json::Map::new());
    match kind {
        "example" => {
            promise.examples.iter().find(|example| example.name == name).map(|example| example.parameters.clone().unwrap_or_else(nothing))
        }
        "preset" => {
            promise.form.presets.iter().find(|preset| preset.name == name).map(|preset| preset.values.clone().unwrap_or_else(nothing))
        }
        _ => None,
    }
}
