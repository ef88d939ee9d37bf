//! Parts of a page's address: path parameters and query.

use axum::extract::Query;
use http::Uri;
use http::request::Parts;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use leptos_router::params::ParamsMap;
use promise::{Error, Problem, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::texts;

/// The address of the page being rendered.
#[derive(Clone, Debug)]
pub(super) struct Address {
    parameters: ParamsMap,
    uri: Uri,
}

impl Address {
    /// Returns the address of the current request.
    pub(super) fn current() -> Self {
        Self { parameters: use_params_map().get_untracked(), uri: expect_context::<Parts>().uri }
    }

    /// Returns a path parameter, decoded, or an empty string if the page has none with that name.
    pub(super) fn parameter(&self, name: &str) -> &str {
        self.parameters.get_str(name).unwrap_or_default()
    }

    /// Returns the workspace in the path.
    pub(super) fn workspace(&self) -> &str {
        self.parameter("workspace")
    }

    /// Returns the namespace of a request in the path.
    pub(super) fn namespace(&self) -> &str {
        self.parameter("namespace")
    }

    /// Returns the name of a request or promise in the path.
    pub(super) fn name(&self) -> &str {
        self.parameter("name")
    }

    /// Returns the query.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn query<T: DeserializeOwned>(&self) -> Result<T> {
        query(&self.uri)
    }
}

/// Returns the query of an address.
///
/// # Errors
/// [`Error::Invalid`] if it can't be read.
pub fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T> {
    let problem = || Problem { path: String::new(), message: texts::frame::INVALID_QUERY.to_owned() };
    let invalid = |_| Error::Invalid { problems: vec![problem()] };
    Query::try_from_uri(uri).map(|Query(query)| query).map_err(invalid)
}

/// Query of the list of requests: one that is being deleted.
#[derive(Debug, Deserialize)]
pub(super) struct DeletedRequest {
    #[serde(default)]
    pub(super) namespace: String,
    #[serde(default)]
    pub(super) deleted: String,
}

/// Query of the form of a request: what it starts from.
#[derive(Debug, Deserialize)]
pub(super) struct FormQuery {
    pub(super) home: Option<String>,
    pub(super) draft: Option<String>,
    pub(super) start: Option<String>,
    /// Origin of the manifest lines to show.
    #[serde(default)]
    pub(super) origin: String,
    /// What the request is needed for.
    #[serde(default, rename = "for")]
    pub(super) needed_for: String,
}

/// Query of the presets of a workspace: what to save as another one, the id of one to delete, and the title of one that was saved or
/// deleted.
#[derive(Debug, Deserialize)]
pub(super) struct PresetQuery {
    #[serde(default)]
    pub(super) promise: String,
    pub(super) home: Option<String>,
    #[serde(default)]
    pub(super) draft: String,
    #[serde(default)]
    pub(super) start: String,
    #[serde(default)]
    pub(super) saved: String,
    #[serde(default)]
    pub(super) delete: String,
    #[serde(default)]
    pub(super) deleted: String,
}

/// Query that selects a tab of a promise.
#[derive(Debug, Deserialize)]
pub(super) struct PromiseTab {
    pub(super) home: Option<String>,
    #[serde(default)]
    pub(super) tab: String,
    #[serde(default)]
    pub(super) page: usize,
}

/// Query that selects a tab of a request.
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
    /// `tree`, or nothing for the table.
    #[serde(default)]
    pub(super) layout: String,
    /// Object that is chosen in the tree.
    #[serde(default)]
    pub(super) open: String,
    /// Names of two releases to compare.
    #[serde(default)]
    pub(super) from: String,
    #[serde(default)]
    pub(super) to: String,
    /// Pod and container whose log is shown.
    #[serde(default)]
    pub(super) pod: String,
    #[serde(default)]
    pub(super) container: String,
    /// `true` for the log of the run before the last restart.
    #[serde(default)]
    pub(super) previous: String,
    /// What the request is needed for.
    #[serde(default, rename = "for")]
    pub(super) needed_for: String,
}

/// Query of a request of which a secret output was just revealed.
#[derive(Debug, Deserialize)]
pub(super) struct RevealedOutput {
    #[serde(default)]
    pub(super) output: String,
    #[serde(default)]
    pub(super) grant: String,
}

/// Query with what a form on this page did.
#[derive(Debug, Deserialize)]
pub(super) struct DonePost {
    #[serde(default)]
    pub(super) done: String,
}

/// Query with the recent refusal of a form that was posted from this page.
#[derive(Debug, Deserialize)]
pub(super) struct RefusedPost {
    #[serde(default)]
    pub(super) refused: String,
}

/// Query with the refusal to show.
#[derive(Debug, Deserialize)]
pub(super) struct RefusalId {
    #[serde(default)]
    pub(super) id: String,
}

/// Query of the sign-in page: where to go afterwards, and why the last attempt failed.
#[derive(Debug, Deserialize)]
pub(super) struct SignInQuery {
    #[serde(default)]
    pub(super) back: String,
    #[serde(default)]
    pub(super) problem: String,
    #[serde(default)]
    pub(super) wait: u64,
    /// The identity provider of the session that just ended.
    #[serde(default)]
    pub(super) left: String,
}

/// Query of the workspace list: which workspaces to list, and the page that the switcher was opened on.
#[derive(Debug, Deserialize)]
pub(super) struct WorkspaceQuery {
    #[serde(default)]
    pub(super) q: String,
    #[serde(default)]
    pub(super) from: String,
}

/// Query of a policy: the workspace in which the user found it, and sample values for it.
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

/// Query of the list of policies: one that was deleted, and where it was set.
#[derive(Debug, Deserialize)]
pub(super) struct DeletedPolicy {
    #[serde(default)]
    pub(super) from: String,
    #[serde(default)]
    pub(super) deleted: String,
}

/// Query of the preview of a form: the draft with what was typed, or a promise to start with.
#[derive(Debug, Deserialize)]
pub(super) struct PreviewQuery {
    pub(super) draft: Option<String>,
    #[serde(default)]
    pub(super) workspace: String,
    #[serde(default)]
    pub(super) promise: String,
}

/// Query of the text of a promise: the workspace that a new one is for, and the draft with what was typed.
#[derive(Debug, Deserialize)]
pub(super) struct PromiseDraft {
    #[serde(default)]
    pub(super) workspace: String,
    pub(super) draft: Option<String>,
}

/// Query of the policy form: the workspace that the policy is for, and the draft with what was typed.
#[derive(Debug, Deserialize)]
pub(super) struct PolicyDraft {
    #[serde(default)]
    pub(super) workspace: String,
    pub(super) draft: Option<String>,
    /// Position of the rule that the form shows.
    #[serde(default)]
    rule: usize,
    /// `yaml` shows the text.
    #[serde(default)]
    view: String,
}

impl PolicyDraft {
    /// Returns the position of the rule that the form shows; `None` for the text.
    pub(super) fn rule(&self) -> Option<usize> {
        (self.view != "yaml").then_some(self.rule)
    }
}

/// Query with a page of a list, from 1.
#[derive(Debug, Deserialize)]
pub(super) struct Number {
    #[serde(default)]
    pub(super) page: usize,
}

/// Query of a decision; a link can name the content that it was written about.
#[derive(Debug, Deserialize)]
pub(super) struct DecisionLink {
    #[serde(default)]
    since: String,
    #[serde(default)]
    hash: String,
}

impl DecisionLink {
    /// Returns the content since which changes are shown.
    pub(super) fn content(&self) -> &str {
        if self.since.is_empty() { &self.hash } else { &self.since }
    }
}
