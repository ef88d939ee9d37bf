//! Prices in rows of catalogs, computed once for all users: a preflight for each row of each page would cost a hundred times the page.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::ClusterId;
use cluster::kinds::{PromiseCatalog, PromiseRevision};
use cluster::watch::Key;
use futures::future::join_all;
use imbl::OrdMap;
use parking_lot::Mutex;
use promise::policy::Book;
use promise::price::{Day, Money};

use super::page;
use crate::portal::Caller;
use crate::portal::Portal;
use crate::portal::offers::Offered;
use crate::portal::place::Workspace;

/// Workspace and promise.
type Name = (ClusterId, Key);

/// Number of prices to keep. Installations with more compute some of them again.
const KEPT: usize = 20_000;

/// Prices by workspace and promise, valid until something that they depend on changes.
#[derive(Default)]
pub struct ListPrices(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    basis: Option<Basis>,
    prices: BTreeMap<Name, LowestPrice>,
}

/// The lowest price of a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LowestPrice {
    /// There is no charge.
    Free,
    /// It isn't known.
    Unknown,
    /// The monthly amount.
    From(Money),
}

impl LowestPrice {
    /// Returns it in words. Empty if there is no charge.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Free => String::new(),
            Self::Unknown => "price unknown".to_owned(),
            Self::From(least) => format!("from {least}/month"),
        }
    }
}

/// What prices depend on, besides promise and workspace.
#[derive(Clone)]
pub(in crate::portal) struct Basis {
    /// The policies, in their workspaces.
    policies: Arc<Book>,
    revisions: OrdMap<Key, Arc<PromiseRevision>>,
    catalogs: OrdMap<Key, Arc<PromiseCatalog>>,
    today: Day,
}

impl Basis {
    /// Returns the present basis.
    pub(in crate::portal) fn now(portal: &Portal) -> Self {
        Self {
            policies: portal.policies.read(&portal.world, &portal.trusted_homes),
            revisions: portal.world.revisions.snapshot(),
            catalogs: portal.world.catalogs.snapshot(),
            today: Day::of_unix(portal.clock.now().as_second()),
        }
    }

    /// Checks whether both are the same.
    pub(in crate::portal) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.policies, &other.policies)
            && self.revisions.ptr_eq(&other.revisions)
            && self.catalogs.ptr_eq(&other.catalogs)
            && self.today == other.today
    }
}

impl ListPrices {
    /// Returns the known prices on this basis. A different basis clears all prices.
    fn known(&self, basis: &Basis, names: &[Name]) -> Vec<Option<LowestPrice>> {
        let mut kept = self.0.lock();
        if !kept.basis.as_ref().is_some_and(|known| known.is(basis)) || kept.prices.len() >= KEPT {
            *kept = Kept { basis: Some(basis.clone()), prices: BTreeMap::new() };
        }
        names.iter().map(|name| kept.prices.get(name).cloned()).collect()
    }

    /// Keeps prices that were computed on this basis, unless the basis has changed meanwhile.
    fn keep(&self, basis: &Basis, prices: impl Iterator<Item = (Name, LowestPrice)>) {
        let mut kept = self.0.lock();
        if kept.basis.as_ref().is_some_and(|known| known.is(basis)) {
            kept.prices.extend(prices);
        }
    }
}

/// Returns the lowest price of each of these offers with at most one choice changed from what it proposes, for any requester.
pub(super) async fn prices(caller: &Caller, workspace: &Workspace, offers: &[Offered]) -> Vec<LowestPrice> {
    let portal = caller.portal();
    let basis = Basis::now(portal);
    let names: Vec<Name> = offers.iter().map(|offered| (workspace.cluster.clone(), offered.key.clone())).collect();
    let known = portal.list_prices.known(&basis, &names);
    if let Some(known) = known.iter().cloned().collect() {
        return known;
    }
    let found = join_all(known.iter().zip(offers).map(async |(known, offered)| match known {
        Some(price) => price.clone(),
        None => computed(caller, workspace, offered).await,
    }));
    let found = found.await;
    portal.list_prices.keep(&basis, names.into_iter().zip(found.iter().cloned()));
    found
}

async fn computed(caller: &Caller, workspace: &Workspace, offered: &Offered) -> LowestPrice {
    match page::least(caller, workspace, offered, page::For::Anybody).await {
        Some((_, Some(least))) => LowestPrice::From(least),
        Some((_, None)) => LowestPrice::Unknown,
        None => LowestPrice::Free,
    }
}
