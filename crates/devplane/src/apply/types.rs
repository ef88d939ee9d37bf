//! What the schema says about one value, as apply sees it.
//! Source: structured-merge-diff `schema/elements.go`; kube-openapi `schemaconv`.

use schema::structural::{Kind, ListType, Schema};
use serde_json::Value;

use super::object_meta;

/// The type of one value.
#[derive(Debug, Clone, Copy)]
pub enum Type<'s> {
    /// A whole object of a kind: besides its schema it has `apiVersion`, `kind` and `metadata`.
    Resource(&'s Schema),
    /// What a schema says.
    Declared(&'s Schema),
    /// A text, whatever the schema says (`apiVersion`, `kind`).
    Text,
    /// Nothing is known: objects merge, lists and scalars are one value.
    Deduced,
}

/// Which values a type takes and how they relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape<'s> {
    /// One value.
    Scalar(Scalar),
    /// A list.
    List(List<'s>),
    /// An object or map; `atomic` makes it one value.
    Map {
        /// One value when two managers write it.
        atomic: bool,
    },
}

/// The scalar types that apply tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// Integers and other numbers.
    Numeric,
    /// Texts.
    String,
    /// Booleans.
    Boolean,
    /// Any of them.
    Untyped,
}

/// How the items of a list relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List<'s> {
    /// The list is one value.
    Atomic,
    /// Items are told apart by their value.
    Set,
    /// Items are told apart by these fields.
    Map(&'s [String]),
}

impl<'s> Type<'s> {
    /// The type of a whole object.
    pub fn root(schema: Option<&'s Schema>) -> Self {
        schema.map_or(Self::Deduced, Self::Resource)
    }

    fn of(schema: &'s Schema) -> Self {
        if schema.is_embedded_resource() { Self::Resource(schema) } else { Self::Declared(schema) }
    }

    /// The shape in which `value` is to be read. Where the schema leaves the type open, the value decides.
    pub(super) fn shape(self, value: &Value) -> Shape<'s> {
        match self {
            Self::Resource(schema) => Shape::Map { atomic: schema.map_type_atomic() },
            Self::Text => Shape::Scalar(Scalar::String),
            Self::Deduced => deduced(value),
            Self::Declared(schema) if schema.is_int_or_string() => Shape::Scalar(Scalar::Untyped),
            Self::Declared(schema) => match schema.kind() {
                None => deduced(value),
                Some(Kind::Object) => Shape::Map { atomic: schema.map_type_atomic() },
                Some(Kind::Integer | Kind::Number) => Shape::Scalar(Scalar::Numeric),
                Some(Kind::String) => Shape::Scalar(Scalar::String),
                Some(Kind::Boolean) => Shape::Scalar(Scalar::Boolean),
                Some(Kind::Array) => Shape::List(match schema.list_type() {
                    ListType::Atomic => List::Atomic,
                    ListType::Set => List::Set,
                    ListType::Map(keys) => List::Map(keys),
                }),
            },
        }
    }

    /// The type of a field; none if the type has no such field.
    pub(super) fn field(self, name: &str) -> Option<Type<'s>> {
        match self {
            Self::Resource(_) if name == "metadata" => Some(Type::Declared(object_meta::schema())),
            Self::Resource(_) if matches!(name, "apiVersion" | "kind") => Some(Type::Text),
            Self::Resource(schema) | Self::Declared(schema) => match schema.property(name) {
                Some(property) => Some(Type::of(property)),
                None => values(schema),
            },
            Self::Deduced => Some(Type::Deduced),
            Self::Text => None,
        }
    }

    /// Whether the schema itself names this field, as opposed to a key of a map.
    pub(super) fn names(self, name: &str) -> bool {
        match self {
            Self::Resource(schema) => matches!(name, "apiVersion" | "kind" | "metadata") || schema.property(name).is_some(),
            Self::Declared(schema) => schema.property(name).is_some(),
            Self::Text | Self::Deduced => false,
        }
    }

    /// The type of the items of a list.
    pub(super) fn items(self) -> Type<'s> {
        match self {
            Self::Declared(schema) => schema.items().map_or(Type::Deduced, Type::of),
            _ => Type::Deduced,
        }
    }

    /// The default of a key field of this type's items.
    pub(super) fn default_of_key(self, key: &str) -> Option<&'s Value> {
        match self {
            Self::Declared(schema) => schema.items()?.property(key)?.default_value(),
            _ => None,
        }
    }

    /// An annotation of the schema, such as `x-kubernetes-patch-merge-key`.
    pub(crate) fn annotation(self, name: &str) -> Option<&'s str> {
        match self {
            Self::Resource(schema) | Self::Declared(schema) => schema.json().get(name)?.as_str(),
            Self::Text | Self::Deduced => None,
        }
    }

    /// As [`Type::field`] and [`Type::items`], for strategic patches.
    pub(crate) fn step(self, name: Option<&str>) -> Type<'s> {
        name.map_or_else(|| self.items(), |name| self.field(name).unwrap_or(Type::Deduced))
    }
}

/// The type of the fields that the schema of an object does not name.
fn values(schema: &Schema) -> Option<Type<'_>> {
    if let Some(values) = schema.additional_properties() {
        return Some(Type::of(values));
    }
    let open = match schema.json().get("additionalProperties") {
        Some(allowed) => allowed == true,
        None => schema.properties().next().is_none(),
    };
    (open || schema.preserves_unknown()).then_some(Type::Deduced)
}

fn deduced(value: &Value) -> Shape<'static> {
    match value {
        Value::Object(_) => Shape::Map { atomic: false },
        Value::Array(_) => Shape::List(List::Atomic),
        _ => Shape::Scalar(Scalar::Untyped),
    }
}
