//! The port [`Account`]: who looks, and what waits on them.

use app::backend::Account;
use async_trait::async_trait;
use promise::Result;
use promise::api::WaitingKind;
use promise::view::{Home, RequestRow, Viewer};

use super::requests::rows;
use crate::auth::Caller;

/// How many recent requests home shows.
const RECENT: usize = 10;

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
        for (path, _) in &open {
            // One workspace that does not answer must not hide the others.
            let read = match self.enter(path.as_str()).await {
                Ok(workspace) => self.read_requests(&workspace).await.map(|requests| (workspace, requests)),
                Err(error) => Err(error),
            };
            match read {
                Ok((workspace, requests)) => {
                    counts.push(Some(requests.len() as u64));
                    mine.extend(requests.iter().map(|request| rows::row(self, &workspace, request)).filter(|row| row.mine));
                }
                // Workspaces that hold no requests, or none that this person may list.
                Err(promise::Error::Denied { .. } | promise::Error::NotFound { .. }) => counts.push(None),
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
