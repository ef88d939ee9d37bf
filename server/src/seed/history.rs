//! The cost history of the plane's instances, written through the ledger's own steps.

use promise::ledger::HOUR;
use store::Store;

use super::error::SeedError;
use crate::serve::Running;

/// Writes the ledger of the last `days` up to now, as far as the plane proves it, and returns the number of instances in it.
pub(super) async fn write(running: &Running, days: u32) -> Result<usize, SeedError> {
    let portal = &running.portal;
    let now = portal.clock.now().as_second();
    portal.world.synced().await;
    begin(&portal.store, now - i64::from(days) * 24 * HOUR).await?;
    let shown = ledger::shown(&portal.world, now);
    ledger::look(&portal.store, &shown, now).await?;
    while ledger::count(&portal.store).await? {}
    Ok(shown.len())
}

/// Starts the ledger at a full hour if it hasn't started.
async fn begin(store: &Store, at: i64) -> Result<(), SeedError> {
    Ok(store.begin_ledger(at.div_euclid(HOUR) * HOUR).await?)
}
