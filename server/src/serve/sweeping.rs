//! Removes what has expired from the database.

use std::sync::Arc;
use std::time::Duration;

use super::keep_site_files;
use crate::portal::Portal;

/// How often expired sessions and drafts are removed.
const SWEEP: Duration = Duration::from_secs(600);

pub(super) async fn sweep(portal: Arc<Portal>) {
    loop {
        tokio::select! {
            () = portal.shutdown.cancelled() => return,
            () = tokio::time::sleep(SWEEP) => {}
        }
        let now = portal.clock.now();
        if let Err(error) = portal.store.sweep(now).await {
            tracing::warn!(%error, "expired sessions and drafts could not be removed");
        }
        if portal.store.is_shared()
            && let Err(error) = keep_site_files(&portal).await
        {
            tracing::warn!(error = &error as &dyn std::error::Error, "the files of the site could not be kept for other versions");
        }
        if let Err(error) = portal.audit.sweep(&portal.store, now).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the audit log could not be cleared up");
        }
        let kept = now.saturating_sub(jiff::SignedDuration::from_hours(24 * i64::from(notify::KEPT_DAYS)));
        if let Err(error) = portal.store.forget_notifications(kept.unwrap_or(now)).await {
            tracing::warn!(%error, "old notifications could not be removed");
        }
    }
}
