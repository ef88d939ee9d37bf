//! Counting for limits and budgets: which requests count toward the same one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::source::Origin;
use crate::api::AppliesTo;
use crate::glob;

/// Scope over which a limit or budget is counted, as written in policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Per {
    /// The request's own workspace.
    Workspace,
    /// The workspace that defines the policy and everything below it, within the policy's scope.
    Subtree,
    /// Everywhere.
    Promise,
}

impl Per {
    /// Parses `workspace`, `subtree` or `promise`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "workspace" => Some(Self::Workspace),
            "subtree" => Some(Self::Subtree),
            "promise" => Some(Self::Promise),
            _ => None,
        }
    }
}

/// The requests that count toward one limit or budget. Callers count the accepted requests that [`Tally::includes`], without the request
/// that is checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Identity of the rule, used as the key in `Usage`.
    pub rule: String,
    /// Promises whose requests count.
    pub promises: Promises,
    /// Workspaces whose requests count.
    pub reach: Reach,
    /// Currency in which prices are summed up. Absent if requests are only counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// Promises whose requests count together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Promises {
    /// Exactly one.
    One {
        /// Name of the promise.
        name: String,
        /// Logical cluster id of the promise's home.
        home: String,
    },
    /// All promises that match names or globs, or all promises if there are none.
    Covered(Vec<String>),
}

/// Workspaces whose requests count together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reach {
    /// A single workspace.
    Workspace {
        /// Logical cluster id of the workspace.
        cluster: String,
    },
    /// One workspace and everything below it, within a scope.
    Subtree {
        /// Logical cluster id of the topmost workspace.
        cluster: String,
        /// See [`Reach::Covered`].
        range: AppliesTo,
    },
    /// All workspaces in a scope. [`Promises`] covers the part about promises.
    Covered(AppliesTo),
}

impl Reach {
    /// Returns the workspaces that count toward a limit or budget that is set at `cluster`, applies by `origin` and is checked for a
    /// request in the workspace `below`. Workspaces are logical cluster ids. Everything that shares a limit is in the scope of its policy,
    /// so that workspaces with the same label can share one. The subtree of a trusted home doesn't contain the other workspaces that the
    /// policy's scope includes: all of those count.
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

/// An accepted request, with the fields that counting needs.
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
