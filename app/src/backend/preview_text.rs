//! A document with a schema, and values for its form, as the preview posts them.

use promise::form::OPERATION;

use super::Pairs;

/// What was typed into the preview.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreviewText {
    /// The document, YAML or JSON. Absent if the page didn't repeat it, because it is large: then it is the draft's.
    pub document: Option<String>,
    /// Position of the schema in the document.
    pub version: usize,
    /// Whether problems are shown.
    pub checked: bool,
    /// The pressed button.
    pub operation: String,
    /// All posted fields.
    pub fields: Vec<(String, String)>,
    /// Id of the draft that the form was rendered from. Empty if there is none.
    pub draft: String,
}

impl PreviewText {
    /// Returns a posted form.
    pub fn posted(fields: &Pairs) -> Self {
        let found = |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
        let first = |wanted: &str| found(wanted).unwrap_or_default();
        let operation = first(OPERATION);
        Self {
            document: found("document").map(|text| text.replace("\r\n", "\n")),
            version: first("version").parse().unwrap_or_default(),
            checked: operation == "check" || !first("checked").is_empty(),
            operation,
            fields: fields.to_vec(),
            draft: first("draft"),
        }
    }
}
