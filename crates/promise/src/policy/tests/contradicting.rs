//! Contradictions: both rules are named, with their workspaces and owners.

use serde_json::{Value, json};

use super::kinds::policy;
use super::world::{composed, settled};
use crate::api::Enforcement::Block;
use crate::policy::RefusalReason;

fn rules(a: &Value, b: &Value) -> [crate::policy::PolicySource; 2] {
    let named = |rule: &Value| {
        let mut rule = rule.clone();
        rule["name"] = json!("r");
        json!([rule])
    };
    [policy("one", 1, Block, named(a)), policy("two", 3, Block, named(b))]
}

#[test]
fn two_that_exclude_each_other_are_both_named() {
    let constrain = |parameter: &str, mut bounds: Value| {
        bounds["parameter"] = json!(parameter);
        json!({"constrain": bounds})
    };
    let set = |parameter: &str, value: Value| json!({"set": {"parameter": parameter, "value": value}});
    let inject = |merge: Value| json!({"inject": {"merge": merge}});
    let when = |mut rule: Value, when: &str| {
        let kind = rule.as_object().unwrap().keys().next().unwrap().clone();
        rule[kind]["when"] = json!(when);
        rule
    };
    for (a, b) in [
        (constrain(".replicas", json!({"maximum": 2})), constrain(".replicas", json!({"minimum": 3}))),
        (constrain(".step", json!({"minimum": 6})), constrain(".step", json!({"maximum": 9}))),
        (constrain(".replicas", json!({"minimum": 2.5})), constrain(".replicas", json!({"maximum": 2.9}))),
        (constrain(".region", json!({"enum": ["eu"]})), constrain(".region", json!({"enum": ["us"]}))),
        (constrain(".level", json!({"enum": [1.0]})), constrain(".level", json!({"minimum": 1.5}))),
        (constrain(".name", json!({"enum": ["abc", "abd"]})), constrain(".name", json!({"pattern": "^x"}))),
        (constrain(".name", json!({"pattern": "^x"})), constrain(".name", json!({"enum": ["abc"]}))),
        (constrain(".name", json!({"enum": ["abc"]})), constrain(".name", json!({"maxLength": 2}))),
        (constrain(".name", json!({"minLength": 5})), constrain(".name", json!({"maxLength": 4}))),
        (constrain(".zones", json!({"minItems": 3})), constrain(".zones", json!({"maxItems": 2}))),
        (constrain(".zones[*]", json!({"enum": ["a"]})), constrain(".zones[*]", json!({"enum": ["b"]}))),
        (constrain(".backup.enabled", json!({"enum": [true]})), constrain(".backup.enabled", json!({"enum": [false]}))),
        (constrain(".labels.team", json!({"enum": ["a"]})), constrain(".labels.team", json!({"enum": ["b"]}))),
        (set(".replicas", json!(2)), set(".replicas", json!(3))),
        (set(".backup", json!({"enabled": false})), set(".backup.enabled", json!(true))),
        (set(".replicas", json!(2)), constrain(".replicas", json!({"minimum": 3}))),
        (set(".name", json!("abc")), constrain(".name", json!({"pattern": "^x"}))),
        (set(".backup", json!({"days": 3})), constrain(".backup.days", json!({"minimum": 7}))),
        (set(".zones", json!(["a", "b"])), constrain(".zones[*]", json!({"enum": ["a"]}))),
        (set(".labels.team", json!("a")), constrain(".labels[*]", json!({"minLength": 2}))),
        (inject(json!({"spec": {"user": 1}})), inject(json!({"spec": {"user": 2}}))),
        (inject(json!({"spec": {"user": 1}})), inject(json!({"spec": null}))),
        (when(set(".region", json!("eu")), "parameters.replicas == 1"), set(".region", json!("us"))),
        (
            when(constrain(".replicas", json!({"minimum": 3})), "parameters.tier != 'production'"),
            constrain(".replicas", json!({"maximum": 2})),
        ),
    ] {
        let sources = rules(&a, &b);
        let settled = settled(&sources, &json!({}));
        assert!(!settled.resolved.is_accepted(), "{a} {b}");
        let conflict = settled.effective.conflicts.iter().find(|conflict| conflict.between.len() == 2);
        let conflict = conflict.unwrap_or_else(|| panic!("{a} {b}: {:?}", settled.effective.conflicts));
        for words in ["the policy one at root:level1 (team one)", "the policy two at root:level3 (team two)"] {
            assert!(conflict.to_string().to_lowercase().contains(words), "{conflict}");
        }
        let policies: Vec<&str> = conflict.between.iter().map(|from| from.policy.as_str()).collect();
        assert!(policies == ["one", "two"] || policies == ["two", "one"]);
        assert!(
            settled.resolved.refusals.iter().any(|refusal| refusal.reason == RefusalReason::Conflict(conflict.clone())),
            "the requester sees the conflict"
        );
    }
}

#[test]
fn what_agrees_is_no_contradiction() {
    let set = |parameter: &str, value: Value| json!({"set": {"parameter": parameter, "value": value}});
    for (a, b) in [
        (set(".replicas", json!(2)), set(".replicas", json!(2.0))),
        (set(".backup", json!({"enabled": true})), set(".backup.enabled", json!(true))),
        (set(".replicas", json!(2)), json!({"constrain": {"parameter": ".replicas", "maximum": 2}})),
        (json!({"constrain": {"parameter": ".level", "enum": [1, 2.0]}}), json!({"constrain": {"parameter": ".level", "enum": [2]}})),
        (json!({"default": {"parameter": ".region", "value": "eu"}}), json!({"default": {"parameter": ".region", "value": "us"}})),
        (json!({"inject": {"merge": {"a": {"b": 1}}}}), json!({"inject": {"merge": {"a": {"c": 2}}}})),
        (
            json!({"inject": {"match": {"kinds": ["A"]}, "merge": {"a": 1}}}),
            json!({"inject": {"match": {"kinds": ["B"]}, "merge": {"a": 2}}}),
        ),
    ] {
        let sources = rules(&a, &b);
        assert_eq!(settled(&sources, &json!({})).effective.conflicts, [], "{a} {b}");
    }
    let sources = rules(
        &json!({"constrain": {"parameter": ".level", "enum": [1, 2.0]}}),
        &json!({"constrain": {"parameter": ".level", "enum": [2, 1.5]}}),
    );
    assert_eq!(composed(&sources, None).schema["properties"]["level"]["enum"], json!([2]));
}

#[test]
fn several_patterns_hold_at_once() {
    let pattern = |pattern: &str| json!({"constrain": {"parameter": ".name", "pattern": pattern}});
    let sources = rules(&pattern("^a"), &pattern("z$"));
    assert!(settled(&sources, &json!({"name": "abz"})).resolved.is_accepted());
    for name in ["abc", "xyz"] {
        assert_eq!(settled(&sources, &json!({"name": name})).resolved.refusals.len(), 1, "{name}");
    }
    let schema = &composed(&sources, None).schema["properties"]["name"];
    assert_eq!((&schema["pattern"], &schema["allOf"]), (&json!("^[a-z]+$"), &json!([{"pattern": "^a"}, {"pattern": "z$"}])));
}

#[test]
fn the_nearest_default_wins_also_over_one_for_the_whole() {
    let default = |parameter: &str, value: Value| json!({"default": {"parameter": parameter, "value": value}});
    let near_part = rules(&default(".backup.days", json!(30)), &default(".backup.days", json!(7)));
    assert_eq!(settled(&near_part, &json!({})).resolved.parameters["backup"]["days"], 30);
    let near_whole = rules(&default(".backup", json!({"days": 5})), &default(".backup.days", json!(7)));
    assert_eq!(settled(&near_whole, &json!({})).resolved.parameters["backup"], json!({"enabled": false, "days": 5}));
    assert_eq!(settled(&near_whole, &json!({"backup": {}})).resolved.parameters["backup"]["days"], 7, "the person said that much");
}
