//! What is running in one place and its cost, by the values that costs are grouped by.
//!
//! Amounts are rounded for each instance separately, so sums of prices are not exact. But equal prices result in equal amounts. So
//! instances of the same price are one number here, and only those that became ready recently are read individually.

use std::collections::{BTreeMap, BTreeSet};

use cluster::kinds::PromiseRequest;
use cluster::orphans::Orphan;
use cluster::person;
use cluster::watch::Key;
use jiff::Timestamp;
use ledger::{is_ready, price, project, since};
use promise::price::Money;

/// Instances of the same price that add up together in every report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// Name of the promise.
    pub promise: String,
    /// Project. Can be empty.
    pub project: String,
    /// The requester.
    pub owner: String,
    /// ISO 4217.
    pub currency: String,
    /// Millionths per month.
    pub micros: i64,
}

impl Share {
    /// Returns the share of an instance with a price.
    pub fn of(request: &PromiseRequest, price: &Money) -> Self {
        Self {
            promise: request.spec.promise.name.clone(),
            project: project(request),
            owner: person::requester(request).to_string(),
            currency: price.currency.clone(),
            micros: price.micros,
        }
    }
}

/// What is running in one place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spending {
    /// Number of instances.
    pub running: usize,
    /// Those whose price is unknown.
    pub unpriced: usize,
    /// Those whose price is known: how many are running, and how many of these are ready.
    pub shares: BTreeMap<Share, (usize, usize)>,
    /// Those that are ready at a known price, by the second since when. The last one if that is unknown.
    pub ready: BTreeSet<(i64, Key)>,
    /// Those whose price is known, by currency and price.
    pub dear: BTreeMap<String, BTreeSet<(i64, Key)>>,
    /// Those with a known price and an expiry, by the second of the expiry.
    pub ends: BTreeSet<(i64, Key)>,
    /// Those that deleted requests left behind. They are included in the instances and their shares, but in no other list.
    pub orphans: BTreeSet<Key>,
}

/// A running request as it is counted.
pub(super) struct Spent {
    price: Option<Money>,
    share: Option<Share>,
    ready: Option<i64>,
    ends: Option<i64>,
}

impl Spent {
    pub(super) fn of(request: &PromiseRequest) -> Option<Self> {
        let runs = request.status.as_ref().is_some_and(|status| status.current.is_some()) && request.metadata.deletion_timestamp.is_none();
        runs.then_some(())?;
        let price = price(request);
        let share = price.as_ref().map(|price| Share::of(request, price));
        let ends = request.spec.expires_at.as_deref().and_then(|at| at.parse::<Timestamp>().ok()).map(Timestamp::as_second);
        let priced = share.is_some();
        Some(Self {
            price,
            share,
            // An unknown date counts as now, at any time.
            ready: (priced && is_ready(request)).then(|| since(request, i64::MAX)),
            ends: ends.filter(|_| priced),
        })
    }
}

impl Spending {
    /// Counts one more or one less.
    pub(super) fn file(&mut self, key: &Key, spent: &Spent, there: bool) {
        self.count(spent.share.as_ref(), spent.ready.is_some(), there);
        let Some(price) = spent.price.as_ref() else { return };
        let put = |set: &mut BTreeSet<(i64, Key)>, number: i64| {
            let row = (number, key.clone());
            if there {
                set.insert(row);
            } else {
                set.remove(&row);
            }
        };
        if let Some(ready) = spent.ready {
            put(&mut self.ready, ready);
        }
        if let Some(ends) = spent.ends {
            put(&mut self.ends, ends);
        }
        let dear = self.dear.entry(price.currency.clone()).or_default();
        put(dear, price.micros);
        if dear.is_empty() {
            self.dear.remove(&price.currency);
        }
    }

    /// Counts one more orphan or one less. It costs what its request did.
    pub(super) fn file_orphan(&mut self, key: &Key, orphan: &Orphan, there: bool) {
        let share = orphan.accepted.price.as_ref().map(|price| Share {
            promise: orphan.accepted.promise.clone(),
            project: orphan.account.project.clone(),
            owner: orphan.account.requester.clone(),
            currency: price.currency.clone(),
            micros: price.micros,
        });
        self.count(share.as_ref(), true, there);
        if there {
            self.orphans.insert(key.clone());
        } else {
            self.orphans.remove(key);
        }
    }

    /// Counts one more instance or one less. It has no share if its price is unknown.
    fn count(&mut self, share: Option<&Share>, ready: bool, there: bool) {
        let count = |count: &mut usize| *count = if there { *count + 1 } else { count.saturating_sub(1) };
        count(&mut self.running);
        let Some(share) = share else {
            count(&mut self.unpriced);
            return;
        };
        let of = self.shares.entry(share.clone()).or_default();
        count(&mut of.0);
        if ready {
            count(&mut of.1);
        }
        if *of == (0, 0) {
            self.shares.remove(share);
        }
    }
}
