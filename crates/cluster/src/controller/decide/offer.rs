//! Finds the promise that a request refers to.

use std::sync::Arc;

use promise::Problem;
use promise::visibility::{Place, SeenBy, is_known, nearest, seen_by};

use crate::controller::context::ControllerContext;
use crate::kinds::{Promise, PromiseRequest};
use crate::shelves::{self, Home};
use crate::watch::Key;
use crate::workspaces::Node;

/// A promise and its home.
pub(super) struct Found {
    pub(super) promise: Arc<Promise>,
    pub(super) home: Node,
}

impl Found {
    /// Checks whether the current state of the promise hasn't been judged yet, or its published revision isn't in the caches yet.
    pub(super) fn is_being_published(&self, ctx: &ControllerContext) -> bool {
        let Some(status) = &self.promise.status else { return true };
        let published = status.revision.as_ref().map(|name| Key::cluster_scoped(&self.home.cluster, name));
        Some(status.observed_generation) < self.promise.metadata.generation
            || published.is_some_and(|at| ctx.world.revisions.get(&at).is_none())
    }
}

/// Returns the promise that a request refers to, if it is offered to the request's workspace.
pub(super) fn offer(ctx: &ControllerContext, request: &PromiseRequest, lineage: &[Node]) -> Result<Found, Problem> {
    let reference = &request.spec.promise;
    let tree = ctx.world.tree();
    let way: Vec<Place> = lineage.iter().map(Place::from).collect();
    let wanted = |node: &Node| reference.workspace.as_deref().is_none_or(|path| path.is_empty() || path == node.path.as_str());
    let homes = ctx.world.homes(lineage.iter().map(|node| node.cluster.clone()), &ctx.trusted);
    let named = homes.iter().filter_map(|home| {
        let node = tree.lineage(&home.cluster)?.pop().filter(wanted)?;
        Some((ctx.world.promises.get(&Key::cluster_scoped(&home.cluster, &reference.name))?, node, home))
    });
    let named: Vec<(Arc<Promise>, Node, &Home)> = named.collect();
    let mut why = None;
    let mut seen: Vec<(usize, SeenBy)> = Vec::new();
    for (index, (promise, _, home)) in named.iter().enumerate() {
        let (offer, shelves) = (shelves::offer(&reference.name, &home.place, promise), home.shelves());
        match seen_by(&offer, &way, &shelves) {
            Ok(by) => seen.push((index, by)),
            // The requester reads the reason, and must not learn from it what other people's workspaces contain.
            Err(reason) if is_known(&offer, &way, &shelves) => why = Some(reason.to_string()),
            Err(_) => {}
        }
    }
    let offers: Vec<(&Place, &SeenBy)> = seen.iter().map(|(index, by)| (&named[*index].2.place, by)).collect();
    let winner = nearest(&offers).and_then(|(first, _)| named.get(seen.get(first)?.0));
    match winner {
        Some((promise, node, _)) => Ok(Found { promise: promise.clone(), home: node.clone() }),
        None => {
            let message =
                why.unwrap_or_else(|| format!("Choose another promise: there is no promise named {} for this workspace.", reference.name));
            Err(Problem { path: ".promise.name".to_owned(), message })
        }
    }
}
