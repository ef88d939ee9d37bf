//! The cost ledger: every minute the portal observes all requests and orphans, records the observations, and posts the hours that are
//! complete.
//!
//! [`promise::ledger`] defines what periodic observations prove and what an hour costs; this crate connects it to the watch caches and the
//! database. Every step is one transaction that advances the ledger's own clock ([`store::LedgerClock`]), so the result doesn't depend on
//! where a process ends, how often a step is retried, or how many replicas try it.
//!
//! This crate must never know about pages, sessions, or how notifications are delivered: it hands budget warnings to [`notify`] and gets
//! everything else from its [`Ledger`]. It writes nothing to a control plane.
//!
//! To add something that costs, add what the caches show of it in `facts`, as [`Shown`]; to sum by something else, add a dimension in
//! [`store`] and read it through [`Months`]. A new kind of warning is found in [`promise::ledger`] and sent in `thresholds`.

mod book;
mod facts;
mod months;
mod thresholds;

pub use book::{KEPT, count, look};
pub use facts::{Shown, is_ready, price, project, shown, since};
pub use months::{DayEntry, MonthBook, MonthEntry, Months, Spot};

use std::time::Duration;

use cluster::watch::Freshness;
use cluster::{Clock, WorkspacePath, World};
use notify::Notify;
use promise::ledger::{HOUR, Month};
use store::Store;
use tokio_util::sync::CancellationToken;

/// Interval between observations.
const EVERY: Duration = Duration::from_secs(60);

/// What the ledger works on.
#[derive(Clone, Copy)]
pub struct Ledger<'a> {
    /// The database.
    pub store: &'a Store,
    /// The portal's watch caches.
    pub world: &'a World,
    /// Sends warnings about budgets.
    pub notify: &'a Notify,
    /// Sums that are read again when hours were posted.
    pub months: &'a Months,
    /// Homes whose budgets apply to the whole workspace tree.
    pub trusted_homes: &'a [WorkspacePath],
}

impl Ledger<'_> {
    /// Keeps the ledger until the process shuts down.
    pub async fn keep(&self, clock: &dyn Clock, shutdown: &CancellationToken) {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = self.world.synced() => {}
        }
        // Time up to which budgets were checked; unset at each start, because warnings might have been lost when the last process ended.
        let mut warned = None;
        loop {
            // A stale cache proves nothing, so the time until it is synced again counts as unobserved.
            let looked_at = [self.world.requests.freshness(), self.world.orphans.freshness()];
            if looked_at.iter().all(|freshness| *freshness == Freshness::Synced) {
                let now = clock.now().as_second();
                let seen = shown(self.world, now);
                let step = self.step(&seen, now, &mut warned).await;
                if let Err(error) = &step {
                    tracing::warn!(%error, "the cost ledger could not be written; it continues where it stopped");
                }
                let result = if step.is_ok() { "recorded" } else { "failed" };
                metrics::counter!("opm_ledger_observations_total", "result" => result).increment(1);
            } else {
                metrics::counter!("opm_ledger_observations_total", "result" => "outdated").increment(1);
            }
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }

    async fn step(&self, seen: &[Shown], now: i64, warned: &mut Option<i64>) -> store::Result<()> {
        look(self.store, seen, now).await?;
        let mut more = true;
        loop {
            // Before more hours are posted: the last posted hour might end a month, and the process that posted it might not have sent the
            // warnings. A ledger that is catching up is checked for every day, and no count crosses the end of a month.
            if let Some(clock) = self.store.ledger_clock().await?.filter(|clock| *warned != Some(clock.posted)) {
                // The forecast extends the posted hours, so it says nothing while complete hours are missing.
                let running = if clock.posted.saturating_add(HOUR) > clock.seen { seen } else { &[] };
                self.warn(clock.posted - 1, running).await?;
                *warned = Some(clock.posted);
            }
            if !more {
                if let Some(clock) = self.store.ledger_clock().await? {
                    metrics::gauge!("opm_ledger_observed_timestamp_seconds").set(clock.seen as f64);
                    metrics::gauge!("opm_ledger_posted_timestamp_seconds").set(clock.posted as f64);
                }
                return self.months.refresh(self.store, Month::of(now)).await;
            }
            more = count(self.store).await?;
        }
    }
}
