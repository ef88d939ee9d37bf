//! The values of a facet, each with the number of rows left when it is chosen in addition to the present filters.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use app::view::{Facet, FacetValue};

/// Counts the values, by name: the `most` frequent ones, and always the chosen one.
pub(in crate::portal) fn facet<T: Ord + AsRef<str>>(
    values: impl Iterator<Item = T>,
    chosen: &str,
    label: impl Fn(&str) -> String,
    most: usize,
) -> Facet {
    facet_of(values.map(|value| (value, 1)), chosen, label, most)
}

/// The same for values that are counted already.
pub(in crate::portal) fn facet_of<T: Ord + AsRef<str>>(
    values: impl Iterator<Item = (T, usize)>,
    chosen: &str,
    label: impl Fn(&str) -> String,
    most: usize,
) -> Facet {
    let mut counted: BTreeMap<T, usize> = BTreeMap::new();
    for (value, count) in values.filter(|(value, _)| !value.as_ref().is_empty()) {
        *counted.entry(value).or_default() += count;
    }
    let mut counts: BTreeMap<String, usize> = counted.into_iter().map(|(value, count)| (value.as_ref().to_owned(), count)).collect();
    if !chosen.is_empty() {
        counts.entry(chosen.to_owned()).or_default();
    }
    let mut ranked: Vec<(String, usize)> = counts.into_iter().collect();
    ranked.sort_by_key(|(value, count)| (value != chosen, Reverse(*count)));
    let left_out = ranked.len().saturating_sub(most);
    ranked.truncate(most);
    ranked.sort();
    let value = |(value, count): (String, usize)| FacetValue { label: label(&value), chosen: value == chosen, value, count };
    Facet { values: ranked.into_iter().map(value).collect(), left_out }
}
