//! A Destination that takes its time keeps a part of the workers, and not all of them.

use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use http::Method;
use serde_json::json;
use tokio::sync::watch;

use crate::destination::{sandbox_over, trio};
use crate::running::WORKERS;
use crate::world::{PATIENCE, Plane, settings};

crate::world::on_every_plane_in_full![a_slow_destination_delays_no_request_that_uses_none];

/// Holds writes of ConfigMaps until it is opened.
#[derive(Clone)]
struct Barrier {
    is_open: watch::Sender<bool>,
    held: Arc<watch::Sender<usize>>,
}

impl Barrier {
    fn closed() -> Self {
        Self { is_open: watch::Sender::new(false), held: Arc::new(watch::Sender::new(0)) }
    }

    fn before(&self, router: axum::Router) -> axum::Router {
        let barrier = self.clone();
        router.layer(from_fn(move |request: Request, next: Next| barrier.clone().pass(request, next)))
    }

    async fn pass(self, request: Request, next: Next) -> Response {
        let is_write = request.method() == Method::PATCH && request.uri().path().contains("/configmaps/");
        if is_write && !*self.is_open.borrow() {
            self.held.send_modify(|held| *held += 1);
            let _ = self.is_open.subscribe().wait_for(|is_open| *is_open).await;
        }
        next.run(request).await
    }

    /// Waits until this many writes are held.
    async fn holds(&self, count: usize) {
        let mut held = self.held.subscribe();
        let enough = tokio::time::timeout(PATIENCE, held.wait_for(|held| *held >= count)).await;
        assert!(enough.is_ok(), "only {} are held", *self.held.borrow());
    }
}

async fn a_slow_destination_delays_no_request_that_uses_none(plane: Plane) {
    let barrier = Barrier::closed();
    let kinds = json!([{"group": "", "kinds": ["ConfigMap", "Secret", "Service"]}]);
    sandbox_over(&plane, barrier.before(plane.router()), kinds).await;
    let controller = plane.controller().await;
    plane.offer().await;
    plane.publish("trio", trio()).await;
    plane.publish("settings", settings("1.0.0")).await;
    let slow: Vec<String> = (0..2 * WORKERS).map(|number| format!("slow-{number}")).collect();
    for name in &slow {
        plane.ask(name, "trio", json!({})).await;
    }
    barrier.holds(WORKERS / 2).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    assert_eq!(*barrier.held.borrow(), WORKERS / 2, "half of the workers are there");
    barrier.is_open.send_replace(true);
    for name in &slow {
        plane.ready(name).await;
    }
    controller.stop().await;
}
