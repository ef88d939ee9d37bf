//! Saved filters of lists.

use serde::{Deserialize, Serialize};

use super::InboxView;
use promise::Problem;

/// Maximum length of a title, in characters.
pub const MAX_VIEW_TITLE: usize = 60;
/// Maximum length of a filter value, in characters. Longer than any real search.
const MAX_VALUE: usize = 300;

/// A list whose filters can be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SavedList {
    /// Requests of a workspace, or of all.
    Requests,
    /// Resources of a workspace.
    Resources,
    /// Approvals.
    Approvals,
    /// Policies.
    Policies,
    /// Promises.
    Promises,
}

impl SavedList {
    const ALL: [Self; 5] = [Self::Requests, Self::Resources, Self::Approvals, Self::Policies, Self::Promises];

    /// Returns the value used in forms.
    pub fn word(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Resources => "resources",
            Self::Approvals => "approvals",
            Self::Policies => "policies",
            Self::Promises => "promises",
        }
    }

    /// Parses a value used in forms.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|list| list.word() == word)
    }

    /// Whether the list exists once for each workspace.
    pub fn is_of_workspace(self) -> bool {
        matches!(self, Self::Requests | Self::Resources)
    }

    /// Whether there is also one list of all workspaces, whose workspace is empty.
    pub fn is_of_all_workspaces(self) -> bool {
        self == Self::Requests
    }

    /// Returns the query parameters that are saved: filters and sort order. The page and the open item aren't.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Requests => &["q", "phase", "promise", "mine", "attention", "label", "workspace", "outcome", "week", "below", "sort"],
            Self::Resources => &["q", "kind", "health", "promise", "workspace", "drifted", "below", "sort"],
            Self::Approvals => &["view", "q", "promise", "workspace", "risk", "age", "sort"],
            Self::Policies => &["q", "category", "enforcement", "workspace", "sort"],
            Self::Promises => &["q", "workspace", "lifecycle", "state", "sort"],
        }
    }

    /// Returns the filter in a canonical order, without empty values and without values that filter nothing. The first value of each name
    /// counts. Values that are too long or contain control characters are dropped.
    pub fn filter(self, pairs: &[(impl AsRef<str>, impl AsRef<str>)]) -> Vec<(String, String)> {
        let of = |name: &&'static str| {
            let value = pairs.iter().find(|(known, _)| known.as_ref() == *name)?.1.as_ref().trim();
            let plain = !value.is_empty() && value.chars().count() <= MAX_VALUE && !value.chars().any(char::is_control);
            // The default view needs no parameter.
            let narrows = (*name, value) != ("view", InboxView::default().word());
            (plain && narrows).then(|| ((*name).to_owned(), value.to_owned()))
        };
        self.names().iter().filter_map(of).collect()
    }
}

/// A saved filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewLine {
    /// Id of the saved filter.
    pub id: String,
    /// Title that the user gave it.
    pub title: String,
    /// Query parameters, as in the URL.
    pub filter: Vec<(String, String)>,
}

/// A user's saved filters of one list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedViews {
    /// The list.
    pub list: SavedList,
    /// Path of its workspace. Empty for lists that are the same in all workspaces.
    pub workspace: String,
    /// Saved filters, sorted by title.
    pub views: Vec<ViewLine>,
    /// The present filter of the list.
    pub filter: Vec<(String, String)>,
    /// Whether they couldn't be read. Then there are none, and none can be saved.
    pub unread: bool,
}

impl SavedViews {
    /// Returns the saved filter that matches the present one.
    pub fn current(&self) -> Option<&ViewLine> {
        self.views.iter().find(|view| view.filter == self.filter)
    }
}

/// Normalizes a title: one line, without surrounding spaces.
///
/// # Errors
/// If it is empty, too long, or not a line of text.
pub fn view_title(text: &str) -> Result<String, Problem> {
    let title = text.trim();
    let refused = |message: String| Err(Problem { path: String::new(), message });
    match title.chars().count() {
        0 => refused("Enter a name for the view.".to_owned()),
        count if count > MAX_VIEW_TITLE => {
            refused(format!("Shorten the name of the view to at most {MAX_VIEW_TITLE} characters; it has {count}."))
        }
        _ if title.chars().any(char::is_control) => refused("Enter the name of the view as one line of text.".to_owned()),
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
