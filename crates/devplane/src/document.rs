//! Objects that the plane writes into. `object["a"]["b"] = c` panics where a client has put a text at `a`; writing through this module
//! never does: what is in the way of a field is replaced by an object.

use std::ops::Deref;

use serde_json::{Map, Value};

use crate::objects::raise_generation;

/// An object that a controller changes. It reads like a [`Value`], and can only be written in ways that do not panic.
#[derive(Debug, Clone, PartialEq)]
pub struct Document(Value);

impl Document {
    /// Sets the field at a path.
    pub fn set<const N: usize>(&mut self, path: [&str; N], value: impl Into<Value>) {
        set(&mut self.0, path, value);
    }

    /// Removes the field at a path, if it is there.
    pub fn remove<const N: usize>(&mut self, path: [&str; N]) {
        let Some((last, parents)) = path.split_last() else { return };
        let parent = parents.iter().try_fold(&mut self.0, |value, name| value.get_mut(*name));
        if let Some(fields) = parent.and_then(Value::as_object_mut) {
            fields.remove(*last);
        }
    }

    /// Counts a change of what is wanted, in objects that have a generation.
    pub fn raise_generation(&mut self) {
        raise_generation(&mut self.0);
    }

    /// The list at a path; none where there is no list.
    pub fn list_mut<const N: usize>(&mut self, path: [&str; N]) -> Option<&mut Vec<Value>> {
        path.iter().try_fold(&mut self.0, |value, name| value.get_mut(*name))?.as_array_mut()
    }

    /// The object itself.
    pub fn into_value(self) -> Value {
        self.0
    }
}

impl From<Value> for Document {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl Deref for Document {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

/// Sets the field at a path of a value.
pub fn set<const N: usize>(value: &mut Value, path: [&str; N], new: impl Into<Value>) {
    let field = path.into_iter().fold(value, |value, name| fields(value).entry(name).or_insert(Value::Null));
    *field = new.into();
}

/// The fields of a value; one that is no object is made an empty one.
#[expect(clippy::expect_used, reason = "the value was made an object in the line before")]
pub fn fields(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut().expect("an object")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::apply::arbitrary::json_value;

    #[test]
    fn what_is_in_the_way_of_a_field_becomes_an_object() {
        let mut document = Document::from(json!({"spec": {"identity": "x", "other": 1}}));
        document.set(["spec", "identity", "name"], "a");
        assert_eq!(*document, json!({"spec": {"identity": {"name": "a"}, "other": 1}}));
        document.remove(["spec", "identity"]);
        document.remove(["spec", "other", "none"]);
        assert_eq!(document.into_value(), json!({"spec": {"other": 1}}));
    }

    proptest! {
        #[test]
        fn no_value_keeps_a_field_from_being_set(value in json_value(), name in "[a-c]", inner in "[a-c]") {
            let mut document = Document::from(value);
            document.remove([&*name, &*inner]);
            prop_assert!(document.list_mut([&*name, &*inner]).is_none());
            document.set([&*name, &*inner], json!([1]));
            prop_assert_eq!(&document[&*name][&*inner], &json!([1]));
            prop_assert_eq!(document.list_mut([&*name, &*inner]).map(|list| list.len()), Some(1));
        }
    }
}
