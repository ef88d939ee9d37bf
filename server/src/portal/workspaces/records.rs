//! Workspaces as data, for programs.

use cluster::WorkspacePath;
use promise::Result;
use promise::rest::{Page, WorkspaceSummary};

use crate::portal::Caller;
use crate::portal::place::{Namespaces, Workspace};
use crate::portal::requests::listing::Place;
use crate::portal::slices::{self, Extent, Slice};

impl Caller {
    /// Returns a part of the workspaces that the user can enter and whose paths contain all words, in the order of paths.
    ///
    /// # Errors
    /// If the token belongs to another list.
    pub(crate) async fn list_workspaces(&self, words: &str, slice: &Slice) -> Result<Page<WorkspaceSummary>> {
        let after = slice.position::<1>()?;
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let walk = self.walk(self.nodes_within(None)).await;
        let fits = |path: &WorkspacePath| words.iter().all(|word| path.as_str().to_lowercase().contains(word.as_str()));
        let mut places: Vec<Place> = walk.open.into_iter().filter(|place| fits(&place.path)).collect();
        places.sort_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
        let portal = self.portal();
        let as_of = portal.lists_as_of();
        let extent = Extent { total: places.len(), unread: walk.unseen, as_of };
        let (tree, is_read) = (portal.world.tree(), portal.lists_read().is_ok());
        let rest = places.iter().filter(|place| after.is_none_or(|[after]| place.path.as_str() > after));
        let items = rest.filter_map(|place| {
            let workspace = Workspace::at(&tree, place.cluster.clone())?;
            let requests =
                (is_read && !place.sight.is_nothing()).then(|| portal.register.with(&portal.world, |known| known.requests(place)) as u64);
            let item = WorkspaceSummary {
                path: workspace.path.to_string(),
                id: workspace.cluster.to_string(),
                namespace: (workspace.namespaces != Namespaces::None).then(|| workspace.usual_namespace().to_owned()),
                owner: workspace.owner,
                requests,
            };
            Some((vec![item.path.clone()], item))
        });
        Ok(slices::part(extent, slice.limit, items))
    }
}
