//! The way from the root to a workspace, and whether what lies on it can be trusted now.

use crate::fulfil::core::Core;
use crate::watch::Freshness;
use crate::workspaces::{ClusterId, Node};

/// What decides about a request and is not up to date.
pub(super) fn stale(core: &Core) -> Option<(&'static str, Freshness)> {
    let world = &core.world;
    let decisive = [
        ("workspaces", world.workspaces.freshness()),
        ("policies", world.policies.freshness()),
        ("catalogs", world.catalogs.freshness()),
        ("bindings", world.request_bindings.freshness()),
        ("bindings", world.catalog_bindings.freshness()),
    ];
    decisive.into_iter().find(|(_, freshness)| *freshness != Freshness::Synced)
}

/// The way from root, when everything on it can be seen and is up to date. Errors: a sentence.
pub(super) fn lineage(core: &Core, cluster: &ClusterId) -> Result<Vec<Node>, String> {
    let world = &core.world;
    if let Some((what, freshness)) = stale(core) {
        return Err(match freshness {
            Freshness::Unreachable { since, .. } => {
                format!("The {what} above this workspace could not be read since {}.", since.strftime("%H:%M:%S UTC"))
            }
            _ => format!("The {what} above this workspace were not read yet."),
        });
    }
    world.standing().lineage(&world.tree(), cluster).map_err(|unproven| promise::wording::upper_first(&format!("{unproven}.")))
}
