//! Watches on what was made: one per place and kind, started when the first object of its sort is made there.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kube::api::DynamicObject;
use kube::core::GroupVersionKind;
use parking_lot::Mutex;
use promise::names;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::target::{Place, Reach};
use crate::clock::Clock;
use crate::watch::{Cache, Changes, Key, Origin, Source};
use crate::workspaces::ClusterId;

/// Watches on what was made; each change comes out as the uid of the request that it belongs to.
pub struct Eyes {
    open: Mutex<HashMap<(Place, String), (u64, CancellationToken)>>,
    found: mpsc::UnboundedSender<String>,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

#[derive(PartialEq)]
struct Sight {
    request: String,
    version: Option<String>,
}

impl Eyes {
    /// `found` receives uids of requests.
    pub fn new(found: mpsc::UnboundedSender<String>, clock: Arc<dyn Clock>, tasks: TaskTracker, shutdown: CancellationToken) -> Self {
        Self { open: Mutex::default(), found, clock, tasks, shutdown }
    }

    /// Watches a kind at a place from now on, if it is not watched yet with this very client.
    pub fn open(&self, place: &Place, kind: &GroupVersionKind, reach: &Reach) {
        let shutdown = self.shutdown.child_token();
        {
            let mut open = self.open.lock();
            let at = (place.clone(), format!("{}/{}", kind.api_version(), kind.kind));
            match open.get(&at) {
                Some((session, _)) if *session == reach.session => return,
                Some((_, former)) => former.cancel(),
                None => {}
            }
            open.insert(at, (reach.session, shutdown.clone()));
        }
        let origin = match place {
            Place::Workspace(cluster) if cluster.namespace().is_none() => Origin::Annotated,
            // Here all that is watched belongs together: one id stands for it.
            Place::Workspace(_) | Place::Destination(_) => Origin::One(ClusterId::root()),
        };
        let source = Source::dynamic(reach.client.clone(), reach.resource.clone());
        let source = source.labelled(names::REQUEST_UID_LABEL).told_apart(origin).within(reach.within.clone()).in_part();
        let cache = Cache::default();
        // Subscribed before the first list is read, so that nothing falls between.
        let changes = cache.changes();
        self.tasks.spawn(tell(cache.clone(), changes, self.found.clone(), shutdown.clone()));
        self.tasks.spawn(source.run(cache, sight, self.clock.clone(), shutdown));
    }

    /// Watches nothing at a place any more: it is gone.
    pub fn close(&self, place: &Place) {
        self.open.lock().retain(|(at, _), (_, watch)| {
            if at == place {
                watch.cancel();
            }
            at != place
        });
    }
}

fn sight(object: DynamicObject) -> Option<Sight> {
    let request = object.metadata.labels?.remove(names::REQUEST_UID_LABEL)?;
    Some(Sight { request, version: object.metadata.resource_version })
}

async fn tell(cache: Cache<Sight>, mut changes: Changes, found: mpsc::UnboundedSender<String>, shutdown: CancellationToken) {
    // Rows that go leave nothing behind that says whose they were.
    let mut owners: HashMap<Key, String> = HashMap::new();
    loop {
        let change = tokio::select! {
            () = shutdown.cancelled() => return,
            change = changes.recv() => change,
        };
        match change {
            Ok(key) => {
                let owner = match cache.get(&key) {
                    Some(sight) => {
                        owners.insert(key, sight.request.clone());
                        Some(sight.request.clone())
                    }
                    None => owners.remove(&key),
                };
                if owner.is_some_and(|owner| found.send(owner).is_err()) {
                    return;
                }
            }
            Err(RecvError::Lagged(_)) => {
                let rows = cache.snapshot();
                let known: HashSet<String> = owners.drain().map(|(_, owner)| owner).collect();
                owners.extend(rows.iter().map(|(key, sight)| (key.clone(), sight.request.clone())));
                let all: HashSet<String> = known.into_iter().chain(owners.values().cloned()).collect();
                if all.into_iter().any(|owner| found.send(owner).is_err()) {
                    return;
                }
            }
            Err(RecvError::Closed) => return,
        }
    }
}
