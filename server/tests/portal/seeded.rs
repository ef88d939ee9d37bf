//! Numbers on pages beside an independent recomputation: many finished requests over several workspaces, counted again from the plane.
//!
//! Nothing fulfils here: statuses are written as the controller's identity, as it would have written them.

use std::collections::BTreeMap;

use cluster::kinds::{PromiseRequest, PromiseRequestKind, object};
use cluster::{Scope, Target, WorkspacePath};
use futures::{StreamExt as _, stream};
use kube::Api;
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use promise::api::{Health, Phase, PromiseRef, PromiseRequestSpec, PromiseRequestStatus};
use promise::names;
use serde_json::{Value, json};

use crate::browser::{Browser, Product};

const PLACES: [&str; 3] = ["root:acme", "root:acme:shop", "root:acme:data"];
const COUNT: usize = 150;
const PHASES: [&str; 5] = ["Ready", "Ready", "Degraded", "AwaitingApproval", "Failed"];
const HEALTHS: [&str; 5] = ["Healthy", "Healthy", "Degraded", "Progressing", "Missing"];

/// What the controller would say of the request of that number.
fn status(number: usize) -> Value {
    let (phase, promise) = (PHASES[number % PHASES.len()], number % 3);
    let runs = matches!(phase, "Ready" | "Degraded");
    let item = |index: usize| {
        let health = if phase == "Ready" { "Healthy" } else { HEALTHS[(number + index) % HEALTHS.len()] };
        let repairs = (number + index).is_multiple_of(7).then(|| json!({"count": 2, "last": 1_700_000_000, "contested": index == 1}));
        let mut item = json!({"id": format!("part-{index}"), "version": "v1", "kind": (["ConfigMap", "Secret", "Service"][index % 3]),
            "name": format!("object-{number}-{index}"), "namespace": "default", "applied": health != "Missing", "health": health});
        if let Some(repairs) = repairs {
            item["repairs"] = repairs;
        }
        item
    };
    let made: Vec<Value> = (0..if runs { 2 + number % 3 } else { 0 }).map(item).collect();
    let healthy = if phase == "Ready" { "True" } else { "False" };
    let condition = |name: &str, status: &str| {
        let second = 20 + number % 30;
        json!({"type": name, "status": status, "reason": "Said", "lastTransitionTime": format!("2026-11-20T10:00:{second}Z")})
    };
    let current = json!({"release": format!("r-{number}"), "version": format!("1.{promise}.0"), "revision": "redis-1", "since": "2026-11-20T10:00:00Z"});
    let mut status = json!({"observedGeneration": 1, "phase": phase, "inventory": made,
        "conditions": [condition("Healthy", healthy), condition("DriftFree", "True")]});
    if runs {
        status["current"] = current;
    }
    status
}

async fn seed(product: &Product, number: usize) {
    let path = WorkspacePath::parse(PLACES[number % PLACES.len()]).expect("a path");
    let portal = &product.running.portal;
    let tree = portal.world.tree();
    let cluster = tree.cluster(&path).expect("a workspace");
    let name = format!("seeded-{number:04}");
    let made: Api<PromiseRequest> = Api::namespaced(portal.endpoint.client(product.admin(), &Scope::Cluster(cluster)), "default");
    let promise = PromiseRef { name: ["redis", "postgresql"][number % 2].into(), workspace: Some("root:platform".into()), version: None };
    let spec = PromiseRequestSpec { promise, ..PromiseRequestSpec::default() };
    made.create(&PostParams::default(), &object::<PromiseRequestKind>(&name, Some("default"), spec)).await.expect("a request");
    tell(product, path.as_str(), &name, &status(number)).await;
}

/// Writes the status of a request, as the controller does.
pub async fn tell(product: &Product, workspace: &str, name: &str, status: &Value) {
    let portal = &product.running.portal;
    let tree = portal.world.tree();
    let cluster = tree.cluster(&WorkspacePath::parse(workspace).expect("a path")).expect("a workspace");
    let provider = tree.cluster(&WorkspacePath::parse("root:opm").expect("a path")).expect("the provider");
    let scope = Scope::Export { cluster: provider, export: names::EXPORT_REQUESTS.into(), target: Target::Workspace(cluster) };
    let controller = product.running.sandbox.as_ref().and_then(|sandbox| sandbox.identities.token("opm-controller")).expect("a controller");
    let told: Api<PromiseRequest> = Api::namespaced(portal.endpoint.client(controller, &scope), "default");
    let body = json!({"apiVersion": names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": name}, "status": status});
    told.patch_status(name, &PatchParams::apply(names::MANAGER_FULFIL).force(), &Patch::Apply(&body)).await.expect("a status");
}

/// Everything, as it stands on the plane.
async fn counted(product: &Product) -> Vec<(String, PromiseRequestStatus)> {
    let mut all = Vec::new();
    for place in PLACES {
        let scope = Scope::Workspace(WorkspacePath::parse(place).expect("a path"));
        let api: Api<PromiseRequest> = Api::all(product.running.portal.endpoint.client(product.admin(), &scope));
        let requests = api.list(&ListParams::default()).await.expect("a list").items;
        all.extend(requests.into_iter().map(|request| (place.to_owned(), request.status.unwrap_or_default())));
    }
    all
}

async fn shows(browser: &mut Browser, address: &str, texts: &[String]) {
    let answer =
        browser.until(address, |answer| texts.iter().all(|text| answer.text.contains(text.as_str())) || answer.text.len() < 9).await;
    assert!(answer.status.is_success(), "{address}: {}", answer.text);
}

/// The workspaces by which what was made can be narrowed: their counts are those of the plane, beside another filter too, and add up to
/// what fits; one that is chosen is all that is listed.
async fn workspaces(browser: &mut Browser, all: &[(String, PromiseRequestStatus)]) {
    let made = |place: &str, kind: &str| {
        let items = all.iter().filter(|(of, _)| of == place).flat_map(|(_, status)| &status.inventory);
        items.filter(|item| kind.is_empty() || item.kind == kind).count()
    };
    let total: usize = PLACES.iter().map(|place| made(place, "")).sum();
    let mut places = PLACES;
    places.sort_unstable();
    for kind in ["", "Secret"] {
        let fit: usize = places.iter().map(|place| made(place, kind)).sum();
        let narrowed = if kind.is_empty() { String::new() } else { format!("&kind={kind}") };
        let address = format!("/w/root:acme/resources?below=true{narrowed}");
        let text = browser.get(&address).await.text;
        assert!(text.contains(&shown_of(fit, total)), "{address}: {text}");
        let counts = counts(&text);
        assert_eq!(counts, places.map(|place| made(place, kind)), "{address}: {text}");
        assert_eq!(counts.iter().sum::<usize>(), fit, "{address}");
        for place in places {
            let address = format!("{address}&workspace={place}");
            let text = browser.get(&address).await.text;
            assert!(text.contains(&shown_of(made(place, kind), total)), "{address}: {text}");
            assert_eq!(self::counts(&text), counts, "{address}: as if none were chosen");
            let file = browser.get(&address.replace("/resources?", "/resources.csv?")).await.text;
            let lines: Vec<&str> = file.lines().skip(1).collect();
            assert_eq!(lines.len(), made(place, kind), "{address}: {file}");
            assert!(lines.iter().all(|line| line.starts_with(&format!("{place},"))), "{address}: {file}");
        }
    }
}

/// The count of a list, as its page shows it.
fn shown_of(matching: usize, total: usize) -> String {
    let resources = promise::wording::counted(total as u64, "resource");
    match matching {
        _ if matching == total => format!(" of {resources}<"),
        0 => format!("No matches in {resources}<"),
        _ => format!(" of {matching} matching, {resources} in total<"),
    }
}

/// The counts of the workspaces by which a list can be narrowed, in their order.
fn counts(page: &str) -> Vec<usize> {
    let (_, rest) = page.split_once("<span class=\"chip-label\">Workspace</span>").expect("the workspaces");
    let (links, _) = rest.split_once("</nav>").expect("their end");
    let numbers = links.split("<span class=\"n\">").skip(1).filter_map(|count| count.split('<').next());
    numbers.map(|count| count.parse().expect("a number")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn totals_of_every_page_equal_what_the_plane_has() {
    let product = Product::quiet().await;
    stream::iter(0..COUNT).for_each_concurrent(8, |number| seed(&product, number)).await;
    let all = counted(&product).await;
    assert_eq!(all.len(), COUNT);
    let items: Vec<_> = all.iter().flat_map(|(_, status)| &status.inventory).collect();
    let that = |fits: fn(Health) -> bool| items.iter().filter(|item| fits(item.health)).count();
    let (healthy, broken) = (that(|health| health == Health::Healthy), that(|health| matches!(health, Health::Degraded | Health::Missing)));
    let applied = items.iter().filter(|item| item.applied).count();
    let drifted = items.iter().filter(|item| item.repairs.is_some()).count();
    let instances = all.iter().filter(|(_, status)| !status.inventory.is_empty()).count();
    assert!(healthy > 0 && broken > 0 && drifted > 0 && applied < items.len(), "the numbers differ from one another");

    let mut owner = product.signed_in("org-owner").await;
    let figure = |name: &str, number: usize| format!("<dt>{name}</dt><dd><b>{number}</b>");
    let figures = [
        figure("Resources", items.len()),
        format!("in {instances} instances"),
        figure("Applied", applied),
        figure("Healthy", healthy),
        format!("{broken} unhealthy, {} starting or unknown", items.len() - healthy - broken),
        figure("Drifted", drifted),
        shown_of(items.len(), items.len()),
    ];
    shows(&mut owner, "/w/root:acme/resources?below=true", &figures).await;
    let secrets: Vec<_> = items.iter().filter(|item| item.kind == "Secret" && item.health == Health::Degraded).collect();
    let drifted_secrets = secrets.iter().filter(|item| item.repairs.is_some()).count();
    let narrowed =
        [shown_of(secrets.len(), items.len()), format!("Drifted<span class=\"n\">{drifted_secrets}</span>"), figure("Drifted", drifted)];
    shows(&mut owner, "/w/root:acme/resources?below=true&kind=Secret&health=Degraded", &narrowed).await;
    let file = owner.get("/w/root:acme/resources.csv?below=true").await;
    assert_eq!(file.text.lines().count(), items.len() + 1, "a line for each, and the head");
    let pages = items.len().div_ceil(50);
    let mut rows = 0;
    for page in 1..=pages {
        rows += owner.get(&format!("/w/root:acme/resources?below=true&page={page}")).await.text.matches("data-label=\"Instance\"").count();
    }
    assert_eq!(rows, items.len(), "every object is on one page");
    workspaces(&mut owner, &all).await;

    let mut phases: BTreeMap<Phase, usize> = BTreeMap::new();
    for (_, status) in &all {
        *phases.entry(status.phase).or_default() += 1;
    }
    let overview = owner.get("/platform").await.text;
    assert!(overview.contains(&format!("Based on {COUNT} requests")), "{overview}");
    for (phase, count) in phases {
        assert!(overview.contains(&format!("<b>{count}</b></a></dd>")), "{phase:?}: {count} in {overview}");
    }
    let places = all.iter().filter(|(place, status)| place == "root:acme:shop" && status.current.is_some()).count();
    assert!(overview.contains(&format!("aria-label=\"{places} in root:acme:shop\"")), "{overview}");
    // Waits on people: all that await a decision, none of whom has said since when.
    let open = all.iter().filter(|(_, status)| status.phase == Phase::AwaitingApproval).count();
    assert!(overview.contains(&format!("<h2>Pending approvals</h2><span class=\"basis\">{open}</span>")), "{overview}");
    product.running.close().await;
}
