//! What a user has entered so far.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::operation::Operation;
use crate::problem::Problem;

/// Values and texts of an unfinished form. Contains no secrets and can be saved as a private draft.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    /// Values to submit. Texts that don't match their type are kept as texts, so that validation reports them.
    pub parameters: Value,
    /// Texts as entered, by input name. They take precedence over `parameters` when the form is rendered.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<String, String>,
    /// Problems that no value can represent: invalid YAML, a duplicate key. Paths such as `.parameters.labels`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Whether `parameters` are the unchanged parameters of the object being edited. A required list or object that isn't there is added
    /// only when the user enters it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_stored: bool,
}

impl Draft {
    /// Creates a draft from parameters to start with: of an example, a preset or another request.
    pub fn of(parameters: Value) -> Self {
        Self { parameters, ..Self::default() }
    }

    /// Creates a draft from the parameters of the object to edit.
    pub fn of_stored(parameters: Value) -> Self {
        Self { parameters, is_stored: true, ..Self::default() }
    }

    /// Returns the text entered into an input.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }
}

/// The contents of a post.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The part that can be saved.
    pub draft: Draft,
    /// Entered secrets by parameter path, such as `.adminPassword`. They are written to a Secret and nowhere else.
    pub secrets: BTreeMap<String, SecretText>,
    /// The structural button that was pressed. It has already been applied to the draft.
    pub operation: Option<Operation>,
    /// Id of the input to focus after a structural button.
    pub focus: Option<String>,
}

/// An entered secret. It can't be serialized, compared or printed.
pub struct SecretText(String);

impl SecretText {
    /// Wraps an entered secret.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the secret, for the one place that writes it into a Secret.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SecretText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretText(…)")
    }
}
