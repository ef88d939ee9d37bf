//! What the address of a page says: parameters of its path, and its query.

use axum::extract::Query;
use http::Uri;
use http::request::Parts;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use leptos_router::params::ParamsMap;
use promise::{Error, Problem, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The address of the page that is rendered.
#[derive(Clone, Debug)]
pub(super) struct Address {
    parameters: ParamsMap,
    uri: Uri,
}

impl Address {
    /// The one of this request.
    pub(super) fn current() -> Self {
        Self { parameters: use_params_map().get_untracked(), uri: expect_context::<Parts>().uri }
    }

    /// A parameter of the path, decoded; empty where the page has none of that name.
    pub(super) fn parameter(&self, name: &str) -> &str {
        self.parameters.get_str(name).unwrap_or_default()
    }

    /// The workspace in the path.
    pub(super) fn workspace(&self) -> &str {
        self.parameter("workspace")
    }

    /// The namespace of a request in the path.
    pub(super) fn namespace(&self) -> &str {
        self.parameter("namespace")
    }

    /// The name of a request or promise in the path.
    pub(super) fn name(&self) -> &str {
        self.parameter("name")
    }

    /// The query.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn query<T: DeserializeOwned>(&self) -> Result<T> {
        query(&self.uri)
    }
}

/// The query of an address.
///
/// # Errors
/// [`Error::Invalid`] if it cannot be read.
pub fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T> {
    let message = || "The part of the address behind the question mark cannot be read. Take it away, or start from a link.".to_owned();
    let invalid = |_| Error::Invalid { problems: vec![Problem { path: String::new(), message: message() }] };
    Query::try_from_uri(uri).map(|Query(query)| query).map_err(invalid)
}

/// The form of a request: what it starts from.
#[derive(Debug, Deserialize)]
pub(super) struct FormQuery {
    pub(super) home: Option<String>,
    pub(super) draft: Option<String>,
    pub(super) start: Option<String>,
    /// Which lines of what the platform adds are shown.
    #[serde(default)]
    pub(super) origin: String,
}

/// A part of a promise.
#[derive(Debug, Deserialize)]
pub(super) struct PromiseTab {
    pub(super) home: Option<String>,
    #[serde(default)]
    pub(super) tab: String,
    #[serde(default)]
    pub(super) page: usize,
}

/// A part of a request.
#[derive(Debug, Deserialize)]
pub(super) struct RequestTab {
    #[serde(default, alias = "tab")]
    pub(super) view: String,
    #[serde(default)]
    pub(super) page: usize,
    #[serde(default)]
    pub(super) origin: String,
    #[serde(default)]
    pub(super) fold: String,
}

/// What was posted from the page and refused a moment ago.
#[derive(Debug, Deserialize)]
pub(super) struct RefusedPost {
    #[serde(default)]
    pub(super) refused: String,
}

/// Which refusal is shown.
#[derive(Debug, Deserialize)]
pub(super) struct RefusalId {
    #[serde(default)]
    pub(super) id: String,
}

/// Where to go after signing in, and why the last attempt failed.
#[derive(Debug, Deserialize)]
pub(super) struct SignInQuery {
    #[serde(default)]
    pub(super) back: String,
    #[serde(default)]
    pub(super) problem: String,
    #[serde(default)]
    pub(super) wait: u64,
}

/// Which workspaces are listed, and the page that the switcher was opened on.
#[derive(Debug, Deserialize)]
pub(super) struct WorkspaceQuery {
    #[serde(default)]
    pub(super) q: String,
    #[serde(default)]
    pub(super) from: String,
}

/// Where a policy was met, and sample values for it.
#[derive(Debug, Deserialize)]
pub(super) struct PolicyQuery {
    #[serde(default)]
    pub(super) from: String,
    #[serde(default)]
    pub(super) promise: String,
    #[serde(default, rename = "in")]
    pub(super) place: String,
    pub(super) r#try: Option<String>,
}

/// For which workspace a policy is written, and what was typed.
#[derive(Debug, Deserialize)]
pub(super) struct PolicyDraft {
    #[serde(default)]
    pub(super) workspace: String,
    pub(super) draft: Option<String>,
}

/// A page of a list, from 1.
#[derive(Debug, Deserialize)]
pub(super) struct Number {
    #[serde(default)]
    pub(super) page: usize,
}

/// A decision; a link may name the content that it was written about.
#[derive(Debug, Deserialize)]
pub(super) struct DecisionLink {
    #[serde(default)]
    since: String,
    #[serde(default)]
    hash: String,
}

impl DecisionLink {
    /// The content since which changes are shown.
    pub(super) fn content(&self) -> &str {
        if self.since.is_empty() { &self.hash } else { &self.since }
    }
}
