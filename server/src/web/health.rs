//! `/healthz`: the process runs. `/readyz`: it can serve people, with one line per part that it needs.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use cluster::watch::Freshness;
use http::StatusCode;

use crate::state::Portal;

/// The process answers.
pub async fn alive() -> &'static str {
    "ok\n"
}

/// Everything that pages need answers.
pub async fn ready(State(portal): State<Arc<Portal>>) -> Response {
    let database = portal.store.ping().await.is_ok();
    let plane = |freshness: Freshness| freshness == Freshness::Synced;
    let parts = [
        ("database", database),
        ("promises", plane(portal.world.promises.freshness())),
        ("requests", plane(portal.world.requests.freshness())),
        ("workspaces", plane(portal.world.workspaces.freshness())),
    ];
    let ready = parts.iter().all(|(_, ready)| *ready) && !portal.shutdown.is_cancelled();
    let lines: String = parts.iter().map(|(part, ready)| format!("{part}: {}\n", if *ready { "ok" } else { "not ready" })).collect();
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, lines).into_response()
}
