//! An object read as its kind: types are checked, quantities and texts of Secrets take the form in which they are stored.
//! Source: `k8s.io/api` types; apimachinery `runtime/serializer/json`.

use ::schema::structural::{Kind, Schema};
use base64::{DecodeError, Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{defaults, quantity, schema, statuses, tidy};
use crate::{
    apply::object_meta,
    clock, embedded,
    objects::metadata,
    patch::go_type,
    protobuf,
    registry::{Resource, Shape},
    status::ApiError,
};

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
    let api_version = resource.api_version();
    let mut reading = Reading { api_version: &api_version, kind: &resource.kind, path: Vec::new() };
    reading.value(schema, object).map_err(|problem| unreadable(resource, &problem))?;
    if resource.group.is_empty() && resource.kind == "Secret" {
        encode_texts(object);
    }
    if tidy::is_tidied(&resource.group, &resource.kind) {
        tidy::tidy(&api_version, &resource.kind, object);
    }
    defaults::before_schema(resource, object);
    schema.default(object);
    defaults::after_schema(resource, object);
    statuses::complete(resource, object);
    Ok(())
}

/// Reads the metadata of an object of any kind, and of resources inside: everything that comes after takes its form for granted.
///
/// # Errors
/// 400 with the text of the API server if a value is not of its type.
pub fn decode_metadata(resource: &Resource, object: &mut Value) -> Result<(), ApiError> {
    if let Some(metadata) = object.get_mut("metadata").filter(|metadata| !metadata.is_null()) {
        read_metadata(metadata, resource.is_built_in().then_some(resource.kind.as_str()))
            .map_err(|problem| unreadable(resource, &problem))?;
    }
    match &resource.shape {
        Shape::Custom(shape) => embedded::read(&shape.schema, object).map_err(|why| unreadable(resource, &why)),
        Shape::BuiltIn => Ok(()),
    }
}

/// Reads an object that comes through a subresource and is of a kind of its own, such as a Scale. Unknown fields go; the answer is their
/// paths.
///
/// # Errors
/// What is wrong with a value that is not of its type.
pub fn decode_part(api_version: &str, kind: &str, object: &mut Value) -> Result<Vec<String>, String> {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let Some(schema) = schema(group, kind) else { return Ok(Vec::new()) };
    if let Some(metadata) = object.get_mut("metadata").filter(|metadata| !metadata.is_null()) {
        read_metadata(metadata, Some(kind))?;
    }
    Reading { api_version, kind, path: Vec::new() }.value(schema, object)?;
    let mut unknown = metadata::prune(object);
    unknown.extend(schema.prune_resource(object));
    unknown.sort();
    Ok(unknown)
}

/// Reads a `metadata`. As a part of an object of a built-in kind its fields are told from that object on.
///
/// # Errors
/// What is wrong with a value that is not of its type.
pub(crate) fn read_metadata(metadata: &mut Value, within: Option<&str>) -> Result<(), String> {
    if !metadata.is_object() {
        let place = within.map_or_else(|| "value".to_owned(), |kind| format!("struct field {kind}.metadata"));
        return Err(format!("json: cannot unmarshal {} into Go {place} of type v1.ObjectMeta", go_type(metadata)));
    }
    // Every built-in kind has the same; the table knows it by that of one.
    let (api_version, kind, path) = match within {
        Some(_) => ("v1", "ConfigMap", vec!["metadata".to_owned()]),
        None => ("meta/v1", "ObjectMeta", Vec::new()),
    };
    Reading { api_version, kind, path }.value(object_meta::schema(), metadata)
}

fn unreadable(resource: &Resource, problem: &str) -> ApiError {
    let (kind, version) = (&resource.kind, &resource.version);
    ApiError::bad_request(format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {problem}"))
}

/// A walk through an object of a kind, for the texts of what cannot be read.
struct Reading<'a> {
    api_version: &'a str,
    kind: &'a str,
    /// Fields on the way; keys of maps and indexes are no part of the names in these texts.
    path: Vec<String>,
}

impl Reading<'_> {
    /// Checks a value and brings quantities into their canonical form.
    fn value(&mut self, schema: &Schema, value: &mut Value) -> Result<(), String> {
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
                (_, other) => Err(self.mismatch(go_type(other), "intstr.IntOrString")),
            };
        }
        match (schema.kind(), &mut *value) {
            (Some(Kind::Object), Value::Object(fields)) => {
                for (name, value) in fields {
                    if let Some(below) = schema.property(name) {
                        self.path.push(name.clone());
                        self.value(below, value)?;
                        self.path.pop();
                    } else if let Some(below) = schema.additional_properties() {
                        // In a map of texts or bytes nothing is the empty text.
                        if value.is_null() && below.kind() == Some(Kind::String) && matches!(below.format(), None | Some("byte")) {
                            *value = "".into();
                        }
                        self.value(below, value)?;
                    }
                }
                Ok(())
            }
            (Some(Kind::Array), Value::Array(items)) => match schema.items() {
                Some(below) => items.iter_mut().try_for_each(|item| self.value(below, item)),
                None => Ok(()),
            },
            (Some(Kind::String), Value::String(text)) => text_format(schema.format().unwrap_or_default(), text),
            (Some(Kind::Integer), Value::Number(number)) if number.is_i64() => match (schema.format(), number.as_i64()) {
                (Some("int32"), Some(number)) if i32::try_from(number).is_err() => Err(self.mismatch(&format!("number {number}"), "int32")),
                _ => Ok(()),
            },
            (Some(Kind::Number), Value::Number(_)) | (Some(Kind::Boolean), Value::Bool(_)) | (None, _) => Ok(()),
            (Some(kind), other) => {
                let found = match &*other {
                    Value::Number(number) if kind == Kind::Integer => format!("number {number}"),
                    other => go_type(other).to_owned(),
                };
                let wanted = match kind {
                    Kind::Array => "[]interface {}",
                    Kind::Boolean => "bool",
                    Kind::Integer if schema.format() == Some("int64") => "int64",
                    Kind::Integer => "int32",
                    Kind::Number => "float64",
                    Kind::Object => "map[string]interface {}",
                    Kind::String => "string",
                };
                Err(self.mismatch(&found, wanted))
            }
        }
    }

    /// `wanted` is what Go calls the type where it is no list, map or structure: those have names of their own.
    fn mismatch(&self, found: &str, wanted: &str) -> String {
        let known = protobuf::go_names(self.api_version, self.kind, &self.path);
        let (structure, declared) = known.unwrap_or((self.kind, wanted.to_owned()));
        let wanted = if wanted.ends_with("interface {}") { &declared } else { wanted };
        format!("json: cannot unmarshal {found} into Go struct field {structure}.{} of type {wanted}", self.path.join("."))
    }
}

/// Reads a text of a format; times are kept as Go writes them, in UTC.
fn text_format(format: &str, text: &mut String) -> Result<(), String> {
    let said = text.as_str();
    match format {
        "byte" => match STANDARD.decode(said) {
            Ok(_) => Ok(()),
            Err(DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _)) => {
                Err(format!("illegal base64 data at input byte {at}"))
            }
            Err(DecodeError::InvalidLength(_) | DecodeError::InvalidPadding) => {
                Err(format!("illegal base64 data at input byte {}", said.len() / 4 * 4))
            }
        },
        "date-time" => {
            let layout = "2006-01-02T15:04:05Z07:00";
            let time = said.parse::<jiff::Timestamp>().map_err(|_| unparsed(said, layout, said, "2006"))?;
            if !said.ends_with('Z') || said.len() != "2006-01-02T15:04:05Z".len() {
                *text = clock::seconds(time);
            }
            Ok(())
        }
        MICRO_TIME => {
            let layout = "2006-01-02T15:04:05.000000Z07:00";
            let time = said.parse::<jiff::Timestamp>().map_err(|_| unparsed(said, layout, said, "2006"))?;
            let fraction = said.get(19..).unwrap_or_default();
            let digits = fraction.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
            if digits != 6 {
                return Err(unparsed(said, layout, fraction, ".000000"));
            }
            if !said.ends_with('Z') {
                *text = clock::micros(time);
            }
            Ok(())
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
