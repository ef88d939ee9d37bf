//! Promises with real and with large schemas: how long publishing many of them takes, what an order among them costs, their forms beside a
//! bare handler that sends the same bytes, and one check while somebody types.

mod page;
mod schemas;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use futures::{StreamExt, TryStreamExt};
use kube::api::{DynamicObject, ListParams, PostParams, WatchEvent, WatchParams};
use promise::names;
use serde_json::{Value, json};

use crate::load::quantile;
use crate::plane::Plane;
use crate::portal::Portal;

/// Policies that apply to every promise.
const POLICIES: usize = 20;
/// Orders that are averaged.
const ORDERS: usize = 20;
/// Promises of which so many are to be published within [`PUBLISHED`].
const MANY: usize = 200;
const PUBLISHED: Duration = Duration::from_secs(10);
/// The most that an order may cost among the most promises, compared with the fewest.
const GROWTH: f64 = 1.5;
/// A processor is quiet when it worked less than this in [`PAUSE`].
const QUIET: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_millis(500);

/// What is measured.
pub struct Sizes {
    promises: Vec<usize>,
    /// For each page.
    seconds: u64,
}

impl Sizes {
    /// Reads `--promises 4,50,200 --seconds 5`.
    pub fn of(words: &[&str]) -> Self {
        let mut sizes = Self { promises: vec![4, 50, 200], seconds: 5 };
        for pair in words.chunks(2) {
            let [name, value] = pair else { panic!("{pair:?} has no value") };
            match *name {
                "--promises" => sizes.promises = value.split(',').map(|size| size.parse().expect("a number of promises")).collect(),
                "--seconds" => sizes.seconds = value.parse().expect("a number of seconds"),
                other => panic!("unknown argument {other}"),
            }
        }
        sizes
    }
}

/// Measures each size, and the forms. Answers whether every goal was met.
pub async fn measure(sizes: &Sizes) -> bool {
    let (mut all_met, mut least) = (true, None);
    println!("\n## Publishing and orders, under {POLICIES} policies for every promise\n");
    println!(
        "| promises | fields | published within | of it refused | processor, publishing | each | processor, one order | of an order of 300 fields | submit to Ready, p50 | goals |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for size in &sizes.promises {
        let figures = among(*size).await;
        let least = *least.get_or_insert(figures.order);
        let growth = figures.order.as_secs_f64() / least.as_secs_f64();
        let met = (figures.promises > MANY || figures.published <= PUBLISHED) && growth <= GROWTH;
        all_met &= met;
        println!(
            "| {} | {} | {:.1} s | {} | {:.1} s | {:.0} ms | {:.0} ms, {growth:.2} of that with the fewest | {:.0} ms | {:.0} ms | ≤ {PUBLISHED:?} for {MANY}, ≤ {GROWTH} {} |",
            figures.promises,
            figures.fields,
            figures.published.as_secs_f64(),
            figures.refused,
            figures.publishing.as_secs_f64(),
            millis(figures.publishing) / figures.promises as f64,
            millis(figures.order),
            millis(figures.large_order),
            millis(figures.ready),
            page::verdict(met),
        );
    }
    page::measure(sizes.seconds).await && all_met
}

/// What publishing so many promises takes, and an order among them.
struct Figures {
    promises: usize,
    fields: usize,
    refused: usize,
    /// Until all of them are published.
    published: Duration,
    /// Processor time until nothing more happens.
    publishing: Duration,
    order: Duration,
    large_order: Duration,
    ready: Duration,
}

async fn among(size: usize) -> Figures {
    let data = tempfile::tempdir().expect("a folder");
    let portal = Portal::start(data.path()).await;
    let plane = Plane::open(data.path());
    govern(&plane).await;
    // Two of them are ordered.
    let mut schemas: Vec<(String, Value)> = vec![("small".to_owned(), schemas::wide(1)), ("wide".to_owned(), schemas::wide(300))];
    schemas.extend(schemas::real(size.saturating_sub(schemas.len())));
    quiet(&portal).await;
    let (before, began) = (portal.processor(), Instant::now());
    let refused = publish(&plane, &schemas).await;
    let published = began.elapsed();
    quiet(&portal).await;
    let publishing = portal.processor().saturating_sub(before);
    // What is compiled once isn't what an order costs.
    for promise in ["small", "wide"] {
        plane.order(promise, &format!("first-{promise}"), json!({})).await;
    }
    let (order, ready) = orders(&portal, &plane, "small").await;
    let (large_order, _) = orders(&portal, &plane, "wide").await;
    let fields = schemas.iter().map(|(_, schema)| schemas::fields(schema)).sum();
    Figures { promises: schemas.len(), fields, refused, published, publishing, order, large_order, ready }
}

/// Processor time of one order, until nothing more happens, and the median time until it is Ready.
async fn orders(portal: &Portal, plane: &Plane, promise: &str) -> (Duration, Duration) {
    quiet(portal).await;
    let before = portal.processor();
    let mut times = Vec::new();
    for number in 0..ORDERS {
        times.push(plane.order(promise, &format!("{promise}-{number}"), json!({})).await);
    }
    quiet(portal).await;
    times.sort_unstable();
    (portal.processor().saturating_sub(before) / u32::try_from(ORDERS).expect("few"), quantile(&times, 0.5))
}

/// Waits until the portal has nothing to do.
async fn quiet(portal: &Portal) {
    loop {
        let before = portal.processor();
        tokio::time::sleep(PAUSE).await;
        if portal.processor().saturating_sub(before) < QUIET {
            return;
        }
    }
}

/// Creates policies for every promise: some of their parameters most promises lack.
async fn govern(plane: &Plane) {
    let api = plane.policies();
    for number in 0..POLICIES {
        let spec = json!({
            "title": format!("Limits {number}"), "owner": {"team": "Platform"},
            "rules": [
                {"name": "most", "constrain": {"parameter": ".replicas", "maximum": 50}},
                {"name": "asks", "validate": {"expression": format!("!has(parameters.size) || parameters.size != 'x{number}'"), "message": "Choose another size."}},
                {"name": "starts", "default": {"parameter": ".location", "value": "eu-west"}},
                {"name": "when", "constrain": {"parameter": ".tier", "enum": ["small"], "when": "has(parameters.stage) && parameters.stage == 'production'"}},
            ],
        });
        create(&api, &object("Policy", &format!("limits-{number:02}"), spec)).await;
    }
}

/// Publishes promises with these schemas and waits until each is judged; answers how many were refused.
async fn publish(plane: &Plane, schemas: &[(String, Value)]) -> usize {
    let api = plane.promises();
    let from = api.list_metadata(&ListParams::default().limit(1)).await.expect("promises").metadata.resource_version.expect("a version");
    let mut events = api.watch(&WatchParams::default(), &from).await.expect("a watch").boxed();
    let created = async {
        for (name, schema) in schemas {
            create(&api, &object("Promise", name, spec(schema))).await;
        }
    };
    let judged = async {
        let (mut waiting, mut refused): (BTreeSet<&str>, usize) = (schemas.iter().map(|(name, _)| name.as_str()).collect(), 0);
        while !waiting.is_empty() {
            let event = events.try_next().await.expect("an event").expect("the watch goes on");
            let WatchEvent::Modified(promise) = event else { continue };
            let conditions = promise.data["status"]["conditions"].as_array().cloned().unwrap_or_default();
            let Some(published) = conditions.iter().find(|condition| condition["type"] == "Published") else { continue };
            if waiting.remove(promise.metadata.name.as_deref().unwrap_or_default()) {
                refused += usize::from(published["status"] != "True");
            }
        }
        refused
    };
    futures::join!(created, judged).1
}

/// A promise that makes one object of whatever its parameters are.
fn spec(schema: &Value) -> Value {
    let template =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${request.name}"}, "data": {"name": "${request.name}"}});
    json!({
        "version": "1.0.0", "lifecycle": "published", "visibility": "descendants",
        "presentation": {"summary": "Settings of a system.", "category": "runtime", "tags": ["bench"]},
        "parameters": schema,
        "implementation": {"resources": [{"id": "config", "destination": "sandbox", "template": template}]},
    })
}

fn object(kind: &str, name: &str, spec: Value) -> DynamicObject {
    let object = json!({"apiVersion": names::API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec});
    serde_json::from_value(object).expect("an object")
}

async fn create(api: &kube::Api<DynamicObject>, object: &DynamicObject) {
    api.create(&PostParams::default(), object).await.expect("the object is created");
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
