//! Policies narrow every kind of control, and the form says so.

use serde_json::{Value, json};

use super::field;
use crate::api::{PolicySpec, PromiseSpec};
use crate::context::Context;
use crate::form::{Control, Draft, Form, model};
use crate::policy::{Origin, PolicySource, Reading, Settled, Target, settle};

fn promise() -> PromiseSpec {
    let choice = json!({"type": "string", "enum": ["a", "b", "c"]});
    let row = json!({"type": "object", "properties": {"port": {"type": "integer"}, "mode": choice, "names": {"type": "array", "items": {"type": "string"}}}});
    let size = json!({"type": "object", "properties": {"size": {"type": "integer", "minimum": 1, "maximum": 50}}});
    let parameters = json!({"type": "object", "properties": {
        "choice": choice,
        "few": {"type": "integer", "minimum": 1, "maximum": 5, "default": 2},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "flag": {"type": "boolean"},
        "text": {"type": "string"},
        "size": {"type": "string", "pattern": "^[0-9]+(Mi|Gi)$"},
        "mixed": {"x-kubernetes-int-or-string": true},
        "list": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "choices": {"type": "array", "items": choice},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "group": {"type": "object", "properties": {"inner": {"type": "integer"}}},
        "rows": {"type": "array", "items": row},
        "volumes": {"type": "object", "additionalProperties": size},
        "deep": {"type": "array", "items": {"type": "object", "properties": {"rows": {"type": "array", "items": row}}}},
    }});
    serde_json::from_value(json!({"version": "1.0.0", "parameters": parameters})).unwrap()
}

fn values() -> Value {
    json!({
        "choice": "a", "count": 3, "ratio": 0.25, "flag": true, "text": "abc", "size": "1Gi", "mixed": 3, "list": ["abc"], "numbers": [3],
        "choices": ["a"], "map": {"team": "abc"}, "group": {"inner": 3}, "rows": [{"port": 2000, "mode": "a", "names": ["abc"]}],
        "volumes": {"data": {"size": 3}}, "deep": [{"rows": [{"port": 2000}]}],
    })
}

fn settled(constrain: &Value, parameters: &Value) -> (Settled, Form) {
    let promise = promise();
    let rules = json!([{"name": "r", "constrain": constrain}]);
    let spec = PolicySpec { rules: serde_json::from_value(rules).unwrap(), ..PolicySpec::default() };
    let source = PolicySource::new("p", "root:acme", "acme", Origin::Ancestor { distance: 0 }, Reading::of(spec, true).into());
    let labels = Default::default();
    let target = Target {
        promise: "db",
        spec: &promise,
        home: "root:home",
        home_cluster: "home",
        home_trusted: true,
        workspace: "root:acme:shop",
        labels: &labels,
        lineage: &[],
    };
    let settled = settle(&target, &[source], parameters, None, &Context::default());
    let form = model(&promise, &settled.effective, &Draft::of(parameters.clone()), &settled.resolved.all_problems());
    (settled, form)
}

/// Choices that a control offers.
fn offered(control: &Control) -> Vec<&str> {
    match control {
        Control::Choice { options, .. } => options.iter().map(|option| option.value.as_str()).filter(|value| !value.is_empty()).collect(),
        Control::List { options, .. } => options.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_kind_of_control_is_narrowed_and_says_so() {
    for (constrain, path, choices, constraint, note) in [
        (json!({"parameter": ".choice", "enum": ["a", "b"]}), ".choice", vec!["a", "b"], None, "Narrowed from a, b or c"),
        (json!({"parameter": ".few", "maximum": 3}), ".few", vec!["1", "2", "3"], Some("1 to 3"), "Narrowed from 1–5"),
        (json!({"parameter": ".few", "enum": [1, 2]}), ".few", vec!["1", "2"], None, "Narrowed from 1–5"),
        (json!({"parameter": ".count", "minimum": 2}), ".count", vec![], Some("At least 2"), "Narrowed"),
        (json!({"parameter": ".count", "enum": [2, 3]}), ".count", vec!["2", "3"], None, "Narrowed"),
        (json!({"parameter": ".ratio", "maximum": 0.5}), ".ratio", vec![], Some("At most 0.5"), "Narrowed"),
        (json!({"parameter": ".flag", "enum": [true]}), ".flag", vec!["true"], None, "Narrowed"),
        (json!({"parameter": ".text", "maxLength": 20, "minLength": 3}), ".text", vec![], Some("3 to 20 characters"), "Narrowed"),
        (
            json!({"parameter": ".text", "pattern": "^[a-z0-9-]+$"}),
            ".text",
            vec![],
            Some("Use lower-case letters, digits and hyphens"),
            "Narrowed",
        ),
        (json!({"parameter": ".text", "enum": ["abc", "x"]}), ".text", vec!["abc", "x"], None, "Narrowed"),
        (json!({"parameter": ".size", "enum": ["1Gi", "2Gi"]}), ".size", vec!["1Gi", "2Gi"], None, "Narrowed"),
        (json!({"parameter": ".mixed", "maximum": 5}), ".mixed", vec![], Some("At most 5"), "Narrowed"),
        (json!({"parameter": ".list", "minItems": 1, "maxItems": 2}), ".list", vec![], Some("1 to 2 entries"), "Narrowed"),
        (json!({"parameter": ".list[*]", "maxLength": 5}), ".list", vec![], Some("Each entry: at most 5 characters"), "Narrowed"),
        (json!({"parameter": ".list[*]", "enum": ["abc", "x"]}), ".list", vec!["abc", "x"], None, "Narrowed"),
        (json!({"parameter": ".numbers[*]", "minimum": 2}), ".numbers", vec![], Some("Each entry: at least 2"), "Narrowed"),
        (json!({"parameter": ".choices[*]", "enum": ["a"]}), ".choices", vec!["a"], None, "Narrowed from a, b or c"),
        (json!({"parameter": ".map[*]", "enum": ["abc", "x"]}), ".map", vec![], Some("Each entry: abc or x"), "Narrowed"),
        (json!({"parameter": ".map[*]", "maxLength": 5}), ".map", vec![], Some("Each entry: at most 5 characters"), "Narrowed"),
        (json!({"parameter": ".map.team", "maxLength": 3}), ".map", vec![], Some("team: at most 3 characters"), "Narrowed"),
        (json!({"parameter": ".group.inner", "maximum": 4}), ".group.inner", vec![], Some("At most 4"), "Narrowed"),
        (json!({"parameter": ".rows", "maxItems": 3}), ".rows", vec![], Some("At most 3 entries"), "Narrowed"),
        (json!({"parameter": ".rows[*].port", "minimum": 1024}), ".rows[0].port", vec![], Some("At least 1024"), "Narrowed"),
        (json!({"parameter": ".rows[*].mode", "enum": ["a"]}), ".rows[0].mode", vec!["a"], None, "Narrowed from a, b or c"),
        (
            json!({"parameter": ".rows[*].names[*]", "maxLength": 5}),
            ".rows[0].names",
            vec![],
            Some("Each entry: at most 5 characters"),
            "Narrowed",
        ),
        (json!({"parameter": ".volumes[*].size", "maximum": 10}), ".volumes.data.size", vec![], Some("1 to 10"), "Narrowed from 1–50"),
        (
            json!({"parameter": ".deep[*].rows[*].port", "minimum": 1024}),
            ".deep[0].rows[0].port",
            vec![],
            Some("At least 1024"),
            "Narrowed",
        ),
    ] {
        let (settled, form) = settled(&constrain, &values());
        assert!(settled.resolved.is_accepted(), "{constrain}: {:?}", settled.resolved.all_problems());
        let field = field(&form, path);
        assert_eq!(offered(&field.control), choices, "{constrain}");
        assert_eq!(field.constraint.as_deref(), constraint, "{constrain}");
        let notes: Vec<&str> = field.by.iter().map(|line| line.did.as_str()).collect();
        assert_eq!(notes, [note], "{constrain}");
    }
}

#[test]
fn a_constraint_that_allows_everything_has_no_note() {
    for (constrain, path) in [
        (json!({"parameter": ".few", "minimum": 1, "maximum": 5}), ".few"),
        (json!({"parameter": ".choice", "enum": ["a", "b", "c"]}), ".choice"),
    ] {
        let (_, form) = settled(&constrain, &values());
        assert_eq!(field(&form, path).by, [], "{constrain}");
    }
}

#[test]
fn every_kind_of_value_outside_is_refused_at_its_field() {
    for (constrain, put, path) in [
        (json!({"parameter": ".choice", "enum": ["a", "b"]}), json!({"choice": "c"}), ".choice"),
        (json!({"parameter": ".flag", "enum": [true]}), json!({"flag": false}), ".flag"),
        (json!({"parameter": ".mixed", "maximum": 5}), json!({"mixed": 6}), ".mixed"),
        // A share isn't a number up to 5, and a number doesn't end in a percent sign.
        (json!({"parameter": ".mixed", "maximum": 5}), json!({"mixed": "500%"}), ".mixed"),
        (json!({"parameter": ".mixed", "pattern": "%$"}), json!({"mixed": 6}), ".mixed"),
        (json!({"parameter": ".list[*]", "maxLength": 5}), json!({"list": ["abc", "abcdef"]}), ".list[1]"),
        (json!({"parameter": ".map[*]", "maxLength": 5}), json!({"map": {"a": "abcdef"}}), ".map.a"),
        (json!({"parameter": ".map.team", "maxLength": 3}), json!({"map": {"team": "abcd"}}), ".map.team"),
        (json!({"parameter": ".volumes[*].size", "maximum": 10}), json!({"volumes": {"a": {"size": 11}}}), ".volumes.a.size"),
        (json!({"parameter": ".rows[*].names[*]", "maxLength": 3}), json!({"rows": [{}, {"names": ["abc", "abcd"]}]}), ".rows[1].names[1]"),
    ] {
        let (settled, form) = settled(&constrain, &put);
        let paths: Vec<String> = settled.resolved.all_problems().into_iter().map(|problem| problem.path).collect();
        assert_eq!(paths, [format!(".parameters{path}")], "{constrain}");
        assert!(form.summary.iter().all(|line| !line.target.is_empty()), "{constrain}: {:?}", form.summary);
    }
}
