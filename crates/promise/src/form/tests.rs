mod alternatives;
mod any;
mod changes;
mod corpus;
mod coverage;
mod demand;
mod generate;
mod hostile;
mod narrowing;
mod objects;
mod operations;
mod verdicts;
mod widgets;

use serde_json::{Value, json};

use super::{ChoiceStyle, Control, Draft, Field, Form, More, OPERATION, Parsed, model, parse};
use crate::api::{Enforcement, PromiseSpec};
use crate::path::Path;
use crate::policy::{Conditional, Effective, Origin, Provenance};

fn promise() -> PromiseSpec {
    let spec = json!({
        "version": "1.0.0",
        "parameters": {
            "type": "object",
            "required": ["tier", "host"],
            "properties": {
                "tier": {"type": "string", "enum": ["development", "production"], "default": "development"},
                "host": {"type": "string", "minLength": 2},
                "replicas": {"type": "integer", "minimum": 1, "maximum": 5, "default": 2},
                "timeout": {"type": "integer", "minimum": 1, "maximum": 900},
                "ratio": {"type": "number"},
                "debug": {"type": "boolean", "default": false},
                "public": {"type": "boolean"},
                "drain": {"x-kubernetes-int-or-string": true},
                "aliases": {"type": "array", "maxItems": 3, "items": {"type": "string"}},
                "ports": {"type": "array", "default": [80], "items": {"type": "integer"}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "probe": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}, "seconds": {"type": "integer", "default": 10}}},
                "rules": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
                "extra": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "adminPassword": {"type": "object", "properties": {"name": {"type": "string"}, "key": {"type": "string"}}},
                "trace": {"type": "string", "enum": ["", "low", "high"]}
            }
        },
        "secretParameters": [".adminPassword"],
        "form": {
            "groups": [{"title": "Basics", "fields": [".tier", ".host"]}],
            "fields": {
                ".timeout": {"visibleWhen": "${parameters.tier == 'production'}", "unit": "s"},
                ".debug": {"advanced": true},
                ".tier": {"options": {"production": {"title": "Production", "help": "Two replicas"}}}
            },
            "presets": [{"name": "busy", "values": {"replicas": 5, "aliases": ["a"], "probe": {"path": "/"}}}]
        }
    });
    serde_json::from_value(spec).unwrap()
}

fn effective(promise: &PromiseSpec) -> Effective {
    Effective { schema: promise.parameters.clone().unwrap(), ..Effective::default() }
}

fn drawn(draft: &Draft) -> Form {
    let promise = promise();
    model(&promise, &effective(&promise), draft, &[])
}

/// Returns what a browser posts for a form as it is rendered.
pub(crate) fn posted(form: &Form) -> Vec<(String, String)> {
    fn post(field: &Field, pairs: &mut Vec<(String, String)>) {
        if !field.visible || field.locked.is_some() {
            return;
        }
        pairs.extend(field.hidden.iter().map(|hidden| (hidden.name.clone(), hidden.value.clone())));
        pairs.extend(field.empty.iter().filter(|empty| empty.checked).map(|empty| (empty.name.clone(), "1".to_owned())));
        let mut add = |name: &str, value: &str| pairs.push((name.to_owned(), value.to_owned()));
        match &field.control {
            Control::Text { value, .. } | Control::Area { value, .. } => add(&field.name, value),
            Control::Yaml { text, .. } => add(&field.name, text),
            Control::Choice { style, options, .. } => {
                // Of a select, a browser posts the first option where none is chosen.
                let first = options.first().filter(|_| *style == ChoiceStyle::Select);
                let chosen = options.iter().find(|option| option.chosen).or(first);
                chosen.into_iter().for_each(|option| add(&field.name, &option.value));
            }
            Control::Tick { checked: true, .. } => add(&field.name, "on"),
            Control::List { rows, .. } => rows.iter().for_each(|row| add(&row.name, &row.value)),
            Control::Checks { checks } => checks.iter().filter(|check| check.checked).for_each(|check| add(&check.name, &check.value)),
            Control::Map { rows, .. } => rows.iter().for_each(|row| {
                add(&row.key_name, &row.key);
                add(&row.value_name, &row.value);
            }),
            Control::Items { rows, .. } => rows.iter().for_each(|row| {
                pairs.extend(row.key.iter().map(|key| (key.name.clone(), key.value.clone())));
                pairs.extend(row.hidden.iter().map(|hidden| (hidden.name.clone(), hidden.value.clone())));
                row.fields.iter().for_each(|field| post(field, pairs));
                pairs.extend(select(&row.more));
            }),
            Control::Group { fields, more, .. } => {
                fields.iter().for_each(|field| post(field, pairs));
                pairs.extend(select(more));
            }
            Control::Secret { .. } => add(&field.name, ""),
            Control::Tick { checked: false, .. } | Control::Fixed { .. } => {}
        }
    }
    let mut pairs = Vec::new();
    for section in &form.sections {
        section.fields.iter().chain(&section.advanced).for_each(|field| post(field, &mut pairs));
        pairs.extend(select(&section.more));
    }
    if let Some(find) = &form.find {
        pairs.extend([&find.name, &find.sought].map(|name| (name.clone(), find.text.clone())));
    }
    pairs
}

/// Browsers post the first option of a select that nobody touched.
fn select(more: &More) -> Option<(String, String)> {
    (!more.fields.is_empty()).then(|| (more.name.clone(), String::new()))
}

fn read(pairs: &[(String, String)], base: &Value) -> Parsed {
    let promise = promise();
    parse(pairs, &promise, &effective(&promise), base)
}

fn with(mut pairs: Vec<(String, String)>, changes: &[(&str, &str)]) -> Vec<(String, String)> {
    for (name, value) in changes {
        pairs.retain(|(known, _)| known != name);
        pairs.push(((*name).to_owned(), (*value).to_owned()));
    }
    pairs
}

fn field<'f>(form: &'f Form, path: &str) -> &'f Field {
    form.fields().into_iter().find(|field| field.path == path).unwrap_or_else(|| panic!("no field {path}"))
}

fn rows(form: &Form, path: &str) -> Vec<String> {
    match &field(form, path).control {
        Control::List { rows, .. } => rows.iter().map(|row| row.value.clone()).collect(),
        Control::Map { rows, .. } => rows.iter().map(|row| format!("{}={}", row.key, row.value)).collect(),
        other => panic!("{path} has no rows: {other:?}"),
    }
}

#[test]
fn submitting_unchanged_returns_the_identical_object() {
    for parameters in [
        json!({}),
        json!({"host": "db"}),
        json!({"tier": "development", "host": "db", "replicas": 2}),
        json!({"host": "db", "tier": "production", "timeout": 30, "ratio": 0.5, "debug": true, "public": false, "drain": "25%"}),
        json!({"drain": 30, "debug": false, "aliases": ["x", "y"], "ports": []}),
        json!({"ports": [80], "labels": {"a/b.c~d": "1", "e": ""}, "probe": {"path": "/", "seconds": 10}, "trace": ""}),
        json!({"probe": {}, "rules": [{"name": "a"}], "extra": {"deep": [{"x": null}]}, "adminPassword": {"name": "s", "key": "k"}}),
        json!({"unknown": {"kept": true}, "probe": {"path": "/", "also": 1}}),
    ] {
        let form = drawn(&Draft::of(parameters.clone()));
        let parsed = read(&posted(&form), &parameters);
        assert_eq!(parsed.draft.parameters, parameters);
        assert!(parsed.draft.problems.is_empty());
        let again = read(&posted(&drawn(&parsed.draft)), &parameters);
        assert_eq!(again.draft, parsed.draft, "drawing a draft again changes nothing");
    }
}

#[test]
fn defaults_are_shown_and_not_sent_until_changed() {
    let form = drawn(&Draft::default());
    assert_eq!(rows(&form, ".ports"), ["80"]);
    assert!(
        matches!(&field(&form, ".replicas").control, Control::Choice { style: ChoiceStyle::Segments, options, .. } if options[1].chosen)
    );
    let parsed =
        read(&with(posted(&form), &[("/parameters/host", "db"), ("/parameters/replicas", "4"), ("/parameters/debug", "on")]), &Value::Null);
    assert_eq!(parsed.draft.parameters, json!({"host": "db", "replicas": 4, "debug": true}));
    let cleared = read(&[("/parameters/ports/~shown".to_owned(), "1".to_owned())], &Value::Null);
    assert_eq!(cleared.draft.parameters, json!({"ports": []}), "an emptied list is not its default");
}

#[test]
fn nothing_typed_is_lost_and_types_come_from_the_schema() {
    let typed = [
        ("/parameters/timeout", "soon"),
        ("/parameters/tier", "production"),
        ("/parameters/host", "007"),
        ("/parameters/ratio", "1,5"),
        ("/parameters/extra", "a: 1\n  b: 2"),
    ];
    let parsed = read(&with(posted(&drawn(&Draft::default())), &typed), &Value::Null);
    let parameters = &parsed.draft.parameters;
    assert_eq!((&parameters["timeout"], &parameters["host"], &parameters["ratio"]), (&json!("soon"), &json!("007"), &json!("1,5")));
    assert_eq!(parsed.draft.problems.len(), 1);
    assert!(parsed.draft.problems[0].message.starts_with("Fix line 2"), "{:?}", parsed.draft.problems);
    let form = drawn(&parsed.draft);
    for (path, text) in [(".timeout", "soon"), (".ratio", "1,5")] {
        assert!(matches!(&field(&form, path).control, Control::Text { value, .. } if value == text));
    }
    let extra = field(&form, ".extra");
    assert!(
        extra.problem.is_some()
            && matches!(&extra.control, Control::Yaml { text, error: Some(error), .. } if text.starts_with("a: 1") && error.line == 2)
    );
    assert_eq!(form.summary[0].target, extra.id);
}

#[test]
fn a_draft_survives_storage() {
    let parsed = read(&with(posted(&drawn(&Draft::default())), &[("/parameters/timeout", "soon")]), &Value::Null);
    let stored = serde_json::to_string(&parsed.draft).unwrap();
    assert_eq!(serde_json::from_str::<Draft>(&stored).unwrap(), parsed.draft);
}

#[test]
fn rows_are_added_moved_and_removed_with_the_focus_following() {
    let base = json!({"aliases": ["a", "b"], "labels": {"k": "1"}});
    let press = |draft: &Draft, operation: &str| read(&with(posted(&drawn(draft)), &[(OPERATION, operation)]), &base);
    let start = Draft::of(base.clone());
    let added = press(&start, "add:/parameters/aliases");
    assert_eq!(rows(&drawn(&added.draft), ".aliases"), ["a", "b", ""]);
    assert_eq!(added.focus.as_deref(), Some("f-aliases-2"));
    assert_eq!(added.draft.parameters["aliases"], json!(["a", "b", ""]), "a row is removed by its button");
    let form = drawn(&added.draft);
    assert!(matches!(&field(&form, ".aliases").control, Control::List { full: Some(_), .. }));

    let moved = press(&start, "up:/parameters/aliases/1");
    assert_eq!(
        (rows(&drawn(&moved.draft), ".aliases"), moved.focus.as_deref()),
        (vec!["b".to_owned(), "a".to_owned()], Some("f-aliases-0"))
    );
    let removed = press(&start, "remove:/parameters/aliases/0");
    assert_eq!((removed.draft.parameters["aliases"].clone(), removed.focus.as_deref()), (json!(["b"]), Some("f-aliases-0")));
    let last = press(&removed.draft, "remove:/parameters/aliases/0");
    assert_eq!((last.draft.parameters.get("aliases"), last.focus.as_deref()), (None, Some("f-aliases")));

    let entry = press(&start, "add:/parameters/labels/~rows");
    assert_eq!(rows(&drawn(&entry.draft), ".labels"), ["k=1", "="]);
    let entry = press(&start, "remove:/parameters/labels/~rows/0");
    assert_eq!(entry.draft.parameters.get("labels"), None);
    assert_eq!(press(&start, "remove:/parameters/aliases/99").draft.parameters, base, "a forged row is no harm");
}

#[test]
fn map_names_are_unique_and_never_renamed() {
    let rows = [
        ("/parameters/labels/~shown", "1"),
        ("/parameters/labels/~rows/0/~key", "a"),
        ("/parameters/labels/~rows/0/~value", "1"),
        ("/parameters/labels/~rows/1/~key", "a"),
        ("/parameters/labels/~rows/1/~value", "2"),
        ("/parameters/labels/~rows/2/~value", "3"),
    ];
    let parsed = read(&with(Vec::new(), &rows), &Value::Null);
    let messages: Vec<&str> = parsed.draft.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["Rename one of the two entries a of labels: names must be unique.", "Enter a name for the value 3 of labels."]);
    assert_eq!(self::rows(&drawn(&parsed.draft), ".labels"), ["a=1", "a=2", "=3"]);
}

#[test]
fn an_optional_section_comes_and_goes() {
    let put = read(&with(posted(&drawn(&Draft::default())), &[(OPERATION, "put:/parameters/probe")]), &Value::Null);
    assert_eq!(put.draft.parameters, json!({"probe": {}}));
    assert!(
        matches!(&field(&drawn(&put.draft), ".probe").control, Control::Group { present: Some(true), fields, .. } if fields.len() == 2)
    );
    let filled = read(&with(posted(&drawn(&put.draft)), &[("/parameters/probe/path", "/up")]), &Value::Null);
    assert_eq!(filled.draft.parameters, json!({"probe": {"path": "/up"}}));
    let dropped = read(&with(posted(&drawn(&filled.draft)), &[(OPERATION, "drop:/parameters/probe")]), &filled.draft.parameters);
    assert_eq!(dropped.draft.parameters, json!({}));
}

#[test]
fn a_preset_fills_its_values_and_keeps_the_rest() {
    let typed = with(posted(&drawn(&Draft::default())), &[("/parameters/host", "db"), (OPERATION, "preset:busy")]);
    let parsed = read(&typed, &Value::Null);
    assert_eq!(parsed.draft.parameters, json!({"host": "db", "replicas": 5, "aliases": ["a"], "probe": {"path": "/"}}));
    assert!(drawn(&parsed.draft).presets[0].chosen);
}

#[test]
fn secrets_never_enter_the_draft() {
    let typed = with(posted(&drawn(&Draft::default())), &[("/parameters/adminPassword", "hunter2")]);
    let parsed = read(&typed, &Value::Null);
    assert_eq!(parsed.secrets[".adminPassword"].reveal(), "hunter2");
    assert!(!serde_json::to_string(&parsed.draft).unwrap().contains("hunter2"));
    assert!(!format!("{parsed:?}").contains("hunter2"));
    let base = json!({"adminPassword": {"name": "s", "key": "k"}});
    assert_eq!(read(&posted(&drawn(&Draft::of(base.clone()))), &base).draft.parameters, base, "left empty it is kept");
    assert_eq!(read(&with(Vec::new(), &[("/parameters/adminPassword/~clear", "yes")]), &base).draft.parameters, json!({}));
}

#[test]
fn a_field_hidden_by_a_choice_is_not_submitted() {
    let form = drawn(&Draft::of(json!({"tier": "production", "timeout": 5})));
    assert!(field(&form, ".timeout").visible && field(&form, ".tier").steers && !field(&form, ".host").steers);
    let parsed = read(&with(posted(&form), &[("/parameters/tier", "development")]), &json!({"tier": "production", "timeout": 5}));
    assert_eq!(parsed.draft.parameters.get("timeout"), None);
    assert!(!field(&drawn(&parsed.draft), ".timeout").visible);
    let back = read(&with(posted(&form), &[("/parameters/tier", "production")]), &json!({}));
    assert_eq!(back.draft.parameters["timeout"], 5);
}

/// A policy fixes `debug` for production, so that the form shows it without a field, and another field with it.
#[test]
fn a_field_that_a_policy_shows_for_the_other_values_is_submitted() {
    let mut promise = promise();
    promise.form.fields.get_mut(".timeout").unwrap().visible_when = Some("${parameters.debug}".to_owned());
    let mut effective = effective(&promise);
    effective.conditional.push(Conditional {
        from: Provenance {
            origin: Origin::Reference,
            workspace: "root".to_owned(),
            cluster: "root".to_owned(),
            policy: "debugging".to_owned(),
            rule: "on".to_owned(),
            title: None,
            owner: None,
            reason: None,
            enforcement: Enforcement::default(),
        },
        path: Path::parse(".debug").unwrap(),
        holds: None,
        sentence: String::new(),
        decided_by: vec![vec!["parameters".to_owned(), "tier".to_owned()]],
        proposes: false,
    });
    let timeout = |pairs: &[(&str, &str)], effective: &Effective| {
        let pairs = with(Vec::new(), pairs);
        parse(&pairs, &promise, effective, &json!({"debug": false})).draft.parameters.get("timeout").cloned()
    };
    let production = [("/parameters/tier", "production"), ("/parameters/timeout", "30")];
    assert_eq!(timeout(&production, &effective), Some(json!(30)));
    let without_debug = [production[0], production[1], ("/parameters/debug/~shown", "1")];
    assert_eq!(timeout(&without_debug, &effective), None, "the person's own choice hides it");
    effective.conditional[0].holds = Some(false);
    assert_eq!(timeout(&production, &effective), None, "the policy doesn't apply");
}

#[test]
fn ids_are_unique_and_every_field_has_a_label() {
    let form = drawn(&Draft::of(json!({"aliases": ["a"], "labels": {"x": "y"}, "probe": {"path": "/"}})));
    let mut ids: Vec<&str> = form.fields().iter().map(|field| field.id.as_str()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    assert!(form.fields().iter().all(|field| !field.label.is_empty()));
    assert_eq!(super::field_id("/parameters/a.b"), "f-a_2e_b");
    assert_ne!(super::field_id("/parameters/a/b"), super::field_id("/parameters/a~1b"));
}

#[test]
fn a_field_that_the_promise_does_not_have_is_named_and_left_out() {
    let typed = with(posted(&drawn(&Draft::default())), &[("/parameters/forged", "1"), ("/parameters/probe/deep/er", "2")]);
    let parsed = read(&typed, &Value::Null);
    let messages: Vec<&str> = parsed.draft.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert!(messages.iter().any(|message| message.contains("The field forged isn't part of this promise")), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("probe/deep/er")), "{messages:?}");
    assert!(!parsed.draft.texts.keys().any(|name| name.contains("forged") || name.contains("deep")));
    assert!(read(&posted(&drawn(&Draft::default())), &Value::Null).draft.problems.is_empty(), "the form's own inputs are all known");
}
