//! Catalogs, kept between reads.
//!
//! What is offered depends on promises, catalogs and the tree. The user only decides whether it can be requested. So each catalog is kept
//! for all workspaces that see the same homes the same way, and each read applies what has changed since the last. A page costs as much as
//! its rows, and a search as much as its results, regardless of the number of promises.

use std::collections::{HashMap, VecDeque};

use app::view::{CatalogPage, CatalogQuery};
use cluster::World;
use cluster::watch::Key;
use parking_lot::Mutex;

use super::entries::Entries;
use super::narrow::Narrowed;
use super::order::{Order, Ranking, Sight};
use crate::portal::offers::Offers;

/// Rows per page.
const PAGE: usize = 100;
/// Most promises in a part that programs read, and one more.
const MOST: usize = 501;
/// Number of catalogs to keep.
const CATALOGS: usize = 64;
/// Number of searches to keep for each catalog, besides the whole catalog.
const SEARCHES: usize = 8;

/// All catalogs that were read recently.
#[derive(Default)]
pub struct CatalogIndex(Mutex<Known>);

#[derive(Default)]
struct Known {
    entries: Entries,
    catalogs: HashMap<Sight, Kept>,
    /// Number of reads so far.
    looks: u64,
}

/// One catalog.
struct Kept {
    order: Order,
    whole: Option<Narrowed>,
    searches: VecDeque<(CatalogQuery, Narrowed)>,
    looked: u64,
}

impl CatalogIndex {
    /// Returns a page without its rows, and the keys of its rows. Must not block.
    pub(super) fn page(&self, world: &World, offers: &Offers<'_>, query: &CatalogQuery) -> (CatalogPage, Vec<Key>) {
        let mut known = self.0.lock();
        known.entries.follow(world.promises.snapshot());
        let (entries, kept) = known.kept(offers);
        kept.page(entries, offers, query)
    }

    /// Returns how many promises match a query, and the keys of those after one of them, with the position of the first. Must not block.
    pub(super) fn part(&self, world: &World, offers: &Offers<'_>, query: &CatalogQuery, after: Option<(&Key, usize)>) -> Part {
        let mut known = self.0.lock();
        known.entries.follow(world.promises.snapshot());
        let (entries, kept) = known.kept(offers);
        let fit = &kept.narrowed(entries, query).fit;
        let is = |at: usize, key: &Key| fit.get(at).and_then(|id| entries.get(*id)).is_some_and(|entry| entry.key == *key);
        let first = after.map_or(0, |(key, at)| {
            let moved = || (0..fit.len()).find(|at| is(*at, key));
            // One that is gone left its position to the next one.
            if is(at, key) { at + 1 } else { moved().map_or(at, |at| at + 1) }
        });
        let keys = fit.iter().skip(first).filter_map(|id| entries.get(*id)).map(|entry| entry.key.clone());
        Part { total: fit.len(), first, keys: keys.take(MOST).collect() }
    }
}

/// A part of a catalog.
pub(super) struct Part {
    /// How many promises match.
    pub(super) total: usize,
    /// Position of the first key.
    pub(super) first: usize,
    /// The keys.
    pub(super) keys: Vec<Key>,
}

impl Known {
    /// Returns the catalog of these offers, up to date.
    fn kept(&mut self, offers: &Offers<'_>) -> (&Entries, &mut Kept) {
        self.looks += 1;
        let sight = Sight::of(offers, &self.entries);
        if !self.catalogs.contains_key(&sight) && self.catalogs.len() >= CATALOGS {
            let oldest = self.catalogs.iter().min_by_key(|(_, kept)| kept.looked).map(|(sight, _)| sight.clone());
            oldest.and_then(|oldest| self.catalogs.remove(&oldest));
        }
        let ranking = Ranking::of(offers);
        let entries = &self.entries;
        let kept = self.catalogs.entry(sight).or_insert_with(|| Kept {
            order: Order::of(entries, &ranking),
            whole: None,
            searches: VecDeque::new(),
            looked: 0,
        });
        kept.looked = self.looks;
        if kept.order.follow(entries, &ranking) {
            (kept.whole, kept.searches) = (None, VecDeque::new());
        }
        (entries, kept)
    }
}

impl Kept {
    fn page(&mut self, entries: &Entries, offers: &Offers<'_>, query: &CatalogQuery) -> (CatalogPage, Vec<Key>) {
        let total = self.order.len();
        let narrowed = self.narrowed(entries, query);
        let (fit, available) = (narrowed.fit.len(), narrowed.available(entries, offers));
        let pages = fit.div_ceil(PAGE).max(1);
        let page = query.page.clamp(1, pages);
        let shown = narrowed.fit.iter().skip((page - 1) * PAGE).take(PAGE);
        let keys = shown.filter_map(|id| entries.get(*id)).map(|entry| entry.key.clone()).collect();
        let page = CatalogPage {
            rows: Vec::new(),
            shelves: Vec::new(),
            total,
            fit,
            available,
            pages,
            categories: narrowed.categories.clone(),
            tags: narrowed.tags.clone(),
            owners: narrowed.owners.clone(),
            lifecycles: narrowed.lifecycles.clone(),
            query: CatalogQuery { page, ..query.clone() },
        };
        (page, keys)
    }

    fn narrowed(&mut self, entries: &Entries, query: &CatalogQuery) -> &mut Narrowed {
        let query = CatalogQuery { page: 0, ..query.clone() };
        let Self { order, whole, searches, .. } = self;
        if query == CatalogQuery::default() {
            return whole.get_or_insert_with(|| Narrowed::of(entries, order, &query));
        }
        let found = searches.iter().position(|(known, _)| *known == query).and_then(|at| searches.remove(at));
        let found = found.unwrap_or_else(|| {
            let narrowed = Narrowed::of(entries, order, &query);
            (query, narrowed)
        });
        searches.truncate(SEARCHES - 1);
        searches.push_front(found);
        &mut searches[0].1
    }
}
