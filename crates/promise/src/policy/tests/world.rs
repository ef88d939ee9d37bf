//! A promise with every type of parameter, and random policies for it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

use crate::api::{Enforcement, Owner, PolicySpec, PromiseSpec, Rule};
use crate::context::{Context, WorkspaceContext};
use crate::policy::{Effective, Origin, PolicySource, Reading, Settled, Target, compose_read, settle_read};
use crate::resolve::PromiseReading;

/// Schema of the promise's parameters.
pub fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["tier"],
        "properties": {
            "tier": {"type": "string", "enum": ["development", "test", "production"], "default": "development"},
            "replicas": {"type": "integer", "minimum": 1, "maximum": 7, "default": 1},
            "ratio": {"type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1},
            "step": {"type": "integer", "multipleOf": 5},
            "level": {"type": "number", "enum": [1, 1.5, 2]},
            "region": {"type": "string", "enum": ["eu", "us", "asia"]},
            "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8},
            "nick": {"type": "string", "nullable": true},
            "backup": {"type": "object", "default": {}, "properties": {
                "enabled": {"type": "boolean", "default": false},
                "days": {"type": "integer", "minimum": 1, "maximum": 90}}},
            "ports": {"type": "array", "maxItems": 4, "items": {"type": "object", "required": ["port"], "properties": {
                "port": {"type": "integer", "minimum": 1, "maximum": 65535}, "name": {"type": "string"}}}},
            "zones": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
            "labels": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 12}},
            "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}
        }
    })
}

/// The promise, and its parsed contents.
pub fn promise() -> &'static (PromiseSpec, PromiseReading) {
    static PROMISE: OnceLock<(PromiseSpec, PromiseReading)> = OnceLock::new();
    PROMISE.get_or_init(|| {
        let spec = PromiseSpec { parameters: Some(schema().into()), ..PromiseSpec::default() };
        let reading = PromiseReading::of(&spec, true);
        (spec, reading)
    })
}

/// Three levels below the root.
pub fn target<'a>(spec: &'a PromiseSpec, labels: &'a BTreeMap<String, String>, lineage: &'a [String]) -> Target<'a> {
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

pub fn context() -> Context {
    Context { workspace: WorkspaceContext { path: "root:acme:shop".into(), ..WorkspaceContext::default() }, ..Context::default() }
}

/// Settles a request for the promise.
pub fn settled(sources: &[PolicySource], parameters: &Value) -> Settled {
    settled_for(sources, parameters, &context())
}

/// Settles a request in another context.
pub fn settled_for(sources: &[PolicySource], parameters: &Value, context: &Context) -> Settled {
    let (spec, reading) = promise();
    let (labels, lineage) = (BTreeMap::new(), ["r".to_owned(), "acme".to_owned(), "shop".to_owned()]);
    settle_read(&target(spec, &labels, &lineage), sources, reading, parameters, None, context)
}

/// Composes for the promise, or for one with another schema.
pub fn composed(sources: &[PolicySource], schema: Option<&Value>) -> Effective {
    let labels = BTreeMap::new();
    match schema {
        None => compose_read(&target(&promise().0, &labels, &[]), sources, &promise().1),
        Some(schema) => {
            let spec = PromiseSpec { parameters: Some(schema.clone().into()), ..PromiseSpec::default() };
            compose_read(&target(&spec, &labels, &[]), sources, &PromiseReading::of(&spec, true))
        }
    }
}

/// A condition as written in policies, and its expected value. Nothing if it fails.
#[derive(Clone, Copy)]
pub struct Condition(pub &'static str, pub fn(&Value) -> Option<bool>);

impl std::fmt::Debug for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// Conditions of all kinds.
pub const CONDITIONS: [Condition; 10] = [
    Condition("parameters.tier == 'production'", |p| Some(p["tier"] == "production")),
    Condition("${parameters.tier != 'production'}", |p| Some(p["tier"] != "production")),
    Condition("parameters.replicas >= 3", |p| Some(p["replicas"].as_i64()? >= 3)),
    Condition("parameters.replicas < 3", |p| Some(p["replicas"].as_i64()? < 3)),
    Condition("parameters.backup.enabled", |p| p["backup"]["enabled"].as_bool()),
    Condition("has(parameters.ratio) && parameters.ratio > 0.5", |p| Some(p["ratio"].as_f64().is_some_and(|ratio| ratio > 0.5))),
    Condition("has(parameters.ports) && parameters.ports.exists(p, p.port < 1024)", |p| {
        Some(p["ports"].as_array().is_some_and(|ports| ports.iter().any(|port| port["port"].as_i64().is_some_and(|port| port < 1024))))
    }),
    Condition("has(parameters.region) && parameters.region in ['eu', 'us']", |p| Some(p["region"] == "eu" || p["region"] == "us")),
    Condition("workspace.path.startsWith('root:acme')", |_| Some(true)),
    Condition("parameters.name == 'x'", |p| Some(p.get("name")? == "x")),
];

/// Expressions of `validate` rules.
const VALIDATIONS: [&str; 5] = [
    "parameters.replicas % 2 == 1",
    "!has(parameters.region) || parameters.region != 'asia'",
    "parameters.tier != 'production' || parameters.backup.enabled",
    "!has(parameters.labels) || parameters.labels.all(key, key != 'secret')",
    "parameters.name.size() > 2",
];

/// A random rule.
#[derive(Clone, Debug)]
pub struct AnyRule {
    pub rule: Value,
    pub condition: Option<Condition>,
    pub trusted: bool,
    pub enforcement: Enforcement,
    /// Number of levels above the request at which it is set.
    pub distance: u32,
}

impl AnyRule {
    /// Returns the kind of the rule.
    pub fn kind(&self) -> &str {
        self.rule.as_object().unwrap().keys().next().unwrap()
    }

    /// Returns the body of the rule.
    pub fn body(&self) -> &Value {
        &self.rule[self.kind()]
    }

    /// Returns the rule as a policy of its own.
    pub fn source(&self, name: &str) -> PolicySource {
        let mut rule = self.rule.clone();
        if let Some(Condition(text, _)) = self.condition {
            rule[self.kind()]["when"] = json!(text);
        }
        rule["name"] = json!("r");
        let spec = PolicySpec {
            rules: vec![serde_json::from_value::<Rule>(rule).unwrap()],
            enforcement: self.enforcement,
            owner: Some(Owner { team: Some("security".into()), contact: None }),
            ..PolicySpec::default()
        };
        let (workspace, cluster) = (format!("root:level{}", self.distance), format!("id{}", self.distance));
        PolicySource::new(
            name,
            &workspace,
            &cluster,
            Origin::Ancestor { distance: self.distance },
            Arc::new(Reading::of(spec, self.trusted)),
        )
    }
}

/// Returns each rule as a policy, named by its position.
pub fn sources(rules: &[AnyRule]) -> Vec<PolicySource> {
    rules.iter().enumerate().map(|(at, rule)| rule.source(&format!("p{at}"))).collect()
}

fn rule(kind: &'static str, body: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<AnyRule> {
    let conditional = matches!(kind, "constrain" | "set" | "default" | "inject" | "approve");
    let enforcement = prop_oneof![4 => Just(Enforcement::Block), 1 => Just(Enforcement::Warn), 1 => Just(Enforcement::Audit)];
    (body, option::weighted(0.3, select(&CONDITIONS[..])), prop::bool::weighted(0.9), enforcement, 0u32..4)
        .prop_map(move |(body, condition, trusted, enforcement, distance)| AnyRule {
            rule: json!({kind: body}),
            condition: condition.filter(|_| conditional),
            trusted,
            enforcement,
            distance,
        })
        .boxed()
}

fn at(path: &'static str, bounds: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    bounds
        .prop_map(move |mut bounds| {
            bounds["parameter"] = json!(path);
            bounds
        })
        .boxed()
}

fn range(low: &'static str, high: &'static str, number: impl Strategy<Value = Value> + Clone + 'static) -> BoxedStrategy<Value> {
    (option::of(number.clone()), number, any::<bool>())
        .prop_map(move |(first, second, turned)| {
            let mut bounds = Map::new();
            let (one, other) = if turned { (high, low) } else { (low, high) };
            bounds.insert(other.to_owned(), second);
            bounds.extend(first.map(|first| (one.to_owned(), first)));
            Value::Object(bounds)
        })
        .boxed()
}

fn numbers(least: i32, most: i32) -> impl Strategy<Value = Value> + Clone {
    // Halves, so that integer parameters meet bounds between their values.
    (least * 2..=most * 2).prop_map(|halves| if halves % 2 == 0 { json!(halves / 2) } else { json!(f64::from(halves) / 2.0) })
}

fn listed(values: Vec<Value>) -> impl Strategy<Value = Value> {
    let all = values.len();
    subsequence(values, 1..=all).prop_map(|left| json!({"enum": left}))
}

fn texts() -> impl Strategy<Value = Value> + Clone {
    let pattern = select(vec!["^[a-m]+$", "^x", "a", "^.{2,4}$"]).prop_map(|pattern| json!({"pattern": pattern}));
    prop_oneof![range("minLength", "maxLength", (0u64..10).prop_map(|length| json!(length))), pattern]
}

/// A rule that constrains.
pub fn constrain() -> impl Strategy<Value = AnyRule> {
    let items = || range("minItems", "maxItems", (0u64..6).prop_map(|items| json!(items)));
    let word = || vec![json!("a"), json!("b"), json!("xa"), json!("team")];
    let bodies = prop_oneof![
        at(".replicas", range("minimum", "maximum", numbers(0, 8))),
        at(".ratio", range("minimum", "maximum", numbers(0, 2))),
        at(".step", range("minimum", "maximum", numbers(0, 20))),
        at(".level", range("minimum", "maximum", numbers(0, 3))),
        at(".backup.days", range("minimum", "maximum", numbers(0, 30))),
        at(".ports[*].port", range("minimum", "maximum", select(vec![json!(1), json!(80), json!(1024), json!(9000.5)]))),
        at(".replicas", listed(vec![json!(1), json!(2.0), json!(3), json!(9)])),
        at(".level", listed(vec![json!(1.0), json!(1.5), json!(2), json!(3)])),
        at(".tier", listed(vec![json!("development"), json!("test"), json!("production"), json!("other")])),
        at(".region", listed(vec![json!("eu"), json!("us"), json!("mars")])),
        at(".backup.enabled", listed(vec![json!(true), json!(false)])),
        at(".zones[*]", listed(word())),
        at(".name", texts()),
        at(".name", listed(word())),
        at(".nick", texts()),
        at(".nick", listed(word())),
        at(".labels[*]", texts()),
        at(".ports[*].name", texts()),
        at(".labels.team", texts()),
        at(".zones", items()),
        at(".ports", items()),
        at(".open.x", range("minimum", "maximum", numbers(0, 8))),
        at(".nosuch", range("minimum", "maximum", numbers(0, 8))),
    ];
    rule("constrain", bodies)
}

fn given() -> impl Strategy<Value = Value> {
    let to = |path: &'static str, values: Vec<Value>| select(values).prop_map(move |value| json!({"parameter": path, "value": value}));
    prop_oneof![
        to(".replicas", vec![json!(1), json!(2), json!(3.0), json!(5), json!(9)]),
        to(".tier", vec![json!("development"), json!("production")]),
        to(".region", vec![json!("eu"), json!("us")]),
        to(".ratio", vec![json!(0.5), json!(1)]),
        to(".name", vec![json!("x"), json!("abc")]),
        to(".backup.enabled", vec![json!(true), json!(false)]),
        to(".backup.days", vec![json!(7), json!(30)]),
        to(".backup", vec![json!({"enabled": true}), json!({"days": 7})]),
        to(".zones", vec![json!(["a"]), json!(["a", "b"])]),
        to(".labels.team", vec![json!("a"), json!("xa")]),
        to(".open.x", vec![json!(1), json!({"y": true})]),
        to(".nosuch", vec![json!(1)]),
    ]
}

/// A rule that sets a value.
pub fn giving() -> impl Strategy<Value = AnyRule> {
    prop_oneof![rule("set", given()), rule("default", given())]
}

/// A rule that can only refuse.
pub fn restricting() -> impl Strategy<Value = AnyRule> {
    let merge =
        select(vec![json!({"spec": {"user": 1}}), json!({"spec": {"user": 2}}), json!({"spec": {"group": 1}}), json!({"spec": null})]);
    let kinds = select(vec![json!([]), json!(["Deployment"]), json!(["Job", "Deployment"])]);
    let inject = (merge, kinds).prop_map(|(merge, kinds)| json!({"match": {"kinds": kinds}, "merge": merge}));
    let validate = select(&VALIDATIONS[..]).prop_map(|text| json!({"expression": text, "message": "Choose something else."}));
    let limit = (0u64..4, select(vec!["workspace", "subtree", "promise"])).prop_map(|(count, per)| json!({"count": count, "per": per}));
    let budget = (0u32..500).prop_map(|units| json!({"monthly": format!("{units}.50"), "currency": "EUR", "per": "subtree"}));
    prop_oneof![
        6 => constrain(),
        1 => rule("validate", validate),
        1 => rule("inject", inject),
        1 => rule("limit", limit),
        1 => rule("budget", budget),
        1 => rule("approve", Just(json!({"approvers": {"groups": ["leads"]}}))),
    ]
}

/// Any rule.
pub fn any_rule() -> impl Strategy<Value = AnyRule> {
    prop_oneof![2 => restricting(), 1 => giving()]
}

/// A few rules, each a policy of its own.
pub fn any_rules(most: usize) -> impl Strategy<Value = Vec<AnyRule>> {
    vec(any_rule(), 0..most)
}

/// Parameters of a request: mostly valid, sometimes not.
pub fn parameters() -> impl Strategy<Value = Value> {
    let field = |name: &'static str, chance: f64, values: Vec<Value>| {
        option::weighted(chance, select(values)).prop_map(move |value| (name.to_owned(), value)).boxed()
    };
    let port = |port: i64, name: &str| json!({"port": port, "name": name});
    let fields = vec![
        field("tier", 0.7, vec![json!("development"), json!("test"), json!("production"), json!("production"), json!("other")]),
        field("replicas", 0.7, vec![json!(1), json!(2), json!(3), json!(4.0), json!(5), json!(7), json!(9), json!(null)]),
        field("ratio", 0.4, vec![json!(0.25), json!(0.5), json!(1), json!(0.75), json!(0)]),
        field("step", 0.3, vec![json!(5), json!(10), json!(0), json!(7)]),
        field("level", 0.3, vec![json!(1), json!(1.5), json!(2.0), json!(3)]),
        field("region", 0.5, vec![json!("eu"), json!("us"), json!("asia"), json!("mars")]),
        field("name", 0.5, vec![json!("x"), json!("abc"), json!("xa"), json!("team"), json!("A")]),
        field("nick", 0.4, vec![json!("a"), json!("xa"), json!("abcde"), json!(null), json!("")]),
        field(
            "backup",
            0.5,
            vec![json!({}), json!({"enabled": true}), json!({"enabled": false, "days": 3}), json!({"days": 14}), json!({"days": 0})],
        ),
        field(
            "ports",
            0.4,
            vec![json!([]), json!([port(80, "a")]), json!([port(8080, "xa"), port(9001, "abc")]), json!([{"port": 1024}]), json!([{}])],
        ),
        field("zones", 0.4, vec![json!([]), json!(["a"]), json!(["a", "b"]), json!(["xa", "a", "team"]), json!(["q"])]),
        field("labels", 0.4, vec![json!({}), json!({"team": "xa"}), json!({"team": "abcdefghijkl", "b": "a"}), json!({"secret": "x"})]),
        field("open", 0.3, vec![json!({}), json!({"x": 3}), json!({"x": 9, "y": []})]),
    ];
    fields.prop_map(|fields| Value::Object(fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()))
}
