//! The history of the sample world: what it promises to show, that it is consistent, and that a controller finds nothing to do on it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use cluster::controller::ControllerState;
use cluster::kinds::PromiseRequest;
use jiff::Timestamp;
use opm_portal::config::Storage;
use opm_portal::history::{Past, Record, record};
use opm_portal::sample::{Files, World};
use promise::context::Context;
use promise::price::Estimate;
use promise::release::{Content, Labels, content_hash};
use promise::state::{ChangeState, RequestState, RequestStates};

use crate::browser::Product;
use crate::storage::copied;

/// States that people find, and at least how many requests have each.
const SHOWN: [(RequestState, usize); 8] = [
    (RequestState::Ready, 12),
    (RequestState::AwaitingApproval, 2),
    (RequestState::ChangesRequested, 1),
    (RequestState::Rejected, 3),
    (RequestState::Withdrawn, 1),
    (RequestState::Degraded, 1),
    (RequestState::Provisioning, 1),
    (RequestState::Updating, 1),
];
/// Requests that go on where the story ended.
const MOVING: [&str; 2] = ["experiments-db", "forecast-api"];

fn examples() -> Files {
    Files::Directory(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"))
}

/// Versions of all requests and approvals, by uid.
fn versions(product: &Product) -> BTreeMap<String, (String, String)> {
    let world = &product.running.portal.world;
    let requests = world.requests.snapshot();
    let approvals = world.approvals.snapshot();
    let requests = requests.values().map(|request| &request.metadata);
    let all = requests.chain(approvals.values().map(|approval| &approval.metadata));
    all.map(|metadata| {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        (text(&metadata.uid), (text(&metadata.name), text(&metadata.resource_version)))
    })
    .collect()
}

/// Waits until the controller has looked at everything, and rests.
async fn settled(product: &Product) {
    let ready = async {
        let mut state = product.running.portal.controller.clone().expect("a controller");
        state.wait_for(|state| *state == ControllerState::Ready).await.expect("a controller");
        let store = &product.running.sandbox.as_ref().expect("a sandbox").plane.state().store;
        let mut last = 0;
        // The Lease is renewed every five seconds; between two renewals nothing is written once everything rests.
        while last != store.revision() {
            last = store.revision();
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), ready).await.expect("the controller comes to rest");
}

#[test]
fn the_record_is_that_of_the_examples() {
    for files in [examples(), Files::BuiltIn] {
        let record = Record::read(&files).expect("a readable record").expect("a record");
        let world = World::read(&files).expect("a world");
        assert_eq!(record.world, record::fingerprint(&world, &files).expect("a fingerprint"), "{}", record::REMEDY);
    }
}

/// Secrets that lead anywhere must not be in a file that everyone has.
#[test]
fn nothing_of_the_process_is_recorded() {
    let record = Record::read(&examples()).expect("a readable record").expect("a record");
    let mut secrets = BTreeSet::new();
    for object in &record.objects {
        assert!(object.group != "plane" && object.resource != "leases", "{}/{}", object.group, object.resource);
        let text = object.object.to_string();
        assert!(!text.contains("kubeconfig") || object.resource != "secrets", "{text}");
        if object.resource == "secrets" && object.text("namespace") == "opm-system" {
            secrets.insert(object.text("name").to_owned());
        }
    }
    assert_eq!(secrets.into_iter().collect::<Vec<_>>(), [cluster::install::KEYS]);
}

#[test]
fn every_release_has_the_hash_of_its_content() {
    let record = Record::read(&examples()).expect("a readable record").expect("a record");
    let terms = BTreeMap::new();
    let mut count = 0;
    for recorded in record.objects.iter().filter(|object| object.resource == "promisereleases") {
        let release: cluster::kinds::PromiseRelease = serde_json::from_value(recorded.object.clone()).expect("a release");
        let spec = &release.spec;
        let context: Context = serde_json::from_value(spec.context.clone().unwrap_or_default()).expect("a context");
        let price = Estimate::recorded(spec).and_then(|estimate| estimate.monthly.money().cloned());
        let agreed = spec.terms.clone().unwrap_or_default();
        let hash = content_hash(&Content {
            request_uid: &spec.request_uid,
            revision_hash: &spec.revision.hash,
            parameters: &spec.parameters.clone().unwrap_or_default(),
            deletion_policy: agreed.deletion_policy,
            upgrade: agreed.upgrade,
            expires_at: agreed.expires_at.as_deref(),
            destinations: &spec.destinations,
            rules: &spec.rules,
            price: price.as_ref().map(Into::into),
            secrets: &terms,
            labels: Labels { request: &context.request.labels, workspace: &context.workspace.labels },
        });
        let why = format!("{}: {}", release.metadata.name.as_deref().unwrap_or_default(), record::REMEDY);
        assert_eq!(hash.expect("a hash"), spec.content_hash, "{why}");
        count += 1;
    }
    assert!(count >= 25, "{count}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sample_world_is_lived_in_at_its_first_start_and_rests() {
    let folder = tempfile::tempdir().expect("a folder");
    let product = Product::lived_in(folder.path()).await;
    let before = versions(&product);
    settled(&product).await;
    let moved: Vec<String> = versions(&product)
        .into_iter()
        .filter(|(uid, now)| before.get(uid) != Some(now) && !MOVING.contains(&now.0.as_str()))
        .map(|(_, (name, _))| name)
        .collect();
    assert!(moved.is_empty(), "the controller wrote about {moved:?}; {}", record::REMEDY);

    let portal = &product.running.portal;
    let shown = || -> BTreeMap<String, RequestStates> {
        let requests = portal.world.requests.snapshot();
        let states = |request: &PromiseRequest| RequestStates::of(request.status.as_ref(), request.metadata.deletion_timestamp.is_some());
        requests.iter().map(|(key, request)| (format!("{} {}", key.cluster, key.name), states(request))).collect()
    };
    // Requests that go on are read again at the start, which takes a busy machine a while.
    let is_lived_in = || {
        let states = shown();
        let count = |state: RequestState| states.values().filter(|states| states.state == state).count();
        SHOWN.iter().all(|(state, least)| count(*state) >= *least)
    };
    let seen = async {
        while !is_lived_in() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), seen).await.is_ok(), "{:#?}", shown());
    let (requests, states) = (portal.world.requests.snapshot(), shown());
    assert!(states.len() >= 25, "{}", states.len());
    assert!(states.values().any(|states| states.change == Some(ChangeState::AwaitingApproval)));
    assert_eq!(portal.world.orphans.snapshot().len(), 1);
    let soon = |request: &PromiseRequest| {
        let now = portal.clock.now();
        let approvals = request.status.iter().flat_map(|status| &status.approvals);
        let mut ends = approvals.filter_map(|approval| approval.expires_at.as_deref()?.parse::<Timestamp>().ok());
        ends.any(|end| end > now && end.as_second() - now.as_second() < 86_400)
    };
    assert!(requests.values().any(|request| soon(request)), "an approval that expires within a day");
    let latest = requests.values().filter_map(|request| request.metadata.creation_timestamp.as_ref()).map(|time| time.0).max();
    assert!(latest.expect("a request") <= portal.clock.now(), "nothing is from the future");
    pages(&product).await;
    budget(&product).await;
    tour(&product).await;

    // The next start finds all of it, and loads nothing again.
    let all = versions(&product);
    product.running.close().await;
    let folder = copied(folder.path(), &[]);
    let again = Product::lived_in(folder.path()).await;
    settled(&again).await;
    let uids = |versions: &BTreeMap<String, (String, String)>| versions.keys().cloned().collect::<Vec<_>>();
    assert_eq!(uids(&versions(&again)), uids(&all));
    again.running.close().await;
}

/// Requests, approvals, notifications and cost show something to the people they concern.
async fn pages(product: &Product) {
    let mut developer = product.signed_in("dev-shop").await;
    let text = developer.get("/w/root:acme:shop/requests").await.text;
    for name in ["checkout-db", "invoices-db", "loyalty-db", "newsletter"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    let home = developer.until("/", |answer| answer.text.contains("To date")).await;
    assert!(home.text.contains("Sample people, requests and costs."), "{}", home.text);
    let notified = developer.until("/notifications", |answer| answer.text.contains("loyalty-db")).await;
    let unread = notified.text.matches("invoices-db").count() + notified.text.matches("checkout-cache").count();
    assert!(unread < 12, "old news is no news: {}", notified.text);
    let mut approver = product.signed_in("approver").await;
    let waiting = approver.get("/approvals").await.text;
    assert!(waiting.contains("returns-db") && waiting.contains("invoices-db") && waiting.contains("checkout-db"), "{waiting}");
    let decided = approver.get("/approvals?view=decided").await.text;
    assert!(decided.contains("warehouse-db"), "{decided}");
    let commented = requests_page(product, "invoices-db");
    let thread = approver.get(&commented).await.text;
    assert!(thread.contains("80 GiB is three years of new invoices"), "{thread}");
    let mut finance = product.signed_in("finance").await;
    let spent = finance.until("/cost", |answer| answer.text.contains("Monthly cost, 3 months")).await.text;
    assert!(spent.contains("root:acme:shop") && spent.contains("root:acme:data"), "{spent}");
    assert!(!spent.contains("wasn't observed"), "a story has no gaps: {spent}");
}

fn requests_page(product: &Product, name: &str) -> String {
    let requests = product.running.portal.world.requests.snapshot();
    let found = requests.values().find(|request| request.metadata.name.as_deref() == Some(name)).expect("a request");
    format!("/approvals/{}", found.metadata.uid.as_deref().unwrap_or_default())
}

/// Acme's budget is used by about four fifths, so that a newcomer sees it fill up and isn't stopped by it.
async fn budget(product: &Product) {
    let text = product.signed_in("org-owner").await.get("/").await.text;
    let (_, rest) = text.split_once("Monthly spending").expect("a budget");
    let amounts: Vec<f64> = rest
        .split('€')
        .skip(1)
        .take(2)
        .filter_map(|part| {
            part.split(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != ',').next()?.replace(',', "").parse().ok()
        })
        .collect();
    let [used, all] = amounts.as_slice() else { panic!("two amounts: {rest}") };
    assert!((0.75..=0.85).contains(&(used / all)), "{used} of {all}");
}

/// Each person has three things to try, can open all of them, and can dismiss them.
async fn tour(product: &Product) {
    let world = &product.running.sandbox.as_ref().expect("a sandbox").world;
    for person in &world.people {
        let mut browser = product.signed_in(&person.name).await;
        let home = browser.get("/").await.text;
        assert!(person.tour.len() == 3 && home.contains("Three things to try"), "{}: {home}", person.name);
        for stop in &person.tour {
            assert!(home.contains(&stop.title), "{}: {home}", stop.title);
            let answer = browser.get(&stop.to).await;
            assert!(answer.status.is_success(), "{} {}: {}", person.name, stop.to, answer.text);
        }
    }
    let (mut approver, mut finance) = (product.signed_in("approver").await, product.signed_in("finance").await);
    let token = approver.get("/").await.hidden("_token");
    let answer = approver.act(app::actions::path::<app::actions::DismissTour>(), &[("_token", &token)]).await;
    assert_eq!(answer.location(), "/");
    assert!(!approver.get("/").await.text.contains("Three things to try"));
    assert!(finance.get("/").await.text.contains("Three things to try"), "each person dismisses for themselves");
}

/// Who starts without the history is not told to look at it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_world_that_starts_empty_has_no_requests_and_no_tour() {
    let product = Product::quiet().await;
    let home = product.signed_in("dev-shop").await.get("/").await.text;
    assert!(home.contains("No requests yet") && !home.contains("Three things to try"), "{home}");
    product.running.close().await;
}

/// Everything that a first start writes may be cut off at any time; the next one completes it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_first_start_is_completed_by_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = opm_portal::plane::Folder::open(&Storage::Directory(folder.path().to_owned())).expect("a folder");
    let files = Files::BuiltIn;
    let world = World::read(&files).expect("a world");
    let past =
        Past::of(&data, &world, &files, true, Timestamp::from_second(1_790_000_000).expect("a time")).expect("a past").expect("a past");
    let mut initial = past.initial(&files, "https://127.0.0.1:1").expect("objects");
    let all = initial.len();
    initial.truncate(all / 2);
    let clock = std::sync::Arc::new(devplane::SystemClock);
    let store = devplane::store::Store::open(&devplane::Storage::Directory(data.plane()), clock).expect("a store");
    for object in initial {
        store.write(&object.resource, &object.key, 0, Some(object.object)).await.expect("written");
    }
    drop(store);
    let product = Product::lived_in(folder.path()).await;
    assert!(product.running.portal.world.requests.snapshot().len() >= 25);
    let created =
        product.running.portal.world.requests.snapshot().values().filter_map(|request| request.metadata.creation_timestamp.clone()).max();
    assert!(created.expect("a request").0.as_second() < 1_790_000_000, "as the first start began it");
    let text = product.signed_in("dev-shop").await.get("/w/root:acme:shop/requests").await.text;
    assert!(text.contains("checkout-db") && text.contains("storefront"), "{text}");
    product.running.close().await;
}
