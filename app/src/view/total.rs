//! Honest numbers: a count with its basis and its age.
//!
//! A [`Total`] can only be created from a [`Whole`], which is created by code that has read everything. A page ([`Cut`]) carries the total
//! from before the cut and can't be counted, so an exact number can't be derived from a truncated list.

use serde::Serialize;

/// All items of a kind that the user can see.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole<T> {
    items: Vec<T>,
    as_of: Option<String>,
    unseen: Vec<String>,
}

/// A number of items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Total {
    count: usize,
    /// RFC 3339 time of the last update. Absent if the number is up to date.
    as_of: Option<String>,
    /// What couldn't be counted, such as paths of workspaces that didn't respond. Empty for an exact number.
    unseen: Vec<String>,
}

/// One page of a [`Whole`].
#[derive(Clone, Debug, PartialEq)]
pub struct Cut<T> {
    /// Rows of this page, in order.
    pub rows: Vec<T>,
    /// Page number, starting at 1.
    pub page: usize,
    /// Number of pages.
    pub pages: usize,
    /// Number of rows on all pages.
    pub total: Total,
}

impl<T> Whole<T> {
    /// Creates a list of all items. `as_of` is the time of the last update; `unseen` names parts that are missing because they couldn't be
    /// read.
    pub fn new(items: Vec<T>, as_of: Option<String>, unseen: Vec<String>) -> Self {
        Self { items, as_of, unseen }
    }

    /// Returns all items.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Filters the items. The result is again complete.
    #[must_use]
    pub fn that(self, fits: impl FnMut(&T) -> bool) -> Self {
        let Self { mut items, as_of, unseen } = self;
        items.retain(fits);
        Self { items, as_of, unseen }
    }

    /// Sorts the items.
    #[must_use]
    pub fn ordered(mut self, compare: impl FnMut(&T, &T) -> std::cmp::Ordering) -> Self {
        self.items.sort_by(compare);
        self
    }

    /// Returns the number of items.
    pub fn total(&self) -> Total {
        self.total_of(|_| true)
    }

    /// Returns the number of items that match.
    pub fn total_of(&self, mut fits: impl FnMut(&T) -> bool) -> Total {
        let count = self.items.iter().filter(|item| fits(item)).count();
        Total { count, as_of: self.as_of.clone(), unseen: self.unseen.clone() }
    }

    /// Returns the sum of `count` over all items.
    pub fn total_by(&self, count: impl FnMut(&T) -> usize) -> Total {
        Total { count: self.items.iter().map(count).sum(), as_of: self.as_of.clone(), unseen: self.unseen.clone() }
    }

    /// Returns the page of that number with at most `most` rows. A number out of range returns the nearest page.
    pub fn page(self, number: usize, most: usize) -> Cut<T> {
        let total = self.total();
        let pages = self.items.len().div_ceil(most.max(1)).max(1);
        let page = number.clamp(1, pages);
        let rows = self.items.into_iter().skip((page - 1) * most).take(most).collect();
        Cut { rows, page, pages, total }
    }
}

impl Total {
    /// Returns the number counted: exact if the total is, otherwise a lower bound.
    pub fn counted(&self) -> usize {
        self.count
    }

    /// Whether the number is exact.
    pub fn is_exact(&self) -> bool {
        self.unseen.is_empty()
    }

    /// Returns the time of the last update.
    pub fn as_of(&self) -> Option<&str> {
        self.as_of.as_deref()
    }

    /// Returns what couldn't be counted.
    pub fn unseen(&self) -> &[String] {
        &self.unseen
    }
}

/// Shows `43`, or `at least 43` if something couldn't be read.
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
