//! Requests for the attribution tests, and all variations of their inputs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use testdata::samples;

use crate::api::{PolicySpec, PromiseSpec, Requester, Rule};
use crate::attribute::{AttributedObject, Origins, objects};
use crate::context::{Context, PromiseContext, RequestContext, WorkspaceContext};
use crate::path::Path;
use crate::policy::{Candidate, Settled, Target, gather, settle};
use crate::render::{Compiled, Inputs};
use crate::shape::node_at;

/// A promise and a request for it.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub spec: PromiseSpec,
    pub policies: Vec<Candidate>,
    pub context: Context,
    pub typed: Value,
    /// Observed objects that others wait for.
    pub observed: BTreeMap<String, Value>,
}

impl Case {
    pub fn settled(&self) -> Settled {
        let lineage = ["root", "acme", "shop"].map(str::to_owned);
        let target = Target {
            promise: &self.name,
            spec: &self.spec,
            home: "root:platform",
            home_cluster: "platform",
            home_trusted: true,
            workspace: "root:acme:shop",
            labels: &BTreeMap::new(),
            lineage: &lineage,
        };
        settle(&target, &gather(&self.policies, &target), &self.typed, None, &self.context)
    }

    pub fn compiled(&self) -> Compiled {
        Compiled::compile(&self.spec).unwrap()
    }

    pub fn attributed(&self) -> Vec<AttributedObject> {
        let Settled { effective, resolved } = self.settled();
        assert!(resolved.is_accepted(), "{}: {:?}", self.name, resolved.all_problems());
        let origins = Origins::of(&self.typed, &resolved.parameters, &effective);
        objects(&self.compiled(), &resolved.parameters, &self.context, &effective.injects, &origins, Some("u-1"))
    }

    /// Renders the objects with the ordinary renderer, by id. Returns nothing if that fails.
    pub fn objects(&self, compiled: &Compiled) -> Option<BTreeMap<String, Value>> {
        let Settled { effective, resolved } = self.settled();
        let (context, observed, injects) = (&self.context, &self.observed, &effective.injects);
        let rendering = compiled.render(&Inputs { parameters: &resolved.parameters, context, observed, injects }).ok()?;
        Some(rendering.objects.into_iter().map(|rendered| (rendered.id, rendered.object)).collect())
    }

    /// Provides everything that waits for another object with that object and every field that templates read.
    fn observe(&mut self) {
        let Settled { effective, resolved } = self.settled();
        let compiled = self.compiled();
        let templates = serde_json::to_string(&self.spec.implementation).unwrap();
        let read = regex::Regex::new(r"resources\.(\w+)\.([\w.]+)").unwrap();
        for _ in 0..10 {
            let (context, observed, injects) = (&self.context, &self.observed, &effective.injects);
            let rendering = compiled.render(&Inputs { parameters: &resolved.parameters, context, observed, injects }).unwrap();
            if rendering.pending.is_empty() {
                return;
            }
            for rendered in rendering.objects {
                self.observed.entry(rendered.id).or_insert(rendered.object);
            }
            for found in read.captures_iter(&templates) {
                let field = Path::parse(&found[2]).unwrap();
                if let Some(object) = self.observed.get_mut(&found[1])
                    && field.get(object).is_none()
                {
                    assert!(field.put(object, json!("seen")), "{field}");
                }
            }
        }
        panic!("{}: something waits for ever", self.name);
    }

    /// Returns the case with another value in a rule that sets one.
    pub fn with_another_value(&self, policy: &str, rule: &str) -> Option<Self> {
        let mut other = self.clone();
        let candidate = other.policies.iter_mut().find(|candidate| candidate.policy == policy)?;
        let rule = candidate.spec.rules.iter_mut().find(|known| known.name == rule)?;
        let given = rule.set.as_mut().or(rule.default.as_mut())?;
        given.value = otherwise(&given.value);
        Some(other)
    }

    /// Returns the case with another value entered at the path, or none. Returns nothing if that makes no difference.
    fn typed_so(&self, path: &Path, value: Option<Value>) -> Option<(Input, Self)> {
        let mut other = self.clone();
        let is_other = match value {
            Some(value) => path.put(&mut other.typed, value),
            None => path.remove(&mut other.typed).is_some(),
        };
        is_other.then(|| (Input::Parameter(path.clone()), other))
    }

    /// Returns the texts that conditions of rules compare with. Not every promise allows them, but entering one triggers the rule.
    fn asked(&self) -> BTreeSet<String> {
        let rules = self.policies.iter().flat_map(|candidate| &candidate.spec.rules);
        rules.filter_map(Rule::when).flat_map(|when| when.split('\'').skip(1).step_by(2)).map(str::to_owned).collect()
    }

    /// Returns all variations, one input each.
    pub fn variations(&self) -> Vec<(Input, Self)> {
        let Settled { effective, resolved } = self.settled();
        let asked = self.asked();
        let mut found = Vec::new();
        for (path, present) in nodes(&resolved.parameters).into_iter().filter(|(_, value)| is_leaf(value)) {
            let others = others(&effective.schema, &path, present, &asked);
            found.extend(others.into_iter().filter_map(|value| self.typed_so(&path, Some(value))));
        }
        found.extend(nodes(&self.typed).into_iter().filter_map(|(path, _)| self.typed_so(&path, None)));
        let absent = absent(&effective.schema, &Path::default(), &resolved.parameters);
        found.extend(absent.into_iter().filter_map(|(path, value)| self.typed_so(&path, Some(value))));
        for (at, candidate) in self.policies.iter().enumerate() {
            for (index, rule) in candidate.spec.rules.iter().enumerate() {
                let input = Input::Rule { policy: candidate.policy.clone(), rule: rule.name.clone() };
                let mut gone = self.clone();
                gone.policies[at].spec.rules.remove(index);
                found.push((input.clone(), gone));
                found.extend(self.with_another_value(&candidate.policy, &rule.name).map(|other| (input, other)));
            }
        }
        let mut renamed = self.clone();
        renamed.context.request.name = "another".into();
        found.push((Input::Name, renamed));
        let mut elsewhere = self.clone();
        elsewhere.context.workspace =
            WorkspaceContext { path: "root:acme:other".into(), name: "other".into(), labels: [("a".to_owned(), "b".to_owned())].into() };
        elsewhere.context.request.workspace = "root:acme:other".into();
        elsewhere.context.request.requester = Requester { username: "somebody".into(), groups: vec!["others".into()], cluster: None };
        elsewhere.context.prices = json!({"database": {"small": 1}});
        found.push((Input::Platform, elsewhere));
        for id in self.observed.keys() {
            let mut seen = self.clone();
            seen.observed.insert(id.clone(), otherwise(&self.observed[id]));
            found.push((Input::Observed(id.clone()), seen));
        }
        found
    }
}

/// An input that can vary.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A parameter: entered, changed or omitted.
    Parameter(Path),
    /// A rule of a policy: removed, or with another value.
    Rule { policy: String, rule: String },
    /// The name of the request.
    Name,
    /// The workspace, the user's account and the prices.
    Platform,
    /// The observed state of another object.
    Observed(String),
}

/// Returns every part of a value with its path, without the value itself.
pub fn nodes(value: &Value) -> Vec<(Path, &Value)> {
    fn walk<'v>(path: &Path, value: &'v Value, found: &mut Vec<(Path, &'v Value)>) {
        let inner: Vec<(Path, &'v Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(name, field)| (path.child(name), field)).collect(),
            Value::Array(items) => items.iter().enumerate().map(|(at, item)| (path.item(at), item)).collect(),
            _ => Vec::new(),
        };
        for (path, value) in inner {
            walk(&path, value, found);
            found.push((path, value));
        }
    }
    let mut found = Vec::new();
    walk(&Path::default(), value, &mut found);
    found
}

/// Whether a part has no parts itself.
pub fn is_leaf(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    }
}

/// Returns other values for a parameter, including values that the promise doesn't allow.
fn others(schema: &Value, path: &Path, present: &Value, asked: &BTreeSet<String>) -> Vec<Value> {
    let node = node_at(schema, path).cloned().unwrap_or_default();
    let mut all = node["enum"].as_array().cloned().unwrap_or_default();
    if all.is_empty() {
        all.push(otherwise(present));
        all.extend(present.as_i64().map(|number| json!(number - 1)));
    }
    if present.is_string() {
        all.extend(asked.iter().map(|text| json!(text)));
    }
    all.retain(|value| value != present);
    all
}

/// Returns another value of the same type.
fn otherwise(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(flag) => json!(!flag),
        Value::Number(number) => json!(number.as_i64().unwrap_or_default() + 1),
        Value::String(text) => json!(format!("{text}x")),
        Value::Array(items) => Value::Array(items.iter().map(otherwise).collect()),
        Value::Object(fields) => Value::Object(fields.iter().map(|(name, field)| (name.clone(), otherwise(field))).collect()),
    }
}

/// Returns parameters that aren't set, each with a value.
fn absent(schema: &Value, path: &Path, present: &Value) -> Vec<(Path, Value)> {
    let mut found = Vec::new();
    for (name, node) in schema["properties"].as_object().into_iter().flatten() {
        match present.get(name) {
            None => found.push((path.child(name), sample(node))),
            Some(inner) => found.extend(absent(node, &path.child(name), inner)),
        }
    }
    found
}

/// Returns a value of the type in a schema.
fn sample(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("array") => json!([sample(&schema["items"])]),
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let mut fields: Map<String, Value> = properties.map(|(name, node)| (name.clone(), sample(node))).collect();
            if schema["additionalProperties"].is_object() {
                fields.insert("x".to_owned(), sample(&schema["additionalProperties"]));
            }
            Value::Object(fields)
        }
        _ => json!("x"),
    }
}

fn policies() -> Vec<Candidate> {
    let home = |folder: &str, workspace: &str, cluster: &str, trusted: bool| {
        let of = move |(policy, spec): (String, PolicySpec)| Candidate {
            policy,
            workspace: workspace.into(),
            cluster: cluster.into(),
            trusted,
            spec,
        };
        samples::<PolicySpec>(folder).into_iter().map(of).collect::<Vec<_>>()
    };
    let mut all = home("policies/platform", "root:platform", "platform", true);
    all.extend(home("policies/acme", "root:acme", "acme", false));
    // A rule that adds to objects, regardless of the samples.
    let spec = serde_json::from_value(json!({"rules": [
        {"name": "costs", "inject": {"match": {"kinds": []},
            "merge": {"metadata": {"labels": {"example.org/tallied": "yes"}, "annotations": {"example.org/by": "policy"}}}}},
        {"name": "large", "inject": {"match": {"kinds": []}, "when": "has(parameters.size) && parameters.size == 'large'",
            "merge": {"metadata": {"labels": {"example.org/large": "yes"}}}}},
        {"name": "kept", "default": {"parameter": ".backup.retentionDays", "value": 9, "when": "parameters.tier == 'production'"}},
        {"name": "replicas", "default": {"parameter": ".replicas", "value": 2, "when": "has(parameters.size) && parameters.size == 'large'"}},
    ]}));
    all.push(Candidate {
        policy: "billing".into(),
        workspace: "root:platform".into(),
        cluster: "platform".into(),
        trusted: true,
        spec: spec.unwrap(),
    });
    all
}

/// A promise with features that the samples lack: a multi-line text, an object for each item, a conditional object, and values from the
/// platform.
fn notes() -> PromiseSpec {
    let map = |name: &str, data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data});
    let spec = json!({
        "version": "1.0.0",
        "parameters": {"type": "object", "properties": {
            "wanted": {"type": "boolean", "default": true},
            "motto": {"type": "string", "default": "Be kind."},
            "hosts": {"type": "array", "items": {"type": "string"}, "default": []}}},
        "implementation": {"resources": [
            {"id": "page", "includeWhen": "${parameters.wanted}", "template": map("${request.name}-page", json!({
                "text": "Welcome to ${request.name}\n${parameters.motto}\n", "place": "${workspace.path}"}))},
            {"id": "host", "forEach": "${parameters.hosts}", "template": map("${request.name}-${each}", json!({"host": "${each}"}))},
        ]},
    });
    serde_json::from_value(spec).unwrap()
}

fn case(name: &str, spec: &PromiseSpec, typed: Value) -> Case {
    let context = Context {
        request: RequestContext {
            name: "orders".into(),
            namespace: "default".into(),
            workspace: "root:acme:shop".into(),
            ..RequestContext::default()
        },
        promise: PromiseContext { name: name.into(), version: spec.version.clone(), workspace: "root:platform".into() },
        workspace: WorkspaceContext { path: "root:acme:shop".into(), name: "shop".into(), ..WorkspaceContext::default() },
        prices: Value::Null,
        action: None,
    };
    Case { name: name.into(), spec: spec.clone(), policies: policies(), context, typed, observed: BTreeMap::new() }
}

/// Returns every accepted example of the sample promises, and cases that the examples don't cover.
pub fn cases() -> Vec<Case> {
    let mut found = Vec::new();
    let promises = samples::<PromiseSpec>("promises");
    for (name, spec) in &promises {
        let typed = spec.examples.iter().map(|example| example.parameters.clone().unwrap_or_else(|| json!({})));
        let cases: Vec<Case> = typed.map(|typed| case(name, spec, typed)).filter(|case| case.settled().resolved.is_accepted()).collect();
        assert!(!cases.is_empty(), "{name} has an example that is accepted");
        found.extend(cases);
        if name == "postgresql" {
            // Rules set values that weren't entered.
            found.push(case(name, spec, json!({"tier": "production", "replicas": 3})));
        }
    }
    found.push(case("notes", &notes(), json!({"motto": "Be quick.", "hosts": ["a", "b"]})));
    found.iter_mut().for_each(Case::observe);
    found
}
