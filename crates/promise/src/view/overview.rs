//! What platform teams look at first: how requests go, how long they take, what hinders them, and what runs where.

use serde::Serialize;

use super::Total;
use crate::api::Phase;

/// The page. Everything is counted among the requests that the person may list, and nothing else.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverviewPage {
    /// Requests.
    pub requests: Total,
    /// In how many workspaces the person may list requests.
    pub workspaces: usize,
    /// Requests by phase, in the order of phases; phases that none is in are left out.
    pub phases: Vec<(Phase, usize)>,
    /// Requests by the week in which they were made, oldest first, the last one being this week.
    pub weeks: Vec<WeekLine>,
    /// Why requests do not go on, most frequent first.
    pub reasons: Vec<(String, usize)>,
    /// How long it took, by promise.
    pub times: Vec<TimeLine>,
    /// Requests that wait for a decision, by how long they do.
    pub waiting: Vec<(String, usize)>,
    /// Which versions run, by promise.
    pub versions: Vec<VersionSpread>,
    /// Where promises are used, by workspace, most instances first; at most as many as are shown.
    pub adoption: Vec<AdoptionLine>,
    /// How many more workspaces use a promise.
    pub adoption_left_out: usize,
}

/// What became of the requests of a week.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WeekLine {
    /// Its first day, such as `17 Nov`.
    pub label: String,
    /// They work.
    pub ready: usize,
    /// They are on their way, or wait.
    pub under_way: usize,
    /// They were refused.
    pub rejected: usize,
    /// They do not work.
    pub failed: usize,
}

/// How long a promise took from acceptance to health.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeLine {
    /// Name of the promise.
    pub promise: String,
    /// Its name for people.
    pub title: String,
    /// How many instances were measured.
    pub measured: usize,
    /// Seconds within which half of them were ready.
    pub half: i64,
    /// Seconds within which nine of ten were.
    pub most: i64,
    /// Requests of it that do not work.
    pub failed: usize,
    /// All requests of it.
    pub all: usize,
}

/// Which versions of a promise run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionSpread {
    /// Name of the promise.
    pub promise: String,
    /// Its name for people.
    pub title: String,
    /// The version that is offered now; empty where it is not known.
    pub newest: String,
    /// Each version with its instances, newest first.
    pub versions: Vec<(String, usize)>,
}

/// What a workspace uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdoptionLine {
    /// Path.
    pub workspace: String,
    /// Instances.
    pub instances: usize,
    /// Different promises.
    pub promises: usize,
}
