//! The preview of the form that a schema makes.

use promise::form::Form;
use serde::{Deserialize, Serialize};

use super::Pick;

/// The preview of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PromisePreview {
    /// The document, as it was pasted. Empty if it is too large to be repeated.
    pub document: String,
    /// Size of a document that isn't repeated, in bytes. Absent if there is no such document.
    pub large: Option<usize>,
    /// Why there is no form.
    pub problem: Option<String>,
    /// Whether the draft that was asked for isn't there any more.
    pub is_gone: bool,
    /// What the document defines, to choose one.
    pub versions: Vec<Pick>,
    /// The form, with what was typed. Absent without a schema.
    pub form: Option<Form>,
    /// Id of the input that gets the focus.
    pub focus: Option<String>,
    /// What would refuse the schema, with its place in it.
    pub refused: Vec<String>,
    /// Whether values were checked.
    pub checked: bool,
    /// The values as a request would have them, as YAML.
    pub values: String,
    /// Advice for the author, as far as it is shown.
    pub advice: Vec<String>,
    /// How much advice there is.
    pub advice_total: usize,
    /// Hints for the form of the promise, as YAML: an entry for each field that the advice is about. Empty if there are none.
    pub hints: String,
    /// Id of the draft with all of this. Empty if there is none.
    pub draft: String,
}
