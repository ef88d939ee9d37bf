//! What all lists have in common: the address says how a list is narrowed, sorted and paged, and every control is a link to another such address.

mod controls;
mod sorting;

pub(crate) use sorting::Heading;

use serde::Serialize;

use crate::routes;

/// Names that say where a person looks and in which order: they stay when the filters are cleared.
const PLACE: [&str; 3] = ["view", "below", "sort"];

/// A list at an address. Its parts keep their order, so that one choice has one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    path: String,
    /// Every part of the query, also those that are empty.
    pairs: Vec<(String, String)>,
    /// Names that say where the user comes from, beside those of every list.
    origin: &'static [&'static str],
}

impl Listing {
    /// The list at a path with a query of flat fields: words, numbers and flags. A flag that is not set and the page zero are left out.
    pub(crate) fn new(path: impl Into<String>, query: &impl Serialize) -> Self {
        let text = serde_urlencoded::to_string(query).unwrap_or_default();
        let pairs = form_urlencoded::parse(text.as_bytes()).map(|(name, value)| {
            let unset = matches!(&*value, "false" | "0");
            (name.into_owned(), if unset { String::new() } else { value.into_owned() })
        });
        Self { path: path.into(), pairs: pairs.collect(), origin: &[] }
    }

    /// With names that say where the user comes from: they narrow nothing, and stay when the filters are cleared.
    pub(crate) fn opened_from(self, origin: &'static [&'static str]) -> Self {
        Self { origin, ..self }
    }

    /// The same query at another path, from its first page.
    pub(crate) fn at(&self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self.without(&["page"]) }
    }

    /// Without what these names say.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        let pairs = self.pairs.iter().map(|(name, value)| {
            let kept = if names.contains(&name.as_str()) { String::new() } else { value.clone() };
            (name.clone(), kept)
        });
        Self { path: self.path.clone(), pairs: pairs.collect(), origin: self.origin }
    }

    /// With another value; nothing where it is empty.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut next = self.clone();
        match next.pairs.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => value.clone_into(old),
            None => next.pairs.push((name.to_owned(), value.to_owned())),
        }
        next
    }

    /// The address.
    pub(crate) fn address(&self) -> String {
        let pairs: Vec<(&str, &str)> = self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        routes::with_query(&self.path, &pairs)
    }

    /// The address with another choice, from its first page.
    pub(crate) fn choose(&self, name: &str, value: &str) -> String {
        self.without(&["page"]).with(name, value).address()
    }

    /// The address without any filter.
    pub(crate) fn cleared(&self) -> String {
        let filters: Vec<&str> = self.filters().map(|(name, _)| name).collect();
        self.without(&["page"]).without(&filters).address()
    }

    /// Whether anything narrows the list.
    pub(crate) fn is_narrowed(&self) -> bool {
        self.filters().any(|(_, value)| !value.is_empty())
    }

    /// What the address says, by name.
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// The addresses of pages, from 1.
    pub(crate) fn pages(&self) -> Box<dyn Fn(usize) -> String + Send> {
        let list = self.without(&["page"]);
        Box::new(move |number| if number > 1 { list.with("page", &number.to_string()).address() } else { list.address() })
    }

    fn filters(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        pairs.filter(|(name, _)| *name != "page" && !PLACE.contains(name) && !self.origin.contains(name))
    }

    fn value(&self, name: &str) -> &str {
        self.pairs.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use crate::view::{RequestColumn, RequestQuery, ResourceQuery, SearchQuery, Sort};

    use super::*;

    fn requests() -> Listing {
        let sort = Sort::By { column: RequestColumn::Created, descending: true };
        let query =
            RequestQuery { q: "a&b".to_owned(), promise: "postgres".to_owned(), mine: true, sort, page: 3, ..RequestQuery::default() };
        Listing::new("/w/root/requests", &query)
    }

    #[test]
    fn an_address_says_what_is_chosen_and_leaves_out_the_rest() {
        assert_eq!(requests().address(), "/w/root/requests?q=a%26b&promise=postgres&mine=true&sort=-created&page=3");
        assert_eq!(Listing::new("/w/root/requests", &RequestQuery::default()).address(), "/w/root/requests");
    }

    #[test]
    fn another_choice_starts_at_the_first_page_and_has_one_address() {
        let list = requests();
        let address = "/w/root/requests?q=a%26b&phase=Ready&promise=postgres&mine=true&sort=-created";
        assert_eq!(list.choose("phase", "Ready"), address);
        assert_eq!(list.with("phase", "Failed").choose("phase", "Ready"), address);
        let pages = list.pages();
        assert_eq!((pages(1).contains("page"), pages(2).ends_with("&page=2")), (false, true));
    }

    #[test]
    fn clearing_the_filters_keeps_the_order_and_the_place() {
        assert_eq!(requests().cleared(), "/w/root/requests?sort=-created");
        let below = Listing::new("/w/root/resources", &ResourceQuery { below: true, ..ResourceQuery::default() });
        assert_eq!((below.is_narrowed(), below.cleared()), (false, "/w/root/resources?below=true".to_owned()));
        assert!(requests().is_narrowed());
        let search = SearchQuery { workspace: "root:acme".to_owned(), ..SearchQuery::default() };
        let search = Listing::new("/search", &search).opened_from(&["workspace"]);
        assert_eq!((search.is_narrowed(), search.cleared()), (false, "/search?workspace=root:acme".to_owned()));
    }
}
