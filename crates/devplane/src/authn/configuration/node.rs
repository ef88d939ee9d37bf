//! Reads a document field by field, so that each error has the path of its field.
//! Source: apimachinery `runtime/serializer/json` (strict decoding).

use serde_json::Value;

use crate::status::Cause;

/// What stands where nothing does.
static ABSENT: Value = Value::Null;

/// A value of a document, and its path.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> Node<'a> {
    /// The document itself.
    pub fn root(value: &'a Value) -> Self {
        Self { value, path: String::new() }
    }

    /// A field of an object; absent in everything else.
    pub fn field(&self, name: &str) -> Self {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        Self { value: self.value.get(name).unwrap_or(&ABSENT), path }
    }

    /// Where it is, as `jwt[0].issuer.url`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether there is nothing.
    pub fn is_absent(&self) -> bool {
        self.value.is_null()
    }

    /// Whether there is nothing, or nothing in it.
    pub fn is_empty(&self) -> bool {
        match self.value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        }
    }

    /// Tells the fields of an object that are none of these.
    pub fn expect_fields(&self, known: &[&str], faults: &mut Vec<Cause>) {
        match self.value {
            Value::Null => {}
            Value::Object(fields) => {
                for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
                    let why = format!("unknown field; the fields here are {}", known.join(", "));
                    faults.push(Cause::forbidden(self.field(name).path(), &why));
                }
            }
            other => faults.push(Cause::invalid(&self.path, other, "must be an object")),
        }
    }

    /// The items of a list.
    pub fn items(&self, faults: &mut Vec<Cause>) -> Vec<Self> {
        match self.value {
            Value::Null => Vec::new(),
            Value::Array(items) => {
                items.iter().enumerate().map(|(index, value)| Self { value, path: format!("{}[{index}]", self.path) }).collect()
            }
            other => {
                faults.push(Cause::invalid(&self.path, other, "must be a list"));
                Vec::new()
            }
        }
    }

    /// Its text, empty where there is none.
    pub fn text(&self, faults: &mut Vec<Cause>) -> &'a str {
        match self.value {
            Value::Null => "",
            Value::String(text) => text,
            other => {
                faults.push(Cause::invalid(&self.path, other, "must be a string; put it in quotes"));
                ""
            }
        }
    }

    /// Whether it is true; nothing counts as false.
    pub fn flag(&self, faults: &mut Vec<Cause>) -> bool {
        match self.value {
            Value::Null => false,
            Value::Bool(flag) => *flag,
            other => {
                faults.push(Cause::invalid(&self.path, other, "must be true or false"));
                false
            }
        }
    }
}
