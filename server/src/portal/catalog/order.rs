//! The contents and order of one catalog: the promises visible to all workspaces that see the same homes the same way.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use cluster::ClusterId;
use promise::visibility::{self, Place, SeenBy, Shelf};

use super::entries::{Entries, Entry};
use crate::portal::offers::Offers;

/// Identifies workspaces that see the same: the homes that offer something, how far above they are, and which of their catalogs list what.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Sight(Vec<Seen>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Seen {
    home: ClusterId,
    path: String,
    /// Levels between home and workspace. `None` if the home is not above the workspace.
    levels: Option<usize>,
    /// Weight, name, and the names of the promises that it lists.
    shelves: Vec<(i32, String, Vec<String>)>,
}

impl Sight {
    /// Returns the sight of a workspace.
    pub(super) fn of(offers: &Offers<'_>, entries: &Entries) -> Self {
        let way = &offers.workspace().lineage;
        let homes = offers.homes().iter().filter(|home| entries.of_home(&home.cluster).next().is_some());
        let seen = homes.map(|home| {
            let shelves = home.shelves();
            let reaching = visibility::reaching(&home.place, way, &shelves);
            Seen {
                home: home.cluster.clone(),
                path: home.place.path.clone(),
                levels: way.iter().rev().position(|place| place.cluster == home.place.cluster),
                shelves: reaching.into_iter().map(|of| (of.spec.weight, of.name.to_owned(), of.spec.promises.clone())).collect(),
            }
        });
        Self(seen.collect())
    }
}

/// Sort key of a promise: featured ones first, then by shelf, by name, and among equal names the nearest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    plain: bool,
    /// Position of its shelf, or the largest value if it has none.
    shelf: usize,
    name: Arc<str>,
    levels: usize,
    /// Position of its home by path.
    home: usize,
    id: u32,
}

impl Rank {
    /// Returns the id of its entry.
    pub(super) fn id(&self) -> u32 {
        self.id
    }
}

/// A home, as needed to rank promises.
struct Base<'a> {
    place: &'a Place,
    position: usize,
    shelves: Vec<Shelf<'a>>,
}

/// What determines the order of promises.
pub(super) struct Ranking<'a> {
    way: &'a [Place],
    homes: HashMap<&'a ClusterId, Base<'a>>,
    /// Position of each shelf, by path of its home and name.
    shelves: HashMap<(&'a str, &'a str), usize>,
}

impl<'a> Ranking<'a> {
    /// Returns the ranking of a workspace.
    pub(super) fn of(offers: &'a Offers<'_>) -> Self {
        let homes = offers.homes().iter().map(|home| (&home.cluster, &home.place, home.shelves()));
        Self::over(&offers.workspace().lineage, homes.collect())
    }

    /// Returns the ranking of the last workspace of a lineage, for homes with their catalogs.
    pub(super) fn over(way: &'a [Place], mut homes: Vec<(&'a ClusterId, &'a Place, Vec<Shelf<'a>>)>) -> Self {
        homes.sort_by(|(_, a, _), (_, b, _)| (&a.path, &a.cluster).cmp(&(&b.path, &b.cluster)));
        let bases = homes.into_iter().enumerate().map(|(position, (cluster, place, shelves))| {
            let shelves = visibility::reaching(place, way, &shelves).into_iter().copied().collect();
            (cluster, Base { place, position, shelves })
        });
        let homes: HashMap<&ClusterId, Base<'_>> = bases.collect();
        let all = homes.values().flat_map(|base| base.shelves.iter().map(|shelf| (base.place.path.as_str(), *shelf)));
        let mut shelves: Vec<(&str, Shelf<'_>)> = all.collect();
        shelves.sort_by_key(|(path, shelf)| (Reverse(shelf.spec.weight), format!("{path}/{}", shelf.name)));
        let shelves = shelves.into_iter().enumerate().map(|(position, (path, shelf))| ((path, shelf.name), position)).collect();
        Self { way, homes, shelves }
    }

    /// Returns the rank of a promise. `None` if it isn't visible.
    fn rank(&self, entries: &Entries, id: u32, entry: &Entry) -> Option<Rank> {
        let (base, promise) = (self.homes.get(&entry.key.cluster)?, entries.promise(entry)?);
        let offer = cluster::shelves::offer(&entry.key.name, base.place, promise);
        let levels = match visibility::seen_by(&offer, self.way, &base.shelves).ok()? {
            SeenBy::Home => 0,
            SeenBy::Descent { levels } => levels,
            SeenBy::Catalog { .. } => usize::MAX,
        };
        let shelf = visibility::listings(&offer, self.way, &base.shelves).first().map(|shelf| (base.place.path.as_str(), shelf.name));
        let shelf = shelf.and_then(|shelf| self.shelves.get(&shelf).copied()).unwrap_or(usize::MAX);
        Some(Rank { plain: !entry.featured, shelf, name: entry.name.clone(), levels, home: base.position, id })
    }
}

/// The promises of one sight, in their order.
#[derive(Default)]
pub(super) struct Order {
    ranks: Vec<Rank>,
    by_id: HashMap<u32, Rank>,
    edition: u64,
}

impl Order {
    /// Builds the order from all entries.
    pub(super) fn of(entries: &Entries, ranking: &Ranking<'_>) -> Self {
        let ids = ranking.homes.keys().flat_map(|home| entries.of_home(home));
        let mut ranks: Vec<Rank> = ids.filter_map(|id| ranking.rank(entries, id, entries.get(id)?)).collect();
        ranks.sort_unstable();
        let by_id = ranks.iter().map(|rank| (rank.id, rank.clone())).collect();
        Self { ranks, by_id, edition: entries.edition() }
    }

    /// Applies what has changed since the last read. Returns whether any of it is or was in this catalog.
    pub(super) fn follow(&mut self, entries: &Entries, ranking: &Ranking<'_>) -> bool {
        if self.edition == entries.edition() {
            return false;
        }
        let Some(changed) = entries.since(self.edition) else {
            *self = Self::of(entries, ranking);
            return true;
        };
        let mut touched = false;
        for id in changed {
            if let Some(former) = self.by_id.remove(&id) {
                touched = true;
                if let Ok(at) = self.ranks.binary_search(&former) {
                    self.ranks.remove(at);
                }
            }
            let Some(rank) = entries.get(id).and_then(|entry| ranking.rank(entries, id, entry)) else { continue };
            touched = true;
            if let Err(at) = self.ranks.binary_search(&rank) {
                self.ranks.insert(at, rank.clone());
            }
            self.by_id.insert(id, rank);
        }
        self.edition = entries.edition();
        touched
    }

    /// Returns the ids of its promises, in their order.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> {
        self.ranks.iter().map(Rank::id)
    }

    /// Returns those of these ids that it contains, in its order.
    pub(super) fn sorted(&self, ids: &[u32]) -> Vec<u32> {
        let mut ranks: Vec<&Rank> = ids.iter().filter_map(|id| self.by_id.get(id)).collect();
        ranks.sort_unstable();
        ranks.into_iter().map(Rank::id).collect()
    }

    /// Returns the number of its promises.
    pub(super) fn len(&self) -> usize {
        self.ranks.len()
    }
}
