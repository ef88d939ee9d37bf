//! What other replicas change: everything that this process keeps in memory of the database they share is dropped when a notice says so.
//!
//! Nothing depends on notices alone. Each request checks its session in the database, and pages are kept for seconds; notices make badges and
//! live pages current at once, and end the streams of a session that was ended elsewhere.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use store::Notice;

use super::Portal;

/// Pause before the next attempt to connect, which grows while the database doesn't respond.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// Longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Follows the notices of other replicas until the process shuts down. Returns at once if no one shares the database.
pub async fn follow(portal: Arc<Portal>) {
    if !portal.store.is_shared() {
        return;
    }
    let shutdown = portal.shutdown.clone();
    let mut pause = FIRST_PAUSE;
    loop {
        let connected = tokio::select! {
            () = shutdown.cancelled() => return,
            connected = portal.store.notices() => connected,
        };
        let error = match connected {
            Ok(None) => return,
            Ok(Some(mut notices)) => {
                pause = FIRST_PAUSE;
                // Notices were lost until now.
                portal.take(&Notice::Any);
                loop {
                    let notice = tokio::select! {
                        () = shutdown.cancelled() => return,
                        notice = notices.next() => notice,
                    };
                    match notice {
                        Ok(notice) => portal.take(&notice),
                        Err(error) => break error,
                    }
                }
            }
            Err(error) => error,
        };
        tracing::warn!(error = &error as &dyn std::error::Error, "changes by other replicas are seen later until the database responds");
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

impl Portal {
    /// Drops what a notice says is out of date.
    fn take(&self, notice: &Notice) {
        match notice {
            Notice::SessionEnded(session) => {
                self.callers.end(*session);
                self.navigations.forget(*session);
            }
            Notice::SessionChanged(session) => {
                self.navigations.forget(*session);
                self.writes.fetch_add(1, Ordering::Release);
            }
            Notice::Notifications(person) => self.notify.changed_elsewhere(person),
            Notice::People => self.people.changed(),
            Notice::Any => {
                self.callers.check_all();
                self.navigations.forget_all();
                self.writes.fetch_add(1, Ordering::Release);
                self.people.changed();
                self.notify.anything_changed();
            }
        }
    }
}
