//! Names in comments what can be added to the parameters of a manifest.

use serde_json::{Value, json};

use super::lines::{end_of, indent, replaced};
use crate::api::PromiseSpec;
use crate::form::yaml;
use crate::form::yaml::places::Places;
use crate::path::Path;
use crate::shape::{Shape, hint_at};

/// Most parameters that are named.
const MOST: usize = 40;
/// The parameters in the object.
const PARAMETERS: &str = ".spec.parameters";

/// Returns a written manifest with a comment for each parameter that isn't set: its default, or else an empty value. To set one, users remove
/// the `#`. `schema` is that of the parameters.
pub fn suggested(text: &str, promise: &PromiseSpec, schema: &Value) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let found = Places::of(text).place(PARAMETERS).line.checked_sub(1).and_then(|first| Some((first, *lines.get(first)?)));
    let Some((first, line)) = found.filter(|(_, line)| line.trim_start().starts_with("parameters:")) else { return text.to_owned() };
    let object = yaml::read(text).unwrap_or_default();
    let given = &object["spec"]["parameters"];
    let width = indent(line) + 2;
    let required = |key: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == key));
    let is_open = |key: &str| {
        let path = Path::default().child(key);
        let is_secret = promise.secret_parameters.contains(&path.to_string());
        given.get(key).is_none() && !is_secret && !hint_at(promise, &path).is_some_and(|hint| hint.hidden)
    };
    let comment = |(key, node): (&String, &Value)| {
        let is_plain = yaml::read(&format!("{key}: 1")).is_ok_and(|read| read == json!({(key.as_str()): 1}));
        let name = if is_plain { key.clone() } else { json!(key).to_string() };
        let required = if required(key) { " # required" } else { "" };
        format!("{}# {name}: {}{required}", " ".repeat(width), sample(node))
    };
    let properties = schema["properties"].as_object().into_iter().flatten();
    let comments: Vec<String> = properties.filter(|(key, _)| is_open(key)).take(MOST).map(comment).collect();
    if comments.is_empty() {
        return text.to_owned();
    }
    let end = end_of(&lines, first);
    let text = replaced(&lines, end, end, &comments);
    // An empty mapping would have to be removed before an entry is added.
    text.replacen(&format!("{line}\n"), &format!("{}\n", line.trim_end_matches(" {}")), 1)
}

/// Returns a value in one line.
fn sample(node: &Value) -> Value {
    let known = node.get("default").or_else(|| node["enum"].get(0)).or_else(|| node.get("minimum"));
    known.cloned().unwrap_or_else(|| match Shape::of(node) {
        Shape::List => json!([]),
        Shape::Object | Shape::Map => json!({}),
        _ => match node["type"].as_str() {
            Some("boolean") => json!(false),
            Some("integer" | "number") => json!(0),
            _ => json!(""),
        },
    })
}
