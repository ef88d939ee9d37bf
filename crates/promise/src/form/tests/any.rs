//! Forms of generated schemas: whatever the schema and whatever valid value, the form returns the value unchanged.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::posted;
use crate::api::PromiseSpec;
use crate::form::{Control, Draft, model, parse};
use crate::policy::Effective;

/// A schema with a valid value.
pub(super) type Pair = (Value, Value);

/// Texts that are difficult for forms and YAML: empty, blank, multi-line, numbers, YAML keywords, other scripts.
pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("  ".to_owned()),
        Just("\nfirst\n second\n".to_owned()),
        prop::sample::select(vec!["null", "~", "yes", "007", "1e3", "5", "- a", "a: b", "#c", "\"\"", "'", "ü/ß.日本", "x\ty"])
            .prop_map(str::to_owned),
        "[ -~]{0,12}",
    ]
}

/// Property names that pointers, ids and paths have to escape.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-zA-Z0-9]{0,6}",
        prop::sample::select(vec!["a.b", "a/b", "a~b", "~key", "0", "ü", "with space", "x-y", "a[0]", "quo\"te"]).prop_map(str::to_owned),
    ]
}

fn whole() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        Just(json!(9_007_199_254_740_993_i64)),
        (-5_i64..5).prop_map(Value::from),
    ]
}

/// Adds a default to the schema in a quarter of the cases.
fn defaulted(pair: impl Strategy<Value = Pair>, default: impl Strategy<Value = Value>) -> impl Strategy<Value = Pair> {
    (pair, prop::option::weighted(0.25, default)).prop_map(|((mut schema, value), default)| {
        if let Some(default) = default {
            schema["default"] = default;
        }
        (schema, value)
    })
}

fn scalar() -> BoxedStrategy<Pair> {
    let texts = || text().prop_map(Value::String);
    prop_oneof![
        defaulted(texts().prop_map(|value| (json!({"type": "string"}), value)), texts()),
        defaulted(whole().prop_map(|value| (json!({"type": "integer"}), value)), whole()),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(|number| (json!({"type": "number"}), json!(number))),
        defaulted(any::<bool>().prop_map(|value| (json!({"type": "boolean"}), json!(value))), any::<bool>().prop_map(Value::Bool)),
        prop_oneof![texts(), whole()].prop_map(|value| (json!({"x-kubernetes-int-or-string": true}), value)),
        prop::sample::select(vec![json!(1), json!(2), json!(5)]).prop_map(|value| (json!({"type": "integer", "enum": [1, 2, 5]}), value)),
        prop::sample::select(vec![json!(""), json!("a"), json!("b c")])
            .prop_map(|value| (json!({"type": "string", "enum": ["", "a", "b c"]}), value)),
        Just((json!({"type": "string", "nullable": true}), Value::Null)),
        Just((json!({"type": "integer", "nullable": true}), Value::Null)),
        texts().prop_map(|value| (json!({"type": "string", "format": "date-time", "maxLength": 4000}), value)),
    ]
    .boxed()
}

/// Any JSON value.
fn open() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), whole(), text().prop_map(Value::String)];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((name(), inner), 0..3).prop_map(|fields| Value::Object(fields.into_iter().collect()))
        ]
    })
    .boxed()
}

pub(super) fn object(fields: impl Strategy<Value = Pair> + Clone + 'static) -> BoxedStrategy<Pair> {
    let field = (name(), fields, any::<bool>(), any::<bool>());
    (vec(field, 1..5), prop::option::weighted(0.2, open()))
        .prop_map(|(fields, unknown)| {
            let (mut properties, mut required, mut value) = (Map::new(), Vec::new(), Map::new());
            for (name, (schema, held), there, needed) in fields {
                if properties.contains_key(&name) {
                    continue;
                }
                if there || needed {
                    value.insert(name.clone(), held);
                }
                if needed {
                    required.push(name.clone());
                }
                properties.insert(name, schema);
            }
            // Fields that the schema doesn't have are kept too.
            if let Some(unknown) = unknown {
                value.insert("not in the schema".to_owned(), unknown);
            }
            (json!({"type": "object", "properties": properties, "required": required}), Value::Object(value))
        })
        .boxed()
}

/// The same schema with several values: the values of one property are used for all rows.
fn rows(one: BoxedStrategy<Pair>) -> BoxedStrategy<Pair> {
    let list = (one.clone(), 0_usize..3)
        .prop_map(|((items, value), count)| (json!({"type": "array", "items": items}), Value::Array(vec![value; count])));
    let map = (one, vec(prop_oneof![name(), text()], 0..3)).prop_map(|((values, value), keys)| {
        (
            json!({"type": "object", "additionalProperties": values}),
            Value::Object(keys.into_iter().map(|key| (key, value.clone())).collect()),
        )
    });
    prop_oneof![list, map].boxed()
}

pub(super) fn anything() -> BoxedStrategy<Pair> {
    let leaf = prop_oneof![
        6 => scalar(),
        1 => open().prop_map(|value| (json!({"x-kubernetes-preserve-unknown-fields": true}), value)),
        1 => open().prop_filter("an object", Value::is_object).prop_map(|value| (json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}), value)),
        2 => rows(scalar()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| prop_oneof![object(inner.clone()), rows(object(inner))]).boxed()
}

/// Lists of texts with different values in each row, since equal rows hide mistakes.
fn differing() -> BoxedStrategy<Pair> {
    vec(text(), 0..5).prop_map(|texts| (json!({"type": "array", "items": {"type": "string"}}), json!(texts))).boxed()
}

fn returned(schema: &Value, value: &Value) -> (Value, Vec<String>) {
    let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
    let effective = Effective { schema: schema.clone().into(), ..Effective::default() };
    let form = model(&spec, &effective, &Draft::of(value.clone()), &[]);
    for field in form.fields() {
        if let Control::Text { value, .. } = &field.control {
            assert!(!value.contains('\n'), "an input of one line drops line ends: {value:?}");
        }
    }
    let read = parse(&posted(&form), &spec, &effective, value).draft;
    // What was parsed is rendered and parsed again: a draft changes nothing either.
    let again = parse(&posted(&model(&spec, &effective, &read, &[])), &spec, &effective, &read.parameters).draft;
    assert_eq!(again.parameters, read.parameters, "drawing a draft again changes nothing");
    (read.parameters, read.problems.into_iter().map(|problem| problem.message).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testdata::size(400, 20_000), ..ProptestConfig::default() })]

    #[test]
    fn every_value_of_every_schema_survives_its_form((schema, value) in object(prop_oneof![8 => anything(), 1 => differing()].boxed())) {
        let (parameters, problems) = returned(&schema, &value);
        prop_assert_eq!(problems, Vec::<String>::new());
        prop_assert_eq!(parameters, value);
    }

    #[test]
    fn parameters_that_are_one_control_survive_it(value in open().prop_filter("an object", Value::is_object)) {
        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let (parameters, problems) = returned(&schema, &value);
        prop_assert_eq!((parameters, problems), (value, Vec::new()));
    }
}
