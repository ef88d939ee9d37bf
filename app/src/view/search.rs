//! Search over everything that the user can list.

use promise::state::RequestStates;
use serde::{Deserialize, Serialize};

use super::ObjectKey;

/// A kind of object that can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SearchKind {
    /// A promise that the workspace offers.
    Promise,
    /// A request.
    Request,
    /// An object that was created for a request.
    Resource,
    /// A workspace.
    Workspace,
    /// A policy.
    Policy,
}

impl SearchKind {
    /// All kinds, in the order in which pages list them.
    pub const ALL: [Self; 5] = [Self::Promise, Self::Request, Self::Resource, Self::Workspace, Self::Policy];

    /// Returns the value used in addresses.
    pub fn word(self) -> &'static str {
        match self {
            Self::Promise => "promises",
            Self::Request => "requests",
            Self::Resource => "resources",
            Self::Workspace => "workspaces",
            Self::Policy => "policies",
        }
    }

    /// Parses a value used in addresses.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Returns how much a kind is preferred to others that match as well. Most people search for what they request and run, and every
    /// request has several resources with similar names.
    pub fn weight(self) -> u32 {
        match self {
            Self::Promise => 20,
            Self::Request => 15,
            Self::Workspace => 10,
            Self::Policy => 5,
            Self::Resource => 0,
        }
    }
}

/// What to search for, as in the address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchQuery {
    /// What was typed.
    pub q: String,
    /// [`SearchKind::word`]; empty for all.
    pub kind: String,
    /// Path of the workspace that the user comes from: its promises are found, and what is in it comes first.
    pub workspace: String,
    /// Page, from 1.
    pub page: usize,
}

/// A page of results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchPage {
    /// The query, with the page that is shown.
    pub query: SearchQuery,
    /// The results, best first.
    pub hits: Vec<SearchHit>,
    /// How many there are of each kind, without empty kinds.
    pub counts: Vec<(SearchKind, usize)>,
    /// Whether the counts are exact; otherwise they are lower bounds.
    pub exact: bool,
    /// Number of pages.
    pub pages: usize,
    /// Workspaces that didn't respond, so that their objects are missing.
    pub unseen: Vec<String>,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// What was found.
    pub target: SearchTarget,
    /// Name, or the title of a promise or policy.
    pub title: String,
    /// What it is, such as the promise of a request; can be empty.
    pub detail: String,
    /// State of a request.
    pub states: Option<RequestStates>,
}

/// What was found, with everything that its address needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SearchTarget {
    /// A promise, as offered in a workspace.
    Promise {
        /// Path of the workspace.
        workspace: String,
        /// Name.
        name: String,
        /// Home, if a promise of the same name in a nearer home shadows it.
        home: Option<String>,
        /// Icon, or empty.
        icon: String,
        /// Whether the user can request it.
        requestable: bool,
    },
    /// A request.
    Request {
        /// Path of the workspace.
        workspace: String,
        /// Namespace.
        namespace: String,
        /// Name.
        name: String,
    },
    /// An object that was created for a request.
    Resource {
        /// Path of the request's workspace.
        workspace: String,
        /// Namespace of the request.
        namespace: String,
        /// Name of the request.
        request: String,
        /// The object.
        object: ObjectKey,
    },
    /// A workspace, by its path.
    Workspace(String),
    /// A policy.
    Policy {
        /// Path of the workspace that defines it.
        workspace: String,
        /// Name.
        name: String,
    },
}

impl SearchTarget {
    /// Returns its kind.
    pub fn kind(&self) -> SearchKind {
        match self {
            Self::Promise { .. } => SearchKind::Promise,
            Self::Request { .. } => SearchKind::Request,
            Self::Resource { .. } => SearchKind::Resource,
            Self::Workspace(_) => SearchKind::Workspace,
            Self::Policy { .. } => SearchKind::Policy,
        }
    }

    /// Returns the path of the workspace that it is in.
    pub fn workspace(&self) -> &str {
        match self {
            Self::Promise { workspace, .. }
            | Self::Request { workspace, .. }
            | Self::Resource { workspace, .. }
            | Self::Workspace(workspace)
            | Self::Policy { workspace, .. } => workspace,
        }
    }
}
