//! Validation of values: types, limits, combinations. Messages and their order within one value follow the API server.

use serde_json::{Map, Number, Value};

use super::error::{FieldError, FieldErrorReason, NO_FIELD, show};
use super::path::Path;
use super::{Additional, Kind, Limit, Schema, embedded, format, number, unique};

/// Number of fields from which an object with too many of them isn't checked further, so that errors stay few.
const MANY_FIELDS: usize = 1_000;

/// Returns all errors of a value; those of the API server's separate passes (embedded resources, uniqueness) come last.
///
/// With a former state, unchanged values are not checked again: a rule that was added later applies only to what is changed.
pub(super) fn validate(schema: &Schema, value: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut found = Found::default();
    node(schema, value, old, &Path::Root, &mut found);
    let mut errors = found.errors;
    passes(schema, value, &Path::Root, &mut errors);
    errors
}

/// Like [`validate`], for a default: messages use paths from the default's own root, fields use paths from the schema around it.
pub(super) fn validate_default(schema: &Schema, value: &Value) -> Vec<FieldError> {
    validate(schema, value, None).into_iter().map(|error| error.prefixed("default")).collect()
}

/// Errors and how much was checked: among failing alternatives, the one with the most checks is reported.
#[derive(Default)]
struct Found {
    errors: Vec<FieldError>,
    checks: usize,
}

impl Found {
    fn merge(&mut self, other: Self) {
        self.errors.extend(other.errors);
        self.checks += other.checks;
    }

    fn invalid(&mut self, path: &Path<'_>, value: &Value, text: impl std::fmt::Display) {
        self.errors.push(FieldError::invalid(path.to_string(), value.clone(), format!("{path} in body {text}")));
    }

    /// Adds an error that the API server reports without a field; the field is still known here.
    fn nowhere(&mut self, path: &Path<'_>, text: String) {
        self.errors.push(FieldError::invalid(NO_FIELD, "", text).about(path.to_string()));
    }
}

fn node(schema: &Schema, value: &Value, old: Option<&Value>, path: &Path<'_>, found: &mut Found) {
    if old == Some(value) {
        return;
    }
    types(schema, value, path, found);
    if value.is_null() {
        enumeration(schema, value, path, found);
        return;
    }
    combinations(schema, value, path, found);
    match value {
        Value::String(text) => string(schema, text, value, path, found),
        Value::Number(number) => limits(schema, number, value, path, found),
        Value::Array(items) => array(schema, items, old, path, found),
        _ => {}
    }
    enumeration(schema, value, path, found);
    if let Value::Object(fields) = value {
        object(schema, fields, value, old, path, found);
    }
}

/// Returns the name and format of a value's type, as the API server infers them.
fn inferred(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", ""),
        Value::Bool(_) => ("boolean", ""),
        Value::String(_) => ("string", ""),
        Value::Array(_) => ("array", ""),
        Value::Object(_) => ("object", ""),
        Value::Number(number) if number::is_float(number) => ("number", "float64"),
        Value::Number(_) => ("integer", "int64"),
    }
}

fn types(schema: &Schema, value: &Value, path: &Path<'_>, found: &mut Found) {
    found.checks += 1;
    let allowed: &[Kind] = match &schema.kind {
        _ if schema.int_or_string => &[Kind::Integer, Kind::String],
        Some(kind) => std::slice::from_ref(kind),
        None => &[],
    };
    let (name, inferred_format) = inferred(value);
    if value.is_null() {
        if !schema.nullable && !allowed.is_empty() {
            found.errors.push(wrong_type(path, &names(allowed), name));
        }
        return;
    }
    let is_whole = |number: &Number| number::is_float(number) && number.as_f64().is_some_and(number::is_whole);
    let whole_float = matches!(value, Value::Number(number) if is_whole(number)) && allowed.contains(&Kind::Integer);
    let fits = allowed.iter().any(|kind| kind.name() == name) || whole_float || (name == "integer" && allowed.contains(&Kind::Number));
    if fits || (allowed.is_empty() && schema.format.is_none()) {
        return;
    }
    match schema.format.as_deref() {
        Some(format) if !value.is_string() && !value.is_array() => {
            if format != inferred_format {
                found.errors.push(wrong_type(path, format, inferred_format));
            }
        }
        // A string or list in a field with its own format is left to the check of that format.
        Some(_) if !allowed.iter().any(|kind| matches!(kind, Kind::Integer | Kind::Number)) => {}
        _ if allowed.is_empty() => {}
        _ => found.errors.push(wrong_type(path, &names(allowed), name)),
    }
}

fn names(kinds: &[Kind]) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(",")
}

fn wrong_type(path: &Path<'_>, expected: &str, found: &str) -> FieldError {
    let detail = format!("{path} in body must be of type {expected}: \"{found}\"");
    FieldError::new(FieldErrorReason::TypeInvalid, path.to_string(), Some(found.into()), detail)
}

fn combinations(schema: &Schema, value: &Value, path: &Path<'_>, found: &mut Found) {
    found.checks += 1;
    // An alternative is always checked completely: an unchanged part would match every alternative.
    let judge = |schema: &Schema| {
        let mut found = Found::default();
        node(schema, value, None, path, &mut found);
        found
    };
    if !schema.any_of.is_empty() {
        let judged: Vec<Found> = schema.any_of.iter().map(judge).collect();
        match judged.iter().position(|found| found.errors.is_empty()) {
            Some(first) => found.checks += judged[first].checks,
            None => {
                found.nowhere(path, format!("\"{path}\" must validate at least one schema (anyOf)"));
                merge_best(judged, found);
            }
        }
    }
    if !schema.one_of.is_empty() {
        let judged: Vec<Found> = schema.one_of.iter().map(judge).collect();
        match judged.iter().filter(|found| found.errors.is_empty()).count() {
            1 => {}
            0 => {
                found.nowhere(path, format!("\"{path}\" must validate one and only one schema (oneOf). Found none valid"));
                merge_best(judged, found);
            }
            many => {
                found.nowhere(path, format!("\"{path}\" must validate one and only one schema (oneOf). Found {many} valid alternatives"))
            }
        }
    }
    if !schema.all_of.is_empty() {
        let judged: Vec<Found> = schema.all_of.iter().map(judge).collect();
        let valid = judged.iter().filter(|found| found.errors.is_empty()).count();
        let all = judged.len();
        judged.into_iter().for_each(|judged| found.merge(judged));
        if valid != all {
            let none = if valid == 0 { ". None validated" } else { "" };
            found.nowhere(path, format!("\"{path}\" must validate all the schemas (allOf){none}"));
        }
    }
    if let Some(not) = &schema.not
        && judge(not).errors.is_empty()
    {
        found.nowhere(path, format!("\"{path}\" must not validate the schema (not)"));
    }
}

/// Adds the errors of the alternative that got furthest; the first one if several did.
fn merge_best(judged: Vec<Found>, found: &mut Found) {
    let mut best: Option<Found> = None;
    for candidate in judged {
        if best.as_ref().is_none_or(|best| candidate.checks > best.checks) {
            best = Some(candidate);
        }
    }
    if let Some(best) = best {
        found.merge(best);
    }
}

fn plural(count: i64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Checks a string, and its format after everything else.
fn string(schema: &Schema, text: &str, value: &Value, path: &Path<'_>, found: &mut Found) {
    found.checks += 1;
    lengths(schema, text, value, path, found);
    if let Some(format) = schema.format.as_deref()
        && !format::is_valid(format, text)
    {
        let detail = format!("{path} in body must be of type {format}: {}", show(value));
        found.errors.push(FieldError::new(FieldErrorReason::TypeInvalid, path.to_string(), Some(value.clone()), detail));
    }
}

/// Checks lengths, which count code points, and the pattern. Stops at the first that is violated.
fn lengths(schema: &Schema, text: &str, value: &Value, path: &Path<'_>, found: &mut Found) {
    let length = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if let Some(limit) = schema.max_length
        && length() > limit
    {
        let detail = format!("may not be more than {limit} byte{}", plural(limit));
        found.errors.push(FieldError::new(FieldErrorReason::TooLong, path.to_string(), Some(value.clone()), detail));
        return;
    }
    if let Some(limit) = schema.min_length
        && length() < limit
    {
        found.invalid(path, value, format_args!("should be at least {limit} chars long"));
        return;
    }
    if let Some(pattern) = &schema.pattern
        && !pattern.regex.as_ref().is_some_and(|regex| regex.is_match(text))
    {
        found.invalid(path, value, format_args!("should match '{}'", pattern.source));
    }
}

/// Checks the limits of a number. Source: kube-openapi `pkg/validation/validate/values.go`.
fn limits(schema: &Schema, number: &Number, value: &Value, path: &Path<'_>, found: &mut Found) {
    found.checks += 1;
    in_range(schema, number, "Checked", path, found);
    if let Some(of) = &schema.multiple_of
        && !number::is_multiple(number, of)
    {
        let of = number::show_float(of.as_f64().unwrap_or_default());
        found.invalid(path, value, format_args!("should be a multiple of {of}"));
    }
    if let Some(Limit { value: limit, exclusive }) = &schema.maximum {
        let (order, shown) = number::compare(number, limit, in_range(schema, limit, "Maximum boundary", path, found));
        if order.is_gt() || (*exclusive && order.is_eq()) {
            let or_equal = if *exclusive { "" } else { "or equal to " };
            found.invalid(path, value, format_args!("should be less than {or_equal}{shown}"));
        }
    }
    if let Some(Limit { value: limit, exclusive }) = &schema.minimum {
        let (order, shown) = number::compare(number, limit, in_range(schema, limit, "Minimum boundary", path, found));
        if order.is_lt() || (*exclusive && order.is_eq()) {
            let or_equal = if *exclusive { "" } else { "or equal to " };
            found.invalid(path, value, format_args!("should be greater than {or_equal}{shown}"));
        }
    }
}

/// Whether a number, either a value or a limit, has the type of the schema.
fn in_range(schema: &Schema, number: &Number, what: &str, path: &Path<'_>, found: &mut Found) -> bool {
    let integer = schema.kind == Some(Kind::Integer);
    let fits = number::in_range(number, integer, schema.format.as_deref());
    if !fits {
        let kind = schema.kind.map_or("", Kind::name);
        let format = schema.format.as_ref().map_or_else(|| "(default format)".to_owned(), |format| format!("with format {format}"));
        found.nowhere(path, format!("{what} value must be of type {kind} {format} in {path}"));
    }
    fits
}

fn array(list: &Schema, items: &[Value], old: Option<&Value>, path: &Path<'_>, found: &mut Found) {
    found.checks += 1;
    if let Some(schema) = list.items() {
        let old = unique::by_key(list, old);
        for (index, item) in items.iter().enumerate() {
            let old = old.as_ref().and_then(|old| old.of(item));
            node(schema, item, old, &path.index(index), found);
        }
    }
    let size = i64::try_from(items.len()).unwrap_or(i64::MAX);
    if let Some(limit) = list.min_items
        && size < limit
    {
        found.invalid(path, &size.into(), format_args!("should have at least {limit} items"));
    }
    if let Some(limit) = list.max_items
        && size > limit
    {
        found.errors.push(too_many(path, size, limit));
    }
}

fn too_many(path: &Path<'_>, size: i64, limit: i64) -> FieldError {
    FieldError::new(
        FieldErrorReason::TooMany,
        path.to_string(),
        Some(size.into()),
        format!("must have at most {limit} item{}", plural(limit)),
    )
}

fn enumeration(schema: &Schema, value: &Value, path: &Path<'_>, found: &mut Found) {
    found.checks += 1;
    if schema.enumeration.is_empty()
        || schema.enumeration.iter().any(|allowed| same(allowed, value))
        || (value.is_null() && schema.nullable)
    {
        return;
    }
    let texts: Vec<String> =
        schema.enumeration.iter().map(|allowed| allowed.as_str().map_or_else(|| allowed.to_string(), str::to_owned)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    found.errors.push(FieldError::not_supported(path.to_string(), value.clone(), &texts));
}

fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => number::equal(left, right),
        _ => left == right,
    }
}

fn object(schema: &Schema, fields: &Map<String, Value>, value: &Value, old: Option<&Value>, path: &Path<'_>, found: &mut Found) {
    found.checks += 1;
    let size = i64::try_from(fields.len()).unwrap_or(i64::MAX);
    if let Some(limit) = schema.min_properties
        && size < limit
    {
        found.invalid(path, &size.into(), format_args!("should have at least {limit} properties"));
    }
    if let Some(limit) = schema.max_properties
        && size > limit
    {
        found.errors.push(too_many(path, size, limit));
        if fields.len() > MANY_FIELDS {
            return;
        }
    }
    for (name, field) in fields {
        let old = old.and_then(|old| old.get(name));
        if let Some(property) = schema.properties.get(name) {
            node(property, field, old, &path.field(name), found);
        } else if let Additional::Schema(values) = &schema.additional {
            node(values, field, old, &path.field(name), found);
        } else if matches!(schema.additional, Additional::Allowed(false)) {
            found.invalid(&path.field(name), value, "is a forbidden property");
        }
    }
    for name in &schema.required {
        if !fields.contains_key(name) {
            found.errors.push(FieldError::required(path.field(name).to_string(), ""));
        }
    }
}

/// Checks embedded resources and uniqueness of list items, which the API server checks separately from the rest.
fn passes(schema: &Schema, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    match value {
        Value::Object(fields) => {
            if schema.embedded {
                embedded::validate(value, path, errors);
            }
            for (name, field) in fields {
                if let Some(property) = schema.properties.get(name) {
                    passes(property, field, &path.field(name), errors);
                } else if let Some(values) = schema.additional_properties() {
                    passes(values, field, &path.key(name), errors);
                }
            }
        }
        Value::Array(items) => {
            unique::validate(schema, items, path, errors);
            if let Some(schema) = schema.items() {
                for (index, item) in items.iter().enumerate() {
                    passes(schema, item, &path.index(index), errors);
                }
            }
        }
        _ => {}
    }
}
