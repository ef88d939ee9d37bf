//! A document with a schema, and values for its form, as the preview posts them.

use promise::form::{Draft as FormDraft, OPERATION};
use serde::{Deserialize, Serialize};

use super::Pairs;

/// What was typed into the preview.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PreviewText {
    /// The document, YAML or JSON.
    pub document: String,
    /// Position of the schema in the document.
    #[serde(default)]
    pub version: usize,
    /// What was typed into the form, without secrets.
    #[serde(default)]
    pub entered: Option<FormDraft>,
    /// Id of the input that gets the focus.
    #[serde(default)]
    pub focus: Option<String>,
    /// Whether problems are shown.
    #[serde(default)]
    pub checked: bool,
    /// The pressed button.
    #[serde(skip)]
    pub operation: String,
    /// All posted fields.
    #[serde(skip)]
    pub fields: Vec<(String, String)>,
    /// Id of the draft that the form was rendered from. Empty if there is none.
    #[serde(skip)]
    pub draft: String,
}

impl PreviewText {
    /// Returns a posted form.
    pub fn posted(fields: &Pairs) -> Self {
        let first = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone()).unwrap_or_default();
        let operation = first(OPERATION);
        Self {
            document: first("document").replace("\r\n", "\n"),
            version: first("version").parse().unwrap_or_default(),
            entered: None,
            focus: None,
            checked: operation == "check" || !first("checked").is_empty(),
            operation,
            fields: fields.to_vec(),
            draft: first("draft"),
        }
    }
}
