//! Catalogs and where they stand.

use std::sync::Arc;

use promise::price::{Day, PriceBook};
use promise::visibility::{Offer, Place, Shelf};

use crate::kinds::PromiseCatalog;
use crate::workspaces::{Node, WorkspacePath};
use crate::world::World;

/// A catalog with the place where it stands.
pub struct CatalogAt {
    home: Place,
    name: String,
    trusted: bool,
    catalog: Arc<PromiseCatalog>,
}

impl CatalogAt {
    /// As rules look at it.
    pub fn shelf(&self) -> Shelf<'_> {
        Shelf { name: &self.name, home: &self.home, trusted: self.trusted, spec: &self.catalog.spec }
    }
}

impl World {
    /// All catalogs whose place in the tree is proven. `trusted` are the homes that may offer across the tree.
    pub fn shelves(&self, trusted: &[WorkspacePath]) -> Vec<CatalogAt> {
        let tree = self.tree();
        let placed = self.catalogs.snapshot().into_iter().filter_map(|(key, catalog)| {
            let path = tree.path(&key.cluster)?;
            let trusted = trusted.contains(&path);
            Some(CatalogAt { home: Place { cluster: key.cluster.to_string(), path: path.to_string() }, name: key.name, trusted, catalog })
        });
        placed.collect()
    }

    /// The prices of an offer in a workspace on a day. `lineage` leads from the root to the workspace.
    pub fn prices(&self, offer: &Offer<'_>, lineage: &[Place], trusted: &[WorkspacePath], today: Day) -> PriceBook {
        let catalogs = self.shelves(trusted);
        let shelves: Vec<Shelf<'_>> = catalogs.iter().map(CatalogAt::shelf).collect();
        PriceBook::open(offer, lineage, &shelves, today)
    }

    /// The prices of an offer in a workspace on each day after `today` on which a list begins, in the order of these days.
    pub fn later_prices(&self, offer: &Offer<'_>, lineage: &[Place], trusted: &[WorkspacePath], today: Day) -> Vec<(Day, PriceBook)> {
        let catalogs = self.shelves(trusted);
        let shelves: Vec<Shelf<'_>> = catalogs.iter().map(CatalogAt::shelf).collect();
        let days = PriceBook::later(offer, lineage, &shelves, today);
        days.into_iter().map(|day| (day, PriceBook::open(offer, lineage, &shelves, day))).collect()
    }
}

impl From<&Node> for Place {
    fn from(node: &Node) -> Self {
        Self { cluster: node.cluster.to_string(), path: node.path.to_string() }
    }
}
