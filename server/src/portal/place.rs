//! Entering a workspace: from a path in an address to a proven place that this person may see.

use std::collections::BTreeMap;

use cluster::workspaces::{Node, Tree};
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, stream};
use promise::visibility::Place;
use promise::{Error, Result, names};
use sha2::{Digest as _, Sha256};

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
    /// Who owns it, as the nearest Workspace object on the way says.
    pub owner: Option<String>,
    /// The way from the root to it, both included.
    pub lineage: Vec<Place>,
    /// Which namespaces it has.
    pub namespaces: Namespaces,
}

/// Which namespaces a workspace has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Namespaces {
    /// As many as people make: kcp.
    Any,
    /// This one, which it is: plain Kubernetes.
    One(String),
    /// None of its own: a plain Kubernetes cluster as a whole.
    None,
}

impl Namespaces {
    /// Those of a workspace.
    pub fn of(cluster: &ClusterId) -> Self {
        match cluster.namespace() {
            Some(namespace) => Self::One(namespace.to_owned()),
            None if cluster.is_of_kubernetes() => Self::None,
            None => Self::Any,
        }
    }

    /// Whether a namespace can be one of them.
    pub fn has(&self, namespace: &str) -> bool {
        match self {
            Self::Any => is_label(namespace),
            Self::One(only) => only == namespace,
            Self::None => false,
        }
    }
}

/// Whether a text can be the name of a namespace. It becomes a part of addresses, where `..`, `?` and `#` would mean something else.
fn is_label(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&text.len()) && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// Where requests go unless their form says otherwise, in a workspace with many namespaces.
pub(super) const NAMESPACE: &str = "default";

impl Workspace {
    /// A workspace whose place is proven, whoever may enter it: what is shown of it is the caller's affair.
    pub(super) fn at(tree: &Tree, cluster: ClusterId) -> Option<Self> {
        let lineage = tree.lineage(&cluster)?;
        let (path, labels) = lineage.last().map(|node| (node.path.clone(), node.labels.clone()))?;
        let owner = lineage.iter().rev().find_map(|node| node.labels.get(names::OWNER_LABEL).cloned());
        let lineage = lineage.into_iter().map(|node| Place { cluster: node.cluster.to_string(), path: node.path.to_string() }).collect();
        let namespaces = Namespaces::of(&cluster);
        Some(Self { cluster, path, labels, owner, lineage, namespaces })
    }

    /// Who gives rights here, in words.
    pub(super) fn whom_to_ask(&self) -> String {
        self.owner.clone().unwrap_or_else(|| format!("the owner of {}", self.path))
    }

    /// Where new requests go unless their form says otherwise.
    pub fn usual_namespace(&self) -> &str {
        match &self.namespaces {
            Namespaces::One(only) => only,
            Namespaces::Any | Namespaces::None => NAMESPACE,
        }
    }
}

/// The id of no workspace: the plane is asked about it as about one that is there, so that the answer takes as long.
fn nowhere(path: &WorkspacePath) -> Option<ClusterId> {
    // A namespace's id is its path.
    if let Some(namespace) = ClusterId::parse(path.as_str()).ok().filter(ClusterId::is_of_kubernetes) {
        return Some(namespace);
    }
    ClusterId::parse(hex::encode(Sha256::digest(path.as_str())).get(..16)?).ok()
}

/// How many workspaces are asked for something at the same time.
pub(super) const TOGETHER: usize = 8;

impl Caller {
    /// The workspace at a path of an address. Whether it is absent or closed to this person makes no difference in the answer.
    ///
    /// # Errors
    /// There is no such workspace that the person may enter, or the plane does not answer.
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

    /// All workspaces that this person may enter, in the order of their paths.
    ///
    /// # Errors
    /// The plane does not answer.
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
