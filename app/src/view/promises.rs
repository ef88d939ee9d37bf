//! Promises for the teams that publish them: where each is, whether it is published, and how often it is used.

use serde::{Deserialize, Serialize};

use super::catalog::Facet;
use super::sort::{Column, Sort};
use promise::api::Lifecycle;

/// Columns that the list of promises can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromiseColumn {
    /// Display name.
    Title,
    /// Workspace of the promise.
    Workspace,
    /// Lifecycle stage.
    Lifecycle,
    /// Whether its present version is published.
    State,
    /// Number of requests that use it.
    Instances,
    /// When it was created.
    Created,
}

impl Column for PromiseColumn {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Title, "title"),
        (Self::Workspace, "workspace"),
        (Self::Lifecycle, "lifecycle"),
        (Self::State, "state"),
        (Self::Instances, "instances"),
        (Self::Created, "created"),
    ];

    fn is_descending_first(self) -> bool {
        matches!(self, Self::Instances | Self::Created)
    }
}

/// Filters and position of the list of promises, as in the URL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PromisesQuery {
    /// Search text.
    pub q: String,
    /// Path of a workspace.
    pub workspace: String,
    /// A lifecycle stage.
    pub lifecycle: String,
    /// Value of a [`PublishState`].
    pub state: String,
    /// Sort order. By default, by workspace and name.
    pub sort: Sort<PromiseColumn>,
    /// Page number, starting at 1.
    pub page: usize,
}

/// Whether the present version of a promise is published, as reported by the controller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PublishState {
    /// Not published, with the reason.
    Refused(String),
    /// The controller hasn't checked it yet.
    #[default]
    Pending,
    /// Published.
    Published,
}

impl PublishState {
    /// Returns the value used in URLs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Pending => "pending",
            Self::Published => "published",
        }
    }
}

/// A promise in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromiseRow {
    /// Path of its workspace.
    pub workspace: String,
    /// Name.
    pub name: String,
    /// Display name.
    pub title: String,
    /// Icon.
    pub icon: String,
    /// Version in its manifest.
    pub version: String,
    /// Team, or empty.
    pub team: String,
    /// Lifecycle stage.
    pub lifecycle: Lifecycle,
    /// Whether this version is published.
    pub state: PublishState,
    /// Number of requests that use it in all workspaces, as counted by the controller.
    pub instances: u64,
    /// RFC 3339 time of creation. Empty if the server reports none.
    pub created: String,
}

/// A page of the list of promises.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromisesPage {
    /// Whether the user can create promises in some workspace.
    pub can_create: bool,
    /// Rows of this page.
    pub rows: Vec<PromiseRow>,
    /// Number of rows on all pages that match the filters.
    pub fit: usize,
    /// Number of rows without filters.
    pub total: usize,
    /// Number of pages.
    pub pages: usize,
    /// Facet of workspaces.
    pub places: Facet,
    /// Facet of lifecycle stages.
    pub lifecycles: Facet,
    /// Facet of [`PublishState`] values.
    pub states: Facet,
    /// The query in effect.
    pub query: PromisesQuery,
    /// RFC 3339 time of the last update. Absent while the list is up to date.
    pub as_of: Option<String>,
}
