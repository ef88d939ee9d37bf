//! What people are told before they submit is what the controller does: generated requests and changes of them, asked of the portal as a
//! person and then written past it, have the same verdict, objects, price and content hash on both sides. Portal and controller share no
//! memory here: each has its own caches of the plane and gathers its own facts.

mod chance;
mod room;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use cluster::kinds::{Policy, PolicyKind, PromiseCatalog, PromiseRelease, PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, WorkspacePath};
use futures::future::join_all;
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use opm_portal::portal::Caller;
use opm_portal::portal::offers::Offered;
use opm_portal::portal::place::Workspace;
use opm_portal::portal::preflight::Existing;
use opm_portal::portal::submit::Submission;
use promise::api::{ApprovalRule, CandidateState, ConditionStatus, PolicySpec, PromiseRef, PromiseReleaseSpec, PromiseRequestSpec};
use promise::approval::rule_of;
use promise::preflight::{Preflight, Verdict};
use promise::price::Estimate;
use serde_json::{Value, json};

use crate::browser::Product;
use crate::kill::setting;
use chance::Chance;

const SHOP: &str = "root:acme:shop";
const PLATFORM: &str = "root:platform";
/// Requests that are judged side by side.
const BATCH: u64 = 20;
/// How long the controller may take for a batch.
const PATIENCE: Duration = Duration::from_secs(120);

/// The state in which the controller leaves a request.
enum Outcome {
    /// It is accepted: what was recorded of it.
    Accepted(Box<PromiseReleaseSpec>),
    /// People are asked: what was recorded, and the rules that ask, each with the workspace where it is set.
    Awaiting(Box<PromiseReleaseSpec>, Vec<(ApprovalRule, String)>),
    /// It is refused: why.
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
        product.publishes_samples().await;
        let caller = product.signed_in("dev-shop").await.caller(&product).await;
        let workspace = caller.enter(SHOP).await.expect("the workspace");
        let offers = caller.offers(&workspace).await.expect("offers").all().collect();
        Self { product, caller, workspace, offers }
    }

    fn offer(&self, name: &str) -> &Offered {
        self.offers.iter().find(|offered| offered.key.name == name).unwrap_or_else(|| panic!("{name} is not offered"))
    }

    fn api<K: kube::Resource<Scope = k8s_openapi::ClusterResourceScope, DynamicType = ()>>(&self, path: &str) -> Api<K> {
        let scope = Scope::Workspace(WorkspacePath::parse(path).expect("a path"));
        Api::all(self.product.running.portal.endpoint.client(self.product.admin(), &scope))
    }

    fn beside<K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>>(&self) -> Api<K> {
        let scope = Scope::Workspace(WorkspacePath::parse(SHOP).expect("a path"));
        Api::namespaced(self.product.running.portal.endpoint.client(self.product.admin(), &scope), "default")
    }

    /// A request as it is there now.
    async fn request(&self, name: &str) -> PromiseRequest {
        let requests: Api<PromiseRequest> = self.beside();
        requests.get(name).await.unwrap_or_else(|error| panic!("{name}: {error}"))
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

    /// Takes a policy of the platform away from both sides.
    async fn lift(&self, policy: &str) {
        let policies: Api<Policy> = self.api(PLATFORM);
        policies.delete(policy, &DeleteParams::default()).await.expect("deleted");
        self.forget(policy).await;
    }

    /// What the portal tells the person. `known` is the request that is asked about as it is there; nothing for a new one.
    async fn told(&self, name: &str, offered: &Offered, parameters: &Value, known: Option<&PromiseRequest>) -> Preflight {
        let existing = match known {
            Some(request) => self.caller.existing(&self.workspace, request).await.expect("what was accepted last"),
            None => Existing::default(),
        };
        let spec = known.map_or_else(|| spec(offered), |request| request.spec.clone());
        let submission = Submission {
            namespace: "default".into(),
            name: name.into(),
            spec: PromiseRequestSpec { parameters: Some(parameters.clone()), ..spec },
            secrets: BTreeMap::new(),
            awaited: BTreeSet::new(),
            promise: offered.promise.spec.clone(),
            existing,
        };
        self.caller.preflight(&self.workspace, offered, &submission).await.expect("an answer")
    }

    async fn create(&self, name: &str, offered: &Offered, parameters: &Value) -> PromiseRequest {
        let spec = PromiseRequestSpec { parameters: Some(parameters.clone()), ..spec(offered) };
        let requests: Api<PromiseRequest> = self.beside();
        let written = object::<PromiseRequestKind>(name, Some("default"), spec);
        requests.create(&PostParams::default(), &written).await.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    async fn change(&self, name: &str, parameters: &Value) -> PromiseRequest {
        let requests: Api<PromiseRequest> = self.beside();
        self.until("a change comes between two writes of the controller", async || {
            let mut request = self.request(name).await;
            request.spec.parameters = Some(parameters.clone());
            match requests.replace(name, &PostParams::default(), &request).await {
                Ok(changed) => Some(changed),
                Err(kube::Error::Api(status)) if status.code == 409 => None,
                Err(error) => panic!("{name}: {error}"),
            }
        })
        .await
    }

    async fn delete(&self, name: &str) {
        let requests: Api<PromiseRequest> = self.beside();
        requests.delete(name, &DeleteParams::default()).await.expect("deleted");
    }

    /// Asks the portal, writes past it, asks again for what is there now, and compares with the state in which the controller leaves it.
    /// `known` is the request that is changed; nothing for a new one.
    async fn judged(&self, name: &str, offered: &Offered, parameters: &Value, known: Option<&PromiseRequest>) -> Verdict {
        let before = self.told(name, offered, parameters, known).await;
        let written = match known {
            None => self.create(name, offered, parameters).await,
            Some(_) => self.change(name, parameters).await,
        };
        let after = self.told(name, offered, parameters, Some(&written)).await;
        let outcome = self.outcome(name, &written).await;
        let about = format!("{name}, {} {parameters}, generation {:?}", offered.key.name, written.metadata.generation);
        assert_eq!(before.verdict, after.verdict, "{about}");
        assert_eq!((&before.rendering, &before.estimate), (&after.rendering, &after.estimate), "{about}");
        agree(&about, &after, &outcome);
        after.verdict
    }

    /// Judges a new request, and then each change of it that differs from what is there.
    async fn course(&self, name: &str, offered: &Offered, steps: &[Value]) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(steps.len());
        for parameters in steps {
            let known = if verdicts.is_empty() { None } else { Some(self.request(name).await) };
            verdicts.push(self.judged(name, offered, parameters, known.as_ref()).await);
        }
        self.delete(name).await;
        verdicts
    }

    /// What the controller decided about this generation of a request; what it said about an earlier one does not count.
    async fn outcome(&self, name: &str, written: &PromiseRequest) -> Outcome {
        let generation = written.metadata.generation;
        self.until(&format!("the controller decides about {name}"), async || {
            let status = self.request(name).await.status?;
            let candidate = status.candidate.as_ref().filter(|candidate| candidate.generation == generation);
            match candidate.map(|candidate| (candidate.state, &candidate.release)) {
                Some((CandidateState::Accepted, release)) => return Some(Outcome::Accepted(self.recorded(release).await)),
                Some((CandidateState::AwaitingApproval, release)) => {
                    let rules = status.approvals.iter().map(|approval| (approval.rule.clone(), approval.source.clone())).collect();
                    return Some(Outcome::Awaiting(self.recorded(release).await, rules));
                }
                Some((CandidateState::Evaluating, _)) => return None,
                Some((state, _)) => panic!("{name} is left {state:?}"),
                None => {}
            }
            if let Some(current) = status.current.as_ref().filter(|current| current.generation == generation) {
                return Some(Outcome::Accepted(self.recorded(&current.release).await));
            }
            let condition = |kind: &str| status.conditions.iter().find(|condition| condition.r#type == kind);
            let refused = ["Accepted", "PoliciesSatisfied"].iter().filter_map(|kind| condition(kind));
            let refused: Vec<String> =
                refused.filter(|condition| condition.status == ConditionStatus::False).map(|condition| condition.message.clone()).collect();
            (Some(status.observed_generation) == generation && !refused.is_empty()).then(|| Outcome::Refused(refused.join(" ")))
        })
        .await
    }

    /// The release that a status names: it is recorded before anything is said of it.
    async fn recorded(&self, release: &str) -> Box<PromiseReleaseSpec> {
        let releases: Api<PromiseRelease> = self.beside();
        Box::new(releases.get(release).await.unwrap_or_else(|error| panic!("{release} is told of and not recorded: {error}")).spec)
    }

    /// Has prices that do not end at cents, and a list that begins long after, and waits until both sides count with them.
    async fn reprice(&self) {
        let catalogs: Api<PromiseCatalog> = self.api(PLATFORM);
        let mut standard = catalogs.get("standard").await.expect("the sample catalog");
        standard.spec.prices[0].values.insert("application".to_owned(), json!({"replica": "6.205"}));
        let mut later = standard.spec.prices[0].clone();
        later.from = "9000-01-01".to_owned();
        standard.spec.prices.push(later);
        catalogs.replace("standard", &PostParams::default(), &standard).await.expect("changed");
        let application = self.offer("web-application");
        let example = application.promise.spec.examples.first().and_then(|example| example.parameters.clone()).expect("an example");
        let mut probe = 0;
        self.until("both sides know the new prices", async || {
            probe += 1;
            let name = format!("probe-{probe}");
            let told = self.told(&name, application, &example, None).await;
            let written = self.create(&name, application, &example).await;
            let outcome = self.outcome(&name, &written).await;
            self.delete(&name).await;
            let Outcome::Accepted(release) = outcome else { panic!("the probe is not accepted") };
            let basis = serde_json::to_string(&release.price).expect("a price");
            let replica = release.context.as_ref().and_then(|context| context.pointer("/prices/application/replica").cloned());
            let is_new = replica == Some(json!(6_205_000)) && basis.contains("2026-01-01");
            (is_new && Estimate::recorded(&release) == told.estimate).then_some(())
        })
        .await;
    }
}

/// A request for what is offered, without parameters.
fn spec(offered: &Offered) -> PromiseRequestSpec {
    let promise = PromiseRef { name: offered.key.name.clone(), workspace: Some(offered.home.path.clone()), version: None };
    PromiseRequestSpec { promise, ..PromiseRequestSpec::default() }
}

fn agree(about: &str, told: &Preflight, outcome: &Outcome) {
    let (left, why) = match outcome {
        Outcome::Accepted(_) => (Verdict::Accepted, ""),
        Outcome::Awaiting(..) => (Verdict::NeedsApproval, ""),
        Outcome::Refused(why) => (Verdict::Refused, why.as_str()),
    };
    assert_eq!(told.verdict, left, "{about}: the portal tells one thing, and the controller does another: {:?} {why}", told.all_problems());
    if let Outcome::Awaiting(_, rules) = outcome {
        let asked: Vec<(ApprovalRule, String)> =
            told.approvals.iter().map(|ruling| (rule_of(&ruling.from), ruling.from.workspace.clone())).collect();
        assert_eq!(asked, *rules, "{about}");
    }
    match outcome {
        Outcome::Accepted(release) | Outcome::Awaiting(release, _) => {
            let expected = told.release.as_ref().expect("the portal knows all that enters the release");
            assert_eq!(expected.parameters, release.parameters, "{about}");
            assert_eq!(expected.objects, release.objects, "{about}");
            assert_eq!(expected.price, release.price, "{about}");
            assert_eq!(Estimate::recorded(release), told.estimate, "{about}");
            assert_eq!(expected.revision, release.revision, "{about}");
            assert_eq!(expected.content_hash, release.content_hash, "{about}");
        }
        Outcome::Refused(why) => {
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
    let mut chance = Chance::of(seed);
    let names: Vec<&str> = world.offers.iter().map(|offered| offered.key.name.as_str()).collect();
    assert!(names.len() >= 4, "{names:?}");
    // Requests that are judged side by side take each other's room, in an order that nobody knows: what fits is asked one after the other.
    let policies: Api<Policy> = world.api("root:acme");
    policies.delete("spending", &DeleteParams::default()).await.expect("the sample budget");
    world.forget("spending").await;
    world.reprice().await;

    // Every verdict, of a new request and of a change, of what is known to deserve it.
    use Verdict::{Accepted, NeedsApproval, Refused};
    let production = json!({"tier": "production", "replicas": 2, "storage": 50});
    let caches = [json!({}), json!({"replicas": 6}), json!({"replicas": 2})];
    assert_eq!(world.course("cache", world.offer("redis"), &caches).await, [Accepted, Refused, Accepted]);
    let databases = [json!({"tier": "development"}), production.clone(), json!({"tier": "production", "replicas": 1})];
    assert_eq!(world.course("database", world.offer("postgresql"), &databases).await, [Accepted, NeedsApproval, Refused]);
    let asked = [production, json!({"tier": "development", "storage": 20})];
    assert_eq!(world.course("asked", world.offer("postgresql"), &asked).await, [NeedsApproval, Accepted]);
    world.room().await;

    let (mut verdicts, mut changes) = (BTreeMap::<String, u64>::new(), 0);
    for batch in 0..requests.div_ceil(BATCH) {
        let policy = format!("chance-{batch}");
        let spec = chance.policy(&names);
        world.govern(&policy, spec).await;
        let asked: Vec<(String, &Offered, Vec<Value>)> = (0..BATCH.min(requests - batch * BATCH))
            .map(|at| {
                let offered = &world.offers[chance.below(world.offers.len())];
                let mut steps = vec![chance.parameters(&offered.promise.spec)];
                let changed = chance.parameters(&offered.promise.spec);
                if chance.one_in(3) && changed != steps[0] {
                    steps.push(changed);
                }
                (format!("r{batch}-{at}"), offered, steps)
            })
            .collect();
        for judged in join_all(asked.iter().map(|(name, offered, steps)| world.course(name, offered, steps))).await {
            changes += judged.len() - 1;
            for verdict in judged {
                *verdicts.entry(format!("{verdict:?}")).or_default() += 1;
            }
        }
        // Some stay and add up, so that rules of several policies meet.
        if !chance.one_in(3) {
            world.lift(&policy).await;
        }
    }
    println!("{requests} requests and {changes} changes agree: {verdicts:?}");
    let of = |verdict: Verdict| verdicts.get(&format!("{verdict:?}")).copied().unwrap_or_default();
    assert!(of(Refused) * 20 >= requests && (of(Accepted) + of(NeedsApproval)) * 20 >= requests, "one-sided: {verdicts:?}");
    if requests >= 100 {
        assert!(of(Accepted) > 0 && of(NeedsApproval) > 0 && changes > 0, "not every sort is among them: {verdicts:?}");
    }
    world.product.running.close().await;
}
