//! A policy as a form posts it.

use promise::form::{Draft as FormDraft, OPERATION};
use serde::{Deserialize, Serialize};

use super::Pairs;

/// A policy as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PolicyText {
    /// Path of the workspace.
    pub workspace: String,
    /// Name of the existing policy; absent for a new one.
    pub name: Option<String>,
    /// The text, YAML.
    pub text: String,
    /// Resource version of the policy when the form was opened; empty for a new one.
    pub version: String,
    /// Position of the rule that the form shows; absent if the text itself was typed.
    #[serde(default)]
    pub rule: Option<usize>,
    /// What was typed into the form, as typed.
    #[serde(default)]
    pub entered: Option<FormDraft>,
    /// Id of the input that gets the focus.
    #[serde(default)]
    pub focus: Option<String>,
    /// Whether problems are shown.
    #[serde(default)]
    pub checked: bool,
    /// Identifies the warnings that the user has seen; empty if there were none.
    #[serde(skip)]
    pub warned: String,
    /// The pressed button.
    #[serde(skip)]
    pub operation: String,
    /// All posted fields.
    #[serde(skip)]
    pub fields: Vec<(String, String)>,
    /// Id of the draft in which typing is saved.
    #[serde(skip)]
    pub save: String,
    /// Id of the draft that is shown; empty if there is none.
    #[serde(skip)]
    pub draft: String,
}

/// Sample values for a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The promise, as [`crate::view::Tryout`] names it.
    pub promise: String,
    /// Path of the workspace.
    pub workspace: String,
    /// The values, YAML.
    pub text: String,
}

impl PolicyText {
    /// Returns a posted form.
    pub fn posted(fields: &Pairs) -> Self {
        let first = |wanted: &str| {
            let value = fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
            value.unwrap_or_default()
        };
        let operation = first(OPERATION);
        Self {
            workspace: first("workspace"),
            name: Some(first("name")).filter(|name| !name.is_empty()),
            text: first("text").replace("\r\n", "\n"),
            version: first("version"),
            rule: first("rule").parse().ok(),
            entered: None,
            focus: None,
            checked: matches!(operation.as_str(), "check" | "write") || !first("checked").is_empty(),
            warned: first("warned"),
            operation,
            fields: fields.to_vec(),
            save: first("save"),
            draft: first("draft"),
        }
    }

    /// Returns the first posted value of a field.
    pub fn field(&self, name: &str) -> &str {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// Whether to save it, and not only check it.
    pub fn is_to_be_saved(&self) -> bool {
        self.operation == "write"
    }
}
