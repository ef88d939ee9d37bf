//! A summary of costs, for pages about more than cost.

use std::collections::{BTreeMap, HashMap};

use app::view::{CostBy, CostGlance};
use promise::Result;
use promise::ledger::Month;
use promise::price::Money;

use super::comparison::Former;
use super::report_scope::ReportScope;
use super::{movers, sums, unread};
use crate::portal::Caller;
use crate::portal::requests::listing::Place;

/// Number of movers that are named.
const MOVERS: usize = 3;

/// Returns the present month of workspaces in which the user can list requests.
pub(in crate::portal) async fn glance(caller: &Caller, places: Vec<Place>) -> Result<CostGlance> {
    let portal = caller.portal();
    let month = Month::of(portal.clock.now().as_second());
    let posted = portal.store.ledger_clock().await.map_err(unread)?.map(|clock| clock.posted);
    let began = portal.store.first_month().await.map_err(unread)?;
    let scope = ReportScope { top: None, places, month, is_current: true, posted, ahead: None, teams: HashMap::new() };
    let read = sums::month(caller, &scope, CostBy::Workspace).await?;
    let former = Former::of(&scope, "", began);
    let mut movers = movers::of(caller, &scope, &read, former.as_ref()).await?;
    if let Some(movers) = &mut movers {
        movers.lines.truncate(MOVERS);
    }
    let mut forecasts: BTreeMap<String, Vec<Money>> = BTreeMap::new();
    for ((path, currency), figures) in &read.sums {
        forecasts.entry(path.clone()).or_default().push(Money::new(figures.forecast, currency.clone()));
    }
    Ok(CostGlance {
        month: month.title(),
        workspaces: scope.places.len(),
        up_to: scope.up_to(),
        sums: sums::totals(caller, &scope, &read, None),
        unpriced_instances: read.live.unpriced,
        movers,
        forecasts,
    })
}
