//! People and the places they may enter.

use serde::{Deserialize, Serialize};

/// A person who may sign in on the embedded plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Person {
    /// Name on the plane.
    pub username: String,
    /// Name for people.
    pub display_name: String,
    /// What the person does, in one line.
    pub role: String,
}

/// Who looks at a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Viewer {
    /// Name on the plane.
    pub username: String,
    /// Name for people.
    pub display_name: String,
    /// Groups on the plane.
    pub groups: Vec<String>,
    /// The token that every form carries.
    pub form_token: String,
}

/// A workspace in a list or tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceNode {
    /// Path, such as `root:acme:shop`.
    pub path: String,
    /// Last part of the path.
    pub name: String,
    /// 0 for the root.
    pub depth: usize,
    /// Whether the person may enter; a closed one is shown only to lead to open ones.
    pub open: bool,
    /// How many requests the person sees there; absent if not counted.
    pub requests: Option<u64>,
}

/// All workspaces that a person may enter, with what leads to them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceTree {
    /// Parents before children, siblings by name; at most as many as are shown.
    pub nodes: Vec<WorkspaceNode>,
    /// How many the person may enter that have the words.
    pub total: usize,
    /// What was searched for.
    pub query: String,
}
