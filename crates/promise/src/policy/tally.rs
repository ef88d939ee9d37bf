//! What is counted for limits and budgets: which requests belong to the same cap.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::source::Origin;
use crate::api::AppliesTo;
use crate::glob;

/// How far a cap reaches, in the words of policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Per {
    /// The request's own workspace.
    Workspace,
    /// The workspace where the policy is set and everything below it, as far as the policy's range goes.
    Subtree,
    /// Everywhere.
    Promise,
}

impl Per {
    /// Reads `workspace`, `subtree` or `promise`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "workspace" => Some(Self::Workspace),
            "subtree" => Some(Self::Subtree),
            "promise" => Some(Self::Promise),
            _ => None,
        }
    }
}

/// The requests that count for one cap. Whoever judges a request counts those that [`Tally::includes`] and that are accepted, without
/// the request itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Identity of the rule: the key in `Usage`.
    pub rule: String,
    /// Which promises' requests.
    pub promises: Promises,
    /// In which workspaces.
    pub reach: Reach,
    /// Currency in which their prices are summed up; absent where they are only counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// Promises whose requests count together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Promises {
    /// Exactly one.
    One {
        /// Its name.
        name: String,
        /// Logical cluster id of its home.
        home: String,
    },
    /// All that names or globs cover; all if there are none.
    Covered(Vec<String>),
}

/// Workspaces whose requests count together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reach {
    /// One alone.
    Workspace {
        /// Its logical cluster id.
        cluster: String,
    },
    /// Those of a range that lie below one, and that one.
    Subtree {
        /// Logical cluster id of the topmost.
        cluster: String,
        /// See [`Reach::Covered`].
        range: AppliesTo,
    },
    /// All of a range; what it says of promises is said by [`Promises`].
    Covered(AppliesTo),
}

impl Reach {
    /// Where requests count for a cap that is set at `cluster`, applies by `origin` and concerns a request in the workspace `below`: ids of
    /// logical clusters. What shares a cap is in the range of its policy, so that workspaces of one label can have one together. A subtree of
    /// a home says nothing about workspaces elsewhere, which the policy puts into its range: all of those count.
    pub fn of(per: Per, origin: Origin, cluster: &str, below: &str, range: &AppliesTo) -> Self {
        let range = || AppliesTo { promises: Vec::new(), ..range.clone() };
        match (per, origin) {
            (Per::Workspace, _) => Self::Workspace { cluster: below.to_owned() },
            (Per::Subtree, Origin::Ancestor { .. }) => Self::Subtree { cluster: cluster.to_owned(), range: range() },
            (Per::Subtree, Origin::TrustedHome) => Self::Covered(range()),
            (Per::Subtree, Origin::Reference | Origin::Promise) | (Per::Promise, _) => Self::Covered(AppliesTo::default()),
        }
    }
}

/// An accepted request, as far as it matters for counting.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// Name of its promise.
    pub promise: &'a str,
    /// Logical cluster id of the promise's home.
    pub home: &'a str,
    /// Path of the request's workspace.
    pub workspace: &'a str,
    /// Labels of that workspace.
    pub labels: &'a BTreeMap<String, String>,
    /// Logical cluster ids from the root down to the request's workspace.
    pub lineage: &'a [String],
}

impl Tally {
    /// Whether a request counts.
    pub fn includes(&self, request: &Counted<'_>) -> bool {
        let promise = match &self.promises {
            Promises::One { name, home } => name == request.promise && home == request.home,
            Promises::Covered(names) => names.is_empty() || glob::any_name_matches(names, request.promise),
        };
        promise
            && match &self.reach {
                Reach::Workspace { cluster } => request.lineage.last() == Some(cluster),
                Reach::Subtree { cluster, range } => {
                    request.lineage.contains(cluster) && range.covers_workspace(request.workspace, request.labels)
                }
                Reach::Covered(range) => range.covers_workspace(request.workspace, request.labels),
            }
    }
}
