//! Which workspace is in which, proven by Workspace objects.
//!
//! The only edge that can't be forged leads from the workspace that holds a Workspace object to the object's `spec.cluster`, which only the
//! control plane sets. Paths are derived from these edges, never read from annotations.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use imbl::OrdMap;
use kube::api::DynamicObject;

use super::{ClusterId, WorkspacePath};
use crate::install::SYSTEM_NAMESPACE;
use crate::watch::{Key, Row};

/// What is kept of a Workspace object, or of a Namespace that represents one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceRow {
    /// The workspace that it creates.
    pub cluster: ClusterId,
    /// Labels, for the scope of policies.
    pub labels: BTreeMap<String, String>,
    /// Whether it is being deleted, with everything in it.
    pub deleting: bool,
}

impl WorkspaceRow {
    /// Projects a Workspace object; `None` while the control plane hasn't given it a cluster.
    pub fn project(object: DynamicObject) -> Option<Self> {
        let cluster = ClusterId::of_kcp(object.data.pointer("/spec/cluster")?.as_str()?)?;
        let deleting = object.metadata.deletion_timestamp.is_some();
        Some(Self { cluster, labels: object.metadata.labels.unwrap_or_default(), deleting })
    }

    /// Projects a Namespace of plain Kubernetes; `None` for those of the system and our own.
    pub fn of_namespace(object: DynamicObject) -> Option<Self> {
        let name = object.metadata.name.as_deref()?;
        if name.starts_with("kube-") || name == SYSTEM_NAMESPACE {
            return None;
        }
        let cluster = ClusterId::of_namespace(name).ok()?;
        let deleting = object.metadata.deletion_timestamp.is_some();
        Some(Self { cluster, labels: object.metadata.labels.unwrap_or_default(), deleting })
    }
}

impl Row for WorkspaceRow {
    fn same_edition(&self, other: &Self) -> bool {
        self == other
    }
}

/// A workspace with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Id.
    pub cluster: ClusterId,
    /// Path, derived from the edges.
    pub path: WorkspacePath,
    /// Labels of its Workspace object; empty for the top.
    pub labels: BTreeMap<String, String>,
}

/// All proven edges at one moment.
#[derive(Clone, Debug)]
pub struct Tree {
    root: ClusterId,
    children: BTreeMap<(ClusterId, String), ClusterId>,
    /// Every workspace with a proven place, in the order of paths.
    nodes: Vec<Node>,
    /// Index of each in `nodes`, and its parent.
    places: HashMap<ClusterId, (usize, Option<ClusterId>)>,
}

impl Tree {
    /// Builds the tree from the rows of the watch on Workspace objects below `root`. Two objects that name the same workspace prove
    /// nothing, and both edges are left out.
    pub fn new(root: ClusterId, rows: &OrdMap<Key, Arc<WorkspaceRow>>) -> Self {
        let mut labels: HashMap<&ClusterId, &BTreeMap<String, String>> = HashMap::new();
        let mut children = BTreeMap::new();
        let mut doubtful = HashSet::new();
        for (key, row) in rows {
            if labels.insert(&row.cluster, &row.labels).is_some() {
                doubtful.insert(&row.cluster);
            }
            children.insert((key.cluster.clone(), key.name.clone()), row.cluster.clone());
        }
        children.retain(|_, child| !doubtful.contains(child));
        let mut tree = Self { root, children, nodes: Vec::new(), places: HashMap::new() };
        tree.walk(&labels);
        tree
    }

    /// Walks from the top down along the edges: a workspace that isn't reached has no proven place.
    fn walk(&mut self, labels: &HashMap<&ClusterId, &BTreeMap<String, String>>) {
        let Ok(path) = WorkspacePath::parse(self.root.as_str()) else { return };
        let mut parents = HashMap::from([(self.root.clone(), None)]);
        self.nodes.push(Node { cluster: self.root.clone(), path, labels: BTreeMap::new() });
        let mut at = 0;
        while let Some(parent) = self.nodes.get(at).cloned() {
            let below: Vec<Node> = self
                .children(&parent.cluster)
                .filter(|(_, child)| !parents.contains_key(child))
                .filter_map(|(name, child)| {
                    let labels = labels.get(child).map(|labels| (*labels).clone()).unwrap_or_default();
                    Some(Node { cluster: child.clone(), path: parent.path.child(name).ok()?, labels })
                })
                .collect();
            parents.extend(below.iter().map(|node| (node.cluster.clone(), Some(parent.cluster.clone()))));
            self.nodes.extend(below);
            at += 1;
        }
        self.nodes.sort_by(|a, b| a.path.cmp(&b.path));
        let place = |(at, node): (usize, &Node)| (node.cluster.clone(), (at, parents.remove(&node.cluster).flatten()));
        self.places = self.nodes.iter().enumerate().map(place).collect();
    }

    /// Returns the workspaces from the top to this one, both included; `None` if an edge is missing.
    pub fn lineage(&self, cluster: &ClusterId) -> Option<Vec<Node>> {
        let mut way = Vec::new();
        let mut next = Some(cluster);
        while let Some(cluster) = next {
            let (at, parent) = self.places.get(cluster)?;
            way.push(self.nodes.get(*at)?.clone());
            next = parent.as_ref();
        }
        way.reverse();
        Some(way)
    }

    /// Returns the key of the object that creates a workspace: in the workspace above, under its name. `None` for the top, and without a
    /// proven place.
    pub fn row_of(&self, cluster: &ClusterId) -> Option<Key> {
        let (at, parent) = self.places.get(cluster)?;
        let name = self.nodes.get(*at)?.path.as_str().rsplit(':').next()?;
        Some(Key::cluster_scoped(parent.as_ref()?, name))
    }

    /// Returns the path of a workspace, for people.
    pub fn path(&self, cluster: &ClusterId) -> Option<WorkspacePath> {
        let (at, _) = self.places.get(cluster)?;
        self.nodes.get(*at).map(|node| node.path.clone())
    }

    /// Returns the workspace at a path.
    pub fn cluster(&self, path: &WorkspacePath) -> Option<ClusterId> {
        let mut segments = path.as_str().split(':');
        if segments.next() != Some(self.root.as_str()) {
            return None;
        }
        segments.try_fold(self.root.clone(), |at, name| self.children.get(&(at, name.to_owned())).cloned())
    }

    /// Returns the workspaces that moved, have other labels, are new or are gone, compared with another tree.
    pub fn moved_since(&self, before: &Self) -> BTreeSet<ClusterId> {
        let moved = |here: &Node, there: &Self| there.node(&here.cluster) != Some(here);
        let appeared = self.nodes.iter().filter(|node| moved(node, before));
        let gone = before.nodes.iter().filter(|node| self.node(&node.cluster).is_none());
        appeared.chain(gone).map(|node| node.cluster.clone()).collect()
    }

    fn node(&self, cluster: &ClusterId) -> Option<&Node> {
        self.nodes.get(self.places.get(cluster)?.0)
    }

    /// Returns a workspace and all below it.
    pub fn subtree(&self, top: &ClusterId) -> BTreeSet<ClusterId> {
        let (mut found, mut next) = (BTreeSet::new(), vec![top.clone()]);
        while let Some(cluster) = next.pop() {
            // Edges might form a cycle if they were created that way.
            if found.insert(cluster.clone()) {
                next.extend(self.children(&cluster).map(|(_, child)| child.clone()));
            }
        }
        found
    }

    /// Returns the direct children in the order of their names.
    pub fn children(&self, cluster: &ClusterId) -> impl Iterator<Item = (&str, &ClusterId)> {
        let from = (cluster.clone(), String::new());
        let of = cluster.clone();
        self.children.range(from..).take_while(move |((parent, _), _)| *parent == of).map(|((_, name), child)| (name.as_str(), child))
    }

    /// Returns every workspace with a proven place, the top included, in the order of paths.
    pub fn all(&self) -> &[Node] {
        &self.nodes
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::{Tree, WorkspaceRow};
    use crate::watch::Key;
    use crate::workspaces::{ClusterId, WorkspacePath};

    fn id(text: &str) -> ClusterId {
        ClusterId::parse(text).unwrap()
    }

    fn tree(edges: &[(&str, &str, &str)]) -> Tree {
        let row = |child: &str| Arc::new(WorkspaceRow { cluster: id(child), labels: BTreeMap::new(), deleting: false });
        Tree::new(id("root"), &edges.iter().map(|(parent, name, child)| (Key::cluster_scoped(&id(parent), name), row(child))).collect())
    }

    #[test]
    fn paths_follow_the_edges_both_ways() {
        let tree = tree(&[("root", "acme", "c1"), ("c1", "shop", "c2"), ("c1", "data", "c3")]);
        assert_eq!(tree.path(&id("c2")).unwrap().as_str(), "root:acme:shop");
        assert_eq!(tree.cluster(&WorkspacePath::parse("root:acme:data").unwrap()), Some(id("c3")));
        assert_eq!(tree.row_of(&id("c3")), Some(Key::cluster_scoped(&id("c1"), "data")));
        assert_eq!(tree.row_of(&id("root")), None);
        assert_eq!(tree.children(&id("c1")).map(|(name, _)| name).collect::<Vec<_>>(), ["data", "shop"]);
        assert_eq!(
            tree.all().iter().map(|n| n.path.as_str()).collect::<Vec<_>>(),
            ["root", "root:acme", "root:acme:data", "root:acme:shop"]
        );
    }

    #[test]
    fn namespaces_are_workspaces_and_those_of_the_system_are_not() {
        let namespace = |name: &str| {
            let object = serde_json::json!({"metadata": {"name": name, "labels": {"team": "a"}}});
            WorkspaceRow::of_namespace(serde_json::from_value(object).unwrap())
        };
        let rows = ["shop", "cluster", "kube-system", "opm-system"].into_iter();
        let rows = rows.filter_map(|name| Some((Key::cluster_scoped(&ClusterId::cluster(), name), Arc::new(namespace(name)?))));
        let tree = Tree::new(ClusterId::cluster(), &rows.collect());
        let paths: Vec<String> = tree.all().iter().map(|node| node.path.to_string()).collect();
        assert_eq!(paths, ["cluster", "cluster:cluster", "cluster:shop"]);
        let shop = tree.cluster(&WorkspacePath::parse("cluster:shop").unwrap()).unwrap();
        assert_eq!((shop.namespace(), tree.path(&shop).unwrap().as_str()), (Some("shop"), "cluster:shop"));
        assert!(tree.cluster(&WorkspacePath::parse("root").unwrap()).is_none());
    }

    #[test]
    fn what_moved_is_told_with_all_that_lies_below() {
        let before = tree(&[("root", "acme", "c1"), ("c1", "shop", "c2"), ("root", "gone", "c4")]);
        let now = tree(&[("root", "acme", "c1"), ("c1", "store", "c2"), ("c2", "eu", "c3")]);
        assert_eq!(now.moved_since(&before).into_iter().collect::<Vec<_>>(), [id("c2"), id("c3"), id("c4")]);
        assert!(now.moved_since(&now).is_empty());
    }

    #[test]
    fn a_subtree_ends_where_edges_lead_in_a_ring() {
        let ring = tree(&[("root", "acme", "c1"), ("c8", "a", "c9"), ("c9", "b", "c8")]);
        assert_eq!(ring.subtree(&id("c8")).into_iter().collect::<Vec<_>>(), [id("c8"), id("c9")]);
        assert_eq!(ring.subtree(&id("root")).len(), 2);
    }

    #[test]
    fn a_missing_edge_a_ring_and_two_parents_prove_nothing() {
        assert!(tree(&[("c1", "shop", "c2")]).lineage(&id("c2")).is_none());
        assert!(tree(&[("c1", "a", "c2"), ("c2", "b", "c1")]).lineage(&id("c2")).is_none());
        let twice = tree(&[("root", "acme", "c1"), ("root", "evil", "c9"), ("c9", "acme", "c1")]);
        assert!(twice.lineage(&id("c1")).is_none());
        assert!(twice.cluster(&WorkspacePath::parse("root:acme").unwrap()).is_none());
    }
}
