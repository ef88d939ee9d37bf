//! Catalogs and their places, and the homes from which something can be offered to a workspace.
//!
//! Both are found by their keys, which begin with the workspace: the cost of looking at one promise doesn't grow with the control plane.

use std::sync::Arc;

use imbl::OrdMap;
use promise::price::{Day, PriceBook};
use promise::visibility::{Offer, Place, Shelf};

use crate::kinds::{Promise, PromiseCatalog};
use crate::watch::Key;
use crate::workspaces::{ClusterId, Node, Tree, WorkspacePath};
use crate::world::World;

/// Returns a promise as catalogs list it.
pub fn offer<'a>(name: &'a str, home: &'a Place, promise: &'a Promise) -> Offer<'a> {
    Offer { name, home, spec: &promise.spec, is_deleting: promise.metadata.deletion_timestamp.is_some() }
}

/// A catalog with its place.
pub struct CatalogAt {
    home: Place,
    name: String,
    trusted: bool,
    catalog: Arc<PromiseCatalog>,
}

impl CatalogAt {
    /// Returns the catalog as rules see it.
    pub fn shelf(&self) -> Shelf<'_> {
        Shelf { name: &self.name, home: &self.home, trusted: self.trusted, spec: &self.catalog.spec }
    }
}

/// A home from which something can be offered to a workspace.
pub struct Home {
    /// Id of the home.
    pub cluster: ClusterId,
    /// The home with its path.
    pub place: Place,
    catalogs: Vec<CatalogAt>,
}

impl Home {
    /// Returns its catalogs: no other catalog lists its promises.
    pub fn shelves(&self) -> Vec<Shelf<'_>> {
        self.catalogs.iter().map(CatalogAt::shelf).collect()
    }
}

impl World {
    /// Returns the homes from which something can be offered to a workspace, in the order of their ids: those on the path to it, and those
    /// of `trusted`, the homes that can offer across the tree. `way` leads from the root to the workspace.
    pub fn homes(&self, way: impl IntoIterator<Item = ClusterId>, trusted: &[WorkspacePath]) -> Vec<Home> {
        let tree = self.tree();
        let mut homes: Vec<ClusterId> = trusted.iter().filter_map(|path| tree.cluster(path)).chain(way).collect();
        homes.sort();
        homes.dedup();
        homes.into_iter().filter_map(|cluster| self.home(&tree, cluster, trusted)).collect()
    }

    fn home(&self, tree: &Tree, cluster: ClusterId, trusted: &[WorkspacePath]) -> Option<Home> {
        let path = tree.path(&cluster)?;
        let place = Place { cluster: cluster.to_string(), path: path.to_string() };
        let is_trusted = trusted.contains(&path);
        let all = self.catalogs.snapshot();
        let catalogs = within(&all, &cluster).map(|(key, catalog)| CatalogAt {
            home: place.clone(),
            name: key.name.clone(),
            trusted: is_trusted,
            catalog: catalog.clone(),
        });
        Some(Home { catalogs: catalogs.collect(), place, cluster })
    }

    /// Returns the catalogs of a home; none if its place in the tree isn't proven. `trusted` are the homes that can offer across the tree.
    pub fn shelves(&self, home: &ClusterId, trusted: &[WorkspacePath]) -> Vec<CatalogAt> {
        self.home(&self.tree(), home.clone(), trusted).map(|home| home.catalogs).unwrap_or_default()
    }

    /// Returns the prices of an offer in a workspace on a day. `lineage` leads from the root to the workspace.
    pub fn prices(&self, offer: &Offer<'_>, lineage: &[Place], trusted: &[WorkspacePath], today: Day) -> PriceBook {
        let catalogs = self.shelves_of(offer, trusted);
        let shelves: Vec<Shelf<'_>> = catalogs.iter().map(CatalogAt::shelf).collect();
        PriceBook::open(offer, lineage, &shelves, today)
    }

    /// Returns the prices of an offer in a workspace on each day after `today` on which a list begins, in the order of these days.
    pub fn later_prices(&self, offer: &Offer<'_>, lineage: &[Place], trusted: &[WorkspacePath], today: Day) -> Vec<(Day, PriceBook)> {
        let catalogs = self.shelves_of(offer, trusted);
        let shelves: Vec<Shelf<'_>> = catalogs.iter().map(CatalogAt::shelf).collect();
        let days = PriceBook::later(offer, lineage, &shelves, today);
        days.into_iter().map(|day| (day, PriceBook::open(offer, lineage, &shelves, day))).collect()
    }

    fn shelves_of(&self, offer: &Offer<'_>, trusted: &[WorkspacePath]) -> Vec<CatalogAt> {
        ClusterId::parse(&offer.home.cluster).map(|home| self.shelves(&home, trusted)).unwrap_or_default()
    }
}

/// Returns the rows of one workspace, of a kind that isn't namespaced.
fn within<'r, V>(rows: &'r OrdMap<Key, Arc<V>>, cluster: &'r ClusterId) -> impl Iterator<Item = (&'r Key, &'r Arc<V>)> {
    rows.range(Key::cluster_scoped(cluster, "")..).take_while(move |(key, _)| key.cluster == *cluster)
}

impl From<&Node> for Place {
    fn from(node: &Node) -> Self {
        Self { cluster: node.cluster.to_string(), path: node.path.to_string() }
    }
}
