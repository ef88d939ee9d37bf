//! Who names whom as an owner. Objects without owners, and those that nobody waits for, are not in it.
//! Source: kubernetes `pkg/controller/garbagecollector/graph_builder.go`.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::{ClusterId, registry::GroupResource, store::Key};

/// An object by its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Node {
    pub(super) resource: GroupResource,
    pub(super) key: Key,
}

/// The edges of one cluster.
#[derive(Debug, Default)]
struct Edges {
    /// By uid of the owner.
    dependants: HashMap<String, BTreeSet<Node>>,
    /// The uids that an object names.
    owners: HashMap<Node, Vec<String>>,
    /// Objects whose deletion waits for dependants.
    waiting: BTreeSet<Node>,
}

/// All edges.
#[derive(Debug, Default)]
pub(super) struct Graph(HashMap<ClusterId, Edges>);

impl Graph {
    /// Notes what an object says of its owners, and whether its deletion waits.
    pub(super) fn put(&mut self, node: &Node, object: &Value, waits: bool) {
        self.remove(node);
        let uids: Vec<String> = owners(object).iter().filter_map(|owner| owner["uid"].as_str().map(str::to_owned)).collect();
        if uids.is_empty() && !waits {
            return;
        }
        let edges = self.0.entry(node.key.cluster.clone()).or_default();
        if waits {
            edges.waiting.insert(node.clone());
        }
        for uid in &uids {
            edges.dependants.entry(uid.clone()).or_default().insert(node.clone());
        }
        if !uids.is_empty() {
            edges.owners.insert(node.clone(), uids);
        }
    }

    /// Forgets an object.
    pub(super) fn remove(&mut self, node: &Node) {
        let Some(edges) = self.0.get_mut(&node.key.cluster) else { return };
        edges.waiting.remove(node);
        for uid in edges.owners.remove(node).unwrap_or_default() {
            if let Some(nodes) = edges.dependants.get_mut(&uid) {
                nodes.remove(node);
                if nodes.is_empty() {
                    edges.dependants.remove(&uid);
                }
            }
        }
        if edges.owners.is_empty() && edges.waiting.is_empty() {
            self.0.remove(&node.key.cluster);
        }
    }

    /// Whether the object is known.
    pub(super) fn has(&self, node: &Node) -> bool {
        self.0.get(&node.key.cluster).is_some_and(|edges| edges.owners.contains_key(node) || edges.waiting.contains(node))
    }

    /// Whether nothing in a cluster has an owner or waits.
    pub(super) fn is_empty(&self, cluster: &ClusterId) -> bool {
        !self.0.contains_key(cluster)
    }

    /// The objects that name this owner.
    pub(super) fn dependants(&self, cluster: &ClusterId, uid: &str) -> impl Iterator<Item = &Node> {
        self.0.get(cluster).and_then(|edges| edges.dependants.get(uid)).into_iter().flatten()
    }

    /// The objects of a cluster whose deletion waits for dependants.
    pub(super) fn owners_waiting(&self, cluster: &ClusterId) -> impl Iterator<Item = &Node> {
        self.0.get(cluster).into_iter().flat_map(|edges| &edges.waiting)
    }
}

/// `metadata.ownerReferences`.
pub(super) fn owners(object: &Value) -> &[Value] {
    object["metadata"]["ownerReferences"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// `metadata.uid`.
pub(super) fn uid(object: &Value) -> &str {
    object["metadata"]["uid"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn edges_follow_what_objects_say_and_leave_nothing_behind() {
        let cluster = ClusterId::root();
        let node = Node { resource: GroupResource::new("", "configmaps"), key: Key::new(&cluster, "default", "a") };
        let mut graph = Graph::default();
        graph.put(&node, &json!({"metadata": {"ownerReferences": [{"uid": "x"}, {"uid": "y"}]}}), false);
        assert_eq!((graph.dependants(&cluster, "x").count(), graph.dependants(&cluster, "y").count()), (1, 1));
        graph.put(&node, &json!({"metadata": {"ownerReferences": [{"uid": "y"}]}}), true);
        assert_eq!((graph.dependants(&cluster, "x").count(), graph.owners_waiting(&cluster).count()), (0, 1));
        graph.put(&node, &json!({"metadata": {}}), false);
        assert!(graph.is_empty(&cluster) && !graph.has(&node));
    }
}
