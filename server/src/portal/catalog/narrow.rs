//! Narrowing a catalog by words and facets. A facet's count says how many rows are left when it is chosen beside the others.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use cluster::ClusterId;
use cluster::kinds::Destination;
use cluster::requirements::Working;
use cluster::watch::Key;
use cluster::workspaces::Tree;
use imbl::OrdMap;
use promise::view::{CatalogColumn, CatalogQuery, Facet, Sort};
use promise::wording;

use super::entries::{Entries, Entry};
use super::facets::facet_of;
use super::order::Order;
use crate::portal::offers::Offers;

/// Values of a facet that can be chosen by a link; the others are found by search.
const VALUES: usize = 20;
/// For how many workspaces it is kept what they lack.
const WORKSPACES: usize = 256;

/// What is left of a catalog.
pub(super) struct Narrowed {
    /// Numbers of the entries that fit, in their order.
    pub(super) fit: Vec<u32>,
    /// Those of them that require something.
    requiring: Vec<u32>,
    pub(super) categories: Facet,
    pub(super) tags: Facet,
    pub(super) owners: Facet,
    pub(super) lifecycles: Facet,
    lacking: HashMap<ClusterId, Lacking>,
}

/// How many of the entries that fit require what a workspace lacks, and what that was found by.
struct Lacking {
    working: Working,
    destinations: OrdMap<Key, Arc<Destination>>,
    tree: Arc<Tree>,
    count: usize,
}

/// Rows by the values of a facet.
#[derive(Default)]
struct Counted<'a>(HashMap<&'a str, usize>);

impl<'a> Counted<'a> {
    fn add(&mut self, values: impl IntoIterator<Item = &'a str>) {
        values.into_iter().for_each(|value| *self.0.entry(value).or_default() += 1);
    }

    fn facet(self, chosen: &str, label: impl Fn(&str) -> String) -> Facet {
        facet_of(self.0.into_iter(), chosen, label, VALUES)
    }
}

impl Narrowed {
    /// What of a catalog fits a query; its page does not matter.
    pub(super) fn of(entries: &Entries, order: &Order, query: &CatalogQuery) -> Self {
        let words: Vec<String> = query.q.split_whitespace().map(str::to_lowercase).collect();
        let ids = entries.among(&words).map_or_else(|| order.ids().collect(), |ids| order.sorted(ids));
        let (mut fit, mut requiring) = (Vec::new(), Vec::new());
        let [mut categories, mut tags, mut owners, mut lifecycles] = std::array::from_fn(|_| Counted::default());
        for id in ids {
            let Some(entry) = entries.get(id).filter(|entry| words.iter().all(|word| entry.text.contains(word))) else { continue };
            let fits = fits(entry, query);
            // With one facet that does not fit, the row is what another choice of that facet leaves.
            let counts = |facet: usize| fits.iter().enumerate().all(|(at, fits)| *fits || at == facet);
            if fits == [true; 4] {
                fit.push(id);
                if !entry.requires.is_empty() {
                    requiring.push(id);
                }
            }
            if counts(0) {
                categories.add([entry.category.as_str()]);
            }
            if counts(1) {
                tags.add(entry.tags.iter().map(String::as_str));
            }
            if counts(2) {
                owners.add([entry.team.as_str()]);
            }
            if counts(3) {
                lifecycles.add([entry.lifecycle.word()]);
            }
        }
        if query.sort != Sort::Usual {
            // What is alike stays in the usual order, because the sort is stable.
            fit.sort_by(|a, b| query.sort.compare(&entries.get(*a), &entries.get(*b), by, |_, _| Ordering::Equal));
        }
        Self {
            fit,
            requiring,
            categories: categories.facet(&query.category, wording::humanise),
            tags: tags.facet(&query.tag, str::to_owned),
            owners: owners.facet(&query.owner, str::to_owned),
            lifecycles: lifecycles.facet(&query.lifecycle, wording::humanise),
            lacking: HashMap::new(),
        }
    }

    /// How many of what fits can be requested in a workspace.
    pub(super) fn available(&mut self, entries: &Entries, offers: &Offers<'_>) -> usize {
        if !offers.open().is_yes() {
            return 0;
        }
        if self.requiring.is_empty() {
            return self.fit.len();
        }
        let (working, destinations, tree) = (offers.working(), offers.destinations(), offers.tree());
        let workspace = &offers.workspace().cluster;
        let same =
            |known: &&Lacking| known.working == *working && known.destinations.ptr_eq(&destinations) && Arc::ptr_eq(&known.tree, &tree);
        if let Some(known) = self.lacking.get(workspace).filter(same) {
            return self.fit.len() - known.count;
        }
        let lacks = |entry: &&Entry| !offers.missing(&entry.key.cluster, &entry.requires).is_empty();
        let count = self.requiring.iter().filter_map(|id| entries.get(*id)).filter(lacks).count();
        if self.lacking.len() >= WORKSPACES {
            self.lacking.clear();
        }
        self.lacking.insert(workspace.clone(), Lacking { working: working.clone(), destinations, tree, count });
        self.fit.len() - count
    }
}

fn by(column: CatalogColumn, a: &Option<&Entry>, b: &Option<&Entry>) -> Ordering {
    match column {
        CatalogColumn::Name => a.map(|entry| &entry.title).cmp(&b.map(|entry| &entry.title)),
        CatalogColumn::Published => a.map(|entry| &entry.published).cmp(&b.map(|entry| &entry.published)),
    }
}

/// Whether category, tag, team and lifecycle are those that are wanted.
fn fits(entry: &Entry, query: &CatalogQuery) -> [bool; 4] {
    let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
    [
        is(&query.category, &entry.category),
        query.tag.is_empty() || entry.tags.contains(&query.tag),
        is(&query.owner, &entry.team),
        is(&query.lifecycle, entry.lifecycle.word()),
    ]
}
