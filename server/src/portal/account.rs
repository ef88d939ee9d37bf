//! The port [`Account`]: who looks, and what waits on them.

use std::time::Duration;

use app::backend::Account;
use async_trait::async_trait;
use cluster::WorkspacePath;
use cluster::kinds::PromiseRequest;
use futures::{StreamExt as _, stream};
use promise::api::WaitingKind;
use promise::view::{Home, RequestRow, Viewer};
use promise::{Error, Result};

use super::place::{TOGETHER, Workspace};
use super::requests::rows;
use crate::auth::Caller;

/// How many recent requests home shows.
const RECENT: usize = 10;
/// How long a workspace may take to answer before home goes on without it.
const PATIENCE: Duration = Duration::from_secs(5);

#[async_trait]
impl Account for Caller {
    fn viewer(&self) -> Viewer {
        let identity = self.identity();
        let person = self.portal().person(&identity.username);
        Viewer {
            username: identity.username.to_string(),
            display_name: person.map_or_else(|| identity.username.to_string(), |person| person.display_name.clone()),
            groups: identity.groups.clone(),
            form_token: self.form_token().to_owned(),
        }
    }

    async fn home(&self) -> Result<Home> {
        let open = self.open_workspaces().await?;
        let mut mine: Vec<RequestRow> = Vec::new();
        let mut unseen = Vec::new();
        let mut counts = Vec::new();
        // Side by side, and one workspace that does not answer hides no others.
        let paths: Vec<WorkspacePath> = open.iter().map(|(path, _)| path.clone()).collect();
        let read: Vec<(WorkspacePath, Read)> = stream::iter(paths).map(|path| self.read_within(path)).buffered(TOGETHER).collect().await;
        for (path, read) in read {
            match read {
                Ok((workspace, requests)) => {
                    counts.push(Some(requests.len() as u64));
                    mine.extend(requests.iter().map(|request| rows::row(self, &workspace, request)).filter(|row| row.mine));
                }
                // Workspaces that hold no requests, or none that this person may list.
                Err(Error::Denied { .. } | Error::NotFound { .. }) => counts.push(None),
                Err(error) => {
                    tracing::warn!(%error, workspace = %path, "a workspace is missing on a home page");
                    unseen.push(path.to_string());
                    counts.push(None);
                }
            }
        }
        mine.sort_by(|a, b| b.created.cmp(&a.created));
        let waiting = mine.iter().filter(|row| row.ball.kind == WaitingKind::Person || row.ball.who == "You").cloned().collect();
        mine.truncate(RECENT);
        let workspaces = super::workspaces::nodes(&open, &counts);
        Ok(Home { waiting, recent: mine, workspaces, unseen })
    }
}

/// A workspace with its requests, or why they are not there.
type Read = Result<(Workspace, Vec<PromiseRequest>)>;

impl Caller {
    /// Reads the requests of a workspace, as long as it answers soon.
    async fn read_within(&self, path: WorkspacePath) -> (WorkspacePath, Read) {
        let read = async {
            let workspace = self.enter(path.as_str()).await?;
            let requests = self.read_requests(&workspace).await?;
            Ok((workspace, requests))
        };
        let read = tokio::time::timeout(PATIENCE, read).await;
        let unreachable = || Err(Error::Unreachable { what: path.to_string() });
        let read = read.unwrap_or_else(|_| unreachable());
        (path, read)
    }
}
