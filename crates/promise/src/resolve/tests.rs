mod rules;

use serde_json::{Value, json};

use super::{Resolved, resolve};
use crate::api::{PolicyResult, PromiseSpec};
use crate::context::Context;
use crate::path::Path;
use crate::policy::{Effective, Provenance, Ruling};

fn promise() -> PromiseSpec {
    let spec = json!({
        "version": "1.0.0",
        "parameters": {
            "type": "object",
            "required": ["tier"],
            "properties": {
                "tier": {"type": "string", "enum": ["development", "production"]},
                "replicas": {"type": "integer", "minimum": 1, "maximum": 7, "default": 1},
                "storage": {"type": "string", "pattern": "^[0-9]+(Mi|Gi)$"},
                "host": {"type": "string", "minLength": 2, "maxLength": 20},
                "backup": {"type": "object", "default": {}, "properties": {"enabled": {"type": "boolean", "default": false}}},
                "extensions": {"type": "array", "maxItems": 2, "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                "labels": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 5}}
            }
        },
        "form": {"fields": {".storage": {"title": "Storage of each replica"}}}
    });
    serde_json::from_value(spec).unwrap()
}

fn resolved(parameters: Value) -> Resolved {
    let promise = promise();
    let effective = Effective { schema: promise.parameters.clone().unwrap(), ..Effective::default() };
    resolve(&promise, &parameters, None, &effective, &Context::default())
}

fn only_problem(parameters: Value) -> (String, String) {
    let resolved = resolved(parameters);
    assert_eq!(resolved.problems.len(), 1, "{:?}", resolved.problems);
    (resolved.problems[0].path.clone(), resolved.problems[0].message.clone())
}

#[test]
fn defaults_fill_and_whole_numbers_are_integers() {
    let resolved = resolved(json!({"tier": "production", "replicas": 2.0}));
    assert!(resolved.is_accepted(), "{:?}", resolved.all_problems());
    assert_eq!(resolved.parameters, json!({"tier": "production", "replicas": 2, "backup": {"enabled": false}}));
}

#[test]
fn every_problem_names_the_field_and_the_fix() {
    for (parameters, path, message) in [
        (json!({}), ".parameters.tier", "Choose a value for “Tier”."),
        (json!({"tier": "test"}), ".parameters.tier", "Choose development or production for tier."),
        (json!({"tier": "production", "replicas": "two"}), ".parameters.replicas", "Enter replicas as a whole number between 1 and 7."),
        (json!({"tier": "production", "replicas": 9}), ".parameters.replicas", "Enter replicas as a number between 1 and 7."),
        (
            json!({"tier": "production", "storage": "100GB"}),
            ".parameters.storage",
            "Change storage of each replica: use a number with a unit such as Mi or Gi, for example 10Gi.",
        ),
        (json!({"tier": "production", "host": "x"}), ".parameters.host", "Enter at least 2 characters for host."),
        (json!({"tier": "production", "host": "x".repeat(21)}), ".parameters.host", "Shorten host to at most 20 characters."),
        (
            json!({"tier": "production", "extensions": ["a", "b", "c"]}),
            ".parameters.extensions",
            "Remove entries from extensions: at most 2 are allowed.",
        ),
        (
            json!({"tier": "production", "extensions": ["a", "a"]}),
            ".parameters.extensions[1]",
            "Remove the duplicate entry a from extensions.",
        ),
        (
            json!({"tier": "production", "labels": {"a.b": "too long"}}),
            ".parameters.labels[\"a.b\"]",
            "Shorten a b to at most 5 characters.",
        ),
        (json!({"tier": "production", "backup": {"enabled": "yes"}}), ".parameters.backup.enabled", "Choose yes or no for enabled."),
        (
            json!({"tier": "production", "replica": 2}),
            ".parameters.replica",
            "Remove or rename .replica: there is no such parameter. Did you mean .replicas?",
        ),
        (json!({"tier": "production", "colour": 2}), ".parameters.colour", "Remove .colour: there is no such parameter."),
        (json!([1]), ".parameters", "Enter the parameters as key–value pairs."),
    ] {
        assert_eq!(only_problem(parameters), (path.to_owned(), message.to_owned()));
    }
}

#[test]
fn policies_fix_default_and_narrow_with_provenance() {
    use crate::policy::{Origin, PolicySource, Reading, Target, compose};
    let promise = promise();
    let rules = json!([
        {"name": "backup", "set": {"parameter": ".backup.enabled", "value": true}},
        {"name": "many", "default": {"parameter": ".replicas", "value": 3}},
        {"name": "few", "constrain": {"parameter": ".replicas", "maximum": 5}}
    ]);
    let owner = Some(crate::api::Owner { team: Some("security".into()), contact: None });
    let spec = crate::api::PolicySpec { rules: serde_json::from_value(rules).unwrap(), owner, ..Default::default() };
    let source = PolicySource::new("baseline", "root:acme", "acme", Origin::TrustedHome, Reading::of(spec, true).into());
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
    let effective = compose(&target, &[source]);
    let run = |parameters: Value| resolve(&promise, &parameters, None, &effective, &Context::default());

    let quiet = run(json!({"tier": "production"}));
    assert!(quiet.is_accepted(), "{:?}", quiet.all_problems());
    assert_eq!(quiet.parameters, json!({"tier": "production", "replicas": 3, "backup": {"enabled": true}}));
    let results: Vec<(&str, PolicyResult)> = quiet.outcomes.iter().map(|outcome| (outcome.rule.as_str(), outcome.result)).collect();
    assert_eq!(results, [("backup", PolicyResult::Set), ("few", PolicyResult::Constrained), ("many", PolicyResult::Defaulted)]);

    let loud = run(json!({"tier": "production", "replicas": 6, "backup": {"enabled": false}}));
    assert!(loud.problems.is_empty(), "the promise itself allows six");
    assert_eq!(loud.refusals[0].problem().path, ".parameters.replicas");
    assert_eq!(
        loud.refusals[0].problem().message,
        "Replicas must be at most 5. The policy baseline at root:acme (security) requires this."
    );
    let set = loud.outcomes.iter().find(|outcome| outcome.rule == "backup").unwrap();
    assert_eq!(set.message.as_deref(), Some("Always on; off was replaced."));
    assert_eq!(
        (set.source.as_str(), set.owner.as_deref(), set.paths.as_slice()),
        ("root:acme", Some("security"), &[".backup.enabled".to_owned()][..])
    );
}

#[test]
fn expressions_refuse_warn_and_fail_closed() {
    use crate::policy::{Origin, PolicySource, Reading, Target, compose};
    let promise = promise();
    let run = |expression: &str, enforcement: &str, parameters: Value| {
        let spec = json!({"enforcement": enforcement, "rules": [{"name": "r", "validate": {"expression": expression, "message": "Choose two replicas"}}]});
        let reading = Reading::of(serde_json::from_value(spec).unwrap(), false);
        let source = PolicySource::new("p", "root:acme", "acme", Origin::Ancestor { distance: 0 }, reading.into());
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
        resolve(&promise, &parameters, None, &compose(&target, &[source]), &Context::default())
    };
    let production = || json!({"tier": "production"});
    let rule = "parameters.tier != 'production' || parameters.replicas + 1 >= 3";
    let refused = run(rule, "block", production());
    assert_eq!(refused.refusals[0].problem().message, "Choose two replicas. The policy p at root:acme requires this.");
    assert!(run(rule, "block", json!({"tier": "production", "replicas": 2})).is_accepted());
    let warned = run(rule, "warn", production());
    assert!(warned.is_accepted());
    assert_eq!(warned.outcomes[0].result, PolicyResult::Warned);
    assert!(!run("parameters.storage == '1Gi'", "block", production()).is_accepted(), "an absent field fails closed");
    assert!(!run("1 + 'a' == 2", "block", production()).is_accepted(), "what does not compile fails closed");
    let bomb = "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a + b + c + d + e > 0)))))";
    assert!(!run(bomb, "block", production()).is_accepted(), "the budget ends it");
}

fn with_schema(schema: Value) -> impl Fn(Value, Option<Value>) -> Vec<(String, String)> {
    let promise = PromiseSpec { version: "1.0.0".into(), parameters: Some(schema.into()), ..PromiseSpec::default() };
    let effective = Effective { schema: promise.parameters.clone().unwrap(), ..Effective::default() };
    move |parameters, former| {
        let resolved = resolve(&promise, &parameters, former.as_ref(), &effective, &Context::default());
        resolved.problems.into_iter().map(|problem| (problem.path, problem.message)).collect()
    }
}

#[test]
fn rules_of_the_schema_compare_with_what_was_accepted() {
    let problems = with_schema(json!({"type": "object", "properties": {
        "zone": {"type": "string", "default": "a", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "the zone cannot change"}]},
        "size": {"type": "integer", "x-kubernetes-validations": [
            {"rule": "self >= oldSelf", "message": "it can only grow"}, {"rule": "self % 2 == 0", "message": "choose an even size"}]}}}));
    assert_eq!(problems(json!({"zone": "b", "size": 2}), None), []);
    let refused = |message: &str, path: &str| vec![(path.to_owned(), message.to_owned())];
    assert_eq!(problems(json!({"zone": "b"}), Some(json!({}))), refused("The zone cannot change.", ".parameters.zone"), "defaults count");
    assert_eq!(problems(json!({"size": 2}), Some(json!({"size": 4}))), refused("It can only grow.", ".parameters.size"));
    assert_eq!(
        problems(json!({"size": 3}), Some(json!({"size": 3}))),
        refused("Choose an even size.", ".parameters.size"),
        "nothing is let off"
    );
    assert_eq!(problems(json!({"size": 2}), Some(json!({"size": "many"}))), [], "of another shape is not comparable");
}

#[test]
fn policies_of_today_do_not_change_what_was_accepted() {
    let promise: PromiseSpec = serde_json::from_value(json!({"version": "1.0.0", "parameters": {"type": "object", "properties": {
        "zone": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "the zone cannot change"}]}}}}))
    .unwrap();
    let from: Provenance =
        serde_json::from_value(json!({"origin": "trustedHome", "workspace": "root", "cluster": "root", "policy": "zones",
        "rule": "zone", "title": null, "owner": null, "reason": null, "enforcement": "block"}))
        .unwrap();
    let fixed = Ruling { from, path: Path::parse(".zone").unwrap(), effect: json!("b") };
    let effective = Effective { schema: promise.parameters.clone().unwrap(), sets: vec![fixed], ..Effective::default() };
    let resolve = |former: Value| resolve(&promise, &json!({"zone": "a"}), Some(&former), &effective, &Context::default());
    assert_eq!(resolve(json!({"zone": "a"})).problems[0].message, "The zone cannot change.");
    assert_eq!(resolve(json!({"zone": "b"})).problems, []);
}

#[test]
fn of_very_many_problems_the_first_are_told() {
    let problems = with_schema(json!({"type": "object", "properties": {"list": {"type": "array", "items": {"type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}}}}));
    let many = problems(json!({"list": vec![json!({}); 100_000]}), None);
    assert!((10..=super::MAX_PROBLEMS + 1).contains(&many.len()), "{}", many.len());
    assert_eq!(many[0], (".parameters.list[0]".to_owned(), "Choose exactly one of list 1: a or b.".to_owned()));
    assert!(many.last().unwrap().1.ends_with(" more problems of this kind were found."), "{many:?}");
    let unknown: serde_json::Map<String, Value> = (0..50_000).map(|index| (format!("x{index}"), Value::Null)).collect();
    let unknown = problems(Value::Object(unknown), None);
    assert_eq!(unknown.len(), super::MAX_PROBLEMS + 1);
    assert_eq!(unknown[super::MAX_PROBLEMS].1, "Fix the problems listed first: 49900 more problems of this kind were found.");
}

#[test]
fn what_stands_nowhere_for_the_api_server_has_its_field() {
    let alternatives = json!({"type": "object", "properties": {
        "port": {"type": "integer", "format": "int32"},
        "ratio": {"type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1},
        "step": {"type": "integer", "multipleOf": 5},
        "code": {"type": "string", "pattern": "^(a|b)+$"},
        "source": {"type": "object", "properties": {"git": {"type": "string"}, "httpUrl": {"type": "string"}},
            "oneOf": [{"required": ["git"]}, {"required": ["httpUrl"]}]},
        "login": {"type": "object", "properties": {"user": {"type": "string"}, "password": {"type": "string"}, "token": {"type": "string"}},
            "oneOf": [{"required": ["user", "password"]}, {"required": ["token"]}]},
        "contact": {"type": "object", "properties": {"mail": {"type": "string"}, "chat": {"type": "string"}, "off": {"type": "boolean"}},
            "anyOf": [{"required": ["mail"]}, {"required": ["chat"]}], "not": {"required": ["chat", "off"]}},
        "twice": {"type": "array", "items": {"type": "string"}, "maxItems": 5, "x-kubernetes-validations": [
            {"rule": "self.size() < 2", "message": "name it once", "reason": "FieldValueDuplicate"}]},
        "limits": {"type": "object", "additionalProperties": {"type": "string", "x-kubernetes-validations": [
            {"rule": "self != 'x'", "message": "say more"}]}},
        "forProvider": {"type": "object", "properties": {"of": {"type": "string"}}, "required": ["of"]},
        "one": {"type": "string", "x-kubernetes-validations": [{"rule": "self != 'x'"}]}}});
    let problems = with_schema(alternatives);
    for (parameters, path, message) in [
        (json!({"port": 4_294_967_296_i64}), ".parameters.port", "Enter port as a whole number between -2147483648 and 2147483647."),
        (json!({"ratio": 0}), ".parameters.ratio", "Enter ratio as a number above 0 and at most 1."),
        (json!({"step": 7}), ".parameters.step", "Enter step as a multiple of 5."),
        (json!({"code": "c"}), ".parameters.code", "Change code to match the pattern ^(a|b)+$"),
        (json!({"source": {}}), ".parameters.source", "Choose exactly one of source: git or HTTP URL."),
        (json!({"source": {"git": "a", "httpUrl": "b"}}), ".parameters.source", "Keep only one of source: git or HTTP URL."),
        (
            json!({"login": {"user": "a", "password": "b", "token": "c"}}),
            ".parameters.login",
            "Keep only one of login: user and password or token.",
        ),
        (json!({"contact": {"off": true}}), ".parameters.contact", "Fill in at least one of contact: mail or chat."),
        (json!({"contact": {"chat": "a", "off": true}}), ".parameters.contact", "Remove chat or off of contact: they can't be combined."),
        (json!({"twice": ["a", "a"]}), ".parameters.twice", "Name it once."),
        (json!({"limits": {"a.b": "x"}}), ".parameters.limits[\"a.b\"]", "Say more."),
        (json!({"forProvider": 1}), ".parameters.forProvider", "Fill in “For provider” as fields with values."),
        (json!({"forProvider": {}}), ".parameters.forProvider.of", "Enter a value for “Of”."),
        (json!({"one": "x"}), ".parameters.one", "Change one to satisfy this rule of the promise: self != 'x'"),
    ] {
        assert_eq!(problems(parameters.clone(), None), [(path.to_owned(), message.to_owned())], "{parameters}");
    }
}

#[test]
fn too_few_and_too_many_entries_are_counted() {
    let entries = |keyword: &str, count: u64| json!({"type": "array", "items": {"type": "string"}, keyword: count});
    let fields = |keyword: &str, count: u64| json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, keyword: count});
    for (node, value, message) in [
        (entries("minItems", 1), json!([]), "Add an entry to hosts: at least one is required."),
        (entries("minItems", 2), json!(["a"]), "Add entries to hosts: at least 2 are required."),
        (entries("maxItems", 1), json!(["a", "b"]), "Remove entries from hosts: at most 1 is allowed."),
        (fields("minProperties", 1), json!({}), "Fill in at least one field of hosts."),
        (fields("minProperties", 2), json!({"a": "x"}), "Fill in at least 2 fields of hosts."),
        (fields("maxProperties", 1), json!({"a": "x", "b": "y"}), "Keep only one of hosts: a or b."),
    ] {
        assert_eq!(messages(&node, &value), [message]);
    }
}

/// API servers accept `db` and `db-primary.example.org` as host names, but reject `db-primary`.
#[test]
fn a_host_name_that_needs_its_domain_is_shown_with_one() {
    let name = |most: u64| json!({"type": "string", "format": "hostname", "maxLength": most});
    for (node, text, expected) in [
        (name(200), "db", None),
        (name(200), "db-primary", Some("Enter hosts with its domain, such as db-primary.example.org.")),
        (name(20), "db-primary", Some("Enter hosts as a host name such as www.example.org.")),
        (name(200), "-db", Some("Enter hosts as a host name such as www.example.org.")),
        (name(200), "db_primary", Some("Enter hosts as a host name such as www.example.org.")),
    ] {
        assert_eq!(messages(&node, &json!(text)), expected.as_slice(), "{text}");
    }
}

/// Returns the problems of a parameter `hosts` with this schema and value.
fn messages(node: &Value, value: &Value) -> Vec<String> {
    let schema = json!({"type": "object", "properties": {"hosts": node}});
    let promise = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
    let effective = Effective { schema: schema.into(), ..Effective::default() };
    let resolved = resolve(&promise, &json!({"hosts": value}), None, &effective, &Context::default());
    resolved.problems.into_iter().map(|problem| problem.message).collect()
}
