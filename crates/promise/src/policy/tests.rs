mod conditions;
mod contradicting;
mod fit;
mod kinds;
mod laws;
mod people;
mod runs;
mod world;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Candidate, ConflictCause, Effective, Origin, PolicySource, Reading, RuleProblem, Target, WrongBound, compose, compose_read, gather,
};
use crate::api::{Enforcement, Owner, PolicySpec, PromiseSpec, Rule};
use crate::resolve::PromiseReading;

fn promise() -> PromiseSpec {
    PromiseSpec {
        parameters: Some(
            json!({
                "type": "object",
                "properties": {
                    "replicas": {"type": "integer", "minimum": 1, "maximum": 7},
                    "region": {"type": "string", "enum": ["eu", "us", "asia"]},
                    "name": {"type": "string", "pattern": "^[a-z]+$"},
                    "backup": {"type": "object", "properties": {"enabled": {"type": "boolean"}, "days": {"type": "integer"}}}
                }
            })
            .into(),
        ),
        ..PromiseSpec::default()
    }
}

fn rule(json: Value) -> Rule {
    serde_json::from_value(json).unwrap()
}

fn source(policy: &str, distance: u32, trusted: bool, rules: Vec<Rule>) -> PolicySource {
    enforced(policy, distance, trusted, Enforcement::Block, rules)
}

fn enforced(policy: &str, distance: u32, trusted: bool, enforcement: Enforcement, rules: Vec<Rule>) -> PolicySource {
    meaning(policy, distance, trusted, PolicySpec { rules, enforcement, ..PolicySpec::default() })
}

fn meaning(policy: &str, distance: u32, trusted: bool, spec: PolicySpec) -> PolicySource {
    let spec = PolicySpec { owner: Some(Owner { team: Some("security".into()), contact: None }), ..spec };
    let origin = Origin::Ancestor { distance };
    PolicySource::new(policy, &format!("root:level{distance}"), &format!("id{distance}"), origin, Arc::new(Reading::of(spec, trusted)))
}

fn composed(sources: &[PolicySource]) -> Effective {
    let (spec, labels) = (promise(), BTreeMap::new());
    compose(&target(&spec, &labels, &[]), sources)
}

fn target<'a>(spec: &'a PromiseSpec, labels: &'a BTreeMap<String, String>, lineage: &'a [String]) -> Target<'a> {
    Target {
        promise: "db",
        spec,
        home: "root:home",
        home_cluster: "home",
        home_trusted: true,
        workspace: "root:acme:shop",
        labels,
        lineage,
    }
}

#[test]
fn a_schema_is_copied_once_for_the_same_constraints() {
    let (spec, labels) = (promise(), BTreeMap::new());
    let reading = PromiseReading::of(&spec, true);
    let under = |effects: &[Value]| {
        let rules = effects.iter().map(|effect| rule(json!({"name": "r", "constrain": effect}))).collect();
        compose_read(&target(&spec, &labels, &[]), &[source("a", 1, false, rules)], &reading).schema
    };
    let most = |maximum: u32| json!({"parameter": ".replicas", "maximum": maximum});
    let five = under(&[most(5)]);
    assert_eq!(under(&[most(4)])["properties"]["replicas"]["maximum"], 4);
    for maximum in [5, 3, 5, 2, 1, 5] {
        assert_eq!(under(&[most(maximum)])["properties"]["replicas"]["maximum"], maximum);
    }
    assert!(Arc::ptr_eq(&under(&[most(5)]), &under(&[most(5)])), "checks share it");
    assert_eq!(under(&[most(5)]), five);
    assert!(Arc::ptr_eq(&under(&[]), spec.parameters.as_ref().unwrap()), "without constraints it is the promise's own");
}

#[test]
fn constraints_intersect_in_the_schema() {
    let effective = composed(&[
        source("a", 2, false, vec![rule(json!({"name": "r", "constrain": {"parameter": ".replicas", "minimum": 2}}))]),
        source(
            "b",
            1,
            false,
            vec![
                rule(json!({"name": "r", "constrain": {"parameter": ".replicas", "maximum": 5, "minimum": 1}})),
                rule(json!({"name": "s", "constrain": {"parameter": ".region", "enum": ["us", "eu", "mars"]}})),
                rule(json!({"name": "t", "constrain": {"parameter": ".name", "pattern": "^x"}})),
            ],
        ),
    ]);
    let properties = &effective.schema["properties"];
    assert_eq!((&properties["replicas"]["minimum"], &properties["replicas"]["maximum"]), (&json!(2), &json!(5)));
    assert_eq!(properties["region"]["enum"], json!(["eu", "us"]));
    assert_eq!((&properties["name"]["pattern"], &properties["name"]["allOf"]), (&json!("^[a-z]+$"), &json!([{"pattern": "^x"}])));
    assert!(effective.conflicts.is_empty());
    assert_eq!(effective.sentences.len(), 4);
    assert_eq!(effective.sentences[3].effect, "Replicas must be at least 2.");
}

#[test]
fn nothing_left_names_both_sources() {
    let effective = composed(&[
        source("few", 1, false, vec![rule(json!({"name": "r", "constrain": {"parameter": ".replicas", "maximum": 2}}))]),
        source("many", 2, false, vec![rule(json!({"name": "r", "constrain": {"parameter": ".replicas", "minimum": 3}}))]),
    ]);
    let message = effective.conflicts[0].to_string();
    assert!(message.contains("few") && message.contains("many") && message.contains("root:level1"), "{message}");
    assert_eq!(effective.conflicts[0].between.len(), 2);

    let alone =
        composed(&[source("huge", 1, false, vec![rule(json!({"name": "r", "constrain": {"parameter": ".replicas", "minimum": 9}}))])]);
    assert_eq!(alone.conflicts[0].between.len(), 1);
    let words = composed(&[source("odd", 1, false, vec![rule(json!({"name": "r", "constrain": {"parameter": ".region", "minimum": 9}}))])]);
    assert!(
        matches!(words.conflicts[0].reason, ConflictCause::Broken(RuleProblem::WrongBound { why: WrongBound::OfText, .. })),
        "a bound that has no effect is reported"
    );
}

#[test]
fn two_sets_that_disagree_are_a_refusal_also_when_one_holds_the_other() {
    let set = |policy: &str, path: &str, value: Value| {
        source(policy, 1, true, vec![rule(json!({"name": "s", "set": {"parameter": path, "value": value}}))])
    };
    assert_eq!(composed(&[set("a", ".replicas", json!(2)), set("b", ".replicas", json!(3))]).conflicts.len(), 1);
    assert!(composed(&[set("a", ".replicas", json!(2)), set("b", ".replicas", json!(2))]).conflicts.is_empty());
    assert_eq!(composed(&[set("a", ".backup", json!({"enabled": false})), set("b", ".backup.enabled", json!(true))]).conflicts.len(), 1);
    let bounded = source("c", 1, false, vec![rule(json!({"name": "c", "constrain": {"parameter": ".replicas", "maximum": 2}}))]);
    let message = composed(&[set("a", ".replicas", json!(3)), bounded]).conflicts[0].to_string();
    assert!(message.contains('a') && message.contains("at most 2"), "{message}");
}

#[test]
fn only_trusted_homes_set_and_inject() {
    for effect in
        [json!({"name": "s", "set": {"parameter": ".replicas", "value": 2}}), json!({"name": "s", "inject": {"merge": {"spec": {}}}})]
    {
        let effective = composed(&[source("mine", 1, false, vec![rule(effect)])]);
        assert!(effective.sets.is_empty() && effective.injects.is_empty());
        assert!(effective.conflicts[0].to_string().contains("trusted homes"), "{:?}", effective.conflicts);
    }
}

#[test]
fn injects_that_write_the_same_path_differently_are_a_refusal() {
    let inject = |policy: &str, kinds: Value, merge: Value| {
        source(policy, 1, true, vec![rule(json!({"name": "i", "inject": {"match": {"kinds": kinds}, "merge": merge}}))])
    };
    let user = |id: u32| json!({"spec": {"template": {"spec": {"securityContext": {"runAsUser": id}}}}});
    assert_eq!(composed(&[inject("a", json!(["Deployment"]), user(1)), inject("b", json!([]), user(2))]).conflicts.len(), 1);
    assert!(composed(&[inject("a", json!(["Deployment"]), user(1)), inject("b", json!(["Job"]), user(2))]).conflicts.is_empty());
    assert!(
        composed(&[inject("a", json!([]), user(1)), inject("b", json!([]), json!({"metadata": {"labels": {"x": "y"}}}))])
            .conflicts
            .is_empty()
    );
}

#[test]
fn the_nearest_default_wins_and_set_is_stronger() {
    let default = |policy: &str, distance: u32, value: u32| {
        source(policy, distance, false, vec![rule(json!({"name": "d", "default": {"parameter": ".replicas", "value": value}}))])
    };
    let effective = composed(&[default("far", 3, 3), default("near", 1, 5)]);
    assert_eq!(effective.defaults.iter().map(|ruling| &ruling.effect).collect::<Vec<_>>(), [&json!(5)]);
    assert_eq!(effective.schema_with_defaults()["properties"]["replicas"]["default"], 5);
    let set = source("fixed", 3, true, vec![rule(json!({"name": "s", "set": {"parameter": ".replicas", "value": 2}}))]);
    let effective = composed(&[default("near", 1, 5), set]);
    assert!(effective.defaults.is_empty());
    assert_eq!(effective.schema_with_defaults()["properties"]["replicas"]["default"], 2);
}

#[test]
fn a_schedule_is_described_and_is_no_part_of_the_content() {
    let schedule = || rule(json!({"name": "nightly", "schedule": {"action": "backup", "cron": "0 2 * * *"}}));
    for enforcement in [Enforcement::Block, Enforcement::Warn, Enforcement::Audit] {
        let effective = composed(&[enforced("backups", 1, false, enforcement, vec![schedule()])]);
        assert_eq!((effective.conflicts.len(), effective.rules.len(), effective.schedules.len()), (0, 0, 1));
        assert_eq!(effective.sentences[0].effect, "The platform runs backup every day at 02:00 (UTC).");
    }
}

#[test]
fn a_policy_that_names_a_missing_parameter_is_broken_only_where_it_means_this_promise() {
    let about = |promises: Vec<String>| {
        let rules = vec![rule(json!({"name": "r", "constrain": {"parameter": ".tls", "enum": ["on"]}}))];
        let applies_to = crate::api::AppliesTo { promises, ..Default::default() };
        composed(&[meaning("tls", 1, false, PolicySpec { rules, applies_to, ..PolicySpec::default() })])
    };
    assert!(about(vec![]).conflicts.is_empty());
    assert!(about(vec!["*".into()]).conflicts.is_empty());
    assert_eq!(about(vec!["db".into()]).conflicts.len(), 1);
}

#[test]
fn sources_are_ancestors_trusted_homes_and_references() {
    let mut spec = promise();
    spec.policies = vec![rule(json!({"name": "own", "constrain": {"parameter": ".replicas", "maximum": 6}}))];
    spec.policy_refs = vec![crate::api::PolicyRef { name: "named".into() }, crate::api::PolicyRef { name: "gone".into() }];
    let labels = BTreeMap::from([("stage".to_owned(), "prod".to_owned())]);
    let lineage = ["r".to_owned(), "acme".to_owned(), "shop".to_owned()];
    let candidate = |policy: &str, cluster: &str, trusted: bool, workspaces: &[&str]| Candidate {
        policy: policy.into(),
        workspace: format!("root:{cluster}"),
        cluster: cluster.into(),
        trusted,
        spec: PolicySpec {
            owner: Some(Owner { team: Some("t".into()), contact: None }),
            applies_to: crate::api::AppliesTo {
                workspaces: workspaces.iter().map(|glob| (*glob).to_owned()).collect(),
                ..Default::default()
            },
            ..PolicySpec::default()
        },
    };
    let candidates = [
        candidate("above", "acme", false, &[]),
        candidate("elsewhere", "globex", false, &[]),
        candidate("trusted", "home", true, &["root:acme:**"]),
        candidate("other-range", "home", true, &["root:globex:**"]),
        candidate("named", "home", true, &["root:globex:**"]),
        candidate("not-here", "acme", false, &["root:acme:data"]),
    ];
    let target = target(&spec, &labels, &lineage);
    let sources = gather(&candidates, &target);
    let found: Vec<(&str, Origin)> = sources.iter().map(|source| (source.policy.as_str(), source.origin)).collect();
    assert_eq!(
        found,
        [
            ("above", Origin::Ancestor { distance: 1 }),
            ("trusted", Origin::TrustedHome),
            ("named", Origin::Reference),
            ("db", Origin::Promise)
        ]
    );
    let effective = compose(&target, &sources);
    assert!(
        effective
            .conflicts
            .iter()
            .any(|conflict| matches!(&conflict.reason, ConflictCause::MissingPolicy { policy, .. } if policy == "gone")),
        "a missing reference fails closed"
    );
}
