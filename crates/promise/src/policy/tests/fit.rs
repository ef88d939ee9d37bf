//! Whether policies fit promises, and what is wrong with them by themselves: each mistake with its path.

use serde_json::{Value, json};

use super::world::promise;
use crate::api::{ActionSpec, PolicySpec, PromiseSpec};
use crate::policy::{check_against, validity};

fn spec(rule: &Value, promises: &Value) -> PolicySpec {
    let mut rule = rule.clone();
    rule["name"] = json!("r");
    let fine = json!({"name": "first", "constrain": {"parameter": ".replicas", "maximum": 5}});
    serde_json::from_value(json!({"rules": [fine, rule], "appliesTo": {"promises": promises}})).unwrap()
}

fn told(rule: &Value, promises: &Value) -> Vec<(String, String)> {
    let spec = spec(rule, promises);
    let by_itself = validity(&spec, true);
    let problems = if by_itself.is_empty() { check_against(&spec, "db", &promise().0) } else { by_itself };
    problems.into_iter().map(|problem| (problem.path, problem.message)).collect()
}

const LOOP: &str = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";

fn nested(list: &str, depth: usize) -> String {
    let open: String = (0..depth).map(|at| format!("{list}.all(x{at}, ")).collect();
    format!("{open}x0 == x0{}", ")".repeat(depth))
}

#[test]
fn each_mistake_is_found_at_its_path() {
    let when = |when: &str| json!({"set": {"parameter": ".region", "value": "eu", "when": when}});
    let validate = |expression: &str| json!({"validate": {"expression": expression, "message": "Choose."}});
    let constrain = |body: Value| json!({"constrain": body});
    let many: Vec<String> = (0..50).map(|number| format!("person-{number}")).collect();
    let cases = [
        // (rule, path below `.rules[1]`, message, whether it is also a problem for promises that only match by a wildcard)
        (constrain(json!({"parameter": ".nosuch", "maximum": 1})), ".constrain.parameter", "the schema has no .nosuch", false),
        (
            constrain(json!({"parameter": ".backup.nosuch", "maximum": 1})),
            ".constrain.parameter",
            "the schema has no .backup.nosuch",
            false,
        ),
        (constrain(json!({"parameter": ".ports.port", "maximum": 1})), ".constrain.parameter", "the schema has no .ports.port", false),
        (constrain(json!({"parameter": ".a..b", "maximum": 1})), ".constrain.parameter", "isn't a valid path", true),
        (constrain(json!({"parameter": "", "maximum": 1})), ".constrain.parameter", "names no parameter", true),
        (constrain(json!({"parameter": ".ports[0].port", "maximum": 1})), ".constrain.parameter", "[*]", true),
        (constrain(json!({"parameter": ".region", "maximum": 1})), ".constrain", "a string has no minimum", true),
        (constrain(json!({"parameter": ".replicas", "pattern": "x"})), ".constrain", "a number has no length", true),
        (constrain(json!({"parameter": ".replicas", "enum": ["few"]})), ".constrain.enum", "few", true),
        (constrain(json!({"parameter": ".region", "enum": ["eu", "mars"]})), ".constrain.enum", "mars", false),
        (constrain(json!({"parameter": ".replicas"})), ".constrain", "limits nothing", true),
        (constrain(json!({"parameter": ".replicas", "minimum": 3, "maximum": 2})), ".constrain", "exclude every value", true),
        (constrain(json!({"parameter": ".name", "pattern": "("})), ".constrain.pattern", "valid regular expression", true),
        (json!({"set": {"parameter": ".nosuch", "value": 1}}), ".set.parameter", "the schema has no .nosuch", false),
        (json!({"set": {"parameter": ".replicas", "value": "two"}}), ".set.value", "must be of type integer", true),
        (json!({"set": {"parameter": ".replicas", "value": 9}}), ".set.value", "less than or equal to 7", true),
        (json!({"set": {"parameter": ".replicas", "value": null}}), ".set.value", "", true),
        (json!({"set": {"parameter": ".backup", "value": {"enabeld": true}}}), ".set.value", "there is no parameter .backup.enabeld", true),
        (json!({"set": {"parameter": ".zones[*]", "value": "a"}}), ".set.parameter", "name the whole list", true),
        (json!({"default": {"parameter": ".region", "value": "mars"}}), ".default.value", "Unsupported value", true),
        (json!({"inject": {"match": {"kinds": ["Pod"]}}}), ".inject.merge", "merges nothing", true),
        (validate("parameters.replicas >"), ".validate.expression", "expression", true),
        (validate("parameters.nosuch == 1"), ".validate.expression", "undefined field 'nosuch'", false),
        (validate("parameters.replicas == 'two'"), ".validate.expression", "types in the expression", true),
        (validate("parameters.replicas"), ".validate.expression", "must return bool", true),
        (validate("params.replicas > 1"), ".validate.expression", "params", true),
        (validate("request.nosuch == 'x'"), ".validate.expression", "nosuch", true),
        (validate(&nested(LOOP, 6)), ".validate.expression", "steps", true),
        (validate(&nested("parameters.zones", 8)), ".validate.expression", "steps", true),
        (json!({"validate": {"expression": "true", "message": " "}}), ".validate.message", "no message", true),
        (when("parameters.nosuch == 1"), ".set.when", "undefined field 'nosuch'", false),
        (when("${parameters.tier}"), ".set.when", "must return bool", true),
        (when("1 + 'a' == 2"), ".set.when", "expression", true),
        (when(&nested(LOOP, 6)), ".set.when", "steps", true),
        (json!({"approve": {"when": "parameters.replicas > 'x'"}}), ".approve.when", "types in the expression", true),
        (json!({"approve": {"required": 0}}), ".approve.required", "at least", true),
        (json!({"approve": {"required": "all"}}), ".approve.required", "names none", true),
        (json!({"approve": {"stage": 0}}), ".approve.stage", "start at 1", true),
        (json!({"approve": {"approvers": {"users": many, "groups": ["leads"]}}}), ".approve.approvers", "at most 50", true),
        (
            json!({"budget": {"monthly": "1", "currency": "EUR", "per": "subtree", "notify": {"users": many, "groups": ["leads"]}}}),
            ".budget.notify",
            "at most 50",
            true,
        ),
        (json!({"approve": {"expiresAfter": "soon"}}), ".approve.expiresAfter", "valid duration", true),
        (json!({"limit": {"count": 1, "per": "team"}}), ".limit.per", "one of workspace", true),
        (json!({"budget": {"monthly": "1", "currency": "EUR", "per": "promise"}}), ".budget.per", "isn't workspace or subtree", true),
        (json!({"budget": {"monthly": "1", "currency": "euro", "per": "subtree"}}), ".budget.currency", "three uppercase letters", true),
        (json!({"budget": {"monthly": "1,5", "currency": "EUR", "per": "subtree"}}), ".budget.monthly", "decimal", true),
        (json!({"budget": {"monthly": "-1", "currency": "EUR", "per": "subtree"}}), ".budget.monthly", "is negative", true),
        (json!({"window": {"from": "1", "to": "02:00"}}), ".window.from", "\"1\" isn't a time", true),
        (json!({"window": {"from": "01:00", "to": "24:00"}}), ".window.to", "isn't a time", true),
        (json!({"window": {"from": "01:00", "to": "01:00"}}), ".window.to", "closes when it opens", true),
        (json!({"window": {"from": "01:00", "to": "02:00", "days": ["mon", "Friday"]}}), ".window.days", "\"Friday\" isn't a day", true),
        (json!({"window": {"from": "01:00", "to": "02:00", "timezone": "Europe/Bern"}}), ".window.timezone", "isn't a time zone", true),
        (json!({"schedule": {"action": "backup", "cron": "0 2 * * *"}}), ".schedule.action", "Name an existing action", false),
        (json!({"schedule": {"action": "Back up", "cron": "0 2 * * *"}}), ".schedule.action", "isn't the name of an action", true),
        (json!({"schedule": {"action": "backup", "cron": "0 2 * *"}}), ".schedule.cron", "isn't a cron schedule", true),
        (json!({"schedule": {"action": "backup", "cron": "0 2 30 2 *"}}), ".schedule.cron", "isn't a cron schedule", true),
        (json!({"schedule": {"action": "backup", "cron": "*/4 * * * *"}}), ".schedule.cron", "every 5 minutes", true),
        (json!({"schedule": {"action": "backup", "cron": "@daily", "timezone": "Berlin"}}), ".schedule.timezone", "time zone", true),
        (json!({"schedule": {"action": "backup", "cron": "@daily", "retention": "0d"}}), ".schedule.retention", "such as 7d", true),
        (json!({"schedule": {"action": "backup", "cron": "@daily", "parameters": [1]}}), ".schedule.parameters", "an object", true),
        (json!({}), "", "no effect", true),
        (json!({"limit": {"count": 1, "per": "promise"}, "set": {"parameter": ".region", "value": "eu"}}), "", "several effects", true),
    ];
    let mut missed = Vec::new();
    for (rule, path, words, everywhere) in cases {
        for (promises, expected) in [(json!(["db"]), true), (json!(["d*"]), everywhere), (json!([]), everywhere), (json!(["cache"]), false)]
        {
            let told = told(&rule, &promises);
            let found = told.iter().any(|(at, message)| *at == format!(".rules[1]{path}") && message.contains(words));
            let is_for_another = promises == json!(["cache"]);
            // What is wrong with the rule itself is wrong for every promise.
            if !is_for_another && found != expected
                || (is_for_another || !expected) && told.iter().any(|(at, _)| !at.starts_with(".rules[1]"))
            {
                missed.push(format!("{rule} for {promises}: {told:#?}"));
            }
            if !is_for_another && !expected && !told.is_empty() {
                missed.push(format!("{rule} for {promises} should pass: {told:#?}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_fits_passes() {
    for rule in [
        json!({"constrain": {"parameter": ".ports[*].port", "minimum": 1024}}),
        json!({"constrain": {"parameter": ".labels[*]", "maxLength": 5}}),
        json!({"constrain": {"parameter": ".labels.team", "enum": ["a"]}}),
        json!({"constrain": {"parameter": ".open.anything", "minimum": 1}}),
        json!({"constrain": {"parameter": ".level", "enum": [1.0, 2]}}),
        json!({"set": {"parameter": ".replicas", "value": 2.0}}),
        json!({"set": {"parameter": ".backup", "value": {"enabled": true}}}),
        json!({"default": {"parameter": ".open", "value": {"x": [1]}}}),
        json!({"validate": {"expression": "parameters.zones.all(a, parameters.zones.exists(b, a == b))", "message": "Choose."}}),
        json!({"validate": {"expression": "parameters.ratio * 2.0 < 1.5 || request.requester.groups.exists(g, g == 'x')", "message": "Choose."}}),
        json!({"validate": {"expression": "parameters.name.matches('^[a-z]{1,20}(-[a-z]{1,20}){0,3}$')", "message": "Choose."}}),
        json!({"inject": {"merge": {"a": 1}, "when": "workspace.labels['tier'] == 'p' || prices.db > 1"}}),
        json!({"approve": {"expiresAfter": "72h", "required": 2}}),
        json!({"approve": {"approvers": {"groups": ["leads"]}, "required": "all", "stage": 2}}),
        json!({"budget": {"monthly": "500.00", "currency": "EUR", "per": "workspace"}}),
    ] {
        assert_eq!(told(&rule, &json!(["db"])), [], "{rule}");
    }
}

#[test]
fn a_wildcard_forgives_what_a_promise_lacks_and_nothing_else() {
    let expression = |expression: &str| json!({"validate": {"expression": expression, "message": "Choose."}});
    for fine in
        ["!has(parameters.engine) || parameters.engine.version > 3", "!has(parameters.backup.keep) || parameters.backup.keep == 'x'"]
    {
        assert_eq!(told(&expression(fine), &json!(["*"])), [], "{fine}");
        assert_eq!(told(&expression(fine), &json!(["db"])).len(), 1, "{fine}");
    }
    let mixed = "!has(parameters.engine) || parameters.replicas == 'x'";
    assert!(told(&expression(mixed), &json!(["*"]))[0].1.contains("types in the expression"), "the rest is judged all the same");
    let bare = PromiseSpec::default();
    let any = spec(&expression("!has(parameters.tier) || parameters.tier == 'x'"), &json!([]));
    assert_eq!(check_against(&any, "bare", &bare), [], "a promise without parameters");
}

#[test]
fn rules_are_told_apart_by_their_names() {
    use super::kinds::policy;
    use super::world::settled;
    use crate::api::Enforcement::Block;
    let asks = |name: &str, expression: &str| json!({"name": name, "validate": {"expression": expression, "message": "Choose."}});
    for rules in [
        json!([asks("r", "parameters.replicas > 0"), asks("r", "parameters.replicas > 5")]),
        json!([asks("r", "parameters.replicas > 0"), asks("", "parameters.replicas > 0")]),
    ] {
        let spec: PolicySpec = serde_json::from_value(json!({"rules": rules})).unwrap();
        assert_eq!(validity(&spec, true)[0].path, ".rules[1].name");
        assert!(!settled(&[policy("p", 1, Block, rules)], &json!({})).resolved.is_accepted(), "neither is let pass for the other");
    }
    let many: Vec<Value> = (0..201).map(|at| asks(&format!("r{at}"), "true")).collect();
    let spec: PolicySpec = serde_json::from_value(json!({"rules": many})).unwrap();
    assert_eq!(validity(&spec, true)[0].path, ".rules");
    assert!(!settled(&[policy("p", 1, Block, json!(many))], &json!({})).resolved.is_accepted());
}

#[test]
fn who_is_below_a_policy_does_not_blemish_it() {
    use crate::policy::has_to_fit;
    assert!(has_to_fit("root:acme", ("root:platform", true)), "a trusted home may offer anywhere");
    assert!(has_to_fit("root:acme:shop", ("root:acme", false)) && has_to_fit("root:acme", ("root:acme", false)));
    assert!(!has_to_fit("root:acme", ("root:acme:shop", false)) && !has_to_fit("root:acme", ("root:globex", false)));
    assert!(!has_to_fit("root:acmes", ("root:acme", false)));
}

#[test]
fn whatever_is_wrong_refuses_requests_too() {
    use super::kinds::policy;
    use super::world::settled;
    use crate::api::Enforcement::Warn;
    for rule in [
        json!({"constrain": {"parameter": ".region", "maximum": 1}}),
        json!({"constrain": {"parameter": ".name", "pattern": "("}}),
        json!({"set": {"parameter": ".replicas", "value": "two"}}),
        json!({"default": {"parameter": ".region", "value": "mars"}}),
        json!({"validate": {"expression": nested(LOOP, 6), "message": "Choose."}}),
        json!({"limit": {"count": 1, "per": "team"}}),
        json!({"budget": {"monthly": "much", "currency": "EUR", "per": "subtree"}}),
        json!({"schedule": {"action": "backup", "cron": "* * * * *"}}),
        json!({}),
    ] {
        let mut named = rule.clone();
        named["name"] = json!("r");
        let settled = settled(&[policy("p", 1, Warn, json!([named]))], &json!({"region": "eu"}));
        assert!(!settled.resolved.is_accepted(), "{rule}");
        let message = settled.resolved.refusals[0].problem().message;
        assert!(message.contains("The policy p at root:level1 (team p)") && message.contains("rule r"), "{message}");
    }
}

#[test]
fn a_schedule_has_to_fit_the_schema_of_its_action() {
    let note = json!({"type": "object", "properties": {"note": {"type": "string", "maxLength": 10}}});
    let run = json!({"type": "object", "required": ["backup"], "properties": {"backup": {"type": "string"}, "keep": {"type": "integer"}}});
    let action = |parameters: &Value| ActionSpec { parameters: Some(parameters.clone()), ..ActionSpec::default() };
    let actions = [("backup", action(&note)), ("restore", action(&run)), ("restart", ActionSpec::default())];
    let promise = PromiseSpec { actions: actions.map(|(name, action)| (name.to_owned(), action)).into(), ..promise().0.clone() };
    let found = |action: &str, parameters: Value, promises: &Value| -> Vec<(String, String)> {
        let mut rule = json!({"schedule": {"action": action, "cron": "@daily"}});
        if !parameters.is_null() {
            rule["schedule"]["parameters"] = parameters;
        }
        let problems = check_against(&spec(&rule, promises), "db", &promise);
        problems.into_iter().map(|problem| (problem.path, problem.message)).collect()
    };
    let cases = [
        ("backup", Value::Null, None),
        ("backup", json!({"note": "nightly"}), None),
        ("restore", json!({"backup": "b", "keep": 3.0}), None),
        ("restart", Value::Null, None),
        ("backup", json!({"note": "much too long"}), Some("10")),
        ("backup", json!({"nots": "nightly"}), Some("there is no parameter .nots")),
        ("restore", Value::Null, Some("backup")),
        ("restart", json!({"force": true}), Some("there is no parameter .force")),
    ];
    for (action, parameters, words) in cases {
        // A policy for many promises can lack the action, but not run it with values that it refuses.
        for promises in [json!(["db"]), json!(["d*"]), json!([])] {
            let problems = found(action, parameters.clone(), &promises);
            match (problems.as_slice(), words) {
                ([], None) => {}
                ([(path, message)], Some(words)) => {
                    assert_eq!(path, ".rules[1].schedule.parameters");
                    assert!(message.contains(words) && message.contains(&format!("the action {action} accepts")), "{message}");
                }
                _ => panic!("{action} {parameters}: {problems:?}"),
            }
        }
    }
    assert_eq!(found("rotate", Value::Null, &json!(["db"]))[0].0, ".rules[1].schedule.action");
    assert_eq!(found("rotate", json!({"x": 1}), &json!([])), []);
}
