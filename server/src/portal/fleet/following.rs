//! The background task that advances rollouts: it looks at them when a request changes, when a person starts or directs one, and from time to
//! time, because others run out of time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, broadcast};

use super::advance::{Written, advance};
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
    /// What this process is called among those that share the database.
    holder: String,
    wake: Notify,
    changed: broadcast::Sender<String>,
}

impl Rollouts {
    /// Those that a process advances. No other living process has its name; the next one after a crash can have it, and continues at once.
    pub(crate) fn of(holder: String) -> Self {
        Self { holder, wake: Notify::new(), changed: broadcast::Sender::new(BACKLOG) }
    }

    /// Returns what this process is called among those that advance rollouts.
    pub(super) fn holder(&self) -> &str {
        &self.holder
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

/// Advances rollouts until the process shuts down. Another process can continue them at once then.
pub(crate) async fn follow(portal: Arc<Portal>) {
    advance_all(&portal).await;
    if let Err(error) = portal.store.release_rollouts(portal.rollouts.holder()).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "another process continues rollouts later");
    }
}

async fn advance_all(portal: &Arc<Portal>) {
    // Until everything was read once, requests in progress would look deleted.
    tokio::select! {
        () = portal.shutdown.cancelled() => return,
        () = portal.world.synced() => {}
    }
    let mut changes = portal.world.requests.changes();
    let mut written = Written::new();
    loop {
        let open = match portal.store.open_rollouts().await {
            Ok(open) => open,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "rollouts can't be read");
                Vec::new()
            }
        };
        written.retain(|id, _| open.iter().any(|stored| stored.id == *id));
        let mut is_busy = false;
        for stored in &open {
            match advance(portal, stored, &mut written).await {
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
