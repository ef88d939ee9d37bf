//! Types of values, derived from schemas, and their compatibility.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::structural::{Kind, Schema};

/// A type in the checker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Any value; checked during evaluation.
    Dyn,
    /// Only null.
    Null,
    /// `true` or `false`.
    Bool,
    /// A 64-bit integer.
    Int,
    /// An unsigned integer.
    UInt,
    /// A floating-point number.
    Double,
    /// A string.
    String,
    /// Bytes.
    Bytes,
    /// A list of items of one type.
    List(Arc<Type>),
    /// A map from keys to values.
    Map(Arc<Type>, Arc<Type>),
    /// An object with known fields.
    Object(Arc<ObjectType>),
    /// A value that can be absent.
    Optional(Arc<Type>),
    /// A library type: `timestamp`, `duration`, `kubernetes.Quantity` and so on.
    Named(&'static str),
    /// A type itself.
    Type,
    /// A type parameter in a signature.
    Param(u8),
}

/// Fields of an object. An undeclared field doesn't exist for an expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectType {
    fields: BTreeMap<String, Type>,
}

impl Type {
    /// Returns the type of values of a schema. Unknown fields of objects don't exist for expressions, except in objects that declare none
    /// and preserve unknown fields: those are open.
    pub fn from_schema(schema: &Schema) -> Self {
        Self::of(schema, schema.is_embedded_resource())
    }

    /// Like [`Type::from_schema`], for a whole resource, which has a type and a name whatever its schema says.
    pub fn of_resource(schema: &Schema) -> Self {
        Self::of(schema, true)
    }

    fn of(schema: &Schema, is_resource: bool) -> Self {
        if schema.is_int_or_string() {
            return Self::Dyn;
        }
        match schema.kind() {
            None => Self::Dyn,
            Some(Kind::Boolean) => Self::Bool,
            Some(Kind::Integer) => Self::Int,
            Some(Kind::Number) => Self::Double,
            Some(Kind::String) => match schema.format() {
                Some("byte") => Self::Bytes,
                Some("date" | "date-time") => Self::TIMESTAMP,
                Some("duration") => Self::DURATION,
                _ => Self::String,
            },
            Some(Kind::Array) => Self::list(schema.items().map_or(Self::Dyn, Self::from_schema)),
            Some(Kind::Object) => {
                if let Some(values) = schema.additional_properties() {
                    return Self::Map(Arc::new(Self::String), Arc::new(Self::from_schema(values)));
                }
                let mut fields: BTreeMap<String, Self> =
                    schema.properties().map(|(name, schema)| (name.to_owned(), Self::from_schema(schema))).collect();
                if fields.is_empty() && !is_resource && (schema.preserves_unknown() || schema.json().get("additionalProperties").is_some())
                {
                    return Self::Dyn;
                }
                if is_resource {
                    let metadata = Self::object([("name", Self::String), ("generateName", Self::String)]);
                    fields.insert("apiVersion".into(), Self::String);
                    fields.insert("kind".into(), Self::String);
                    fields.insert("metadata".into(), metadata);
                }
                Self::Object(Arc::new(ObjectType { fields }))
            }
        }
    }

    /// The type of timestamps.
    pub const TIMESTAMP: Self = Self::Named("google.protobuf.Timestamp");
    /// The type of durations.
    pub const DURATION: Self = Self::Named("google.protobuf.Duration");

    /// Returns the type of a list of these.
    pub fn list(items: Self) -> Self {
        Self::List(Arc::new(items))
    }

    /// Returns the type of a map from strings to these.
    pub fn map(values: Self) -> Self {
        Self::Map(Arc::new(Self::String), Arc::new(values))
    }

    /// Returns the type of an optional of these.
    pub fn optional(inner: Self) -> Self {
        Self::Optional(Arc::new(inner))
    }

    /// Returns the type of an object with exactly these fields.
    pub fn object<N: Into<String>>(fields: impl IntoIterator<Item = (N, Self)>) -> Self {
        Self::Object(Arc::new(ObjectType { fields: fields.into_iter().map(|(name, kind)| (name.into(), kind)).collect() }))
    }

    /// Returns the type of a field of an object, by its name in the schema or its escaped name in an expression.
    pub(crate) fn field(&self, name: &str) -> Option<&Self> {
        let Self::Object(object) = self else { return None };
        object.fields.get(name).or_else(|| object.fields.get(&super::names::unescape(name)?))
    }

    /// Declares a field at a path below this type, with any value, where an object lacks it. Everything that isn't an object with known
    /// fields stays as it is.
    pub fn declare(&mut self, path: &[String]) {
        let (Self::Object(object), Some((name, rest))) = (self, path.split_first()) else { return };
        match Arc::make_mut(object).fields.get_mut(name) {
            Some(known) => known.declare(rest),
            None => {
                Arc::make_mut(object).fields.insert(name.clone(), Self::Dyn);
            }
        }
    }

    /// Whether every value of this type is accepted where `wanted` is expected.
    pub fn fits(&self, wanted: &Self) -> bool {
        Bindings::default().unify(wanted, self)
    }

    /// Returns one type for both; `Dyn` if they differ in part, `None` if they exclude each other.
    pub(crate) fn join(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (left, right) if left == right => Some(left.clone()),
            (Self::Dyn, _) | (_, Self::Dyn) => Some(Self::Dyn),
            (Self::Null, kind @ (Self::Object(_) | Self::Optional(_) | Self::Named(_))) => Some(kind.clone()),
            (kind @ (Self::Object(_) | Self::Optional(_) | Self::Named(_)), Self::Null) => Some(kind.clone()),
            (Self::List(left), Self::List(right)) => left.join(right).map(Self::list),
            (Self::Optional(left), Self::Optional(right)) => left.join(right).map(Self::optional),
            (Self::Map(key, value), Self::Map(other_key, other_value)) => {
                Some(Self::Map(Arc::new(key.join(other_key)?), Arc::new(value.join(other_value)?)))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn => formatter.write_str("dyn"),
            Self::Null => formatter.write_str("null"),
            Self::Bool => formatter.write_str("bool"),
            Self::Int => formatter.write_str("int"),
            Self::UInt => formatter.write_str("uint"),
            Self::Double => formatter.write_str("double"),
            Self::String => formatter.write_str("string"),
            Self::Bytes => formatter.write_str("bytes"),
            Self::List(items) => write!(formatter, "list({items})"),
            Self::Map(keys, values) => write!(formatter, "map({keys}, {values})"),
            Self::Object(_) => formatter.write_str("object"),
            Self::Optional(inner) => write!(formatter, "optional_type({inner})"),
            Self::Named(name) => formatter.write_str(name),
            Self::Type => formatter.write_str("type"),
            Self::Param(index) => write!(formatter, "{}", char::from(b'A' + index)),
        }
    }
}

/// The types bound to the parameters of a signature in one call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    bound: [Option<Type>; 2],
}

impl Bindings {
    /// Whether `found` is accepted as `wanted`; type parameters are bound in the process, and widened where both sides allow it.
    pub(crate) fn unify(&mut self, wanted: &Type, found: &Type) -> bool {
        match (wanted, found) {
            (Type::Param(index), found) => {
                let slot = &mut self.bound[usize::from(*index % 2)];
                match slot {
                    None => {
                        *slot = Some(found.clone());
                        true
                    }
                    Some(bound) => bound.join(found).is_some_and(|joined| {
                        // The more specific of the two is kept: `dyn` says nothing.
                        if *bound == Type::Dyn || joined != Type::Dyn {
                            *bound = if *bound == Type::Dyn { found.clone() } else { joined };
                        }
                        true
                    }),
                }
            }
            (Type::Dyn, _) | (_, Type::Dyn) => true,
            (Type::List(wanted), Type::List(found)) | (Type::Optional(wanted), Type::Optional(found)) => self.unify(wanted, found),
            (Type::Map(key, value), Type::Map(found_key, found_value)) => self.unify(key, found_key) && self.unify(value, found_value),
            (Type::Object(_) | Type::Optional(_) | Type::Named(_), Type::Null) => true,
            (Type::Object(wanted), Type::Object(found)) => {
                wanted.fields.iter().all(|(name, kind)| found.fields.get(name).is_none_or(|found| self.unify(kind, found)))
            }
            (wanted, found) => wanted == found,
        }
    }

    /// Returns the type with its parameters replaced.
    pub(crate) fn resolve(&self, kind: &Type) -> Type {
        match kind {
            Type::Param(index) => self.bound[usize::from(*index % 2)].clone().unwrap_or(Type::Dyn),
            Type::List(items) => Type::list(self.resolve(items)),
            Type::Optional(inner) => Type::optional(self.resolve(inner)),
            Type::Map(key, value) => Type::Map(Arc::new(self.resolve(key)), Arc::new(self.resolve(value))),
            other => other.clone(),
        }
    }
}
