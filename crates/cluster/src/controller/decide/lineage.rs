//! The path from the root to a workspace, and whether everything on it can be trusted now.

use crate::controller::context::ControllerContext;
use crate::controller::failure::FailureCause;
use crate::watch::Freshness;
use crate::workspaces::{ClusterId, Node};

/// Returns something that a decision depends on and that isn't up to date.
pub(super) fn stale(ctx: &ControllerContext) -> Option<(&'static str, Freshness)> {
    let world = &ctx.world;
    let decisive = [
        ("workspaces", world.workspaces.freshness()),
        ("policies", world.policies.freshness()),
        ("catalogs", world.catalogs.freshness()),
        ("bindings", world.request_bindings.freshness()),
        ("bindings", world.catalog_bindings.freshness()),
    ];
    decisive.into_iter().find(|(_, freshness)| *freshness != Freshness::Synced)
}

/// Returns the workspaces from the root down, if all of them can be read and are up to date.
pub(in crate::controller) fn lineage(ctx: &ControllerContext, cluster: &ClusterId) -> Result<Vec<Node>, FailureCause> {
    let world = &ctx.world;
    if let Some((lists, freshness)) = stale(ctx) {
        return Err(match freshness {
            Freshness::Unreachable { since, .. } => FailureCause::ListsUnreadable { lists, since },
            _ => FailureCause::ListsUnread { lists },
        });
    }
    Ok(world.standing().lineage(&world.tree(), cluster)?)
}
