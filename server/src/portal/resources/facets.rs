//! Facets of a list of objects. The count of a value is the number of objects left when it is chosen in addition to the other filters.

use app::view::{Facet, ResourceQuery};

use super::shelf::{self, Sum};
use crate::portal::catalog::facets::facet_of;

/// Kinds, promises and workspaces that can be chosen by a link. The others are found by search.
const CHOICES: usize = 12;

/// A count of similar objects in one workspace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    /// Path of the workspace.
    pub(super) path: &'a str,
    pub(super) sum: &'a Sum,
}

impl Placed<'_> {
    /// Checks whether a query matches these, ignoring words.
    pub(super) fn fits(self, query: &ResourceQuery) -> bool {
        is_at(query, self.path) && self.sum.fits(query)
    }
}

/// Checks whether a query includes a workspace.
pub(super) fn is_at(query: &ResourceQuery, path: &str) -> bool {
    query.workspace.is_empty() || query.workspace == path
}

/// The values of each facet.
#[derive(Debug)]
pub(super) struct Facets {
    pub(super) kinds: Facet,
    pub(super) healths: Facet,
    pub(super) promises: Facet,
    pub(super) workspaces: Facet,
}

/// Returns the facets of objects that contain the words of a query. Objects of one workspace are adjacent. `title` returns the display name
/// of a promise.
pub(super) fn of(sums: &[Placed<'_>], query: &ResourceQuery, title: impl Fn(&str) -> String) -> Facets {
    let without_kind = ResourceQuery { kind: String::new(), ..query.clone() };
    let kinds = values(sums, &without_kind, |placed| placed.sum.kind.as_str());
    let without_health = ResourceQuery { health: String::new(), ..query.clone() };
    let healths = values(sums, &without_health, |placed| shelf::word(placed.sum.health));
    let without_promise = ResourceQuery { promise: String::new(), ..query.clone() };
    let promises = values(sums, &without_promise, |placed| placed.sum.promise.as_str());
    Facets {
        kinds: facet_of(kinds, &query.kind, str::to_owned, CHOICES),
        healths: facet_of(healths, &query.health, str::to_owned, usize::MAX),
        promises: facet_of(promises, &query.promise, title, CHOICES),
        workspaces: workspaces(sums, query),
    }
}

/// Returns one value of each match of a query, with its count.
fn values<'a>(
    sums: &'a [Placed<'a>],
    query: &'a ResourceQuery,
    value: fn(Placed<'a>) -> &'a str,
) -> impl Iterator<Item = (&'a str, usize)> {
    sums.iter().filter(move |placed| placed.fits(query)).map(move |placed| (value(*placed), placed.sum.count))
}

/// Returns the workspaces, if there is more than one to choose from. A chosen one is always included, so that it can be removed.
fn workspaces(sums: &[Placed<'_>], query: &ResourceQuery) -> Facet {
    let without = ResourceQuery { workspace: String::new(), ..query.clone() };
    // Added up before they are ranked: there might be hundreds of workspaces, each with many sums.
    let places = sums.chunk_by(|a, b| a.path == b.path).filter_map(|place| {
        let count: usize = place.iter().filter(|placed| placed.fits(&without)).map(|placed| placed.sum.count).sum();
        place.first().filter(|_| count > 0).map(|placed| (placed.path, count))
    });
    let facet = facet_of(places, &query.workspace, str::to_owned, CHOICES);
    let choice = facet.values.len() > 1 || !query.workspace.is_empty();
    if choice { facet } else { Facet::default() }
}

#[cfg(test)]
mod tests {
    use promise::api::Health;

    use super::*;

    fn at(path: &str, kind: &str, health: Health, count: usize) -> (String, Sum) {
        let sum = Sum { kind: kind.into(), health, promise: "redis".into(), drifted: false, count, applied: count };
        (path.into(), sum)
    }

    fn facets(sums: &[(String, Sum)], query: &ResourceQuery) -> Facets {
        let placed: Vec<Placed<'_>> = sums.iter().map(|(path, sum)| Placed { path: path.as_str(), sum }).collect();
        of(&placed, query, str::to_owned)
    }

    fn counts(facet: &Facet) -> Vec<(&str, usize)> {
        facet.values.iter().map(|value| (value.value.as_str(), value.count)).collect()
    }

    fn of_kind(kind: &str, workspace: &str) -> ResourceQuery {
        ResourceQuery { kind: kind.into(), workspace: workspace.into(), ..ResourceQuery::default() }
    }

    #[test]
    fn workspaces_are_counted_beside_the_other_filters_and_these_beside_them() {
        let sums = [
            at("root:acme", "Secret", Health::Healthy, 2),
            at("root:acme", "Service", Health::Degraded, 3),
            at("root:acme:shop", "Secret", Health::Degraded, 4),
            at("root:acme:web", "Service", Health::Healthy, 5),
        ];
        let all = facets(&sums, &ResourceQuery::default());
        assert_eq!(counts(&all.workspaces), [("root:acme", 5), ("root:acme:shop", 4), ("root:acme:web", 5)]);
        let secrets = facets(&sums, &of_kind("Secret", ""));
        assert_eq!(counts(&secrets.workspaces), [("root:acme", 2), ("root:acme:shop", 4)]);
        let shop = facets(&sums, &of_kind("", "root:acme:shop"));
        assert_eq!(counts(&shop.workspaces), counts(&all.workspaces), "as if none were chosen");
        assert_eq!((counts(&shop.kinds), counts(&shop.healths)), (vec![("Secret", 4)], vec![("Degraded", 4)]));
        let neither = facets(&sums, &of_kind("Service", "root:acme:shop"));
        assert_eq!(counts(&neither.workspaces), [("root:acme", 3), ("root:acme:shop", 0), ("root:acme:web", 5)]);
    }

    #[test]
    fn one_workspace_is_no_choice_unless_it_was_chosen() {
        let sums = [at("root:acme", "Secret", Health::Healthy, 2), at("root:acme", "Service", Health::Healthy, 1)];
        assert_eq!(facets(&sums, &ResourceQuery::default()).workspaces, Facet::default());
        let chosen = facets(&sums, &of_kind("", "root:acme")).workspaces;
        assert!(chosen.values.len() == 1 && chosen.values[0].chosen && chosen.values[0].count == 3, "{chosen:?}");
    }

    #[test]
    fn of_many_workspaces_those_with_most_objects_can_be_chosen() {
        let sums: Vec<_> = (1..=300).map(|count| at(&format!("root:team-{count:03}"), "Secret", Health::Healthy, count)).collect();
        let many = facets(&sums, &ResourceQuery::default()).workspaces;
        assert_eq!((many.values.len(), many.left_out), (CHOICES, 300 - CHOICES));
        assert_eq!(many.values.first().map(|value| value.count), Some(289), "the frequent ones");
        let chosen = facets(&sums, &of_kind("", "root:team-001")).workspaces;
        assert!(chosen.values.len() == CHOICES && chosen.values[0].chosen && chosen.values[0].count == 1, "{chosen:?}");
    }
}
