//! Validation of values against a JSON Schema, by the crate `jsonschema`.

use std::fmt;
use std::sync::OnceLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{ValidationError, Validator};
use serde_json::{Value, json};

use super::error::{FieldError, FieldErrorReason, NO_FIELD};
use crate::json_schema::{self, JsonSchemaError};

/// Maximum number of errors of one value.
const MAX_ERRORS: usize = 1_000;
/// Maximum number of alternatives within alternatives that an error is looked for in.
const DEPTH_LIMIT: usize = 16;

/// A JSON Schema, compiled when it is first needed.
pub(crate) struct Judge {
    schema: Value,
    validator: OnceLock<Result<Validator, JsonSchemaError>>,
}

impl fmt::Debug for Judge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Judge").finish_non_exhaustive()
    }
}

impl Judge {
    pub(crate) fn new(schema: Value) -> Self {
        Self { schema, validator: OnceLock::new() }
    }

    /// Decides whether a value is valid. `found` are the errors of the structural schema that was made from this one: they are kept where
    /// this one has an error, too, because they are worded for the field alone.
    pub(crate) fn decide(&self, value: &Value, mut found: Vec<FieldError>) -> Vec<FieldError> {
        let validator = match self.validator.get_or_init(|| json_schema::compile(&self.schema)) {
            Ok(validator) => validator,
            Err(error) => return vec![FieldError::new(FieldErrorReason::Internal, NO_FIELD, None, error.to_string())],
        };
        let mut errors = Vec::new();
        for error in validator.iter_errors(value).take(MAX_ERRORS) {
            report(&error, 0, &mut errors);
        }
        found.retain(|known| errors.iter().any(|error| is_at_or_below(known.place(), error.place())));
        errors.retain(|error| !found.iter().any(|known| is_at_or_below(known.place(), error.place())));
        found.extend(errors);
        found
    }
}

/// Whether a path is another one, or inside of it.
fn is_at_or_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || other.is_empty() || rest.starts_with(['.', '[']))
}

/// Adds an error. Of alternatives that all fail, the errors of the one that the value is meant for are added.
fn report(error: &ValidationError<'_>, depth: usize, errors: &mut Vec<FieldError>) {
    use FieldErrorReason::{Duplicate, Forbidden, Invalid, NotSupported, TooLong, TooMany, TypeInvalid};
    let at = field(error.instance_path());
    let value = Some(error.instance().as_ref().clone());
    let mut add =
        |reason, schema: Value| errors.push(FieldError::new(reason, at.clone(), value.clone(), error.kind().keyword()).rejected_by(schema));
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            match meant(context).filter(|_| depth < DEPTH_LIMIT) {
                Some(inner) => inner.iter().for_each(|error| report(error, depth + 1, errors)),
                None => add(Invalid, json!({})),
            }
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            errors.push(FieldError::required(joined(&at, name), ""));
        }
        ValidationErrorKind::AdditionalProperties { unexpected } | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            errors.extend(unexpected.iter().map(|name| FieldError::forbidden(joined(&at, name), error.kind().keyword())));
        }
        ValidationErrorKind::Type { kind } => {
            let names: Vec<String> = match kind {
                TypeKind::Single(kind) => vec![kind.to_string()],
                TypeKind::Multiple(kinds) => kinds.into_iter().map(|kind| kind.to_string()).collect(),
            };
            add(TypeInvalid, json!({"type": names}));
        }
        ValidationErrorKind::Enum { options } => add(NotSupported, json!({"enum": options.as_ref()})),
        ValidationErrorKind::Constant { expected_value } => add(NotSupported, json!({"const": expected_value.as_ref()})),
        ValidationErrorKind::MaxLength { limit } => add(TooLong, json!({"type": "string", "maxLength": limit})),
        ValidationErrorKind::MinLength { limit } => add(Invalid, json!({"type": "string", "minLength": limit})),
        ValidationErrorKind::MaxItems { limit } => add(TooMany, json!({"type": "array", "maxItems": limit})),
        ValidationErrorKind::AdditionalItems { limit } => add(TooMany, json!({"type": "array", "maxItems": limit})),
        ValidationErrorKind::MinItems { limit } => add(Invalid, json!({"type": "array", "minItems": limit})),
        ValidationErrorKind::MaxProperties { limit } => add(TooMany, json!({"type": "object", "maxProperties": limit})),
        ValidationErrorKind::MinProperties { limit } => add(Invalid, json!({"type": "object", "minProperties": limit})),
        ValidationErrorKind::Maximum { limit } => add(Invalid, json!({"type": "number", "maximum": limit})),
        ValidationErrorKind::Minimum { limit } => add(Invalid, json!({"type": "number", "minimum": limit})),
        ValidationErrorKind::ExclusiveMaximum { limit } => add(Invalid, json!({"type": "number", "exclusiveMaximum": limit})),
        ValidationErrorKind::ExclusiveMinimum { limit } => add(Invalid, json!({"type": "number", "exclusiveMinimum": limit})),
        ValidationErrorKind::MultipleOf { multiple_of } => add(Invalid, json!({"type": "number", "multipleOf": multiple_of})),
        ValidationErrorKind::Pattern { pattern } => add(Invalid, json!({"type": "string", "pattern": pattern})),
        ValidationErrorKind::Format { format } => add(Invalid, json!({"type": "string", "format": format})),
        ValidationErrorKind::UniqueItems => {
            let items = error.instance().as_array().map(Vec::as_slice).unwrap_or_default();
            let twice = items.iter().enumerate().find(|(index, item)| items[..*index].contains(item));
            if let Some((index, item)) = twice {
                errors.push(FieldError::new(Duplicate, format!("{at}[{index}]"), Some(item.clone()), ""));
            }
        }
        ValidationErrorKind::FalseSchema => add(Forbidden, json!({})),
        _ => add(Invalid, json!({})),
    }
}

/// Returns the errors of the alternative that a value is meant for: the one that fails for the fewest reasons, not counting those that
/// fail because of the value's type or a constant, such as the one that tells variants apart. `None` if no alternative stands out.
fn meant<'e, 'v>(context: &'e [Vec<ValidationError<'v>>]) -> Option<&'e [ValidationError<'v>]> {
    let is_other = |error: &ValidationError<'_>| {
        let is_constant = matches!(error.kind(), ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. });
        let is_type = matches!(error.kind(), ValidationErrorKind::Type { .. });
        let depth = error.instance_path().segments().count();
        let least = context.iter().flatten().map(|error| error.instance_path().segments().count()).min();
        (is_type && Some(depth) == least) || is_constant
    };
    let mut ranked: Vec<(usize, usize, usize)> = context
        .iter()
        .enumerate()
        .map(|(index, errors)| (errors.iter().filter(|error| is_other(error)).count(), errors.len(), index))
        .collect();
    ranked.sort_unstable();
    match ranked.as_slice() {
        [(.., only)] => context.get(*only).map(Vec::as_slice),
        [(others, count, best), (next_others, next_count, _), ..] if (others, count) < (next_others, next_count) => {
            context.get(*best).map(Vec::as_slice)
        }
        _ => None,
    }
}

/// Returns a location as the path of a field.
fn field(location: &Location) -> String {
    location.segments().fold(String::new(), |path, segment| match segment {
        LocationSegment::Property(name) => joined(&path, &name),
        LocationSegment::Index(index) => format!("{path}[{index}]"),
    })
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

impl FieldError {
    /// Sets what rejects the value, as a structural schema of that alone.
    fn rejected_by(mut self, schema: Value) -> Self {
        self.schema = Some(json_schema::of_keywords(&schema));
        self
    }
}
