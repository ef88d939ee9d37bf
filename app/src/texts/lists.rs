//! Texts of controls that all lists have.

pub(crate) const FILTERS: &str = "Filters";
/// In the search of a list whose name says enough.
pub(crate) const SEARCH: &str = "Search";
pub(crate) const CLEAR_ALL: &str = "Clear all";
pub(crate) const CLEAR_FILTERS: &str = "Clear filters";
pub(crate) const REMOVE_A_FILTER: &str = "Remove a filter, or search for something else.";
pub(crate) const WHICH: &str = "Show";
/// After the label of a filter that is in force, for screen readers.
pub(crate) const REMOVES_IT: &str = ", remove";
/// After the label of a column, for screen readers.
pub(crate) const ASCENDING: &str = ", ascending";
pub(crate) const DESCENDING: &str = ", descending";

pub(crate) fn search_in(list: &str) -> String {
    format!("Search {}", list.to_lowercase())
}

pub(crate) fn sorted_by(column: &str) -> String {
    format!("Sort: {column}")
}

/// Below the values of a facet.
pub(crate) fn more_values(count: usize) -> String {
    format!("{count} more: search for them")
}

// Saved views.

pub(crate) const SAVED_VIEWS: &str = "Saved views";
pub(crate) const VIEWS: &str = "Views";
pub(crate) const SAVED_VIEWS_UNREAD: &str = "Saved views can't be loaded right now.";
pub(crate) const SAVE_THIS_VIEW: &str = "Save this view";
pub(crate) const SAVE_VIEW: &str = "Save";
pub(crate) const SAVE_VIEW_HINT: &str = "Only you can see it. If you use the name of a view you already have, this filter replaces it.";
pub(crate) const EDIT_VIEW: &str = "Edit view";
pub(crate) const RENAME_VIEW: &str = "Rename";
pub(crate) const DELETE_VIEW: &str = "Delete view";
pub(crate) const VIEW_NAME: &str = "Name";
