//! Attribution held against an independent recomputation: one input at a time is changed or taken away, everything is rendered again by the
//! ordinary renderer, and a line that changed must name that input among its origins.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use testdata::samples;

use super::{AttributedObject, LineOrigin, Origins, objects};
use crate::api::{PolicySpec, PromiseSpec};
use crate::context::{Context, PromiseContext, RequestContext, WorkspaceContext};
use crate::names;
use crate::path::Path;
use crate::policy::{Candidate, Settled, Target, gather, settle};
use crate::render::{Compiled, Inputs};

/// One promise with what is asked of it.
struct Case {
    name: String,
    spec: PromiseSpec,
    policies: Vec<Candidate>,
    context: Context,
    typed: Value,
}

impl Case {
    fn settled(&self) -> Settled {
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

    fn attributed(&self) -> Vec<AttributedObject> {
        let Settled { effective, resolved } = self.settled();
        assert!(resolved.is_accepted(), "{}: {:?}", self.name, resolved.all_problems());
        let compiled = Compiled::compile(&self.spec).unwrap();
        let origins = Origins::of(&self.typed, &resolved.parameters, &effective);
        objects(&compiled, &resolved.parameters, &self.context, &effective.injects, &origins, Some("u-1"))
    }

    /// What the ordinary renderer makes, as leaves by object and path; nothing where it cannot be rendered. Objects that wait are left out.
    fn leaves(&self) -> Option<BTreeMap<(String, String), Value>> {
        let Settled { effective, resolved } = self.settled();
        let compiled = Compiled::compile(&self.spec).unwrap();
        let nothing = BTreeMap::new();
        let inputs = Inputs { parameters: &resolved.parameters, context: &self.context, observed: &nothing, injects: &effective.injects };
        let rendering = compiled.render(&inputs).ok()?;
        let mut found = BTreeMap::new();
        for rendered in &rendering.objects {
            leaves(&rendered.object, &Path::default(), &mut |path, value| {
                found.insert((rendered.id.clone(), path.to_string()), value.clone());
            });
        }
        Some(found)
    }
}

fn leaves(value: &Value, path: &Path, visit: &mut dyn FnMut(&Path, &Value)) {
    match value {
        Value::Object(fields) if !fields.is_empty() => fields.iter().for_each(|(name, field)| leaves(field, &path.child(name), visit)),
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(index, item)| leaves(item, &path.item(index), visit));
        }
        other => visit(path, other),
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
    // One that adds to objects, whatever the samples do.
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

fn cases() -> Vec<Case> {
    let mut found = Vec::new();
    for (name, spec) in samples::<PromiseSpec>("promises") {
        let context = Context {
            request: RequestContext {
                name: "orders".into(),
                namespace: "default".into(),
                workspace: "root:acme:shop".into(),
                ..RequestContext::default()
            },
            promise: PromiseContext { name: name.clone(), version: spec.version.clone(), workspace: "root:platform".into() },
            workspace: WorkspaceContext { path: "root:acme:shop".into(), name: "shop".into(), ..WorkspaceContext::default() },
            prices: Value::Null,
        };
        for example in &spec.examples {
            let typed = example.parameters.clone().unwrap_or_else(|| json!({}));
            let case = Case { name: name.clone(), spec: spec.clone(), policies: policies(), context: context.clone(), typed };
            if case.settled().resolved.is_accepted() {
                found.push(case);
            }
        }
    }
    let promises: BTreeSet<&str> = found.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(promises.len(), samples::<PromiseSpec>("promises").len(), "each sample promise has an example that is accepted");
    found
}

/// The lines of an object put together again.
fn parsed(object: &AttributedObject) -> Value {
    let text: String = object.lines.iter().map(|line| format!("{}\n", line.text)).collect();
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", object.id))
}

/// Takes our marks away, and what became empty by it.
fn unmarked(mut object: Value) -> Value {
    for (part, marks) in [
        ("labels", [names::REQUEST_UID_LABEL, names::RESOURCE_ID_LABEL, names::REQUEST_NAME_LABEL].as_slice()),
        ("annotations", &[names::HASH_ANNOTATION]),
    ] {
        if let Some(values) = object["metadata"].get_mut(part).and_then(Value::as_object_mut) {
            marks.iter().for_each(|mark| assert!(values.remove(*mark).is_some(), "{mark}"));
            if values.is_empty() {
                object["metadata"].as_object_mut().unwrap().remove(part);
            }
        }
    }
    object
}

/// Line numbers by path of the leaf that stands there: read from indentation, independent of how they were written.
fn lines_of(object: &AttributedObject) -> BTreeMap<String, BTreeSet<LineOrigin>> {
    // A leaf is found by replacing its line with a mark and reading the whole again.
    let texts: Vec<&str> = object.lines.iter().map(|line| line.text.as_str()).collect();
    let whole = parsed(object);
    let mut found: BTreeMap<String, BTreeSet<LineOrigin>> = BTreeMap::new();
    for (at, line) in object.lines.iter().enumerate() {
        let Some((lead, _)) = line.text.split_once(": ").or_else(|| line.text.split_once("- ").filter(|_| !line.text.contains(": ")))
        else {
            continue;
        };
        let sign = if line.text.starts_with(&format!("{lead}: ")) { ": " } else { "- " };
        let mut other: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        other[at] = format!("{lead}{sign}\"\\u0001changed\"");
        let Ok(read) = serde_saphyr::from_str::<Value>(&other.join("\n")) else { continue };
        leaves(&read, &Path::default(), &mut |path, value| {
            if value == "\u{1}changed" && path.get(&whole) != Some(value) {
                found.entry(path.to_string()).or_default().extend(line.origins().cloned());
            }
        });
    }
    found
}

#[test]
fn lines_are_the_yaml_of_what_is_rendered() {
    for case in cases() {
        let Settled { effective, resolved } = case.settled();
        let compiled = Compiled::compile(&case.spec).unwrap();
        let nothing = BTreeMap::new();
        let inputs = Inputs { parameters: &resolved.parameters, context: &case.context, observed: &nothing, injects: &effective.injects };
        let rendering = compiled.render(&inputs).unwrap();
        let attributed = case.attributed();
        assert_eq!(attributed.len(), rendering.objects.len() + rendering.pending.len(), "{}", case.name);
        for object in &attributed {
            match rendering.objects.iter().find(|rendered| rendered.id == object.id) {
                Some(rendered) => {
                    assert_eq!(unmarked(parsed(object)), crate::render::masked(&rendered.object), "{} {}", case.name, object.id);
                    assert_eq!(object.waits_for, None);
                }
                None => {
                    let pending = rendering.pending.iter().find(|pending| pending.id == object.id).expect("pending");
                    assert_eq!(object.waits_for.as_ref(), Some(&pending.waits_for), "{} {}", case.name, object.id);
                    assert!(object.lines.iter().any(|line| matches!(line.origin, LineOrigin::Later { .. })));
                }
            }
        }
    }
}

/// What became other between two renderings: leaves by object and path.
fn changed(before: &BTreeMap<(String, String), Value>, after: &BTreeMap<(String, String), Value>) -> BTreeSet<(String, String)> {
    before.iter().filter(|(at, value)| after.get(*at) != Some(*value)).map(|(at, _)| at.clone()).collect()
}

struct Checked {
    lines: usize,
    attributed: Vec<AttributedObject>,
    before: BTreeMap<(String, String), Value>,
    by_path: BTreeMap<String, BTreeMap<String, BTreeSet<LineOrigin>>>,
}

impl Checked {
    fn new(case: &Case) -> Self {
        let attributed = case.attributed();
        let by_path = attributed.iter().map(|object| (object.id.clone(), lines_of(object))).collect();
        Self { lines: 0, before: case.leaves().expect("it renders"), by_path, attributed }
    }

    /// Everything that changed names the input, in its line or in why its object is there.
    fn holds(&mut self, case: &Case, after: &Case, input: &str, names_it: impl Fn(&LineOrigin) -> bool) {
        let Some(now) = after.leaves() else { return };
        for (id, path) in changed(&self.before, &now) {
            let object = self.attributed.iter().find(|object| object.id == id).expect("attributed");
            let gone = !now.keys().any(|(other, _)| *other == id);
            if gone {
                assert!(object.because.iter().any(&names_it), "{} {id}: why it is there does not name {input}", case.name);
                continue;
            }
            let Some(origins) = self.by_path[&id].get(&path) else {
                // A value of several lines, or an empty part that was filled: its line is the nearest above.
                continue;
            };
            assert!(origins.iter().any(&names_it), "{} {id}{path} changes with {input}, and names {origins:?}", case.name);
            self.lines += 1;
        }
    }
}

/// Other values that a parameter may have.
fn others(schema: &Value, path: &Path, present: &Value) -> Vec<Value> {
    let node = crate::policy::node_at(schema, path).cloned().unwrap_or_default();
    let all = match node["enum"].as_array() {
        Some(values) => values.clone(),
        None => match present {
            Value::Bool(flag) => vec![json!(!flag)],
            Value::Number(number) => number.as_i64().map(|n| vec![json!(n + 1), json!(n - 1)]).unwrap_or_default(),
            Value::String(text) => vec![json!(format!("{text}x"))],
            _ => Vec::new(),
        },
    };
    all.into_iter().filter(|value| value != present).collect()
}

#[test]
fn every_change_of_a_parameter_is_named_by_the_lines_that_it_changes() {
    let mut lines = 0;
    for case in cases() {
        let mut checked = Checked::new(&case);
        let Settled { effective, resolved } = case.settled();
        let mut parameters = Vec::new();
        leaves(&resolved.parameters, &Path::default(), &mut |path, value| parameters.push((path.clone(), value.clone())));
        for (path, present) in parameters {
            let shown = format!(".parameters{path}");
            // What was typed is taken away, or typed otherwise; what was not typed is typed. A fixed one does not care.
            let mut variants: Vec<Value> = others(&effective.schema, &path, &present)
                .into_iter()
                .filter_map(|value| {
                    let mut typed = case.typed.clone();
                    path.put(&mut typed, value).then_some(typed)
                })
                .collect();
            if path.get(&case.typed).is_some() {
                let mut typed = case.typed.clone();
                path.remove(&mut typed);
                variants.push(typed);
            }
            for typed in variants {
                let after = Case {
                    typed,
                    spec: case.spec.clone(),
                    name: case.name.clone(),
                    policies: case.policies.clone(),
                    context: case.context.clone(),
                };
                let names_it = |origin: &LineOrigin| match origin {
                    LineOrigin::You { path } | LineOrigin::Default { path } => shown.starts_with(path.as_str()) || path.starts_with(&shown),
                    // A proposed value gives way to a typed one, and a rule that counts under a condition comes and goes with it.
                    LineOrigin::Policy { rule } => {
                        effective.defaults.iter().any(|ruling| ruling.from == *rule && path.starts_with(&ruling.path))
                    }
                    _ => false,
                };
                checked.holds(&case, &after, &shown, names_it);
            }
        }
        lines += checked.lines;
    }
    assert!(lines > 50, "only {lines} changes were seen");
}

#[test]
fn every_rule_is_named_by_the_lines_that_it_changes() {
    let mut lines = 0;
    for case in cases() {
        let mut checked = Checked::new(&case);
        for (at, candidate) in case.policies.iter().enumerate() {
            for rule in 0..candidate.spec.rules.len() {
                let mut policies = case.policies.clone();
                let gone = policies[at].spec.rules.remove(rule);
                let after = Case {
                    policies,
                    spec: case.spec.clone(),
                    name: case.name.clone(),
                    typed: case.typed.clone(),
                    context: case.context.clone(),
                };
                let names_it = |origin: &LineOrigin| matches!(origin, LineOrigin::Policy { rule } if rule.policy == candidate.policy && rule.rule == gone.name);
                checked.holds(&case, &after, &gone.name, names_it);
            }
        }
        lines += checked.lines;
    }
    assert!(lines > 10, "only {lines} changes were seen");
}

#[test]
fn what_the_promise_alone_says_changes_with_nothing_else() {
    for case in cases() {
        let checked = Checked::new(&case);
        // Another name, other values of everything, no policies: what is left as it was has to be the promise's.
        let mut after = Case {
            policies: Vec::new(),
            spec: case.spec.clone(),
            name: case.name.clone(),
            typed: case.typed.clone(),
            context: case.context.clone(),
        };
        after.context.request.name = "another".into();
        let Some(now) = after.leaves() else { continue };
        for (id, path) in changed(&checked.before, &now) {
            let origins = checked.by_path.get(&id).and_then(|paths| paths.get(&path));
            let promise_alone = origins.is_some_and(|origins| origins.iter().all(|origin| *origin == LineOrigin::Promise));
            assert!(!promise_alone, "{} {id}{path} is not the promise's alone", case.name);
        }
    }
}

#[test]
fn secrets_never_appear() {
    let (name, spec) = samples::<PromiseSpec>("promises").into_iter().find(|(name, _)| name == "postgresql").unwrap();
    let mut case = cases().into_iter().find(|case| case.name == name).unwrap();
    case.spec = spec;
    case.typed["adminPassword"] = json!({"name": "orders-inputs", "key": "adminPassword"});
    let objects = case.attributed();
    let secret = objects.iter().find(|object| object.title.starts_with("Secret ")).expect("a Secret");
    assert!(secret.because.contains(&LineOrigin::You { path: ".parameters.adminPassword.name".into() }), "{:?}", secret.because);
    let text: String = secret.lines.iter().map(|line| line.text.as_str()).collect();
    assert!(!text.contains("orders-inputs") && text.contains("********"), "{text}");
}
