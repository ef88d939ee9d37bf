//! What people are told before they submit is what the controller does: generated requests, asked of the portal as a person and then written past
//! it, have the same verdict, objects, price and content hash on both sides. Portal and controller share no memory here: each has its own
//! caches of the plane and gathers its own facts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use cluster::kinds::{Policy, PolicyKind, PromiseCatalog, PromiseRelease, PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use futures::future::join_all;
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use opm_portal::auth::Caller;
use opm_portal::portal::offers::Offered;
use opm_portal::portal::place::Workspace;
use opm_portal::portal::preflight::Existing;
use opm_portal::portal::submit::Submission;
use promise::api::{ConditionStatus, PolicySpec, PromiseRef, PromiseReleaseSpec, PromiseRequestSpec, PromiseSpec};
use promise::preflight::{Preflight, Verdict};
use promise::price::Estimate;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::browser::Product;
use crate::kill::setting;

const SHOP: &str = "root:acme:shop";
const PLATFORM: &str = "root:platform";
/// Requests that are judged side by side.
const BATCH: u64 = 20;
/// How long the controller may take for a batch.
const PATIENCE: Duration = Duration::from_secs(120);

/// Choices that only a seed and their order decide.
struct Chance {
    seed: u64,
    number: u64,
}

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.number += 1;
        let digest = Sha256::digest([self.seed.to_be_bytes(), self.number.to_be_bytes()].concat());
        let word = digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        usize::try_from(word % bound.max(1) as u64).unwrap_or_default()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// A value for a schema: mostly one that fits, at times one that is just beside.
    fn value(&mut self, schema: &Value) -> Value {
        if let Some(values) = schema["enum"].as_array() {
            return if self.one_in(25) { json!("no-such-value") } else { values[self.below(values.len())].clone() };
        }
        let bound = |name: &str, other: i64| schema[name].as_i64().unwrap_or(other);
        match schema["type"].as_str() {
            Some("boolean") => json!(self.one_in(2)),
            Some("integer" | "number") => {
                let (least, most) = (bound("minimum", 0), bound("maximum", 20));
                let span = usize::try_from((most - least).clamp(0, 30)).unwrap_or_default();
                let within = least + i64::try_from(self.below(span + 1)).unwrap_or_default();
                if self.one_in(20) { json!(least - 1) } else { json!(within) }
            }
            Some("string") => {
                let texts = ["app", "orders", "a-b", "registry.example.org/app:1.4", "Bad Name", "x.example.org", ""];
                json!(texts[self.below(texts.len())])
            }
            Some("array") => {
                let count = self.below(3);
                (0..count).map(|_| self.value(&schema["items"])).collect()
            }
            _ => match schema["properties"].as_object() {
                Some(properties) => self.object(properties, schema["required"].as_array()),
                None => json!({"team": "orders"}),
            },
        }
    }

    fn object(&mut self, properties: &Map<String, Value>, required: Option<&Vec<Value>>) -> Value {
        let mut fields = Map::new();
        for (name, schema) in properties {
            let needed = required.is_some_and(|names| names.iter().any(|known| known == name));
            // Secrets are typed elsewhere.
            if name != "adminPassword" && (needed && !self.one_in(20) || self.one_in(3)) {
                fields.insert(name.clone(), self.value(schema));
            }
        }
        if self.one_in(40) {
            fields.insert("noSuchParameter".to_owned(), json!(1));
        }
        Value::Object(fields)
    }

    /// Parameters of a request: an example with some of it typed otherwise, or anything.
    fn parameters(&mut self, spec: &PromiseSpec) -> Value {
        let schema = spec.parameters.clone().unwrap_or_default();
        let anything = self.value(&schema);
        let example = spec.examples.get(self.below(spec.examples.len())).and_then(|example| example.parameters.clone());
        let Some(Value::Object(mut fields)) = example.filter(|_| !self.one_in(4)) else { return anything };
        for (name, value) in anything.as_object().into_iter().flatten() {
            if self.one_in(2) {
                fields.insert(name.clone(), value.clone());
            }
        }
        Value::Object(fields)
    }

    /// A policy of a trusted home with a few rules of any kind that counts at once.
    fn policy(&mut self, promises: &[&str]) -> PolicySpec {
        let most = 1 + self.below(6);
        let rules = [
            json!({"name": "some", "constrain": {"parameter": ".replicas", "minimum": 1, "maximum": most}}),
            json!({"name": "fixed", "set": {"parameter": ".replicas", "value": most}}),
            json!({"name": "proposed", "default": {"parameter": ".replicas", "value": most}}),
            json!({"name": "asked", "validate": {"expression": format!("!has(parameters.replicas) || parameters.replicas != {most}"),
                "message": "Choose another number."}}),
            json!({"name": "added", "inject": {"match": {"kinds": []}, "merge": {"metadata": {"labels": {"example.org/batch": format!("b{most}")}}}}}),
            json!({"name": "sized", "constrain": {"parameter": ".size", "enum": ["small", "medium"]}}),
            json!({"name": "in-production", "constrain": {"parameter": ".replicas", "minimum": 2, "when": "has(parameters.tier) && parameters.tier == 'production'"}}),
            json!({"name": "backed-up", "set": {"parameter": ".backup.enabled", "value": true, "when": "has(parameters.tier) && parameters.tier == 'production'"}}),
        ];
        let chosen: Vec<&Value> = rules.iter().filter(|_| self.one_in(3)).collect();
        let enforcement = ["block", "warn", "audit"][self.below(3)];
        let promise = promises[self.below(promises.len())];
        serde_json::from_value(json!({
            "enforcement": enforcement, "owner": {"team": "Chance"}, "rules": chosen,
            "appliesTo": {"promises": [promise], "workspaces": ["root:acme:**"]},
        }))
        .expect("a policy")
    }
}

/// What the controller made of a request.
enum Outcome {
    Released(Box<PromiseReleaseSpec>),
    Refused(String),
}

struct World {
    product: Product,
    caller: Caller,
    workspace: Workspace,
    offers: Vec<Offered>,
}

impl World {
    async fn open() -> Self {
        let product = Product::open().await;
        let caller = product.signed_in("dev-shop").await.caller(&product).await;
        let workspace = caller.enter(SHOP).await.expect("the workspace");
        let offers = caller.offers(&workspace).await.expect("offers");
        Self { product, caller, workspace, offers }
    }

    fn api<K: kube::Resource<Scope = k8s_openapi::ClusterResourceScope, DynamicType = ()>>(&self, path: &str) -> Api<K> {
        let scope = Scope::Workspace(WorkspacePath::parse(path).expect("a path"));
        Api::all(self.product.running.portal.endpoint.client(self.product.admin(), &scope))
    }

    fn beside<K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>>(&self) -> Api<K> {
        let scope = Scope::Workspace(WorkspacePath::parse(SHOP).expect("a path"));
        Api::namespaced(self.product.running.portal.endpoint.client(self.product.admin(), &scope), "default")
    }

    /// Waits for a condition of the plane.
    async fn until<T>(&self, what: &str, mut asked: impl AsyncFnMut() -> Option<T>) -> T {
        let asking = async {
            loop {
                if let Some(found) = asked().await {
                    return found;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(PATIENCE, asking).await.unwrap_or_else(|_| panic!("it never came to this: {what}"))
    }

    /// Writes a policy and waits until both sides have seen it: the controller has said something about it, and the portal has heard that.
    async fn govern(&self, name: &str, spec: PolicySpec) {
        let api: Api<Policy> = self.api(PLATFORM);
        api.create(&PostParams::default(), &object::<PolicyKind>(name, None, spec)).await.expect("a policy");
        let world = &self.product.running.portal.world;
        self.until("both sides know the policy", async || {
            let known = world.policies.snapshot();
            known.iter().any(|(key, policy)| key.name == name && policy.status.is_some()).then_some(())
        })
        .await;
    }

    fn submission(&self, name: &str, offered: &Offered, parameters: &Value, written: Option<&PromiseRequest>) -> Submission {
        let promise = PromiseRef { name: offered.key.name.clone(), workspace: Some(offered.home.path.clone()), version: None };
        let spec = PromiseRequestSpec { promise, parameters: Some(parameters.clone()), ..PromiseRequestSpec::default() };
        let existing = written.map(|request| Existing {
            uid: request.metadata.uid.clone(),
            generation: request.metadata.generation.unwrap_or_default(),
            ..Existing::default()
        });
        Submission {
            confirmed: Vec::new(),
            namespace: "default".into(),
            name: name.into(),
            spec: written.map_or(spec, |request| request.spec.clone()),
            secrets: BTreeMap::new(),
            awaited: BTreeSet::new(),
            promise: offered.promise.spec.clone(),
            existing: existing.unwrap_or_default(),
        }
    }

    /// Asks the portal, writes past it, asks again for what is there now, and compares with what the controller made of it.
    async fn judged(&self, name: &str, offered: &Offered, parameters: &Value) -> Verdict {
        let asked = |written: Option<PromiseRequest>| async move {
            let submission = self.submission(name, offered, parameters, written.as_ref());
            self.caller.preflight(&self.workspace, offered, &submission).await.expect("an answer")
        };
        let before = asked(None).await;
        let requests: Api<PromiseRequest> = self.beside();
        let spec = self.submission(name, offered, parameters, None).spec;
        let written = requests
            .create(&PostParams::default(), &object::<PromiseRequestKind>(name, Some("default"), spec))
            .await
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let after = asked(Some(written.clone())).await;
        let outcome = self.outcome(name, &written).await;
        requests.delete(name, &DeleteParams::default()).await.expect("deleted");
        let about = format!("{} {parameters}", offered.key.name);
        assert_eq!(before.verdict, after.verdict, "{about}");
        assert_eq!((&before.rendering, &before.estimate), (&after.rendering, &after.estimate), "{about}");
        agree(&about, &after, &outcome);
        after.verdict
    }

    async fn outcome(&self, name: &str, written: &PromiseRequest) -> Outcome {
        let requests: Api<PromiseRequest> = self.beside();
        let releases: Api<PromiseRelease> = self.beside();
        self.until(&format!("the controller decides about {name}"), async || {
            let status = requests.get(name).await.expect("it is there").status?;
            let condition = |kind: &str| status.conditions.iter().find(|condition| condition.r#type == kind);
            let refused = ["Accepted", "PoliciesSatisfied"].iter().filter_map(|kind| condition(kind));
            let refused: Vec<String> =
                refused.filter(|condition| condition.status == ConditionStatus::False).map(|condition| condition.message.clone()).collect();
            let named = status.candidate.as_ref().map(|candidate| candidate.release.clone());
            let named = named.or_else(|| status.current.as_ref().map(|current| current.release.clone()));
            match named {
                Some(release) => Some(Outcome::Released(Box::new(releases.get_opt(&release).await.expect("an answer")?.spec))),
                None if status.observed_generation == written.metadata.generation.unwrap_or_default() && !refused.is_empty() => {
                    Some(Outcome::Refused(refused.join(" ")))
                }
                None => None,
            }
        })
        .await
    }
}

fn agree(about: &str, told: &Preflight, outcome: &Outcome) {
    match outcome {
        Outcome::Released(release) => {
            assert!(told.is_acceptable(), "{about}: the controller accepts what the portal refuses: {:?}", told.all_problems());
            let expected = told.release.as_ref().expect("the portal knows all that enters the release");
            assert_eq!(expected.parameters, release.parameters, "{about}");
            assert_eq!(expected.objects, release.objects, "{about}");
            assert_eq!(expected.price, release.price, "{about}");
            assert_eq!(Estimate::kept(release), told.estimate, "{about}");
            assert_eq!(expected.revision, release.revision, "{about}");
            assert_eq!(expected.content_hash, release.content_hash, "{about}");
        }
        Outcome::Refused(why) => {
            assert!(!told.is_acceptable(), "{about}: the controller refuses what the portal accepts: {why}");
            // A request that does not fit its promise is told that first.
            let misfits = told.misfits();
            for problem in if misfits.is_empty() { told.all_problems() } else { misfits } {
                assert!(why.contains(problem.message.trim_end_matches('.')), "{about}: {} is not in {why}", problem.message);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_portal_says_is_what_the_controller_does() {
    let (requests, seed) = (setting("OPM_AGREE", 100), setting("OPM_SEED", 1));
    let world = World::open().await;
    let mut chance = Chance { seed, number: 0 };
    let names: Vec<&str> = world.offers.iter().map(|offered| offered.key.name.as_str()).collect();
    assert!(names.len() >= 4, "{names:?}");
    // Requests that are judged side by side take each other's room, in an order that nobody knows: what fits is shown by tests of its own.
    let policies: Api<Policy> = world.api("root:acme");
    policies.delete("spending", &DeleteParams::default()).await.expect("the sample budget");
    world.forget("spending").await;
    // Prices that do not end at cents, and a list that begins long after.
    let catalogs: Api<PromiseCatalog> = world.api(PLATFORM);
    let mut standard = catalogs.get("standard").await.expect("the sample catalog");
    standard.spec.prices[0].values.insert("application".to_owned(), json!({"replica": "6.205"}));
    let mut later = standard.spec.prices[0].clone();
    later.from = "9000-01-01".to_owned();
    standard.spec.prices.push(later);
    catalogs.replace("standard", &PostParams::default(), &standard).await.expect("changed");
    let application = world.offers.iter().find(|offered| offered.key.name == "web-application").expect("an offer");
    let example = application.promise.spec.examples.first().and_then(|example| example.parameters.clone()).expect("an example");
    let mut probe = 0;
    world
        .until("the controller knows the new prices", async || {
            probe += 1;
            let name = format!("probe-{probe}");
            let requests: Api<PromiseRequest> = world.beside();
            let spec = world.submission(&name, application, &example, None).spec;
            let written = object::<PromiseRequestKind>(&name, Some("default"), spec);
            let written = requests.create(&PostParams::default(), &written).await.expect("a probe");
            let outcome = world.outcome(&name, &written).await;
            requests.delete(&name, &DeleteParams::default()).await.expect("deleted");
            let release = match outcome {
                Outcome::Released(release) => release,
                Outcome::Refused(why) => panic!("the probe is refused: {why}"),
            };
            let basis = serde_json::to_string(&release.price).expect("a price");
            let replica = release.context.as_ref().and_then(|context| context.pointer("/prices/application/replica").cloned());
            (replica == Some(json!(6_205_000)) && basis.contains("2026-01-01")).then_some(())
        })
        .await;

    let mut verdicts: BTreeMap<String, u64> = BTreeMap::new();
    for batch in 0..requests.div_ceil(BATCH) {
        let policy = format!("chance-{batch}");
        let spec = chance.policy(&names);
        world.govern(&policy, spec).await;
        let asked: Vec<(String, &Offered, Value)> = (0..BATCH.min(requests - batch * BATCH))
            .map(|at| {
                let offered = &world.offers[chance.below(world.offers.len())];
                (format!("r{batch}-{at}"), offered, chance.parameters(&offered.promise.spec))
            })
            .collect();
        let judged = join_all(asked.iter().map(|(name, offered, parameters)| world.judged(name, offered, parameters))).await;
        for verdict in judged {
            *verdicts.entry(format!("{verdict:?}")).or_default() += 1;
        }
        // Some stay and add up, so that rules of several policies meet.
        if !chance.one_in(3) {
            let policies: Api<Policy> = world.api(PLATFORM);
            policies.delete(&policy, &DeleteParams::default()).await.expect("deleted");
            world.forget(&policy).await;
        }
    }
    println!("{requests} requests agree: {verdicts:?}");
    let refused = verdicts.get("Refused").copied().unwrap_or_default();
    assert!(refused * 20 >= requests && (requests - refused) * 20 >= requests, "one-sided: {verdicts:?}");
    world.product.running.close().await;
}

impl World {
    /// Waits until the portal has forgotten a policy, and the controller too: it judges a request by other rules then.
    async fn forget(&self, policy: &str) {
        let world = &self.product.running.portal.world;
        self.until("the portal forgets the policy", async || {
            (!world.policies.snapshot().keys().any(|key| key.name == policy)).then_some(())
        })
        .await;
        // The controller says something about a policy that is written after it, and hears of both in order.
        let mark = format!("{policy}-gone");
        self.govern(
            &mark,
            PolicySpec { applies_to: serde_json::from_value(json!({"promises": ["nothing"]})).expect("a range"), ..PolicySpec::default() },
        )
        .await;
    }
}
