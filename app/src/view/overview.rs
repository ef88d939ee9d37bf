//! The overview for platform teams: outcomes and durations of requests, what blocks them, and what is running where.

use serde::{Deserialize, Serialize};

use super::Total;
use promise::state::{ChangeState, RequestState};

/// Query of the overview, as in the URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverviewQuery {
    /// Time range, see [`OverviewRange::parse`].
    pub range: String,
}

/// Number of weeks shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OverviewRange {
    /// Five weeks.
    Month,
    /// Twelve weeks.
    #[default]
    Quarter,
    /// Fifty-two weeks.
    Year,
}

impl OverviewRange {
    /// All ranges, in the order offered.
    pub const ALL: [Self; 3] = [Self::Month, Self::Quarter, Self::Year];

    /// Returns the value used in URLs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }

    /// Parses a URL value. Unknown values mean twelve weeks.
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|range| range.word() == word).unwrap_or_default()
    }

    /// Returns the number of weeks, including the present one.
    pub fn weeks(self) -> usize {
        match self {
            Self::Month => 5,
            Self::Quarter => 12,
            Self::Year => 52,
        }
    }
}

/// The overview. All numbers cover exactly the requests that the user can list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverviewPage {
    /// Number of weeks shown.
    pub range: OverviewRange,
    /// Number of requests.
    pub requests: Total,
    /// Number of workspaces in which the user can list requests.
    pub workspaces: usize,
    /// Requests by state, in the order of states. States without requests are omitted.
    pub states: Vec<(RequestState, usize)>,
    /// Changes of running instances that aren't accepted, by state.
    pub pending: Vec<(ChangeState, usize)>,
    /// Requests by week of creation, oldest first. The last entry is the present week.
    pub weeks: Vec<WeekLine>,
    /// Reasons why requests are blocked, most frequent first.
    pub reasons: Vec<(String, usize)>,
    /// Durations by promise.
    pub times: Vec<TimeLine>,
    /// Requests that wait for approval, by waiting time.
    pub waiting: Vec<(String, usize)>,
    /// Running versions, by promise.
    pub versions: Vec<VersionSpread>,
    /// Use of promises by workspace, most instances first, up to the display limit.
    pub adoption: Vec<AdoptionLine>,
    /// Number of further workspaces that use a promise.
    pub adoption_left_out: usize,
    /// What requests depend on: the control plane, the controller, and the destinations and endpoints that the user can list.
    pub parts: Vec<PlatformPart>,
    /// Identifies the data that the page was rendered from, for the change stream.
    pub seen: String,
}

/// Something that requests depend on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlatformPart {
    /// What it is.
    pub kind: PartKind,
    /// Name, or empty if there is only one of its kind.
    pub name: String,
    /// Whether it works.
    pub state: PartState,
    /// Reason why it doesn't, as a sentence. Empty if it works, or if the reason isn't for everyone.
    pub message: String,
    /// Version of its server, or address of an endpoint; or empty.
    pub version: String,
    /// RFC 3339 time since which it is in this state, if known.
    pub since: Option<String>,
    /// Number of objects that the portal watches there.
    pub watched: usize,
    /// Number of instances with objects there, among those that the user can see.
    pub instances: usize,
}

impl PlatformPart {
    /// Creates a part about which nothing is known.
    pub fn new(kind: PartKind) -> Self {
        Self {
            kind,
            name: String::new(),
            state: PartState::Unknown,
            message: String::new(),
            version: String::new(),
            since: None,
            watched: 0,
            instances: 0,
        }
    }
}

/// Kind of something that requests depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PartKind {
    /// The control plane.
    Plane,
    /// The controller that fulfils requests.
    Controller,
    /// A destination.
    Destination,
    /// An endpoint that workflows call.
    Endpoint,
}

/// Whether something that requests depend on works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PartState {
    /// It works.
    Works,
    /// It is starting, or waits for something.
    Waits,
    /// It doesn't work.
    Fails,
    /// Not known.
    Unknown,
}

impl OverviewPage {
    /// Returns the number of instances that run the newest version, and the number of all instances for which it is known.
    pub fn on_newest(&self) -> (usize, usize) {
        let known = self.versions.iter().filter(|spread| !spread.newest.is_empty());
        known.fold((0, 0), |(newest, all), spread| (newest + spread.on_newest(), all + spread.all()))
    }
}

/// Outcomes of the requests of one week.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WeekLine {
    /// First day of the week, as in addresses, such as `2026-11-17`.
    pub day: String,
    /// Number of healthy requests.
    pub ready: usize,
    /// Number of requests in progress or waiting.
    pub under_way: usize,
    /// Number of rejected requests.
    pub rejected: usize,
    /// Number of requests that expired or were withdrawn.
    pub lapsed: usize,
    /// Number of failed requests.
    pub failed: usize,
}

impl WeekLine {
    /// Returns the number of all requests.
    pub fn all(&self) -> usize {
        self.ready + self.under_way + self.rejected + self.lapsed + self.failed
    }
}

/// Time from acceptance to health for a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeLine {
    /// Name of the promise.
    pub promise: String,
    /// Display name of the promise.
    pub title: String,
    /// Number of instances measured.
    pub measured: usize,
    /// Median duration in seconds.
    pub half: i64,
    /// 95th percentile of the duration in seconds.
    pub most: i64,
    /// Number of its requests that are unhealthy.
    pub failed: usize,
    /// Number of all its requests.
    pub all: usize,
}

/// Running versions of a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionSpread {
    /// Name of the promise.
    pub promise: String,
    /// Display name of the promise.
    pub title: String,
    /// The version offered now. Empty if unknown.
    pub newest: String,
    /// Each version with its number of instances, newest first.
    pub versions: Vec<(String, usize)>,
}

impl VersionSpread {
    /// Returns the number of instances on any version.
    pub fn all(&self) -> usize {
        self.versions.iter().map(|(_, count)| count).sum()
    }

    /// Returns the number of instances on the version offered now.
    pub fn on_newest(&self) -> usize {
        self.versions.iter().find(|(version, _)| *version == self.newest).map_or(0, |(_, count)| *count)
    }
}

/// Use of promises in a workspace.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdoptionLine {
    /// Path.
    pub workspace: String,
    /// Number of instances.
    pub instances: usize,
    /// Number of different promises.
    pub promises: usize,
}
