//! Rules with a condition.

use serde_json::{Value, json};

use super::kinds::policy;
use super::world::{composed, settled};
use crate::api::Enforcement::{Block, Warn};
use crate::policy::{ConflictCause, RuleProblem};

#[test]
fn production_narrows_locks_and_asks() {
    let when = "parameters.tier == 'production'";
    let baseline = policy(
        "baseline",
        1,
        Block,
        json!([
            {"name": "replicas", "constrain": {"parameter": ".replicas", "minimum": 2, "maximum": 5, "when": when}},
            {"name": "backup", "set": {"parameter": ".backup.enabled", "value": true, "when": when}},
            {"name": "region", "default": {"parameter": ".region", "value": "eu", "when": when}},
            {"name": "labels", "inject": {"merge": {"metadata": {"labels": {"tier": "p"}}}, "when": when}},
            {"name": "ask", "approve": {"approvers": {"groups": ["leads"]}, "when": when}},
        ]),
    );
    let sources = [baseline];
    let development = settled(&sources, &json!({"tier": "development"}));
    assert!(development.resolved.is_accepted());
    assert_eq!(development.resolved.parameters["backup"]["enabled"], false);
    assert_eq!((development.effective.rules.len(), development.effective.sentences.len()), (0, 0));
    assert!(development.effective.conditional.iter().all(|rule| rule.holds == Some(false)));
    assert_eq!(development.effective.schema["properties"]["replicas"]["maximum"], 7);

    let production = settled(&sources, &json!({"tier": "production", "replicas": 3}));
    assert!(production.resolved.is_accepted(), "{:?}", production.resolved.all_problems());
    assert_eq!(
        (&production.resolved.parameters["backup"]["enabled"], &production.resolved.parameters["region"]),
        (&json!(true), &json!("eu"))
    );
    let replicas = &production.effective.schema["properties"]["replicas"];
    assert_eq!((&replicas["minimum"], &replicas["maximum"]), (&json!(2), &json!(5)));
    assert_eq!((production.effective.rules.len(), production.effective.approvals.len(), production.effective.injects.len()), (5, 1, 1));
    let told: Vec<&str> = production.effective.sentences.iter().map(|sentence| sentence.effect.as_str()).collect();
    assert_eq!(told[0], "When tier is production, replicas must be between 2 and 5.");
    assert_eq!(told[1], "When tier is production, enabled is always on.");
    assert!(!settled(&sources, &json!({"tier": "production"})).resolved.is_accepted(), "one replica is too few then");

    // Before there are parameters, all rules are listed and none has an effect.
    let open = composed(&sources, None);
    assert_eq!((open.sentences.len(), open.rules.len(), open.conditional.len()), (5, 0, 5));
    assert!(open.conditional.iter().all(|rule| rule.holds.is_none()));
}

#[test]
fn a_condition_is_asked_of_what_other_policies_make_of_the_request() {
    let tier = policy("tier", 2, Block, json!([{"name": "t", "set": {"parameter": ".tier", "value": "production"}}]));
    let rule = json!([{"name": "r", "constrain": {"parameter": ".replicas", "minimum": 3, "when": "parameters.tier == 'production'"}}]);
    let narrow = policy("narrow", 1, Block, rule);
    assert!(settled(std::slice::from_ref(&narrow), &json!({"tier": "test"})).resolved.is_accepted());
    let both = settled(&[narrow, tier], &json!({"tier": "test"}));
    assert_eq!(both.resolved.refusals.len(), 1, "{:?}", both.resolved);
    assert!(both.resolved.refusals[0].problem().message.contains("The policy narrow"));
}

#[test]
fn conditional_values_lead_to_others_as_long_as_all_stay_true() {
    let set = |name: &str, path: &str, value: Value, when: &str| {
        policy(name, 1, Block, json!([{"name": "s", "set": {"parameter": path, "value": value, "when": when}}]))
    };
    // It makes its own condition false.
    let undone = settled(&[set("liar", ".tier", json!("test"), "parameters.tier == 'production'")], &json!({"tier": "production"}));
    assert!(!undone.resolved.is_accepted());
    assert!(undone.effective.conflicts[0].to_string().contains("The policy liar at root:level1 (team liar) can't be applied"));
    assert_eq!(undone.effective.conflicts[0].reason, ConflictCause::Broken(RuleProblem::ChangesItsCondition));
    // Two rules that disable each other.
    let pair = [
        set("a", ".replicas", json!(5), "!parameters.backup.enabled"),
        set("b", ".backup.enabled", json!(true), "parameters.replicas == 1"),
    ];
    assert!(!settled(&pair, &json!({})).resolved.is_accepted());
    // A rule also applies if another rule's value makes its condition true, in any order, and so on.
    let chain = [
        set("a", ".backup.days", json!(30), "parameters.backup.enabled"),
        set("b", ".backup.enabled", json!(true), "parameters.tier == 'production'"),
        set("c", ".region", json!("eu"), "has(parameters.backup.days) && parameters.backup.days == 30"),
    ];
    let chained = settled(&chain, &json!({"tier": "production"}));
    assert!(chained.resolved.is_accepted(), "{:?}", chained.effective.conflicts);
    let parameters = &chained.resolved.parameters;
    assert_eq!((&parameters["backup"]["days"], &parameters["region"], chained.effective.rules.len()), (&json!(30), &json!("eu"), 3));
    let back: Vec<_> = chain.iter().rev().cloned().collect();
    assert_eq!(settled(&back, &json!({"tier": "production"})).effective.rules, chained.effective.rules);
    // A longer cycle that ends in a contradiction is refused as well.
    let circle = [chain[0].clone(), chain[1].clone(), set("d", ".tier", json!("test"), "has(parameters.backup.days)")];
    let circle = settled(&circle, &json!({"tier": "production"}));
    assert!(circle.effective.conflicts.iter().any(|conflict| conflict.between[0].policy == "b"), "{:?}", circle.effective.conflicts);
}

#[test]
fn a_condition_that_fails_refuses_and_says_why() {
    let rule = |when: &str, enforcement| {
        policy("p", 1, enforcement, json!([{"name": "r", "constrain": {"parameter": ".replicas", "maximum": 5, "when": when}}]))
    };
    let refused = settled(&[rule("parameters.name == 'x'", Block)], &json!({}));
    assert!(!refused.resolved.is_accepted());
    let message = refused.effective.conflicts[0].to_string();
    assert!(message.contains("its condition couldn't be evaluated") && message.contains("has()"), "{message}");
    assert!(settled(&[rule("has(parameters.name) && parameters.name == 'x'", Block)], &json!({})).resolved.is_accepted());
    assert!(settled(&[rule("parameters.name == 'x'", Block)], &json!({"name": "abc"})).resolved.is_accepted());
    let warned = settled(&[rule("parameters.name == 'x'", Warn)], &json!({}));
    assert!(warned.resolved.is_accepted());
    assert!(warned.resolved.outcomes[0].message.as_deref().unwrap().contains("wasn't checked"));
    // A rule that doesn't compile is broken, whatever its policy's enforcement.
    for enforcement in [Block, Warn] {
        assert!(!settled(&[rule("1 + 'a' == 2", enforcement)], &json!({})).resolved.is_accepted());
    }
}

#[test]
fn both_ways_of_writing_a_condition_mean_the_same() {
    for when in ["parameters.replicas > 2", "${parameters.replicas > 2}", " ${ parameters.replicas > 2 } "] {
        let source = policy("p", 1, Block, json!([{"name": "r", "set": {"parameter": ".region", "value": "eu", "when": when}}]));
        let settled = settled(&[source], &json!({"replicas": 3}));
        assert_eq!(settled.resolved.parameters["region"], "eu", "{when}: {:?}", settled.effective.conflicts);
    }
}

#[test]
fn what_is_too_intricate_for_words_is_told_as_such() {
    let told = |when: &str| {
        let rule = json!([{"name": "r", "set": {"parameter": ".region", "value": "eu", "when": when}}]);
        composed(&[policy("p", 1, Block, rule)], None).sentences[0].effect.clone()
    };
    assert_eq!(
        told("parameters.backup.enabled && parameters.replicas >= 3"),
        "When enabled is on and replicas is at least 3, region is always eu."
    );
    assert_eq!(told("has(parameters.name) && parameters.name in ['x', 'y']"), "When name is x or y, region is always eu.");
    assert_eq!(told("parameters.zones.exists(z, z == 'a')"), "In some cases, region is always eu.");
    assert_eq!(told("request.requester.username == 'amara'"), "In some cases, region is always eu.");
}
