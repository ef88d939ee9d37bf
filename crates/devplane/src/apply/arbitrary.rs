//! Generated JSON and field sets for property tests.

use proptest::{collection, prelude::*};
use serde_json::{Map, Value};

use super::field_set::{FieldSet, PathElement};

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Halves are exact in text and in memory.
        (-4_i8..5).prop_map(|halves| Value::from(f64::from(halves) / 2.0)),
        "[a-c~/]{0,3}".prop_map(Value::from),
    ]
}

fn name() -> impl Strategy<Value = String> {
    // Names that schemas and patches give a meaning come up as well as others.
    prop_oneof![
        "[a-d]",
        Just("metadata".to_owned()),
        Just("name".to_owned()),
        Just("spec".to_owned()),
        Just("op".to_owned()),
        Just("path".to_owned()),
        Just("value".to_owned()),
        Just("$patch".to_owned()),
        Just("finalizers".to_owned())
    ]
}

/// Any JSON, a few levels deep.
pub(crate) fn json_value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            collection::btree_map(name(), inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Any JSON object.
pub(crate) fn json_object() -> impl Strategy<Value = Value> {
    collection::btree_map(name(), json_value(), 0..4).prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>()))
}

fn element() -> impl Strategy<Value = PathElement> {
    prop_oneof![
        "[a-c]".prop_map(|name| PathElement::field(&name)),
        ("[a-b]", scalar()).prop_map(|(name, value)| PathElement::key(vec![(name, value)])),
        scalar().prop_map(PathElement::Value),
        (0_i64..3).prop_map(PathElement::Index),
    ]
}

/// Any set of fields.
pub(crate) fn field_set() -> impl Strategy<Value = FieldSet> {
    collection::vec(collection::vec(element(), 1..4), 0..6).prop_map(|paths| paths.into_iter().collect())
}
