//! A promise as its author writes it, and what needs one that is to be retired.

use promise::versions::VersionChange;
use serde::{Deserialize, Serialize};

use super::fleet::AuthoredPromise;
use super::platform::Pick;

/// A problem, or a suggestion, with its place in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedProblem {
    /// Line and column, starting at 1; absent for the text as a whole.
    pub place: Option<(usize, usize)>,
    /// Path of the field; can be empty.
    pub field: String,
    /// Message.
    pub message: String,
}

/// The form of a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromiseForm {
    /// Path of the workspace that contains or will contain it.
    pub workspace: String,
    /// Name of the existing promise. Absent for a new one.
    pub name: Option<String>,
    /// Display name of the existing promise, or its name.
    pub title: String,
    /// Workspaces in which the user can create promises.
    pub writable: Vec<Pick>,
    /// YAML as entered.
    pub text: String,
    /// Resource version at which it was opened.
    pub version: String,
    /// Whether the text was checked.
    pub checked: bool,
    /// What publishing would refuse.
    pub problems: Vec<PlacedProblem>,
    /// What would make the form easier to fill in.
    pub advice: Vec<PlacedProblem>,
    /// Number of all suggestions.
    pub advice_total: usize,
    /// The newest published version, and the version in the text; absent if either is.
    pub versions: Option<(String, String)>,
    /// What differs between them.
    pub changes: Vec<VersionChange>,
    /// What of it is breaking, a clause each.
    pub breaking: Vec<String>,
}

/// Outcome of a posted promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PromiseFormOutcome {
    /// Show the form again because it was checked or can't be published.
    Again {
        /// Id of the draft with the text.
        draft: String,
    },
    /// It was written.
    Written {
        /// Path of its workspace.
        workspace: String,
        /// Its name.
        name: String,
    },
}

/// A workspace with instances of a promise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsingWorkspace {
    /// Its path.
    pub workspace: String,
    /// Number of instances that the user can list.
    pub instances: usize,
}

/// A promise that requires another one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DependentLine {
    /// Path of its workspace.
    pub workspace: String,
    /// Its name.
    pub name: String,
    /// Its display name.
    pub title: String,
}

/// What needs a promise that is to be retired.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetirePage {
    /// The promise.
    pub promise: AuthoredPromise,
    /// Workspaces of this page, those with the most instances first.
    pub workspaces: Vec<UsingWorkspace>,
    /// Number of instances that the user can list.
    pub instances: usize,
    /// Number of instances in all workspaces, as counted by the controller.
    pub everywhere: u64,
    /// Published promises that require it.
    pub dependents: Vec<DependentLine>,
    /// Page number, starting at 1.
    pub page: usize,
    /// Number of pages.
    pub pages: usize,
    /// Describes workspaces that didn't respond.
    pub unseen: Vec<String>,
}
