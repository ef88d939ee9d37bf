//! One step of a path.

use std::{cmp::Ordering, fmt};

use serde_json::{Number, Value};

/// One step of a path into an object.
#[derive(Debug, Clone)]
pub enum PathElement {
    /// A field of an object or key of a map.
    Field(String),
    /// An item of a list, told apart by these fields, sorted by name.
    Key(Vec<(String, Value)>),
    /// An item of a set.
    Value(Value),
    /// An item by its place.
    Index(i64),
}

impl PathElement {
    /// The field of this name.
    pub fn field(name: &str) -> Self {
        Self::Field(name.to_owned())
    }

    /// The item with these keys.
    pub fn key(mut fields: Vec<(String, Value)>) -> Self {
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        Self::Key(fields)
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl Ord for PathElement {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(a), Self::Field(b)) => a.cmp(b),
            (Self::Key(a), Self::Key(b)) => compare_keys(a, b),
            (Self::Value(a), Self::Value(b)) => compare(a, b),
            (Self::Index(a), Self::Index(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for PathElement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PathElement {}

/// As conflict texts show it.
impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
                write!(f, "[{}]", fields.join(","))
            }
            Self::Value(value) => write!(f, "[={value}]"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

fn compare_keys(a: &[(String, Value)], b: &[(String, Value)]) -> Ordering {
    let pairs = a.iter().zip(b).map(|((name, value), (other, with))| name.cmp(other).then_with(|| compare(value, with)));
    first_difference(pairs).unwrap_or_else(|| a.len().cmp(&b.len()))
}

/// A total order of JSON values in which `1` and `1.0` are equal, as they are to apply.
pub(in crate::apply) fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => {
            first_difference(a.iter().zip(b).map(|(a, b)| compare(a, b))).unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Object(a), Value::Object(b)) => {
            // By sorted keys: the order of keys in an object does not count.
            let (mut x, mut y) = (a.iter().collect::<Vec<_>>(), b.iter().collect::<Vec<_>>());
            x.sort_by_key(|(name, _)| *name);
            y.sort_by_key(|(name, _)| *name);
            let pairs = x.iter().zip(&y).map(|((name, value), (other, with))| name.cmp(other).then_with(|| compare(value, with)));
            first_difference(pairs).unwrap_or_else(|| x.len().cmp(&y.len()))
        }
        _ => rank(a).cmp(&rank(b)),
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Option<Ordering> {
    orders.find(|order| order.is_ne())
}

fn compare_numbers(a: &Number, b: &Number) -> Ordering {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a.cmp(&b),
        // Adding zero turns -0.0 into 0.0, which is the same number to a reader.
        _ => (a.as_f64().unwrap_or_default() + 0.0).total_cmp(&(b.as_f64().unwrap_or_default() + 0.0)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}
