//! What surrounds a request: requests that it depends on or that depend on it, how long others took, and its cost so far.

use std::sync::Arc;

use app::view::{ReadyIn, RelatedGroup, RelatedKind, RelatedLine};
use cluster::kinds::PromiseRequest;
use cluster::watch::Key;
use promise::api::{CandidateState, PromiseSpec};
use promise::ledger::Month;
use promise::names;
use promise::price::Money;

use super::{owners, rows};
use crate::portal::Caller;
use crate::portal::catalog::instances;
use crate::portal::place::Workspace;
use crate::portal::register::{Known, Of};
use crate::portal::requests::listing::Place;

/// Number of requests that are named in a group; the rest are only counted.
const NAMED: usize = 5;

/// What surrounds a request.
#[derive(Default)]
pub(super) struct Surroundings {
    /// Related requests.
    pub(super) related: Vec<RelatedGroup>,
    /// How long instances of the same promise took in this workspace.
    pub(super) usual: Option<ReadyIn>,
}

/// Returns what surrounds a request, as far as the user can list requests in its workspace.
pub(super) async fn of(caller: &Caller, workspace: &Workspace, request: &PromiseRequest, spec: Option<&PromiseSpec>) -> Surroundings {
    let Some(place) = instances::place(caller, workspace).await else { return Surroundings::default() };
    let portal = caller.portal();
    let this = Of::named(&request.spec.promise);
    let used = portal.register.with(&portal.world, |known| known.within(&place).promises.keys().cloned().collect::<Vec<Of>>());
    let requires = |spec: &PromiseSpec, name: &str| spec.requires.iter().any(|required| required.promise.as_deref() == Some(name));
    let needed: Vec<&Of> = used.iter().filter(|of| spec.is_some_and(|spec| requires(spec, &of.name))).collect();
    let needs_this = |of: &&Of| {
        let promise = caller.known_promise(of.home.as_deref(), &of.name, [&workspace.cluster]);
        promise.is_some_and(|promise| requires(&promise.spec, &this.name))
    };
    let dependent: Vec<&Of> = used.iter().filter(needs_this).collect();
    let (usual, needed, dependent) = portal.register.with(&portal.world, |known| {
        let usual = known.within(&place).promises.get(&this).and_then(instances::ready_in);
        (usual, instances_of(known, &needed, &place), instances_of(known, &dependent, &place))
    });
    let owners: Vec<Key> = owners_in(caller, &place, request).into_iter().map(|(key, _)| key).collect();
    let depth = owners.len();
    let mut nested = nested(workspace, request);
    nested.retain(|key| place.sight.covers(&key.namespace));
    let group = |kind, (keys, all): (Vec<Key>, usize)| {
        let lines: Vec<RelatedLine> = keys.iter().filter_map(|key| line(caller, workspace, key)).collect();
        RelatedGroup { kind, more: all.saturating_sub(keys.len()), lines }
    };
    let groups = [
        group(RelatedKind::CreatedBy, (owners, depth)),
        group(RelatedKind::DependsOn, needed),
        group(RelatedKind::Creates, counted(nested)),
        group(RelatedKind::RequiredBy, dependent),
    ];
    Surroundings { related: groups.into_iter().filter(|group| !group.lines.is_empty()).collect(), usual }
}

/// Returns the first instances of some promises in a workspace, and how many there are.
fn instances_of(known: &Known, of: &[&Of], place: &Place) -> (Vec<Key>, usize) {
    let all = || of.iter().flat_map(|of| known.instances(of, place));
    (all().take(NAMED).cloned().collect(), all().count())
}

fn counted(keys: Vec<Key>) -> (Vec<Key>, usize) {
    let all = keys.len();
    (keys.into_iter().take(NAMED).collect(), all)
}

/// Returns the requests that were created for a request, in its own workspace.
fn nested(workspace: &Workspace, request: &PromiseRequest) -> Vec<Key> {
    let key = |(namespace, name): (&str, &str)| Key::new(workspace.cluster.clone(), namespace, name);
    owners::created(request).map(key).collect()
}

/// Returns the owners of a request that the user can list, the nearest first.
fn owners_in(caller: &Caller, place: &Place, request: &PromiseRequest) -> Vec<(Key, Arc<PromiseRequest>)> {
    // Most requests have no owner, so the others aren't looked through.
    if request.metadata.labels.as_ref().is_none_or(|labels| !labels.contains_key(names::REQUEST_UID_LABEL)) {
        return Vec::new();
    }
    let all = owners::of(&caller.portal().requests_of(&place.cluster), request);
    all.into_iter().filter(|(key, _)| place.sight.covers(&key.namespace)).collect()
}

/// Returns the request that creates a request again if it is deleted, as far as the user can list requests in its workspace.
pub(super) async fn created_for(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> Option<RelatedLine> {
    let place = instances::place(caller, workspace).await?;
    let (key, owner) = owners_in(caller, &place, request).into_iter().next()?;
    owners::creates_again(&owner).then(|| line(caller, workspace, &key)).flatten()
}

fn line(caller: &Caller, workspace: &Workspace, key: &Key) -> Option<RelatedLine> {
    let request = caller.portal().world.requests.get(key)?;
    Some(RelatedLine {
        workspace: workspace.path.to_string(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        promise_title: rows::presentation(caller, &workspace.cluster, &request).0,
        states: rows::states(&request),
    })
}

/// Returns the metered cost of this month, one amount for each currency. Empty if nothing was metered, or the ledger can't be read: the
/// page is more important.
pub(super) async fn spent(caller: &Caller, workspace: &Workspace, uid: &str) -> Vec<String> {
    let portal = caller.portal();
    let month = Month::of(portal.clock.now().as_second()).start();
    match portal.store.instance_sums(month, &workspace.cluster.to_string(), uid).await {
        Ok(sums) => sums.into_iter().map(|(currency, micros)| Money::new(micros, currency).rounded().to_string()).collect(),
        Err(error) => {
            tracing::warn!(%error, "the cost of a request could not be read");
            Vec::new()
        }
    }
}

/// Returns when the release that is being rolled out, or else the running one, was accepted.
pub(super) fn accepted(request: &PromiseRequest) -> Option<String> {
    let status = request.status.as_ref()?;
    let next = status.candidate.as_ref().filter(|candidate| candidate.state == CandidateState::Accepted);
    let next = next.map(|candidate| candidate.accepted_at.clone());
    next.unwrap_or_else(|| status.current.as_ref().and_then(|current| current.accepted_at.clone()))
}

#[cfg(test)]
mod tests {
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::{CandidateStatus, CurrentStatus, PromiseRequestSpec, PromiseRequestStatus};

    use super::*;

    #[test]
    fn what_is_rolled_out_was_accepted_last() {
        let mut request = object::<PromiseRequestKind>("db", Some("default"), PromiseRequestSpec::default());
        assert_eq!(accepted(&request), None);
        let at = |time: &str| Some(time.to_owned());
        let candidate = |state| CandidateStatus { state, accepted_at: at("2026-11-02T00:00:00Z"), ..CandidateStatus::default() };
        let current = CurrentStatus { accepted_at: at("2026-11-01T00:00:00Z"), ..CurrentStatus::default() };
        let status = |state| PromiseRequestStatus {
            current: Some(current.clone()),
            candidate: Some(candidate(state)),
            ..PromiseRequestStatus::default()
        };
        request.status = Some(status(CandidateState::Accepted));
        assert_eq!(accepted(&request), at("2026-11-02T00:00:00Z"));
        request.status = Some(status(CandidateState::AwaitingApproval));
        assert_eq!(accepted(&request), at("2026-11-01T00:00:00Z"));
    }
}
