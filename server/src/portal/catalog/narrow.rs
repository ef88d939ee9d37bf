//! Filtering of a catalog by words and facets. The count of a facet value is the number of rows left when it is chosen in addition to the
//! other filters.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use app::view::{CatalogColumn, CatalogQuery, Facet, Sort};
use cluster::ClusterId;
use cluster::kinds::Destination;
use cluster::requirements::Working;
use cluster::watch::Key;
use cluster::workspaces::Tree;
use imbl::OrdMap;
use promise::wording;

use super::entries::{Entries, Entry};
use super::facets::facet_of;
use super::order::Order;
use crate::portal::offers::Offers;

/// Values of a facet that can be chosen by a link. The others are found by search.
const VALUES: usize = 20;
/// Number of workspaces for which missing requirements are kept.
const WORKSPACES: usize = 256;

/// The filtered catalog.
pub(super) struct Narrowed {
    /// Ids of the matching entries, in their order.
    pub(super) fit: Vec<u32>,
    /// Ids of those that require something.
    requiring: Vec<u32>,
    /// How many have no published version.
    refused: usize,
    pub(super) categories: Facet,
    pub(super) tags: Facet,
    pub(super) owners: Facet,
    pub(super) lifecycles: Facet,
    lacking: HashMap<ClusterId, Lacking>,
}

/// How many matching entries require what a workspace lacks, and the data that this was computed from.
struct Lacking {
    working: Working,
    destinations: OrdMap<Key, Arc<Destination>>,
    tree: Arc<Tree>,
    count: usize,
}

/// Rows by facet value.
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
    /// Filters a catalog by a query, ignoring the page number.
    pub(super) fn of(entries: &Entries, order: &Order, query: &CatalogQuery) -> Self {
        let words: Vec<String> = query.q.split_whitespace().map(str::to_lowercase).collect();
        let ids = entries.among(&words).map_or_else(|| order.ids().collect(), |ids| order.sorted(ids));
        let (mut fit, mut requiring, mut refused) = (Vec::new(), Vec::new(), 0);
        let [mut categories, mut tags, mut owners, mut lifecycles] = std::array::from_fn(|_| Counted::default());
        for id in ids {
            let Some(entry) = entries.get(id).filter(|entry| words.iter().all(|word| entry.text.contains(word))) else { continue };
            let fits = fits(entry, query);
            // If only one facet doesn't match, the row counts for the other values of that facet.
            let counts = |facet: usize| fits.iter().enumerate().all(|(at, fits)| *fits || at == facet);
            if fits == [true; 4] {
                fit.push(id);
                if entry.refused {
                    refused += 1;
                } else if !entry.requires.is_empty() {
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
            // The sort is stable, so equal entries stay in the usual order.
            fit.sort_by(|a, b| query.sort.compare(&entries.get(*a), &entries.get(*b), by, |_, _| Ordering::Equal));
        }
        Self {
            fit,
            requiring,
            refused,
            categories: categories.facet(&query.category, wording::humanise),
            tags: tags.facet(&query.tag, str::to_owned),
            owners: owners.facet(&query.owner, str::to_owned),
            lifecycles: lifecycles.facet(&query.lifecycle, wording::humanise),
            lacking: HashMap::new(),
        }
    }

    /// Returns how many matching entries can be requested in a workspace.
    pub(super) fn available(&mut self, entries: &Entries, offers: &Offers<'_>) -> usize {
        if !offers.open().is_yes() {
            return 0;
        }
        let published = self.fit.len() - self.refused;
        if self.requiring.is_empty() {
            return published;
        }
        let (working, destinations, tree) = (offers.working(), offers.destinations(), offers.tree());
        let workspace = &offers.workspace().cluster;
        let same =
            |known: &&Lacking| known.working == *working && known.destinations.ptr_eq(&destinations) && Arc::ptr_eq(&known.tree, &tree);
        if let Some(known) = self.lacking.get(workspace).filter(same) {
            return published - known.count;
        }
        let lacks = |entry: &&Entry| !offers.missing(&entry.key.cluster, &entry.requires).is_empty();
        let count = self.requiring.iter().filter_map(|id| entries.get(*id)).filter(lacks).count();
        if self.lacking.len() >= WORKSPACES {
            self.lacking.clear();
        }
        self.lacking.insert(workspace.clone(), Lacking { working: working.clone(), destinations, tree, count });
        published - count
    }
}

fn by(column: CatalogColumn, a: &Option<&Entry>, b: &Option<&Entry>) -> Ordering {
    match column {
        CatalogColumn::Name => a.map(|entry| &entry.title).cmp(&b.map(|entry| &entry.title)),
        CatalogColumn::Published => a.map(|entry| &entry.published).cmp(&b.map(|entry| &entry.published)),
    }
}

/// Checks for category, tag, team and lifecycle whether they match the query.
fn fits(entry: &Entry, query: &CatalogQuery) -> [bool; 4] {
    let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
    [
        is(&query.category, &entry.category),
        query.tag.is_empty() || entry.tags.contains(&query.tag),
        is(&query.owner, &entry.team),
        is(&query.lifecycle, entry.lifecycle.word()),
    ]
}
