//! Rules of the schema: which fields they blame, and what happens if they take too long.

use serde_json::{Value, json};

use crate::api::PromiseSpec;
use crate::context::Context;
use crate::form::{Draft, model};
use crate::policy::Effective;
use crate::resolve::{Resolved, resolve};

fn promise(schema: Value) -> PromiseSpec {
    PromiseSpec { version: "1.0.0".into(), parameters: Some(schema.into()), ..PromiseSpec::default() }
}

fn effective(promise: &PromiseSpec) -> Effective {
    Effective { schema: promise.parameters.clone().unwrap(), ..Effective::default() }
}

fn resolved(promise: &PromiseSpec, parameters: &Value, former: Option<&Value>) -> Resolved {
    resolve(promise, parameters, former, &effective(promise), &Context::default())
}

/// A promise whose parameters have this rule.
fn ruled(rule: Value) -> PromiseSpec {
    let port = json!({"type": "object", "properties": {"port": {"type": "integer"}, "name": {"type": "string"}}});
    promise(json!({
        "type": "object",
        "properties": {
            "min": {"type": "integer"},
            "max": {"type": "integer"},
            "tier": {"type": "string"},
            "url-path": {"type": "string"},
            "backup": {"type": "object", "properties": {"enabled": {"type": "boolean"}, "days": {"type": "integer"}}},
            "ports": {"type": "array", "items": port},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "x-kubernetes-validations": [rule]
    }))
}

#[test]
fn a_rule_blames_the_field_that_it_is_about() {
    let rule = |rule: &str| json!({"rule": rule, "message": "No"});
    let ports = json!({"ports": [{"port": 1, "name": "a"}, {"port": 0, "name": "b"}]});
    for (rule, parameters, path) in [
        (rule("!has(self.min) || self.min > 1"), json!({"min": 1}), ".min"),
        (rule("!has(self.min) || !has(self.max) || self.min <= self.max"), json!({"min": 3, "max": 2}), ""),
        (rule("self.max > 1 && self.min > 1"), json!({"min": 1, "max": 2}), ".min"),
        (rule("has(self.backup) && self.backup.enabled"), json!({"backup": {"enabled": false}}), ".backup.enabled"),
        (rule("has(self.backup) && self.backup.enabled"), json!({}), ".backup"),
        (rule("self.backup.enabled || self.backup.days > 3"), json!({"backup": {"enabled": false, "days": 1}}), ".backup"),
        (rule("self.url__dash__path.startsWith('/')"), json!({"url-path": "x"}), ".url-path"),
        (rule("self.ports.all(p, p.port > 0)"), ports.clone(), ".ports[1].port"),
        (rule("self.ports.exists(p, p.name == 'x')"), ports, ".ports"),
        (rule("self.labels.all(key, self.labels[key] != '')"), json!({"labels": {"a.b": ""}}), ".labels[\"a.b\"]"),
        (rule("self.labels['a.b'] == 'x'"), json!({"labels": {"a.b": "y"}}), ".labels[\"a.b\"]"),
        (json!({"rule": "self.min < self.max", "message": "No", "fieldPath": ".max"}), json!({"min": 3, "max": 2}), ".max"),
        (
            json!({"rule": "self.labels.size() > 1", "message": "No", "fieldPath": ".labels['a.b']"}),
            json!({"labels": {"a.b": "y"}}),
            ".labels[\"a.b\"]",
        ),
    ] {
        let problems = resolved(&ruled(rule.clone()), &parameters, None).problems;
        assert_eq!(problems.len(), 1, "{rule}: {problems:?}");
        assert_eq!((problems[0].path.as_str(), problems[0].message.as_str()), (format!(".parameters{path}").as_str(), "No."), "{rule}");
    }
}

#[test]
fn a_rule_without_a_message_names_its_fields() {
    let message = |rule: &str, parameters: Value| resolved(&ruled(json!({"rule": rule})), &parameters, None).problems.remove(0).message;
    assert_eq!(
        message("self.min <= self.max", json!({"min": 3, "max": 2})),
        "Change min or max to satisfy this rule of the promise: self.min <= self.max"
    );
    assert_eq!(message("self.min > 3", json!({"min": 3})), "Change min to satisfy this rule of the promise: self.min > 3");
    assert_eq!(message("self.min > 3", json!({})), "Change min so that this rule of the promise can be checked: self.min > 3");
}

#[test]
fn the_summary_links_to_the_first_field_of_a_rule_about_several() {
    let promise = ruled(json!({"rule": "self.max >= self.min", "message": "Raise the maximum"}));
    let parameters = json!({"min": 3, "max": 2});
    let resolved = resolved(&promise, &parameters, None);
    let mut form = model(&promise, &effective(&promise), &Draft::of(parameters), &resolved.all_problems());
    assert_eq!(form.summary[0].target, "", "the rule is about the parameters as a whole");
    form.point_at(&resolved.involved);
    let targets: Vec<(&str, &str)> = form.summary.iter().map(|line| (line.target.as_str(), line.message.as_str())).collect();
    assert_eq!(targets, [("f-max", "Raise the maximum.")]);
}

#[test]
fn a_rule_about_a_change_is_checked_and_blames_its_field() {
    let promise = ruled(json!({"rule": "self.min == oldSelf.min && (self.tier == oldSelf.tier || self.tier == 'large')", "message": "No"}));
    let former = json!({"min": 1, "tier": "small"});
    let paths = |parameters: Value| -> Vec<String> {
        resolved(&promise, &parameters, Some(&former)).problems.into_iter().map(|problem| problem.path).collect()
    };
    assert_eq!(paths(json!({"min": 1, "tier": "large"})), Vec::<String>::new());
    assert_eq!(paths(json!({"min": 2, "tier": "small"})), [".parameters.min"]);
    assert_eq!(paths(json!({"min": 1, "tier": "tiny"})), [".parameters.tier"]);
}

#[test]
fn a_rule_that_takes_too_long_refuses_and_says_why() {
    let rule = "self.all(a, self.exists_one(b, a == b))";
    let names = json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [{"rule": rule}]});
    let promise = promise(json!({"type": "object", "properties": {"names": names}}));
    let names = |count: usize| json!({"names": (0..count).map(|index| format!("name-{index}")).collect::<Vec<_>>()});
    assert_eq!(resolved(&promise, &names(20), None).problems, []);
    let problems = resolved(&promise, &names(2_000), None).problems;
    assert_eq!(problems.len(), 1);
    assert_eq!(
        (problems[0].path.as_str(), problems[0].message.as_str()),
        (
            ".parameters.names",
            "Use fewer or shorter values for names: this rule of the promise takes too long to check: self.all(a, self.exists_one(b, a == b))"
        )
    );
}
