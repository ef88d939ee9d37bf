//! Two controllers of different identities on one plane: one leads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cluster::Endpoint;
use cluster::controller::ControllerState;
use cluster::install::{LEASE, SYSTEM_NAMESPACE};
use jiff::SignedDuration;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use serde_json::json;
use tokio::sync::Notify;
use tower::ServiceExt as _;

use crate::running::Running;
use crate::world::{PATIENCE, Plane, settings, wait};

crate::world::on_every_plane_in_full![
    another_takes_over_after_a_crash_and_at_once_after_an_orderly_end,
    nobody_else_leads_while_what_was_begun_is_still_being_ended,
    who_cannot_renew_has_stopped_before_another_begins,
];

/// How a call of a controller is told from others.
type Meant = fn(&http::Request<kube::client::Body>) -> bool;

/// A way to the plane on which calls can be held up.
struct Way {
    endpoint: Endpoint,
    /// Writes that got through, to anything but Leases.
    writes: Arc<AtomicUsize>,
    holds: Arc<AtomicBool>,
    held: Arc<Notify>,
    open: Arc<Notify>,
}

impl Way {
    fn to(plane: &Plane, meant: Meant) -> Self {
        let (router, holds, held, open) =
            (plane.router(), Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()), Arc::new(Notify::new()));
        let writes = Arc::new(AtomicUsize::new(0));
        let way = (holds.clone(), held.clone(), open.clone(), writes.clone());
        let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            let (router, (holds, held, open, writes)) = (router.clone(), way.clone());
            async move {
                if holds.load(Ordering::SeqCst) && meant(&request) {
                    held.notify_one();
                    open.notified().await;
                }
                if request.method() != http::Method::GET && !is_lease(&request) {
                    writes.fetch_add(1, Ordering::SeqCst);
                }
                router.oneshot(request).await
            }
        });
        Self { endpoint: Endpoint::in_process("held up", service), writes, holds, held, open }
    }

    fn close(&self) {
        self.holds.store(true, Ordering::SeqCst);
    }

    fn open(&self) {
        self.holds.store(false, Ordering::SeqCst);
        self.open.notify_one();
    }
}

fn is_lease(request: &http::Request<kube::client::Body>) -> bool {
    request.uri().path().contains("/leases")
}

fn is_waiting(state: &ControllerState) -> bool {
    matches!(state, ControllerState::Waiting { .. } | ControllerState::Standby { .. })
}

async fn working(controller: &mut Running) {
    controller.until("working", |state| *state == ControllerState::Ready).await;
}

/// One that leads, and another that waits for it.
async fn rivals(plane: &Plane, way: &Way) -> (Running, Running) {
    let mut one = plane.beginning_rival("one", way.endpoint.clone());
    working(&mut one).await;
    let mut two = plane.beginning_rival("two", plane.endpoint.clone());
    two.until("waiting for one", |state| matches!(state, ControllerState::Standby { why } if why.contains("one"))).await;
    plane.offer().await;
    plane.publish("settings", settings("1.0.0")).await;
    (one, two)
}

fn leases(plane: &Plane) -> Api<Lease> {
    Api::namespaced(plane.client("admin", "root:opm"), SYSTEM_NAMESPACE)
}

fn holder(lease: &Lease) -> Option<&str> {
    lease.spec.as_ref()?.holder_identity.as_deref()
}

async fn another_takes_over_after_a_crash_and_at_once_after_an_orderly_end(plane: Plane) {
    let (one, mut two) = rivals(&plane, &Way::to(&plane, |_| false)).await;
    plane.ask("before", "settings", json!({})).await;
    plane.ready("before").await;
    one.crash();
    working(&mut two).await;
    plane.ask("after", "settings", json!({})).await;
    plane.ready("after").await;

    let mut three = plane.beginning_rival("three", plane.endpoint.clone());
    three.until("waiting for two", |state| matches!(state, ControllerState::Standby { why } if why.contains("two"))).await;
    two.stop().await;
    let given_back = leases(&plane).get(LEASE).await.unwrap();
    assert!(matches!(holder(&given_back), None | Some("three")), "{given_back:?}");
    working(&mut three).await;
    three.stop().await;
}

/// The write that is on its way when the process is told to end takes longer than a Lease lasts.
async fn nobody_else_leads_while_what_was_begun_is_still_being_ended(plane: Plane) {
    let way = Way::to(&plane, |request| request.method() != http::Method::GET && request.uri().path().contains("/configmaps"));
    let (one, mut two) = rivals(&plane, &way).await;
    way.close();
    plane.ask("web", "settings", json!({})).await;
    tokio::time::timeout(PATIENCE, way.held.notified()).await.expect("a write is on its way");
    let stopping = tokio::spawn(one.stop());
    let begun = leases(&plane).get(LEASE).await.unwrap().spec.unwrap().renew_time.unwrap().0;
    let later = |lease: &Lease| {
        lease.spec.as_ref().and_then(|spec| spec.renew_time.as_ref()).is_some_and(|at| at.0 > begun + SignedDuration::from_secs(16))
    };
    let renewed = wait(leases(&plane), LEASE, "renewed or taken over", later).await;
    assert_eq!(holder(&renewed), Some("one"), "it is renewed until everything has ended");
    assert!(is_waiting(&two.state.borrow()), "{:?}", two.state.borrow());
    way.open();
    stopping.await.unwrap();
    working(&mut two).await;
    plane.ready("web").await;
    two.stop().await;
}

/// The one that leads no longer reaches its Lease, and everything else as before.
async fn who_cannot_renew_has_stopped_before_another_begins(plane: Plane) {
    let way = Way::to(&plane, is_lease);
    let (one, mut two) = rivals(&plane, &way).await;
    way.close();
    two.until("leading", |state| !is_waiting(state)).await;
    assert!(is_waiting(&one.state.borrow()), "both lead: {:?}", one.state.borrow());
    let before = way.writes.load(Ordering::SeqCst);
    assert!(before > 0, "it wrote while it led");
    working(&mut two).await;
    plane.ask("web", "settings", json!({})).await;
    plane.ready("web").await;
    wait(plane.config_maps(), "web-config", "made", |map: &ConfigMap| map.data.is_some()).await;
    assert_eq!(way.writes.load(Ordering::SeqCst), before, "who no longer leads writes nothing");
    two.stop().await;
    drop(one);
}
