//! Users and the workspaces they can enter.

use serde::{Deserialize, Serialize};

/// A user who can sign in on the embedded development plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Person {
    /// User name on the plane.
    pub username: String,
    /// Display name.
    pub display_name: String,
    /// Job of the user, in one line.
    pub role: String,
}

/// An identity provider on the sign-in page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignInProvider {
    /// Its name in addresses.
    pub name: String,
    /// Its name for people.
    pub title: String,
}

/// A browser in which the user is signed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionLine {
    /// Id.
    pub id: String,
    /// The browser, such as `Firefox on Linux`; empty if it isn't known.
    pub browser: String,
    /// Title of the identity provider; empty without one.
    pub provider: String,
    /// When it began, RFC 3339.
    pub created: String,
    /// When it was last used, RFC 3339.
    pub used: String,
    /// Whether it is the one that shows the page.
    pub is_current: bool,
}

/// The user who views a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Viewer {
    /// User name on the plane.
    pub username: String,
    /// Display name.
    pub display_name: String,
    /// Groups on the plane.
    pub groups: Vec<String>,
    /// CSRF token that every form includes.
    pub form_token: String,
}

/// A workspace in a list or tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceNode {
    /// Path, such as `root:acme:shop`.
    pub path: String,
    /// Last segment of the path.
    pub name: String,
    /// Depth in the tree, 0 for the root.
    pub depth: usize,
    /// Whether the user can enter the workspace. Other workspaces are shown only if they lead to one that the user can enter.
    pub open: bool,
    /// Number of requests that the user can see in it. Absent if not counted.
    pub requests: Option<u64>,
}

/// All workspaces that a user can enter, with their ancestors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceTree {
    /// Parents before children, siblings by name, up to the display limit.
    pub nodes: Vec<WorkspaceNode>,
    /// Number of workspaces that match the search and that the user can enter.
    pub total: usize,
    /// Search text.
    pub query: String,
}
