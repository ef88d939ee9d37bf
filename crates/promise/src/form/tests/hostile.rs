//! Posts and schemas that are made to do harm: each gives a form of bounded size, problems in words, and no value that wasn't posted.

use serde_json::{Map, Value, json};

use super::posted;
use crate::api::PromiseSpec;
use crate::context::Context;
use crate::form::{Draft, Form, OPERATION, model, parse, reference, yaml};
use crate::policy::Effective;
use crate::resolve::resolve;

/// Bytes of a form as JSON for a small form, and for each byte of its schema and of what was posted.
const SMALL: usize = 100_000;
const FACTOR: usize = 60;

fn of(schema: Value) -> (PromiseSpec, Effective) {
    let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
    (spec, Effective { schema: schema.into(), ..Effective::default() })
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// Posts the pairs twice, as what was rendered then and as they are. Returns the parameters and the form that follows.
fn post(schema: &Value, base: &Value, pairs: &[(String, String)]) -> (Value, Form) {
    let (spec, effective) = of(schema.clone());
    let draft = parse(pairs, &spec, &effective, base).draft;
    let resolved = resolve(&spec, &draft.parameters, None, &effective, &Context::default());
    let form = model(&spec, &effective, &draft, &resolved.problems);
    let again = parse(&posted(&form), &spec, &effective, base).draft;
    assert_eq!(again.parameters, draft.parameters, "the form that follows sends the same");
    let given: usize = pairs.iter().map(|(name, text)| name.len() + text.len()).sum();
    let most = SMALL + FACTOR * (schema.to_string().len() + base.to_string().len() + given);
    let size = serde_json::to_string(&form).unwrap().len();
    assert!(size <= most, "{size} bytes of a form for {given} bytes of a post");
    for problem in draft.problems.iter().chain(&resolved.problems) {
        assert!(problem.message.ends_with(['.', '!', '?', ')']) || problem.message.contains("pattern"), "a sentence: {}", problem.message);
        assert!(problem.message.len() < 2_000, "{} bytes of a message", problem.message.len());
    }
    (draft.parameters, form)
}

fn all() -> Value {
    let rule =
        json!({"type": "object", "properties": {"name": {"type": "string"}, "paths": {"type": "array", "items": {"type": "string"}}}});
    json!({"type": "object", "properties": {
        "host": {"type": "string"},
        "hosts": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "rules": {"type": "array", "items": rule.clone()},
        "named": {"type": "object", "additionalProperties": rule.clone()},
        "matrix": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "part": rule,
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    }})
}

#[test]
fn forged_names_add_nothing() {
    let deep = format!("/parameters/rules{}", "/0/paths".repeat(5_000));
    let deeper = format!("/parameters/named{}", "/~rows/0/~value".repeat(5_000));
    let base = json!({"host": "kept"});
    for name in [
        "/parameters/__proto__",
        "/parameters/__proto__/polluted",
        "/parameters/constructor/prototype",
        "/parameters/host/deeper/still",
        "/parameters/part/nothing",
        "/parameters/rules/-1",
        "/parameters/rules/x/name",
        "/parameters/rules/99999999999999999999999/name",
        "/parameters/hosts/18446744073709551616",
        "/parameters/labels/~rows/x/~key",
        "/parameters/named/~rows/-5/~value/name",
        "/parameters/~rows/0/~key",
        "/parameters/~kept",
        "/parameters//",
        "/parameters/",
        "/parameters",
        "/parametersX/host",
        "/parameters/~",
        "/parameters/~2",
        "/parameters/~more",
        &deep,
        &deeper,
    ] {
        let (parameters, _) = post(&all(), &base, &pairs(&[(name, "forged")]));
        let mut known = parameters.as_object().cloned().unwrap_or_default();
        assert_eq!(known.remove("host"), Some(json!("kept")), "{name:.60}");
        // A row that was posted without its content is a row, and nothing else.
        assert!(known.values().all(|rows| !rows.to_string().contains("forged")), "{name:.60}: {known:?}");
    }
}

#[test]
fn marks_of_what_is_missing_count_where_forms_have_them() {
    let forged = [
        ("/parameters/labels/~shown", "1"),
        ("/parameters/labels/~missing", "1"),
        ("/parameters/part/~missing", "null"),
        ("/parameters/part/~empty", "1"),
        ("/parameters/host/~missing", "null"),
        ("/parameters/host", ""),
    ];
    let (parameters, _) = post(&all(), &json!({"host": "kept", "labels": {}}), &pairs(&forged));
    assert_eq!(parameters.get("labels"), Some(&json!({})), "an optional map that is there and empty stays");
    assert_eq!(parameters.get("host"), None, "a text that is cleared is not null");
}

#[test]
fn numbers_of_rows_order_them_and_are_no_size() {
    let far = usize::MAX.to_string();
    let names = [format!("/parameters/hosts/{far}"), "/parameters/hosts/7".to_owned(), format!("/parameters/rules/{far}/name")];
    let typed: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(["last", "first", "only"]).collect();
    let (parameters, _) = post(&all(), &Value::Null, &pairs(&typed));
    assert_eq!(parameters, json!({"hosts": ["first", "last"], "rules": [{"name": "only"}]}));
    for operation in ["add:", "remove:", "up:", "down:", "put:", "drop:", "show:"] {
        for target in [names[0].as_str(), "/parameters/hosts/8", "/parameters/rules/-1", "/parameters", "", "/", "/parameters/__proto__/x"]
        {
            let mut pressed = pairs(&typed);
            pressed.push((OPERATION.to_owned(), format!("{operation}{target}")));
            post(&all(), &json!({"host": "kept"}), &pressed);
        }
    }
    let rows = json!([{"name": "a"}, {"name": "b"}]);
    for from in ["99999999999", "-1", "x", ""] {
        let forged = pairs(&[("/parameters/rules/~shown", "1"), ("/parameters/rules/0/~there", "1"), ("/parameters/rules/0/~from", from)]);
        assert_eq!(post(&all(), &json!({"rules": rows}), &forged).0, json!({"rules": [{}]}));
    }
}

#[test]
fn one_name_twice_counts_once() {
    let twice =
        pairs(&[("/parameters/host", "a"), ("/parameters/host", "b"), ("_op", "add:/parameters/hosts"), ("_op", "drop:/parameters/part")]);
    let (parameters, _) = post(&all(), &Value::Null, &twice);
    assert_eq!(parameters["host"], "b");
    let same = pairs(&[
        ("/parameters/labels/~shown", "1"),
        ("/parameters/labels/~rows/0/~key", "a"),
        ("/parameters/labels/~rows/0/~key", "b"),
        ("/parameters/labels/~rows/00/~key", "c"),
        ("/parameters/labels/~rows/0/~value", "1"),
    ]);
    assert_eq!(post(&all(), &Value::Null, &same).0["labels"], json!({"b": "1"}));
}

#[test]
fn text_that_expands_or_nests_is_refused_with_a_sentence() {
    let aliases = (1..12).fold("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, number| {
        let before = number - 1;
        format!("{text}a{number}: &a{number} [{}]\n", vec![format!("*a{before}"); 10].join(", "))
    });
    let texts = [
        aliases,
        "a: &a [*a]".to_owned(),
        "[".repeat(50_000),
        format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000)),
        format!("{}1{}", "{\"a\": ".repeat(5_000), "}".repeat(5_000)),
        "- ".repeat(50_000),
        "? ".repeat(50_000),
        format!("a: {}", "9".repeat(100_000)),
        "a: 1\na: 2".to_owned(),
        "<<: {a: 1}\n<<: {b: 2}".to_owned(),
        "a: \u{0}".to_owned(),
        "!!binary x".to_owned(),
        "--- 1\n--- 2".to_owned(),
        format!("{}: 1", "k".repeat(100_000)),
    ];
    for text in texts {
        let (spec, effective) = of(all());
        for name in ["/parameters/open", "/parameters/part/~kept", "/parameters/rules/0/~others", "/parameters/~others"] {
            let typed = pairs(&[(name, &text), ("/parameters/host", "kept")]);
            let draft = parse(&typed, &spec, &effective, &Value::Null).draft;
            let size = draft.parameters.to_string().len();
            assert!(size <= text.len() + 1_000, "{size} bytes of {} in {name}: {text:.40}", text.len());
            assert_eq!(draft.parameters["host"], "kept", "{name}: {text:.40}");
            assert!(draft.problems.iter().all(|problem| problem.message.ends_with('.') && problem.message.len() < 500));
            let form = serde_json::to_string(&model(&spec, &effective, &draft, &[])).unwrap();
            assert!(form.len() < SMALL + 4 * text.len(), "{} bytes of a form", form.len());
        }
    }
}

#[test]
fn thousands_of_rows_are_a_form_of_their_size() {
    // As many as a post can have.
    let rows: Vec<(String, String)> = (0..5_000).map(|number| (format!("/parameters/rules/{number}/name"), "x".to_owned())).collect();
    let (parameters, form) = post(&all(), &Value::Null, &rows);
    assert_eq!(parameters["rules"].as_array().map(Vec::len), Some(5_000));
    assert!(form.fields().len() <= 11_000, "{} fields", form.fields().len());
    let keys: Vec<(String, String)> =
        (0..5_000).map(|number| (format!("/parameters/labels/~rows/{number}/~key"), "same".to_owned())).collect();
    let (spec, effective) = of(all());
    let draft = parse(&keys, &spec, &effective, &Value::Null).draft;
    assert_eq!(draft.parameters, json!({"labels": {"same": ""}}));
    let form = serde_json::to_string(&model(&spec, &effective, &draft, &[])).unwrap();
    assert!(form.len() < 10_000_000, "{} bytes of a form", form.len());
}

#[test]
fn schemas_of_any_size_have_a_form_that_holds_what_is_open() {
    let many =
        |count: usize| -> Map<String, Value> { (0..count).map(|number| (format!("field{number}"), json!({"type": "string"}))).collect() };
    let wide = json!({"type": "object", "properties": many(100_000)});
    let group = json!({"type": "object", "properties": many(1_000), "default": {}});
    let groups: Map<String, Value> = (0..100).map(|number| (format!("group{number}"), group.clone())).collect();
    let groups = json!({"type": "object", "properties": groups});
    let deep = (0..90).fold(json!({"type": "string"}), |inner, _| json!({"type": "object", "properties": {"a": inner}, "required": ["a"]}));
    let lists = (0..90).fold(json!({"type": "string"}), |inner, _| json!({"type": "array", "items": inner}));
    let lists = json!({"type": "object", "properties": {"a": lists}});
    let values: Vec<String> = (0..50_000).map(|number| format!("value{number}")).collect();
    let long = json!({"type": "object", "properties": {"a": {"type": "string", "enum": values}}});
    let patterns = json!({"type": "object", "properties": {
        "a": {"type": "string", "pattern": "^(a+)+$"},
        "b": {"type": "string", "pattern": "(x{1000}){1000}"},
        "c": {"type": "string", "pattern": "("},
        "d": {"type": "string", "pattern": "(?=a)b\\1"},
    }});
    for (what, schema, most) in [
        ("100,000 fields", wide, 200_000),
        ("100 objects with 1,000 fields", groups, 500_000),
        ("90 objects in objects", deep, 500_000),
        ("90 lists in lists", lists, 100_000),
        ("50,000 choices", long, 10_000_000),
        ("patterns", patterns, 50_000),
    ] {
        let (spec, effective) = of(schema);
        let form = model(&spec, &effective, &Draft::of(json!({})), &[]);
        let size = serde_json::to_string(&form).unwrap().len();
        assert!(size <= most && form.fields().len() <= 400, "{what}: {size} bytes, {} fields", form.fields().len());
        let draft = parse(&posted(&form), &spec, &effective, &Value::Null).draft;
        assert!(draft.problems.is_empty(), "{what}: {:?}", draft.problems);
        let typed = pairs(&[("/parameters/a", &"a".repeat(50_000)), ("/parameters/d", "!")]);
        let parameters = parse(&typed, &spec, &effective, &Value::Null).draft.parameters;
        let resolved = resolve(&spec, &parameters, None, &effective, &Context::default());
        // Choices are named, however many they are.
        let longest = resolved.problems.iter().map(|problem| problem.message.len()).max().unwrap_or_default();
        assert!(longest < 2_000 + effective.schema.to_string().len(), "{what}: {longest} bytes of a message");
        let listed = reference(&spec, &effective, 500);
        assert!(listed.fields.len() <= 500 && listed.count > 0, "{what}: {} of {}", listed.fields.len(), listed.count);
    }
}

#[test]
fn everything_that_is_offered_by_name_or_left_out_is_found() {
    let many: Map<String, Value> = (0..5_000).map(|number| (format!("field{number}"), json!({"type": "string"}))).collect();
    let (spec, effective) = of(json!({"type": "object", "properties": many}));
    let asked = pairs(&[("/parameters/~find", "field4987"), (OPERATION, "find:")]);
    let draft = parse(&asked, &spec, &effective, &Value::Null).draft;
    let found = model(&spec, &effective, &draft, &[]).find.unwrap();
    assert_eq!(found.found.iter().map(|one| one.label.as_str()).collect::<Vec<_>>(), ["Field4987"]);
    let shown = pairs(&[(OPERATION, found.found[0].show.as_deref().unwrap())]);
    let draft = parse(&shown, &spec, &effective, &Value::Null).draft;
    let form = model(&spec, &effective, &draft, &[]);
    assert!(form.fields().iter().any(|field| field.path == ".field4987"));
}

#[test]
fn large_presets_are_entered_once() {
    let (mut spec, effective) = of(all());
    let (long, many) = ("x".repeat(500_000), vec!["y"; 5_000]);
    let values = json!({"host": long, "hosts": many, "open": {"deep": long}, "unknown": {"kept": true}});
    spec.form.presets = serde_json::from_value(json!([{"name": "large", "values": values}])).unwrap();
    let draft = parse(&pairs(&[(OPERATION, "preset:large")]), &spec, &effective, &Value::Null).draft;
    assert_eq!(draft.parameters, values);
    let form = serde_json::to_string(&model(&spec, &effective, &draft, &[])).unwrap();
    assert!(form.len() < SMALL + FACTOR * values.to_string().len(), "{} bytes of a form", form.len());
    // A browser can't send so much in one field; what it sends is said to be too long, and nothing is cut off.
    let sent = parse(&posted(&model(&spec, &effective, &draft, &[])), &spec, &effective, &Value::Null).draft;
    assert!(sent.problems.iter().any(|problem| problem.message.contains("at most 256 KiB")), "{:?}", sent.problems);
    assert_eq!(parse(&pairs(&[(OPERATION, "preset:none")]), &spec, &effective, &Value::Null).draft.parameters, json!({}));
}

#[test]
fn manifests_that_expand_or_nest_are_refused_with_a_sentence() {
    let aliases = (1..12).fold("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, number| {
        let before = number - 1;
        format!("{text}a{number}: &a{number} [{}]\n", vec![format!("*a{before}"); 10].join(", "))
    });
    for text in [aliases, "[".repeat(100_000), "{\"a\": ".repeat(100_000), "- ".repeat(100_000), "x".repeat(1 << 20), "\u{0}".to_owned()] {
        for read in [yaml::read(&text), yaml::read_document(&text)] {
            let said = match read {
                Ok(value) => (value.to_string().len() <= text.len() + 100).then(String::new),
                Err(error) => Some(error.message).filter(|message| message.ends_with('.') && message.len() < 500),
            };
            assert!(said.is_some(), "{text:.40}");
        }
    }
}
