//! What instances would have cost in addition so far if they had been ready since their release took effect: the difference between the cost
//! to date and the estimate for the same instances and the same time.
//!
//! Computed for all instances once per counted hour, and kept: only the few that weren't ready for a while have one.

use std::collections::HashMap;
use std::sync::Arc;

use app::view::CostBy;
use cluster::watch::Key;
use jiff::Timestamp;
use promise::Result;
use promise::ledger::{Month as Calendar, shortfall};
use tokio::sync::Mutex;

use super::live::value;
use super::report_scope::ReportScope;
use super::sums::{Month, by_id};
use super::unread;
use crate::portal::Caller;
use crate::portal::Portal;
use crate::portal::register::Share;
use ledger::price;

/// The shortfalls of the present month.
#[derive(Default)]
pub struct Shortfalls(Mutex<Option<Kept>>);

/// Shortfalls of a month until the end of the counted hours, and for when they were computed.
struct Kept {
    month: Calendar,
    posted: i64,
    found: Arc<Vec<Shortfall>>,
}

/// What is missing of one instance.
pub(super) struct Shortfall {
    key: Key,
    /// Values that it is grouped by, and its currency.
    share: Share,
    micros: i64,
}

impl Shortfalls {
    async fn of(&self, portal: &Portal, month: Calendar, posted: i64) -> store::Result<Arc<Vec<Shortfall>>> {
        // The lock is held while reading, so that the next caller finds the result.
        let mut kept = self.0.lock().await;
        if let Some(known) = kept.as_ref().filter(|known| (known.month, known.posted) == (month, posted)) {
            return Ok(known.found.clone());
        }
        let settled: HashMap<String, i64> = portal.store.settled_seconds(month.start()).await?.into_iter().collect();
        let mut found = Vec::new();
        for (key, request) in &portal.world.requests.snapshot() {
            let current = request.status.as_ref().and_then(|status| status.current.as_ref());
            let since = current.and_then(|current| current.since.as_deref()?.parse::<Timestamp>().ok());
            let lives = request.metadata.deletion_timestamp.is_none();
            let Some((since, price)) = since.filter(|_| lives).zip(price(request)) else { continue };
            let settled = request.metadata.uid.as_ref().and_then(|uid| settled.get(uid)).copied().unwrap_or_default();
            let micros = shortfall(price.micros, month, since.as_second(), posted, settled);
            if micros > 0 {
                found.push(Shortfall { key: key.clone(), share: Share::of(request, &price), micros });
            }
        }
        let found = Arc::new(found);
        *kept = Some(Kept { month, posted, found: found.clone() });
        Ok(found)
    }
}

/// Adds the shortfalls that the user can see to the sums of the present month.
pub(super) async fn add(caller: &Caller, scope: &ReportScope, by: CostBy, month: &mut Month) -> Result<()> {
    let Some(posted) = scope.posted.filter(|_| scope.is_current) else { return Ok(()) };
    let portal = caller.portal();
    let found = portal.shortfalls.of(portal, scope.month, posted).await.map_err(unread)?;
    let places = by_id(scope);
    for Shortfall { key, share, micros } in found.iter() {
        let Some(place) = places.get(key.cluster.as_str()).filter(|place| place.sight.covers(&key.namespace)) else { continue };
        let of = month.figures(value(scope, by, place, share), &share.currency);
        of.shortfall = of.shortfall.saturating_add(*micros);
    }
    Ok(())
}
