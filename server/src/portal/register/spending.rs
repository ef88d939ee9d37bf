//! What runs in one place and what it costs, by what cost adds up by.
//!
//! Amounts are rounded for each instance by itself, so that sums of prices say nothing; but equal prices come to equal amounts. Instances of
//! one price are therefore one number here, and only those that became ready lately are looked at one by one.

use std::collections::{BTreeMap, BTreeSet};

use cluster::kinds::PromiseRequest;
use cluster::orphans::Orphan;
use cluster::watch::Key;
use jiff::Timestamp;
use promise::price::Money;

use crate::auth::person;
use crate::ledger::{is_ready, price, project, since};

/// Instances of one price that add up together whatever is asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// Name of the promise.
    pub promise: String,
    /// Project; may be empty.
    pub project: String,
    /// Who asked for them.
    pub owner: String,
    /// ISO 4217.
    pub currency: String,
    /// Millionths a month.
    pub micros: i64,
}

impl Share {
    /// What an instance of a price adds up with.
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

/// What runs in one place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spending {
    /// Instances.
    pub running: usize,
    /// Those whose price is not known.
    pub unpriced: usize,
    /// Those whose price is known: how many run, and how many of them are ready.
    pub shares: BTreeMap<Share, (usize, usize)>,
    /// Those that are ready at a known price, by the second since when; the last one where nobody can tell.
    pub ready: BTreeSet<(i64, Key)>,
    /// Those whose price is known, by currency and price.
    pub dear: BTreeMap<String, BTreeSet<(i64, Key)>>,
    /// Those whose price is known and that are to end, by the second of that.
    pub ends: BTreeSet<(i64, Key)>,
    /// Those that deleted requests handed over. They are among the instances and their shares, and in no other list.
    pub orphans: BTreeSet<Key>,
}

/// A request as it is counted: nothing of one that does not run.
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
            // What nobody can date began now, whenever that is.
            ready: (priced && is_ready(request)).then(|| since(request, i64::MAX)),
            ends: ends.filter(|_| priced),
        })
    }
}

impl Spending {
    /// Counts one more, or one less.
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

    /// Counts one more orphan, or one less: it costs what its request did.
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

    /// Counts one more instance, or one less; it has no share if its price is not known.
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
