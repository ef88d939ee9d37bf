//! Messages into JSON, as Go would write the structure that the message fills.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use super::{
    ProtobufError,
    table::{self, Count, Field, Message, Type},
    wire::{Cursor, Wire},
};

/// Messages within messages, at most; those of Kubernetes are far below it.
const DEPTH: usize = 64;

/// `apiVersion` and `kind` of an envelope.
pub(super) fn type_meta(bytes: &[u8]) -> Result<Map<String, Value>, ProtobufError> {
    let mut fields = Map::new();
    let mut cursor = Cursor::new(bytes);
    while let Some((number, value)) = cursor.next()? {
        if let Some(name) = match number {
            1 => Some("apiVersion"),
            2 => Some("kind"),
            _ => None,
        } {
            fields.insert(name.into(), text(value.bytes(number)?, name)?.into());
        }
    }
    Ok(fields)
}

/// The fields of a message.
pub(super) fn message(message: &Message, bytes: &[u8]) -> Result<Map<String, Value>, ProtobufError> {
    nested(message, bytes, DEPTH)
}

fn nested(message: &Message, bytes: &[u8], depth: usize) -> Result<Map<String, Value>, ProtobufError> {
    let depth = depth.checked_sub(1).ok_or(ProtobufError::Depth)?;
    let mut found = Map::new();
    let mut cursor = Cursor::new(bytes);
    while let Some((number, wire)) = cursor.next()? {
        // A field that a newer client knows is dropped, as Go drops it.
        let Some(field) = message.iter().find(|field| field.number == number) else { continue };
        if field.inline {
            if let Type::Message(place) = field.kind {
                found.extend(nested(table::at(place), wire.bytes(number)?, depth)?);
            }
            continue;
        }
        match field.count {
            Count::One | Count::Maybe => {
                found.insert(field.name.into(), value(field, wire, depth)?);
            }
            Count::List => {
                let items = items(field, wire, depth)?;
                if let Some(list) = found.entry(field.name).or_insert_with(|| json!([])).as_array_mut() {
                    list.extend(items);
                }
            }
            Count::Map => {
                let (key, value) = entry(field, wire.bytes(number)?, depth)?;
                if let Some(map) = found.entry(field.name).or_insert_with(|| json!({})).as_object_mut() {
                    map.insert(key, value);
                }
            }
        }
    }
    settle(message, &mut found);
    Ok(found)
}

/// Gives an object the fields that are always said, and takes those away that say nothing.
pub(super) fn settle(message: &Message, found: &mut Map<String, Value>) {
    for field in message.iter().filter(|field| !field.inline) {
        let unsaid = found.get(field.name).is_none_or(|value| field.count != Count::Maybe && is_zero(value));
        if unsaid && field.always {
            found.insert(field.name.into(), zero(field));
        } else if unsaid {
            found.remove(field.name);
        }
    }
}

/// A list on the wire comes value by value; numbers may also be packed into one.
fn items(field: &Field, wire: Wire<'_>, depth: usize) -> Result<Vec<Value>, ProtobufError> {
    match (field.kind, wire) {
        (Type::Int32 | Type::Int64 | Type::Flag, Wire::Bytes(packed)) => {
            let mut cursor = Cursor::new(packed);
            let mut items = Vec::new();
            while !cursor.is_empty() {
                items.push(value(field, Wire::Number(cursor.varint()?), depth)?);
            }
            Ok(items)
        }
        _ => Ok(vec![value(field, wire, depth)?]),
    }
}

fn entry(field: &Field, bytes: &[u8], depth: usize) -> Result<(String, Value), ProtobufError> {
    let (mut key, mut found) = (String::new(), None);
    let mut cursor = Cursor::new(bytes);
    while let Some((number, wire)) = cursor.next()? {
        match number {
            1 => key = text(wire.bytes(number)?, field.name)?,
            2 => found = Some(value(field, wire, depth)?),
            _ => {}
        }
    }
    Ok((key, found.unwrap_or_else(|| zero(&Field { count: Count::One, ..*field }))))
}

fn value(field: &Field, wire: Wire<'_>, depth: usize) -> Result<Value, ProtobufError> {
    let bytes = || wire.bytes(field.number);
    Ok(match field.kind {
        Type::Text => text(bytes()?, field.name)?.into(),
        Type::Flag => (wire.number(field.number)? != 0).into(),
        Type::Int32 => int32(wire.number(field.number)?).into(),
        Type::Int64 => wire.number(field.number)?.cast_signed().into(),
        Type::Bytes => STANDARD.encode(bytes()?).into(),
        Type::Time => time(bytes()?, 0)?,
        Type::MicroTime => time(bytes()?, 6)?,
        Type::Quantity => parts(bytes()?)?.text(1, field.name)?.into(),
        Type::IntOrString => {
            let parts = parts(bytes()?)?;
            if parts.number(1) == 0 { int32(parts.number(2)).into() } else { parts.text(3, field.name)?.into() }
        }
        Type::Raw => {
            let raw = parts(bytes()?)?.bytes(1);
            if raw.is_empty() { Value::Null } else { serde_json::from_slice(raw).map_err(|_| ProtobufError::Text(field.name))? }
        }
        Type::Wrapped => {
            let mut items = Vec::new();
            let mut cursor = Cursor::new(bytes()?);
            while let Some((number, item)) = cursor.next()? {
                items.push(Value::from(text(item.bytes(number)?, field.name)?));
            }
            items.into()
        }
        Type::Message(place) => nested(table::at(place), bytes()?, depth)?.into(),
    })
}

/// A number of 32 bits is sent with its sign drawn out to 64.
#[expect(clippy::cast_possible_truncation, reason = "Go drops the upper half, too")]
fn int32(number: u64) -> i32 {
    (number as u32).cast_signed()
}

fn time(bytes: &[u8], digits: usize) -> Result<Value, ProtobufError> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let parts = parts(bytes)?;
    let invalid = |_| ProtobufError::Text("time");
    let nanoseconds = if digits == 0 { 0 } else { int32(parts.number(2)) };
    let stamp = jiff::Timestamp::new(parts.number(1).cast_signed(), nanoseconds).map_err(invalid)?;
    Ok(format!("{stamp:.digits$}").into())
}

/// The fields of a small message that has a form of its own in JSON.
struct Parts<'a>(Vec<(u32, Wire<'a>)>);

fn parts(bytes: &[u8]) -> Result<Parts<'_>, ProtobufError> {
    let mut cursor = Cursor::new(bytes);
    let mut parts = Vec::new();
    while let Some(part) = cursor.next()? {
        parts.push(part);
    }
    Ok(Parts(parts))
}

impl<'a> Parts<'a> {
    fn last(&self, field: u32) -> Option<Wire<'a>> {
        self.0.iter().rev().find(|(number, _)| *number == field).map(|(_, wire)| *wire)
    }

    fn number(&self, field: u32) -> u64 {
        self.last(field).and_then(|wire| wire.number(field).ok()).unwrap_or_default()
    }

    fn bytes(&self, field: u32) -> &'a [u8] {
        self.last(field).and_then(|wire| wire.bytes(field).ok()).unwrap_or_default()
    }

    fn text(&self, field: u32, name: &'static str) -> Result<String, ProtobufError> {
        text(self.bytes(field), name)
    }
}

fn text(bytes: &[u8], name: &'static str) -> Result<String, ProtobufError> {
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| ProtobufError::Text(name))
}

/// Whether a value says nothing where its field is always there.
pub fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// What Go writes for an empty field.
fn zero(field: &Field) -> Value {
    match (field.count, field.kind) {
        (Count::One, Type::Text) => json!(""),
        (Count::One, Type::Flag) => json!(false),
        (Count::One, Type::Int32 | Type::Int64 | Type::IntOrString) => json!(0),
        (Count::One, Type::Quantity) => json!("0"),
        (Count::One, Type::Message(_)) => json!({}),
        _ => Value::Null,
    }
}
