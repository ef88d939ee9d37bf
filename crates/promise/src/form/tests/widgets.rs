//! Controls for kinds of text, for several choices at once, for many choices, and for files.

use serde_json::{Value, json};

use super::{field, posted, with};
use crate::api::PromiseSpec;
use crate::context::Context;
use crate::form::{Check, Control, Draft, FileText, Form, InputMode, Suggested, Suggestion, model, parse};
use crate::policy::Effective;
use crate::resolve::resolve;

/// A promise with one parameter, `it`, and a hint for it.
fn promise(node: Value, hint: Value) -> (PromiseSpec, Effective) {
    let parameters = json!({"type": "object", "properties": {"it": node}});
    let spec = json!({"version": "1.0.0", "parameters": parameters, "form": {"fields": {".it": hint}}});
    let spec: PromiseSpec = serde_json::from_value(spec).unwrap();
    let effective = Effective { schema: spec.parameters.clone().unwrap(), ..Effective::default() };
    (spec, effective)
}

fn drawn((spec, effective): &(PromiseSpec, Effective), value: &Value) -> Form {
    model(spec, effective, &Draft::of(json!({"it": value})), &[])
}

/// Returns the value of the parameter after its form was posted with changes.
fn changed(promise: &(PromiseSpec, Effective), value: &Value, changes: &[(&str, &str)], without: &[&str]) -> Option<Value> {
    let mut pairs = with(posted(&drawn(promise, value)), changes);
    pairs.retain(|(name, _)| !without.contains(&name.as_str()));
    let parsed = parse(&pairs, &promise.0, &promise.1, &json!({"it": value}));
    assert_eq!(parsed.draft.problems, []);
    parsed.draft.parameters.get("it").cloned()
}

/// Returns the sentence about the only problem of a value.
fn problem((spec, _): &(PromiseSpec, Effective), value: &Value) -> String {
    let resolved = resolve(spec, &json!({"it": value}), None, &Effective::default(), &Context::default());
    let problems = resolved.all_problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems[0].message.clone()
}

fn checks(form: &Form) -> Vec<Check> {
    match &field(form, ".it").control {
        Control::Checks { checks } => checks.clone(),
        other => panic!("{other:?}"),
    }
}

fn zones() -> Value {
    json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "enum": ["a", "b", "c"]}})
}

#[test]
fn a_set_of_few_choices_is_checked() {
    let promise = promise(zones(), json!({"options": {"a": {"title": "Amsterdam", "help": "In the Netherlands"}}}));
    let boxes = checks(&drawn(&promise, &json!(["c", "x", "a"])));
    let shown: Vec<_> =
        boxes.iter().map(|check| (check.name.as_str(), check.value.as_str(), check.label.as_str(), check.checked)).collect();
    assert_eq!(
        shown,
        [
            ("/parameters/it/2", "a", "Amsterdam", true),
            ("/parameters/it/3", "b", "b", false),
            ("/parameters/it/0", "c", "c", true),
            ("/parameters/it/1", "x", "x", true),
        ]
    );
    assert_eq!(boxes[0].hint.as_deref(), Some("In the Netherlands"));
    let value = json!(["c", "x", "a"]);
    assert_eq!(changed(&promise, &value, &[], &[]), Some(value.clone()), "as it was");
    assert_eq!(changed(&promise, &value, &[("/parameters/it/3", "b")], &[]), Some(json!(["c", "x", "a", "b"])));
    assert_eq!(changed(&promise, &value, &[], &["/parameters/it/1"]), Some(json!(["c", "a"])));
    assert_eq!(changed(&promise, &json!(["c"]), &[], &["/parameters/it/0"]), None, "as an empty list of rows");
    assert_eq!(changed(&promise, &json!([]), &[], &[]), Some(json!([])));
}

#[test]
fn every_order_of_checked_values_stays() {
    let promise = promise(zones(), json!({}));
    let values = ["a", "b", "c", "unknown"];
    for mask in 0..256_usize {
        // Each pair of bits is a value, in this order; repeated ones are left out.
        let mut list: Vec<&str> = Vec::new();
        for step in 0..4 {
            let value = values[(mask >> (2 * step)) % 4];
            if !list.contains(&value) {
                list.push(value);
            }
        }
        assert_eq!(changed(&promise, &json!(list), &[], &[]), Some(json!(list)));
    }
}

#[test]
fn numbers_are_checked_as_numbers_and_problems_stand_at_their_checkbox() {
    let node = json!({"type": "array", "uniqueItems": true, "items": {"type": "integer", "enum": [1, 2, 5]}});
    let promise = promise(node, json!({}));
    assert_eq!(changed(&promise, &json!([5]), &[("/parameters/it/1", "1")], &[]), Some(json!([5, 1])));
    let wrong = crate::problem::Problem { path: ".parameters.it[1]".into(), message: "Choose another.".into() };
    let form = model(&promise.0, &promise.1, &Draft::of(json!({"it": [5, 7]})), &[wrong]);
    let boxes = checks(&form);
    assert_eq!(boxes.iter().filter(|check| check.problem.is_some()).map(|check| check.value.as_str()).collect::<Vec<_>>(), ["7"]);
    assert_eq!(form.summary[0].target, boxes[3].id);
}

#[test]
fn rows_stay_where_checkboxes_could_not_show_the_list() {
    let many: Vec<String> = (0..13).map(|number| format!("v{number}")).collect();
    let unique = |values: Value| json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "enum": values}});
    let repeating = json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}});
    for (node, hint, value) in [
        (zones(), json!({}), json!(["a", "a"])),
        (zones(), json!({}), json!(["a", ""])),
        (unique(json!(["", "a"])), json!({}), json!(["a"])),
        (unique(json!(many)), json!({}), json!(["v1"])),
        (repeating.clone(), json!({}), json!(["a"])),
    ] {
        let promise = promise(node, hint);
        let form = drawn(&promise, &value);
        assert!(matches!(field(&form, ".it").control, Control::List { .. }), "{value}");
        assert_eq!(changed(&promise, &value, &[], &[]), Some(value));
    }
    let asked = promise(repeating, json!({"widget": "checkboxes"}));
    assert_eq!(checks(&drawn(&asked, &json!(["b"]))).len(), 2);
}

#[test]
fn one_of_many_choices_is_typed_with_suggestions() {
    let regions: Vec<String> = (0..30).map(|number| format!("region-{number}")).collect();
    let promise = promise(json!({"type": "string", "enum": regions}), json!({"options": {"region-7": {"title": "Frankfurt"}}}));
    let form = drawn(&promise, &json!("region-7"));
    let Control::Text { value, suggestions, said, .. } = &field(&form, ".it").control else { panic!("{form:?}") };
    assert_eq!((value.as_str(), said.as_deref(), suggestions.len()), ("region-7", Some("Frankfurt"), 30));
    for (text, value) in [
        ("region-7", Some(json!("region-7"))),
        ("region-8", Some(json!("region-8"))),
        (" frankfurt ", Some(json!("region-7"))),
        ("nowhere", Some(json!("nowhere"))),
        ("", None),
    ] {
        assert_eq!(changed(&promise, &json!("region-7"), &[("/parameters/it", text)], &[]), value, "{text}");
    }
    assert_eq!(problem(&promise, &json!("regoin-12")), "Change it: regoin-12 isn't one of the 30 allowed values. Did you mean region-12?");
    assert_eq!(problem(&promise, &json!("nowhere")), "Change it: nowhere isn't one of the 30 allowed values.");
    let asked = self::promise(json!({"type": "integer", "enum": [1, 20]}), json!({"widget": "search"}));
    assert_eq!(changed(&asked, &json!(1), &[("/parameters/it", "20")], &[]), Some(json!(20)));
}

#[test]
fn a_value_that_a_select_does_not_offer_stays() {
    let promise = promise(json!({"type": "string", "enum": ["a", "b"]}), json!({"widget": "select"}));
    assert_eq!(changed(&promise, &json!("c"), &[], &[]), Some(json!("c")));
    assert_eq!(changed(&promise, &json!("c"), &[("/parameters/it", "b")], &[]), Some(json!("b")));
}

#[test]
fn kinds_of_text_have_examples_interpretations_and_sentences() {
    for (node, hint, value, constraint, said, wrong, sentence) in [
        (
            json!({"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"}),
            json!({}),
            "90m",
            "Use a duration such as 30s, 5m or 1h30m",
            Some("1 hour 30 minutes"),
            "soon",
            "Enter it as a duration such as 30s, 5m or 1h30m.",
        ),
        (
            json!({"type": "string", "format": "date-time"}),
            json!({}),
            "2026-11-26T10:00:00Z",
            "Use a date and time such as 2026-11-26T10:00:00Z",
            Some("Thursday, 26 November 2026, 10:00 UTC"),
            "tomorrow",
            "Enter it as a date and time such as 2026-11-26T10:00:00Z.",
        ),
        (
            json!({"type": "string", "format": "cidr"}),
            json!({}),
            "10.0.0.0/24",
            "Use a network such as 10.0.0.0/16",
            Some("256 addresses, 10.0.0.0–10.0.0.255"),
            "10.0.0.0",
            "Enter it as a network such as 10.0.0.0/16.",
        ),
        (
            json!({"type": "string", "pattern": "^[^ ]+( [^ ]+){4}$"}),
            json!({"widget": "cron"}),
            "0 2 * * *",
            "Use a cron schedule such as 0 2 * * *",
            Some("Every day at 02:00 (UTC)"),
            "daily",
            "Enter it as a cron schedule such as 0 2 * * *.",
        ),
    ] {
        let promise = promise(node, hint);
        let form = drawn(&promise, &json!(value));
        let it = field(&form, ".it");
        assert_eq!(it.constraint.as_deref(), Some(constraint));
        let Control::Text { said: interpretation, mode, .. } = &it.control else { panic!("{it:?}") };
        assert_eq!((interpretation.as_deref(), *mode), (said, InputMode::Code));
        assert_eq!(problem(&promise, &json!(wrong)), sentence);
        assert_eq!(changed(&promise, &json!(value), &[], &[]), Some(json!(value)));
    }
    let percentage = promise(json!({"type": "integer", "minimum": 0, "maximum": 100}), json!({"widget": "percentage"}));
    assert_eq!(field(&drawn(&percentage, &json!(5)), ".it").unit.as_deref(), Some("%"));
    let trimmed = promise(json!({"type": "string", "format": "ipv4"}), json!({}));
    assert_eq!(changed(&trimmed, &json!("10.0.0.1"), &[("/parameters/it", " 10.0.0.2 ")], &[]), Some(json!("10.0.0.2")));
}

#[test]
fn files_can_be_opened_for_bytes_and_where_the_promise_says_so() {
    for (node, hint, file) in [
        (json!({"type": "string", "format": "byte"}), json!({}), Some(FileText::Base64)),
        (json!({"type": "string"}), json!({"widget": "file"}), Some(FileText::Plain)),
        (json!({"type": "string", "format": "byte"}), json!({"widget": "file"}), Some(FileText::Base64)),
        (json!({"type": "string"}), json!({"widget": "textarea"}), None),
    ] {
        let promise = promise(node, hint);
        match &field(&drawn(&promise, &json!("aGVsbG8=")), ".it").control {
            Control::Area { file: found, .. } => assert_eq!(*found, file),
            other => panic!("{other:?}"),
        }
        assert_eq!(changed(&promise, &json!("aGVs\nbG8="), &[], &[]), Some(json!("aGVs\nbG8=")), "as it was");
    }
    let bytes = promise(json!({"type": "string", "format": "byte"}), json!({}));
    assert_eq!(changed(&bytes, &json!("YQ=="), &[("/parameters/it", "aGVs\r\nbG8=\r\n")], &[]), Some(json!("aGVsbG8=")));
}

#[test]
fn suggestions_are_added_to_texts_and_lists_in_rows_too() {
    let row = json!({"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}});
    let promise = promise(json!({"type": "array", "items": row}), json!({}));
    let mut form = drawn(&promise, &json!([{"name": "a"}]));
    let found = Suggested { suggestions: vec![Suggestion { value: "b".into(), label: String::new() }], note: Some("None.".into()) };
    form.suggest(&|path| (path.of_each_row().to_string() == ".it[*].name").then_some(&found));
    let names: Vec<_> = form
        .fields()
        .iter()
        .filter(|field| matches!(&field.control, Control::Text { suggestions, .. } if !suggestions.is_empty()))
        .map(|field| field.path.clone())
        .collect();
    assert_eq!(names, [".it[0].name"]);
    let list = self::promise(json!({"type": "array", "items": {"type": "string"}}), json!({}));
    let mut form = drawn(&list, &json!(["a"]));
    form.suggest(&|path| (path.to_string() == ".it").then_some(&found));
    let Control::List { suggestions, note, .. } = &field(&form, ".it").control else { panic!("{form:?}") };
    assert_eq!((suggestions.as_slice(), note.as_deref()), (found.suggestions.as_slice(), Some("None.")));
}
