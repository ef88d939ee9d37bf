//! Honest numbers: how many there are, on what basis, and since when nothing newer is known.
//!
//! A [`Total`] is made from a [`Whole`] alone, which whoever has read everything makes. What a page is cut from it ([`Cut`]) carries the total that
//! was counted before the cut, and gives nothing to count: an exact number of a truncated list cannot be written down.

use serde::Serialize;

/// Everything that there is of something, as far as the person may see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole<T> {
    items: Vec<T>,
    as_of: Option<String>,
    unseen: Vec<String>,
}

/// How many there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Total {
    count: usize,
    /// RFC 3339 time since when nothing newer is known; absent while it is up to date.
    as_of: Option<String>,
    /// What could not be counted, such as paths of workspaces that did not answer; empty for an exact number.
    unseen: Vec<String>,
}

/// What a page shows of a [`Whole`].
#[derive(Clone, Debug, PartialEq)]
pub struct Cut<T> {
    /// Rows of this page, in order.
    pub rows: Vec<T>,
    /// Number of the page, from 1.
    pub page: usize,
    /// How many pages there are.
    pub pages: usize,
    /// How many rows all pages have.
    pub total: Total,
}

impl<T> Whole<T> {
    /// All there is. `as_of` is the time since when nothing newer is known; `unseen` names what should be in it and could not be read.
    pub fn new(items: Vec<T>, as_of: Option<String>, unseen: Vec<String>) -> Self {
        Self { items, as_of, unseen }
    }

    /// All of it.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// What of it fits: again all there is of that.
    #[must_use]
    pub fn that(self, fits: impl FnMut(&T) -> bool) -> Self {
        let Self { mut items, as_of, unseen } = self;
        items.retain(fits);
        Self { items, as_of, unseen }
    }

    /// In an order.
    #[must_use]
    pub fn ordered(mut self, compare: impl FnMut(&T, &T) -> std::cmp::Ordering) -> Self {
        self.items.sort_by(compare);
        self
    }

    /// How many there are.
    pub fn total(&self) -> Total {
        self.total_of(|_| true)
    }

    /// How many fit.
    pub fn total_of(&self, mut fits: impl FnMut(&T) -> bool) -> Total {
        let count = self.items.iter().filter(|item| fits(item)).count();
        Total { count, as_of: self.as_of.clone(), unseen: self.unseen.clone() }
    }

    /// How many there are of what each item counts.
    pub fn total_by(&self, count: impl FnMut(&T) -> usize) -> Total {
        Total { count: self.items.iter().map(count).sum(), as_of: self.as_of.clone(), unseen: self.unseen.clone() }
    }

    /// The page of that number with at most `most` rows; a page that is not there shows the nearest.
    pub fn page(self, number: usize, most: usize) -> Cut<T> {
        let total = self.total();
        let pages = self.items.len().div_ceil(most.max(1)).max(1);
        let page = number.clamp(1, pages);
        let rows = self.items.into_iter().skip((page - 1) * most).take(most).collect();
        Cut { rows, page, pages, total }
    }
}

impl Total {
    /// How many were counted: all there are of an exact total, and not more than there are of any.
    pub fn counted(&self) -> usize {
        self.count
    }

    /// Whether it is all there is.
    pub fn is_exact(&self) -> bool {
        self.unseen.is_empty()
    }

    /// Time since when nothing newer is known.
    pub fn as_of(&self) -> Option<&str> {
        self.as_of.as_deref()
    }

    /// What could not be counted.
    pub fn unseen(&self) -> &[String] {
        &self.unseen
    }
}

/// `43`, or `at least 43` where something could not be read.
impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_exact() { write!(f, "{}", self.count) } else { write!(f, "at least {}", self.count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_knows_how_many_there_are_beyond_it() {
        let whole = Whole::new((0..120).collect(), None, Vec::new()).that(|number| number % 2 == 0);
        assert_eq!(whole.total_of(|number| *number < 20).counted(), 10);
        let cut = whole.ordered(|a: &i32, b| b.cmp(a)).page(9, 25);
        assert_eq!((cut.page, cut.pages, cut.rows.len(), cut.total.to_string().as_str()), (3, 3, 10, "60"));
        assert_eq!(cut.rows.first(), Some(&18));
    }

    #[test]
    fn what_could_not_be_read_makes_a_number_a_bound() {
        let whole = Whole::new(vec![1, 2], Some("2026-11-22T00:00:00Z".into()), vec!["root:acme".into()]);
        assert_eq!(whole.total_by(|number| *number).to_string(), "at least 3");
        let total = whole.that(|number| *number > 1).total();
        assert_eq!(total.to_string(), "at least 1");
        assert!(!total.is_exact() && total.as_of().is_some());
    }
}
