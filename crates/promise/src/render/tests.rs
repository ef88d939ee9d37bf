use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Compiled, Inputs, OutputState, Rendering};
use crate::api::{Inject, InjectMatch, PromiseSpec};
use crate::context::{Context, PromiseContext, RequestContext, WorkspaceContext};
use crate::problem::Problem;

fn spec(resources: Value, outputs: Value) -> PromiseSpec {
    serde_json::from_value(json!({
        "version": "1.0.0",
        "parameters": {"type": "object", "properties": {
            "tier": {"type": "string", "default": "development"}, "replicas": {"type": "integer", "default": 1},
            "backup": {"type": "object", "properties": {"enabled": {"type": "boolean"}}}}},
        "implementation": {"resources": resources},
        "outputs": outputs,
        "cost": {"currency": "EUR", "items": [{"name": "Replicas", "monthly": "${prices.db.small * parameters.replicas}"}]},
    }))
    .unwrap()
}

fn context() -> Context {
    Context {
        request: RequestContext {
            name: "orders".into(),
            namespace: "default".into(),
            workspace: "root:acme:shop".into(),
            ..Default::default()
        },
        promise: PromiseContext { name: "postgresql".into(), version: "1.0.0".into(), workspace: "root:platform".into() },
        workspace: WorkspaceContext { path: "root:acme:shop".into(), name: "shop".into(), ..Default::default() },
        prices: json!({"db": {"small": 24_800_000}}),
        action: None,
    }
}

fn render(spec: &PromiseSpec, parameters: Value, observed: Value) -> Result<Rendering, Vec<Problem>> {
    let observed: BTreeMap<String, Value> = serde_json::from_value(observed).unwrap();
    Compiled::compile(spec)?.render(&Inputs { parameters: &parameters, context: &context(), observed: &observed, injects: &[] })
}

fn config(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

fn database() -> Value {
    json!([
        {"id": "settings", "template": config("${request.name}-settings", json!({"host": "${resources.database.status.host}"}))},
        {"id": "database", "destination": "eu", "template": {"apiVersion": "db/v1", "kind": "Db", "metadata": {"name": "${request.name}"},
            "spec": {"replicas": "${parameters.replicas}", "backup": "${has(parameters.backup) ? true : omit()}"}},
            "readyWhen": "${self.status.phase == 'Ready'}"},
        {"id": "extra", "includeWhen": "${parameters.tier == 'production'}", "template": config("extra", json!({}))},
    ])
}

#[test]
fn a_resource_may_be_named_in_brackets_or_by_another_name() {
    for host in [
        "resources['database'].status.host",
        "cel.bind(d, resources.database, d.status.host)",
        "cel.bind(d, resources['database'], d.status.host)",
    ] {
        let mut resources = database();
        resources[0]["template"]["data"]["host"] = json!(format!("${{{host}}}"));
        let spec = spec(resources, json!([]));
        let made = render(&spec, json!({"tier": "development", "replicas": 1}), json!({"database": {"status": {}}})).unwrap();
        assert_eq!(made.pending[0].waits_for, "status.host of database", "{host}");
    }
}

#[test]
fn a_resource_needs_what_it_reads() {
    let compiled = Compiled::compile(&spec(database(), json!([]))).unwrap();
    assert_eq!(compiled.needs(), BTreeMap::from([("settings".to_owned(), vec!["database".to_owned()])]));
}

#[test]
fn what_is_not_known_yet_is_pending_and_named() {
    let outputs = json!([{"name": "host", "value": "${resources.database.status.host}"}, {"name": "name", "value": "db ${request.name}"},
        {"name": "password", "secretRef": {"resource": "database", "name": "${request.name}-app", "key": "password"}}]);
    let spec = spec(database(), outputs);
    let parameters = json!({"tier": "development", "replicas": 2});
    let first = render(&spec, parameters.clone(), json!({})).unwrap();
    assert_eq!(first.objects.iter().map(|object| (object.id.as_str(), object.stage)).collect::<Vec<_>>(), [("database", 0)]);
    assert_eq!(first.objects[0].object["spec"], json!({"replicas": 2}));
    assert_eq!(first.objects[0].destination.as_deref(), Some("eu"));
    assert_eq!((first.pending[0].id.as_str(), first.pending[0].waits_for.as_str(), first.pending[0].stage), ("settings", "database", 1));
    assert_eq!(first.outputs[0].state, OutputState::Pending("database".into()));
    assert_eq!(first.outputs[1].state, OutputState::Value(json!("db orders")));
    let secret = OutputState::Secret { resource: "database".into(), name: Some("orders-app".into()), key: "password".into() };
    assert_eq!(first.outputs[2].state, secret);

    let half = render(&spec, parameters.clone(), json!({"database": {"kind": "Db", "status": {}}})).unwrap();
    assert_eq!(half.pending[0].waits_for, "status.host of database");

    let whole = render(&spec, parameters.clone(), json!({"database": {"kind": "Db", "status": {"host": "h"}}})).unwrap();
    assert_eq!(whole.objects.iter().map(|object| object.id.as_str()).collect::<Vec<_>>(), ["database", "settings"]);
    assert_eq!(whole.objects[1].object["data"]["host"], "h");
    assert_eq!(whole.outputs[0].state, OutputState::Value(json!("h")));
    assert_eq!(whole, render(&spec, parameters, json!({"database": {"kind": "Db", "status": {"host": "h"}}})).unwrap());
}

#[test]
fn lists_are_made_item_by_item_and_seen_when_complete() {
    let spec = spec(
        json!([
            {"id": "workers", "forEach": "${range(parameters.replicas)}", "template": config("${request.name}-${index}", json!({"n": "${string(each * 10)}"}))},
            {"id": "all", "template": config("all", json!({"ips": "${resources.workers.map(w, w.status.ip).join(',')}"}))},
        ]),
        json!([]),
    );
    let parameters = json!({"replicas": 2});
    let first = render(&spec, parameters.clone(), json!({"workers[0]": {"status": {"ip": "a"}}})).unwrap();
    assert_eq!(first.objects.iter().map(|object| object.id.as_str()).collect::<Vec<_>>(), ["workers[0]", "workers[1]"]);
    assert_eq!(first.objects[1].object["data"]["n"], "10");
    assert_eq!(first.pending[0].waits_for, "workers");
    let half = render(&spec, parameters.clone(), json!({"workers[0]": {"status": {"ip": "a"}}, "workers[1]": {}})).unwrap();
    assert_eq!(half.pending[0].waits_for, "status of workers[1]");
    let whole = render(&spec, parameters, json!({"workers[0]": {"status": {"ip": "a"}}, "workers[1]": {"status": {"ip": "b"}}})).unwrap();
    assert_eq!(whole.objects[2].object["data"]["ips"], "a,b");
    let problems = render(&spec, json!({"replicas": 101}), json!({})).unwrap_err();
    assert_eq!(problems[0].path, ".implementation.resources[0].forEach");
    assert!(problems[0].message.contains("at most 100"), "{}", problems[0].message);
}

#[test]
fn content_of_secrets_is_hidden() {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"password": "aHVudGVyMg=="}});
    let spec = spec(
        json!([
            {"id": "credentials", "template": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}},
            {"id": "leak", "template": config("leak", json!({"p": "${resources.credentials.data.password}"}))},
        ]),
        json!([]),
    );
    let rendering = render(&spec, json!({}), json!({"credentials": secret})).unwrap();
    assert_eq!(rendering.objects[1].object["data"]["p"], "********");
}

#[test]
fn what_parameters_leave_out_has_to_be_tested_for() {
    let resources = |value: &str| {
        json!([
            {"id": "replica", "includeWhen": "${parameters.tier == 'production'}", "template": config("r", json!({}))},
            {"id": "settings", "template": config("s", json!({"r": value}))},
        ])
    };
    let parameters = json!({"tier": "development"});
    let problems = render(&spec(resources("${resources.replica.metadata.name}"), json!([])), parameters.clone(), json!({})).unwrap_err();
    assert_eq!(problems[0].path, ".implementation.resources[1].template.data.r");
    assert!(problems[0].message.contains("has(resources.replica)"), "{}", problems[0].message);
    let tested = spec(resources("${has(resources.replica) ? 'yes' : 'no'}"), json!([]));
    assert_eq!(render(&tested, parameters, json!({})).unwrap().objects[0].object["data"]["r"], "no");
}

#[test]
fn problems_have_the_path_of_their_expression() {
    let compile = |resources: Value| Compiled::compile(&spec(resources, json!([]))).unwrap_err();
    let problems = compile(json!([
        {"id": "a", "template": config("a", json!({"x": "${1 + 'a'}", "y": "${parameters.nosuch}"}))},
        {"id": "b", "includeWhen": "parameters.tier", "readyWhen": "${1}", "template": config("b", json!({"z": "${resources.c.x}"}))},
    ]));
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            ".implementation.resources[0].template.data.x",
            ".implementation.resources[0].template.data.y",
            ".implementation.resources[1].includeWhen",
            ".implementation.resources[1].readyWhen",
            ".implementation.resources[1].template.data.z",
        ]
    );
    let cycle = compile(json!([
        {"id": "a", "template": config("a", json!({"x": "${resources.b.x}"}))},
        {"id": "b", "template": config("b", json!({"x": "${resources.a.x}"}))},
    ]));
    assert!(cycle[0].message.contains("a → b → a"), "{}", cycle[0].message);
}

/// A promise whose workflow reserves an address, with an output.
fn reserving(value: &str) -> PromiseSpec {
    let steps = json!([{"id": "reserve", "http": {
        "endpoint": "network", "method": "POST", "path": "/addresses", "outputs": {"address": "${answer.body.address}"}}}]);
    let mut spec = spec(json!([]), json!([{"name": "address", "value": value}]));
    spec.workflows = serde_json::from_value(json!({"provision": {"steps": steps}})).unwrap();
    spec
}

#[test]
fn an_output_reads_what_a_step_returned_and_waits_for_it() {
    let compiled = Compiled::compile(&reserving("${steps.reserve.address}:5432")).unwrap();
    assert_eq!(compiled.read_steps().into_iter().collect::<Vec<_>>(), ["reserve"]);
    let (parameters, context, observed) = (json!({}), context(), BTreeMap::new());
    let inputs = Inputs { parameters: &parameters, context: &context, observed: &observed, injects: &[] };
    let state = |rendering: Rendering| rendering.outputs[0].state.clone();
    let before = state(compiled.render(&inputs).unwrap());
    assert!(matches!(before, OutputState::Pending(_)), "{before:?}");
    let running = state(compiled.render_with_steps(&inputs, &json!({})).unwrap());
    assert_eq!(running, OutputState::Pending("the step reserve".to_owned()));
    let done = state(compiled.render_with_steps(&inputs, &json!({"reserve": {"address": "10.0.0.7"}})).unwrap());
    assert_eq!(done, OutputState::Value(json!("10.0.0.7:5432")));
}

#[test]
fn an_output_of_a_step_that_does_not_exist_is_a_problem_and_templates_read_no_steps() {
    for value in ["${steps.reserve.adress}", "${steps.other.address}"] {
        let problems = Compiled::compile(&reserving(value)).unwrap_err();
        assert_eq!(problems.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), [".outputs[0].value"]);
    }
    let mut spec = reserving("${steps.reserve.address}");
    spec.implementation.resources =
        serde_json::from_value(json!([{"id": "a", "template": config("a", json!({"address": "${steps.reserve.address}"}))}])).unwrap();
    let problems = Compiled::compile(&spec).unwrap_err();
    assert_eq!(problems[0].path, ".implementation.resources[0].template.data.address");
    assert!(problems[0].message.starts_with("Read outputs of steps only in later steps"), "{}", problems[0].message);
}

#[test]
fn readiness_price_and_injected_parts() {
    let compiled = Compiled::compile(&spec(database(), json!([]))).unwrap();
    let ready = |object: Value| compiled.is_ready("database", &object, &json!({}), &context());
    assert_eq!(ready(json!({"status": {"phase": "Ready"}})), Some(Ok(true)));
    assert_eq!(ready(json!({})), Some(Ok(false)));
    assert_eq!(compiled.is_ready("settings", &json!({}), &json!({}), &context()), None);
    assert_eq!(compiled.costs(&json!({"replicas": 3}), &context())[0].micros, Ok(74_400_000));
    assert!(compiled.costs(&json!({"replicas": 3}), &Context::default())[0].micros.is_err());
    let mut object = json!({"kind": "Db", "spec": {"a": 1, "l": [1]}});
    let from = crate::policy::Provenance {
        origin: crate::policy::Origin::Promise,
        workspace: String::new(),
        cluster: String::new(),
        policy: String::new(),
        rule: String::new(),
        title: None,
        owner: None,
        reason: None,
        enforcement: Default::default(),
    };
    let effect = Inject {
        r#match: InjectMatch { kinds: vec!["Db".into()] },
        merge: Some(json!({"spec": {"a": null, "b": {"c": 2}, "l": [2]}})),
        when: None,
    };
    super::inject::inject(&mut object, &[crate::policy::Ruling { from, path: Default::default(), effect }]);
    assert_eq!(object, json!({"kind": "Db", "spec": {"b": {"c": 2}, "l": [2]}}));
}
