//! A promise as a form posts it.

use promise::form::OPERATION;
use serde::{Deserialize, Serialize};

use super::Pairs;

/// A promise as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromiseText {
    /// Path of the workspace.
    pub workspace: String,
    /// Name of the existing promise; absent for a new one.
    pub name: Option<String>,
    /// The text, YAML.
    pub text: String,
    /// Resource version of the promise when the form was opened; empty for a new one.
    pub version: String,
    /// Why the control plane refused it when it was to be published; empty if it didn't.
    #[serde(default)]
    pub refused: String,
    /// The pressed button: `check`, `preview` or `publish`.
    #[serde(skip)]
    pub operation: String,
    /// Id of the draft that is shown; empty if there is none.
    #[serde(skip)]
    pub draft: String,
}

impl PromiseText {
    /// Returns a posted form.
    pub fn posted(fields: &Pairs) -> Self {
        let first = |wanted: &str| {
            let value = fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
            value.unwrap_or_default()
        };
        Self {
            workspace: first("workspace"),
            name: Some(first("name")).filter(|name| !name.is_empty()),
            text: first("text").replace("\r\n", "\n"),
            version: first("version"),
            refused: String::new(),
            operation: first(OPERATION),
            draft: first("draft"),
        }
    }
}
