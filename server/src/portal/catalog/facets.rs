//! Narrowing a catalog by words and facets. A facet's count says how many rows are left when it is chosen beside the others.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use promise::view::{AvailabilityState, CatalogPage, CatalogQuery, Facet, FacetValue, OfferRow};
use promise::wording;

/// Rows of one page.
const PAGE: usize = 100;
/// Values of a facet that can be chosen by a link; the others are found by search.
const VALUES: usize = 20;

/// A page of the rows that fit a query, and the values of its facets.
pub(super) fn narrow(all: Vec<OfferRow>, query: &CatalogQuery) -> CatalogPage {
    let of = |without: CatalogQuery, chosen: &str, values: fn(&OfferRow) -> Vec<String>, label: fn(&str) -> String| {
        facet(all.iter().filter(|row| fits(row, &without)).flat_map(values), chosen, label, VALUES)
    };
    let plain = |value: &str| value.to_owned();
    let without = || query.clone();
    let categories =
        of(CatalogQuery { category: String::new(), ..without() }, &query.category, |row| vec![row.category.clone()], wording::humanise);
    let tags = of(CatalogQuery { tag: String::new(), ..without() }, &query.tag, |row| row.tags.clone(), plain);
    let owners = of(CatalogQuery { owner: String::new(), ..without() }, &query.owner, |row| vec![row.team.clone()], plain);
    let lifecycles =
        of(CatalogQuery { lifecycle: String::new(), ..without() }, &query.lifecycle, |row| vec![lifecycle(row)], wording::humanise);
    let total = all.len();
    let mut left: Vec<OfferRow> = all.into_iter().filter(|row| fits(row, query)).collect();
    // Stable: within each half the order of the offers stays.
    left.sort_by_key(|row| !row.featured);
    let fit = left.len();
    let available = left.iter().filter(|row| row.availability.state == AvailabilityState::Available).count();
    let pages = fit.div_ceil(PAGE).max(1);
    let page = query.page.clamp(1, pages);
    let rows = left.into_iter().skip((page - 1) * PAGE).take(PAGE).collect();
    let query = CatalogQuery { page, ..query.clone() };
    CatalogPage { rows, shelves: Vec::new(), total, fit, available, pages, categories, tags, owners, lifecycles, query }
}

fn lifecycle(row: &OfferRow) -> String {
    row.lifecycle.word().to_owned()
}

fn fits(row: &OfferRow, query: &CatalogQuery) -> bool {
    let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
    let text = [&row.name, &row.display_name, &row.summary, &row.category, &row.team].map(|text| text.to_lowercase());
    let word_fits = |word: &str| {
        let word = word.to_lowercase();
        text.iter().any(|text| text.contains(&word)) || row.tags.iter().any(|tag| tag.to_lowercase().contains(&word))
    };
    is(&query.category, &row.category)
        && (query.tag.is_empty() || row.tags.contains(&query.tag))
        && is(&query.owner, &row.team)
        && is(&query.lifecycle, &lifecycle(row))
        && query.q.split_whitespace().all(word_fits)
}

/// Counts of the values, by name: the `most` frequent ones, and the chosen one in any case.
pub(in crate::portal) fn facet<T: Ord + AsRef<str>>(
    values: impl Iterator<Item = T>,
    chosen: &str,
    label: impl Fn(&str) -> String,
    most: usize,
) -> Facet {
    facet_of(values.map(|value| (value, 1)), chosen, label, most)
}

/// The same of values that are counted already.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, category: &str, tags: &[&str]) -> OfferRow {
        OfferRow {
            name: name.into(),
            category: category.into(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..OfferRow::default()
        }
    }

    #[test]
    fn counts_say_what_a_choice_leaves() {
        let all = || vec![row("postgresql", "data", &["sql"]), row("redis", "data", &["cache"]), row("web", "runtime", &["sql"])];
        let page = narrow(all(), &CatalogQuery { tag: "sql".into(), ..CatalogQuery::default() });
        assert_eq!(page.rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["postgresql", "web"]);
        assert_eq!(page.total, 3);
        let count = |facet: &Facet, name: &str| facet.values.iter().find(|value| value.value == name).map(|value| value.count);
        assert_eq!(count(&page.categories, "data"), Some(1), "with the tag in force");
        assert_eq!(count(&page.tags, "cache"), Some(1), "as if no tag were chosen");
        let none = narrow(all(), &CatalogQuery { q: "post cache".into(), ..CatalogQuery::default() });
        assert!(none.rows.is_empty(), "all words must fit");
    }

    #[test]
    fn many_rows_are_cut_into_pages_and_many_values_to_the_frequent_ones() {
        let all = || (0..230).map(|index| row(&format!("p{index}"), "data", &[&format!("tag-{}", index.min(40))])).collect::<Vec<_>>();
        let last = narrow(all(), &CatalogQuery { page: 99, ..CatalogQuery::default() });
        assert_eq!((last.rows.len(), last.fit, last.total, last.pages, last.query.page), (30, 230, 230, 3, 3));
        let frequent = &last.tags;
        assert_eq!((frequent.values.len(), frequent.left_out), (VALUES, 41 - VALUES));
        assert!(frequent.values.iter().any(|value| value.value == "tag-40" && value.count == 190));
        let chosen = narrow(all(), &CatalogQuery { tag: "tag-39".into(), ..CatalogQuery::default() });
        assert!(chosen.tags.values.iter().any(|value| value.chosen && value.value == "tag-39"), "the chosen one can be taken away");
    }
}
