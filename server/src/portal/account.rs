//! The port [`Account`]: who looks, and what waits on them.

use std::sync::Arc;
use std::time::Duration;

use app::backend::Account;
use async_trait::async_trait;
use cluster::WorkspacePath;
use cluster::kinds::PromiseRequest;
use futures::{StreamExt as _, stream};
use promise::view::{Home, Viewer};
use promise::{Error, Result};

use super::place::{TOGETHER, Workspace};
use super::requests::rows;
use crate::auth::Caller;

/// How many requests of a sort home shows.
const SHOWN: usize = 10;
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
        let mut mine: Vec<Mine> = Vec::new();
        let mut unseen = Vec::new();
        let mut counts = Vec::new();
        // Side by side, and one workspace that does not answer hides no others.
        let paths: Vec<WorkspacePath> = open.iter().map(|(path, _)| path.clone()).collect();
        let read: Vec<(WorkspacePath, Read)> = stream::iter(paths).map(|path| self.read_within(path)).buffered(TOGETHER).collect().await;
        for (path, read) in read {
            match read {
                Ok((workspace, requests)) => {
                    counts.push(Some(requests.len() as u64));
                    let workspace = Arc::new(workspace);
                    let of_mine = requests.into_iter().filter(|request| rows::is_of(self, request));
                    mine.extend(of_mine.map(|request| Mine { workspace: workspace.clone(), request }));
                }
                // Workspaces whose requests this person may not list.
                Err(Error::Denied { .. } | Error::NotFound { .. }) => counts.push(None),
                Err(error) => {
                    tracing::warn!(%error, workspace = %path, "a workspace is missing on a home page");
                    unseen.push(path.to_string());
                    counts.push(None);
                }
            }
        }
        let created = |mine: &Mine| mine.request.metadata.creation_timestamp.as_ref().map(|time| time.0);
        mine.sort_by_key(|mine| std::cmp::Reverse(created(mine)));
        let row = |mine: &Mine| rows::row(self, &mine.workspace, &mine.request);
        let (needy, others): (Vec<&Mine>, Vec<&Mine>) = mine.iter().partition(|mine| rows::ball(&mine.request).is_requesters());
        Ok(Home {
            waiting: needy.iter().take(SHOWN).map(|mine| row(mine)).collect(),
            waiting_total: needy.len(),
            recent: others.iter().take(SHOWN).map(|mine| row(mine)).collect(),
            workspaces: super::workspaces::nodes(&open, &counts),
            unseen,
            as_of: self.portal().lists_as_of(),
        })
    }
}

/// A request of the person who looks.
struct Mine {
    workspace: Arc<Workspace>,
    request: Arc<PromiseRequest>,
}

/// A workspace with its requests, or why they are not there.
pub(super) type Read = Result<(Workspace, Vec<Arc<PromiseRequest>>)>;

impl Caller {
    /// The requests of a workspace that this person may list, as long as the plane says soon whether they are.
    pub(super) async fn read_within(&self, path: WorkspacePath) -> (WorkspacePath, Read) {
        let read = async {
            let workspace = self.enter(path.as_str()).await?;
            let requests = self.list_requests(&workspace).await?;
            Ok((workspace, requests))
        };
        let read = tokio::time::timeout(PATIENCE, read).await;
        let unreachable = || Err(Error::Unreachable { what: path.to_string() });
        let read = read.unwrap_or_else(|_| unreachable());
        (path, read)
    }
}
