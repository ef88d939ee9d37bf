//! Finds the request that a command is about.

use promise::rest::RequestSummary;

use crate::Error;
use crate::commands::Called;
use crate::error::NOT_FOUND;
use crate::portal::{Portal, api};

/// A request on the portal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Path of its workspace.
    pub workspace: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Target {
    /// The request of a list.
    pub fn of(summary: &RequestSummary) -> Self {
        Self { workspace: summary.workspace.clone(), namespace: summary.namespace.clone(), name: summary.name.clone() }
    }

    /// Returns its path in the API.
    pub fn path(&self) -> String {
        api(&["workspaces", &self.workspace, "requests", &self.namespace, &self.name])
    }

    /// Returns the path of its events.
    pub fn watch_path(&self) -> String {
        api(&["workspaces", &self.workspace, "requests", &self.namespace, &self.name, "watch"])
    }

    /// Returns the path of decisions about it.
    pub fn decisions_path(&self) -> String {
        api(&["workspaces", &self.workspace, "requests", &self.namespace, &self.name, "decisions"])
    }

    /// Returns the path that retries its workflow.
    pub fn retry_path(&self) -> String {
        api(&["workspaces", &self.workspace, "requests", &self.namespace, &self.name, "retry"])
    }

    /// Returns the path that cancels its workflow.
    pub fn cancel_path(&self) -> String {
        api(&["workspaces", &self.workspace, "requests", &self.namespace, &self.name, "cancel"])
    }

    /// Returns the path that skips a step of its workflow, or of a run of one of its actions.
    pub fn skip_path(&self, run: Option<&str>, step: &str) -> String {
        let mut path: Vec<&str> = vec!["workspaces", &self.workspace, "requests", &self.namespace, &self.name];
        path.extend(run.into_iter().flat_map(|run| ["runs", run]));
        path.extend(["steps", step, "skip"]);
        api(&path)
    }

    /// Finds a request by `NAME` or `NAMESPACE/NAME`.
    ///
    /// # Errors
    /// If there is none, or several namespaces have one of that name.
    pub async fn find(portal: &Portal, name: &str, namespace: Option<&str>, called: Called) -> Result<Self, Error> {
        let workspace = portal.workspace()?.to_owned();
        let (namespace, name) = match name.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (namespace, name),
        };
        if let Some(namespace) = namespace {
            return Ok(Self { workspace, namespace: namespace.to_owned(), name: name.to_owned() });
        }
        let listed = portal.list::<RequestSummary>(&api(&["workspaces", &workspace, "requests"]), &[("q", name)]).await?;
        let found: Vec<&RequestSummary> =
            listed.items.iter().filter(|request| request.name == name && request.workspace == workspace).collect();
        match found.as_slice() {
            [one] => Ok(Self::of(one)),
            [] => {
                let message = format!("{workspace} has no request {name}; `{} request list` shows what it has", called.name());
                Err(Error::refused(NOT_FOUND, message))
            }
            several => {
                let names: Vec<String> = several.iter().map(|request| format!("{}/{name}", request.namespace)).collect();
                Err(Error::Usage(format!("several requests have this name: choose {}", promise::wording::one_of(&names))))
            }
        }
    }
}
