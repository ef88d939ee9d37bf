//! What is running now: its monthly cost, and its cost until the end of the month. Read from the register, without scanning every request.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use app::view::CostBy;
use cluster::ClusterId;
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use ledger::{is_ready, price, since};
use promise::api::{CandidateState, CandidateStatus, PromiseRequestStatus};
use promise::ledger::{Figures, accrued};
use promise::price::Money;

use super::report_scope::ReportScope;
use super::sums::OfPromises;
use crate::portal::Caller;
use crate::portal::approvals::step::own_hash;
use crate::portal::register::{Known, Share, Spending};
use crate::portal::requests::listing::Place;

/// What is running now, of the requests that the user can list.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Live {
    /// Sums by the value that rows are grouped by, and currency.
    pub(super) sums: BTreeMap<(String, String), Figures>,
    /// What waits for approval, by currency: the price difference and the count.
    pub(super) waiting: BTreeMap<String, (i64, usize)>,
    /// Running requests whose price is unknown.
    pub(super) unpriced: usize,
    /// Costs until the end of the month, by promise.
    pub(super) rests: OfPromises,
    /// Running requests.
    pub(super) running: usize,
    /// The most expensive of all that are running.
    pub(super) dearest: Dearest,
    /// The most expensive of those that have passed their expiry.
    pub(super) expired: Dearest,
    /// The most expensive of those that have not changed for a long time.
    pub(super) untouched: Dearest,
}

/// Age from which an unchanged instance might no longer be needed, in seconds: a quarter.
pub(super) const UNTOUCHED: i64 = 90 * 86_400;
/// How many of the most expensive are kept, per currency. More than are shown, because some might not be the user's to change.
const DEAREST: usize = 12;

/// The most expensive requests, by currency.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Dearest(BTreeMap<String, BTreeSet<(i64, Key)>>);

impl Dearest {
    fn take(&mut self, currency: &str, micros: i64, key: &Key) {
        let of = self.0.entry(currency.to_owned()).or_default();
        if of.len() < DEAREST || of.first().is_some_and(|(least, _)| micros > *least) {
            of.insert((micros, key.clone()));
            if of.len() > DEAREST {
                of.pop_first();
            }
        }
    }

    /// Returns them by currency, the most expensive first.
    pub(super) fn list(&self) -> impl Iterator<Item = (Money, &Key)> {
        self.0.iter().flat_map(|(currency, of)| of.iter().rev().map(|(micros, key)| (Money::new(*micros, currency.clone()), key)))
    }
}

/// Returns the cost of a request from the end of the counted hours until the end of the month, if it stays as it is.
pub(super) fn rest(scope: &ReportScope, request: &PromiseRequest, price: &Money, now: i64) -> i64 {
    if is_ready(request) { from(scope, price.micros, since(request, now)) } else { 0 }
}

/// Returns the cost at a price from the end of the counted hours, or from a later moment, until the end of the month.
fn from(scope: &ReportScope, micros: i64, since: i64) -> i64 {
    accrued(micros, scope.counted().max(since), scope.month.end())
}

/// Reads what is running in a scope.
pub(super) fn read(caller: &Caller, scope: &ReportScope, by: CostBy, now: i64) -> Live {
    let portal = caller.portal();
    let mut live = portal.register.with(&portal.world, |known| running(known, scope, by, now));
    let places: HashMap<&ClusterId, &Place> = scope.places.iter().map(|place| (&place.cluster, place)).collect();
    for (key, request) in portal.approval_index.open(&portal.world).iter() {
        // What several steps wait for costs once, and an action costs nothing.
        let costs = own_hash(request).is_none();
        if costs && places.get(&key.cluster).is_some_and(|place| place.sight.covers(&key.namespace)) {
            live.wait(caller, key, request);
        }
    }
    live
}

/// Reads what is running from the register.
fn running(known: &Known, scope: &ReportScope, by: CostBy, now: i64) -> Live {
    let mut live = Live::default();
    for place in &scope.places {
        for spending in known.spending(place) {
            live.take(known, scope, by, place, spending, now);
        }
    }
    live
}

impl Live {
    fn take(&mut self, known: &Known, scope: &ReportScope, by: CostBy, place: &Place, spending: &Spending, now: i64) {
        self.running += spending.running;
        self.unpriced += spending.unpriced;
        // Shares are added up within the place first, so texts are copied once per group and not once per share.
        let mut sums: BTreeMap<(&str, &str), Figures> = BTreeMap::new();
        let mut rests: BTreeMap<(&str, &str), i64> = BTreeMap::new();
        for (share, (running, ready)) in &spending.shares {
            // Equal prices result in equal amounts.
            let each = from(scope, share.micros, i64::MIN);
            let times = |amount: i64, count: usize| amount.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX));
            let (forecast, estimate) = (times(each, *ready), times(share.micros, *running));
            let figures = Figures { forecast, estimate, instances: *running, ..Figures::default() };
            *sums.entry((value(scope, by, place, share), &share.currency)).or_default() += figures;
            let rest = rests.entry((&share.promise, &share.currency)).or_default();
            *rest = rest.saturating_add(figures.forecast);
        }
        sums.into_iter().for_each(|((value, currency), figures)| self.add_sum(value, currency, figures));
        rests.into_iter().for_each(|((promise, currency), rest)| self.add_rest(place, promise, currency, rest));
        // Instances that became ready after the counted hours, or at an unknown time, cost less than the full rest of the month.
        let late = (scope.counted().saturating_add(1), Key::cluster_scoped(&place.cluster, ""));
        for (_, key) in spending.ready.range(late..) {
            let Some((request, price)) = known.request(key).and_then(|request| Some((request, price(request)?))) else { continue };
            let less = rest(scope, request, &price, now).saturating_sub(from(scope, price.micros, i64::MIN));
            let share = Share::of(request, &price);
            self.add(scope, by, place, &share, Figures { forecast: less, ..Figures::default() });
        }
        for (currency, of) in &spending.dear {
            of.iter().rev().take(DEAREST).for_each(|(micros, key)| self.dearest.take(currency, *micros, key));
        }
        for (_, key) in spending.ends.iter().take_while(|(ends, _)| *ends <= now) {
            if let Some(price) = known.request(key).and_then(|request| price(request)) {
                self.expired.take(&price.currency, price.micros, key);
            }
        }
        if spending.ready.first().is_some_and(|(since, _)| *since <= now - UNTOUCHED) {
            self.left_alone(known, spending, now);
        }
    }

    /// Adds the most expensive instances that have not changed for a long time: in descending order of price, until there are enough.
    fn left_alone(&mut self, known: &Known, spending: &Spending, now: i64) {
        let alone = |request: &PromiseRequest| {
            let ends = request.spec.expires_at.as_deref().and_then(|at| at.parse::<jiff::Timestamp>().ok());
            is_ready(request) && since(request, now) <= now - UNTOUCHED && ends.is_none_or(|ends| ends.as_second() > now)
        };
        for (currency, of) in &spending.dear {
            let found = of.iter().rev().filter(|(_, key)| known.request(key).is_some_and(|request| alone(request)));
            found.take(DEAREST).for_each(|(micros, key)| self.untouched.take(currency, *micros, key));
        }
    }

    fn add(&mut self, scope: &ReportScope, by: CostBy, place: &Place, share: &Share, figures: Figures) {
        self.add_sum(value(scope, by, place, share), &share.currency, figures);
        self.add_rest(place, &share.promise, &share.currency, figures.forecast);
    }

    fn add_sum(&mut self, value: &str, currency: &str, figures: Figures) {
        *self.sums.entry((value.to_owned(), currency.to_owned())).or_default() += figures;
    }

    fn add_rest(&mut self, place: &Place, promise: &str, currency: &str, more: i64) {
        let rest = self.rests.entry((place.cluster.to_string(), promise.to_owned(), currency.to_owned())).or_default();
        *rest = rest.saturating_add(more);
    }

    /// Adds the price change that results if what waits for approvers is approved.
    fn wait(&mut self, caller: &Caller, key: &Key, request: &PromiseRequest) {
        let status = request.status.as_ref();
        let Some(asked) = status.and_then(awaiting_approval) else { return };
        let release = caller.portal().world.releases.get(&key.beside(asked.release.clone()));
        let wanted = release.and_then(|release| release.price.clone());
        let runs = status.is_some_and(|status| status.current.is_some());
        let before = if runs { price(request) } else { wanted.as_ref().map(|wanted| Money::new(0, wanted.currency.clone())) };
        if let Some(more) = wanted.zip(before).and_then(|(wanted, before)| wanted.minus(&before)) {
            let waiting = self.waiting.entry(more.currency).or_default();
            *waiting = (waiting.0.saturating_add(more.micros), waiting.1 + 1);
        }
    }
}

/// Returns what approvers are asked about. A candidate that waits for its requester or for a window isn't waiting for approval, although
/// approvers can decide on it.
fn awaiting_approval(status: &PromiseRequestStatus) -> Option<&CandidateStatus> {
    status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::AwaitingApproval)
}

/// Returns the value that a share is grouped by.
pub(super) fn value<'a>(scope: &'a ReportScope, by: CostBy, place: &'a Place, share: &'a Share) -> &'a str {
    match by {
        CostBy::Workspace | CostBy::Team => scope.of_place(by, place).unwrap_or_default(),
        CostBy::Promise => &share.promise,
        CostBy::Project => &share.project,
        CostBy::Owner => &share.owner,
    }
}

#[cfg(test)]
mod tests;
