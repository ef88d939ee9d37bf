//! Chooses the control of a parameter, once for rendering and for parsing.

use schema::structural::Schema;
use serde_json::Value;

use super::control::{ChoiceStyle, FileText, InputMode};
use super::place::Place;
use crate::api::{FieldHint, PromiseSpec};
use crate::path::Path;
use crate::policy::{Bounds, Effective};
use crate::shape::{self, Shape, enum_title};
use crate::text_kind::TextKind;

/// Maximum number of integer choices shown as segments.
const FEW: i64 = 6;
/// Maximum number of options of a select. More of them are typed with suggestions.
const MOST_OPTIONS: usize = 25;
/// Maximum number of checkboxes for a list of choices.
const MOST_CHECKS: usize = 12;

/// The control of a parameter, without its values.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A fixed value.
    Fixed,
    /// A secret.
    Secret,
    /// One of these values. `optional` adds “not set”.
    Choice { values: Vec<Value>, optional: bool, style: ChoiceStyle },
    /// One of many values, which is typed with suggestions.
    Search { values: Vec<Value> },
    /// A checkbox.
    Tick,
    /// One line or several lines of text.
    Text { shape: Shape, mode: InputMode, area: bool },
    /// A list of scalars with this schema.
    List { items: Value },
    /// A map of scalars with this schema.
    Map { values: Value },
    /// A list of objects, lists or maps with this schema, each a row with fields of its own.
    Items { items: Value },
    /// A map of them, each a row with a key.
    Entries { values: Value },
    /// An object with these fields. If `optional`, it can be omitted as a whole. If `open`, it can have other fields, too.
    Group { optional: bool, open: bool },
    /// A value of any type.
    Yaml,
}

/// What is known about a parameter at its place in the form.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    pub promise: &'a PromiseSpec,
    pub effective: &'a Effective,
    pub place: &'a Place,
    /// Its node in the narrowed schema.
    pub node: &'a Value,
    /// Whether it is required by its parent.
    pub required: bool,
    /// Whether a value applies if none is given: a default of the schema or a policy.
    pub defaulted: bool,
}

impl Spot<'_> {
    pub fn hint(&self) -> Option<&FieldHint> {
        shape::hint_at(self.promise, &self.place.pattern)
    }

    pub fn is_secret(&self) -> bool {
        self.promise.secret_parameters.iter().any(|text| Path::parse(text).as_ref() == Ok(&self.place.path))
    }

    pub fn kind(&self) -> Kind {
        if self.is_secret() {
            return Kind::Secret;
        }
        if self.effective.sets.iter().any(|set| self.place.path.starts_with(&set.path)) {
            return Kind::Fixed;
        }
        let shape = Shape::of(self.node);
        match shape {
            Shape::Choice => self.choice(self.node["enum"].as_array().cloned().unwrap_or_default()),
            Shape::Boolean if self.defaulted => Kind::Tick,
            Shape::Boolean => self.choice(vec![Value::Bool(true), Value::Bool(false)]),
            Shape::Integer => match few_integers(self.node).filter(|_| self.defaulted || self.required) {
                Some(values) => self.choice(values),
                None => Kind::Text { shape, mode: InputMode::Numeric, area: false },
            },
            Shape::Number => Kind::Text { shape, mode: InputMode::Decimal, area: false },
            Shape::IntOrString | Shape::Quantity => Kind::Text { shape, mode: InputMode::Code, area: false },
            Shape::Text => Kind::Text { shape, mode: mode_of(self.node, self.hint()), area: self.is_area() },
            Shape::List if is_scalar(&self.node["items"]) => Kind::List { items: self.node["items"].clone() },
            Shape::Map if is_scalar(&self.node["additionalProperties"]) => Kind::Map { values: self.node["additionalProperties"].clone() },
            Shape::List if is_typed(&self.node["items"]) => Kind::Items { items: self.node["items"].clone() },
            Shape::Map if is_typed(&self.node["additionalProperties"]) => {
                Kind::Entries { values: self.node["additionalProperties"].clone() }
            }
            Shape::Object => Kind::Group { optional: !self.required && !self.defaulted, open: false },
            Shape::Open if has_fields(self.node) => Kind::Group { optional: !self.required && !self.defaulted, open: true },
            Shape::List | Shape::Map | Shape::Open => Kind::Yaml,
        }
    }

    fn choice(&self, values: Vec<Value>) -> Kind {
        let optional = !self.required && !self.defaulted;
        let hint = self.hint();
        let widget = hint.and_then(|hint| hint.widget.as_deref());
        let is_styled = matches!(widget, Some("select" | "cards" | "radios" | "segments"));
        if widget == Some("search") || (values.len() > MOST_OPTIONS && !is_styled) {
            return Kind::Search { values };
        }
        let explained = hint.is_some_and(|hint| hint.options.values().any(|option| option.help.is_some()));
        let longest = values.iter().map(|value| option_label(hint, self.node, value).chars().count()).max().unwrap_or_default();
        let count = values.len() + usize::from(optional);
        let style = match widget {
            Some("select") => ChoiceStyle::Select,
            Some("cards" | "radios") => ChoiceStyle::Cards,
            Some("segments") => ChoiceStyle::Segments,
            _ if count <= 5 && explained => ChoiceStyle::Cards,
            _ if count <= 6 && longest <= 12 => ChoiceStyle::Segments,
            _ => ChoiceStyle::Select,
        };
        Kind::Choice { values, optional, style }
    }

    fn is_area(&self) -> bool {
        let widget = self.hint().and_then(|hint| hint.widget.as_deref());
        if file_text(self.node, self.hint()).is_some() {
            return true;
        }
        let long = self.node.get("maxLength").and_then(Value::as_u64).is_some_and(|most| most > 400);
        widget == Some("textarea") || (long && self.node.get("pattern").is_none())
    }
}

/// Returns the keyboard layout for a value. A text of a known form isn't written like a sentence.
pub(super) fn mode_of(node: &Value, hint: Option<&FieldHint>) -> InputMode {
    // Any pattern has the same layout, whichever kind it is for.
    match (Shape::of(node), TextKind::named(node, hint)) {
        (Shape::Integer, _) => InputMode::Numeric,
        (Shape::Number, _) => InputMode::Decimal,
        (Shape::Text, Some(TextKind::Email)) => InputMode::Email,
        (Shape::Text, Some(TextKind::Url)) => InputMode::Url,
        (Shape::Text, None) if node.get("pattern").is_none() => InputMode::Text,
        (_, _) => InputMode::Code,
    }
}

/// Returns how a file becomes the text of a field, if it can be opened there.
pub(super) fn file_text(node: &Value, hint: Option<&FieldHint>) -> Option<FileText> {
    if Shape::of(node) != Shape::Text {
        return None;
    }
    let is_asked = hint.and_then(|hint| hint.widget.as_deref()) == Some("file");
    match TextKind::of_format(node) {
        Some(TextKind::Byte) => Some(FileText::Base64),
        _ => is_asked.then_some(FileText::Plain),
    }
}

/// Returns the values that a list of choices offers as checkboxes: few, and none of them twice.
pub(super) fn checks<'n>(node: &'n Value, hint: Option<&FieldHint>) -> Option<&'n [Value]> {
    let is_unique = node["x-kubernetes-list-type"] == "set" || node["uniqueItems"] == true;
    let is_asked = hint.and_then(|hint| hint.widget.as_deref()) == Some("checkboxes");
    let values = node["items"]["enum"].as_array()?;
    let is_plain = values.iter().all(|value| !value.is_null() && !scalar_text(value).trim().is_empty());
    let fits = (1..=MOST_CHECKS).contains(&values.len()) && Shape::of(&node["items"]) == Shape::Choice;
    ((is_unique || is_asked) && is_plain && fits).then_some(values.as_slice())
}

/// Whether a single input can hold the value.
fn is_scalar(node: &Value) -> bool {
    !matches!(Shape::of(node), Shape::List | Shape::Map | Shape::Object | Shape::Open)
}

/// Whether the schema says something of the value. Without it, rows of a list would each be a box of YAML.
fn is_typed(node: &Value) -> bool {
    Shape::of(node) != Shape::Open || has_fields(node)
}

/// Whether an object has fields that its schema names.
pub(super) fn has_fields(node: &Value) -> bool {
    node["type"] == "object" && node["properties"].as_object().is_some_and(|fields| !fields.is_empty())
}

/// Whether an empty text is a valid value.
pub(super) fn accepts_empty(node: &Value) -> bool {
    Shape::of(node) == Shape::Text && Schema::parse_lenient(node).validate(&Value::String(String::new())).is_empty()
}

#[expect(clippy::cast_possible_truncation, reason = "bounds beyond 64 bits have more than a few values between them")]
pub(crate) fn few_integers(node: &Value) -> Option<Vec<Value>> {
    let bounds = Bounds::of_node(node);
    let (minimum, maximum) = (bounds.minimum?, bounds.maximum?);
    // An exclusive bound excludes a whole number only if it is one itself.
    let low = (minimum.ceil() as i64).checked_add(i64::from(bounds.exclusive_minimum && minimum.fract() == 0.0))?;
    let high = (maximum.floor() as i64).checked_sub(i64::from(bounds.exclusive_maximum && maximum.fract() == 0.0))?;
    let count = high.checked_sub(low)?.checked_add(1)?;
    ((2..=FEW).contains(&count) && node.get("multipleOf").is_none()).then(|| (low..=high).map(Value::from).collect())
}

/// Returns the label of an option: the promise's own, or else the title in the schema, or else the value.
pub(super) fn option_label(hint: Option<&FieldHint>, node: &Value, value: &Value) -> String {
    let text = option_text(value);
    let titled = hint.and_then(|hint| hint.options.get(&text)).and_then(|option| option.title.clone());
    titled.or_else(|| enum_title(node, value)).unwrap_or_else(|| match value {
        Value::Bool(true) => "Yes".to_owned(),
        Value::Bool(false) => "No".to_owned(),
        Value::Null => "Nothing".to_owned(),
        Value::String(text) if text.is_empty() => "Empty".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

/// Returns the posted value of the option that a text names by its label, or else the text.
pub(super) fn named_option(hint: Option<&FieldHint>, node: &Value, values: &[Value], text: &str) -> String {
    let is_value = values.iter().any(|value| option_text(value) == text.trim());
    let named = || values.iter().find(|value| option_label(hint, node, value).eq_ignore_ascii_case(text.trim()));
    if is_value { text.to_owned() } else { named().map_or_else(|| text.to_owned(), option_text) }
}

/// Returns the posted value of an option. An empty post means “not set”, so an empty text is quoted.
pub(super) fn option_text(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the default of a parameter. In a row it is the schema's own because rows can move.
pub(super) fn default_of(place: &Place, node: &Value, defaults: &Value) -> Option<Value> {
    let held = if place.in_row { place.given.as_ref() } else { place.path.get(defaults) };
    held.or_else(|| node.get("default")).cloned()
}

/// Returns the schema with which all parameters together are a single control: a map, or any value. `None` if it has fields.
pub(super) fn whole(schema: &Value) -> Option<&Value> {
    let has_fields = schema.get("properties").and_then(Value::as_object).is_some_and(|fields| !fields.is_empty());
    let open = schema.get("additionalProperties").is_some_and(|open| open.is_object() || *open == Value::Bool(true));
    let keeps = schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true));
    (!has_fields && (open || keeps)).then_some(schema)
}

/// Formats a scalar for an input.
pub(super) fn scalar_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Converts an entered text by the schema. A text that doesn't match stays a text, so that validation reports it.
pub(super) fn typed(node: &Value, text: &str) -> Value {
    let trimmed = text.trim();
    let kept = || Value::String(text.to_owned());
    match Shape::of(node) {
        Shape::Integer => integer(trimmed).unwrap_or_else(kept),
        Shape::Number => match integer(trimmed) {
            Some(whole) => whole,
            None => trimmed.parse().ok().and_then(serde_json::Number::from_f64).map_or_else(kept, Value::Number),
        },
        Shape::Boolean => match trimmed {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => kept(),
        },
        // `007` and `+1` stay texts: only canonical numbers are numbers.
        Shape::IntOrString => {
            match integer(trimmed).filter(|whole| whole.as_i64().is_some_and(|whole| format!("{whole}").as_str() == trimmed)) {
                Some(whole) => whole,
                None => Value::String(trimmed.to_owned()),
            }
        }
        Shape::Quantity => Value::String(trimmed.to_owned()),
        Shape::Choice => {
            let listed = |text: &str| node["enum"].as_array().into_iter().flatten().find(|value| option_text(value) == text);
            listed(text).or_else(|| listed(trimmed)).cloned().unwrap_or_else(kept)
        }
        Shape::Text => TextKind::of_format(node).map_or_else(kept, |kind| Value::String(kind.trimmed(text))),
        Shape::List | Shape::Map | Shape::Object | Shape::Open => kept(),
    }
}

/// Parses digits with an optional sign. Spaces as thousands separators are accepted.
fn integer(text: &str) -> Option<Value> {
    let (sign, digits) = match text.strip_prefix(['-', '+']) {
        Some(digits) => (if text.starts_with('-') { "-" } else { "" }, digits),
        None => ("", text),
    };
    let mut groups = digits.split(['\u{a0}', '\u{202f}', ' ']);
    let first = groups.next()?;
    let grouped = digits != first;
    if !first.starts_with(|letter: char| letter.is_ascii_digit()) || (grouped && first.len() > 3) || groups.any(|group| group.len() != 3) {
        return None;
    }
    let plain = format!("{sign}{}", digits.replace(['\u{a0}', '\u{202f}', ' '], ""));
    plain.parse::<i64>().map(Value::from).or_else(|_| plain.parse::<u64>().map(Value::from)).ok()
}

/// A property of an object: its place, its name, its schema, and whether it is required.
pub(super) type Property<'n> = (Place, &'n str, &'n Value, bool);

/// Returns the properties of an object in the order of the form.
pub(super) fn properties<'n>(promise: &PromiseSpec, place: &Place, node: &'n Value) -> Vec<Property<'n>> {
    let required: Vec<&str> = node["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut found: Vec<Property<'n>> = node["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, property)| (place.child(node, key), key.as_str(), property, required.contains(&key.as_str())))
        .collect();
    found.sort_by_key(|(place, key, _, required)| {
        let order = shape::hint_at(promise, &place.pattern).and_then(|hint| hint.order).unwrap_or(i32::MAX);
        (order, !*required, (*key).to_owned())
    });
    found
}

#[cfg(test)]
mod tests {
    use super::{few_integers, typed};
    use serde_json::json;

    #[test]
    fn texts_are_read_by_the_schema() {
        let (integer, number) = (json!({"type": "integer"}), json!({"type": "number"}));
        let mixed = json!({"x-kubernetes-int-or-string": true});
        let padded = json!({"type": "string", "enum": ["a", " a"]});
        for (node, text, value) in [
            (&integer, " 42 ", json!(42)),
            (&integer, "+42", json!(42)),
            (&integer, "-1 000 000", json!(-1_000_000)),
            (&integer, "1\u{a0}000", json!(1000)),
            (&integer, "1 2 3", json!("1 2 3")),
            (&integer, "10 20", json!("10 20")),
            (&integer, "1000 000", json!("1000 000")),
            (&integer, "- 5", json!("- 5")),
            (&integer, "+-5", json!("+-5")),
            (&integer, "1.0", json!("1.0")),
            (&integer, "18446744073709551615", json!(u64::MAX)),
            (&integer, "18446744073709551616", json!("18446744073709551616")),
            (&number, "0.5", json!(0.5)),
            (&number, "NaN", json!("NaN")),
            (&number, "1e999", json!("1e999")),
            (&mixed, "80", json!(80)),
            (&mixed, "1 000", json!("1 000")),
            (&mixed, "25%", json!("25%")),
            (&padded, " a", json!(" a")),
            (&padded, "a ", json!("a")),
        ] {
            assert_eq!(typed(node, text), value, "{text:?}");
        }
    }

    #[test]
    fn few_integers_are_those_within_the_bounds() {
        assert_eq!(few_integers(&json!({"minimum": 1, "maximum": 3})), Some(vec![json!(1), json!(2), json!(3)]));
        let open = json!({"minimum": 1, "exclusiveMinimum": true, "maximum": 4, "exclusiveMaximum": true});
        assert_eq!(few_integers(&open), Some(vec![json!(2), json!(3)]));
        let fractions = json!({"minimum": 0.5, "exclusiveMinimum": true, "maximum": 2.5, "exclusiveMaximum": true});
        assert_eq!(few_integers(&fractions), Some(vec![json!(1), json!(2)]));
        assert_eq!(few_integers(&json!({"minimum": i64::MAX, "exclusiveMinimum": true, "maximum": 1e300})), None);
    }
}
