//! Entering a workspace: from a path in an address to a proven place that this person may see.

use std::collections::BTreeMap;

use cluster::{ClusterId, WorkspacePath};
use promise::visibility::Place;
use promise::{Error, Result};

use super::rights::Right;
use crate::auth::Caller;

/// A workspace that a person has entered.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Its identity.
    pub cluster: ClusterId,
    /// Its path, derived from Workspace objects.
    pub path: WorkspacePath,
    /// Labels of its Workspace object.
    pub labels: BTreeMap<String, String>,
    /// The way from the root to it, both included.
    pub lineage: Vec<Place>,
}

impl Caller {
    /// The workspace at a path of an address. Whether it is absent or closed to this person makes no difference in the answer.
    ///
    /// # Errors
    /// There is no such workspace that the person may enter, or the plane does not answer.
    pub async fn enter(&self, path: &str) -> Result<Workspace> {
        let not_found = || Error::NotFound { what: format!("workspace {path}") };
        let path = WorkspacePath::parse(path).map_err(|_| not_found())?;
        let tree = self.portal().world.tree();
        let cluster = tree.cluster(&path).ok_or_else(not_found)?;
        if !self.may(&cluster, Right::Enter).await? {
            return Err(not_found());
        }
        let lineage = tree.lineage(&cluster).ok_or_else(not_found)?;
        let labels = lineage.last().map(|node| node.labels.clone()).unwrap_or_default();
        let lineage = lineage.into_iter().map(|node| Place { cluster: node.cluster.to_string(), path: node.path.to_string() }).collect();
        Ok(Workspace { cluster, path, labels, lineage })
    }

    /// All workspaces that this person may enter, in the order of their paths.
    ///
    /// # Errors
    /// The plane does not answer.
    pub async fn open_workspaces(&self) -> Result<Vec<(WorkspacePath, ClusterId)>> {
        let mut open = Vec::new();
        for node in self.portal().world.tree().all() {
            if self.may(&node.cluster, Right::Enter).await? {
                open.push((node.path, node.cluster));
            }
        }
        Ok(open)
    }
}
