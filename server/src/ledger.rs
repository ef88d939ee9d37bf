//! The cost ledger: every minute the portal observes all requests and orphans, records the observations, and posts the hours that are
//! complete.
//!
//! [`promise::ledger`] defines what periodic observations prove and what an hour costs; this module connects it to the cluster and the
//! database. Every step is one transaction that advances the ledger's own clock ([`store::LedgerClock`]), so the result doesn't depend on
//! where a process ends, how often a step is retried, or how many replicas try it.

mod book;
mod facts;
mod months;
mod thresholds;

pub use book::{KEPT, count, look};
pub use facts::{Shown, is_ready, price, project, shown, since};
pub use months::{DayEntry, MonthBook, MonthEntry, Months, Spot};
pub use thresholds::warn;

use std::sync::Arc;
use std::time::Duration;

use cluster::watch::Freshness;
use promise::ledger::{HOUR, Month};

use crate::state::Portal;

/// Interval between observations.
const EVERY: Duration = Duration::from_secs(60);

/// Keeps the ledger until the process shuts down.
pub async fn keep(portal: Arc<Portal>) {
    tokio::select! {
        () = portal.shutdown.cancelled() => return,
        () = portal.world.synced() => {}
    }
    // Time up to which budgets were checked; unset at each start, because warnings might have been lost when the last process ended.
    let mut warned = None;
    loop {
        // A stale cache proves nothing, so the time until it is synced again counts as unobserved.
        let looked_at = [portal.world.requests.freshness(), portal.world.orphans.freshness()];
        if looked_at.iter().all(|freshness| *freshness == Freshness::Synced) {
            let now = portal.clock.now().as_second();
            let seen = shown(&portal.world, now);
            if let Err(error) = step(&portal, &seen, now, &mut warned).await {
                tracing::warn!(%error, "the cost ledger could not be written; it continues where it stopped");
            }
        }
        tokio::select! {
            () = portal.shutdown.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

async fn step(portal: &Portal, seen: &[Shown], now: i64, warned: &mut Option<i64>) -> store::Result<()> {
    look(&portal.store, seen, now).await?;
    let mut more = true;
    loop {
        // Before more hours are posted: the last posted hour might end a month, and the process that posted it might not have sent the
        // warnings. A ledger that is catching up is checked for every day, and no count crosses the end of a month.
        if let Some(clock) = portal.store.ledger_clock().await?.filter(|clock| *warned != Some(clock.posted)) {
            // The forecast extends the posted hours, so it says nothing while complete hours are missing.
            let running = if clock.posted.saturating_add(HOUR) > clock.seen { seen } else { &[] };
            warn(portal, clock.posted - 1, running).await?;
            *warned = Some(clock.posted);
        }
        if !more {
            return portal.months.refresh(&portal.store, Month::of(now)).await;
        }
        more = count(&portal.store).await?;
    }
}
