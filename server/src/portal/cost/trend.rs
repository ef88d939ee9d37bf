//! The costs of previous months and of the selected one.

use std::collections::BTreeMap;

use app::view::{CostMonth, CostSum};
use promise::Result;
use promise::ledger::Month;
use promise::price::Money;

use super::report_scope::ReportScope;
use super::sums::by_id;
use super::unread;
use crate::portal::Caller;

/// Returns the months from the first with costs, at most a year. The last one is the selected month, whose sums are `totals`.
pub(super) async fn months(caller: &Caller, scope: &ReportScope, totals: &[CostSum]) -> Result<Vec<CostMonth>> {
    let portal = caller.portal();
    let read = portal.months.before(&portal.store, scope.posted, scope.month).await.map_err(unread)?;
    let places = by_id(scope);
    let mut sums: BTreeMap<(i64, &str), i64> = BTreeMap::new();
    for sum in read.iter() {
        if places.get(&sum.cluster).is_some_and(|place| place.sight.covers(&sum.namespace)) {
            let of = sums.entry((sum.month, &sum.currency)).or_default();
            *of = of.saturating_add(sum.micros);
        }
    }
    let first = sums.keys().next().map(|(month, _)| Month::of(*month));
    let earlier = std::iter::successors(first, |month| Some(month.next())).take_while(|month| *month < scope.month);
    let of = |month: Month| {
        let range = sums.range((month.start(), "")..(month.end(), ""));
        let sums = range.map(|((_, currency), micros)| Money::new(*micros, *currency)).collect();
        CostMonth { month: month.to_string(), title: month.title(), sums }
    };
    let present = CostMonth {
        month: scope.month.to_string(),
        title: scope.month.title(),
        sums: totals.iter().map(|sum| sum.to_date.clone()).collect(),
    };
    Ok(earlier.map(of).chain([present]).collect())
}
