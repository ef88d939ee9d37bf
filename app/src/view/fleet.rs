//! A promise for its authors, and its fleet: every instance that the user can list, checked against a version.

use promise::api::Lifecycle;
use promise::rollout::{Obstacle, RolloutState};
use promise::state::RequestStates;
use serde::{Deserialize, Serialize};

use super::catalog::Facet;
use super::promises::PublishState;

/// A promise, as all pages for its authors show it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthoredPromise {
    /// Path of its workspace.
    pub workspace: String,
    /// Name.
    pub name: String,
    /// Display name.
    pub title: String,
    /// Icon.
    pub icon: String,
    /// Summary; can be empty.
    pub summary: String,
    /// Version in its manifest.
    pub version: String,
    /// Lifecycle stage.
    pub lifecycle: Lifecycle,
    /// Whether this version is published.
    pub state: PublishState,
    /// Whether the user can change it.
    pub can_edit: bool,
}

/// A published version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthoredVersion {
    /// The version.
    pub version: String,
    /// Name of its revision; empty if it is no longer published.
    pub revision: String,
    /// RFC 3339 time of publication; empty if it is no longer published.
    pub since: String,
    /// Number of instances that run it, as far as the user can list them.
    pub instances: usize,
    /// What is breaking compared with the version before, a clause each.
    pub breaking: Vec<String>,
}

/// A rollout in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutLine {
    /// Its id.
    pub id: String,
    /// The version that it upgrades to.
    pub version: String,
    /// Its state.
    pub state: RolloutState,
    /// Number of instances that were skipped; counted once it is completed.
    pub skipped: usize,
    /// RFC 3339 time of its start.
    pub created: String,
}

/// A promise with its versions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthorPage {
    /// The promise.
    pub promise: AuthoredPromise,
    /// Its versions, newest first.
    pub versions: Vec<AuthoredVersion>,
    /// Number of instances that the user can list.
    pub instances: usize,
    /// Number of workspaces with instances that the user can list.
    pub workspaces: usize,
    /// The user's last rollouts.
    pub rollouts: Vec<RolloutLine>,
    /// Describes workspaces that didn't respond.
    pub unseen: Vec<String>,
}

/// Filters of a fleet, as in the URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FleetQuery {
    /// Search text.
    pub q: String,
    /// Path of a workspace.
    pub workspace: String,
    /// Version that instances run.
    pub version: String,
    /// Version that they are checked against. By default, the newest.
    pub to: String,
    /// Page number, starting at 1.
    pub page: usize,
}

/// Result of checking an instance against a version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FleetCheck {
    /// It runs that version.
    There,
    /// It can be upgraded as it is.
    Ready {
        /// Whether the upgrade waits for approvers.
        needs_approval: bool,
        /// Labels of values that the version has no field for.
        lost: Vec<String>,
        /// How the price changes, in words; empty if it stays the same.
        price: String,
    },
    /// It can't.
    Blocked(Obstacle),
}

/// An instance in a fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FleetRow {
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Version that it runs.
    pub version: String,
    /// States.
    pub states: RequestStates,
    /// Result of the check.
    pub check: FleetCheck,
}

impl FleetRow {
    /// Returns the value by which a form names it.
    pub fn key(&self) -> String {
        format!("{}/{}/{}", self.workspace, self.namespace, self.name)
    }

    /// Whether it can be chosen for a rollout.
    pub fn can_be_chosen(&self) -> bool {
        matches!(self.check, FleetCheck::Ready { .. })
    }
}

/// A page of a fleet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FleetPage {
    /// The promise.
    pub promise: AuthoredPromise,
    /// Versions that are shown as columns, newest first. Instances can run others.
    pub versions: Vec<String>,
    /// All published versions, newest first.
    pub published: Vec<String>,
    /// Version that instances are checked against; empty if none is published.
    pub to: String,
    /// Rows of this page.
    pub rows: Vec<FleetRow>,
    /// Number of instances that match.
    pub fit: usize,
    /// Number of those that don't run `to`.
    pub behind: usize,
    /// Number of instances without filters.
    pub total: usize,
    /// Number of pages.
    pub pages: usize,
    /// Facet of workspaces.
    pub places: Facet,
    /// Facet of versions.
    pub running: Facet,
    /// The query in effect.
    pub query: FleetQuery,
    /// Describes workspaces that didn't respond.
    pub unseen: Vec<String>,
    /// RFC 3339 time of the last update. Absent while the list is up to date.
    pub as_of: Option<String>,
}
