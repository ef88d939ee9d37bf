//! References from one object of a tenant to the next: roles that aggregate roles, types that extend types. A tenant decides how long such
//! a chain is and whether it is a circle, so it is followed with a work list and a limit, and never by recursion.
//! Source: none upstream: Go's stacks grow.

use std::{collections::HashSet, hash::Hash};

/// What a walk along references came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached<K, V> {
    /// What was found, the first one first and depth first from there, each once.
    pub found: Vec<(K, V)>,
    /// Whether there was no more than the limit.
    pub is_complete: bool,
}

/// Walks from a first place to all that it leads to, up to `limit` places. `look` says what is at a place and where that leads to; none
/// where nothing is.
pub fn reach<K: Clone + Eq + Hash, V>(first: K, limit: usize, mut look: impl FnMut(&K) -> Option<(V, Vec<K>)>) -> Reached<K, V> {
    let (mut seen, mut found, mut waiting) = (HashSet::new(), Vec::new(), vec![first]);
    while let Some(place) = waiting.pop() {
        if seen.contains(&place) {
            continue;
        }
        if seen.len() >= limit {
            return Reached { found, is_complete: false };
        }
        seen.insert(place.clone());
        if let Some((value, next)) = look(&place) {
            found.push((place, value));
            waiting.extend(next.into_iter().rev().filter(|next| !seen.contains(next)));
        }
    }
    Reached { found, is_complete: true }
}

#[cfg(test)]
mod tests {
    use proptest::{collection, prelude::*};

    use super::*;

    /// Numbers that lead to numbers.
    fn walk(graph: &[Vec<usize>], limit: usize) -> Reached<usize, usize> {
        reach(0, limit, |place| Some((place * 10, graph.get(*place)?.clone())))
    }

    #[test]
    fn places_come_depth_first_and_once() {
        let reached = walk(&[vec![2, 1, 9], vec![0], vec![3, 1], vec![]], 100);
        assert_eq!(reached, Reached { found: vec![(0, 0), (2, 20), (3, 30), (1, 10)], is_complete: true });
    }

    #[test]
    fn a_long_chain_ends_at_the_limit() {
        let chain: Vec<Vec<usize>> = (1..=100_000).map(|next| vec![next]).collect();
        assert_eq!((walk(&chain, 64).found.len(), walk(&chain, 64).is_complete), (64, false));
        assert!(walk(&chain, 1_000_000).is_complete);
    }

    proptest! {
        #[test]
        fn what_is_found_leads_only_to_what_is_found(graph in collection::vec(collection::vec(0_usize..20, 0..5), 1..20)) {
            let reached = walk(&graph, 100);
            let places: HashSet<usize> = reached.found.iter().map(|(place, _)| *place).collect();
            prop_assert_eq!(places.len(), reached.found.len());
            let leads_out = |place: &usize| graph[*place].iter().any(|next| *next < graph.len() && !places.contains(next));
            prop_assert!(reached.is_complete && !places.iter().any(leads_out));
        }
    }
}
