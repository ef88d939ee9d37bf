//! Type of value that a schema node describes, for the form and for messages.

use std::borrow::Cow;

use schema::json_schema::ENUM_TITLES;
use serde_json::Value;

use crate::api::{FieldHint, PromiseSpec};
use crate::path::{Path, Segment};
use crate::text_kind::TextKind;
use crate::wording;

/// Type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One of a list of values.
    Choice,
    /// Yes or no.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A whole number or a text.
    IntOrString,
    /// A size such as `10Gi`.
    Quantity,
    /// A text.
    Text,
    /// A list.
    List,
    /// Keys with values.
    Map,
    /// An object with known fields.
    Object,
    /// Anything.
    Open,
}

impl Shape {
    /// Returns the type of a schema node.
    pub fn of(node: &Value) -> Self {
        let flag = |name: &str| node.get(name).and_then(Value::as_bool).unwrap_or(false);
        if flag("x-kubernetes-int-or-string") {
            return Self::IntOrString;
        }
        if node
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|values| !values.is_empty() && values.iter().all(|value| !value.is_object() && !value.is_array()))
        {
            return Self::Choice;
        }
        match node.get("type").and_then(Value::as_str) {
            Some("boolean") => Self::Boolean,
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("string") if is_quantity(node) => Self::Quantity,
            Some("string") => Self::Text,
            Some("array") => Self::List,
            Some("object") if flag("x-kubernetes-preserve-unknown-fields") || flag("x-kubernetes-embedded-resource") => Self::Open,
            Some("object") if node.get("additionalProperties").is_some_and(|open| open.is_object()) => Self::Map,
            Some("object") if node.get("properties").is_some() => Self::Object,
            _ => Self::Open,
        }
    }
}

/// Whether a pattern is for sizes: the one of Kubernetes, or one that contains `Gi`.
fn is_quantity(node: &Value) -> bool {
    node.get("format").and_then(Value::as_str) == Some("quantity")
        || node.get("pattern").and_then(Value::as_str).is_some_and(|pattern| pattern.contains("Gi") || pattern.contains("[KMGTPE]i"))
}

/// Returns the title that the schema has for a value of an enum: schemas of other systems have titles.
pub(crate) fn enum_title(node: &Value, value: &Value) -> Option<String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    node[ENUM_TITLES].get(&text)?.as_str().filter(|title| !title.trim().is_empty()).map(str::to_owned)
}

/// Returns the schema node of the parameter at a path.
pub(crate) fn node_at<'s>(schema: &'s Value, path: &Path) -> Option<&'s Value> {
    path.0.iter().try_fold(schema, |node, segment| match segment {
        Segment::Key(key) => match node.get("properties").and_then(|properties| properties.get(key)) {
            Some(property) => Some(property),
            None => node.get("additionalProperties").filter(|open| open.is_object()),
        },
        Segment::Index(_) => node.get("items"),
        Segment::Each => node.get("items").or_else(|| node.get("additionalProperties").filter(|open| open.is_object())),
    })
}

/// Returns a parameter's value in words: the promise's own label for an option, and its unit.
pub fn value_of(spec: &PromiseSpec, path: &Path, of: &Value) -> String {
    let hint = wording::hint(spec, path);
    let text = of.as_str().map_or_else(|| of.to_string(), str::to_owned);
    let titled = hint.and_then(|hint| hint.options.get(&text)).and_then(|option| option.title.clone());
    let unit = hint.and_then(|hint| hint.unit.as_deref()).map(|unit| format!("\u{a0}{unit}")).unwrap_or_default();
    let in_schema = || enum_title(node_at(spec.parameters.as_deref()?, path)?, of);
    format!("{}{unit}", titled.or_else(in_schema).unwrap_or_else(|| wording::value(of)))
}

/// Returns the promise's own hint for a path.
pub fn hint_at<'p>(promise: &'p PromiseSpec, path: &Path) -> Option<&'p FieldHint> {
    promise.form.fields.iter().find(|(text, _)| Path::parse(text).as_ref() == Ok(path)).map(|(_, hint)| hint)
}

/// Describes the required form of a text, as a sentence without a full stop. Returns `None` if only the pattern itself could describe it.
pub fn form_in_words(node: &Value, hint: Option<&FieldHint>) -> Option<Cow<'static, str>> {
    let kind = TextKind::of(node, hint);
    if let Some(pattern) = node.get("pattern").and_then(Value::as_str) {
        if is_quantity(node) {
            return Some(Cow::Borrowed("Use a number with a unit such as Mi or Gi, for example 10Gi"));
        }
        let known = match pattern.trim_start_matches('^').trim_end_matches('$') {
            "[a-z0-9]([-a-z0-9]*[a-z0-9])?" | "[a-z]([-a-z0-9]*[a-z0-9])?" | "[a-z][a-z0-9-]*" | "[a-z0-9-]+" | "[a-z][-a-z0-9]*" => {
                Some("Use lower-case letters, digits and hyphens")
            }
            r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*" => Some("Use lower-case letters, digits, hyphens and dots"),
            "[a-z][a-z0-9_]*" | "[a-z_][a-z0-9_]*" => Some("Use lower-case letters, digits and underscores, and start with a letter"),
            "[A-Z_][A-Z0-9_]*" | "[A-Z][A-Z0-9_]*" => Some("Use capital letters, digits and underscores, and start with a letter"),
            "[0-9]+" | r"\d+" => Some("Use digits only"),
            _ => None,
        };
        if let Some(known) = known {
            return Some(Cow::Borrowed(known));
        }
    }
    kind.map(|kind| Cow::Owned(format!("Use {}", kind.in_words(node))))
}
