//! Forms of policies: what they show, what they keep, and what they offer.

use serde_json::{Value, json};

use super::{Offered, RuleKind, actions, add_rule, field_path, name_of, parameters, promise_of, put, remove_rule, values_of};
use crate::api::{ActionSpec, PromiseSpec};
use crate::form::{Control, Draft, Field, model, parse};
use crate::policy::Effective;

fn redis() -> PromiseSpec {
    PromiseSpec {
        parameters: Some(
            json!({"type": "object", "properties": {
                "replicas": {"type": "integer", "minimum": 1, "maximum": 7},
                "size": {"type": "string", "enum": ["small", "large"]},
                "backup": {"type": "object", "properties": {"enabled": {"type": "boolean"}}},
                "password": {"type": "object", "properties": {"name": {"type": "string"}}},
            }})
            .into(),
        ),
        secret_parameters: vec![".password.name".into()],
        actions: [("backup".to_owned(), ActionSpec { title: Some("Back up".into()), ..ActionSpec::default() })].into(),
        ..PromiseSpec::default()
    }
}

fn offered() -> Offered {
    let redis = redis();
    Offered {
        promises: vec!["redis".into()],
        workspaces: vec!["root:acme:**".into()],
        parameters: parameters(&[("Redis", &redis), ("Valkey", &redis)]),
        actions: actions(&[("Redis", &redis), ("Valkey", &redis), ("Kafka", &PromiseSpec::default())]),
        in_scope: 3,
    }
}

fn spec() -> Value {
    json!({
        "title": "Small", "later": {"x": 1}, "appliesTo": {"promises": ["redis"], "zones": ["a"]},
        "rules": [
            {"name": "few", "constrain": {"parameter": ".replicas", "maximum": 3, "soft": true}, "note": "n"},
            {"name": "other", "limit": {"count": 2, "per": "workspace"}},
        ],
    })
}

/// Returns what the form posts as it is rendered, with some inputs changed.
fn posted(spec: &Value, index: usize, changes: &[(&str, &str)]) -> Value {
    let (kind, values) = values_of(spec, index).unwrap();
    let promise = promise_of(kind, &offered(), &values);
    let pairs: Vec<(String, String)> = changes.iter().map(|(name, text)| (format!("/parameters{name}"), (*text).to_owned())).collect();
    let parsed = parse(&pairs, &promise, &Effective::default(), &values);
    assert_eq!(parsed.draft.problems, []);
    put(spec, index, (kind, kind), &parsed.draft.parameters)
}

fn fields(spec: &Value, index: usize) -> Vec<Field> {
    let (kind, values) = values_of(spec, index).unwrap();
    let promise = promise_of(kind, &offered(), &values);
    model(&promise, &Effective::default(), &Draft::of(values), &[]).fields().into_iter().cloned().collect()
}

#[test]
fn what_has_no_field_stays() {
    let spec = spec();
    assert_eq!(posted(&spec, 0, &[]), spec);
    let mut expected = spec.clone();
    expected["rules"][0]["constrain"]["maximum"] = json!(4);
    expected["rules"][0]["constrain"]["minimum"] = json!(2);
    expected["title"] = json!("Smaller");
    assert_eq!(posted(&spec, 0, &[("/rule/maximum", "4"), ("/rule/minimum", "2"), ("/title", "Smaller")]), expected);
    expected = spec.clone();
    expected["rules"][1]["limit"]["count"] = json!(5);
    assert_eq!(posted(&spec, 1, &[("/rule/count", "5")]), expected);
}

#[test]
fn fields_follow_the_type_of_the_parameter() {
    let mut spec = spec();
    let names = |spec: &Value| -> Vec<String> {
        let shown = fields(spec, 0).into_iter().filter(|field| field.visible && field.path.starts_with(".rule."));
        shown.map(|field| field.path.trim_start_matches(".rule.").to_owned()).collect()
    };
    assert_eq!(names(&spec), ["parameter", "minimum", "maximum", "when"]);
    spec["rules"][0]["constrain"] = json!({"parameter": ".size"});
    assert_eq!(names(&spec), ["parameter", "enum", "when"]);
    let of_size = fields(&spec, 0).into_iter().find(|field| field.path == ".rule.enum").unwrap();
    let Control::List { options, .. } = of_size.control else { panic!("{of_size:?}") };
    assert_eq!(options, ["small", "large"]);
    spec["rules"][0] = json!({"name": "d", "default": {"parameter": ".backup.enabled", "value": true}});
    assert_eq!(names(&spec), ["parameter", "value", "when"]);
    spec["rules"][0] = json!({"name": "c", "constrain": {}});
    assert_eq!(names(&spec), ["parameter", "when"], "bounds follow once the parameter is chosen");
}

#[test]
fn every_kind_has_a_form_and_another_kind_keeps_the_parameter() {
    let mut spec = json!({});
    for kind in RuleKind::ALL {
        let index = add_rule(&mut spec, kind);
        assert_eq!(values_of(&spec, index).map(|(kind, _)| kind), Some(kind));
        assert!(fields(&spec, index).iter().any(|field| field.path.starts_with(".rule.")), "{kind:?}");
        assert_eq!(RuleKind::parse(kind.word()), Some(kind));
    }
    assert_eq!(spec["rules"][9]["name"], "rule-10");
    remove_rule(&mut spec, 0);
    assert_eq!(spec["rules"].as_array().unwrap().len(), 9);
    assert_eq!(values_of(&json!({"rules": [{"name": "w", "window": {}, "limit": {}}]}), 0), None, "two effects");

    let (kind, values) = values_of(&self::spec(), 0).unwrap();
    let next = put(&self::spec(), 0, (kind, RuleKind::Default), &values);
    assert_eq!(next["rules"][0], json!({"name": "few", "default": {"parameter": ".replicas"}, "note": "n"}));
    let next = put(&self::spec(), 0, (kind, RuleKind::Limit), &values);
    assert_eq!(next["rules"][0]["limit"], json!({"count": 3, "per": "workspace"}));
}

#[test]
fn only_a_rule_that_can_be_violated_asks_what_happens_then() {
    let mut spec = json!({"enforcement": "warn"});
    let title = |spec: &Value, index: usize| {
        let field = fields(spec, index).into_iter().find(|field| field.path == ".enforcement");
        field.map(|field| field.label)
    };
    let request = "When a request violates it";
    for (kind, expected) in [
        (RuleKind::Constrain, Some(request)),
        (RuleKind::Default, None),
        (RuleKind::Set, None),
        (RuleKind::Validate, Some(request)),
        (RuleKind::Approve, None),
        (RuleKind::Limit, Some(request)),
        (RuleKind::Budget, Some(request)),
        (RuleKind::Inject, None),
        (RuleKind::Schedule, None),
        (RuleKind::Window, Some("When a change comes outside the window")),
    ] {
        let index = add_rule(&mut spec, kind);
        assert_eq!(title(&spec, index).as_deref(), expected, "{kind:?}");
        let (_, values) = values_of(&spec, index).unwrap();
        assert_eq!(values["enforcement"], "warn", "what the form doesn't show stays");
    }
}

#[test]
fn parameters_are_offered_once_and_problems_lead_to_fields() {
    let offered = offered();
    let paths: Vec<&str> = offered.parameters.iter().map(|parameter| parameter.path.as_str()).collect();
    assert_eq!(paths, [".backup.enabled", ".replicas", ".size"]);
    assert_eq!(offered.parameters[1].promises, ["Redis", "Valkey"]);
    let at = |path: &str| field_path(path, 0, RuleKind::Constrain);
    assert_eq!(at(".rules[0].constrain.minimum").as_deref(), Some(".parameters.rule.minimum"));
    assert_eq!(at(".rules[0].name").as_deref(), Some(".parameters.ruleName"));
    assert_eq!(at(".rules[1].limit.count"), None);
    assert_eq!(at(".appliesTo.promises[0]").as_deref(), Some(".parameters.appliesTo.promises[0]"));
    assert_eq!((name_of("Small caches, only!").as_str(), name_of("…").as_str()), ("small-caches-only", ""));
}

#[test]
fn a_schedule_offers_the_actions_in_scope_and_a_window_its_days() {
    let mut spec = json!({"rules": [{"name": "nightly", "schedule": {"action": "backup", "cron": "0 2 * * *"}, "note": "n"}]});
    let find = |spec: &Value, path: &str| fields(spec, 0).into_iter().find(|field| field.path == path).unwrap();
    let paths: Vec<String> = fields(&spec, 0).into_iter().map(|field| field.path).filter(|path| path.starts_with(".rule.")).collect();
    assert_eq!(paths, [".rule.action", ".rule.cron", ".rule.timezone", ".rule.parameters", ".rule.retention"]);
    let (kind, values) = values_of(&spec, 0).unwrap();
    let promise = promise_of(kind, &offered(), &values);
    let option = &promise.form.fields[".rule.action"].options["backup"];
    assert_eq!(option.title.as_deref(), Some("Back up (backup) – Redis, Valkey"), "not every promise in scope has it");
    let changes = [("/rule/cron", "30 3 * * *"), ("/rule/timezone", "Europe/Berlin"), ("/rule/parameters", "note: nightly")];
    let changed = posted(&spec, 0, &changes);
    let expected = json!({"action": "backup", "cron": "30 3 * * *", "timezone": "Europe/Berlin", "parameters": {"note": "nightly"}});
    assert_eq!((&changed["rules"][0]["schedule"], &changed["rules"][0]["note"]), (&expected, &json!("n")));
    spec["rules"][0]["schedule"]["action"] = json!("restart");
    let (_, values) = values_of(&spec, 0).unwrap();
    let node = promise_of(RuleKind::Schedule, &offered(), &values).parameters.unwrap();
    let offered = &node["properties"]["rule"]["properties"]["action"]["enum"];
    assert_eq!(offered, &json!(["backup", "restart"]), "what was chosen before is offered as well");

    spec["rules"][0] = json!({"name": "nights", "window": {"days": ["sat"], "from": "22:00", "to": "06:00"}});
    assert!(find(&spec, ".rule.days").visible && find(&spec, ".rule.timezone").visible);
    assert_eq!(posted(&spec, 0, &[("/rule/to", "05:00")])["rules"][0]["window"], json!({"days": ["sat"], "from": "22:00", "to": "05:00"}));
}
