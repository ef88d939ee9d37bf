//! Presets that people have saved.

use promise::Problem;
use serde::{Deserialize, Serialize};

/// Maximum length of a preset's title, in characters.
pub const MAX_PRESET_TITLE: usize = 60;

/// A preset in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PresetLine {
    /// Its id.
    pub id: String,
    /// Title that its author gave it.
    pub title: String,
    /// Display name of the promise.
    pub promise: String,
    /// Icon of the promise.
    pub icon: String,
    /// Address of a new form that starts from it. Empty if the workspace doesn't know the promise any more.
    pub address: String,
    /// Who saved it, by username.
    pub by: String,
    /// RFC 3339 time at which it was saved.
    pub at: String,
}

/// A preset that a new form can start from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedPreset {
    /// Title.
    pub title: String,
    /// The start, as links to a form name it.
    pub start: String,
}

/// Normalizes the title of a preset: one line, without surrounding spaces.
///
/// # Errors
/// If it is empty, too long, or not a line of text.
pub fn preset_title(text: &str) -> Result<String, Problem> {
    let title = text.trim();
    let refused = |message: String| Err(Problem { path: "title".to_owned(), message });
    match title.chars().count() {
        0 => refused("Enter a name for the preset.".to_owned()),
        count if count > MAX_PRESET_TITLE => {
            refused(format!("Shorten the name of the preset to at most {MAX_PRESET_TITLE} characters; it has {count}."))
        }
        _ if title.chars().any(char::is_control) => refused("Enter the name of the preset as one line of text.".to_owned()),
        _ => Ok(title.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_one_line_that_fits() {
        assert_eq!(preset_title("  Small cache ").as_deref(), Ok("Small cache"));
        for wrong in ["", "   ", "a\nb", &"x".repeat(61)] {
            assert!(preset_title(wrong).is_err(), "{wrong:?}");
        }
    }
}
