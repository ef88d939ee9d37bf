//! The port [`Troubleshooting`]: events about the objects of a request, and logs of their pods, read with the user's own token.
//!
//! Only what belongs to the request is read: objects that its inventory records by uid, and pods whose controller is one of them
//! ([`pods`]). Names, labels and addresses prove nothing. Objects at a Destination aren't read, as on their own page
//! (`super::resources`). What the user can't read, or the control plane doesn't return in time, becomes a [`NotReadReason`], because the
//! rest is still useful.

mod events;
mod logs;
mod pods;
mod read;

use std::time::Duration;

use app::backend::{LogQuery, Troubleshooting};
use async_trait::async_trait;
use cluster::kinds::PromiseRequest;
use promise::Result;
use promise::api::InventoryItem;
use promise::rest::{RequestEvents, RequestLog};
use promise::troubleshooting::NotReadReason;
use tokio::time::Instant;

use self::read::Reader;
use crate::portal::Caller;
use crate::portal::place::Workspace;

/// How long the control plane can take for one page.
const PATIENCE: Duration = Duration::from_secs(8);

#[async_trait]
impl Troubleshooting for Caller {
    async fn object_events(&self, workspace: &str, namespace: &str, request: &str) -> Result<RequestEvents> {
        let workspace = self.enter(workspace).await?;
        let request = self.read_request(&workspace, namespace, request).await?;
        events::read(&self.reader(&workspace), inventory(&request)).await
    }

    async fn pod_log(&self, workspace: &str, namespace: &str, request: &str, query: &LogQuery) -> Result<RequestLog> {
        let workspace = self.enter(workspace).await?;
        let request = self.read_request(&workspace, namespace, request).await?;
        logs::read(&self.reader(&workspace), inventory(&request), query).await
    }
}

impl Caller {
    fn reader<'w>(&self, workspace: &'w Workspace) -> Reader<'w> {
        Reader {
            client: self.client(&workspace.cluster),
            workspace: workspace.path.as_str(),
            namespaces: &workspace.namespaces,
            deadline: Instant::now() + PATIENCE,
        }
    }
}

fn inventory(request: &PromiseRequest) -> &[InventoryItem] {
    request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default()
}

/// Returns that the objects of the Destinations of these items aren't read.
fn elsewhere<'i>(items: impl Iterator<Item = &'i InventoryItem>) -> Vec<NotReadReason> {
    let mut reasons: Vec<NotReadReason> =
        items.filter_map(|item| item.destination.clone()).map(|destination| NotReadReason::AtDestination { destination }).collect();
    reasons.sort();
    reasons.dedup();
    reasons
}

#[cfg(test)]
mod tests;
