//! Objects as Go writes them: without what is empty, and as text with the fields in the order of the structures.
//! Source: Go `encoding/json`; `gopkg.in/evanphx/json-patch.v4` (which fields of a patched object come sorted).

use serde_json::{Map, Value};

use super::{
    read::{is_zero, settle},
    table::{self, Count, Field, Message, Type},
};

/// Makes of an object of a kind what Go would write once it had read it: what is empty goes unless it is always said. What is not known
/// of the kind stays.
pub fn tidy(api_version: &str, kind: &str, object: &mut Value) {
    if let (Some(message), Some(fields)) = (table::message(api_version, kind), object.as_object_mut()) {
        tidy_fields(message, fields);
    }
}

fn tidy_fields(message: &'static Message, fields: &mut Map<String, Value>) {
    for field in message {
        let Type::Message(place) = field.kind else { continue };
        let below = table::at(place);
        if field.inline {
            tidy_fields(below, fields);
            continue;
        }
        match (field.count, fields.get_mut(field.name)) {
            (Count::One | Count::Maybe, Some(Value::Object(value))) => tidy_fields(below, value),
            (Count::List, Some(Value::Array(items))) => {
                items.iter_mut().filter_map(Value::as_object_mut).for_each(|item| tidy_fields(below, item));
            }
            (Count::Map, Some(Value::Object(entries))) => {
                entries.values_mut().filter_map(Value::as_object_mut).for_each(|entry| tidy_fields(below, entry));
            }
            _ => {}
        }
    }
    fields.retain(|_, value| !value.is_null());
    settle(message, fields);
}

/// Whether a value is one that Go leaves out where it is not always said, numbers and flags aside.
pub fn is_empty(value: &Value) -> bool {
    !matches!(value, Value::Bool(_) | Value::Number(_)) && is_zero(value)
}

/// An object of a kind as text. `is_sorted` says of the path to an object whether its fields come by name: Go keeps the order of the
/// structure only where an object did not go through a map.
pub fn text(api_version: &str, kind: &str, object: &Value, is_sorted: &dyn Fn(&[String]) -> bool) -> String {
    let mut writer = Writer { text: String::new(), path: Vec::new(), is_sorted };
    writer.object(table::message(api_version, kind), object);
    writer.text
}

struct Writer<'a> {
    text: String,
    path: Vec<String>,
    is_sorted: &'a dyn Fn(&[String]) -> bool,
}

impl Writer<'_> {
    /// An object that is this message. One of which nothing is known, or a value that is no object, is written as it is.
    fn object(&mut self, message: Option<&'static Message>, value: &Value) {
        let (Some(message), Value::Object(fields)) = (message, value) else { return self.text.push_str(&value.to_string()) };
        let known = declared(message);
        let mut members: Vec<(&String, &Value)> = fields.iter().collect();
        members.sort_by_key(|(name, _)| *name);
        if !(self.is_sorted)(&self.path) {
            members.sort_by_key(|(name, _)| rank(&known, name));
        }
        self.text.push('{');
        for (index, (name, value)) in members.into_iter().enumerate() {
            self.next(index, name);
            self.text.push_str(&Value::from(name.as_str()).to_string());
            self.text.push(':');
            self.field(known.iter().find(|field| field.name == name).copied(), value);
            self.path.pop();
        }
        self.text.push('}');
    }

    fn field(&mut self, field: Option<&'static Field>, value: &Value) {
        let message = match field.map(|field| field.kind) {
            Some(Type::Message(place)) => Some(table::at(place)),
            _ => None,
        };
        match (field.map(|field| field.count), value) {
            (Some(Count::List), Value::Array(items)) if message.is_some() => {
                self.text.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.next(index, &index.to_string());
                    self.object(message, item);
                    self.path.pop();
                }
                self.text.push(']');
            }
            (Some(Count::Map), Value::Object(entries)) if message.is_some() => {
                self.text.push('{');
                for (index, (name, entry)) in entries.iter().enumerate() {
                    self.next(index, name);
                    self.text.push_str(&Value::from(name.as_str()).to_string());
                    self.text.push(':');
                    self.object(message, entry);
                    self.path.pop();
                }
                self.text.push('}');
            }
            _ => self.object(message, value),
        }
    }

    /// Goes to the next part of an object or list.
    fn next(&mut self, index: usize, name: &str) {
        if index > 0 {
            self.text.push(',');
        }
        self.path.push(name.to_owned());
    }
}

/// The fields of a message in the order of the Go structure, those of inlined ones at their place.
pub(super) fn declared(message: &'static Message) -> Vec<&'static Field> {
    let mut fields: Vec<&'static Field> = message.iter().collect();
    fields.sort_by_key(|field| field.place);
    let flat = fields.into_iter().flat_map(|field| match field.kind {
        Type::Message(inner) if field.inline => declared(table::at(inner)),
        _ => vec![field],
    });
    flat.collect()
}

/// Where a field comes: what an object says it is first, what is not known last.
fn rank(known: &[&'static Field], name: &str) -> usize {
    match (known.iter().position(|field| field.name == name), name) {
        (Some(place), _) => place + 2,
        (None, "kind") => 0,
        (None, "apiVersion") => 1,
        _ => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_come_in_the_order_of_the_structure_unless_they_went_through_a_map() {
        let owner = json!({"kind": "K", "name": "n", "uid": "u", "apiVersion": "v1", "controller": true});
        let entry = json!({"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:b": {}, "f:a": {}}, "manager": "m", "time": "t"});
        let scale = json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 1}, "odd": {"b": 1, "a": 2},
            "metadata": {"creationTimestamp": "c", "name": "n", "managedFields": [entry], "ownerReferences": [owner]},
        });
        let owner = r#"{"apiVersion":"v1","kind":"K","name":"n","uid":"u","controller":true}"#;
        let entry = r#"{"manager":"m","apiVersion":"v1","time":"t","fieldsType":"FieldsV1","fieldsV1":{"f:a":{},"f:b":{}}}"#;
        let metadata = format!(r#"{{"name":"n","creationTimestamp":"c","ownerReferences":[{owner}],"managedFields":[{entry}]}}"#);
        assert_eq!(
            text("autoscaling/v1", "Scale", &scale, &|_| false),
            format!(
                r#"{{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{metadata},"spec":{{"replicas":1}},"odd":{{"a":2,"b":1}}}}"#
            )
        );
        let sorted = text("autoscaling/v1", "Scale", &scale, &<[String]>::is_empty);
        assert!(sorted.starts_with(r#"{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"n","#), "{sorted}");
        let custom = json!({"kind": "K", "apiVersion": "example.org/v1"});
        assert_eq!(text("example.org/v1", "K", &custom, &|_| false), custom.to_string());
    }

    #[test]
    fn what_is_empty_is_not_written() {
        let mut review = json!({"kind": "SubjectAccessReview", "metadata": {"labels": {}, "name": ""}, "spec": {
            "user": "", "groups": ["g"], "extra": null, "resourceAttributes": {"group": "", "labelSelector": {"rawSelector": "a"}},
        }});
        tidy("authorization.k8s.io/v1", "SubjectAccessReview", &mut review);
        let attributes = json!({"labelSelector": {"rawSelector": "a"}});
        let spec = json!({"groups": ["g"], "resourceAttributes": attributes});
        assert_eq!(review, json!({"kind": "SubjectAccessReview", "spec": spec}));
    }
}
