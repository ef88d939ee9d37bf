//! Which workspaces use our exports, and whether everything above a workspace can be seen.

use std::sync::Arc;

use imbl::OrdMap;
use kube::api::DynamicObject;
use promise::names;

use super::{ClusterId, Node, Tree, WorkspacePath};
use crate::install::missing_claims;
use crate::kinds::Export;
use crate::watch::{Key, Row};

/// What is kept of an APIBinding of one of our exports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingRow {
    /// Whether its kinds are served.
    pub bound: bool,
    /// Claims that aren't in force, as `resource.group`.
    pub missing: Vec<String>,
    /// The path that the workspace states for itself. Its administrators can write anything here: it is for sentences, never for decisions.
    pub said_path: Option<WorkspacePath>,
}

impl BindingRow {
    /// Returns the row that is used where our kinds are served without a binding.
    pub fn complete() -> Self {
        Self { bound: true, missing: Vec::new(), said_path: None }
    }

    /// Projects a binding of `export`.
    pub fn project(export: Export, object: DynamicObject) -> Self {
        let bound = object.data.pointer("/status/phase").is_some_and(|phase| phase == "Bound");
        let said = object.metadata.annotations.as_ref().and_then(|annotations| annotations.get(names::KCP_PATH));
        let said_path = said.and_then(|path| WorkspacePath::parse(path).ok());
        Self { bound, missing: missing_claims(export, &object.data), said_path }
    }
}

impl Row for BindingRow {
    fn same_edition(&self, other: &Self) -> bool {
        self == other
    }
}

/// Why the rules above a workspace aren't known. No new release is accepted then; what runs continues.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproven {
    /// An edge on the path to root can't be seen.
    #[error("the place of workspace {workspace} in the tree isn't verified: every workspace above it must bind {} with its claims; ask a platform admin", Export::Requests.name())]
    Place {
        /// Path, or id when there is no path.
        workspace: String,
    },
    /// This namespace belongs to the system. Requests in it aren't fulfilled.
    #[error("requests in the namespace {namespace} aren't served: it belongs to the cluster itself; use your own namespace")]
    Reserved {
        /// Its name.
        namespace: String,
    },
    /// A workspace above doesn't bind the export that shows its policies.
    #[error("the policies of {workspace} aren't visible: an admin of {workspace} must bind {export}")]
    Unbound {
        /// Its path.
        workspace: String,
        /// The export that is missing.
        export: &'static str,
    },
    /// A workspace above doesn't grant what we claim.
    #[error("{workspace} doesn't grant {claims} to {export}: an admin of {workspace} must accept this claim in the binding")]
    Claims {
        /// Its path.
        workspace: String,
        /// The export in question.
        export: &'static str,
        /// The claims that aren't granted.
        claims: String,
    },
}

/// Which workspaces use our kinds, at one moment.
#[derive(Clone, Debug)]
pub enum Standing {
    /// The workspaces that bind the exports.
    Bound {
        /// Rows of the watch on bindings of the requests export.
        requests: OrdMap<Key, Arc<BindingRow>>,
        /// Rows of the watch on bindings of the catalog export.
        catalog: OrdMap<Key, Arc<BindingRow>>,
    },
    /// Every workspace: our kinds are served in the whole cluster.
    Everywhere(Arc<BindingRow>),
}

impl Standing {
    /// Returns the binding of an export in a workspace; the best if there are several.
    pub fn binding(&self, export: Export, cluster: &ClusterId) -> Option<&Arc<BindingRow>> {
        let rows = match (self, export) {
            (Self::Bound { requests, .. }, Export::Requests) => requests,
            (Self::Bound { catalog, .. }, Export::Catalog) => catalog,
            (Self::Everywhere(row), _) => return Some(row),
        };
        let of = rows.range(Key::cluster_scoped(cluster, "")..).take_while(|(key, _)| key.cluster == *cluster);
        of.map(|(_, row)| row).max_by_key(|row| (row.bound, usize::MAX - row.missing.len()))
    }

    /// Returns what people call a workspace: its path if it is known, otherwise the one that it states for itself, otherwise its id.
    pub fn named(&self, tree: &Tree, cluster: &ClusterId) -> String {
        let said = || [Export::Requests, Export::Catalog].into_iter().find_map(|export| self.binding(export, cluster)?.said_path.clone());
        tree.path(cluster).or_else(said).map_or_else(|| cluster.to_string(), |path| path.to_string())
    }

    /// Returns the path from root to a workspace whose policies can all be seen (`domain.md` 1, Fail closed).
    ///
    /// Root itself can do without the catalog: its administrators can always bind it, and nothing above could forbid what it forbids. The
    /// workspace itself needs only the requests export: kinds that it doesn't bind can't exist in it.
    pub fn lineage(&self, tree: &Tree, cluster: &ClusterId) -> Result<Vec<Node>, Unproven> {
        let place = || match cluster.namespace() {
            Some(namespace) => Unproven::Reserved { namespace: namespace.to_owned() },
            None => Unproven::Place { workspace: self.named(tree, cluster) },
        };
        let nodes = tree.lineage(cluster).ok_or_else(place)?;
        for node in nodes.iter().skip(1).filter(|node| node.cluster != *cluster) {
            self.transparent(node)?;
        }
        Ok(nodes)
    }

    fn transparent(&self, node: &Node) -> Result<(), Unproven> {
        let workspace = || node.path.to_string();
        for export in [Export::Requests, Export::Catalog] {
            match self.binding(export, &node.cluster) {
                Some(row) if row.bound && row.missing.is_empty() => {}
                Some(row) if row.bound => {
                    return Err(Unproven::Claims { workspace: workspace(), export: export.name(), claims: row.missing.join(", ") });
                }
                _ => return Err(Unproven::Unbound { workspace: workspace(), export: export.name() }),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use imbl::OrdMap;

    use super::{BindingRow, Standing, Unproven};
    use crate::watch::Key;
    use crate::workspaces::{ClusterId, Tree, WorkspacePath, WorkspaceRow};

    fn id(text: &str) -> ClusterId {
        ClusterId::parse(text).unwrap()
    }

    fn tree() -> Tree {
        let row = |child: &str| Arc::new(WorkspaceRow { cluster: id(child), labels: BTreeMap::new(), deleting: false });
        let edges = [("root", "acme", "c1"), ("c1", "shop", "c2")];
        Tree::new(id("root"), &edges.iter().map(|(parent, name, child)| (Key::cluster_scoped(&id(parent), name), row(child))).collect())
    }

    fn bindings(of: &[(&str, bool, &[&str])]) -> OrdMap<Key, Arc<BindingRow>> {
        of.iter()
            .map(|(cluster, bound, missing)| {
                let missing = missing.iter().map(|m| (*m).to_owned()).collect();
                (Key::cluster_scoped(&id(cluster), "b"), Arc::new(BindingRow { bound: *bound, missing, said_path: None }))
            })
            .collect()
    }

    #[test]
    fn a_workspace_in_sight_has_its_way_from_root() {
        let all = bindings(&[("c1", true, &[]), ("c2", true, &[])]);
        let standing = Standing::Bound { requests: all.clone(), catalog: bindings(&[("c1", true, &[])]) };
        let paths: Vec<_> = standing.lineage(&tree(), &id("c2")).unwrap().into_iter().map(|n| n.path.to_string()).collect();
        assert_eq!(paths, ["root", "root:acme", "root:acme:shop"]);
    }

    #[test]
    fn whatever_hides_an_ancestor_is_named_and_closes() {
        let bound = bindings(&[("c1", true, &[])]);
        let cases = [
            (bindings(&[]), bound.clone(), "bind requests.platform.opmodel.dev"),
            (bound.clone(), bindings(&[]), "bind catalog.platform.opmodel.dev"),
            (bound.clone(), bindings(&[("c1", false, &[])]), "bind catalog.platform.opmodel.dev"),
            (bindings(&[("c1", true, &["workspaces.tenancy.kcp.io"])]), bound.clone(), "doesn't grant workspaces.tenancy.kcp.io"),
        ];
        for (requests, catalog, says) in cases {
            let error = Standing::Bound { requests, catalog }.lineage(&tree(), &id("c2")).unwrap_err();
            assert!(error.to_string().contains(says) && error.to_string().contains("root:acme"), "{error}");
        }
        let nowhere = Standing::Bound { requests: bound.clone(), catalog: bound }.lineage(&tree(), &id("c7")).unwrap_err();
        assert_eq!(nowhere, Unproven::Place { workspace: "c7".into() });
    }

    #[test]
    fn a_workspace_that_cannot_be_placed_is_called_as_it_calls_itself() {
        let said = |path: &str| BindingRow { said_path: WorkspacePath::parse(path).ok(), ..BindingRow::complete() };
        let rows = |path: &str| [(Key::cluster_scoped(&id("c7"), "b"), Arc::new(said(path)))].into_iter().collect();
        let named = |path: &str| Standing::Bound { requests: rows(path), catalog: OrdMap::new() }.lineage(&tree(), &id("c7")).unwrap_err();
        assert_eq!(named("root:far:away"), Unproven::Place { workspace: "root:far:away".into() });
        assert_eq!(named("no/path"), Unproven::Place { workspace: "c7".into() });
    }

    #[test]
    fn a_namespace_needs_no_binding_and_one_of_the_system_is_not_served() {
        let row = Arc::new(WorkspaceRow { cluster: ClusterId::of_namespace("shop").unwrap(), labels: BTreeMap::new(), deleting: false });
        let tree = Tree::new(ClusterId::cluster(), &[(Key::cluster_scoped(&ClusterId::cluster(), "shop"), row)].into_iter().collect());
        let standing = Standing::Everywhere(Arc::new(BindingRow::complete()));
        let way = standing.lineage(&tree, &ClusterId::of_namespace("shop").unwrap()).unwrap();
        assert_eq!(way.iter().map(|node| node.path.as_str()).collect::<Vec<_>>(), ["cluster", "cluster:shop"]);
        let refused = standing.lineage(&tree, &ClusterId::of_namespace("kube-system").unwrap()).unwrap_err();
        assert!(refused.to_string().contains("kube-system"), "{refused}");
    }
}
