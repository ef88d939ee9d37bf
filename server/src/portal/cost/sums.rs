//! Counted costs of a month and what is running, as far as a user can see them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use app::view::{CostBy, CostDay, CostSum};
use cluster::WorkspacePath;
use ledger::{MonthBook, Spot};
use promise::Result;
use promise::ledger::{Figures, Month as Calendar};
use promise::price::Money;
use store::Dimension;

use super::budget::Budgets;
use super::live::{self, Live};
use super::report_scope::ReportScope;
use super::unread;
use crate::auth::Caller;
use crate::portal::requests::listing::Place;

const DAY: i64 = 86_400;

/// Sums by value and currency.
pub(super) type Sums = BTreeMap<(String, String), Figures>;
/// Millionths by workspace id, promise and currency.
pub(super) type OfPromises = BTreeMap<(String, String, String), i64>;

/// The costs of a month.
#[derive(Default)]
pub(super) struct Month {
    /// By the value that rows are grouped by.
    pub(super) sums: Sums,
    /// Counted costs, by promise.
    pub(super) promises: OfPromises,
    /// Seconds in which something was ready at an unknown price.
    pub(super) unpriced: i64,
    /// Seconds that were not observed.
    pub(super) unobserved: i64,
    /// What is running now. Empty for a past month.
    pub(super) live: Live,
}

/// Returns the workspaces of a scope by their ids, as the ledger names them.
pub(super) fn by_id(scope: &ReportScope) -> HashMap<String, &Place> {
    scope.places.iter().map(|place| (place.cluster.to_string(), place)).collect()
}

/// Returns the place of each spot of a book, if the user can see it.
fn seen<'a>(scope: &'a ReportScope, book: &MonthBook) -> Vec<Option<&'a Place>> {
    let places = by_id(scope);
    let spot = |spot: &Spot| places.get(&spot.cluster).copied().filter(|place| place.sight.covers(&spot.namespace));
    book.spots.iter().map(spot).collect()
}

/// Returns a month from the ledger.
async fn book(caller: &Caller, scope: &ReportScope, month: Calendar, by: Dimension) -> Result<Arc<MonthBook>> {
    let portal = caller.portal();
    portal.months.of(&portal.store, scope.posted, month, by).await.map_err(unread)
}

/// Returns the item with the number that a book uses for it.
fn at<T>(list: &[T], number: u32) -> Option<&T> {
    list.get(usize::try_from(number).ok()?)
}

/// Reads the month of a scope.
pub(super) async fn month(caller: &Caller, scope: &ReportScope, by: CostBy) -> Result<Month> {
    let book = book(caller, scope, scope.month, dimension(by)).await?;
    let places = seen(scope, &book);
    let mut month = Month::default();
    for sum in &book.month {
        let Some(place) = at(&places, sum.spot).copied().flatten() else { continue };
        let (Some(value), Some(currency)) = (at(&book.texts, sum.value), at(&book.texts, sum.currency)) else { continue };
        month.unobserved += sum.unobserved;
        if currency.is_empty() {
            month.unpriced += sum.ready;
            continue;
        }
        // For the present month, running instances are counted instead.
        let instances = if scope.is_current { 0 } else { usize::try_from(sum.instances).unwrap_or_default() };
        let of = Figures { to_date: sum.micros, forecast: sum.micros, estimate: 0, instances };
        if dimension(by) == Dimension::Promise {
            add(&mut month.promises, place, value, currency, sum.micros);
        }
        let value = if by == CostBy::Workspace { place.path.to_string() } else { value.clone() };
        *month.sums.entry((value, currency.clone())).or_default() += of;
    }
    if dimension(by) != Dimension::Promise {
        month.promises = of_promises(caller, scope, scope.month).await?;
    }
    if scope.is_current {
        month.live = live::read(caller, scope, by, caller.portal().clock.now().as_second());
        for (of, figures) in &month.live.sums {
            *month.sums.entry(of.clone()).or_default() += *figures;
        }
    }
    Ok(month)
}

/// Returns the days of the month, by value and currency, as far as the user can see them.
pub(super) async fn days(caller: &Caller, scope: &ReportScope, by: CostBy) -> Result<Vec<CostDay>> {
    let book = book(caller, scope, scope.month, dimension(by)).await?;
    let places = seen(scope, &book);
    let mut sums: BTreeMap<(i64, String, String), i64> = BTreeMap::new();
    for day in &book.days {
        let Some(place) = at(&places, day.spot).copied().flatten() else { continue };
        let (Some(value), Some(currency)) = (at(&book.texts, day.value), at(&book.texts, day.currency)) else { continue };
        if currency.is_empty() {
            continue;
        }
        let value = if by == CostBy::Workspace { place.path.to_string() } else { value.clone() };
        let number = (day.day - scope.month.start()).div_euclid(DAY) + 1;
        let sum = sums.entry((number, value, currency.clone())).or_default();
        *sum = sum.saturating_add(day.micros);
    }
    Ok(sums.into_iter().map(|((day, value, currency), micros)| CostDay { day, value, money: Money::new(micros, currency) }).collect())
}

/// Returns the costs of promises in a month.
pub(super) async fn of_promises(caller: &Caller, scope: &ReportScope, month: Calendar) -> Result<OfPromises> {
    let book = book(caller, scope, month, Dimension::Promise).await?;
    let places = seen(scope, &book);
    let mut found = OfPromises::new();
    for sum in &book.month {
        let Some(place) = at(&places, sum.spot).copied().flatten() else { continue };
        let (Some(promise), Some(currency)) = (at(&book.texts, sum.value), at(&book.texts, sum.currency)) else { continue };
        if !currency.is_empty() {
            add(&mut found, place, promise, currency, sum.micros);
        }
    }
    Ok(found)
}

fn add(found: &mut OfPromises, place: &Place, promise: &str, currency: &str, micros: i64) {
    let of = found.entry((place.cluster.to_string(), promise.to_owned(), currency.to_owned())).or_default();
    *of = of.saturating_add(micros);
}

/// Returns the dimension of the ledger for rows that are grouped by `by`.
fn dimension(by: CostBy) -> Dimension {
    match by {
        // The ledger distinguishes namespaces and workspaces in every dimension.
        CostBy::Workspace | CostBy::Promise => Dimension::Promise,
        CostBy::Project => Dimension::Project,
        CostBy::Owner => Dimension::Owner,
    }
}

/// Returns the totals by currency.
pub(super) fn totals(caller: &Caller, scope: &ReportScope, month: &Month) -> Vec<CostSum> {
    let mut currencies: BTreeMap<&str, Figures> = BTreeMap::new();
    for ((_, currency), figures) in &month.sums {
        *currencies.entry(currency).or_default() += *figures;
    }
    for currency in month.live.waiting.keys() {
        currencies.entry(currency).or_default();
    }
    let budgets = Budgets::of(caller.portal(), scope);
    let is_alone = |top: &WorkspacePath| matches!(scope.places.as_slice(), [only] if only.path == *top);
    let sum = |(currency, figures): (&str, Figures)| {
        let money = |micros| Money::new(micros, currency);
        let top = scope.top.as_ref();
        CostSum {
            currency: currency.to_owned(),
            to_date: money(figures.to_date),
            forecast: money(figures.forecast),
            estimate: scope.is_current.then(|| money(figures.estimate)),
            instances: figures.instances,
            waiting: month.live.waiting.get(currency).map(|(micros, count)| (money(*micros), *count)),
            budget: top.and_then(|top| budgets.smallest(top, is_alone(top), currency)),
        }
    };
    currencies.into_iter().map(sum).collect()
}
