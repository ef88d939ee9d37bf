//! The page of a promise for its authors.

use std::collections::BTreeMap;

use app::view::{AuthorPage, AuthoredVersion, RolloutLine};
use kube::ResourceExt as _;
use promise::Result;
use promise::publish::breaking_changes;
use promise::rollout::{MemberState, RolloutState};

use super::authored::Authored;
use super::instances::Instances;
use crate::portal::Caller;
use crate::portal::caller::database;

/// Number of rollouts on the page.
const ROLLOUTS: u32 = 10;

/// Returns the page.
pub(super) async fn page(caller: &Caller, workspace: &str, name: &str) -> Result<AuthorPage> {
    let authored = Authored::read(caller, workspace, name).await?;
    let instances = Instances::of(caller, &authored).await?;
    let mut running: BTreeMap<&str, usize> = BTreeMap::new();
    for instance in &instances.all {
        *running.entry(&instance.version).or_default() += 1;
    }
    let revisions = authored.revisions(caller);
    let mut versions: Vec<AuthoredVersion> = Vec::with_capacity(revisions.len());
    for (index, revision) in revisions.iter().enumerate() {
        let spec = &revision.spec;
        let before = revisions.get(index + 1);
        let breaking = before.map(|before| breaking_changes(&before.spec.spec, &spec.spec)).unwrap_or_default();
        versions.push(AuthoredVersion {
            version: spec.version.clone(),
            revision: revision.name_any(),
            since: revision.creation_timestamp().map(|time| time.0.to_string()).unwrap_or_default(),
            instances: running.remove(spec.version.as_str()).unwrap_or_default(),
            breaking: breaking.into_iter().map(|(_, change)| change).collect(),
        });
    }
    // What still runs, although it is no longer published.
    let former = running.into_iter().filter(|(version, _)| !version.is_empty());
    versions.extend(former.map(|(version, instances)| AuthoredVersion {
        version: version.to_owned(),
        instances,
        ..AuthoredVersion::default()
    }));
    let (person, home) = (&caller.identity().person, authored.key.cluster.to_string());
    let rollouts = caller.portal().store.rollouts(person, &home, name, ROLLOUTS).await.map_err(|error| database(&error))?;
    let mut lines = Vec::with_capacity(rollouts.len());
    for one in rollouts {
        let skipped = if one.state == RolloutState::Completed { skipped(caller, &one.id).await? } else { 0 };
        lines.push(RolloutLine { id: one.id, version: one.version, state: one.state, skipped, created: one.created.to_string() });
    }
    Ok(AuthorPage {
        promise: authored.view(caller).await?,
        versions,
        instances: instances.all.len(),
        workspaces: instances.workspaces,
        rollouts: lines,
        unseen: instances.unseen,
    })
}

/// Returns how many instances a rollout skipped.
async fn skipped(caller: &Caller, rollout: &str) -> Result<usize> {
    let count = caller.portal().store.count_members(rollout, MemberState::Skipped).await.map_err(|error| database(&error))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}
