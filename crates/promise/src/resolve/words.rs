//! Problems in plain English: the field and the fix. A rule or pattern of the schema is quoted only if its author provided no message.

use schema::structural::{FieldError, FieldErrorReason, RuleFault, Schema};
use serde_json::Value;

use super::together;
use crate::alternatives::Alternatives;
use crate::api::PromiseSpec;
use crate::path::Path;
use crate::policy::Bounds;
use crate::policy::sentence::span;
use crate::shape::{self, Shape, node_at};
use crate::text_kind::TextKind;
use crate::wording::{label, lower_first, noun, number, one_of, quoted, upper_first, value as value_in_words};

/// Describes a field that the promise doesn't have.
pub(super) fn unknown(promise: &PromiseSpec, schema: &Value, path: &Path) -> String {
    match alike(schema, path) {
        Some(known) => format!("Remove or rename {path}: there is no such parameter. Did you mean {known}?"),
        None if promise.parameters.is_none() => format!("Remove {path}: this promise has no parameters."),
        None => format!("Remove {path}: there is no such parameter."),
    }
}

/// Describes a field that a kind of objects doesn't have.
pub(super) fn unknown_of_kind(schema: &Value, path: &Path) -> String {
    match alike(schema, path) {
        Some(known) => format!("Remove or rename {path}: there is no such field. Did you mean {known}?"),
        None => format!("Remove {path}: there is no such field."),
    }
}

/// Returns the path of the known field beside an unknown one whose name is spelled most like it.
fn alike(schema: &Value, path: &Path) -> Option<String> {
    let name = path.last_key().unwrap_or_default();
    let lead = Path(path.0.split_last().map(|(_, lead)| lead.to_vec()).unwrap_or_default());
    let siblings = node_at(schema, &lead).and_then(|node| node.get("properties")).and_then(Value::as_object);
    let near = siblings
        .into_iter()
        .flat_map(|properties| properties.keys())
        .filter_map(|known| crate::spelling::alike(name, known).map(|score| (score, known)))
        .min();
    near.map(|(_, known)| lead.child(known).to_string())
}

/// Maximum number of choices that a sentence names.
const NAMED: usize = 25;

/// Maximum number of fields that a sentence about a rule names.
const MOST_NAMED: usize = 4;

/// Describes a violated rule of the schema: the author's message, or else the rule itself and the fields that it is about.
pub(super) fn rule(promise: &PromiseSpec, path: &Path, fields: &[Path], error: &FieldError) -> String {
    let text = error.detail.trim();
    let what = subject(promise, path, fields);
    match &error.rule {
        // A rule that fails on the values: the server's words about the engine help no one, the rule does.
        Some(RuleFault::NotEvaluated { rule }) => format!("Change {what} so that this rule of the promise can be checked: {rule}"),
        Some(RuleFault::Violated { rule }) => format!("Change {what} to satisfy this rule of the promise: {rule}"),
        Some(RuleFault::OutOfBudget { rule }) => {
            format!("Use fewer or shorter values for {what}: this rule of the promise takes too long to check: {rule}")
        }
        _ if text.is_empty() => format!("Change {what}: a rule of the promise isn't satisfied."),
        _ => with_stop(text),
    }
}

/// Returns what a rule is about, as a noun.
fn subject(promise: &PromiseSpec, path: &Path, fields: &[Path]) -> String {
    let mut names: Vec<String> = fields.iter().filter(|field| !field.0.is_empty()).map(|field| noun(promise, field)).collect();
    names.dedup();
    match names.len() {
        2..=MOST_NAMED => one_of(&names),
        _ if path.0.is_empty() => "the values".to_owned(),
        _ => noun(promise, path),
    }
}

fn with_stop(text: &str) -> String {
    let text = upper_first(text);
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// Describes a value that violates the schema.
pub(super) fn structural(promise: &PromiseSpec, schema: &Value, path: &Path, root: &Value, error: &FieldError) -> String {
    // A JSON Schema can reject what the structural schema made from it accepts.
    let node = error.schema.as_ref().or_else(|| node_at(schema, path)).unwrap_or(&Value::Null);
    let name = noun(promise, path);
    let bounds = Bounds::of_node(node);
    // A maximum of one property is a choice between them.
    if matches!(error.reason, FieldErrorReason::TooMany | FieldErrorReason::Invalid)
        && let Some(value @ Value::Object(_)) = path.get(root)
        && let Some(alternatives) = Alternatives::of(node).filter(|found| found.is_exclusive() && !found.annotated)
        && let Some(message) = together::choice(promise, &alternatives, value, path)
    {
        return message;
    }
    match error.reason {
        FieldErrorReason::Required => required(promise, node, path),
        FieldErrorReason::TypeInvalid => wrong_type(promise, node, &name, &bounds, path, path.get(root)),
        FieldErrorReason::NotSupported => match &bounds.values {
            Some(values) => choose(values, &name, path.get(root)),
            None => format!("Choose another value for {name}."),
        },
        FieldErrorReason::Duplicate => {
            let twice = error.value.as_ref().map(|value| format!(" {}", value_in_words(value))).unwrap_or_default();
            let list = Path(path.0.split_last().map(|(_, lead)| lead.to_vec()).unwrap_or_default());
            format!("Remove the duplicate entry{twice} from {}.", noun(promise, &list))
        }
        FieldErrorReason::TooLong => match bounds.max_length {
            Some(most) => format!("Shorten {name} to at most {}.", crate::wording::counted(most, "character")),
            None => format!("Shorten {name}."),
        },
        FieldErrorReason::TooMany => {
            let most = bounds.max_items.or_else(|| node.get("maxProperties").and_then(Value::as_u64));
            counted(node, &name, None, most).unwrap_or_else(|| format!("Remove entries from {name}."))
        }
        FieldErrorReason::Forbidden => format!("Remove {name}: it can't be combined with the other values."),
        FieldErrorReason::Invalid | FieldErrorReason::Internal => out_of_bounds(promise, node, &name, &bounds, path, path.get(root)),
    }
}

/// Describes a required value that is missing.
pub(crate) fn required(promise: &PromiseSpec, node: &Value, path: &Path) -> String {
    let label = label(promise, path);
    let what = quoted(&label);
    let is_offered = || shape::hint_at(promise, &path.of_each_row()).is_some_and(|hint| hint.reference.is_some());
    match Shape::of(node) {
        // An entry of a map can have an empty name.
        Shape::Choice | Shape::Boolean if label.is_empty() => "Choose a value.".to_owned(),
        _ if label.is_empty() => "Enter a value.".to_owned(),
        Shape::Choice | Shape::Boolean => format!("Choose a value for {what}."),
        Shape::List | Shape::Map => format!("Add an entry to {what}."),
        Shape::Object | Shape::Open => format!("Fill in {what}."),
        _ if is_offered() => format!("Choose a value for {what}."),
        _ => format!("Enter a value for {what}."),
    }
}

/// Names the values to choose from, or the one that is meant if they are many.
fn choose(values: &[Value], name: &str, given: Option<&Value>) -> String {
    let listed: Vec<String> = values.iter().map(value_in_words).collect();
    let Some(given) = given.map(value_in_words).filter(|_| listed.len() > NAMED) else {
        return format!("Choose {} for {name}.", one_of(&listed));
    };
    let near = listed.iter().filter_map(|known| crate::spelling::alike(&given, known).map(|score| (score, known))).min();
    let near = near.map(|(_, known)| format!(" Did you mean {known}?")).unwrap_or_default();
    format!("Change {name}: {given} isn't one of the {} allowed values.{near}", listed.len())
}

fn wrong_type(promise: &PromiseSpec, node: &Value, name: &str, bounds: &Bounds, path: &Path, given: Option<&Value>) -> String {
    match Shape::of(node) {
        Shape::Integer => format!("Enter {name} as a whole number{}.", range(bounds)),
        Shape::Number => format!("Enter {name} as a number{}.", range(bounds)),
        Shape::Boolean => format!("Choose yes or no for {name}."),
        Shape::Choice => match &bounds.values {
            Some(values) => choose(values, name, given),
            None => format!("Choose another value for {name}."),
        },
        Shape::IntOrString => format!("Enter {name} as a whole number or text, for example 3 or 25%."),
        // A text that doesn't have the format has a wrong type.
        Shape::Text | Shape::Quantity => match TextKind::of(node, shape::hint_at(promise, &path.of_each_row())) {
            Some(TextKind::Host) => host_name(node, name, given),
            Some(kind) => format!("Enter {name} as {}.", kind.in_words(node)),
            None => format!("Enter {name} as text{}.", said_help(promise, path)),
        },
        Shape::List => format!("Enter {name} as a list."),
        Shape::Map => format!("Enter {name} as key–value pairs."),
        Shape::Object | Shape::Open => format!("Fill in {} as fields with values.", upper_first(name)),
    }
}

/// Describes how to enter a host name. API servers accept `db` and `db-primary.example.org`, but reject `db-primary`.
fn host_name(node: &Value, name: &str, given: Option<&Value>) -> String {
    let whole = given.and_then(Value::as_str).filter(|text| text.contains('-')).map(|text| format!("{text}.example.org"));
    match whole.filter(|whole| Schema::parse_lenient(node).validate(&Value::from(whole.as_str())).is_empty()) {
        Some(whole) => format!("Enter {name} with its domain, such as {whole}."),
        None => format!("Enter {name} as {}.", TextKind::Host.in_words(node)),
    }
}

fn range(bounds: &Bounds) -> String {
    match (bounds.minimum, bounds.maximum, span(bounds)) {
        (Some(low), Some(high), _) if !bounds.exclusive_minimum && !bounds.exclusive_maximum => {
            format!(" between {} and {}", number(low), number(high))
        }
        // “of at least 1”, and “above 1”.
        (Some(_), _, Some(span)) if !bounds.exclusive_minimum => format!(" of {span}"),
        (None, Some(_), Some(span)) if !bounds.exclusive_maximum => format!(" of {span}"),
        (_, _, Some(span)) => format!(" {span}"),
        (_, _, None) => String::new(),
    }
}

/// Returns the minimum and maximum of an integer format if the value is outside of them.
fn beyond_format(node: &Value, value: &Value) -> Option<(i128, i128)> {
    if node.get("type").and_then(Value::as_str) != Some("integer") {
        return None;
    }
    let (low, high) = match node.get("format").and_then(Value::as_str) {
        Some("int32") => (i128::from(i32::MIN), i128::from(i32::MAX)),
        Some("uint32") => (0, i128::from(u32::MAX)),
        Some("uint64") => (0, i128::from(u64::MAX)),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    let whole = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    (!whole.is_some_and(|whole| (low..=high).contains(&whole))).then_some((low, high))
}

fn said_help(promise: &PromiseSpec, path: &Path) -> String {
    shape::hint_at(promise, path)
        .and_then(|hint| hint.help.as_ref())
        .map(|help| format!(" ({})", help.trim_end_matches('.')))
        .unwrap_or_default()
}

fn out_of_bounds(promise: &PromiseSpec, node: &Value, name: &str, bounds: &Bounds, path: &Path, value: Option<&Value>) -> String {
    match value {
        Some(Value::Number(_)) => {
            let is_within = value.is_some_and(|value| bounds.admits(value));
            let beyond = value.filter(|_| is_within).and_then(|value| beyond_format(node, value));
            match (beyond, node.get("multipleOf").and_then(Value::as_f64)) {
                (Some((low, high)), _) => format!("Enter {name} as a whole number between {low} and {high}."),
                (None, Some(step)) if is_within => format!("Enter {name} as a multiple of {}.", number(step)),
                _ => format!("Enter {name} as a number{}.", range(bounds)),
            }
        }
        Some(Value::String(text)) => {
            if let Some(least) = bounds.min_length.filter(|least| (text.chars().count() as u64) < *least) {
                return match (text.is_empty(), least) {
                    (true, _) => required(promise, node, path),
                    (false, least) => format!("Enter at least {least} characters for {name}."),
                };
            }
            let hint = shape::hint_at(promise, &path.of_each_row());
            // What a pattern accepts has words of its own.
            if let Some(kind) = TextKind::of(node, hint).filter(|kind| *kind != TextKind::Quantity) {
                return format!("Enter {name} as {}.", kind.in_words(node));
            }
            match shape::form_in_words(node, hint) {
                Some(form) => format!("Change {name}: {}.", lower_first(&form)),
                None => match said_help(promise, path) {
                    help if help.is_empty() => match node.get("pattern").and_then(Value::as_str) {
                        Some(pattern) => format!("Change {name} to match the pattern {pattern}"),
                        None => format!("Change {name}: it isn't in the format that the promise requires."),
                    },
                    help => format!("Change {name} to the format that the promise requires{help}."),
                },
            }
        }
        Some(Value::Array(items)) => {
            let count = items.len() as u64;
            counted(node, name, bounds.min_items.filter(|least| count < *least), None)
                .unwrap_or_else(|| format!("Change {name}: the value isn't valid."))
        }
        Some(Value::Object(fields)) => {
            let count = fields.len() as u64;
            let least = node.get("minProperties").and_then(Value::as_u64).filter(|least| count < *least);
            let most = node.get("maxProperties").and_then(Value::as_u64).filter(|most| count > *most);
            counted(node, name, least, most).unwrap_or_else(|| format!("Change {name}: its values aren't valid together."))
        }
        Some(Value::Null | Value::Bool(_)) | None => format!("Change {name}: the value isn't valid."),
    }
}

/// Says that a list, map or object has too few or too many entries.
fn counted(node: &Value, name: &str, least: Option<u64>, most: Option<u64>) -> Option<String> {
    let are = |count: u64| if count == 1 { "is" } else { "are" };
    let is_object = node["properties"].is_object();
    Some(match (least, most) {
        (Some(1), _) if is_object => format!("Fill in at least one field of {name}."),
        (Some(least), _) if is_object => format!("Fill in at least {least} fields of {name}."),
        (Some(1), _) => format!("Add an entry to {name}: at least one is required."),
        (Some(least), _) => format!("Add entries to {name}: at least {least} are required."),
        (_, Some(most)) if is_object => format!("Clear fields of {name}: at most {most} can be filled in."),
        (_, Some(most)) => format!("Remove entries from {name}: at most {most} {} allowed.", are(most)),
        (None, None) => return None,
    })
}
