//! Given values of another type than their schema's, such as a text in place of a list. Their controls can't show them: they are rendered
//! as YAML, so that a form neither hides nor loses them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::kind::Kind;
use super::rows;

/// Whether the control can't show the value.
pub(super) fn is_misfit(kind: &Kind, value: Option<&Value>) -> bool {
    let Some(value) = value.filter(|value| !value.is_null()) else { return false };
    match kind {
        Kind::Tick => !value.is_boolean(),
        Kind::List { .. } | Kind::Items { .. } => !value.is_array(),
        Kind::Map { .. } | Kind::Entries { .. } | Kind::Group { .. } => !value.is_object(),
        Kind::Fixed | Kind::Secret | Kind::Choice { .. } | Kind::Search { .. } | Kind::Text { .. } | Kind::Yaml => false,
    }
}

/// Whether YAML was posted in place of the control: its own inputs have other names, or are marked as rendered.
pub(super) fn is_posted(kind: &Kind, texts: &BTreeMap<String, String>, name: &str) -> bool {
    let has_inputs =
        matches!(kind, Kind::Tick | Kind::List { .. } | Kind::Items { .. } | Kind::Map { .. } | Kind::Entries { .. } | Kind::Group { .. });
    has_inputs && texts.contains_key(name) && !texts.contains_key(&rows::shown(name))
}
