//! The background task that advances rollouts: it looks at them when a request changes, when a person starts or directs one, and from time to
//! time, because others run out of time.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use store::Random;
use tokio::sync::{Notify, broadcast};

use super::advance::advance;
use crate::portal::Portal;

/// Changes within this time are looked at together.
const TOGETHER: Duration = Duration::from_millis(100);
/// How often rollouts are looked at while there are some, whatever happens.
const OFTEN: Duration = Duration::from_secs(5);
/// The same while there are none: a replica that shares the database might have started one, and ended since.
const SELDOM: Duration = Duration::from_secs(10);
/// Number of changes by which a stream can fall behind.
const BACKLOG: usize = 64;

/// What wakes rollouts, and who follows them.
pub(crate) struct Rollouts {
    /// What this process calls itself among replicas.
    holder: OnceLock<String>,
    wake: Notify,
    changed: broadcast::Sender<String>,
}

impl Default for Rollouts {
    fn default() -> Self {
        Self { holder: OnceLock::new(), wake: Notify::new(), changed: broadcast::Sender::new(BACKLOG) }
    }
}

impl Rollouts {
    /// Returns what this process calls itself among the replicas that advance rollouts.
    pub(super) fn holder(&self, random: &dyn Random) -> &str {
        self.holder.get_or_init(|| {
            let mut bytes = [0; 16];
            random.fill(&mut bytes);
            hex::encode(bytes)
        })
    }

    /// Has rollouts looked at, because a person started or directed one.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Tells open pages that a rollout changed.
    pub(super) fn tell(&self, id: &str) {
        // It's fine if no page is open.
        let _ = self.changed.send(id.to_owned());
    }

    /// Subscribes to the ids of rollouts that change.
    pub(crate) fn changed(&self) -> broadcast::Receiver<String> {
        self.changed.subscribe()
    }
}

/// Advances rollouts until the process shuts down.
pub(crate) async fn follow(portal: Arc<Portal>) {
    let mut changes = portal.world.requests.changes();
    loop {
        let open = match portal.store.open_rollouts().await {
            Ok(open) => open,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "rollouts can't be read");
                Vec::new()
            }
        };
        let mut is_busy = false;
        for stored in &open {
            match advance(&portal, stored).await {
                Ok(more) => is_busy |= more,
                Err(error) => tracing::warn!(%error, rollout = stored.id, "a rollout can't continue at the moment"),
            }
        }
        let pause = if open.is_empty() { SELDOM } else { OFTEN };
        let shutdown = portal.shutdown.clone();
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = async {}, if is_busy => {}
            () = portal.rollouts.wake.notified() => {}
            _ = changes.recv(), if !open.is_empty() => {
                tokio::time::sleep(TOGETHER).await;
                changes = portal.world.requests.changes();
            }
            () = tokio::time::sleep(pause) => {}
        }
    }
}
