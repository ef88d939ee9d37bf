//! JSON into messages, with every field that Go would write: those that are always there even if they are empty.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::{
    table::{self, Count, Field, Message, Type},
    wire::{put_bytes, put_number},
};

/// Writes the fields of an object. What is not of its field's type counts as empty.
pub(super) fn message(message: &Message, object: &Value, out: &mut Vec<u8>) {
    for field in message {
        if field.inline {
            value(field, object, out);
            continue;
        }
        let said = &object[field.name];
        match field.count {
            Count::Maybe if said.is_null() => {}
            // A list of bytes that was never made is not written.
            Count::One if field.kind == Type::Bytes && said.is_null() => {}
            Count::One | Count::Maybe => value(field, said, out),
            Count::List => said.as_array().into_iter().flatten().for_each(|item| value(field, item, out)),
            Count::Map => {
                for (key, said) in said.as_object().into_iter().flatten() {
                    let mut entry = Vec::new();
                    put_bytes(&mut entry, 1, key.as_bytes());
                    value(&Field { number: 2, ..*field }, said, &mut entry);
                    put_bytes(out, field.number, &entry);
                }
            }
        }
    }
}

fn value(field: &Field, said: &Value, out: &mut Vec<u8>) {
    let number = field.number;
    let text = || said.as_str().unwrap_or_default();
    let mut within = Vec::new();
    match field.kind {
        Type::Flag => return put_number(out, number, said.as_bool().unwrap_or_default().into()),
        Type::Int32 | Type::Int64 => return put_number(out, number, said.as_i64().unwrap_or_default().cast_unsigned()),
        Type::Text => within.extend_from_slice(text().as_bytes()),
        Type::Bytes => within = STANDARD.decode(text()).unwrap_or_default(),
        Type::Time | Type::MicroTime => {
            if let Ok(stamp) = text().parse::<jiff::Timestamp>() {
                put_number(&mut within, 1, stamp.as_second().cast_unsigned());
                put_number(&mut within, 2, i64::from(stamp.subsec_nanosecond()).cast_unsigned());
            }
        }
        Type::Quantity => put_bytes(&mut within, 1, text().as_bytes()),
        Type::IntOrString => {
            put_number(&mut within, 1, said.is_string().into());
            put_number(&mut within, 2, said.as_i64().unwrap_or_default().cast_unsigned());
            put_bytes(&mut within, 3, text().as_bytes());
        }
        Type::Raw => {
            if !said.is_null() {
                put_bytes(&mut within, 1, said.to_string().as_bytes());
            }
        }
        Type::Wrapped => said.as_array().into_iter().flatten().for_each(|item| {
            put_bytes(&mut within, 1, item.as_str().unwrap_or_default().as_bytes());
        }),
        Type::Message(place) => message(table::at(place), said, &mut within),
    }
    put_bytes(out, number, &within);
}
