//! Releases of a request, and the versions that it can move to.

use promise::api::{ChangelogEntry, DeletionPolicy, UpgradePolicy};
use promise::form::Summary;
use promise::versions::VersionChange;
use serde::{Deserialize, Serialize};

use super::approvals::{PriceStep, ValueChange};
use super::disabled::DisabledReason;
use super::preflight::AddedObject;

/// A newer version that a request can be upgraded to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpgradeOffer {
    /// The version.
    pub version: String,
    /// Whether it is another major version.
    pub is_breaking: bool,
    /// What changes from the running version.
    pub changes: Vec<VersionChange>,
    /// What its team says about the versions after the running one, newest first.
    pub changelog: Vec<ChangelogEntry>,
}

/// When a request ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExpiryNotice {
    /// RFC 3339 time at which it expires.
    pub at: String,
    /// RFC 3339 time at which it is deleted.
    pub ends: String,
    /// Whether it has expired.
    pub has_expired: bool,
}

/// Why a promise is deprecated, for people with instances of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeprecationNotice {
    /// Whether it is no longer offered at all.
    pub is_retired: bool,
    /// Message of its team, or empty.
    pub message: String,
    /// Display name and address of the promise that replaces it.
    pub replacement: Option<(String, String)>,
    /// Day after which it is removed, such as `1 March 2027`.
    pub remove_after: Option<String>,
}

/// The terms of a request in its form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TermsForm {
    /// Versions to choose from. The first one leaves the choice as it is.
    pub versions: Vec<VersionOption>,
    /// Versions that are rolled out automatically.
    pub upgrade: UpgradePolicy,
    /// What happens to the objects when the request is deleted.
    pub deletion_policy: DeletionPolicy,
    /// Day on which it expires, such as `2027-01-31`, or empty.
    pub expires: String,
    /// Whether the request is paused. Absent for a new request.
    pub paused: Option<bool>,
    /// Whether they differ from what an unchanged form would submit, so that they are shown.
    pub is_changed: bool,
    /// Version that the fields are for.
    pub rendered: String,
}

/// A version in a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionOption {
    /// Value of the input: a version constraint, or empty.
    pub value: String,
    /// The version that it selects, or empty if there is none.
    pub version: String,
    /// What the option stands for.
    pub kind: VersionOptionKind,
    /// Whether the version is a pre-release.
    pub is_prerelease: bool,
    /// Whether the version is another major version than the running one.
    pub is_breaking: bool,
    /// Whether it is chosen.
    pub is_chosen: bool,
}

/// What an option in a list of versions stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum VersionOptionKind {
    /// This version.
    #[default]
    Version,
    /// The newest version, for a new request.
    Newest,
    /// The request's present constraint.
    Unchanged,
    /// A constraint that was entered as text.
    Constraint,
}

/// What moves when a form is about another version than the one that is in use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionMove {
    /// Version in use.
    pub from: String,
    /// Version of the form.
    pub to: String,
    /// Whether it is another major version.
    pub is_breaking: bool,
    /// What its team says about the versions after the one in use, newest first. Empty for an older version.
    pub changelog: Vec<ChangelogEntry>,
    /// Fields that need input before the form can be submitted. Shown until it is checked.
    pub needs: Vec<Summary>,
    /// Labels and values that the version has no field for.
    pub lost: Vec<(String, String)>,
    /// The release whose values the form starts with.
    pub restored: Option<RestoredRelease>,
}

/// An earlier release that a form starts with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoredRelease {
    /// RFC 3339 time at which it was recorded.
    pub at: String,
    /// Labels of secrets that had another value. Releases don't contain the values.
    pub secrets: Vec<String>,
    /// Whether its version is no longer published, so that another one is used.
    pub is_unpublished: bool,
}

/// State of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReleaseState {
    /// It runs.
    Running,
    /// It will run next, or waits for approval.
    Candidate,
    /// It ran before, or never did.
    #[default]
    Former,
}

/// What makes a release differ from the one before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReleaseCause {
    /// It is the first one that is recorded.
    First,
    /// Another version.
    Version {
        /// The version before.
        from: String,
        /// The version of the release.
        to: String,
    },
    /// Other values, with their labels.
    Values(Vec<String>),
    /// Other policy rules.
    Policies,
    /// Another price.
    Price,
    /// Something else, such as labels or secret values.
    Other,
}

/// One recorded release.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseLine {
    /// Name of the PromiseRelease.
    pub name: String,
    /// Version. Absent if it is no longer published.
    pub version: Option<String>,
    /// RFC 3339 time at which it was recorded.
    pub at: String,
    /// Who requested its content, by username.
    pub by: String,
    /// Why it differs from the one before.
    pub causes: Vec<ReleaseCause>,
    /// Its state.
    pub state: ReleaseState,
    /// Monthly price, or empty.
    pub monthly: String,
    /// Whether the request can go back to it. Absent for the one that runs.
    pub restore: Option<Result<(), DisabledReason>>,
}

/// The releases of a request, newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleasesPage {
    /// The releases.
    pub releases: Vec<ReleaseLine>,
    /// The two releases that are compared.
    pub compared: Option<ReleaseComparison>,
}

/// What differs between two releases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseComparison {
    /// Name of the first release.
    pub from: String,
    /// Name of the second release.
    pub to: String,
    /// Version, values and terms.
    pub changes: Vec<ValueChange>,
    /// Policy rules, a sentence each.
    pub policies: Vec<String>,
    /// The price.
    pub price: PriceStep,
    /// Objects that differ, line by line. Absent if a version is no longer published.
    pub objects: Option<Vec<AddedObject>>,
}
