//! Values of expressions, and their conversion from and to JSON. Maps keep their entries sorted, so that results are deterministic.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use kube_cel::cel;
use serde_json::{Map, Number, Value};

use super::budget::{Budget, Exhausted};
use super::types::Type;

/// A value during evaluation; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<Vec<u8>>),
    List(Arc<Vec<Val>>),
    Map(Arc<Entries>),
    /// Times, quantities, addresses and so on: values that only the library understands.
    Library(Arc<cel::Value>),
    Optional(Option<Arc<Val>>),
    /// A type, by its name.
    Type(Arc<str>),
    /// Removes the field that it would fill from a template.
    Omit,
}

/// Entries of a map: nearly always with string keys, rarely with other scalars.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries {
    pub(crate) texts: BTreeMap<Arc<str>, Val>,
    pub(crate) others: Vec<(Val, Val)>,
}

impl Entries {
    pub(crate) fn len(&self) -> usize {
        self.texts.len() + self.others.len()
    }

    pub(crate) fn get(&self, key: &Val) -> Option<&Val> {
        match key {
            Val::String(text) => self.texts.get(text),
            other => self.others.iter().find(|(key, _)| key.equals(other)).map(|(_, value)| value),
        }
    }

    pub(crate) fn insert(&mut self, key: Val, value: Val) {
        match key {
            Val::String(text) => {
                self.texts.insert(text, value);
            }
            other => self.others.push((other, value)),
        }
    }

    pub(crate) fn keys(&self) -> Vec<Val> {
        self.texts.keys().map(|key| Val::String(Arc::clone(key))).chain(self.others.iter().map(|(key, _)| key.clone())).collect()
    }
}

impl Val {
    pub(crate) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::List(Arc::new(items))
    }

    /// Converts from JSON. Integers become `int`, unless the type is `double`; strings become times or bytes if the type says so.
    pub(crate) fn from_json(json: &Value, kind: &Type) -> Self {
        match json {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => Self::from_number(number, kind),
            Value::String(text) => Self::from_text(text, kind),
            Value::Array(items) => {
                let kind = if let Type::List(items) = kind { items } else { &Type::Dyn };
                Self::list(items.iter().map(|item| Self::from_json(item, kind)).collect())
            }
            Value::Object(fields) => {
                let texts = fields
                    .iter()
                    .map(|(name, value)| {
                        let kind = match kind {
                            Type::Map(_, values) => values,
                            Type::Object(_) => kind.field(name).unwrap_or(&Type::Dyn),
                            _ => &Type::Dyn,
                        };
                        (Arc::from(name.as_str()), Self::from_json(value, kind))
                    })
                    .collect();
                Self::Map(Arc::new(Entries { texts, others: Vec::new() }))
            }
        }
    }

    fn from_number(number: &Number, kind: &Type) -> Self {
        if *kind == Type::Double {
            return Self::Double(number.as_f64().unwrap_or_default());
        }
        let whole = if *kind == Type::Int { crate::structural::number::as_i64(number) } else { number.as_i64() };
        match (whole, number.as_u64()) {
            (Some(whole), _) => Self::Int(whole),
            (None, Some(large)) => Self::UInt(large),
            _ => Self::Double(number.as_f64().unwrap_or_default()),
        }
    }

    fn from_text(text: &str, kind: &Type) -> Self {
        let plain = Self::text(text);
        let converter = match kind {
            Type::Bytes => "base64.decode",
            kind if *kind == Type::TIMESTAMP => "timestamp",
            kind if *kind == Type::DURATION => "duration",
            _ => return plain,
        };
        // A date without a time means midnight of that day.
        let full = if converter == "timestamp" && text.len() == 10 { Self::text(format!("{text}T00:00:00Z")) } else { plain.clone() };
        super::library::call(converter, false, &[full]).unwrap_or(plain)
    }

    /// Converts to JSON; `None` for an absent optional and for `omit()`.
    pub(crate) fn to_json(&self) -> Option<Value> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Int(number) => Value::from(*number),
            Self::UInt(number) => Value::from(*number),
            Self::Double(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => Value::from(*number as i64),
            Self::Double(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            Self::String(text) => Value::from(text.as_ref()),
            Self::Bytes(_) | Self::Library(_) | Self::Type(_) => Value::from(self.as_text()?),
            Self::List(items) => Value::Array(items.iter().filter_map(Self::to_json).collect()),
            Self::Map(entries) => {
                let mut object = Map::new();
                for key in entries.keys() {
                    if let (Some(name), Some(value)) = (key.as_text(), entries.get(&key).and_then(Self::to_json)) {
                        object.insert(name, value);
                    }
                }
                Value::Object(object)
            }
            Self::Optional(inner) => return inner.as_ref().and_then(|inner| inner.to_json()),
            Self::Omit => return None,
        })
    }

    /// Returns the text of a scalar, like `string()`.
    pub(crate) fn as_text(&self) -> Option<String> {
        Some(match self {
            Self::String(text) => text.to_string(),
            Self::Bool(flag) => flag.to_string(),
            Self::Int(number) => number.to_string(),
            Self::UInt(number) => number.to_string(),
            Self::Double(number) => crate::structural::number::show_float(*number),
            Self::Null => "null".to_owned(),
            Self::Type(name) => name.to_string(),
            Self::Bytes(_) => match super::library::call("base64.encode", false, std::slice::from_ref(self)).ok()? {
                Self::String(text) => text.to_string(),
                _ => return None,
            },
            Self::Library(value) => super::library::text_of(value)?,
            _ => return None,
        })
    }

    pub(crate) fn type_name(&self) -> String {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::UInt(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Library(value) => return super::library::type_of(value),
            Self::Optional(_) => "optional_type",
            Self::Type(_) => "type",
            Self::Omit => "omit",
        }
        .to_owned()
    }

    fn as_number(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::UInt(number) => Some(*number as f64),
            Self::Double(number) => Some(*number),
            _ => None,
        }
    }

    /// CEL equality: numbers by value across types, lists and maps by content, everything else within its type.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) | (Self::Omit, Self::Omit) => true,
            (Self::Bool(left), Self::Bool(right)) => left == right,
            (Self::Int(left), Self::Int(right)) => left == right,
            (Self::UInt(left), Self::UInt(right)) => left == right,
            (Self::Int(signed), Self::UInt(unsigned)) | (Self::UInt(unsigned), Self::Int(signed)) => {
                u64::try_from(*signed) == Ok(*unsigned)
            }
            (Self::String(left), Self::String(right)) | (Self::Type(left), Self::Type(right)) => left == right,
            (Self::Bytes(left), Self::Bytes(right)) => left == right,
            (Self::List(left), Self::List(right)) => {
                left.len() == right.len() && left.iter().zip(right.iter()).all(|(left, right)| left.equals(right))
            }
            (Self::Map(left), Self::Map(right)) => {
                left.len() == right.len()
                    && left.keys().iter().all(|key| match (left.get(key), right.get(key)) {
                        (Some(left), Some(right)) => left.equals(right),
                        _ => false,
                    })
            }
            (Self::Library(left), Self::Library(right)) => left == right,
            (Self::Optional(left), Self::Optional(right)) => match (left, right) {
                (Some(left), Some(right)) => left.equals(right),
                (left, right) => left.is_none() && right.is_none(),
            },
            _ => matches!((self.as_number(), other.as_number()), (Some(left), Some(right)) if left == right),
        }
    }

    /// CEL order, if the two have one.
    pub(crate) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(left), Self::Bool(right)) => Some(left.cmp(right)),
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(right)),
            (Self::UInt(left), Self::UInt(right)) => Some(left.cmp(right)),
            (Self::Int(left), Self::UInt(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
            (Self::UInt(left), Self::Int(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
            (Self::String(left), Self::String(right)) => Some(left.cmp(right)),
            (Self::Bytes(left), Self::Bytes(right)) => Some(left.cmp(right)),
            (Self::Library(left), Self::Library(right)) => left.partial_cmp(right),
            _ => self.as_number()?.partial_cmp(&other.as_number()?),
        }
    }

    /// Returns the string bytes and list entries inside the value. Walking it costs steps: shared parts count each time, so that a small
    /// value can't stand for a huge one.
    pub(crate) fn weigh(&self, budget: &mut Budget) -> Result<usize, Exhausted> {
        budget.take(1)?;
        let mut weight = 8;
        match self {
            Self::String(text) => {
                budget.read(text.len())?;
                weight = text.len() + 1;
            }
            Self::Bytes(bytes) => {
                budget.read(bytes.len())?;
                weight = bytes.len() + 1;
            }
            Self::List(items) => {
                for item in items.iter() {
                    weight += item.weigh(budget)?;
                }
            }
            Self::Map(entries) => {
                for (key, value) in &entries.texts {
                    weight += key.len() + value.weigh(budget)?;
                }
                for (key, value) in &entries.others {
                    weight += key.weigh(budget)? + value.weigh(budget)?;
                }
            }
            Self::Optional(Some(inner)) => weight = inner.weigh(budget)?,
            _ => {}
        }
        Ok(weight)
    }
}
