//! Patches from a stored to a desired value: JSON merge patches (RFC 7396), and JSON patches (RFC 6902) where a null is a value.

use serde_json::{Map, Value, json};

use crate::path::Path;
use crate::policy::same_value;

/// Returns the merge patch that turns `stored` into `wanted`, or nothing if they are the same.
///
/// A field that is in `stored` but not in `wanted` becomes an explicit null, so that every server removes it. A null counts as absent on
/// both sides, and 1 and 1.0 are the same number. Lists are replaced as a whole.
pub fn patch(stored: &Value, wanted: &Value) -> Option<Value> {
    let (Value::Object(before), Value::Object(after)) = (stored, wanted) else {
        return (!same(stored, wanted)).then(|| wanted.clone());
    };
    let gone = before.iter().filter(|(key, value)| !value.is_null() && present(after, key).is_none()).map(|(key, _)| (key, Value::Null));
    let written = after.iter().filter(|(_, value)| !value.is_null()).filter_map(|(key, value)| match present(before, key) {
        Some(old) => Some((key, patch(old, value)?)),
        None => Some((key, value.clone())),
    });
    let fields: Map<String, Value> = gone.chain(written).map(|(key, value)| (key.clone(), value)).collect();
    (!fields.is_empty()).then_some(Value::Object(fields))
}

/// Returns the operations of the JSON patch that turn `stored`, the value at the JSON pointer `at`, into `wanted`, and touch nothing else.
/// Lists are replaced as a whole. 1 and 1.0 are the same number; nulls are values.
pub fn operations(at: &str, stored: &Value, wanted: &Value) -> Vec<Value> {
    let (Value::Object(before), Value::Object(after)) = (stored, wanted) else {
        return if same_value(stored, wanted) { Vec::new() } else { vec![json!({"op": "add", "path": at, "value": wanted})] };
    };
    let place = |key: &str| Path::default().child(key).pointer(at);
    let gone = before.keys().filter(|key| !after.contains_key(*key)).map(|key| json!({"op": "remove", "path": place(key)}));
    let written = after.iter().flat_map(|(key, value)| match before.get(key) {
        Some(old) => operations(&place(key), old, value),
        None => vec![json!({"op": "add", "path": place(key), "value": value})],
    });
    gone.chain(written).collect()
}

/// Whether two values are equivalent: nulls in objects count as absent, numbers are compared by value.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let within = |one: &Map<String, Value>, other: &Map<String, Value>| {
                one.iter().all(|(key, value)| value.is_null() || present(other, key).is_some_and(|twin| same(value, twin)))
            };
            within(one, other) && within(other, one)
        }
        (Value::Array(one), Value::Array(other)) => one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other)),
        _ => same_value(one, other),
    }
}

fn present<'v>(fields: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    fields.get(key).filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{operations, patch, same};

    /// Returns the result of applying a merge patch on a server, as defined by RFC 7396.
    fn merged(target: &Value, patch: &Value) -> Value {
        let Value::Object(fields) = patch else { return patch.clone() };
        let mut target = target.as_object().cloned().unwrap_or_default();
        for (key, value) in fields {
            match value {
                Value::Null => drop(target.remove(key)),
                value => {
                    let part = merged(target.get(key).unwrap_or(&Value::Null), value);
                    target.insert(key.clone(), part);
                }
            }
        }
        Value::Object(target)
    }

    #[test]
    fn what_is_left_out_is_an_explicit_null() {
        let stored = json!({"phase": "Ready", "waitingOn": {"kind": "controller", "since": "10:00"}, "inventory": [{"id": "a"}]});
        let wanted = json!({"phase": "Ready", "waitingOn": {"kind": "controller"}, "inventory": [{"id": "b"}]});
        assert_eq!(patch(&stored, &wanted), Some(json!({"waitingOn": {"since": null}, "inventory": [{"id": "b"}]})));
        assert_eq!(patch(&stored, &json!({"phase": "Ready"})), Some(json!({"waitingOn": null, "inventory": null})));
    }

    #[test]
    fn what_is_the_same_is_not_written() {
        let stored = json!({"cost": 1, "list": [{"value": 2}], "current": {"release": "a"}});
        let wanted =
            json!({"cost": 1.0, "list": [{"value": 2.0, "secret": null}], "current": {"release": "a", "since": null}, "candidate": null});
        assert_eq!(patch(&stored, &wanted), None);
    }

    /// Returns the result of operations of a JSON patch, as defined by RFC 6902.
    fn patched(target: &Value, operations: &[Value]) -> Value {
        let mut document = json!({"at": target});
        for operation in operations {
            let (above, key) = operation["path"].as_str().unwrap().rsplit_once('/').unwrap();
            let key = key.replace("~1", "/").replace("~0", "~");
            let object = document.pointer_mut(above).unwrap().as_object_mut().unwrap();
            match operation["op"].as_str() {
                Some("remove") => assert!(object.remove(&key).is_some(), "{operation}"),
                _ => drop(object.insert(key, operation["value"].clone())),
            }
        }
        document["at"].clone()
    }

    #[test]
    fn operations_name_what_differs_and_keep_nulls() {
        let stored = json!({"size": "small", "count": 1, "tags": {"a/b": "x", "c~d": "y"}, "hosts": ["a"]});
        let wanted = json!({"size": "small", "count": 1.0, "tags": {"a/b": null}, "hosts": ["a", "b"], "zone": "eu"});
        assert_eq!(
            operations("/spec/parameters", &stored, &wanted),
            [
                json!({"op": "add", "path": "/spec/parameters/hosts", "value": ["a", "b"]}),
                json!({"op": "remove", "path": "/spec/parameters/tags/c~0d"}),
                json!({"op": "add", "path": "/spec/parameters/tags/a~1b", "value": null}),
                json!({"op": "add", "path": "/spec/parameters/zone", "value": "eu"}),
            ]
        );
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..4i64).prop_map(Value::from),
            "[ab]".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[abc]", inner, 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    fn objects() -> impl Strategy<Value = Value> {
        prop::collection::btree_map("[abc]", values(), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect()))
    }

    proptest! {
        #[test]
        fn a_server_that_carries_out_the_operations_has_exactly_what_is_wanted(stored in values(), wanted in values()) {
            let operations = operations("/at", &stored, &wanted);
            prop_assert_eq!(patched(&stored, &operations), wanted.clone());
            prop_assert_eq!(operations.is_empty(), stored == wanted);
        }

        #[test]
        fn a_server_that_merges_the_patch_has_what_is_wanted(stored in objects(), wanted in objects()) {
            let after = match patch(&stored, &wanted) {
                Some(patch) => merged(&stored, &patch),
                None => stored.clone(),
            };
            prop_assert!(same(&after, &wanted), "{after}");
            prop_assert_eq!(patch(&after, &wanted), None);
        }
    }
}
