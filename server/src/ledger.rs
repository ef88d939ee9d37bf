//! The cost ledger: the portal looks at all requests and orphans every minute, writes down what that says, and counts the hours that are complete.
//!
//! What a look now and then proves, and what an hour costs, is said in [`promise::ledger`]; here it meets the cluster and the database. Every
//! step is one transaction that moves the ledger's own clock ([`store::LedgerClock`]), so that it does not matter where a process ends, how
//! often a step is tried, or how many replicas try it.

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

/// How often it looks.
const EVERY: Duration = Duration::from_secs(60);

/// Keeps the ledger until the process ends.
pub async fn keep(portal: Arc<Portal>) {
    tokio::select! {
        () = portal.shutdown.cancelled() => return,
        () = portal.world.synced() => {}
    }
    // Up to where budgets were looked at; at each start anew, since nobody knows what was told before the end.
    let mut warned = None;
    loop {
        // What is not up to date proves nothing: the time until it is again is one in which nobody looked.
        let looked_at = [portal.world.requests.freshness(), portal.world.orphans.freshness()];
        if looked_at.iter().all(|freshness| *freshness == Freshness::Synced) {
            let now = portal.clock.now().as_second();
            let seen = shown(&portal.world, now);
            if let Err(error) = step(&portal, &seen, now, &mut warned).await {
                tracing::warn!(%error, "the cost ledger could not be written; it goes on where it was");
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
        // Before more is counted: what was counted last may be the end of a month, and whoever counted it may not have told. Of a ledger
        // that catches up every day is looked at, and no count goes beyond the end of a month.
        if let Some(clock) = portal.store.ledger_clock().await?.filter(|clock| *warned != Some(clock.posted)) {
            // The forecast goes on from what is counted: while complete hours are missing there it says nothing.
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
