//! Checks whether a portal or a controller could work with an identity, using the same caches that they serve from.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::doctor::{BOOTSTRAP, Finding};
use crate::clock::Clock;
use crate::kinds::Export;
use crate::projection::Reader;
use crate::topology::Topology;
use crate::workspaces::Unproven;
use crate::world::{Access, World};

/// How long a control plane can take to answer every list once.
const PATIENCE: Duration = Duration::from_secs(20);
/// A failure that lasts this long doesn't go away while a user waits.
const FAILS: Duration = Duration::from_secs(5);

/// Reads everything that an identity has to read. Returns what it can't read, or the caches if it can read everything.
pub async fn readable(
    access: Access,
    who: &str,
    reader: Reader,
    clock: Arc<dyn Clock>,
    shutdown: &CancellationToken,
) -> Result<World, Vec<Finding>> {
    let tasks = TaskTracker::new();
    let world = World::start(access, reader, clock, &tasks, shutdown);
    let caches = world.clone();
    let mut everything = std::pin::pin!(async move { caches.synced().await });
    if tokio::time::timeout(FAILS, &mut everything).await.is_ok() {
        return Ok(world);
    }
    let fails = unreadable(&world, who);
    if !fails.is_empty() {
        return Err(fails);
    }
    if tokio::time::timeout(PATIENCE, &mut everything).await.is_ok() {
        return Ok(world);
    }
    let fails = unreadable(&world, who);
    let slow = || Finding {
        what: format!("{who} didn't finish reading within {} seconds.", (FAILS + PATIENCE).as_secs()),
        remedy: "opm-portal doctor".to_owned(),
    };
    Err(if fails.is_empty() { vec![slow()] } else { fails })
}

/// Returns what can't be read, grouped by cause.
fn unreadable(world: &World, who: &str) -> Vec<Finding> {
    let mut causes: BTreeMap<String, (Vec<String>, promise::Error)> = BTreeMap::new();
    for (what, why) in world.troubles() {
        causes.entry(why.to_string()).or_insert_with(|| (Vec::new(), why)).0.push(what);
    }
    let servers = match world.servers() {
        servers if servers.is_empty() => "the server of the kubeconfig".to_owned(),
        servers => servers.join(" and "),
    };
    let finding = |(text, (whats, why)): (String, (Vec<String>, promise::Error))| Finding {
        what: format!("{who} can't read {}: {}.", whats.join(", "), text.trim_end_matches('.')),
        remedy: match why {
            promise::Error::Unreachable { .. } => format!(
                "let this machine reach {servers} and trust its certificate: add a cluster entry with this server and its CA to the kubeconfig"
            ),
            promise::Error::Unauthenticated => format!("make {servers} accept the token of {who}: each shard checks tokens itself"),
            _ => BOOTSTRAP.to_owned(),
        },
    };
    causes.into_iter().map(finding).collect()
}

/// Returns what prevents the requests of consumers from being fulfilled, as the caches show it: claims that aren't accepted, workspaces
/// above that show no policies, and shards that aren't read. On plain Kubernetes there is none of that.
pub fn settled(world: &World) -> Vec<Finding> {
    let Topology::Workspaces { .. } = world.access().topology else { return Vec::new() };
    let (standing, tree) = (world.standing(), world.tree());
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (key, row) in world.request_bindings.snapshot() {
        let named = standing.named(&tree, &key.cluster);
        if !row.bound || !row.missing.is_empty() {
            let why = if row.bound { format!("doesn't grant {} to", row.missing.join(", ")) } else { "hasn't bound".to_owned() };
            found.insert(format!("{named} {why} {}.", Export::Requests.name()), format!("opm-portal bind {named}"));
        }
        if let Err(unproven) = standing.lineage(&tree, &key.cluster) {
            let remedy = match &unproven {
                Unproven::Place { .. } => match named.rsplit_once(':') {
                    Some((parent, _)) => format!("opm-portal bind {parent} --catalog"),
                    // The path is unknown, so the operator fills in the workspaces above.
                    None => "opm-portal bind WORKSPACE --catalog".to_owned(),
                },
                Unproven::Unbound { workspace, .. } | Unproven::Claims { workspace, .. } => {
                    format!("opm-portal bind {workspace} --catalog")
                }
                Unproven::Reserved { .. } => continue,
            };
            let what = match &unproven {
                Unproven::Place { .. } => {
                    format!(
                        "The place of {named} in the tree isn't verified: a workspace above it doesn't bind {}.",
                        Export::Requests.name()
                    )
                }
                _ => format!("Requests of workspaces below are rejected: {unproven}."),
            };
            found.insert(what, remedy);
        }
    }
    let shards = world.unread_shards.servers().into_iter().map(|shard| Finding {
        what: format!("Requests of workspaces on the shard {shard} aren't read: only one shard is, {}.", world.servers().join(" and ")),
        remedy: "create workspaces that make requests on the shard that is read (spec.location of the Workspace)".to_owned(),
    });
    found.into_iter().map(|(what, remedy)| Finding { what, remedy }).chain(shards).collect()
}
