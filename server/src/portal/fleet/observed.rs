//! Rollouts as they are stored, and what their requests say.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use cluster::ClusterId;
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use promise::Result;
use promise::rollout::{Member, Observed, Rollout, Sighting};
use store::{StoredMember, StoredRollout};

use crate::portal::Caller;
use crate::portal::caller::database;

/// Returns what decides about the next step of a rollout.
pub(super) fn rollout(stored: &StoredRollout) -> Rollout {
    Rollout { state: stored.state, wave_size: usize::try_from(stored.wave_size).unwrap_or(1).max(1), minutes: stored.minutes }
}

/// Returns a member as the next step of its rollout depends on it.
pub(super) fn member(stored: &StoredMember) -> Member {
    Member { state: stored.state, wave: stored.wave, since: stored.since }
}

/// Returns the key of a member's request.
pub(super) fn key(stored: &StoredMember) -> Option<Key> {
    let cluster = ClusterId::parse(&stored.cluster).ok()?;
    Some(Key::new(cluster, stored.namespace.clone(), stored.name.clone()))
}

/// Returns the request of a member from the cache, regardless of who can see it. Another one with the same name doesn't count.
pub(super) fn request(caller: &Caller, stored: &StoredMember) -> Option<Arc<PromiseRequest>> {
    let found = caller.portal().world.requests.get(&key(stored)?)?;
    (found.metadata.uid.as_deref() == Some(&stored.uid)).then_some(found)
}

/// Returns what a request says about its upgrade.
pub(super) fn observed(caller: &Caller, request: Option<&PromiseRequest>, version: &str) -> Observed {
    let Some(request) = request else { return Observed::Gone };
    Observed::of(&Sighting {
        status: request.status.as_ref(),
        generation: request.metadata.generation.unwrap_or_default(),
        is_deleted: request.metadata.deletion_timestamp.is_some(),
        selects_version: caller.selects(request, version),
        version,
    })
}

/// Returns a name for the state of a rollout of the user, with that of its requests in progress. `None` if the user has no such rollout.
///
/// # Errors
/// If the database fails.
pub(in crate::portal) async fn stamp(caller: &Caller, id: &str) -> Result<Option<String>> {
    let store = &caller.portal().store;
    let Some(stored) = store.rollout(&caller.identity().person, id).await.map_err(|error| database(&error))? else { return Ok(None) };
    let members = store.rollout_members(id).await.map_err(|error| database(&error))?;
    Ok(Some(stamp_of(caller, &stored, &members)))
}

/// The same for a rollout that was read.
pub(super) fn stamp_of(caller: &Caller, stored: &StoredRollout, members: &[StoredMember]) -> String {
    let mut state = DefaultHasher::new();
    stored.edition.hash(&mut state);
    for one in members.iter().filter(|one| one.state.is_in_progress()) {
        let version = request(caller, one).and_then(|request| request.metadata.resource_version.clone());
        (one.position, version).hash(&mut state);
    }
    format!("{:016x}", state.finish())
}
