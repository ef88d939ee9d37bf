//! An object read as its kind: types are checked, quantities and texts of Secrets take the form in which they are stored.

use ::schema::structural::{Kind, Schema};
use base64::{DecodeError, Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{defaults, quantity, schema};
use crate::{apply::object_meta, registry::Resource, status::ApiError};

/// Format of quantities in our schemas.
pub(super) const QUANTITY: &str = "quantity";
/// Format of times with six digits of a second.
pub(super) const MICRO_TIME: &str = "micro-time";

/// Reads a built-in object as its kind and fills in its defaults.
///
/// # Errors
/// 400 with the text of the API server if a value is not of its type.
pub fn decode(resource: &Resource, object: &mut Value) -> Result<(), ApiError> {
    let Some(schema) = schema(&resource.group, &resource.kind) else { return Ok(()) };
    decode_metadata(resource, object)?;
    read(schema, object, &resource.kind).map_err(|problem| unreadable(resource, &problem))?;
    if resource.group.is_empty() && resource.kind == "Secret" {
        encode_texts(object);
    }
    defaults::before_schema(resource, object);
    schema.default(object);
    defaults::after_schema(resource, object);
    Ok(())
}

/// Reads the metadata of an object of any kind: everything that comes after takes its form for granted.
///
/// # Errors
/// 400 with the text of the API server if a value is not of its type.
pub fn decode_metadata(resource: &Resource, object: &mut Value) -> Result<(), ApiError> {
    let read = object.get_mut("metadata").map_or(Ok(()), |metadata| read(object_meta::schema(), metadata, "ObjectMeta.metadata"));
    read.map_err(|problem| unreadable(resource, &problem))
}

fn unreadable(resource: &Resource, problem: &str) -> ApiError {
    let (kind, version) = (&resource.kind, &resource.version);
    ApiError::bad_request(format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {problem}"))
}

/// Checks a value and brings quantities into their canonical form.
fn read(schema: &Schema, value: &mut Value, path: &str) -> Result<(), String> {
    if value.is_null() {
        return Ok(());
    }
    if schema.is_int_or_string() {
        return match (schema.format(), &*value) {
            (Some(QUANTITY), Value::String(_) | Value::Number(_)) => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let canonical = quantity::canonical(&text)
                    .ok_or("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")?;
                *value = canonical.into();
                Ok(())
            }
            (_, Value::String(_)) => Ok(()),
            (_, Value::Number(number)) if number.is_i64() => Ok(()),
            (_, other) => Err(mismatch(other, path, "intstr.IntOrString")),
        };
    }
    match (schema.kind(), &mut *value) {
        (Some(Kind::Object), Value::Object(fields)) => {
            for (name, value) in fields {
                let below = schema.property(name).or_else(|| schema.additional_properties());
                if let Some(below) = below {
                    // Keys of maps are no part of the names in these texts.
                    let path = if schema.property(name).is_some() { format!("{path}.{name}") } else { path.to_owned() };
                    read(below, value, &path)?;
                }
            }
            Ok(())
        }
        (Some(Kind::Array), Value::Array(items)) => match schema.items() {
            Some(below) => items.iter_mut().try_for_each(|item| read(below, item, path)),
            None => Ok(()),
        },
        (Some(Kind::String), Value::String(text)) => text_format(schema.format().unwrap_or_default(), text),
        (Some(Kind::Integer), Value::Number(number)) if number.is_i64() => match (schema.format(), number.as_i64()) {
            (Some("int32"), Some(number)) if i32::try_from(number).is_err() => {
                Err(format!("json: cannot unmarshal number {number} into Go struct field {path} of type int32"))
            }
            _ => Ok(()),
        },
        (Some(Kind::Number), Value::Number(_)) | (Some(Kind::Boolean), Value::Bool(_)) | (None, _) => Ok(()),
        (Some(kind), other) => {
            let wanted = match kind {
                Kind::Array => "[]interface {}",
                Kind::Boolean => "bool",
                Kind::Integer if schema.format() == Some("int64") => "int64",
                Kind::Integer => "int32",
                Kind::Number => "float64",
                Kind::Object => "map[string]interface {}",
                Kind::String => "string",
            };
            Err(mismatch(other, path, wanted))
        }
    }
}

fn mismatch(value: &Value, path: &str, wanted: &str) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("json: cannot unmarshal {found} into Go struct field {path} of type {wanted}")
}

fn text_format(format: &str, text: &str) -> Result<(), String> {
    match format {
        "byte" => match STANDARD.decode(text) {
            Ok(_) => Ok(()),
            Err(DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _)) => {
                Err(format!("illegal base64 data at input byte {at}"))
            }
            Err(DecodeError::InvalidLength(_) | DecodeError::InvalidPadding) => {
                Err(format!("illegal base64 data at input byte {}", text.len() / 4 * 4))
            }
        },
        "date-time" => {
            let layout = "2006-01-02T15:04:05Z07:00";
            text.parse::<jiff::Timestamp>().map(drop).map_err(|_| unparsed(text, layout, text, "2006"))
        }
        MICRO_TIME => {
            let layout = "2006-01-02T15:04:05.000000Z07:00";
            text.parse::<jiff::Timestamp>().map_err(|_| unparsed(text, layout, text, "2006"))?;
            let fraction = text.get(19..).unwrap_or_default();
            let digits = fraction.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
            if digits == 6 { Ok(()) } else { Err(unparsed(text, layout, fraction, ".000000")) }
        }
        _ => Ok(()),
    }
}

fn unparsed(text: &str, layout: &str, rest: &str, part: &str) -> String {
    format!("parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {part:?}")
}

/// `stringData` wins over `data` and is never stored.
fn encode_texts(secret: &mut Value) {
    let Some(Value::Object(texts)) = secret.as_object_mut().and_then(|fields| fields.remove("stringData")) else { return };
    for (key, text) in texts {
        if let Some(text) = text.as_str() {
            if !secret["data"].is_object() {
                secret["data"] = json!({});
            }
            secret["data"][key] = STANDARD.encode(text).into();
        }
    }
}
