//! The objects created for the requests of one namespace, in list order and with the counts that lists need. So a list of a hundred
//! workspaces takes that many steps, and not one per object.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use app::view::{Drift, ResourceQuery};
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use promise::api::{ConditionStatus, Health, InventoryItem};

use crate::portal::by_place::Made;

/// The objects created for the requests of one namespace.
#[derive(Debug, Default)]
pub struct Shelf {
    /// Failing objects first, then by instance, kind and name.
    pieces: Vec<Piece>,
    /// The same, counted by everything that a list can be filtered by except words.
    pub(super) sums: Vec<Sum>,
    /// Requests that have objects.
    pub(super) instances: usize,
}

/// An object together with its request.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) request: Arc<PromiseRequest>,
    index: usize,
    pub(super) drift: Drift,
    /// Text that word searches match, in lowercase.
    text: Box<str>,
}

/// A count of similar objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) kind: String,
    pub(super) health: Health,
    pub(super) promise: String,
    pub(super) drifted: bool,
    pub(super) count: usize,
    /// How many of them the control plane accepted.
    pub(super) applied: usize,
}

impl Sum {
    /// Checks whether a query matches these, ignoring words.
    pub(super) fn fits(&self, query: &ResourceQuery) -> bool {
        fits(query, &self.kind, self.health, &self.promise, self.drifted)
    }
}

impl Made for Shelf {
    fn of<'r>(requests: impl Iterator<Item = (&'r Key, &'r Arc<PromiseRequest>)>) -> Self {
        let mut shelf = Self::default();
        for (_, request) in requests {
            let count = request.status.as_ref().map_or(0, |status| status.inventory.len());
            shelf.instances += usize::from(count > 0);
            shelf.pieces.extend((0..count).map(|index| Piece::of(request, index)));
        }
        shelf.pieces.sort_by(Piece::compare);
        let mut sums: BTreeMap<(&str, Health, &str, bool), (usize, usize)> = BTreeMap::new();
        for piece in &shelf.pieces {
            let sum = sums.entry((piece.kind(), piece.health(), piece.promise(), piece.drift.is_drifted())).or_default();
            *sum = (sum.0 + 1, sum.1 + usize::from(piece.item().is_some_and(|item| item.applied)));
        }
        let sum = |((kind, health, promise, drifted), (count, applied)): ((&str, Health, &str, bool), (usize, usize))| Sum {
            kind: kind.to_owned(),
            health,
            promise: promise.to_owned(),
            drifted,
            count,
            applied,
        };
        shelf.sums = sums.into_iter().map(sum).collect();
        shelf
    }
}

impl Shelf {
    /// Returns the objects of one urgency.
    pub(super) fn level(&self, urgency: u8) -> &[Piece] {
        let start = self.pieces.partition_point(|piece| piece.health().urgency() > urgency);
        let end = self.pieces.partition_point(|piece| piece.health().urgency() >= urgency);
        self.pieces.get(Range { start, end }).unwrap_or_default()
    }

    /// Returns the counts of the objects that contain all words.
    pub(super) fn sums_of<'s>(&'s self, words: &[String], path: &str) -> Vec<Sum> {
        let mut sums: BTreeMap<(&'s str, Health, &'s str, bool), usize> = BTreeMap::new();
        for piece in self.pieces.iter().filter(|piece| piece.has(words, path)) {
            *sums.entry((piece.kind(), piece.health(), piece.promise(), piece.drift.is_drifted())).or_default() += 1;
        }
        let sum = |((kind, health, promise, drifted), count): ((&str, Health, &str, bool), usize)| Sum {
            kind: kind.to_owned(),
            health,
            promise: promise.to_owned(),
            drifted,
            count,
            applied: 0,
        };
        sums.into_iter().map(sum).collect()
    }
}

impl Piece {
    /// Returns the object at an index in the inventory of a request.
    pub(super) fn of(request: &Arc<PromiseRequest>, index: usize) -> Self {
        let mut piece = Self { request: request.clone(), index, drift: Drift::default(), text: Box::default() };
        piece.drift = piece.compared();
        let item = piece.item();
        let texts = [
            piece.name(),
            piece.kind(),
            piece.instance(),
            piece.promise(),
            item.and_then(|item| item.destination.as_deref()).unwrap_or_default(),
        ];
        // Words contain no line break, so none matches across two texts.
        piece.text = texts.join("\n").to_lowercase().into();
        piece
    }

    pub(super) fn item(&self) -> Option<&InventoryItem> {
        self.request.status.as_ref()?.inventory.get(self.index)
    }

    pub(super) fn health(&self) -> Health {
        self.item().map(|item| item.health).unwrap_or_default()
    }

    pub(super) fn name(&self) -> &str {
        self.item().map_or("", |item| item.name.as_str())
    }

    pub(super) fn kind(&self) -> &str {
        self.item().map_or("", |item| item.kind.as_str())
    }

    pub(super) fn promise(&self) -> &str {
        &self.request.spec.promise.name
    }

    pub(super) fn instance(&self) -> &str {
        self.request.metadata.name.as_deref().unwrap_or_default()
    }

    pub(super) fn namespace(&self) -> &str {
        self.request.metadata.namespace.as_deref().unwrap_or_default()
    }

    fn compared(&self) -> Drift {
        match self.item().and_then(|item| item.repairs) {
            Some(repairs) if repairs.contested => Drift::Contested(repairs.count),
            Some(repairs) => Drift::PutBack(repairs.count),
            None => {
                let conditions = self.request.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
                let compared = conditions.iter().any(|known| known.r#type == "DriftFree" && known.status != ConditionStatus::Unknown);
                if compared && self.item().is_some_and(|item| item.applied) { Drift::None } else { Drift::Unknown }
            }
        }
    }

    /// Sorts failing objects first, then by location.
    fn compare(a: &Self, b: &Self) -> std::cmp::Ordering {
        let urgency = |piece: &Self| piece.health().urgency();
        urgency(b)
            .cmp(&urgency(a))
            .then_with(|| a.instance().cmp(b.instance()))
            .then_with(|| a.kind().cmp(b.kind()))
            .then_with(|| a.name().cmp(b.name()))
    }

    /// Checks whether it, or the path of its workspace, contains all words. Both are in lowercase.
    pub(super) fn has(&self, words: &[String], path: &str) -> bool {
        words.iter().all(|word| self.text.contains(word.as_str()) || path.contains(word.as_str()))
    }
}

/// Returns a health as the address writes it.
pub(super) fn word(health: Health) -> &'static str {
    match health {
        Health::Missing => "Missing",
        Health::Degraded => "Degraded",
        Health::Unknown => "Unknown",
        Health::Progressing => "Progressing",
        Health::Healthy => "Healthy",
    }
}

/// Checks whether a query matches an object with these values, ignoring words.
pub(super) fn fits(query: &ResourceQuery, kind: &str, health: Health, promise: &str, drifted: bool) -> bool {
    let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
    is(&query.kind, kind) && is(&query.health, word(health)) && is(&query.promise, promise) && (!query.drifted || drifted)
}

#[cfg(test)]
mod tests {
    use cluster::ClusterId;
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::{PromiseRef, PromiseRequestSpec, PromiseRequestStatus};

    use super::*;

    fn shelf(requests: &[(&str, &[Health])]) -> Shelf {
        let request = |(name, healths): &(&str, &[Health])| {
            let promise = PromiseRef { name: "redis".into(), ..PromiseRef::default() };
            let spec = PromiseRequestSpec { promise, ..PromiseRequestSpec::default() };
            let mut request = object::<PromiseRequestKind>(name, Some("default"), spec);
            let item = |(index, health): (usize, &Health)| InventoryItem {
                kind: "Secret".into(),
                name: format!("{name}-{index}"),
                health: *health,
                applied: *health != Health::Missing,
                ..InventoryItem::default()
            };
            let inventory = healths.iter().enumerate().map(item).collect();
            request.status = Some(PromiseRequestStatus { inventory, ..PromiseRequestStatus::default() });
            (Key::new(ClusterId::root(), "default", *name), Arc::new(request))
        };
        let requests: Vec<_> = requests.iter().map(request).collect();
        Shelf::of(requests.iter().map(|(key, request)| (key, request)))
    }

    #[test]
    fn what_does_not_work_comes_first_and_all_is_counted() {
        let shelf = shelf(&[("one", &[Health::Healthy, Health::Missing]), ("two", &[Health::Healthy]), ("none", &[])]);
        let names = (0..=4).rev().flat_map(|urgency| shelf.level(urgency)).map(Piece::name);
        assert_eq!(names.collect::<Vec<_>>(), ["one-1", "one-0", "two-0"]);
        assert_eq!(shelf.instances, 2, "nothing was made for the third");
        let sums: Vec<_> = shelf.sums.iter().map(|sum| (sum.health, sum.count, sum.applied)).collect();
        assert_eq!(sums, [(Health::Healthy, 2, 2), (Health::Missing, 1, 0)]);
        let healthy = ResourceQuery { health: "Healthy".into(), ..ResourceQuery::default() };
        assert_eq!(shelf.sums.iter().filter(|sum| sum.fits(&healthy)).count(), 1);
    }

    #[test]
    fn words_are_found_in_one_text_or_in_the_path() {
        let shelf = shelf(&[("Orders", &[Health::Healthy, Health::Healthy])]);
        let count = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            shelf.sums_of(&words, "root:acme").iter().map(|sum| sum.count).sum::<usize>()
        };
        assert_eq!((count(&["orders-1"]), count(&["redis", "acme"]), count(&["secretorders"])), (1, 2, 0));
    }
}
