//! What somebody has typed so far.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::operation::Operation;
use crate::error::Problem;

/// Values and texts of a form in work. It holds no secret and may be kept as a private draft row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    /// What would be submitted: texts that do not fit their type stand in it as texts, so that validation names them.
    pub parameters: Value,
    /// Texts as typed, by input name; they win over `parameters` when the form is drawn.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<String, String>,
    /// What cannot be said by a value: unreadable YAML, a name used twice. Paths such as `.parameters.labels`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
}

impl Draft {
    /// A draft that starts from existing parameters: of an object to edit, an example or a preset.
    pub fn of(parameters: Value) -> Self {
        Self { parameters, ..Self::default() }
    }

    /// The text typed into an input.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }
}

/// Everything that a post said.
#[derive(Debug, Default)]
pub struct Parsed {
    /// What may be kept.
    pub draft: Draft,
    /// Typed secrets by parameter path, such as `.adminPassword`. They go into a Secret and nowhere else.
    pub secrets: BTreeMap<String, SecretText>,
    /// The structural button that was pressed; already carried out on the draft.
    pub operation: Option<Operation>,
    /// Id of the input that gets the focus after a structural button.
    pub focus: Option<String>,
}

/// A typed secret: it cannot be serialised, compared or printed.
pub struct SecretText(String);

impl SecretText {
    /// Wraps a typed secret.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The secret itself, for the one place that writes it into a Secret.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SecretText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretText(…)")
    }
}
