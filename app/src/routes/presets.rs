//! Addresses about presets.

use super::{at, page, with_query};

/// Presets of a workspace.
pub fn presets(workspace: &str) -> String {
    at(page::PRESETS, &[workspace])
}

/// Presets of a workspace, with a message about one that was saved.
pub fn presets_after(workspace: &str, title: &str) -> String {
    with_query(&presets(workspace), &[("saved", title)])
}

/// Confirmation before a preset is deleted.
pub fn preset_delete(workspace: &str, id: &str) -> String {
    with_query(&presets(workspace), &[("delete", id)])
}

/// Presets of a workspace, with a message about one that was deleted.
pub fn presets_without(workspace: &str, title: &str) -> String {
    with_query(&presets(workspace), &[("deleted", title)])
}

/// The form that saves the values of a draft, or of what a form starts from, as a preset.
pub fn preset_new(workspace: &str, promise: &str, home: Option<&str>, draft: &str, start: &str) -> String {
    with_query(&presets(workspace), &[("promise", promise), ("home", home.unwrap_or_default()), ("draft", draft), ("start", start)])
}
