//! What the instances of a plane have cost, through the ledger's own steps.

use promise::ledger::HOUR;
use store::Store;

use super::error::SeedError;
use crate::ledger;
use crate::serve::Running;

/// Writes the ledger of the last `days` from what the plane proves, up to now; answers how many instances it knows.
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

/// Begins a ledger that has not begun, at a full hour.
async fn begin(store: &Store, at: i64) -> Result<(), SeedError> {
    Ok(store.begin_ledger(at.div_euclid(HOUR) * HOUR).await?)
}
