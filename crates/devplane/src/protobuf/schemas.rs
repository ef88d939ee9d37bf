//! Schemas of kinds that the table alone describes.

use serde_json::{Map, Value, json};

use super::table::{self, Count, Field, Message, Type};

/// The schema of a kind: its fields and their types, without `metadata`.
pub fn schema(api_version: &str, kind: &str) -> Value {
    let mut schema = table::message(api_version, kind).map_or_else(|| json!({"type": "object"}), object);
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.remove("metadata");
    }
    schema
}

fn object(message: &'static Message) -> Value {
    let mut properties = Map::new();
    add(message, &mut properties);
    json!({"type": "object", "properties": properties})
}

fn add(message: &'static Message, properties: &mut Map<String, Value>) {
    for field in message {
        match field.kind {
            Type::Message(inner) if field.inline => add(table::at(inner), properties),
            _ => {
                properties.insert(field.name.to_owned(), of_field(field));
            }
        }
    }
}

fn of_field(field: &Field) -> Value {
    let own = match field.kind {
        Type::Text | Type::MicroTime => json!({"type": "string"}),
        Type::Flag => json!({"type": "boolean"}),
        Type::Int32 => json!({"type": "integer", "format": "int32"}),
        Type::Int64 => json!({"type": "integer", "format": "int64"}),
        Type::Bytes => json!({"type": "string", "format": "byte"}),
        Type::Time => json!({"type": "string", "format": "date-time", "nullable": true}),
        Type::Quantity | Type::IntOrString => json!({"x-kubernetes-int-or-string": true}),
        Type::Raw => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        Type::Wrapped => list(json!({"type": "string"})),
        Type::Message(place) => object(table::at(place)),
    };
    match field.count {
        Count::One | Count::Maybe => own,
        Count::List => list(own),
        Count::Map => json!({"type": "object", "additionalProperties": own}),
    }
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items, "x-kubernetes-list-type": "atomic"})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_the_fields_of_its_message() {
        let replicas = json!({"type": "integer", "format": "int32"});
        let status = json!({"type": "object", "properties": {"replicas": replicas, "selector": {"type": "string"}}});
        let spec = json!({"type": "object", "properties": {"replicas": replicas}});
        assert_eq!(schema("autoscaling/v1", "Scale"), json!({"type": "object", "properties": {"spec": spec, "status": status}}));
        assert_eq!(schema("example.org/v1", "None"), json!({"type": "object"}));
    }
}
