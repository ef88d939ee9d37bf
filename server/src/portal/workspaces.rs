//! The port [`Workspaces`]: the workspaces that a user can enter.

mod members;
mod page;
mod policies;
mod records;

use std::collections::BTreeSet;

use app::backend::Workspaces;
use app::view::{WorkspaceNode, WorkspacePage, WorkspaceTree};
use async_trait::async_trait;
use cluster::{ClusterId, WorkspacePath};
use promise::{Error, Problem, Result};
use store::MAX_FAVOURITES;

use super::requests::listing::Place;
use super::write::{WriteOperation, WriteTarget};
use crate::portal::Caller;
use crate::portal::caller::database;

/// Number of lines of the tree to show. Users with more find them by search.
const SHOWN: usize = 200;

#[async_trait]
impl Workspaces for Caller {
    async fn workspaces(&self, query: &str) -> Result<WorkspaceTree> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let mut places = self.walk(self.nodes_within(None)).await.whole()?;
        places.retain(|place| words.iter().all(|word| place.path.as_str().contains(word.as_str())));
        let portal = self.portal();
        let is_read = portal.lists_read().is_ok();
        let counts: Vec<Option<u64>> = portal.register.with(&portal.world, |known| {
            let count = |place: &Place| (is_read && !place.sight.is_nothing()).then(|| known.requests(place) as u64);
            places.iter().map(count).collect()
        });
        let open: Vec<(WorkspacePath, ClusterId)> = places.into_iter().map(|place| (place.path, place.cluster)).collect();
        let mut shown = nodes(&open, &counts);
        shown.truncate(SHOWN);
        Ok(WorkspaceTree { nodes: shown, total: open.len(), query: query.to_owned() })
    }

    async fn workspace(&self, path: &str) -> Result<WorkspacePage> {
        page::page(self, path).await
    }

    async fn set_favourite(&self, workspace: &str, favourite: bool) -> Result<()> {
        let (portal, person) = (self.portal(), &*self.identity().person);
        let write = self.write(WriteOperation::SetFavourite, WriteTarget::remembered("workspace", workspace));
        if !favourite {
            let removed = write.remember(portal.store.remove_favourite(person, workspace), |()| true);
            return removed.await.map_err(|error| database(&error));
        }
        let path = self.enter(workspace).await?.path.to_string();
        let added = write.remember(portal.store.add_favourite(person, &path, portal.clock.now()), |added| *added);
        if added.await.map_err(|error| database(&error))? { Ok(()) } else { Err(too_many()) }
    }
}

fn too_many() -> Error {
    let message = format!("You already have {MAX_FAVOURITES} favourite workspaces. Remove one to add another.");
    Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
}

/// Returns open workspaces with the closed ones above them, parents first. The names of closed ones are part of the open ones' paths
/// anyway.
fn nodes(open: &[(WorkspacePath, ClusterId)], counts: &[Option<u64>]) -> Vec<WorkspaceNode> {
    let mut nodes: Vec<WorkspaceNode> = Vec::new();
    let mut known: BTreeSet<WorkspacePath> = open.iter().map(|(path, _)| path.clone()).collect();
    for (index, (path, _)) in open.iter().enumerate() {
        let mut above = Vec::new();
        let mut parent = path.parent();
        while let Some(path) = parent {
            parent = path.parent();
            above.push(path);
        }
        for closed in above.iter().rev() {
            if known.insert(closed.clone()) {
                nodes.push(node(closed, false, None));
            }
        }
        nodes.push(node(path, true, counts.get(index).copied().flatten()));
    }
    // A colon sorts after a hyphen. Comparing segment by segment keeps siblings and children together.
    nodes.sort_by(|a, b| a.path.split(':').cmp(b.path.split(':')));
    nodes
}

fn node(path: &WorkspacePath, open: bool, requests: Option<u64>) -> WorkspaceNode {
    let depth = path.as_str().matches(':').count();
    WorkspaceNode { path: path.to_string(), name: path.name().to_owned(), depth, open, requests }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_workspaces_show_only_to_lead_to_open_ones() {
        let open = ["root:acme:shop", "root:acme-labs"].map(|path| (WorkspacePath::parse(path).unwrap(), ClusterId::root()));
        let shown: Vec<_> =
            nodes(&open, &[Some(3), None]).into_iter().map(|node| (node.path, node.depth, node.open, node.requests)).collect();
        assert_eq!(
            shown,
            [
                ("root".to_owned(), 0, false, None),
                ("root:acme".to_owned(), 1, false, None),
                ("root:acme:shop".to_owned(), 2, true, Some(3)),
                ("root:acme-labs".to_owned(), 1, true, None),
            ]
        );
    }
}
