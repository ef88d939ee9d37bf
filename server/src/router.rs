//! Every route of the portal, on one page.

use std::sync::Arc;

use app::routes::LIVE;
use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tower_http::compression::CompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;

use crate::auth::{csrf, gate};
use crate::state::Portal;
use crate::web::host::Hosts;
use crate::web::request_log::Log;
use crate::web::{headers, health, host, request_log};
use crate::{live, pages};

/// Every route with all that stands before it.
pub fn router(portal: &Arc<Portal>) -> Router {
    // Everything that is about somebody passes the gate.
    let people = Router::new()
        .merge(pages::routes())
        .route(LIVE, get(live::subscribe))
        .layer(from_fn_with_state(portal.clone(), gate::pass))
        .layer(from_fn_with_state(Hosts::new(portal.public_authority.as_deref()), host::check));
    // Probes come by address, with any name.
    let probes = Router::new().route("/healthz", get(health::alive)).route("/readyz", get(health::ready));

    let log = Log { clock: portal.clock.clone(), random: portal.random.clone() };
    people
        .merge(probes)
        .with_state(portal.clone())
        .layer(RequestBodyLimitLayer::new(csrf::MAX_BODY))
        .layer(CompressionLayer::new().gzip(true).br(true))
        .layer(from_fn(headers::set))
        .layer(from_fn_with_state(log, request_log::record))
}
