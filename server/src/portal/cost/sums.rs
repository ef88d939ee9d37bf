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
use super::comparison::Former;
use super::live::{self, Live};
use super::report_scope::{ReportScope, shared_segments};
use super::unread;
use crate::portal::Caller;
use crate::portal::requests::listing::Place;

pub(super) const DAY: i64 = 86_400;

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

impl Month {
    /// Returns the figures of a value in a currency.
    pub(super) fn figures(&mut self, value: &str, currency: &str) -> &mut Figures {
        self.sums.entry((value.to_owned(), currency.to_owned())).or_default()
    }
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

/// Returns a month from the ledger, with the values that rows are grouped by.
pub(super) async fn book(caller: &Caller, scope: &ReportScope, month: Calendar, by: CostBy) -> Result<Arc<MonthBook>> {
    let portal = caller.portal();
    portal.months.of(&portal.store, scope.posted, month, dimension(by)).await.map_err(unread)
}

/// Calls `found` with value, currency and millionths of every amount of a month that the user can see.
pub(super) fn each_month(scope: &ReportScope, book: &MonthBook, by: CostBy, mut found: impl FnMut(&str, &str, i64)) {
    let places = seen(scope, book);
    for sum in &book.month {
        let Some(place) = at(&places, sum.spot).copied().flatten() else { continue };
        let (value, currency) = (scope.of_place(by, place).unwrap_or_else(|| book.text(sum.value)), book.text(sum.currency));
        if !currency.is_empty() {
            found(value, currency, sum.micros);
        }
    }
}

/// Calls `found` with value, currency and millionths of every amount of the days before `until` that the user can see.
pub(super) fn each_day(scope: &ReportScope, book: &MonthBook, by: CostBy, until: i64, mut found: impl FnMut(&str, &str, i64)) {
    let places = seen(scope, book);
    for day in book.days.iter().filter(|day| day.day < until) {
        let Some(place) = at(&places, day.spot).copied().flatten() else { continue };
        let (value, currency) = (scope.of_place(by, place).unwrap_or_else(|| book.text(day.value)), book.text(day.currency));
        if !currency.is_empty() {
            found(value, currency, day.micros);
        }
    }
}

/// Returns the item with the number that a book uses for it.
fn at<T>(list: &[T], number: u32) -> Option<&T> {
    list.get(usize::try_from(number).ok()?)
}

/// Reads the month of a scope.
pub(super) async fn month(caller: &Caller, scope: &ReportScope, by: CostBy) -> Result<Month> {
    let book = book(caller, scope, scope.month, by).await?;
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
        let of = Figures { to_date: sum.micros, forecast: sum.micros, instances, ..Figures::default() };
        if dimension(by) == Dimension::Promise {
            add(&mut month.promises, place, value, currency, sum.micros);
        }
        let value = scope.of_place(by, place).unwrap_or(value).to_owned();
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

/// Returns a path up to the segment after the first `shared` ones.
fn branch(path: &str, shared: usize) -> &str {
    path.match_indices(':').nth(shared).and_then(|(end, _)| path.get(..end)).unwrap_or(path)
}

/// Returns the days of the month, by value and currency, as far as the user can see them. A workspace includes what is below it here: where
/// paths with a cost divide for the first time, there are few enough to tell apart in a chart.
pub(super) async fn days(caller: &Caller, scope: &ReportScope, by: CostBy) -> Result<Vec<CostDay>> {
    let book = book(caller, scope, scope.month, by).await?;
    let places = seen(scope, &book);
    let spending = book.days.iter().filter(|day| !book.text(day.currency).is_empty());
    let shared = shared_segments(spending.filter_map(|day| at(&places, day.spot).copied().flatten()).map(|place| place.path.as_str()));
    let mut sums: BTreeMap<(i64, &str, &str), i64> = BTreeMap::new();
    for day in &book.days {
        let Some(place) = at(&places, day.spot).copied().flatten() else { continue };
        let (value, currency) = (scope.of_place(by, place).unwrap_or_else(|| book.text(day.value)), book.text(day.currency));
        if currency.is_empty() {
            continue;
        }
        let value = if by == CostBy::Workspace { branch(value, shared) } else { value };
        let number = (day.day - scope.month.start()).div_euclid(DAY) + 1;
        let sum = sums.entry((number, value, currency)).or_default();
        *sum = sum.saturating_add(day.micros);
    }
    let day = |((day, value, currency), micros): ((i64, &str, &str), i64)| CostDay {
        day,
        value: value.to_owned(),
        money: Money::new(micros, currency),
    };
    Ok(sums.into_iter().map(day).collect())
}

/// Returns the costs of promises in a month.
pub(super) async fn of_promises(caller: &Caller, scope: &ReportScope, month: Calendar) -> Result<OfPromises> {
    let book = book(caller, scope, month, CostBy::Promise).await?;
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
        CostBy::Workspace | CostBy::Team | CostBy::Promise => Dimension::Promise,
        CostBy::Project => Dimension::Project,
        CostBy::Owner => Dimension::Owner,
    }
}

/// Returns the totals by currency, beside another month.
pub(super) fn totals(caller: &Caller, scope: &ReportScope, month: &Month, former: Option<&Former>) -> Vec<CostSum> {
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
        CostSum {
            currency: currency.to_owned(),
            to_date: money(figures.to_date),
            forecast: money(figures.forecast),
            estimate: scope.is_current.then(|| money(figures.estimate)),
            instances: figures.instances,
            waiting: month.live.waiting.get(currency).map(|(micros, count)| (money(*micros), *count)),
            budget: scope.common().and_then(|top| budgets.smallest(top, is_alone(top), currency)),
            expected: scope.is_current.then(|| money(figures.to_date.saturating_add(figures.shortfall))),
            compared: former.map(|former| former.compared(&figures, currency)),
        }
    };
    currencies.into_iter().map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::branch;

    #[test]
    fn charts_divide_where_paths_divide_for_the_first_time() {
        assert_eq!(branch("root:acme:shop:web", 2), "root:acme:shop");
        assert_eq!([branch("root:acme", 2), branch("root:acme:shop", 3), branch("root", 0)], ["root:acme", "root:acme:shop", "root"]);
        assert_eq!(branch("root:globex:web", 1), "root:globex");
    }
}
