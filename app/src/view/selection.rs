//! Which rows of a list an operation applies to.

use serde::{Deserialize, Serialize};

/// The rows that a user selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Selection {
    /// All rows, including those on other pages.
    All,
    /// Rows by id. An empty selection is valid: nothing happens.
    Rows(Vec<String>),
}

impl Selection {
    /// Returns the selection of a form: its checkboxes, or the button for all rows.
    pub fn of(all: bool, rows: Vec<String>) -> Self {
        if all { Self::All } else { Self::Rows(rows) }
    }

    /// Returns the rows. `None` means all.
    pub fn rows(&self) -> Option<&[String]> {
        match self {
            Self::All => None,
            Self::Rows(rows) => Some(rows),
        }
    }

    /// Returns the rows by name, for audit records. Empty for all.
    pub fn names(&self) -> String {
        self.rows().map(|rows| rows.join(" ")).unwrap_or_default()
    }
}
