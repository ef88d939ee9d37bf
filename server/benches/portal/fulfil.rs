//! Fulfilment at several numbers of instances: requests to Ready, alone and many at once, what it costs the plane and the controller, and how
//! a restart and a changed policy are felt. The controller is a process of its own, so that its memory and its calls can be told apart.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use futures::{StreamExt, TryStreamExt};
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, WatchEvent, WatchParams};
use serde_json::json;

use crate::http::{Connection, request};
use crate::load::quantile;
use crate::plane::Plane;
use crate::portal::{Portal, free_port, memory};

/// Requests that are ordered one after the other at each size.
const SINGLE: usize = 100;
/// How often a policy is changed just before a request is ordered.
const EDITS: usize = 20;
/// Requests that are created at the same time.
const AT_ONCE: usize = 32;
/// How long the calls of a controller with nothing to do are counted.
const IDLE: Duration = Duration::from_secs(30);
/// How long the controller rests before that.
const REST: Duration = Duration::from_secs(5);
/// The promise that is ordered.
const PROMISE: &str = "settings-000";

/// What is measured.
pub struct Sizes {
    instances: Vec<usize>,
}

impl Sizes {
    /// Reads `--instances 100,1000,10000`.
    pub fn of(words: &[&str]) -> Self {
        match words {
            [] => Self { instances: vec![100, 1_000, 10_000] },
            ["--instances", sizes] => {
                Self { instances: sizes.split(',').map(|size| size.parse().expect("a number of instances")).collect() }
            }
            other => panic!("unknown arguments {other:?}"),
        }
    }
}

/// A controller of its own; killed when dropped.
struct Controller {
    child: Child,
    metrics: u16,
}

impl Controller {
    /// Starts it on the plane of a portal, and waits until it serves its metrics.
    async fn start(plane: &Path, data: &Path) -> Self {
        let binary = std::env::var("OPM_PORTAL").expect("OPM_PORTAL names the release binary: use cargo xtask bench");
        let metrics = free_port();
        let child = Command::new(binary)
            .args(["serve", "--plane", "kubeconfig", "--roles", "controller", "--port", "0", "--sign-in", "token"])
            .args(["--public-url", "http://127.0.0.1", "--metrics-port", &metrics.to_string(), "--kubeconfig"])
            .arg(Portal::kubeconfig(plane))
            .arg("--data")
            .arg(data)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the controller starts");
        let controller = Self { child, metrics };
        let begun = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", metrics)).await.is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "the controller serves no metrics after a minute");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        controller
    }

    /// The sum of a metric over the series whose labels contain a text.
    async fn metric(&self, name: &str, labels: &str) -> f64 {
        let answer = Connection::open(self.metrics).await.send(&request("GET", "/metrics", self.metrics, &[], "")).await;
        let text = answer.text();
        let lines = text.lines().filter(|line| line.starts_with(name) && line.contains(labels));
        lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
    }

    /// Calls to the plane and to Destinations so far.
    async fn calls(&self) -> f64 {
        self.metric("opm_plane_requests_total{", "").await
    }

    /// Waits until it leads, has looked at this many objects, and has nothing left to do.
    async fn is_idle(&self, looked_at: usize) {
        let begun = Instant::now();
        loop {
            let (done, waiting) = (self.metric("opm_reconciles_total{", "").await, self.metric("opm_queue_depth{", "").await);
            if done >= looked_at as f64 && waiting == 0.0 {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(600), "not idle after ten minutes: {done} done, {waiting} waiting");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What one size came to.
struct Row {
    instances: usize,
    rate: f64,
    alone: Vec<Duration>,
    after_edit: Vec<Duration>,
    calls: f64,
    idle: f64,
    memory: f64,
    restart: Duration,
}

/// Measures each size, on one world that grows.
pub async fn measure(sizes: &Sizes) {
    let folder = tempfile::tempdir().expect("a folder");
    let (world, own) = (folder.path().join("plane"), folder.path().join("controller"));
    let _portal = Portal::start_with(&world, &["--roles", "plane,web"]).await;
    let plane = Plane::open(&world);
    let mut controller = Controller::start(&world, &own).await;
    plane.publish_pattern(PROMISE).await;
    order_many(&plane, 0, AT_ONCE).await;
    let mut instances = AT_ONCE;
    let (first, at_first) = (memory(&controller.child, "RssAnon:"), instances);
    println!("submit to Ready of a promise with a ConfigMap, a Secret and a Service, at most {AT_ONCE} at once\n");
    println!(
        "| instances | requests/s | one at a time: p50, p99 | just after a policy's title changed: p99 | calls for each request \
         | calls for each instance and hour without changes | memory for each instance | restart until idle |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for size in &sizes.instances {
        let many = size.saturating_sub(instances + SINGLE + EDITS);
        let before = controller.calls().await;
        let took = order_many(&plane, instances, many).await;
        let calls = (controller.calls().await - before) / many.max(1) as f64;
        instances += many;
        let alone = order_alone(&plane, instances, SINGLE, false).await;
        instances += SINGLE;
        let after_edit = order_alone(&plane, instances, EDITS, true).await;
        instances += EDITS;
        controller.is_idle(0).await;
        tokio::time::sleep(REST).await;
        let before = controller.calls().await;
        tokio::time::sleep(IDLE).await;
        let idle = (controller.calls().await - before) * 3_600.0 / IDLE.as_secs_f64() / instances as f64;
        // After the pause: an allocator gives back what a burst took only some seconds later.
        let resident = memory(&controller.child, "RssAnon:");
        drop(controller);
        let begun = Instant::now();
        controller = Controller::start(&world, &own).await;
        controller.is_idle(instances).await;
        let row = Row {
            instances,
            rate: many as f64 / took.as_secs_f64(),
            alone,
            after_edit,
            calls,
            idle,
            memory: (resident - first) * 1024.0 / (instances - at_first).max(1) as f64,
            restart: begun.elapsed(),
        };
        row.print();
    }
    println!(
        "\ngoals: 200 requests/s, a p99 that stays the same, at most 100 ms more after a policy changed, 1 call for each instance and hour, 10 KiB, 10 s"
    );
}

impl Row {
    fn print(&self) {
        let millis = |times: &[Duration], share| quantile(times, share).as_secs_f64() * 1e3;
        println!(
            "| {} | {:.0} | {:.0} ms, {:.0} ms | {:.0} ms | {:.1} | {:.1} | {:.1} KiB | {:.1} s |",
            self.instances,
            self.rate,
            millis(&self.alone, 0.5),
            millis(&self.alone, 0.99),
            millis(&self.after_edit, 0.99),
            self.calls,
            self.idle,
            self.memory,
            self.restart.as_secs_f64(),
        );
    }
}

/// Orders one after the other; answers the sorted times.
async fn order_alone(plane: &Plane, first: usize, count: usize, edits_policy: bool) -> Vec<Duration> {
    let policies = plane.policies();
    let policy = policies.list(&ListParams::default().limit(1)).await.expect("policies").items.into_iter().next();
    let mut times = Vec::with_capacity(count);
    for number in first..first + count {
        if let Some(name) = policy.as_ref().and_then(|policy| policy.metadata.name.as_deref()).filter(|_| edits_policy) {
            let patch = Patch::Merge(json!({"spec": {"title": format!("Title {number}")}}));
            policies.patch(name, &PatchParams::default(), &patch).await.expect("the policy is changed");
        }
        let name = name(number);
        times.push(plane.order(PROMISE, &name, json!({"text": name})).await);
    }
    times.sort_unstable();
    times
}

/// Orders many at once; answers how long it took until the last was Ready.
async fn order_many(plane: &Plane, first: usize, count: usize) -> Duration {
    let api: Api<DynamicObject> = plane.requests();
    let from = api.list_metadata(&ListParams::default().limit(1)).await.expect("requests").metadata.resource_version.expect("a version");
    let begun = Instant::now();
    let orders = futures::stream::iter(first..first + count).map(|number| {
        let name = name(number);
        async move { plane.create(PROMISE, &name, json!({"text": name})).await }
    });
    let orders = orders.buffer_unordered(AT_ONCE).collect::<Vec<()>>();
    let ready = async {
        let mut left: std::collections::HashSet<String> = (first..first + count).map(name).collect();
        let mut from = from;
        while !left.is_empty() {
            let mut events = api.watch(&WatchParams::default(), &from).await.expect("a watch").boxed();
            while let Ok(Some(event)) = events.try_next().await {
                let WatchEvent::Modified(object) = event else { continue };
                from = object.metadata.resource_version.clone().unwrap_or(from);
                assert!(object.data["status"]["phase"] != "Failed", "a request failed: {}", object.data["status"]["conditions"]);
                if object.data["status"]["phase"] == "Ready" {
                    left.remove(object.metadata.name.as_deref().unwrap_or_default());
                }
                if left.is_empty() {
                    break;
                }
            }
        }
    };
    tokio::join!(orders, ready);
    begun.elapsed()
}

fn name(number: usize) -> String {
    format!("bench-{number:06}")
}
