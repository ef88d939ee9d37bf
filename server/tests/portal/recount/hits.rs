//! Pages of policies: whom each of them concerns follows from the statuses of requests on the plane, read anew here.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use cluster::kinds::{Policy, PromiseCatalog, PromiseRequest};
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use promise::api::{ConditionStatus, PolicyResult, PromiseRequestStatus, RuleChange};
use serde_json::{Value, json};

use crate::browser::Product;
use crate::home::order;
use crate::policies::{client, write_policy};

const ACME: &str = "root:acme";
const SHOP: &str = "root:acme:shop";
const PLATFORM: &str = "root:platform";

/// Names of requests, by where a policy is set and its name.
type Concerned = BTreeMap<(String, String), BTreeSet<String>>;
/// Statuses of requests, by name.
type Statuses = BTreeMap<String, PromiseRequestStatus>;

/// A policy for caches.
fn policy(title: &str, enforcement: &str, rule: Value) -> Value {
    let owner = json!({"team": "Acme"});
    json!({"title": title, "owner": owner, "enforcement": enforcement, "appliesTo": {"promises": ["redis"]}, "rules": [rule]})
}

fn at_most(maximum: u32) -> Value {
    json!({"name": "copies", "constrain": {"parameter": ".replicas", "maximum": maximum}})
}

fn several() -> Value {
    json!({"name": "copies", "validate": {"expression": "parameters.replicas > 1", "message": "Keep two copies."}})
}

/// What is said of all requests of the shop, once it fits.
async fn statuses(product: &Product, fits: impl Fn(&Statuses) -> bool) -> Statuses {
    let api: Api<PromiseRequest> = Api::all(client(product, SHOP));
    let asking = async {
        loop {
            let all = api.list(&ListParams::default()).await.expect("a list").items;
            let of = |request: PromiseRequest| (request.metadata.name.unwrap_or_default(), request.status.unwrap_or_default());
            let all: Statuses = all.into_iter().map(of).collect();
            if fits(&all) {
                return all;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), asking).await.expect("the requests fit")
}

/// Waits until the controller has read the policies: from then on they count.
async fn are_read(policies: &Api<Policy>) {
    let asking = async {
        loop {
            let all = policies.list(&ListParams::default()).await.expect("a list").items;
            let is_read = |policy: &Policy| {
                let conditions = policy.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
                conditions.iter().any(|known| known.r#type == "Compiled" && known.status == ConditionStatus::True)
            };
            if all.iter().all(is_read) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), asking).await.expect("the policies are read");
}

/// The part of a page under a heading.
fn section<'p>(page: &'p str, id: &str) -> &'p str {
    page.split(&format!("<h2 id=\"{id}\">")).nth(1).and_then(|rest| rest.split("</section>").next()).unwrap_or_default()
}

/// Requests that a part of a page names.
fn named(section: &str) -> BTreeSet<String> {
    let cells = section.split("<th scope=\"row\">").skip(1);
    cells.filter_map(|cell| Some(cell.split("</a>").next()?.rsplit('>').next()?.to_owned())).collect()
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_policies_name_whom_their_rules_concern_and_nobody_else() {
    let product = Product::open().await;
    write_policy(&product, ACME, "counted", policy("Counted", "audit", several())).await;
    write_policy(&product, ACME, "advised", policy("Advised", "warn", several())).await;
    write_policy(&product, ACME, "settled", policy("Settled", "block", at_most(4))).await;
    write_policy(&product, ACME, "untouched", policy("Untouched", "block", at_most(5))).await;
    let policies: Api<Policy> = Api::all(client(&product, ACME));
    are_read(&policies).await;
    order(&product, SHOP, "cache", "redis").await;
    order(&product, SHOP, "pictures", "object-bucket").await;

    // One policy changes, one goes, and so does the price of something that neither concerns.
    let changed = json!({"spec": policy("Settled", "block", at_most(3))});
    policies.patch("settled", &PatchParams::default(), &Patch::Merge(&changed)).await.expect("changed");
    policies.delete("advised", &DeleteParams::default()).await.expect("deleted");
    let catalogs: Api<PromiseCatalog> = Api::all(client(&product, PLATFORM));
    let mut prices = serde_json::to_value(&catalogs.get("standard").await.expect("a catalog").spec.prices).expect("prices");
    prices[0]["values"]["bucket"]["standard"] = json!("3.10");
    let dearer = json!({"spec": {"prices": prices}});
    catalogs.patch("standard", &PatchParams::default(), &Patch::Merge(&dearer)).await.expect("dearer");
    let all = statuses(&product, |all| {
        let outdated = |name: &str| all.get(name).and_then(|status| status.outdated.clone()).unwrap_or_default();
        let changes: BTreeSet<RuleChange> = outdated("cache").rules.iter().map(|rule| rule.change).collect();
        changes == BTreeSet::from([RuleChange::Changed, RuleChange::Removed]) && outdated("pictures").price.is_some()
    })
    .await;

    let (mut outdated, mut warned, mut priced) = (Concerned::new(), Concerned::new(), BTreeSet::new());
    for (name, status) in &all {
        for rule in status.outdated.iter().flat_map(|outdated| &outdated.rules) {
            let policy = (rule.source.clone().expect("a place"), rule.policy.clone());
            outdated.entry(policy).or_default().insert(name.clone());
        }
        for outcome in status.policies.iter().filter(|outcome| outcome.result == PolicyResult::Warned) {
            warned.entry((outcome.source.clone(), outcome.policy.clone())).or_default().insert(name.clone());
        }
        if status.outdated.as_ref().is_some_and(|outdated| outdated.rules.is_empty()) {
            priced.insert(name.clone());
        }
    }
    let of = |all: &Concerned, policy: &str| all.get(&(ACME.to_owned(), policy.to_owned())).cloned().unwrap_or_default();
    // What the statuses say is what was done.
    assert_eq!((of(&outdated, "settled"), of(&outdated, "advised")), (names(&["cache"]), names(&["cache"])));
    assert_eq!((of(&outdated, "counted"), of(&outdated, "untouched")), (BTreeSet::new(), BTreeSet::new()));
    assert_eq!((&priced, of(&warned, "counted")), (&names(&["pictures"]), names(&["cache"])));

    let mut owner = product.signed_in("org-owner").await;
    for policy in policies.list(&ListParams::default()).await.expect("a list").items {
        let name = policy.metadata.name.expect("a name");
        let fits =
            |page: &str| named(section(page, "outdated")) == of(&outdated, &name) && named(section(page, "warned")) == of(&warned, &name);
        let page = owner.until(&format!("/platform/policies/{ACME}/{name}"), |answer| fits(&answer.text)).await.text;
        match name.as_str() {
            "settled" => {
                let mut rules = all["cache"].outdated.iter().flat_map(|outdated| &outdated.rules);
                let changed = rules.find(|rule| rule.policy == "settled").and_then(|rule| rule.sentence.as_ref());
                let told = format!("Changed: {}", changed.expect("a sentence"));
                assert!(section(&page, "outdated").contains(&told), "{told}: {page}");
            }
            "counted" => assert!(section(&page, "warned").contains("Recorded: "), "{page}"),
            _ => {}
        }
    }
    // What no policy that is there has to do with is told apart from them.
    let told = |page: &str| named(section(page, "priced")) == priced && named(section(page, "others")) == of(&outdated, "advised");
    let list = owner.until("/platform/policies", |answer| told(&answer.text)).await.text;
    assert!(section(&list, "others").contains("The rule copies of advised, set at root:acme, no longer applies"), "{list}");
    assert!(list.contains("1 instance runs under an older version of a policy"), "{list}");
    product.running.close().await;
}
