//! Metrics for Prometheus: the recorder of this process, and the page that Prometheus reads.
//!
//! Code records what happens where it happens, through the crate `metrics`; without a recorder that does nothing. What is only known as a
//! state, such as the size of a cache, is read when Prometheus asks. [`catalog`] lists every metric with its labels: there is one series for
//! each of a fixed set of words, never one for each person, workspace, request or address.

pub mod catalog;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use cluster::controller::ControllerState;
use cluster::watch::Freshness;
use http::{StatusCode, header};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use store::DeliveryState;
use tokio_util::sync::CancellationToken;

use crate::portal::Portal;

/// Content type of the text format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Upper bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 11] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0];
/// How often observations are moved into buckets. Without that they would be kept one by one until Prometheus asks.
const MOVE: Duration = Duration::from_secs(5);

/// The recorder of the process: there can be only one.
static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Starts recording. Returns whether metrics are recorded; a process that already records in another way keeps doing so.
pub fn start() -> bool {
    let recorder = RECORDER.get_or_init(|| {
        let builder = PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_duration_seconds".to_owned()), &BUCKETS);
        match builder.map(PrometheusBuilder::install_recorder) {
            Ok(Ok(handle)) => {
                catalog::describe();
                Some(handle)
            }
            Ok(Err(error)) | Err(error) => {
                tracing::error!(%error, "metrics can't be recorded");
                None
            }
        }
    });
    recorder.is_some()
}

/// Keeps the recorder small until shutdown.
pub async fn keep(shutdown: CancellationToken) {
    let Some(Some(recorder)) = RECORDER.get() else { return };
    loop {
        recorder.run_upkeep();
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(MOVE) => {}
        }
    }
}

/// Answers Prometheus.
pub async fn scrape(State(portal): State<Arc<Portal>>) -> Response {
    let Some(Some(recorder)) = RECORDER.get() else { return StatusCode::NOT_FOUND.into_response() };
    observe(&portal).await;
    ([(header::CONTENT_TYPE, TEXT)], recorder.render()).into_response()
}

/// Reads the states that nothing records.
async fn observe(portal: &Portal) {
    metrics::gauge!("opm_event_streams").set(portal.streams.open() as f64);
    if let Some(bytes) = resident() {
        metrics::gauge!("process_resident_memory_bytes").set(bytes as f64);
    }
    if portal.keeps_caches {
        caches(portal);
    }
    if let Some(state) = portal.controller.as_ref().map(|state| state.borrow().clone()) {
        let leads = matches!(state, ControllerState::Starting { .. } | ControllerState::Ready | ControllerState::Degraded { .. });
        metrics::gauge!("opm_controller_leader").set(f64::from(leads));
        metrics::gauge!("opm_controller_ready").set(f64::from(matches!(state, ControllerState::Ready | ControllerState::Standby { .. })));
    }
    for (word, state) in [("waiting", DeliveryState::Waiting), ("given_up", DeliveryState::Dead)] {
        match portal.store.count_deliveries(state).await {
            Ok(count) => metrics::gauge!("opm_messages", "state" => word).set(count as f64),
            Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "messages can't be counted for the metrics"),
        }
    }
}

fn caches(portal: &Portal) {
    let world = &portal.world;
    let caches = [
        ("workspaces", world.workspaces.snapshot().len(), world.workspaces.freshness()),
        ("requests", world.requests.snapshot().len(), world.requests.freshness()),
        ("releases", world.releases.snapshot().len(), world.releases.freshness()),
        ("request_bindings", world.request_bindings.snapshot().len(), world.request_bindings.freshness()),
        ("promises", world.promises.snapshot().len(), world.promises.freshness()),
        ("revisions", world.revisions.snapshot().len(), world.revisions.freshness()),
        ("catalogs", world.catalogs.snapshot().len(), world.catalogs.freshness()),
        ("policies", world.policies.snapshot().len(), world.policies.freshness()),
        ("destinations", world.destinations.snapshot().len(), world.destinations.freshness()),
        ("endpoints", world.endpoints.snapshot().len(), world.endpoints.freshness()),
        ("workflows", world.workflows.snapshot().len(), world.workflows.freshness()),
        ("catalog_bindings", world.catalog_bindings.snapshot().len(), world.catalog_bindings.freshness()),
        ("orphans", world.orphans.snapshot().len(), world.orphans.freshness()),
    ];
    for (cache, objects, freshness) in caches {
        metrics::gauge!("opm_cache_objects", "cache" => cache).set(objects as f64);
        metrics::gauge!("opm_cache_synced", "cache" => cache).set(f64::from(freshness == Freshness::Synced));
    }
}

/// Returns the memory of this process that is not swapped out, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
