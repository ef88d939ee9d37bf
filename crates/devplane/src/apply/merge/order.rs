//! The order of the items of a merged list.

use std::collections::BTreeSet;

use crate::apply::field_set::PathElement;

/// From where an item of the merged list comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Only in the live list, at this index.
    Live(usize),
    /// In the configuration, at this index.
    Config(usize),
}

/// Interleaves two lists: both keep their order, except that items of both lists come in the order of the configuration.
pub(super) fn merge(live: &[PathElement], config: &[PathElement]) -> Vec<Place> {
    let in_live: BTreeSet<&PathElement> = live.iter().collect();
    let in_config: BTreeSet<&PathElement> = config.iter().collect();
    // Items of both lists, in the order in which they have to come.
    let mut shared = config.iter().filter(|element| in_live.contains(element));
    let mut next_shared = shared.next();
    let mut done: BTreeSet<&PathElement> = BTreeSet::new();
    let mut out = Vec::with_capacity(live.len().max(config.len()));
    let (mut l, mut c) = (0, 0);
    while l < live.len() || c < config.len() {
        if let (Some(from_live), Some(from_config)) = (live.get(l), config.get(c)) {
            if from_live == from_config {
                out.push(Place::Config(c));
                done.insert(from_config);
                next_shared = shared.next();
                l += 1;
                c += 1;
                continue;
            }
            if in_config.contains(from_live) && next_shared.is_some_and(|next| next != from_live) {
                // Of both lists, but not the one whose turn it is.
                l += 1;
                continue;
            }
        }
        if let Some(from_live) = live.get(l) {
            if !in_config.contains(from_live) {
                out.push(Place::Live(l));
                l += 1;
                continue;
            }
            if done.contains(from_live) {
                l += 1;
            }
        }
        if let Some(from_config) = config.get(c) {
            out.push(Place::Config(c));
            done.insert(from_config);
            if next_shared == Some(from_config) {
                next_shared = shared.next();
            }
            c += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn elements(names: &str) -> Vec<PathElement> {
        names.chars().map(|name| PathElement::field(&name.to_string())).collect()
    }

    fn merged(live: &str, config: &str) -> String {
        let name = |text: &str, at: usize| text.chars().nth(at).unwrap();
        let places = merge(&elements(live), &elements(config));
        places
            .into_iter()
            .map(|place| match place {
                Place::Live(at) => name(live, at),
                Place::Config(at) => name(config, at),
            })
            .collect()
    }

    #[test]
    fn both_orders_are_kept_where_they_can_be() {
        for (live, config, expected) in [
            ("ab", "c", "abc"),
            ("ab", "ab", "ab"),
            ("ab", "ba", "ba"),
            ("abc", "b", "abc"),
            ("ab", "xb", "axb"),
            ("abc", "ca", "bca"),
            ("", "ab", "ab"),
            ("ab", "", "ab"),
        ] {
            assert_eq!(merged(live, config), expected, "{live} with {config}");
        }
    }

    proptest! {
        #[test]
        fn every_item_comes_once_and_the_configuration_keeps_its_order(live in "[a-f]{0,6}", config in "[a-h]{0,6}") {
            let unique = |text: &str| {
                let mut seen = BTreeSet::new();
                text.chars().filter(|&c| seen.insert(c)).collect::<String>()
            };
            let (live, config) = (unique(&live), unique(&config));
            let out = merged(&live, &config);
            let mut sorted: Vec<char> = out.chars().collect();
            sorted.sort_unstable();
            let all: BTreeSet<char> = live.chars().chain(config.chars()).collect();
            prop_assert_eq!(sorted, all.into_iter().collect::<Vec<_>>());
            let of_config: String = out.chars().filter(|&c| config.contains(c)).collect();
            prop_assert_eq!(of_config, config.clone());
            let only_live = |text: &str| text.chars().filter(|&c| !config.contains(c)).collect::<String>();
            prop_assert_eq!(only_live(&out), only_live(&live));
        }
    }
}
