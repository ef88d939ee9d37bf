//! Every kind of rule with every enforcement: input, result and message.

use serde_json::{Value, json};

use super::world::{promise, settled, target};
use crate::api::{Enforcement, Owner, PolicyResult, PolicySpec};
use crate::policy::{Origin, PolicySource, Reading, Settled, Spent, Usage, judge};
use crate::price::{Amount, Estimate, Money};

/// A policy with these rules.
pub fn policy(name: &str, distance: u32, enforcement: Enforcement, rules: Value) -> PolicySource {
    let spec = PolicySpec {
        rules: serde_json::from_value(rules).unwrap(),
        enforcement,
        owner: Some(Owner { team: Some(format!("team {name}")), contact: None }),
        ..PolicySpec::default()
    };
    let (workspace, cluster) = (format!("root:level{distance}"), format!("id{distance}"));
    PolicySource::new(name, &workspace, &cluster, Origin::Ancestor { distance }, Reading::of(spec, true).into())
}

fn one(enforcement: Enforcement, rule: &Value) -> PolicySource {
    let mut rule = rule.clone();
    rule["name"] = json!("r");
    policy("p", 1, enforcement, json!([rule]))
}

const ENFORCEMENTS: [Enforcement; 3] = [Enforcement::Block, Enforcement::Warn, Enforcement::Audit];

/// The verdict and the rule's result.
fn verdict(settled: &Settled) -> (bool, PolicyResult) {
    let outcome = settled.resolved.outcomes.iter().find(|outcome| outcome.policy == "p").unwrap();
    (settled.resolved.is_accepted(), outcome.result)
}

#[test]
fn rules_about_values_refuse_or_warn_and_say_where_and_why() {
    use PolicyResult::{Constrained, Passed};
    let constrain = |body: Value| json!({"constrain": body});
    let rules = [
        // (rule, accepted values, refused values, field, sentence)
        (
            constrain(json!({"parameter": ".replicas", "minimum": 2, "maximum": 5})),
            json!({"replicas": 2}),
            json!({"replicas": 6}),
            ".parameters.replicas",
            "Replicas must be between 2 and 5. The policy p at root:level1 (team p) requires this.",
        ),
        (
            constrain(json!({"parameter": ".ratio", "minimum": 0.5})),
            json!({"ratio": 0.5}),
            json!({"ratio": 0.25}),
            ".parameters.ratio",
            "Ratio must be at least 0.5. The policy p at root:level1 (team p) requires this.",
        ),
        (
            constrain(json!({"parameter": ".region", "enum": ["eu", "us"]})),
            json!({"region": "us"}),
            json!({"region": "asia"}),
            ".parameters.region",
            "Region must be eu or us. The policy p at root:level1 (team p) requires this.",
        ),
        (
            constrain(json!({"parameter": ".level", "enum": [1.0, 2]})),
            json!({"level": 2.0}),
            json!({"level": 1.5}),
            ".parameters.level",
            "Level must be 1.0 or 2. The policy p at root:level1 (team p) requires this.",
        ),
        (
            constrain(json!({"parameter": ".name", "minLength": 3, "pattern": "^a"})),
            json!({"name": "abc"}),
            json!({"name": "xyz"}),
            ".parameters.name",
            "Name must be at least 3 characters and in the format that the platform requires. The policy p at root:level1 (team p) requires this.",
        ),
        (
            constrain(json!({"parameter": ".zones", "minItems": 2})),
            json!({"zones": ["a", "b"]}),
            json!({"zones": ["a"]}),
            ".parameters.zones",
            "Zones must be at least 2 items. The policy p at root:level1 (team p) requires this.",
        ),
        (
            constrain(json!({"parameter": ".ports[*].port", "minimum": 1024})),
            json!({"ports": [{"port": 1024}]}),
            json!({"ports": [{"port": 1024}, {"port": 80}]}),
            ".parameters.ports[1].port",
            "Port must be at least 1024. The policy p at root:level1 (team p) requires this.",
        ),
        (
            constrain(json!({"parameter": ".labels.team", "maxLength": 3})),
            json!({"labels": {"team": "abc", "other": "abcd"}}),
            json!({"labels": {"team": "abcd"}}),
            ".parameters.labels.team",
            "Team must be at most 3 characters. The policy p at root:level1 (team p) requires this.",
        ),
        (
            constrain(json!({"parameter": ".replicas", "minimum": 3, "when": "parameters.tier == 'production'"})),
            json!({"replicas": 1}),
            json!({"replicas": 1, "tier": "production"}),
            ".parameters.replicas",
            "Replicas must be at least 3. The policy p at root:level1 (team p) requires this.",
        ),
        (
            json!({"validate": {"expression": "parameters.replicas % 2 == 1", "message": "Choose an odd number", "parameter": ".replicas"}}),
            json!({"replicas": 3}),
            json!({"replicas": 2}),
            ".parameters.replicas",
            "Choose an odd number. The policy p at root:level1 (team p) requires this.",
        ),
        (
            json!({"validate": {"expression": "${parameters.replicas < 3}", "message": "Choose fewer."}}),
            json!({"replicas": 2}),
            json!({"replicas": 3}),
            ".parameters.replicas",
            "Choose fewer. The policy p at root:level1 (team p) requires this.",
        ),
    ];
    for (rule, good, bad, path, sentence) in rules {
        for enforcement in ENFORCEMENTS {
            let sources = [one(enforcement, &rule)];
            let fine = settled(&sources, &good);
            assert!(fine.resolved.is_accepted(), "{rule}: {:?}", fine.resolved.all_problems());
            assert!(fine.resolved.outcomes.iter().all(|outcome| matches!(outcome.result, Passed | Constrained)), "{rule}");
            let broken = settled(&sources, &bad);
            let expected = if enforcement == Enforcement::Block { (false, PolicyResult::Denied) } else { (true, PolicyResult::Warned) };
            assert_eq!(verdict(&broken), expected, "{rule} {enforcement:?}");
            let outcome = &broken.resolved.outcomes[0];
            assert_eq!((outcome.message.as_deref(), outcome.enforcement), (Some(sentence), enforcement));
            assert_eq!((outcome.source.as_str(), outcome.owner.as_deref()), ("root:level1", Some("team p")));
            if enforcement == Enforcement::Block {
                let refusal = &broken.resolved.refusals[0];
                let problem = refusal.problem();
                assert_eq!((problem.path.as_str(), problem.message.as_str()), (path, sentence));
                assert_eq!(broken.resolved.refusals.len(), 1);
            } else {
                assert_eq!(broken.resolved.refusals, []);
            }
        }
    }
}

#[test]
fn rules_that_give_or_add_do_so_under_every_enforcement() {
    for enforcement in ENFORCEMENTS {
        let run = |rule: Value, parameters: Value| settled(&[one(enforcement, &rule)], &parameters);
        let set = run(json!({"set": {"parameter": ".backup.enabled", "value": true}}), json!({"backup": {"enabled": false}}));
        assert_eq!((verdict(&set), &set.resolved.parameters["backup"]["enabled"]), ((true, PolicyResult::Set), &json!(true)));
        assert_eq!(set.resolved.outcomes[0].message.as_deref(), Some("Always on; off was replaced."));

        let default = json!({"default": {"parameter": ".region", "value": "us"}});
        let (quiet, loud) = (run(default.clone(), json!({})), run(default, json!({"region": "eu"})));
        assert_eq!((verdict(&quiet), &quiet.resolved.parameters["region"]), ((true, PolicyResult::Defaulted), &json!("us")));
        assert_eq!((verdict(&loud), &loud.resolved.parameters["region"]), ((true, PolicyResult::Passed), &json!("eu")));

        let inject = run(json!({"inject": {"match": {"kinds": ["Pod"]}, "merge": {"spec": {"hostNetwork": false}}}}), json!({}));
        assert_eq!((verdict(&inject), inject.effective.injects.len()), ((true, PolicyResult::Injected), 1));

        let approve = json!({"approve": {"when": "parameters.tier == 'production'", "approvers": {"groups": ["leads"]}}});
        assert_eq!(run(approve.clone(), json!({})).effective.approvals, []);
        let asked = run(approve, json!({"tier": "production"}));
        assert_eq!(asked.effective.approvals[0].effect.approvers.groups, ["leads"]);
        assert_eq!(asked.effective.sentences[0].effect, "When tier is production, one of leads must approve first.");
        assert!(asked.resolved.is_accepted(), "an approval is no refusal");
    }
}

fn estimate(monthly: Amount) -> Estimate {
    Estimate { lines: Vec::new(), monthly, basis: None }
}

fn euros(amount: &str) -> Amount {
    Amount::Known(Money::parse(amount, "EUR").unwrap())
}

#[test]
fn limits_and_budgets_refuse_or_warn_and_what_is_not_known_does_not_pass() {
    let limit = json!({"limit": {"count": 3, "per": "workspace"}});
    let budget = json!({"budget": {"monthly": "500.00", "currency": "EUR", "per": "subtree"}});
    let counts = |others: u64| Usage { counts: [("id1/p/r".to_owned(), others)].into(), ..Usage::default() };
    let spent = |units: i64, unknown: u64| Usage {
        spent: [("id1/p/r".to_owned(), Spent { micros: units * 1_000_000, unknown })].into(),
        ..Usage::default()
    };
    let dollars = || Amount::Known(Money::parse("1.00", "USD").unwrap());
    let unknown = || Amount::Unknown("There is no price.".to_owned());
    let cases = [
        // (rule, existing usage, price, message if it is refused)
        (&limit, counts(0), None, None),
        (&limit, counts(2), None, None),
        (&limit, counts(3), None, Some("allows 3 requests of this promise in this workspace, and there are 3 others. Delete one")),
        (&limit, counts(u64::MAX), None, Some("allows 3 requests")),
        (
            &limit,
            Usage { orphaned: [("id1/p/r".to_owned(), 1)].into(), ..counts(3) },
            None,
            Some("or ask the rule's owner. The count includes 1 orphaned instance, until the platform team releases it."),
        ),
        (
            &budget,
            Usage { orphaned: [("id1/p/r".to_owned(), 2)].into(), ..spent(300, 0) },
            Some(euros("300")),
            Some("The total includes 2 orphaned instances, until the platform team releases them."),
        ),
        (&limit, Usage::default(), None, Some("we can't tell how many there are now")),
        (&budget, spent(300, 0), Some(euros("200.00")), None),
        (
            &budget,
            spent(300, 0),
            Some(euros("200.000001")),
            Some("allows €500.00 a month in root:level1 and below, and this request would bring the total to €500.000001"),
        ),
        (&budget, spent(0, 0), Some(unknown()), Some("the price of this request is unknown")),
        (&budget, spent(0, 0), None, Some("the price of this request is unknown")),
        (&budget, spent(0, 0), Some(dollars()), Some("the price of this request is in USD, which can't be compared with EUR")),
        (&budget, spent(0, 1), Some(euros("1")), Some("the cost of 1 other request is unknown")),
        (&budget, spent(0, 2), Some(euros("1")), Some("the cost of 2 other requests is unknown")),
        (&budget, spent(i64::MAX / 1_000_000, 0), Some(euros("9000000000")), Some("the total is too large")),
        (&budget, Usage::default(), Some(euros("1")), Some("the cost of the other requests is unknown right now")),
    ];
    for (rule, usage, price, words) in cases {
        for enforcement in ENFORCEMENTS {
            let settled = settled(&[one(enforcement, rule)], &json!({}));
            assert!(settled.resolved.is_accepted(), "{:?}", settled.resolved.all_problems());
            let judged = judge(&settled.effective, &usage, price.clone().map(estimate).as_ref());
            let outcome = &judged.outcomes[0];
            let Some(words) = words else {
                assert_eq!((outcome.result, judged.refusals.len()), (PolicyResult::Passed, 0), "{rule} {usage:?}");
                continue;
            };
            let message = outcome.message.as_deref().unwrap();
            assert!(message.starts_with("The policy p at root:level1 (team p) allows ") && message.contains(words), "{message}");
            match enforcement {
                Enforcement::Block => {
                    assert_eq!((outcome.result, judged.refusals[0].problem().message.as_str()), (PolicyResult::Denied, message));
                }
                _ => assert_eq!((outcome.result, judged.refusals.len()), (PolicyResult::Warned, 0)),
            }
        }
    }
    let settled = settled(&[one(Enforcement::Block, &budget)], &json!({}));
    let judged = judge(&settled.effective, &spent(300, 0), Some(&estimate(euros("50.5"))));
    assert_eq!(judged.budgets[0].left.as_ref().map(ToString::to_string).as_deref(), Some("€149.50"));
}

#[test]
fn what_counts_for_a_cap_depends_on_where_it_is_set() {
    use crate::policy::{Counted, Tally};
    let way = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let tally = |rule: Value, origin: Origin, range: Value| -> Tally {
        let spec: PolicySpec = serde_json::from_value(json!({"rules": [rule], "appliesTo": range})).unwrap();
        let source = PolicySource::new("p", "root:acme", "acme", origin, Reading::of(spec, true).into());
        let (labels, lineage) = (Default::default(), way(&["r", "acme", "shop"]));
        let settled = crate::policy::settle(&target(&promise().0, &labels, &lineage), &[source], &json!({}), None, &Default::default());
        settled.effective.tallies[0].clone()
    };
    // Workspaces whose names start with an s belong to the team `web`.
    let counts = |tally: &Tally, promise: &str, home: &str, workspace: &str, lineage: &[&str]| {
        let team = if lineage.last().is_some_and(|name| name.starts_with('s')) { "web" } else { "other" };
        let labels = [("team".to_owned(), team.to_owned())].into();
        tally.includes(&Counted { promise, home, workspace, labels: &labels, lineage: &way(lineage) })
    };
    let limit = |per: &str| json!({"name": "r", "limit": {"count": 1, "per": per}});
    let here = Origin::Ancestor { distance: 1 };
    let workspace = tally(limit("workspace"), here, json!({}));
    assert!(counts(&workspace, "db", "home", "root:acme:shop", &["r", "acme", "shop"]));
    assert!(!counts(&workspace, "db", "home", "root:acme:data", &["r", "acme", "data"]));
    assert!(!counts(&workspace, "db", "elsewhere", "root:acme:shop", &["r", "acme", "shop"]), "another promise of that name");
    assert!(!counts(&workspace, "cache", "home", "root:acme:shop", &["r", "acme", "shop"]));
    let subtree = tally(limit("subtree"), here, json!({}));
    assert!(counts(&subtree, "db", "home", "root:acme:data", &["r", "acme", "data"]));
    assert!(!counts(&subtree, "db", "home", "root:globex", &["r", "globex"]));
    let promise = tally(limit("promise"), here, json!({}));
    assert!(counts(&promise, "db", "home", "root:globex", &["r", "globex"]));

    let budget = json!({"name": "r", "budget": {"monthly": "1", "currency": "EUR", "per": "subtree"}});
    let some = tally(budget.clone(), here, json!({"promises": ["d*"]}));
    assert!(counts(&some, "disk", "any", "root:acme", &["r", "acme"]) && !counts(&some, "cache", "any", "root:acme", &["r", "acme"]));
    let all = tally(budget.clone(), Origin::TrustedHome, json!({"workspaces": ["root:acme:**"]}));
    assert!(counts(&all, "cache", "any", "root:acme:data", &["r", "acme", "data"]), "its range is elsewhere than its home");
    assert!(!counts(&all, "cache", "any", "root:globex", &["r", "globex"]));
    let (web, data) = (["r", "acme", "site"], ["r", "acme", "data"]);
    for origin in [here, Origin::TrustedHome] {
        let labelled = tally(budget.clone(), origin, json!({"workspaceLabels": {"team": "web"}}));
        assert!(counts(&labelled, "db", "any", "root:acme:site", &web) && !counts(&labelled, "db", "any", "root:acme:data", &data));
    }
    let part = tally(budget.clone(), here, json!({"workspaces": ["root:acme:s*"]}));
    assert!(counts(&part, "db", "any", "root:acme:site", &web) && !counts(&part, "db", "any", "root:acme:data", &data));
    let meant = tally(budget, Origin::Reference, json!({"promises": ["cache"]}));
    assert!(counts(&meant, "db", "home", "root:x", &["r", "x"]), "a promise that names the policy is covered");
}
