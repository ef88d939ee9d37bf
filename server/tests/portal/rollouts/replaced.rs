//! Portals that share a database: one of them advances a rollout, and another one continues it when the first is killed or stopped.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use jiff::{SignedDuration, Timestamp};
use opm_portal::clock::{Clock, System};
use opm_portal::config::{Config, SignInConfig, Storage};
use opm_portal::router::router;
use opm_portal::serve::{Edges, Running};
use tokio::runtime::{Builder, Runtime};

use super::*;
use crate::programs::token;
use crate::second;

/// Instances that are upgraded, in waves of two.
const INSTANCES: usize = 6;

/// A portal without a controller, with a runtime of its own, so that it can be killed.
struct Portal {
    running: Option<Running>,
    runtime: Option<Runtime>,
    router: Router,
    _kubeconfig: tempfile::TempDir,
}

impl Portal {
    /// Opens one at the plane of another, with its database in a folder.
    async fn open(plane: &Product, data: &Path, clock: Arc<dyn Clock>) -> Self {
        let (config, folder) = second::config(plane, SignInConfig { samples: false, tokens: true, ..SignInConfig::default() });
        let config = Config { storage: Storage::Directory(data.to_owned()), ..config };
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let opening = runtime.spawn(async move {
            let running = Running::open(&config, Edges { clock, ..Edges::default() }).await.expect("the portal opens");
            running.portal.world.synced().await;
            running
        });
        let running = opening.await.expect("it opens");
        let router = router(&running.portal);
        Self { running: Some(running), runtime: Some(runtime), router, _kubeconfig: folder }
    }

    /// Ends every task where it is.
    fn kill(mut self) {
        self.end();
    }

    /// Ends as on SIGTERM.
    async fn stop(mut self) {
        let closing = self.running.take().zip(self.runtime.as_ref()).map(|(running, runtime)| runtime.spawn(running.close()));
        closing.expect("it runs").await.expect("it closes");
    }

    fn end(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Portal {
    fn drop(&mut self) {
        self.end();
    }
}

/// The time of this machine and these minutes more: leases of processes that were killed before have run out.
struct Ahead(i64);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        System.now() + SignedDuration::from_mins(self.0)
    }
}

/// Starts a rollout of all instances at a portal, and returns its page and the browser.
async fn started(product: &Product, portal: &Portal) -> (Browser, String) {
    let mut engineer = Browser::at(portal.router.clone()).brings(&token(product, "platform-engineer")).await;
    let page = opened(&mut engineer).await;
    let rollout = start(&mut engineer, &page, &[("wave", "2"), ("which", "all")]).await.location().to_owned();
    (engineer, rollout)
}

/// Waits until the upgrade of an instance is written.
async fn until_upgraded(product: &Product, index: usize) {
    let is_upgraded = |request: Option<&cluster::kinds::PromiseRequest>| request.is_some_and(|one| one.spec.promise.version.is_some());
    let name = format!("notes-{index}");
    let waiting = kube::runtime::wait::await_condition(requests(product), &name, is_upgraded);
    tokio::time::timeout(std::time::Duration::from_secs(60), waiting).await.expect("in time").expect("a request");
}

/// Checks that each instance was upgraded, and its request changed once.
async fn assert_upgraded_once(product: &Product) {
    for index in 0..INSTANCES {
        let request = requests(product).get(&format!("notes-{index}")).await.expect("a request");
        assert_eq!(request.spec.promise.version.as_deref(), Some("=2.0.0"), "notes-{index}");
        assert_eq!(request.metadata.generation, Some(2), "notes-{index} was created and upgraded");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rollout_whose_portal_is_killed_within_a_wave_continues_with_the_next_one_and_upgrades_nothing_twice() {
    let product = Product::open().await;
    maintained(&product).await;
    fleet(&product, &[1; INSTANCES]).await;
    let data = tempfile::tempdir().expect("a folder");
    let mut portal = Portal::open(&product, data.path(), Arc::new(System)).await;
    let (mut engineer, rollout) = started(&product, &portal).await;
    // The first instance of the first wave, and the last of the second.
    for (index, minutes) in [(0, 1), (3, 2)] {
        until_upgraded(&product, index).await;
        portal.kill();
        portal = Portal::open(&product, data.path(), Arc::new(Ahead(minutes))).await;
        engineer.moves_to_router(portal.router.clone());
        let page = engineer.get(&rollout).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text);
        assert!(!page.text.contains("An instance stopped this rollout"), "{}", words(&page.text));
    }
    let done = engineer.until(&rollout, |answer| answer.text.contains("Completed")).await;
    assert!(words(&done.text).contains("6 of 6 instances upgraded"), "{}", words(&done.text));
    assert_upgraded_once(&product).await;
    portal.stop().await;
    product.running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_portals_with_one_database_upgrade_nothing_twice_and_the_other_continues_when_one_stops() {
    let product = Product::open().await;
    maintained(&product).await;
    fleet(&product, &[1; INSTANCES]).await;
    let data = tempfile::tempdir().expect("a folder");
    let one = Portal::open(&product, data.path(), Arc::new(System)).await;
    let other = Portal::open(&product, data.path(), Arc::new(System)).await;
    let (mut engineer, rollout) = started(&product, &one).await;
    until_upgraded(&product, 1).await;
    engineer.moves_to_router(other.router.clone());
    one.stop().await;
    let done = engineer.until(&rollout, |answer| answer.text.contains("Completed")).await;
    assert!(words(&done.text).contains("6 of 6 instances upgraded"), "{}", words(&done.text));
    assert_upgraded_once(&product).await;
    other.stop().await;
    product.running.close().await;
}
