//! Forms' structural schemas of JSON Schemas, and verdicts.

use serde_json::{Value, json};

use super::{ENUM_TITLES, JsonSchemaError, ORIGINAL, VARIANTS, check, has_foreign_keywords, is_json_schema, structural};
use crate::structural::Schema;

/// Returns the structural schema of a property of an object with these definitions.
fn of(property: Value) -> Value {
    let schema = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"it": property}, "$defs": {
        "name": {"type": "string", "minLength": 1, "description": "A name."},
        "tree": {"type": "object", "properties": {"name": {"$ref": "#/$defs/name"}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}},
    }});
    structural(&schema).unwrap()["properties"]["it"].clone()
}

fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let schema = Schema::parse_part(&structural(schema).unwrap()).unwrap();
    schema.validate(value).iter().map(|error| error.place().to_owned()).collect()
}

#[test]
fn keywords_say_what_a_structural_schema_can_say() {
    for (property, expected) in [
        (json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true})),
        (json!({"type": ["integer", "string"]}), json!({"x-kubernetes-int-or-string": true})),
        (json!({"const": "a"}), json!({"type": "string", "enum": ["a"]})),
        (json!({"enum": ["a", null]}), json!({"type": "string", "enum": ["a"], "nullable": true})),
        (json!({"type": "number", "exclusiveMinimum": 0}), json!({"type": "number", "minimum": 0, "exclusiveMinimum": true})),
        (json!(true), json!({"x-kubernetes-preserve-unknown-fields": true})),
        (
            json!({"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false}),
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "string", "enum": ["b"]}], "items": false}),
            json!({"type": "array", "maxItems": 2, "items": {"type": "string", "examples": ["b"]}}),
        ),
        (
            json!({"$ref": "#/$defs/name", "description": "Its name."}),
            json!({"type": "string", "minLength": 1, "description": "Its name."}),
        ),
        (
            json!({"allOf": [{"type": "integer", "minimum": 1}, {"maximum": 5, "minimum": 0}]}),
            json!({"type": "integer", "minimum": 1, "maximum": 5}),
        ),
        (
            json!({"oneOf": [{"const": "a", "title": "First"}, {"const": "b", "title": "Second"}]}),
            json!({"type": "string", "enum": ["a", "b"], (ENUM_TITLES): {"a": "First", "b": "Second"}}),
        ),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), json!({"type": "string", "nullable": true})),
        (json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}), json!({"x-kubernetes-int-or-string": true})),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
            json!({"x-kubernetes-preserve-unknown-fields": true}),
        ),
    ] {
        let mut made = of(property.clone());
        if let Some(node) = made.as_object_mut().filter(|_| expected.get("title").is_none()) {
            node.remove("title");
        }
        assert_eq!(made, expected, "{property}");
    }
}

#[test]
fn variants_keep_which_properties_are_whose() {
    let made = of(json!({"oneOf": [
        {"title": "Git repository", "type": "object", "required": ["type", "url"], "properties": {"type": {"const": "git"}, "url": {"type": "string"}, "name": {"type": "string"}}},
        {"type": "object", "required": ["type"], "properties": {"type": {"const": "oci"}, "image": {"type": "string"}, "name": {"type": "string"}}},
    ]}));
    assert_eq!(
        made[VARIANTS],
        json!([
            {"title": "Git repository", "properties": ["url"], "required": ["type", "url"], "fixed": {"type": "git"}},
            {"title": "oci", "properties": ["image"], "required": ["type"], "fixed": {"type": "oci"}},
        ])
    );
    assert_eq!(made["properties"]["type"]["enum"], json!(["git", "oci"]));
    assert_eq!(made["required"], json!(["type"]));
    let names: Vec<&String> = made["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

#[test]
fn conditions_add_what_they_may_demand() {
    let made = of(json!({
        "type": "object",
        "properties": {"public": {"type": "boolean"}},
        "if": {"properties": {"public": {"const": true}}},
        "then": {"properties": {"host": {"type": "string"}}, "required": ["host"]},
    }));
    assert_eq!(made["properties"]["host"], json!({"type": "string"}));
    assert!(made.get("required").is_none());
}

#[test]
fn recursive_schemas_are_written_out_as_far_as_there_is_room() {
    let mut node = &of(json!({"$ref": "#/$defs/tree"}));
    let mut depth = 0;
    while node["properties"]["children"]["items"]["properties"].is_object() {
        node = &node["properties"]["children"]["items"];
        depth += 1;
    }
    assert_eq!(depth, 5);
    let wide: serde_json::Map<String, Value> = (0..20).map(|index| (format!("p{index}"), json!({"$ref": "#"}))).collect();
    let made = structural(&json!({"type": "object", "properties": wide})).unwrap();
    assert!(made["properties"]["p0"]["properties"]["p1"].is_object());
    assert!(made.to_string().len() < 4 << 20, "{}", made.to_string().len());
    Schema::parse_part(&made).unwrap();
}

#[test]
fn schemas_that_grow_without_end_are_cut() {
    let definitions: serde_json::Map<String, Value> = (0..40)
        .map(|index| {
            let next = json!({"$ref": format!("#/definitions/d{}", index + 1)});
            (format!("d{index}"), json!({"type": "object", "properties": {"a": next, "b": next}}))
        })
        .chain([("d40".to_owned(), json!({"type": "string"}))])
        .collect();
    let made = structural(&json!({"$ref": "#/definitions/d0", "definitions": definitions})).unwrap();
    assert!(made.to_string().len() < 16 << 20);
}

#[test]
fn the_json_schema_decides() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "required": ["source"],
        "properties": {
            "source": {"oneOf": [
                {"type": "object", "required": ["kind", "url"], "properties": {"kind": {"const": "git"}, "url": {"type": "string", "minLength": 3}}},
                {"type": "object", "required": ["kind", "image"], "properties": {"kind": {"const": "oci"}, "image": {"type": "string"}}},
            ]},
            "range": {"type": "array", "items": [{"type": "integer"}, {"type": "string"}], "additionalItems": false},
            "public": {"type": "boolean"},
            "host": {"type": "string"},
            "tags": {"type": "array", "uniqueItems": true, "items": {"type": "object"}},
            "x.y": {"type": "integer"},
        },
        "if": {"properties": {"public": {"const": true}}, "required": ["public"]},
        "then": {"required": ["host"]},
    });
    let git = json!({"kind": "git", "url": "https://example.org"});
    for (value, expected) in [
        (json!({"source": git}), vec![]),
        (json!({}), vec!["source"]),
        (json!({"source": {"kind": "git", "url": "a"}}), vec!["source.url"]),
        (json!({"source": {"kind": "oci", "url": "abc"}}), vec!["source.image"]),
        (json!({"source": git, "range": [1, "a"]}), vec![]),
        (json!({"source": git, "range": ["a", "a"]}), vec!["range[0]"]),
        (json!({"source": git, "range": [1, "a", 2]}), vec!["range"]),
        (json!({"source": git, "public": true}), vec!["host"]),
        (json!({"source": git, "public": true, "host": "a"}), vec![]),
        (json!({"source": git, "tags": [{}, {}]}), vec!["tags[1]"]),
        (json!({"source": git, "x.y": "a"}), vec!["x.y"]),
        (json!({"source": git, "more": 1}), vec![]),
    ] {
        assert_eq!(faults(&schema, &value), expected, "{value}");
    }
}

#[test]
fn references_stay_in_the_document() {
    let external = json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/a.json"}}});
    let at = "/properties/a".to_owned();
    assert_eq!(structural(&external), Err(JsonSchemaError::External { at: at.clone(), reference: "https://example.org/a.json".into() }));
    let missing = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}});
    assert_eq!(structural(&missing), Err(JsonSchemaError::Missing { at, reference: "#/$defs/a".into() }));
    let endless = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
    assert_eq!(structural(&endless), Err(JsonSchemaError::NotAnObject));
    for (reference, definition) in [
        ("#size", json!({"$anchor": "size", "type": "integer"})),
        ("#/$defs/a~1b%20c", json!({"type": "integer"})),
        ("sizes.json", json!({"$id": "https://example.org/sizes.json", "type": "integer"})),
    ] {
        let schema = json!({"type": "object", "properties": {"a": {"$ref": reference}}, "$defs": {"a/b c": definition}});
        assert_eq!(structural(&schema).unwrap()["properties"]["a"]["type"], "integer", "{reference}");
    }
}

#[test]
fn faulty_schemas_are_refused() {
    assert!(matches!(check(&json!({"type": "object", "properties": {"a": {"type": "text"}}})), Err(JsonSchemaError::Invalid { .. })));
    assert!(check(&json!({"type": "object", "properties": {"a": {"pattern": "^(?!x).*$"}}})).is_ok());
    let patterned: serde_json::Map<String, Value> =
        (0..300).map(|index| (format!("p{index}"), json!({"pattern": format!("^{index}$")}))).collect();
    assert!(matches!(check(&json!({"type": "object", "properties": patterned})), Err(JsonSchemaError::Invalid { .. })));
    assert_eq!(structural(&json!({"type": "string"})), Err(JsonSchemaError::NotAnObject));
    let made = structural(&json!({"$schema": "https://json-schema.org/schema#", "type": "object"})).unwrap();
    assert!(is_json_schema(&made[ORIGINAL]) && !is_json_schema(&made));
}

#[test]
fn foreign_keywords_are_found_at_any_depth() {
    let inside = |node: Value| json!({"type": "object", "properties": {"a": {"type": "array", "items": node}}});
    for node in [
        json!({"$ref": "#"}),
        json!({"type": ["string", "null"]}),
        json!({"oneOf": [{"type": "string"}]}),
        json!({"type": "array", "items": [{"type": "string"}]}),
        json!({"type": "number", "exclusiveMinimum": 1}),
        json!({"type": "object", "properties": {}, "additionalProperties": false}),
    ] {
        assert!(has_foreign_keywords(&inside(node.clone())), "{node}");
    }
    for node in [
        json!({"type": "string", "enum": ["$ref"], "default": {"$ref": 1}}),
        json!({"type": "object", "properties": {"const": {"type": "string"}, "if": {"type": "string"}}}),
        json!({"type": "object", "oneOf": [{"required": ["a"]}]}),
    ] {
        assert!(!has_foreign_keywords(&inside(node.clone())), "{node}");
    }
}
