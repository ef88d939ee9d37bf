//! Filters of lists that people name, so that they need not choose them again.

use serde::{Deserialize, Serialize};

use super::InboxView;
use crate::error::Problem;

/// Longest title, in characters.
pub const MAX_VIEW_TITLE: usize = 60;
/// Longest value of a filter, in characters: more than anybody searches for.
const MAX_VALUE: usize = 300;

/// A list whose filters can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SavedList {
    /// Requests of a workspace.
    Requests,
    /// What was made in a workspace.
    Resources,
    /// Decisions.
    Approvals,
}

impl SavedList {
    const ALL: [Self; 3] = [Self::Requests, Self::Resources, Self::Approvals];

    /// The word of forms.
    pub fn word(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Resources => "resources",
            Self::Approvals => "approvals",
        }
    }

    /// Reads the word of forms.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|list| list.word() == word)
    }

    /// Whether each workspace has one.
    pub fn is_of_workspace(self) -> bool {
        self != Self::Approvals
    }

    /// What of an address is kept: how the list is narrowed and sorted. Pages and what is open beside it are not.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Requests => &["q", "phase", "promise", "mine", "sort"],
            Self::Resources => &["q", "kind", "health", "promise", "workspace", "drifted", "below", "sort"],
            Self::Approvals => &["view", "q", "promise", "workspace", "risk", "age", "sort"],
        }
    }

    /// What narrows the list, in one order, without what is empty and what narrows nothing. The first of a name counts, and what nobody types
    /// is left out.
    pub fn filter(self, pairs: &[(impl AsRef<str>, impl AsRef<str>)]) -> Vec<(String, String)> {
        let of = |name: &&'static str| {
            let value = pairs.iter().find(|(known, _)| known.as_ref() == *name)?.1.as_ref().trim();
            let plain = !value.is_empty() && value.chars().count() <= MAX_VALUE && !value.chars().any(char::is_control);
            // What is shown without any filter needs none.
            let narrows = (*name, value) != ("view", InboxView::default().word());
            (plain && narrows).then(|| ((*name).to_owned(), value.to_owned()))
        };
        self.names().iter().filter_map(of).collect()
    }
}

/// A filter with its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewLine {
    /// Its id.
    pub id: String,
    /// What the person calls it.
    pub title: String,
    /// Names and values, as in the address.
    pub filter: Vec<(String, String)>,
}

/// The views that a person has of one list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedViews {
    /// Which list.
    pub list: SavedList,
    /// Path of its workspace; empty for the one list of decisions.
    pub workspace: String,
    /// The views, by title.
    pub views: Vec<ViewLine>,
    /// What narrows the list now.
    pub filter: Vec<(String, String)>,
    /// Whether they could not be read: then none are here, and none can be kept.
    pub unread: bool,
}

impl SavedViews {
    /// The view that shows what is shown now.
    pub fn current(&self) -> Option<&ViewLine> {
        self.views.iter().find(|view| view.filter == self.filter)
    }
}

/// A title as it is kept: one line, without spaces around it.
///
/// # Errors
/// It is empty, too long, or no line of text.
pub fn view_title(text: &str) -> Result<String, Problem> {
    let title = text.trim();
    let refused = |message: String| Err(Problem { path: String::new(), message });
    match title.chars().count() {
        0 => refused("Give the view a name.".to_owned()),
        count if count > MAX_VIEW_TITLE => {
            refused(format!("The name of a view has at most {MAX_VIEW_TITLE} characters; this one has {count}."))
        }
        _ if title.chars().any(char::is_control) => refused("The name of a view is one line of text.".to_owned()),
        _ => Ok(title.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_narrows_is_kept_and_in_one_order() {
        let pairs = [
            ("page", "3"),
            ("kind", "Secret"),
            ("workspace", "root:acme:shop"),
            ("q", " db "),
            ("health", ""),
            ("open", "x"),
            ("kind", "Service"),
            ("drifted", "1"),
        ];
        let kept = SavedList::Resources.filter(&pairs);
        let wanted = [("q", "db"), ("kind", "Secret"), ("workspace", "root:acme:shop"), ("drifted", "1")];
        let wanted = wanted.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(kept, wanted);
        assert!(SavedList::Requests.filter(&[("kind", "Secret"), ("page", "2")]).is_empty(), "it is no filter of that list");
        assert!(SavedList::Approvals.filter(&[("q", "a\nb"), ("risk", "x".repeat(301).as_str())]).is_empty(), "nobody types that");
        assert!(
            SavedList::Approvals.filter(&[("view", "waiting")]).is_empty() && !SavedList::Approvals.filter(&[("view", "all")]).is_empty()
        );
        for list in SavedList::ALL {
            assert_eq!(SavedList::parse(list.word()), Some(list));
        }
    }

    #[test]
    fn titles_are_one_line_that_fits() {
        assert_eq!(view_title("  My caches ").as_deref(), Ok("My caches"));
        for wrong in ["", "   ", "a\nb", &"x".repeat(61)] {
            assert!(view_title(wrong).is_err(), "{wrong:?}");
        }
        assert!(view_title(&"ü".repeat(60)).is_ok(), "characters, not bytes");
    }
}
