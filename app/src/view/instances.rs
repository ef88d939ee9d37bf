//! The instances of a promise, as its "Used by" tab lists them.

use std::fmt;

use serde::{Deserialize, Serialize};

use promise::state::RequestStates;

/// Id of the section of the user's favourites in a catalog. Ids of other sections contain the path of a home.
pub const FAVOURITES: &str = "favourites";

/// Identifies a promise across workspaces. As text: the path of its home workspace, a slash, and its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PromiseKey {
    /// Path of its home workspace.
    pub home: String,
    /// Its name.
    pub name: String,
}

impl PromiseKey {
    /// Parses a text. Without a slash, it is a name without a home, which no promise has.
    pub fn parse(text: &str) -> Self {
        let (home, name) = text.rsplit_once('/').unwrap_or(("", text));
        Self { home: home.to_owned(), name: name.to_owned() }
    }
}

impl fmt::Display for PromiseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.home, self.name)
    }
}

/// The instances of a promise in one workspace, as far as the user can list them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferUse {
    /// Number of instances that run.
    pub running: usize,
    /// Number of these on another version than the one offered.
    pub older: usize,
    /// How long instances took to get ready. Absent until one was measured.
    pub ready_in: Option<ReadyIn>,
}

/// Time from acceptance to ready, as measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadyIn {
    /// Median in seconds.
    pub median: i64,
    /// Number of instances measured.
    pub measured: usize,
}

/// An instance of a promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceLine {
    /// Path of its workspace.
    pub workspace: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Version that runs.
    pub version: String,
    /// State of the request, and of its pending change.
    pub states: RequestStates,
    /// The requester.
    pub requester: String,
    /// RFC 3339 time of creation.
    pub created: String,
}

/// A page of the instances of a promise that the user can list, those of the user's workspace first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstancesPage {
    /// Rows of this page.
    pub rows: Vec<InstanceLine>,
    /// Number of rows on all pages.
    pub total: usize,
    /// Number of workspaces with instances.
    pub workspaces: usize,
    /// Page number, starting at 1.
    pub page: usize,
    /// Number of pages.
    pub pages: usize,
    /// Workspaces whose instances are missing because they didn't respond.
    pub unseen: Vec<String>,
    /// RFC 3339 time of the last update. Absent while the list is up to date.
    pub as_of: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::PromiseKey;

    #[test]
    fn a_promise_is_named_with_its_home() {
        let key = PromiseKey { home: "root:platform".into(), name: "redis".into() };
        assert_eq!(PromiseKey::parse(&key.to_string()), key);
        assert_eq!(PromiseKey::parse("redis"), PromiseKey { home: String::new(), name: "redis".into() });
    }
}
