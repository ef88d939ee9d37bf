//! Repairs a schema with faults for the checks that follow: faulty parts are removed or left open.

use schema::structural::FieldError;
use serde_json::{Map, Value, json};

use crate::path::Segment;
use crate::resolve::locate;

/// Keywords that don't affect which fields exist.
const ASIDE: [&str; 10] =
    ["allOf", "anyOf", "default", "enum", "not", "nullable", "oneOf", "pattern", "required", "x-kubernetes-validations"];

/// Returns the schema without the faults that were found in it.
pub(super) fn schema(json: &Value, errors: &[FieldError]) -> Value {
    let mut mended = json.clone();
    for error in errors {
        mend(&mut mended, &locate::path(error.place(), json).0);
    }
    mended
}

fn mend(node: &mut Value, path: &[Segment]) {
    let key = |at: usize| match path.get(at) {
        Some(Segment::Key(key)) => Some(key.as_str()),
        _ => None,
    };
    let inner = match (key(0), key(1)) {
        (Some("properties"), Some(name)) => {
            node.get_mut("properties").and_then(|properties| properties.get_mut(name)).map(|node| (node, 2))
        }
        (Some(keyword @ ("items" | "additionalProperties")), _) => {
            node.get_mut(keyword).filter(|node| node.is_object()).map(|node| (node, 1))
        }
        _ => None,
    };
    if let Some((inner, steps)) = inner {
        return mend(inner, &path[steps..]);
    }
    let Some(fields) = node.as_object_mut() else {
        *node = open();
        return;
    };
    match key(0) {
        Some(keyword) if ASIDE.contains(&keyword) => {
            fields.remove(keyword);
        }
        Some("type") if fields.get("properties").is_some_and(Value::is_object) => {
            fields.insert("type".to_owned(), "object".into());
        }
        Some("type") if fields.get("items").is_some_and(Value::is_object) => {
            fields.insert("type".to_owned(), "array".into());
        }
        Some(_) => *node = open(),
        None => {}
    }
}

/// Returns a schema that allows any value.
fn open() -> Value {
    Value::Object(Map::from_iter([("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true))]))
}
