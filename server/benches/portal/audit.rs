//! What the record of a write costs: the same writes to the plane with and without a record of the audit log, in turns in the same run.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ObjectMeta, Patch, PatchParams, PostParams};
use opm_portal::audit::{AuditConfig, AuditLog};
use opm_portal::clock::{Clock as _, System};
use promise::audit::{AuditEntry, AuditOutcome};
use serde_json::json;
use store::{ObjectChange, SealKeys, Store};

use crate::load::quantile;
use crate::plane::Plane;

/// People who write at once.
const WRITERS: usize = 16;
/// How often each way of writing has its turn.
const TURNS: u64 = 2;

/// Writes that were made for some seconds.
struct Writes {
    rate: f64,
    p99: Duration,
}

/// Measures writes to the plane of the portal in a folder.
pub async fn measure(data: &Path, plane: &Plane, seconds: u64) {
    let maps: Api<ConfigMap> = Api::namespaced(plane.client("root:acme:shop"), "default");
    for number in 0..WRITERS {
        let map = ConfigMap { metadata: ObjectMeta { name: Some(name(number)), ..ObjectMeta::default() }, ..ConfigMap::default() };
        maps.create(&PostParams::default(), &map).await.expect("a ConfigMap");
    }
    // On the same disk as the plane.
    let store = Store::open(&data.join("measured.sqlite"), SealKeys::ephemeral(&System)).await.expect("a database");
    let log = AuditLog::start(store, "measured".to_owned(), &AuditConfig::default(), None, Arc::new(System), Arc::new(System));
    println!("writes of {WRITERS} people to the plane");
    for _ in 0..TURNS {
        let without = run(&maps, None, seconds).await;
        print(&without, "without a record");
        let with = run(&maps, Some(&log), seconds).await;
        print(&with, "with its record in the audit log");
        let slower = with.p99.as_secs_f64() / without.p99.as_secs_f64();
        println!("    ratio: {:.3} of the rate, {slower:.2} times the p99", with.rate / without.rate);
    }
}

fn name(number: usize) -> String {
    format!("bench-{number}")
}

/// Each writer changes a ConfigMap of its own, again as soon as that was done.
async fn run(maps: &Api<ConfigMap>, log: Option<&AuditLog>, seconds: u64) -> Writes {
    let (begun, length) = (Instant::now(), Duration::from_secs(seconds));
    let one = async |number: usize| {
        let (name, parameters, mut latencies) = (name(number), PatchParams::default(), Vec::new());
        while begun.elapsed() < length {
            let sent = Instant::now();
            let patch = Patch::Merge(json!({"data": {"round": latencies.len().to_string()}}));
            let write = maps.patch(&name, &parameters, &patch);
            match log {
                None => drop(write.await.expect("written")),
                Some(log) => {
                    let intent = log.begin(entry(&name)).await.expect("noted");
                    drop(write.await.expect("written"));
                    intent.end((AuditOutcome::Done, None), (None, None), ObjectChange::None);
                }
            }
            latencies.push(sent.elapsed());
        }
        latencies
    };
    let mut latencies = join_all((0..WRITERS).map(one)).await.concat();
    latencies.sort_unstable();
    Writes { rate: latencies.len() as f64 / begun.elapsed().as_secs_f64(), p99: quantile(&latencies, 0.99) }
}

fn entry(name: &str) -> AuditEntry {
    AuditEntry {
        at: System.now(),
        actor: "dev-shop".to_owned(),
        operation: "change-request".to_owned(),
        kind: "ConfigMap".to_owned(),
        cluster: "measured".to_owned(),
        workspace: "root:acme:shop".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        request_id: "0123456789abcdef".to_owned(),
        ..AuditEntry::default()
    }
}

fn print(writes: &Writes, what: &str) {
    println!("  {what}: {:.0} writes/s, p99 {:.2} ms", writes.rate, writes.p99.as_secs_f64() * 1e3);
}
