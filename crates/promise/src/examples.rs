//! The sample promises and policies of the repository, checked against the requirements for any promise.

use std::collections::BTreeMap;

use serde_json::Value;
use testdata::samples;

use crate::api::{DestinationSpec, PolicySpec, PromiseCatalogSpec, PromiseSpec};
use crate::context::{Context, PromiseContext, RequestContext, WorkspaceContext};
use crate::form::{Draft, model, parse, tests::posted};
use crate::path::Path;
use crate::policy::{Candidate, Effective, Settled, Target, gather, settle, validity};
use crate::render::{Compiled, Inputs, OutputState};
use crate::resolve::{Resolved, resolve};

fn policies() -> Vec<Candidate> {
    let home = |folder_name: &str, workspace: &str, cluster: &str, trusted: bool| {
        samples::<PolicySpec>(folder_name)
            .into_iter()
            .map(|(policy, spec)| Candidate { policy, workspace: workspace.into(), cluster: cluster.into(), trusted, spec })
            .collect::<Vec<_>>()
    };
    let mut all = home("policies/platform", "root:platform", "platform", true);
    all.extend(home("policies/acme", "root:acme", "acme", false));
    all
}

fn effective(name: &str, spec: &PromiseSpec, workspace: &str, lineage: &[&str]) -> Effective {
    settled(name, spec, workspace, lineage, &Value::Null).effective
}

fn settled(name: &str, spec: &PromiseSpec, workspace: &str, lineage: &[&str], parameters: &Value) -> Settled {
    let labels = BTreeMap::new();
    let lineage: Vec<String> = lineage.iter().map(|cluster| (*cluster).to_owned()).collect();
    let target = Target {
        promise: name,
        spec,
        home: "root:platform",
        home_cluster: "platform",
        home_trusted: true,
        workspace,
        labels: &labels,
        lineage: &lineage,
    };
    settle(&target, &gather(&policies(), &target), parameters, None, &context(name))
}

fn context(name: &str) -> Context {
    Context {
        request: RequestContext {
            name: "orders".into(),
            namespace: "default".into(),
            workspace: "root:acme:shop".into(),
            ..RequestContext::default()
        },
        promise: PromiseContext { name: name.into(), version: "1.0.0".into(), workspace: "root:platform".into() },
        workspace: WorkspaceContext { path: "root:acme:shop".into(), name: "shop".into(), ..WorkspaceContext::default() },
        prices: Value::Null,
        action: None,
    }
}

fn resolved(name: &str, spec: &PromiseSpec, effective: &Effective, parameters: &Value) -> Resolved {
    resolve(spec, parameters, None, effective, &context(name))
}

#[test]
fn policies_are_valid_and_of_every_enforced_kind() {
    let mut kinds = [false; 4];
    for candidate in policies() {
        assert_eq!(validity(&candidate.spec, candidate.trusted), [], "{}", candidate.policy);
        for rule in &candidate.spec.rules {
            kinds[0] |= rule.constrain.is_some();
            kinds[1] |= rule.set.is_some();
            kinds[2] |= rule.validate.is_some();
            kinds[3] |= rule.default.is_some();
        }
    }
    assert_eq!(kinds, [true; 4]);
}

#[test]
fn promises_can_be_published() {
    for (name, spec) in samples::<PromiseSpec>("promises") {
        assert_eq!(crate::publish::validate(&spec, None, true), Ok(()), "{name}");
    }
}

/// Returns what a cluster would report for an object, as far as the samples read it.
fn observed(mut object: Value) -> Value {
    let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    object["status"] = match object["kind"].as_str() {
        Some("Cluster") => {
            serde_json::json!({"phase": "Cluster in healthy state", "writeService": format!("{name}-rw"), "readyInstances": 1})
        }
        Some("Bucket") => {
            serde_json::json!({"endpoint": format!("https://{name}.example.org"), "conditions": [{"type": "Ready", "status": "True"}]})
        }
        Some("Deployment") => {
            // Servers default it to 1.
            serde_json::json!({"availableReplicas": object["spec"].get("replicas").cloned().unwrap_or_else(|| 1.into())})
        }
        _ => return object,
    };
    object
}

#[test]
fn every_example_renders_to_the_end_within_its_destination() {
    let (_, sandbox) = samples::<DestinationSpec>("destinations").remove(0);
    for (name, spec) in samples::<PromiseSpec>("promises") {
        let compiled = Compiled::compile(&spec).unwrap();
        let effective = effective(&name, &spec, "root:acme:shop", &["root", "acme", "shop"]);
        for example in &spec.examples {
            let parameters = resolved(&name, &spec, &effective, example.parameters.as_ref().unwrap_or(&Value::Null)).parameters;
            let context = context(&name);
            let mut seen = BTreeMap::new();
            for _round in 0..4 {
                let inputs = Inputs { parameters: &parameters, context: &context, observed: &seen, injects: &effective.injects };
                let rendering = compiled.render(&inputs).unwrap_or_else(|problems| panic!("{name}, {}: {problems:?}", example.name));
                seen = rendering.objects.iter().map(|object| (object.id.clone(), observed(object.object.clone()))).collect();
            }
            let inputs = Inputs { parameters: &parameters, context: &context, observed: &seen, injects: &effective.injects };
            let rendering = compiled.render(&inputs).unwrap();
            assert_eq!(rendering.pending, [], "{name}, {}", example.name);
            // Conditional resources can be left out.
            let all = &spec.implementation.resources;
            let always = all.iter().filter(|resource| resource.include_when.is_none()).count();
            assert!((always..=all.len()).contains(&rendering.objects.len()), "{name}, {}", example.name);
            for output in &rendering.outputs {
                assert!(matches!(output.state, OutputState::Value(_) | OutputState::Secret { .. }), "{name}, {}: {output:?}", example.name);
            }
            for rendered in &rendering.objects {
                let (group, kind) = (rendered.object["apiVersion"].as_str().unwrap(), rendered.object["kind"].as_str().unwrap());
                let group = group.split_once('/').map_or("", |(group, _)| group);
                let allowed =
                    sandbox.allowed_kinds.iter().any(|known| known.group == group && known.kinds.iter().any(|known| known == kind));
                assert!(allowed, "{name}: {group}/{kind} can't go to the sandbox");
            }
        }
    }
}

#[test]
fn prices_of_the_catalog_answer_the_promises() {
    let (_, catalog) = samples::<PromiseCatalogSpec>("catalog").into_iter().find(|(name, _)| name == "standard").unwrap();
    for (name, spec) in samples::<PromiseSpec>("promises") {
        let cost = spec.cost.as_ref().unwrap();
        assert_eq!(cost.currency, catalog.currency, "{name}");
        let prices = serde_json::to_value(&catalog.prices[0].values).unwrap();
        for item in &cost.items {
            let root = item.monthly.split("prices.").nth(1).and_then(|rest| rest.split(['.', '[']).next()).unwrap();
            assert!(prices.get(root).is_some(), "{name}: {} has no price", item.name);
        }
    }
}

#[test]
fn examples_and_presets_fit_their_promise() {
    for (name, spec) in samples::<PromiseSpec>("promises") {
        let plain = Effective { schema: spec.parameters.clone().unwrap_or_default(), ..Effective::default() };
        assert!(!spec.examples.is_empty(), "{name} has an example");
        for example in &spec.examples {
            let result = resolved(&name, &spec, &plain, example.parameters.as_ref().unwrap_or(&Value::Null));
            assert!(result.is_accepted(), "{name}, {}: {:?}", example.name, result.all_problems());
        }
        for preset in &spec.form.presets {
            let result = resolved(&name, &spec, &plain, preset.values.as_ref().unwrap_or(&Value::Null));
            // A preset is a starting point, so required values can be missing.
            let wrong: Vec<_> = result.all_problems().into_iter().filter(|problem| !problem.message.starts_with("Enter ")).collect();
            assert!(wrong.is_empty(), "{name}, {}: {wrong:?}", preset.name);
        }
    }
}

#[test]
fn every_promise_can_be_requested_in_every_sample_workspace() {
    for (name, spec) in samples::<PromiseSpec>("promises") {
        for (workspace, lineage) in [
            ("root:acme:shop", ["root", "acme", "shop"]),
            ("root:acme:data", ["root", "acme", "data"]),
            ("root:globex:web", ["root", "globex", "web"]),
        ] {
            let effective = effective(&name, &spec, workspace, &lineage);
            assert!(effective.conflicts.is_empty(), "{name} in {workspace}: {:?}", effective.conflicts);
            let example = &spec.examples[0];
            let result = resolved(&name, &spec, &effective, example.parameters.as_ref().unwrap_or(&Value::Null));
            assert!(result.is_accepted(), "{name} in {workspace}: {:?}", result.all_problems());
        }
    }
}

#[test]
fn redis_needs_no_parameter() {
    let (name, spec) = samples::<PromiseSpec>("promises").into_iter().find(|(name, _)| name == "redis").unwrap();
    let effective = effective(&name, &spec, "root:acme:shop", &["root", "acme", "shop"]);
    assert!(resolved(&name, &spec, &effective, &Value::Null).is_accepted());
}

#[test]
fn policies_show_in_the_form_of_a_database() {
    let (name, spec) = samples::<PromiseSpec>("promises").into_iter().find(|(name, _)| name == "postgresql").unwrap();
    let settled = |parameters: Value| settled(&name, &spec, "root:acme:shop", &["root", "acme", "shop"], &parameters);
    let production = serde_json::json!({"tier": "production"});
    let form = model(&spec, &settled(production.clone()).effective, &Draft::of(production), &[]);
    let fields = form.fields();
    let field = |path: &str| *fields.iter().find(|field| field.path == path).unwrap();
    let backup = field(".backup.enabled");
    assert_eq!(
        backup.locked.as_ref().map(|locked| (locked.value.as_str(), locked.by.as_ref().map_or("", |by| by.policy.as_str()))),
        Some(("On", "backup-required"))
    );
    let replicas = &field(".replicas").by;
    let did: Vec<bool> = replicas.iter().map(|line| line.did.starts_with("Narrowed from 1–7") || line.did == "Default set").collect();
    assert!(replicas.iter().all(|line| line.workspace == "root:acme") && did == [true, true], "{replicas:?}");
    assert_eq!(settled(Value::Null).effective.fixed(&Path::parse(".backup.enabled").unwrap()), None);
    assert!(field(".region").by.iter().any(|line| line.did == "Default set"));
    assert_eq!(
        form.sections.iter().map(|section| section.title.as_str()).collect::<Vec<_>>(),
        ["Basics", "Size and place", "Backup", "Administration", "More settings"]
    );

    // The form says which defaults are others because of what was chosen, except for the one that is being typed.
    let usual = effective(&name, &spec, "root:acme:shop", &["root", "acme", "shop"]);
    let proposed = |parameters: Value, typing: Option<&str>| {
        let effective = settled(parameters.clone()).effective;
        let mut draft = Draft::of(parameters);
        // What the input said, which was the former default.
        draft.texts.insert("/parameters/replicas".to_owned(), "1".to_owned());
        let found = crate::form::proposed(&spec, &usual, &effective, &mut draft, typing);
        assert_eq!(draft.texts.is_empty(), !found.is_empty(), "the input shows the new default");
        found.iter().map(|one| (one.path.to_string(), one.value.clone(), one.from.policy.clone())).collect::<Vec<_>>()
    };
    let standby = (".replicas".to_owned(), serde_json::json!(2), "production-baseline".to_owned());
    assert_eq!(proposed(serde_json::json!({"tier": "production"}), None), [standby]);
    assert_eq!(proposed(serde_json::json!({"tier": "production"}), Some("/parameters/replicas")), []);
    assert_eq!(proposed(serde_json::json!({"tier": "production", "replicas": 3}), None), []);
    assert_eq!(proposed(serde_json::json!({"tier": "development"}), None), []);

    let unsaid = settled(serde_json::json!({"tier": "production"})).resolved;
    assert!(unsaid.is_accepted() && unsaid.parameters["replicas"] == 2, "{:?}", unsaid.all_problems());
    let one = settled(serde_json::json!({"tier": "production", "replicas": 1})).resolved;
    assert_eq!(one.refusals.len(), 1, "{:?}", one.refusals);
    assert!(one.refusals[0].problem().message.starts_with("Replicas must be at least 2. The policy Production baseline at root:acme"));
    assert_eq!(one.refusals[0].problem().path, ".parameters.replicas");
    let postgis = settled(serde_json::json!({"tier": "development", "extensions": ["postgis"]})).resolved;
    assert_eq!(postgis.problems[0].path, ".parameters.size");
    assert_eq!(postgis.problems[0].message, "Choose medium or large for postgis, because it needs more memory.");
    assert_eq!(one.parameters["region"], "eu-west");
    let abroad = settled(serde_json::json!({"tier": "development", "region": "us-east"})).resolved;
    assert_eq!(abroad.refusals[0].problem().path, ".parameters.region");
    let large = settled(serde_json::json!({"tier": "development", "size": "large"})).resolved;
    assert!(large.is_accepted() && large.outcomes.iter().any(|outcome| outcome.result == crate::api::PolicyResult::Warned));
}

#[test]
fn forms_of_all_promises_return_what_they_were_given() {
    for (name, spec) in samples::<PromiseSpec>("promises") {
        let effective = effective(&name, &spec, "root:acme:shop", &["root", "acme", "shop"]);
        for example in &spec.examples {
            let parameters = example.parameters.clone().unwrap_or_else(|| serde_json::json!({}));
            let form = model(&spec, &effective, &Draft::of(parameters.clone()), &[]);
            let parsed = parse(&posted(&form), &spec, &effective, &parameters);
            assert_eq!(parsed.draft.parameters, parameters, "{name}, {}", example.name);
            assert!(form.fields().iter().all(|field| !field.label.is_empty()));
        }
    }
}

#[test]
fn form_yaml_and_json_of_one_wish_have_one_content_hash() {
    let (name, spec) = samples::<PromiseSpec>("promises").into_iter().find(|(name, _)| name == "postgresql").unwrap();
    let effective = effective(&name, &spec, "root:acme:shop", &["root", "acme", "shop"]);
    let hash = |parameters: &Value| {
        let resolved = resolved(&name, &spec, &effective, parameters);
        assert!(resolved.is_accepted(), "{:?}", resolved.all_problems());
        let (destinations, secrets) = (BTreeMap::new(), BTreeMap::new());
        crate::release::content_hash(&crate::release::Content {
            request_uid: "0b5e",
            revision_hash: "ab12",
            parameters: &resolved.parameters,
            deletion_policy: crate::api::DeletionPolicy::Delete,
            upgrade: crate::api::UpgradePolicy::Manual,
            expires_at: None,
            destinations: &destinations,
            rules: &effective.rules,
            price: None,
            secrets: &secrets,
            labels: crate::release::Labels { request: &BTreeMap::new(), workspace: &BTreeMap::new() },
        })
        .unwrap()
    };
    let json: Value = serde_json::from_str(r#"{"replicas": 3.0, "tier": "production", "storage": 200}"#).unwrap();
    let yaml: Value = serde_saphyr::from_str("tier: production\nstorage: 200\nreplicas: 3\n").unwrap();
    let form = model(&spec, &effective, &Draft::default(), &[]);
    let mut pairs = posted(&form);
    for (name, text) in [("/parameters/tier", "production"), ("/parameters/replicas", "3"), ("/parameters/storage", " 200 ")] {
        pairs.retain(|(known, _)| known != name);
        pairs.push((name.to_owned(), text.to_owned()));
    }
    let typed = parse(&pairs, &spec, &effective, &Value::Null).draft.parameters;
    assert_eq!(hash(&json), hash(&yaml));
    assert_eq!(hash(&typed), hash(&yaml));
    // Entering a default, or a value that a policy sets anyway, gives the same content.
    let wordy: Value =
        serde_saphyr::from_str("{tier: production, storage: 200, replicas: 3, version: '17', backup: {enabled: false}}").unwrap();
    assert_eq!(hash(&wordy), hash(&yaml));
}

#[test]
fn catalogs_and_destinations_can_be_read() {
    assert_eq!(samples::<PromiseCatalogSpec>("catalog").len(), 2);
    let (_, sandbox) = samples::<DestinationSpec>("destinations").remove(0);
    assert!(sandbox.secret_ref.is_some());
}
