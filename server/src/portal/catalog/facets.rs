//! Narrowing a catalog by words and facets. A facet's count says how many rows are left when it is chosen beside the others.

use std::collections::BTreeMap;

use promise::view::{CatalogPage, CatalogQuery, FacetValue, OfferRow};
use promise::wording;

/// The rows that fit a query, and the values of its facets.
pub(super) fn narrow(all: Vec<OfferRow>, query: &CatalogQuery) -> CatalogPage {
    let total = all.len();
    let without_category = CatalogQuery { category: String::new(), ..query.clone() };
    let without_tag = CatalogQuery { tag: String::new(), ..query.clone() };
    let categories =
        facet(all.iter().filter(|row| fits(row, &without_category)).map(|row| row.category.as_str()), &query.category, wording::humanise);
    let tags = facet(
        all.iter().filter(|row| fits(row, &without_tag)).flat_map(|row| row.tags.iter().map(String::as_str)),
        &query.tag,
        str::to_owned,
    );
    let mut rows: Vec<OfferRow> = all.into_iter().filter(|row| fits(row, query)).collect();
    // Stable: within each half the order of the offers stays.
    rows.sort_by_key(|row| !row.featured);
    CatalogPage { rows, total, categories, tags, query: query.clone() }
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
        && is(&query.lifecycle.to_lowercase(), &format!("{:?}", row.lifecycle).to_lowercase())
        && query.q.split_whitespace().all(word_fits)
}

/// Counts of the values, the chosen one always among them, by name.
pub(in crate::portal) fn facet<'a>(values: impl Iterator<Item = &'a str>, chosen: &str, label: impl Fn(&str) -> String) -> Vec<FacetValue> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for value in values.filter(|value| !value.is_empty()) {
        *counts.entry(value).or_default() += 1;
    }
    if !chosen.is_empty() {
        counts.entry(chosen).or_default();
    }
    let value = |(value, count): (&str, usize)| FacetValue { value: value.to_owned(), label: label(value), count, chosen: value == chosen };
    counts.into_iter().map(value).collect()
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
        let count = |values: &[FacetValue], name: &str| values.iter().find(|value| value.value == name).map(|value| value.count);
        assert_eq!(count(&page.categories, "data"), Some(1), "with the tag in force");
        assert_eq!(count(&page.tags, "cache"), Some(1), "as if no tag were chosen");
        let none = narrow(all(), &CatalogQuery { q: "post cache".into(), ..CatalogQuery::default() });
        assert!(none.rows.is_empty(), "all words must fit");
    }
}
