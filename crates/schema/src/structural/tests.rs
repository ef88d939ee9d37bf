//! Schemas and objects compared with the messages of kube-apiserver 1.36.

use serde_json::{Value, json};

use super::Schema;

fn errors_of(schema: Value, value: Value) -> Vec<String> {
    let schema = Schema::parse(&schema).unwrap();
    let mut errors: Vec<String> = schema.validate(&value).iter().map(ToString::to_string).collect();
    errors.sort();
    errors
}

fn field(name: &str, schema: Value) -> Value {
    json!({"type": "object", "properties": {name: schema}})
}

#[test]
fn values_are_refused_in_the_words_of_the_api_server() {
    let cases = [
        (json!({"type": "integer"}), json!("1"), vec![r#"f: Invalid value: "string": f in body must be of type integer: "string""#]),
        (json!({"type": "object"}), json!("t"), vec![r#"f: Invalid value: "string": f in body must be of type object: "string""#]),
        (
            json!({"type": "string", "enum": ["fast", "slow"]}),
            json!("medium"),
            vec![r#"f: Unsupported value: "medium": supported values: "fast", "slow""#],
        ),
        (
            json!({"type": "string", "pattern": "^[a-z]+$"}),
            json!("A1"),
            vec![r#"f: Invalid value: "A1": f in body should match '^[a-z]+$'"#],
        ),
        (
            json!({"type": "string", "minLength": 2, "pattern": "^[a-z]+$"}),
            json!("A"),
            vec![r#"f: Invalid value: "A": f in body should be at least 2 chars long"#],
        ),
        (json!({"type": "string", "maxLength": 5}), json!("abcdef"), vec!["f: Too long: may not be more than 5 bytes"]),
        (json!({"type": "string", "maxLength": 5}), json!("äöüßé"), vec![]),
        (json!({"type": "integer", "minimum": 1}), json!(0), vec!["f: Invalid value: 0: f in body should be greater than or equal to 1"]),
        (json!({"type": "integer", "maximum": 10}), json!(11), vec!["f: Invalid value: 11: f in body should be less than or equal to 10"]),
        (
            json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}),
            json!(0),
            vec!["f: Invalid value: 0: f in body should be greater than 0"],
        ),
        (json!({"type": "number", "multipleOf": 0.5}), json!(0.7), vec!["f: Invalid value: 0.7: f in body should be a multiple of 0.5"]),
        (
            json!({"type": "string", "format": "date-time"}),
            json!("yesterday"),
            vec![r#"f: Invalid value: "yesterday": f in body must be of type date-time: "yesterday""#],
        ),
        (
            json!({"type": "integer", "format": "int32"}),
            json!(4_294_967_296_i64),
            vec![r#"<nil>: Invalid value: "": Checked value must be of type integer with format int32 in f"#],
        ),
        (
            json!({"type": "integer"}),
            json!(1.5),
            vec![
                r#"<nil>: Invalid value: "": Checked value must be of type integer (default format) in f"#,
                r#"f: Invalid value: "number": f in body must be of type integer: "number""#,
            ],
        ),
        (json!({"type": "integer"}), json!(2.0), vec![]),
        (
            json!({"type": "integer", "format": "int64"}),
            json!(9_223_372_036_854_775_808_u64),
            vec![
                r#"<nil>: Invalid value: "": Checked value must be of type integer with format int64 in f"#,
                r#"f: Invalid value: "float64": f in body must be of type int64: "float64""#,
            ],
        ),
        (
            json!({"type": "integer", "maximum": 1_000_000}),
            json!(1_000_001),
            vec!["f: Invalid value: 1000001: f in body should be less than or equal to 1000000"],
        ),
        (
            json!({"type": "number", "maximum": 1_000_000}),
            json!(2_000_000.5),
            vec!["f: Invalid value: 2.0000005e+06: f in body should be less than or equal to 1e+06"],
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
            json!([]),
            vec!["f: Invalid value: 0: f in body should have at least 1 items"],
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "maxItems": 1}),
            json!(["a", "b"]),
            vec!["f: Too many: 2: must have at most 1 item"],
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
            json!(["a", "a"]),
            vec![r#"f[1]: Duplicate value: "a""#],
        ),
        (
            json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}),
            json!([{"name": "a"}, {"name": "a"}]),
            vec![r#"f[1]: Duplicate value: {"name":"a"}"#],
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 2}),
            json!({"k": "v"}),
            vec![r#"f.k: Invalid value: "string": f.k in body must be of type integer: "string""#],
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!({"a": "1", "b": "2"}),
            vec![r#"<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives"#],
        ),
        (
            json!({"x-kubernetes-int-or-string": true}),
            json!(true),
            vec![r#"f: Invalid value: "boolean": f in body must be of type integer,string: "boolean""#],
        ),
        (
            json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}),
            json!({"a": 1}),
            vec!["f.apiVersion: Required value", "f.kind: Required value"],
        ),
        (
            json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}),
            json!({"apiVersion": "a/b/c", "kind": ""}),
            vec![
                r#"f.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c"#,
                r#"f.kind: Invalid value: "": must not be empty"#,
            ],
        ),
    ];
    for (schema, value, expected) in cases {
        assert_eq!(errors_of(field("f", schema.clone()), json!({"f": value})), expected, "{schema}");
    }
}

#[test]
fn resources_inside_are_found_wherever_they_lie() {
    let inner = json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    let map = json!({"type": "object", "additionalProperties": {"type": "array", "items": inner}});
    let schema = Schema::parse(&field("f", map)).unwrap();
    let found = schema.embedded_resources(&json!({"f": {"a/b": [1, {"kind": "K"}]}, "g": {"kind": "K"}}));
    assert_eq!(found, [("f[a/b][1]".to_owned(), "/f/a~1b/1".to_owned())]);
}

#[test]
fn a_missing_field_is_named_with_its_path() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}}}});
    assert_eq!(errors_of(schema, json!({"a": {}})), ["a.x: Required value"]);
}

#[test]
fn schemas_are_refused_in_the_words_of_the_api_server() {
    let parse = |schema: Value| {
        let mut errors: Vec<String> = Schema::parse(&schema).unwrap_err().iter().map(ToString::to_string).collect();
        errors.sort();
        errors
    };
    assert_eq!(
        parse(json!({"properties": {"spec": {"properties": {"a": {"type": "string"}, "b": {"type": "array"}}}}})),
        [
            "properties[spec].properties[b].items: Required value: must be specified",
            "properties[spec].type: Required value: must not be empty for specified object fields",
            "type: Required value: must not be empty at the root",
        ]
    );
    assert_eq!(
        parse(json!({"type": "object", "properties": {
            "a": {"type": "string", "default": 5},
            "b": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "map"},
            "c": {"type": "string", "pattern": "("}}})),
        [
            "properties[b].items.type: Invalid value: \"string\": must be object if parent array's x-kubernetes-list-type is map",
            "properties[b].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
            "properties[c].pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`",
        ]
    );
    assert_eq!(
        parse(json!({"type": "object", "properties": {"a": {"type": "string", "default": 5}}})),
        [r#"properties[a].default: Invalid value: "integer":  in body must be of type string: "integer""#]
    );
    let covered = json!({"type": "object", "default": {"n": 1}, "properties": {"n": {"type": "integer", "default": "x"}}});
    assert_eq!(
        parse(json!({"type": "object", "properties": {"a": covered}})),
        [r#"properties[a].properties[n].default: Invalid value: "string":  in body must be of type integer: "string""#]
    );
}

#[test]
fn what_was_left_as_it_was_is_not_judged_again() {
    let item = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "port": {"type": "integer", "maximum": 9}}});
    let schema = Schema::parse(&json!({"type": "object", "properties": {
        "a": {"type": "integer", "maximum": 5}, "b": {"type": "string"},
        "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": item}}}))
    .unwrap();
    let old = json!({"a": 7, "ports": [{"name": "x", "port": 80}]});
    let count = |new: Value| schema.validate_change(&new, &old).len();
    assert_eq!(count(json!({"a": 7, "b": "new", "ports": [{"name": "y"}, {"name": "x", "port": 80}]})), 0);
    assert_eq!(count(json!({"a": 8, "ports": [{"name": "x", "port": 81}]})), 2);
}

#[test]
fn alternatives_are_judged_whole_when_something_changes() {
    let schema = Schema::parse(&json!({"type": "object",
        "properties": {"mode": {"type": "string"}, "size": {"type": "integer"}, "note": {"type": "string"}},
        "not": {"properties": {"mode": {"enum": ["off"]}}, "required": ["mode"]},
        "oneOf": [{"properties": {"size": {"maximum": 5}}}, {"properties": {"size": {"minimum": 9}}}]}))
    .unwrap();
    let old = json!({"mode": "on", "size": 3});
    assert_eq!(schema.validate_change(&json!({"mode": "on", "size": 3, "note": "new"}), &old), []);
    assert_eq!(schema.validate_change(&json!({"mode": "off", "size": 3}), &old).len(), 1);
}

#[test]
fn errors_without_a_field_know_their_place() {
    let schema = field("f", json!({"type": "integer", "format": "int32"}));
    let errors = Schema::parse(&schema).unwrap().validate(&json!({"f": 4_294_967_296_i64}));
    assert_eq!((errors[0].field.as_str(), errors[0].place()), (super::NO_FIELD, "f"));
}

fn shaping() -> Schema {
    Schema::parse(&json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "size": {"type": "integer", "default": 3},
        "mode": {"type": "string", "default": "fast", "nullable": true},
        "box": {"type": "object", "default": {}, "properties": {"w": {"type": "integer", "default": 1}, "h": {"type": "integer"}}},
        "opt": {"type": "object", "properties": {"inner": {"type": "string", "default": "in"}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"typed": {"type": "object", "properties": {"a": {"type": "string"}}}}},
        "maybe": {"type": "string", "nullable": true},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer", "default": 7}}}},
        "embedded": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
        "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}}}}}}}}))
    .unwrap()
}

#[test]
fn defaults_fill_only_objects_that_are_there() {
    let cases = [
        (json!({}), json!({})),
        (json!({"spec": {}}), json!({"spec": {"box": {"w": 1}, "mode": "fast", "size": 3}})),
        (
            json!({"spec": {"opt": {}, "rows": [{"id": "x"}, {"n": 1}], "box": {"h": 2}}}),
            json!({"spec": {"box": {"h": 2, "w": 1}, "mode": "fast", "opt": {"inner": "in"}, "rows": [{"id": "x", "n": 7}, {"n": 1}], "size": 3}}),
        ),
        (
            json!({"spec": {"maybe": null, "mode": null, "size": null, "map": null}}),
            json!({"spec": {"box": {"w": 1}, "maybe": null, "mode": null, "size": 3}}),
        ),
    ];
    for (mut value, expected) in cases {
        shaping().default(&mut value);
        assert_eq!(value, expected);
    }
}

#[test]
fn unknown_fields_are_pruned_and_named() {
    let mut value = json!({
        "apiVersion": "v1", "kind": "K", "metadata": {"name": "a", "nosuch": 1}, "extra": 1,
        "spec": {
            "nosuch": 1, "opt": {"inner": "x", "other": true}, "map": {"k": {"a": "1", "b": "2"}}, "rows": [{"z": 0}],
            "free": {"any": [1, {"x": null}], "typed": {"a": "kept", "b": "pruned"}},
            "embedded": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "nosuch": 1}, "data": {"k": "v"}},
        },
    });
    assert_eq!(
        shaping().prune_resource(&mut value),
        [
            "extra",
            "metadata.nosuch",
            "spec.embedded.metadata.nosuch",
            "spec.free.typed.b",
            "spec.map.k.b",
            "spec.nosuch",
            "spec.opt.other",
            "spec.rows[0].z"
        ]
    );
    assert_eq!(value["spec"]["free"], json!({"any": [1, {"x": null}], "typed": {"a": "kept"}}));
    assert_eq!(value["spec"]["embedded"]["data"], json!({"k": "v"}));
}

/// Any JSON of small depth, with the field names of [`shaping`] among others.
fn any_json() -> impl proptest::strategy::Strategy<Value = Value> {
    use proptest::prelude::*;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z]{0,5}".prop_map(Value::from),
    ];
    let name = prop_oneof![
        proptest::sample::select(vec![
            "spec", "size", "mode", "box", "w", "opt", "inner", "free", "typed", "a", "rows", "id", "n", "embedded", "map", "metadata"
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,3}",
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(name.clone(), inner, 0..6).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest::proptest! {
    #[test]
    fn shaping_twice_is_shaping_once(value in any_json()) {
        let schema = shaping();
        let mut once = json!({"spec": value});
        schema.prune(&mut once);
        proptest::prop_assert!(schema.prune(&mut once.clone()).is_empty());
        schema.default(&mut once);
        let mut twice = once.clone();
        schema.default(&mut twice);
        proptest::prop_assert_eq!(&once, &twice);
        // Defaults add nothing that pruning would remove.
        proptest::prop_assert!(schema.prune(&mut twice).is_empty());
    }

    #[test]
    fn validating_never_fails_itself(value in any_json()) {
        let schema = shaping();
        for error in schema.validate(&value) {
            proptest::prop_assert!(!error.to_string().is_empty());
        }
        schema.validate_rules(&value, Some(&value), &mut crate::expr::Budget::default());
    }
}

#[test]
fn fractions_of_limits_count_for_whole_numbers_too() {
    let schema = |keyword: &str, limit: f64| Schema::parse_lenient(&json!({"type": "number", keyword: limit}));
    for (keyword, limit, value, fits) in [
        ("minimum", 0.5, json!(0), false),
        ("minimum", 0.5, json!(1), true),
        ("maximum", 2.5, json!(3), false),
        ("maximum", 2.5, json!(2), true),
        ("multipleOf", 0.5, json!(1), true),
        ("multipleOf", 1.5, json!(2), false),
        ("multipleOf", 1.5, json!(3), true),
        ("multipleOf", 0.1, json!(0.3), true),
    ] {
        assert_eq!(schema(keyword, limit).validate(&value).is_empty(), fits, "{keyword}: {limit}, {value}");
    }
}

#[test]
fn a_list_that_preserves_unknown_fields_preserves_those_of_its_items() {
    let known = json!({"type": "object", "properties": {"known": {"type": "object", "properties": {"a": {"type": "string"}}}}});
    let list = json!({"type": "array", "x-kubernetes-preserve-unknown-fields": true, "items": known});
    let schema = Schema::parse_lenient(&json!({"type": "object", "properties": {"f": list}}));
    let mut value = json!({"f": [{"unknown": {"x": 1}, "known": {"a": "b", "dropped": 1}}]});
    assert_eq!(schema.prune(&mut value), ["f[0].known.dropped"]);
    assert_eq!(value, json!({"f": [{"unknown": {"x": 1}, "known": {"a": "b"}}]}));
}

#[test]
fn a_value_that_occurs_often_is_a_duplicate_once() {
    let list = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}});
    let schema = Schema::parse_lenient(&json!({"type": "object", "properties": {"f": list}}));
    let errors = schema.validate(&json!({"f": ["a", "b", "a", "a", "b"]}));
    let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields, ["f[2]", "f[4]"]);
    let items = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let list = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": items});
    let schema = Schema::parse_lenient(&json!({"type": "object", "properties": {"f": list}}));
    let errors = schema.validate(&json!({"f": [{"name": "a"}, {"name": "a"}, "x"]}));
    let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields, ["f[2]"]);
}
