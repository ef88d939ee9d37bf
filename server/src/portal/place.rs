//! Entering a workspace: from a path in an address to a verified workspace that this user can see.

use std::collections::BTreeMap;

use cluster::workspaces::{Node, Tree};
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, stream};
use promise::visibility::Place;
use promise::{Error, Result, names};
use sha2::{Digest as _, Sha256};

use super::rights::Right;
use crate::portal::Caller;

/// A workspace that a user has entered.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Its identity.
    pub cluster: ClusterId,
    /// Its path, derived from Workspace objects.
    pub path: WorkspacePath,
    /// Labels of its Workspace object.
    pub labels: BTreeMap<String, String>,
    /// Its owner, as stated by the nearest Workspace object in the lineage.
    pub owner: Option<String>,
    /// The lineage from the root to it, both included.
    pub lineage: Vec<Place>,
    /// Its namespaces.
    pub namespaces: Namespaces,
}

/// The namespaces of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Namespaces {
    /// Any namespaces that users create: kcp.
    Any,
    /// The workspace is exactly this namespace: plain Kubernetes.
    One(String),
    /// None of its own: a plain Kubernetes cluster as a whole.
    None,
}

impl Namespaces {
    /// Returns the namespaces of a workspace.
    pub fn of(cluster: &ClusterId) -> Self {
        match cluster.namespace() {
            Some(namespace) => Self::One(namespace.to_owned()),
            None if cluster.is_of_kubernetes() => Self::None,
            None => Self::Any,
        }
    }

    /// Checks whether a namespace can be one of them.
    pub fn has(&self, namespace: &str) -> bool {
        match self {
            Self::Any => is_label(namespace),
            Self::One(only) => only == namespace,
            Self::None => false,
        }
    }
}

/// Checks whether a text is a valid name of a namespace. It becomes part of addresses, where `..`, `?` and `#` have a special meaning.
fn is_label(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&text.len()) && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// Default namespace of requests in a workspace with many namespaces.
pub(super) const NAMESPACE: &str = "default";

impl Workspace {
    /// Returns a workspace with a verified place, regardless of who can enter it. The calling code checks what can be shown.
    pub(super) fn at(tree: &Tree, cluster: ClusterId) -> Option<Self> {
        let lineage = tree.lineage(&cluster)?;
        let (path, labels) = lineage.last().map(|node| (node.path.clone(), node.labels.clone()))?;
        let owner = lineage.iter().rev().find_map(|node| node.labels.get(names::OWNER_LABEL).cloned());
        let lineage = lineage.into_iter().map(|node| Place { cluster: node.cluster.to_string(), path: node.path.to_string() }).collect();
        let namespaces = Namespaces::of(&cluster);
        Some(Self { cluster, path, labels, owner, lineage, namespaces })
    }

    /// Describes who grants access here.
    pub(super) fn whom_to_ask(&self) -> String {
        self.owner.clone().unwrap_or_else(|| format!("the owner of {}", self.path))
    }

    /// Returns the default namespace of new requests.
    pub fn usual_namespace(&self) -> &str {
        match &self.namespaces {
            Namespaces::One(only) => only,
            Namespaces::Any | Namespaces::None => NAMESPACE,
        }
    }
}

/// Returns an id that belongs to no workspace. The control plane is queried for it as for an existing workspace, so the response takes as
/// long.
fn nowhere(path: &WorkspacePath) -> Option<ClusterId> {
    // A namespace's id is its path.
    if let Some(namespace) = ClusterId::parse(path.as_str()).ok().filter(ClusterId::is_of_kubernetes) {
        return Some(namespace);
    }
    ClusterId::parse(hex::encode(Sha256::digest(path.as_str())).get(..16)?).ok()
}

/// Number of workspaces that are queried concurrently.
pub(super) const TOGETHER: usize = 8;

impl Caller {
    /// Returns the workspace at a path of an address. The result is the same whether the workspace doesn't exist or this user can't enter
    /// it.
    ///
    /// # Errors
    /// If there is no such workspace that the user can enter, or the control plane doesn't respond.
    pub async fn enter(&self, path: &str) -> Result<Workspace> {
        let not_found = || Error::NotFound { what: format!("workspace {path}") };
        let path = WorkspacePath::parse(path).map_err(|_| not_found())?;
        let tree = self.portal().world.tree();
        let known = tree.cluster(&path);
        let asked = known.clone().or_else(|| nowhere(&path)).ok_or_else(not_found)?;
        let open = self.may(&asked, Right::Enter).await?;
        let cluster = known.filter(|_| open).ok_or_else(not_found)?;
        Workspace::at(&tree, cluster).ok_or_else(not_found)
    }

    /// Returns all workspaces that this user can enter, in the order of their paths.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub async fn open_workspaces(&self) -> Result<Vec<(WorkspacePath, ClusterId)>> {
        let asked = stream::iter(self.portal().world.tree().all().to_vec()).map(|node| self.open(node));
        let answers: Vec<Result<Option<(WorkspacePath, ClusterId)>>> = asked.buffered(TOGETHER).collect().await;
        answers.into_iter().filter_map(Result::transpose).collect()
    }

    async fn open(&self, node: Node) -> Result<Option<(WorkspacePath, ClusterId)>> {
        let open = self.may(&node.cluster, Right::Enter).await?;
        Ok(open.then_some((node.path, node.cluster)))
    }
}

#[cfg(test)]
mod tests {
    use super::Namespaces;

    #[test]
    fn what_would_lead_elsewhere_in_an_address_is_no_namespace() {
        for name in ["default", "team-1", "1"] {
            assert!(Namespaces::Any.has(name), "{name}");
        }
        let long = "n".repeat(64);
        for name in ["", "..", ".", "default?x=", "default#", "a/../b", "a%2fb", "-a", "a-", "A", "a.b", "a b", "ä", &long] {
            assert!(!Namespaces::Any.has(name), "{name}");
        }
    }
}
