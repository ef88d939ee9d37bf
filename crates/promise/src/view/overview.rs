//! What platform teams look at first: how requests go, how long they take, what hinders them, and what runs where.

use serde::{Deserialize, Serialize};

use super::{ChangeState, RequestState, Total};

/// What the address of the page says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverviewQuery {
    /// See [`OverviewRange::parse`].
    pub range: String,
}

/// How far back weeks are shown.
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
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Month, Self::Quarter, Self::Year];

    /// The word of an address.
    pub fn word(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }

    /// Reads the word of an address; twelve weeks for any other.
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|range| range.word() == word).unwrap_or_default()
    }

    /// How many weeks that are, this one included.
    pub fn weeks(self) -> usize {
        match self {
            Self::Month => 5,
            Self::Quarter => 12,
            Self::Year => 52,
        }
    }
}

/// The page. Everything is counted among the requests that the person may list, and nothing else.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverviewPage {
    /// How far back weeks are shown.
    pub range: OverviewRange,
    /// Requests.
    pub requests: Total,
    /// In how many workspaces the person may list requests.
    pub workspaces: usize,
    /// Requests by state, in the order of states; states that none is in are left out.
    pub states: Vec<(RequestState, usize)>,
    /// Changes of running instances that are not accepted, by state.
    pub pending: Vec<(ChangeState, usize)>,
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
    /// Names what the page was made of, for the stream of its changes.
    pub seen: String,
}

impl OverviewPage {
    /// How many of the instances whose newest version is known run in that version, and how many there are of them.
    pub fn on_newest(&self) -> (usize, usize) {
        let known = self.versions.iter().filter(|spread| !spread.newest.is_empty());
        known.fold((0, 0), |(newest, all), spread| (newest + spread.on_newest(), all + spread.all()))
    }
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
    /// No one decided in time, or the requester withdrew them.
    pub lapsed: usize,
    /// They do not work.
    pub failed: usize,
}

impl WeekLine {
    /// All of them.
    pub fn all(&self) -> usize {
        self.ready + self.under_way + self.rejected + self.lapsed + self.failed
    }
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

impl VersionSpread {
    /// Instances in any version.
    pub fn all(&self) -> usize {
        self.versions.iter().map(|(_, count)| count).sum()
    }

    /// Instances in the version that is offered now.
    pub fn on_newest(&self) -> usize {
        self.versions.iter().find(|(version, _)| *version == self.newest).map_or(0, |(_, count)| *count)
    }
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
